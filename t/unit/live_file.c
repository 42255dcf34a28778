/*
 * The life of <run>/live: what is adopted, what is replaced, and when the new
 * file may sell.
 */
#include "../../adsd/daemon/live_file.c"

#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
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


/* Campaigns by number. */
static struct ads_uuid
numbered(uint32_t n)
{
    struct ads_uuid id = campaign;

    memcpy(id.b + 8, &n, sizeof(n));
    id.b[15] = 1;
    return id;
}


static void
claim_until(struct fixture *f, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; i < n; i++) {
        struct ads_uuid id = numbered(i);
        uint64_t tag;
        uint32_t slot;

        assert_int_equal(live_file_claim(f->file, &id, &slot, &tag), ADS_OK);
        assert_int_equal(slot, i);
    }
    assert_int_equal(live_file_used(f->file), n);
    assert_int_equal(live_file_get(f->file, ADS_LIVE_SLOTS_USED), n);
}


static void
test_it_grows_in_place(void **state)
{
    struct fixture *f = *state;
    const struct ads_live *before = live_file_current(f->file), *now;
    struct ads_live_slot *slot;
    int worker = hold(f);
    struct stat st;

    claim_until(f, 0, 1);
    slot = ads_live_slot_at(before, 0, &(uint64_t){0});
    ads_live_allow(slot, 50, 7);
    claim_until(f, 1, 5 * LIVE_FILE_SLOTS);

    /* the same file with the same allowances, also for who mapped less */
    now = live_file_current(f->file);
    assert_true(now->id == before->id);
    assert_true(now->n_slots == 8 * LIVE_FILE_SLOTS);
    assert_true(live_file_get(f->file, ADS_LIVE_SLOTS) == now->n_slots);
    assert_true(ads_live_has_grown(before));
    ads_live_spend(slot, 3);
    slot = ads_live_slot_at(now, 0, &(uint64_t){0});
    assert_true(ads_live_spent(slot) == 3 && ads_live_allowance(slot) == 50);
    assert_true(live_file_may_sell(f->file));
    assert_int_equal(fstat(worker, &st), 0);
    assert_true((uint64_t)st.st_size
                == ads_live_measure(now->n_slots, now->n_filter));
    assert_true((uint64_t)st.st_blocks * 512 >= (uint64_t)st.st_size);
    close(worker);

    live_file_close(f->file);
    open_file(f, NODE);
    assert_int_equal(live_file_used(f->file), 5 * LIVE_FILE_SLOTS);
    claim_until(f, 5 * LIVE_FILE_SLOTS, 5 * LIVE_FILE_SLOTS + 1);
}


/* Killed when the bytes were there and nothing said so. */
static void
test_death_while_it_grows(void **state)
{
    struct fixture *f = *state;
    uint64_t id = live_file_current(f->file)->id;
    uint64_t len = ads_live_measure(3 * LIVE_FILE_SLOTS / 2, LIVE_FILE_FILTER);
    char path[128];

    claim_until(f, 0, LIVE_FILE_SLOTS);
    live_file_close(f->file);
    (void)snprintf(path, sizeof(path), "%s/%s", f->folder, NAME);
    assert_int_equal(truncate(path, (off_t)len), 0);
    open_file(f, NODE);
    assert_true(live_file_current(f->file)->id == id);
    assert_true(live_file_get(f->file, ADS_LIVE_SLOTS) == LIVE_FILE_SLOTS);
    claim_until(f, LIVE_FILE_SLOTS, LIVE_FILE_SLOTS + 1);
    assert_true(live_file_get(f->file, ADS_LIVE_SLOTS) == 2 * LIVE_FILE_SLOTS);
}


/* The disk takes no more: a limit on the size of files acts the same. */
static void
test_no_room_to_grow(void **state)
{
    struct fixture *f = *state;
    const struct rlimit small = {
        .rlim_cur = ads_live_measure(3 * LIVE_FILE_SLOTS / 2, LIVE_FILE_FILTER),
        .rlim_max = RLIM_INFINITY,
    };
    struct ads_uuid id = numbered(3 * LIVE_FILE_SLOTS / 2);
    struct rlimit before;
    uint32_t slot = 0;
    uint64_t tag;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    (void)signal(SIGXFSZ, SIG_IGN);

    /* it takes what there is, then says so, and goes on as it is */
    claim_until(f, 0, 3 * LIVE_FILE_SLOTS / 2);
    assert_int_equal(live_file_claim(f->file, &id, &slot, &tag), ADS_FULL);
    assert_int_equal(slot, ADS_LIVE_SLOT_NONE);
    id = numbered(1);
    assert_int_equal(live_file_claim(f->file, &id, &slot, &tag), ADS_OK);
    assert_int_equal(slot, 1);

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    f->file->grow_at_ms = 0;
    claim_until(f, 3 * LIVE_FILE_SLOTS / 2, 3 * LIVE_FILE_SLOTS / 2 + 1);
}


static void
test_a_worn_one_is_renewed(void **state)
{
    struct fixture *f = *state;
    int worker = hold(f);
    struct ads_live *before = &f->file->current->live;
    uint32_t slot;
    uint64_t tag;

    live_file_set(f->file, ADS_LIVE_GENERATION, 3);
    ads_live_remember(before, 777);
    ads_live_show(before, 5, 6, 60);
    ads_live_count(before, ADS_COUNT_CLICK, 4);
    claim_until(f, 0, 9);
    assert_false(live_file_is_worn(f->file, 0));
    f->file->used = WASTE_MAX + 2 * 9 + 1; /* giving out all takes long */
    assert_true(live_file_is_worn(f->file, 9));
    assert_false(live_file_is_worn(f->file, 10));

    assert_int_equal(live_file_renew(f->file, 9), ADS_OK);
    assert_int_equal(live_file_used(f->file), 0);
    assert_int_equal(live_file_find(f->file, &campaign, &slot, &tag),
                     ADS_ABSENT);
    assert_int_equal(slot, ADS_LIVE_SLOT_NONE);
    claim_until(f, 0, 1);
    assert_int_equal(live_file_get(f->file, ADS_LIVE_GENERATION), 3);
    assert_true(ads_live_seen(live_file_current(f->file), 777));
    assert_int_equal(ads_live_shown(live_file_current(f->file), 5, 6, 60), 1);
    assert_false(live_file_may_sell(f->file));
    ads_live_count(before, ADS_COUNT_CLICK, 1); /* in the old one still */

    /* a third one while a worker is on the first: refused */
    f->file->used = WASTE_MAX + 1;
    assert_false(live_file_is_worn(f->file, 0));
    f->file->used = 1;
    assert_int_equal(live_file_renew(f->file, 9), ADS_BUSY);
    assert_int_equal(live_file_used(f->file), 1);

    close(worker);
    assert_true(live_file_may_sell(f->file));
    assert_true(ads_live_counter(live_file_current(f->file), ADS_COUNT_CLICK)
                == 5);
}


static void
test_a_restart_knows_the_one_before(void **state)
{
    struct fixture *f = *state;
    int worker = hold(f);

    assert_int_equal(live_file_renew(f->file, 9), ADS_OK);
    assert_false(live_file_may_sell(f->file));
    live_file_close(f->file);
    open_file(f, NODE);
    assert_false(live_file_may_sell(f->file));
    close(worker);
    assert_true(live_file_may_sell(f->file));
}


/* The file of an earlier version: slots first, caps last. */
static void
test_one_that_cannot_grow_is_used_up(void **state)
{
    struct fixture *f = *state;
    struct ads_live *live = &f->file->current->live;
    const uint32_t layout = 2;
    const uint64_t filter_at =
        ADS_LIVE_FIXED_LEN + LIVE_FILE_SLOTS * ADS_LIVE_SLOT_LEN;
    const uint64_t places[] = {ADS_LIVE_FIXED_LEN,
                               LIVE_FILE_SLOTS,
                               filter_at,
                               LIVE_FILE_FILTER,
                               filter_at + LIVE_FILE_FILTER * UINT64_C(8),
                               LIVE_FILE_FILTER};
    struct ads_uuid id = numbered(LIVE_FILE_SLOTS);
    uint64_t tag, file_id = live->id;
    uint32_t crc = 0, slot;

    memcpy(live->bytes + 4, &layout, sizeof(layout));
    memcpy(live->bytes + 48, places, sizeof(places));
    memcpy(live->bytes + 12, &crc, sizeof(crc));
    crc = ads_crc32c(0, live->bytes, 128);
    memcpy(live->bytes + 12, &crc, sizeof(crc));
    live_file_close(f->file);

    open_file(f, NODE);
    assert_true(live_file_current(f->file)->id == file_id);
    claim_until(f, 0, LIVE_FILE_SLOTS - 1);
    assert_false(live_file_is_worn(f->file, LIVE_FILE_SLOTS));
    claim_until(f, LIVE_FILE_SLOTS - 1, LIVE_FILE_SLOTS);
    assert_int_equal(live_file_claim(f->file, &id, &slot, &tag), ADS_FULL);
    assert_true(live_file_is_worn(f->file, LIVE_FILE_SLOTS));
    assert_int_equal(live_file_renew(f->file, LIVE_FILE_SLOTS), ADS_OK);
    claim_until(f, 0, LIVE_FILE_SLOTS + 1);
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
        TEST(test_it_grows_in_place),
        TEST(test_death_while_it_grows),
        TEST(test_no_room_to_grow),
        TEST(test_a_worn_one_is_renewed),
        TEST(test_a_restart_knows_the_one_before),
        TEST(test_one_that_cannot_grow_is_used_up),
        TEST(test_death_between_link_and_rename),
        TEST(test_no_folder_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
