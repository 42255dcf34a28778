/*
 * The life of <run>/live: what is adopted, what is replaced, and when the new
 * file may sell.
 */
#include "../../adsd/daemon/live_file.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NODE 77

struct fixture {
    char folder[64];
    struct log *log;
    struct live_file *file;
};

static const struct ads_uuid campaign = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};


static void
open_file(struct fixture *f, uint64_t node)
{
    assert_int_equal(live_file_open(&f->file, f->folder, node, f->log), ADS_OK);
}


static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    strcpy(f->folder, "/tmp/adsunitXXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->log = log_open_plain("test", LOG_ERROR + 1);
    open_file(f, NODE);
    *state = f;
    return 0;
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;
    int dir = open(f->folder, O_RDONLY | O_DIRECTORY);

    live_file_close(f->file);
    log_close(f->log);
    (void)unlinkat(dir, NAME, 0);
    (void)unlinkat(dir, NAME_OLD, 0);
    (void)unlinkat(dir, NAME_NEW, 0);
    close(dir);
    assert_int_equal(rmdir(f->folder), 0);
    free(f);
    return 0;
}


/* What a worker does with the file: maps nothing here, but holds its lock. */
static int
hold(struct fixture *f)
{
    char path[128];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/%s", f->folder, NAME);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_SH), 0);
    return fd;
}


static void
test_a_restart_adopts_it(void **state)
{
    struct fixture *f = *state;
    uint64_t tag, id = live_file_current(f->file)->id;
    uint32_t slot = 9, again = 9;

    assert_int_equal(live_file_claim(f->file, &campaign, &slot, &tag), ADS_OK);
    assert_int_equal(slot, 0);
    ads_live_spend(ads_live_slot(live_file_current(f->file), slot, tag), 5);
    live_file_set(f->file, ADS_LIVE_GENERATION, 12);
    live_file_close(f->file);

    open_file(f, NODE);
    assert_int_equal(live_file_current(f->file)->id, id);
    assert_int_equal(live_file_used(f->file), 1);
    assert_int_equal(live_file_claim(f->file, &campaign, &again, &tag), ADS_OK);
    assert_int_equal(again, slot);
    assert_int_equal(
        ads_live_spent(ads_live_slot(live_file_current(f->file), slot, tag)),
        5);
    assert_int_equal(live_file_get(f->file, ADS_LIVE_GENERATION), 12);
    assert_true(live_file_may_sell(f->file));
}


static void
test_another_nodes_is_replaced(void **state)
{
    struct fixture *f = *state;
    uint64_t id = live_file_current(f->file)->id;
    int worker = hold(f);

    live_file_close(f->file);
    open_file(f, NODE + 1);
    assert_int_not_equal(live_file_current(f->file)->id, id);
    assert_false(live_file_may_sell(f->file));
    close(worker);
    assert_true(live_file_may_sell(f->file));
}


static void
test_a_damaged_one_is_replaced(void **state)
{
    struct fixture *f = *state;
    uint64_t id = live_file_current(f->file)->id;
    char path[128];

    live_file_current(f->file)->bytes[20] ^= 1;
    live_file_close(f->file);
    open_file(f, NODE);
    assert_int_not_equal(live_file_current(f->file)->id, id);

    id = live_file_current(f->file)->id;
    live_file_close(f->file);
    (void)snprintf(path, sizeof(path), "%s/%s", f->folder, NAME);
    assert_int_equal(truncate(path, 100), 0);
    open_file(f, NODE);
    assert_int_not_equal(live_file_current(f->file)->id, id);
    assert_true(live_file_may_sell(f->file));
}


static void
test_a_full_one_is_renewed(void **state)
{
    struct fixture *f = *state;
    struct ads_uuid id = campaign;
    enum ads_err err = ADS_OK;
    int worker = hold(f);
    uint32_t slot, n;
    uint64_t tag;

    live_file_set(f->file, ADS_LIVE_GENERATION, 3);
    for (n = 0; err == ADS_OK; n++) {
        memcpy(id.b + 8, &n, sizeof(n));
        id.b[15] = 1;
        err = live_file_claim(f->file, &id, &slot, &tag);
        if (n == 64) {
            n = LIVE_FILE_SLOTS - 2; /* claiming all takes long: pretend */
            f->file->used = LIVE_FILE_SLOTS - 1;
        }
    }
    assert_int_equal(err, ADS_FULL);

    assert_int_equal(live_file_renew(f->file), ADS_OK);
    assert_int_equal(live_file_used(f->file), 0);
    assert_int_equal(live_file_claim(f->file, &campaign, &slot, &tag), ADS_OK);
    assert_int_equal(slot, 0);
    assert_int_equal(live_file_get(f->file, ADS_LIVE_GENERATION), 3);
    assert_false(live_file_may_sell(f->file));

    /* a third one while a worker is on the first: refused */
    assert_int_equal(live_file_renew(f->file), ADS_BUSY);
    assert_int_equal(live_file_used(f->file), 1);

    /* an adsd killed now finds the first again */
    live_file_close(f->file);
    open_file(f, NODE);
    assert_false(live_file_may_sell(f->file));
    close(worker);
    assert_true(live_file_may_sell(f->file));
}


static void
test_death_between_link_and_rename(void **state)
{
    struct fixture *f = *state;
    int worker = hold(f);

    live_file_close(f->file);
    {
        char name[128], old[128];

        (void)snprintf(name, sizeof(name), "%s/%s", f->folder, NAME);
        (void)snprintf(old, sizeof(old), "%s/%s", f->folder, NAME_OLD);
        assert_int_equal(link(name, old), 0);
    }
    open_file(f, NODE);
    assert_true(live_file_may_sell(f->file)); /* nothing was replaced */
    close(worker);
}


static void
test_no_folder_no_file(void **state)
{
    struct fixture *f = *state;
    struct live_file *file;

    assert_int_equal(live_file_open(&file, "/nonexistent", NODE, f->log),
                     ADS_IO);
}


#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_restart_adopts_it),
        TEST(test_another_nodes_is_replaced),
        TEST(test_a_damaged_one_is_replaced),
        TEST(test_a_full_one_is_renewed),
        TEST(test_death_between_link_and_rename),
        TEST(test_no_folder_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
