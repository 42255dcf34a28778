/*
 * The journal's folder: what is opened, what is put aside, and what
 * retention removes.
 */
#include "../../adsd/journal/segment_dir.c"
#include "../../adsd/journal/ingest_keep.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../lib/journal_writer.h"

#define NODE 42

struct fixture {
    char state[64];
    char journal[80];
    struct ads_ring ring;
    struct log *log;
    struct segment_dir dir;
};


static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    strcpy(f->state, "/tmp/adsunitXXXXXX");
    assert_non_null(mkdtemp(f->state));
    (void)snprintf(f->journal, sizeof(f->journal), "%s/journal", f->state);
    assert_int_equal(mkdir(f->journal, 0700), 0);
    f->log = log_open_plain("test", LOG_ERROR + 1);
    journal_ring(&f->ring, 7);
    assert_int_equal(
        segment_dir_open(&f->dir, f->state, &f->ring, NODE, f->log, true),
        ADS_OK);
    *state = f;
    return 0;
}


static void
folder_empty(const char *path)
{
    char name[600];
    struct dirent *entry;
    DIR *list = opendir(path);

    while (list != NULL && (entry = readdir(list)) != NULL) {
        (void)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        (void)unlink(name);
    }
    if (list != NULL) {
        closedir(list);
    }
    (void)rmdir(path);
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;
    char aside[128];

    segment_dir_close(&f->dir);
    (void)snprintf(aside, sizeof(aside), "%s/quarantine", f->journal);
    folder_empty(aside);
    folder_empty(f->journal);
    assert_int_equal(rmdir(f->state), 0);
    log_close(f->log);
    free(f);
    return 0;
}


static void
write_file(struct fixture *f, const char *name, const char *text)
{
    int fd = openat(f->dir.fd, name, O_WRONLY | O_CREAT, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}


static bool
is_there(struct fixture *f, const char *name)
{
    return faccessat(f->dir.fd, name, F_OK, 0) == 0;
}


static void
test_there_is_one_reader(void **state)
{
    struct fixture *f = *state;
    struct segment_dir second;

    assert_int_equal(
        segment_dir_open(&second, f->state, &f->ring, NODE, f->log, true),
        ADS_BUSY);
    assert_int_equal(
        segment_dir_open(&second, f->state, &f->ring, NODE, f->log, false),
        ADS_OK);
    segment_dir_close(&second);
}


static void
test_segments_are_found_and_forgotten(void **state)
{
    struct fixture *f = *state;
    struct journal_writer a, b;

    journal_open(&a, f->journal, &f->ring, NODE, 'm');
    journal_open(&b, f->journal, &f->ring, NODE, 't');
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    assert_int_equal(f->dir.n, 2);
    assert_string_equal(segment_dir_find(&f->dir, &b.header.uuid)->name,
                        b.name);

    /* an open one is kept when its file goes: its bytes can still be read */
    assert_int_equal(unlinkat(f->dir.fd, a.name, 0), 0);
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    assert_int_equal(f->dir.n, 2);
    segment_park(segment_dir_find(&f->dir, &a.header.uuid));
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    assert_int_equal(f->dir.n, 1);
    journal_close(&a);
    journal_close(&b);
}


static void
test_what_does_not_belong_is_put_aside(void **state)
{
    struct fixture *f = *state;
    struct journal_writer other;

    journal_open(&other, f->journal, &f->ring, NODE + 1, 'm');
    journal_close(&other);
    write_file(f, "garbage.seg", "this is no segment");
    write_file(f, ".hidden.new", "a worker begins");
    write_file(f, "notes", "an operator's");
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    assert_int_equal(f->dir.n, 0);
    assert_int_equal(f->dir.n_quarantined, 2);
    assert_true(is_there(f, "quarantine/garbage.seg"));
    assert_false(is_there(f, "garbage.seg"));
    assert_true(is_there(f, ".hidden.new"));
    assert_true(is_there(f, "notes"));
}


static void
test_a_key_not_known_is_waited_for(void **state)
{
    struct fixture *f = *state;
    struct journal_writer writer;
    struct ads_ring ring;

    journal_ring(&ring, 9);
    ring.keys[0].kid = 200;
    journal_open(&writer, f->journal, &ring, NODE, 'm');
    journal_close(&writer);
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    assert_int_equal(f->dir.n, 0);
    assert_int_equal(f->dir.n_skipped, 1);
    assert_true(is_there(f, writer.name));
}


static void
test_damaged_bytes_are_kept_once(void **state)
{
    struct fixture *f = *state;
    struct journal_writer writer;
    char name[160];
    struct stat st;

    journal_open(&writer, f->journal, &f->ring, NODE, 'm');
    journal_append_raw(&writer, "0123456789", 10);
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    assert_true(segment_dir_keep(&f->dir, f->dir.segments[0], 64, 10));
    assert_false(segment_dir_keep(&f->dir, f->dir.segments[0], 64, 10));
    (void)snprintf(name, sizeof(name), "quarantine/%s.64", writer.name);
    assert_int_equal(fstatat(f->dir.fd, name, &st, 0), 0);
    assert_int_equal(st.st_size, 10);
    journal_close(&writer);
}


/* Says that the file was committed to its end that long ago. */
static void
done_since(struct fixture *f, struct segment *segment, int64_t seconds)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};

    times[1].tv_sec = time(NULL) - seconds;
    assert_int_equal(utimensat(f->dir.fd, segment->name, times, 0), 0);
    segment->done = true;
    segment_park(segment);
}


#define MAX (UINT64_C(4) << 30)

static void
test_retention_removes_what_is_done(void **state)
{
    struct fixture *f = *state;
    struct ingest_keep keep = {
        .log = f->log, .retain_s = 3600, .pending_max = MAX};
    struct journal_writer writers[3];
    struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

    for (int i = 0; i < 3; i++) {
        journal_open(&writers[i], f->journal, &f->ring, NODE, 'm');
        journal_close(&writers[i]);
    }
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    done_since(f, segment_dir_find(&f->dir, &writers[0].header.uuid), 3700);
    done_since(f, segment_dir_find(&f->dir, &writers[1].header.uuid), 3500);
    /* the third is old, but not committed */
    assert_int_equal(utimensat(f->dir.fd, writers[2].name, times, 0), 0);

    for (int i = 0; i < 3; i++) {
        keep.at_ms = 0;
        ingest_keep_cycle(&keep, &f->dir, true);
    }
    assert_int_equal(f->dir.n, 2);
    assert_false(is_there(f, writers[0].name));
    assert_true(is_there(f, writers[1].name));
    assert_true(is_there(f, writers[2].name));
}


/* Too many bytes: what a lagging replica may need stays all the same. */
static void
test_retention_spares_what_a_replica_may_lack(void **state)
{
    struct fixture *f = *state;
    struct ingest_keep keep = {
        .log = f->log, .retain_s = 3600, .lag_s = 60, .pending_max = 8};
    struct journal_writer writers[3];
    static const int64_t ages[] = {90, 70, 50};

    for (int i = 0; i < 3; i++) {
        journal_open(&writers[i], f->journal, &f->ring, NODE, 'm');
        journal_close(&writers[i]);
    }
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    for (int i = 0; i < 3; i++) {
        done_since(f, segment_dir_find(&f->dir, &writers[i].header.uuid),
                   ages[i]);
    }
    for (int i = 0; i < 4; i++) {
        keep.at_ms = 0;
        ingest_keep_cycle(&keep, &f->dir, true);
    }
    assert_int_equal(f->dir.n, 1);
    assert_true(is_there(f, writers[2].name));
    assert_false(keep.told);
}


/* No room at all: it goes, which is logged, and so does the ballast. */
static void
test_a_full_disk_takes_everything_back(void **state)
{
    struct fixture *f = *state;
    struct ingest_keep keep = {
        .log = f->log, .retain_s = 3600, .lag_s = 60, .pending_max = MAX};
    struct journal_writer writer;
    struct kept kept = {.any = true};
    struct stat st;

    ballast_look(&keep, &f->dir, UINT64_MAX);
    assert_true(keep.ballast);
    assert_int_equal(fstatat(f->dir.fd, BALLAST, &st, 0), 0);
    assert_int_equal(st.st_size, BALLAST_LEN);
    assert_true((uint64_t)st.st_blocks * 512 >= BALLAST_LEN);
    ballast_look(&keep, &f->dir, ROOM_NONE);
    assert_true(is_there(f, BALLAST));
    ballast_look(&keep, &f->dir, ROOM_NONE - 1);
    assert_false(is_there(f, BALLAST));
    ballast_look(&keep, &f->dir, ROOM_SHED);
    assert_false(is_there(f, BALLAST));
    ballast_look(&keep, &f->dir, UINT64_MAX);
    assert_true(is_there(f, BALLAST));
    assert_int_equal(unlinkat(f->dir.fd, BALLAST, 0), 0);

    journal_open(&writer, f->journal, &f->ring, NODE, 'm');
    journal_close(&writer);
    assert_int_equal(segment_dir_scan(&f->dir), ADS_OK);
    done_since(f, segment_dir_find(&f->dir, &writer.header.uuid), 10);
    kept.oldest_s = time(NULL) - 10;
    kept_remove(&keep, &f->dir, &kept, ROOM_SHED);
    assert_true(is_there(f, writer.name));
    kept_remove(&keep, &f->dir, &kept, ROOM_SHED - 1);
    assert_false(is_there(f, writer.name));
    assert_true(keep.told);
}


/* A byte below each bound and at it. */
static void
test_pressure(void **state)
{
    const uint64_t shed = MAX / 100 * 80, stop = MAX / 100 * 95;

    (void)state;
    assert_int_equal(pressure_of(0, MAX, UINT64_MAX), 0);
    assert_int_equal(pressure_of(shed - 1, MAX, UINT64_MAX), 0);
    assert_int_equal(pressure_of(shed, MAX, UINT64_MAX), 1);
    assert_int_equal(pressure_of(stop - 1, MAX, UINT64_MAX), 1);
    assert_int_equal(pressure_of(stop, MAX, UINT64_MAX), 2);
    assert_int_equal(pressure_of(MAX - 1, MAX, UINT64_MAX), 2);
    assert_int_equal(pressure_of(MAX, MAX, UINT64_MAX), 3);
    assert_int_equal(pressure_of(0, MAX, ROOM_SHED), 0);
    assert_int_equal(pressure_of(0, MAX, ROOM_SHED - 1), 1);
    assert_int_equal(pressure_of(0, MAX, ROOM_LEAST), 1);
    assert_int_equal(pressure_of(0, MAX, ROOM_LEAST - 1), 2);
    assert_int_equal(pressure_of(MAX, MAX, 0), 3);
}


#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_there_is_one_reader),
        TEST(test_segments_are_found_and_forgotten),
        TEST(test_what_does_not_belong_is_put_aside),
        TEST(test_a_key_not_known_is_waited_for),
        TEST(test_damaged_bytes_are_kept_once),
        TEST(test_retention_removes_what_is_done),
        TEST(test_retention_spares_what_a_replica_may_lack),
        TEST(test_a_full_disk_takes_everything_back),
        cmocka_unit_test(test_pressure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
