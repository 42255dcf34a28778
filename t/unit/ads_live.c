/*
 * `live` gives each campaign its words and refuses what is not a live file.
 */
#include "core/ads_live.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define SLOTS 4
#define FILTER 64

static const struct ads_uuid campaign = {"campaign-012345"};
static const struct ads_uuid other = {"campaign-543210"};

struct file {
    uint8_t *bytes;
    uint64_t len;
    struct ads_live live;
};


static int
setup(void **state)
{
    struct file *file = calloc(1, sizeof(*file));

    file->len = ads_live_measure(SLOTS, FILTER);
    file->bytes = aligned_alloc(64, file->len);
    memset(file->bytes, 0, file->len);
    ads_live_write(file->bytes, SLOTS, FILTER, 11, 12, 13);
    *state = file;
    return ads_live_open(&file->live, file->bytes, file->len) == ADS_OK ? 0
                                                                        : -1;
}


static int
teardown(void **state)
{
    struct file *file = *state;

    free(file->bytes);
    free(file);
    return 0;
}


static void
a_fresh_file_says_whose_it_is(void **state)
{
    struct file *file = *state;

    assert_true(file->live.node == 11 && file->live.id == 12);
    assert_true(file->live.n_slots == SLOTS);
    assert_int_equal(ads_live_used(&file->live), 0);
}


static void
a_damaged_or_cut_file_is_refused(void **state)
{
    struct file *file = *state;
    struct ads_live live;

    for (size_t at = 0; at < CHECKED_LEN; at++) {
        file->bytes[at] ^= 1;
        assert_int_not_equal(ads_live_open(&live, file->bytes, file->len),
                             ADS_OK);
        file->bytes[at] ^= 1;
    }
    assert_int_equal(ads_live_open(&live, file->bytes, file->len - 8),
                     ADS_DAMAGED);
    assert_int_equal(ads_live_open(&live, file->bytes, 100), ADS_DAMAGED);
}


static void
a_slot_is_given_once_and_found_by_its_tag(void **state)
{
    struct file *file = *state;
    uint32_t used = 0, slot, next;

    assert_int_equal(
        ads_live_claim(&file->live, ads_live_tag(&campaign), &used, &slot),
        ADS_OK);
    assert_int_equal(used, 1);
    assert_int_equal(ads_live_used(&file->live), 1);
    assert_int_equal(ads_live_claim(&file->live, 7, &used, &next), ADS_OK);
    assert_int_equal(next, slot + 1);
    assert_int_equal(ads_live_used(&file->live), 2);
    assert_non_null(ads_live_slot(&file->live, slot, ads_live_tag(&campaign)));
    assert_null(ads_live_slot(&file->live, slot, ads_live_tag(&other)));
    assert_null(ads_live_slot(&file->live, SLOTS, ads_live_tag(&campaign)));
    assert_null(
        ads_live_slot(&file->live, UINT32_MAX, ads_live_tag(&campaign)));
}


static void
a_full_file_says_so(void **state)
{
    struct file *file = *state;
    uint32_t used = 0, slot;

    for (uint64_t tag = 1; tag <= SLOTS; tag++) {
        assert_int_equal(ads_live_claim(&file->live, tag, &used, &slot),
                         ADS_OK);
    }
    assert_int_equal(ads_live_claim(&file->live, 99, &used, &slot), ADS_FULL);
}


static void
a_campaign_sells_while_its_allowance_pays(void **state)
{
    struct file *file = *state;
    uint32_t used = 0, at;
    struct ads_live_slot *slot;

    assert_int_equal(ads_live_claim(&file->live, 5, &used, &at), ADS_OK);
    slot = ads_live_slot(&file->live, at, 5);

    assert_false(ads_live_pays(slot, 1));
    ads_live_allow(slot, 1000, ADS_LIVE_THROTTLE_OPEN);
    assert_true(ads_live_open_for(slot, UINT64_MAX));
    assert_true(ads_live_pays(slot, 1000));
    assert_false(ads_live_pays(slot, 1001));
    ads_live_spend(slot, 930);
    assert_true(ads_live_pays(slot, 70));
    assert_false(ads_live_pays(slot, 71));
    ads_live_spend(slot, 70);
    assert_false(ads_live_pays(slot, 1));
    assert_true(ads_live_spent(slot) == 1000);
    ads_live_spend(slot, 1);
    assert_false(ads_live_pays(slot, 0));

    /* a link that is out may cost its price, one in four does */
    ads_live_allow(slot, 2000, ADS_LIVE_THROTTLE_OPEN);
    ads_live_expect(slot, 65536 / 4);
    ads_live_serve(slot, 400);
    assert_true(ads_live_served(slot) == 400);
    assert_true(ads_live_promised(slot) == 101);
    assert_true(ads_live_pays(slot, 898));
    assert_false(ads_live_pays(slot, 899));
    ads_live_serve(slot, INT64_C(1) << 50);
    assert_true(ads_live_promised(slot) == (INT64_C(1) << 48) + 102);
    ads_live_allow(slot, INT64_MIN, 0);
    assert_false(ads_live_pays(slot, 1));
    assert_false(ads_live_open_for(slot, 0));
}


static void
the_filter_remembers_and_bounds_itself(void **state)
{
    struct file *file = *state;

    assert_false(ads_live_seen(&file->live, 777));
    ads_live_remember(&file->live, 777);
    assert_true(ads_live_seen(&file->live, 777));

    /* the same two places: the older goes */
    ads_live_remember(&file->live, 777 + FILTER);
    assert_true(ads_live_seen(&file->live, 777));
    ads_live_remember(&file->live, 777 + 2 * FILTER);
    assert_false(ads_live_seen(&file->live, 777));
    assert_true(ads_live_seen(&file->live, 777 + FILTER));

    ads_live_remember(&file->live, UINT64_MAX);
    assert_true(ads_live_seen(&file->live, UINT64_MAX));
}


static void
words_and_counters_do_not_touch_each_other(void **state)
{
    struct file *file = *state;

    for (uint32_t i = 0; i < ADS_LIVE_WORDS; i++) {
        ads_live_set(&file->live, i, 100 + i);
    }
    for (uint32_t i = 0; i < ADS_COUNT_END; i++) {
        ads_live_count(&file->live, i, 1000 + i);
    }
    ads_live_count(&file->live, ADS_COUNT_END, 1);

    for (uint32_t i = 0; i < ADS_LIVE_WORDS; i++) {
        assert_true(ads_live_get(&file->live, i) == 100 + i);
    }
    for (uint32_t i = 0; i < ADS_COUNT_END; i++) {
        assert_true(ads_live_counter(&file->live, i) == 1000 + i);
    }
    assert_int_equal(ads_live_open(&file->live, file->bytes, file->len),
                     ADS_OK);
}


static void
a_session_is_counted_in_its_window(void **state)
{
    struct ads_live *live = &((struct file *)*state)->live;
    const uint64_t key = UINT64_C(0xabcdef0123456789);
    uint64_t now = 1790000000;

    assert_int_equal(ads_live_shown(live, key, now, 60), 0);
    ads_live_show(live, key, now, 60);
    ads_live_show(live, key, now + 30, 60);
    assert_int_equal(ads_live_shown(live, key, now + 59, 60), 2);
    assert_int_equal(ads_live_shown(live, key, now + 60, 60), 0);
    assert_int_equal(ads_live_shown(live, ~key, now, 60), 0);

    /* the window begins again with the first one behind it */
    ads_live_show(live, key, now + 70, 60);
    assert_int_equal(ads_live_shown(live, key, now + 129, 60), 1);

    /* when the 24 bits of time wrap, too */
    now = (now | 0xffffff) - 10;
    ads_live_show(live, key, now, 60);
    assert_int_equal(ads_live_shown(live, key, now + 20, 60), 1);
    for (int i = 0; i < 5000; i++) {
        ads_live_show(live, key, now, 60);
    }
    assert_int_equal(ads_live_shown(live, key, now, 60), 4095);

    /* two may share a place, the third takes the longer ago */
    ads_live_show(live, key ^ UINT64_C(1) << 60, now + 5, 60);
    ads_live_show(live, key ^ UINT64_C(2) << 60, now + 6, 60);
    assert_int_equal(ads_live_shown(live, key, now + 6, 60), 0);
    assert_int_equal(ads_live_shown(live, key ^ UINT64_C(1) << 60, now + 6, 60),
                     1);
}


/* Half of the slots are there when it is made, the others come later. */
static void
it_grows_at_its_end(void **state)
{
    struct file *file = *state;
    uint64_t before = ads_live_measure(SLOTS / 2, FILTER);
    struct ads_live_slot *slot;
    struct ads_live old, live;
    uint32_t used = 0, at;

    memset(file->bytes, 0, file->len);
    ads_live_write(file->bytes, SLOTS / 2, FILTER, 11, 12, 13);
    assert_int_equal(ads_live_open(&old, file->bytes, before), ADS_OK);
    for (uint64_t tag = 1; tag <= SLOTS / 2; tag++) {
        assert_int_equal(ads_live_claim(&old, tag, &used, &at), ADS_OK);
    }
    ads_live_spend(ads_live_slot(&old, 0, 1), 5);
    ads_live_remember(&old, 777);
    assert_int_equal(ads_live_claim(&old, 9, &used, &at), ADS_FULL);

    /* what is allocated is no slot yet */
    assert_int_equal(ads_live_open(&live, file->bytes, file->len), ADS_OK);
    assert_true(live.n_slots == SLOTS / 2 && !ads_live_has_grown(&live));

    ads_live_set(&old, ADS_LIVE_SLOTS, SLOTS);
    assert_true(ads_live_has_grown(&old));
    assert_true(old.n_slots == SLOTS / 2);
    assert_int_equal(ads_live_open(&live, file->bytes, file->len), ADS_OK);
    assert_true(live.n_slots == SLOTS && !ads_live_has_grown(&live));
    assert_int_equal(ads_live_claim(&live, 9, &used, &at), ADS_OK);

    /* who mapped less goes on, and does not see the new one */
    assert_null(ads_live_slot(&old, at, 9));
    slot = ads_live_slot(&old, 0, 1);
    ads_live_spend(slot, 1);
    assert_true(ads_live_spent(ads_live_slot(&live, 0, 1)) == 6);
    assert_true(ads_live_seen(&live, 777));

    /* more than there is, and less than there was */
    ads_live_set(&live, ADS_LIVE_SLOTS, UINT64_MAX);
    assert_int_equal(ads_live_open(&live, file->bytes, file->len), ADS_OK);
    assert_true(live.n_slots == SLOTS);
    ads_live_set(&live, ADS_LIVE_SLOTS, 0);
    assert_int_equal(ads_live_open(&live, file->bytes, file->len), ADS_OK);
    assert_true(live.n_slots == SLOTS / 2);
    assert_int_equal(ads_live_open(&live, file->bytes, before - 1),
                     ADS_DAMAGED);
}


static void
header_put(uint8_t *bytes, uint32_t layout, const uint64_t *fields)
{
    uint32_t crc;

    memcpy(bytes + 4, &layout, sizeof(layout));
    memcpy(bytes + 16, &fields[0], 8);
    memcpy(bytes + 48, &fields[1], 6 * 8);
    crc = checksum(bytes);
    memcpy(bytes + 12, &crc, sizeof(crc));
}


/* What earlier versions made: slots, filter and then, from 2 on, caps. */
static void
files_of_layouts_1_and_2_are_read(void **state)
{
    struct file *file = *state;
    const uint64_t filter_at = ADS_LIVE_FIXED_LEN + SLOTS * ADS_LIVE_SLOT_LEN;
    const uint64_t caps_at = filter_at + FILTER * 8;
    const uint64_t of_1[] = {
        caps_at, ADS_LIVE_FIXED_LEN, SLOTS, filter_at, FILTER, 0, 0};
    const uint64_t of_2[] = {
        file->len, ADS_LIVE_FIXED_LEN, SLOTS, filter_at, FILTER, caps_at,
        FILTER};
    struct ads_live *live = &file->live;
    uint32_t used = 0, slot;

    header_put(file->bytes, 1, of_1);
    assert_int_equal(ads_live_open(live, file->bytes, caps_at), ADS_OK);
    ads_live_show(live, 5, 6, 60);
    assert_int_equal(ads_live_shown(live, 5, 6, 60), 0);

    header_put(file->bytes, 2, of_1);
    assert_int_equal(ads_live_open(live, file->bytes, caps_at), ADS_DAMAGED);

    header_put(file->bytes, 2, of_2);
    assert_int_equal(ads_live_open(live, file->bytes, file->len), ADS_OK);
    ads_live_show(live, 5, 6, 60);
    assert_int_equal(ads_live_shown(live, 5, 6, 60), 1);
    assert_int_equal(ads_live_claim(live, 9, &used, &slot), ADS_OK);
    assert_non_null(ads_live_slot(live, slot, 9));
    ads_live_set(live, ADS_LIVE_SLOTS, 2 * SLOTS);
    assert_false(ads_live_has_grown(live));

    header_put(file->bytes, 3, of_2);
    assert_int_equal(ads_live_open(live, file->bytes, file->len), ADS_DAMAGED);
    header_put(file->bytes, 4, of_2);
    assert_int_equal(ads_live_open(live, file->bytes, file->len),
                     ADS_UNSUPPORTED);
}


static void
what_waits_is_known_without_adsd(void **state)
{
    struct file *file = *state;
    struct ads_live *live = &file->live;

    assert_true(ads_live_pending(live) == 0 && ads_live_oldest_us(live) == 0);
    ads_live_append(live, 1, 700, 5);
    ads_live_append(live, 1, 100, 6);
    assert_true(ads_live_pending(live) == 800);
    assert_true(ads_live_oldest_us(live) == 5);
    assert_true(ads_live_pressure(live) == 0); /* no quota is known */
    ads_live_set(live, ADS_LIVE_QUOTA, 1000);
    assert_true(ads_live_pressure(live) == 1);
    ads_live_append(live, 1, 150, 7);
    assert_true(ads_live_pressure(live) == 2);
    ads_live_append(live, 1, 50, 8);
    assert_true(ads_live_pressure(live) == 3);

    /* adsd has committed 700, and read before the last 50 */
    ads_live_set(live, ADS_LIVE_PENDING, 250);
    ads_live_set(live, ADS_LIVE_OLDEST_US, 6);
    ads_live_set(live, ADS_LIVE_SEEN, 950);
    assert_true(ads_live_pending(live) == 300);
    assert_true(ads_live_oldest_us(live) == 6);
    assert_true(ads_live_pressure(live) == 0);
    ads_live_set(live, ADS_LIVE_PRESSURE, 2); /* the disk is full */
    assert_true(ads_live_pressure(live) == 2);

    /* all of it; what comes then is the oldest */
    ads_live_set(live, ADS_LIVE_PENDING, 0);
    ads_live_set(live, ADS_LIVE_OLDEST_US, 0);
    ads_live_set(live, ADS_LIVE_SEEN, 1000);
    assert_true(ads_live_pending(live) == 0 && ads_live_oldest_us(live) == 0);
    ads_live_append(live, 0, 0, 9);
    assert_true(ads_live_oldest_us(live) == 0);
    ads_live_append(live, 1, 40, 10);
    assert_true(ads_live_pending(live) == 40);
    assert_true(ads_live_oldest_us(live) == 10);

    /* a new file counts from 0 */
    ads_live_set(live, ADS_LIVE_SEEN, 1000000);
    assert_true(ads_live_pending(live) == 0);
}


#define CHECK(name) cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(a_fresh_file_says_whose_it_is),
        CHECK(a_damaged_or_cut_file_is_refused),
        CHECK(a_slot_is_given_once_and_found_by_its_tag),
        CHECK(a_full_file_says_so),
        CHECK(a_campaign_sells_while_its_allowance_pays),
        CHECK(the_filter_remembers_and_bounds_itself),
        CHECK(words_and_counters_do_not_touch_each_other),
        CHECK(a_session_is_counted_in_its_window),
        CHECK(it_grows_at_its_end),
        CHECK(files_of_layouts_1_and_2_are_read),
        CHECK(what_waits_is_known_without_adsd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
