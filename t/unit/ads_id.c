/*
 * Ids authenticate themselves and stand for what they were made of.
 */
#include "core/ads_id.c"

#include "ring.h"

#define NOW_MS UINT64_C(1790000000123)

static const struct ads_uuid publisher = {"0123456789abcde"};
static const struct ads_uuid other = {"0123456789abcdf"};
static const struct ads_uuid ad = {"the ad that won"};


static void
uuids_are_written_as_they_are_read(void **state)
{
    static const char text[] = "0123abcd-4567-89ef-0123-456789abcdef";
    char back[ADS_UUID_TEXT_LEN];
    struct ads_uuid id;

    (void)state;
    assert_true(ads_uuid_read(&id, ADS_STR(text)));
    assert_ptr_equal(ads_uuid_write(back, &id), back + sizeof(back));
    assert_memory_equal(back, text, sizeof(back));
    assert_true(ads_uuid_read(&id, ADS_STR("0123ABCD-4567-89EF-0123-"
                                           "456789ABCDEF")));
}


static void
what_is_no_uuid_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "0123abcd456789ef0123456789abcdef",
        "0123abcd-4567-89ef-0123-456789abcde",
        "0123abcd-4567-89ef-0123-456789abcdeff",
        "0123abcd-4567-89ef-0123_456789abcdef",
        "0123abcg-4567-89ef-0123-456789abcdef",
        "{123abcd-4567-89ef-0123-456789abcde}",
    };
    struct ads_uuid id;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (ads_uuid_read(&id, (struct ads_str){texts[i], strlen(texts[i])})) {
            fail_msg("%s", texts[i]);
        }
    }
}


/* Links and records that are on their way hold such ids. */
static void
ids_never_change_their_form(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_uuid request =
        ads_request_id_make(key, &publisher, NOW_MS, UINT64_C(0x2fedcba987));
    struct ads_uuid click = ads_click_id_make(key, &request, &ad);
    struct ads_uuid event = ads_event_id_make(key, 'i', &request, &ad);
    char text[ADS_UUID_TEXT_LEN + 1] = {0};

    (void)state;
    ads_uuid_write(text, &request);
    assert_string_equal(text, "01a0c450-6c7b-8fb7-8ba9-87222621e250");
    ads_uuid_write(text, &click);
    assert_string_equal(text, "01a0c450-6c7b-84e9-bc5a-f055b46578c6");
    ads_uuid_write(text, &event);
    assert_string_equal(text, "01a0c450-6c7b-8a36-9507-01dd326342ff");
}


static void
a_request_id_tells_when_and_to_whom(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_uuid id = ads_request_id_make(ads_ring_seal(&ring), &publisher,
                                             NOW_MS, UINT64_MAX);

    (void)state;
    assert_int_equal(id.b[6] >> 4, 8);
    assert_int_equal(id.b[8] >> 6, 2);
    assert_true(ads_id_ms(&id) == NOW_MS);
    assert_ptr_equal(ads_request_id_check(&ring, &id, &publisher),
                     ads_ring_seal(&ring));
    assert_null(ads_request_id_check(&ring, &id, &other));
}


static void
a_request_id_of_an_older_key_is_still_known(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_uuid id =
        ads_request_id_make(&ring.keys[0], &publisher, NOW_MS, 5);

    (void)state;
    assert_ptr_equal(ads_request_id_check(&ring, &id, &publisher),
                     &ring.keys[0]);
    ring.keys[0] = ring.keys[1];
    ring.n = 1;
    assert_null(ads_request_id_check(&ring, &id, &publisher));
}


static void
no_bit_of_a_request_id_can_be_changed(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_uuid id = ads_request_id_make(ads_ring_seal(&ring), &publisher,
                                             NOW_MS, 0x2aaaaaaaa);

    (void)state;
    for (int bit = 0; bit < 128; bit++) {
        struct ads_uuid forged = id;

        forged.b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_null(ads_request_id_check(&ring, &forged, &publisher));
    }
}


static void
all_34_random_bits_are_in_the_request_id(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_uuid plain = ads_request_id_make(key, &publisher, NOW_MS, 0);

    (void)state;
    for (int bit = 0; bit < 34; bit++) {
        uint64_t high10, low64, random = UINT64_C(1) << bit;
        struct ads_uuid id =
            ads_request_id_make(key, &publisher, NOW_MS, random);

        assert_false(ads_uuid_equal(&plain, &id));
        assert_true(unpack(&id, &high10, &low64));
        assert_true((high10 << 24 | low64 >> 40) == random);
    }
}


static void
a_click_id_stands_for_request_and_ad(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_uuid request = ads_request_id_make(key, &publisher, NOW_MS, 1);
    struct ads_uuid next = ads_request_id_make(key, &publisher, NOW_MS, 2);
    struct ads_uuid first = ads_click_id_make(key, &request, &ad);
    struct ads_uuid again = ads_click_id_make(key, &request, &ad);
    struct ads_uuid of_other_ad = ads_click_id_make(key, &request, &other);
    struct ads_uuid of_other_request = ads_click_id_make(key, &next, &ad);

    (void)state;
    assert_true(ads_uuid_equal(&first, &again));
    assert_false(ads_uuid_equal(&first, &of_other_ad));
    assert_false(ads_uuid_equal(&first, &of_other_request));
    assert_true(ads_id_ms(&first) == NOW_MS);
    assert_true(ads_click_id_check(&ring, &first));
}


static void
no_bit_of_a_click_id_can_be_changed(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_uuid request = ads_request_id_make(key, &publisher, NOW_MS, 1);
    struct ads_uuid id = ads_click_id_make(key, &request, &ad);

    (void)state;
    assert_false(ads_click_id_check(&ring, &request));
    for (int bit = 0; bit < 128; bit++) {
        struct ads_uuid forged = id;

        forged.b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(ads_click_id_check(&ring, &forged));
    }
}


static void
an_event_id_depends_on_its_kind(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_uuid request = ads_request_id_make(key, &publisher, NOW_MS, 1);
    struct ads_uuid impression = ads_event_id_make(key, 'i', &request, &ad);
    struct ads_uuid again = ads_event_id_make(key, 'i', &request, &ad);
    struct ads_uuid click = ads_event_id_make(key, 'k', &request, &ad);

    (void)state;
    assert_true(ads_uuid_equal(&impression, &again));
    assert_false(ads_uuid_equal(&impression, &click));
    assert_false(ads_click_id_check(&ring, &impression));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uuids_are_written_as_they_are_read),
        cmocka_unit_test(what_is_no_uuid_is_refused),
        cmocka_unit_test(ids_never_change_their_form),
        cmocka_unit_test(a_request_id_tells_when_and_to_whom),
        cmocka_unit_test(a_request_id_of_an_older_key_is_still_known),
        cmocka_unit_test(no_bit_of_a_request_id_can_be_changed),
        cmocka_unit_test(all_34_random_bits_are_in_the_request_id),
        cmocka_unit_test(a_click_id_stands_for_request_and_ad),
        cmocka_unit_test(no_bit_of_a_click_id_can_be_changed),
        cmocka_unit_test(an_event_id_depends_on_its_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
