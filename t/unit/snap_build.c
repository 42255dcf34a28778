/*
 * Ad tables: what is compiled is found again, and what is damaged is refused
 * or costs an ad, never more.
 */
#define _GNU_SOURCE /* memmem */

#include "tables.h"

#define FLIPS 3000
#define N_MADE_UP 1000000

static const struct ads_uuid nobody = {{9, 9, 9}};


static int
setup(void **state)
{
    struct t_tables *t = calloc(1, sizeof(*t));

    t_tables_rows(t);
    t_tables_build(t);
    *state = t;
    return 0;
}


static int
teardown(void **state)
{
    t_tables_free(*state);
    free(*state);
    return 0;
}


static void
every_ad_is_found_with_its_text(void **state)
{
    struct t_tables *t = *state;

    for (unsigned i = 0; i < T_ADS; i++) {
        uint32_t row;
        const struct ads_snap_ad *ad =
            ads_base_find(&t->tables.base, &t->ads[i].id, &row);
        struct ads_str json, url;

        assert_non_null(ad);
        assert_ptr_equal(ad, ads_base_ad(&t->tables.base, row));
        json = ads_base_json(&t->tables.base, ad);
        url = ads_base_url(&t->tables.base, ad);
        assert_non_null(memmem(json.ptr, json.len, t->ads[i].title.ptr,
                               t->ads[i].title.len));
        assert_non_null(
            memmem(json.ptr, json.len,
                   "\"description\":\"A fine \\\"thing\\\" to own.\"", 40));
        assert_int_equal(url.len, t->ads[i].url.len);
        assert_memory_equal(url.ptr, t->ads[i].url.ptr, url.len);
        assert_true(ads_uuid_equal(
            &ads_head_campaign_of(&t->tables.head, ad->campaign)->id,
            &t->ads[i].campaign));
    }
    assert_null(ads_base_find(&t->tables.base, &nobody, NULL));
    assert_null(ads_base_find_retired(&t->tables.base, &nobody));
}


static void
the_json_of_an_ad_is_golden(void **state)
{
    static const char want[] =
        "\"ad_id\":\"61640000-0000-0000-0100-000000000000\","
        "\"title\":\"Acme Laser Printer 100\",\"price\":12.5,"
        "\"price_micros\":12500000,\"currency\":\"USD\","
        "\"description\":\"A fine \\\"thing\\\" to own.\","
        "\"brand\":\"Acme\"";
    struct t_tables *t = *state;
    struct ads_str json = ads_base_json(
        &t->tables.base, ads_base_find(&t->tables.base, &t->ads[0].id, NULL));

    assert_int_equal(json.len, sizeof(want) - 1);
    assert_memory_equal(json.ptr, want, json.len);
}


static void
keys_are_found_by_hash_and_know_their_owner(void **state)
{
    struct t_tables *t = *state;
    uint8_t other[ADS_KEY_HASH_LEN] = {1, 2, 9};

    for (unsigned i = 0; i < T_KEYS; i++) {
        const struct ads_snap_key *key =
            ads_head_find_key(&t->tables.head, t->keys[i].hash);

        assert_non_null(key);
        assert_true(
            ads_uuid_equal(&ads_head_publisher(&t->tables.head, key->owner)->id,
                           &t->keys[i].account));
    }
    assert_null(ads_head_find_key(&t->tables.head, other));
}


/* A million keys that somebody made up, in the right form. */
static void
no_made_up_key_is_found(void **state)
{
    struct t_tables *t = *state;
    uint64_t random = 0x5eed;

    for (unsigned i = 0; i < N_MADE_UP; i++) {
        uint8_t bytes[ADS_KEY_RANDOM_LEN];
        char text[ADS_KEY_TEXT_LEN];
        struct ads_key key;

        for (unsigned k = 0; k < sizeof(bytes); k += 8) {
            random =
                random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            memcpy(bytes + k, &(uint64_t){random ^ random >> 29}, 8);
        }
        if (ads_key_make(text, ADS_KEY_PUBLISHER, false, bytes) != ADS_OK) {
            continue;
        }
        assert_int_equal(
            ads_key_read(&key, NULL, (struct ads_str){text, sizeof(text)}),
            ADS_OK);
        assert_null(ads_head_find_key(&t->tables.head, key.hash));
    }
}


static bool
is_allowed(const struct t_tables *t, unsigned i, const char *address)
{
    uint8_t ip[16];
    size_t len = ads_ip_read(ip, t_str(address));

    return ads_head_key_allowed(
        &t->tables.head, ads_head_find_key(&t->tables.head, t->keys[i].hash),
        ip, len);
}


static void
a_key_for_some_addresses_is_for_these(void **state)
{
    struct t_tables *t = *state;

    assert_true(is_allowed(t, 0, "203.0.113.1"));
    assert_true(is_allowed(t, 0, "unix:"));
    assert_true(is_allowed(t, 1, "192.0.2.1"));
    assert_false(is_allowed(t, 1, "203.0.113.1"));
    assert_false(is_allowed(t, 1, "2001:db8::1"));
    assert_false(is_allowed(t, 1, "unix:"));
    assert_true(is_allowed(t, 2, "192.0.2.1"));
    assert_true(is_allowed(t, 2, "2001:db8::1"));
    assert_false(is_allowed(t, 2, "2001:db9::1"));
}


static void
a_reader_without_ranges_has_no_key_with_them(void **state)
{
    struct t_tables *t = *state;

    assert_int_equal(t->tables.head.keys.rows, 1);
    assert_int_equal(t->tables.head.bound_keys.rows, T_KEYS - 1);
}


static void
a_key_whose_ranges_lead_outside_is_for_nobody(void **state)
{
    struct t_tables *t = *state;
    struct ads_snap_key key =
        *ads_head_find_key(&t->tables.head, t->keys[2].hash);
    static const uint8_t ip[16] = {192, 0, 2, 1};

    for (uint32_t first = 3; first > 2; first *= 2) {
        key.ranges = first;
        assert_false(ads_head_key_allowed(&t->tables.head, &key, ip, 4));
    }
}


static void
advertiser_names_are_escaped_for_json(void **state)
{
    struct t_tables *t = *state;
    const struct ads_snap_ad *ad =
        ads_base_find(&t->tables.base, &t->ads[0].id, NULL);
    struct ads_str name = ads_head_account_name(
        &t->tables.head,
        ads_head_account(
            &t->tables.head,
            ads_head_campaign_of(&t->tables.head, ad->campaign)->account));

    assert_int_equal(name.len, strlen("Tom \\\"Q\\\" Ltd"));
    assert_memory_equal(name.ptr, "Tom \\\"Q\\\" Ltd", name.len);
}


static void
the_same_rows_give_the_same_bytes(void **state)
{
    struct t_tables *t = *state;
    struct t_tables again = {0};

    t_tables_rows(&again);
    t_tables_build(&again);
    assert_true(again.base.len == t->base.len && again.head.len == t->head.len);
    assert_memory_equal(again.base.bytes, t->base.bytes, t->base.len);
    assert_memory_equal(again.head.bytes, t->head.bytes, t->head.len);
    t_tables_free(&again);
}


static void
an_ad_with_a_bad_url_is_left_out(void **state)
{
    struct t_tables t = {0};

    (void)state;
    t_tables_rows(&t);
    t.ads[3].url = t_str("javascript:alert(1)");
    t_tables_build(&t);
    assert_int_equal(t.tables.base.ads.rows, T_ADS - 1);
    assert_null(ads_base_find(&t.tables.base, &t.ads[3].id, NULL));
    t_tables_free(&t);
}


static void
ads_of_a_class_are_alike(void **state)
{
    struct t_tables *t = *state;
    struct ads_str lists[2];
    uint32_t n = 0;

    t_tables_free(t);
    t_tables_rows(t);
    for (t->n_ads = T_ADS; t->n_ads < T_ADS_ROOM; t->n_ads++) {
        struct snap_ad_row *ad = &t->ads[t->n_ads];

        *ad = t->ads[t->n_ads % T_ADS];
        ad->id = t_uuid("more", t->n_ads);
        ad->categories = t_str(t->n_ads % 5 == 0 ? "office\n" : "garden\n");
        ad->currency[0] = t->n_ads % 7 == 0 ? 'A' : 'U';
        ad->language[0] = t->n_ads % 3 == 0 ? 'd' : 'e';
    }
    t_tables_build(t);
    for (uint32_t i = 0; i < t->n_ads; i++) {
        const struct ads_snap_ad *one = ads_base_ad(&t->tables.base, i);
        uint32_t class = ads_tables_class(&t->tables, i), alike = 0;

        lists[0] = ads_base_categories(&t->tables.base, one);
        for (uint32_t k = 0; k < t->n_ads; k++) {
            const struct ads_snap_ad *other = ads_base_ad(&t->tables.base, k);
            bool same = one->campaign == other->campaign
                        && memcmp(one->currency, other->currency, 3) == 0
                        && memcmp(one->language, other->language, 3) == 0;

            lists[1] = ads_base_categories(&t->tables.base, other);
            same = same && ads_str_equal(lists[0], lists[1]);
            alike += same;
            assert_true(class == 0 || k == i
                        || same == (ads_tables_class(&t->tables, k) == class));
        }
        assert_int_equal(class != 0, alike > 1);
        assert_true(class < ads_tables_n_classes(&t->tables));
        n += class == 0;
    }
    assert_true(n > 0 && n < t->n_ads);
    assert_int_equal(ads_tables_class(&t->tables, UINT32_MAX - 1), 0);
}


static void
a_head_of_another_base_is_refused(void **state)
{
    struct t_tables *t = *state;
    struct t_tables other = {0};
    struct ads_tables tables;

    t_tables_rows(&other);
    other.ads[0].price_micros++;
    t_tables_build(&other);
    assert_int_equal(ads_tables_open(&tables, other.base.bytes, other.base.len,
                                     &t->tables.head),
                     ADS_CONFLICT);
    t_tables_free(&other);
}


static void
cut_foreign_and_newer_files_are_refused(void **state)
{
    struct t_tables *t = *state;
    struct ads_base base;
    struct ads_head head;

    for (uint64_t len = 0; len < t->head.len; len += 8) {
        assert_int_not_equal(ads_head_open(&head, t->head.bytes, len), ADS_OK);
    }
    for (uint64_t len = 0; len < t->base.len; len += 4096) {
        assert_int_not_equal(ads_base_open(&base, t->base.bytes, len), ADS_OK);
    }
    assert_int_equal(ads_head_open(&head, t->base.bytes, t->base.len),
                     ADS_DAMAGED);
    t->head.bytes[4] = 99;
    assert_int_equal(ads_head_open(&head, t->head.bytes, t->head.len),
                     ADS_UNSUPPORTED);
}


static void
any_flipped_bit_of_a_head_is_refused(void **state)
{
    struct t_tables *t = *state;
    struct ads_head head;

    for (uint64_t at = 0; at < t->head.len; at++) {
        t->head.bytes[at] ^= 4;
        /* padding and the reserved end of the header are the exception that
         * the header's checksum does not make */
        if (ads_head_open(&head, t->head.bytes, t->head.len) == ADS_OK
            && ads_snap_verify(t->head.bytes, t->head.len) == ADS_OK
            && t->head.bytes[at] != 4)
        {
            fail_msg("byte %lu", (unsigned long)at);
        }
        t->head.bytes[at] ^= 4;
    }
}


/* After publication: what a worker finds in a base that rots under it. */
static void
a_rotten_base_costs_ads_and_nothing_else(void **state)
{
    struct t_tables *t = *state;
    struct ads_decision *decision = malloc(sizeof(*decision));
    struct ads_ask ask = {
        .query = t_str("buy a laser printer"),
        .placement = ads_placement_make(ADS_STR("inline")),
        .max = ADS_DECIDE_MAX,
        .now_ms = 1790000000000,
    };
    uint32_t seed = 7, opened = 0;

    for (int i = 0; i < FLIPS; i++) {
        struct ads_tables tables;
        uint64_t at;
        uint8_t bit;

        seed = seed * 1664525 + 1013904223;
        at = seed % t->base.len;
        bit = (uint8_t)(1 << (seed >> 29));
        t->base.bytes[at] ^= bit;

        if (ads_tables_open(&tables, t->base.bytes, t->base.len,
                            &t->tables.head)
            == ADS_OK)
        {
            opened++;
            ads_decide(decision, &tables, &t->live, &ask, &t->text, t->scratch);
            for (uint32_t k = 0; k < decision->n; k++) {
                struct ads_str url =
                    ads_base_url(&tables.base, decision->picks[k].ad);
                const char *last = (const char *)t->base.bytes + t->base.len;

                assert_true(url.len == 0 || url.ptr + url.len <= last);
            }
        }
        t->base.bytes[at] ^= bit;
    }
    assert_true(opened > 0);
    free(decision);
}


#define CHECK(name) cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(every_ad_is_found_with_its_text),
        CHECK(the_json_of_an_ad_is_golden),
        CHECK(keys_are_found_by_hash_and_know_their_owner),
        CHECK(no_made_up_key_is_found),
        CHECK(a_key_for_some_addresses_is_for_these),
        CHECK(a_reader_without_ranges_has_no_key_with_them),
        CHECK(a_key_whose_ranges_lead_outside_is_for_nobody),
        CHECK(advertiser_names_are_escaped_for_json),
        CHECK(the_same_rows_give_the_same_bytes),
        CHECK(an_ad_with_a_bad_url_is_left_out),
        CHECK(ads_of_a_class_are_alike),
        CHECK(a_head_of_another_base_is_refused),
        CHECK(cut_foreign_and_newer_files_are_refused),
        CHECK(any_flipped_bit_of_a_head_is_refused),
        CHECK(a_rotten_base_costs_ads_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
