/*
 * The guard on a table of a few phrases: what is encoded is found again, a
 * damaged table is refused, and any bytes are taken.  What the shipped lists
 * find is t/unit/guard_list.c.
 */
#include "core/ads_guard.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const struct ads_guard_phrase phrases[] = {
    {.text = "beer", .meaning = ADS_GUARD_GROWN_UP},
    {.text = "glue gun", .meaning = ADS_GUARD_HARMLESS},
    {.text = "gun", .meaning = ADS_GUARD_WEAPONS},
    {.text = "handgun*", .meaning = ADS_GUARD_WEAPONS},
    {.text = "i am #", .meaning = ADS_GUARD_YOUNG},
    {.text = "kill myself", .meaning = ADS_GUARD_SELF_HARM},
    {.text = "pistol", .meaning = ADS_GUARD_WEAPONS},
    {.text = "\xe8\x87\xaa\xe6\x9d\x80", .meaning = ADS_GUARD_SELF_HARM},
};

#define N_PHRASES (sizeof(phrases) / sizeof(*phrases))

static uint8_t *bytes;
static size_t len;
static struct ads_guard guard;


static int
table_open(void **state)
{
    (void)state;
    len = ads_guard_measure(phrases, N_PHRASES);
    bytes = malloc(len);
    ads_guard_write(bytes, phrases, N_PHRASES);
    return ads_guard_open(bytes, len, &guard) == ADS_OK ? 0 : -1;
}


static int
table_close(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}


static enum ads_guard_topic
check(const char *query)
{
    return ads_guard_check(&guard, (struct ads_str){query, strlen(query)});
}


static void
each_phrase_is_found(void **state)
{
    (void)state;
    assert_int_equal(check("a gun"), ADS_GUARD_WEAPONS);
    assert_int_equal(check("glue gun"), ADS_GUARD_NONE);
    assert_int_equal(check("glue gun, gun"), ADS_GUARD_WEAPONS);
    assert_int_equal(check("handgunner"), ADS_GUARD_WEAPONS);
    assert_int_equal(check("kill myself"), ADS_GUARD_SELF_HARM);
    assert_int_equal(check("kill it myself"), ADS_GUARD_NONE);
    assert_int_equal(check("\xe8\x87\xaa\xe6\x9d\x80"), ADS_GUARD_SELF_HARM);
    assert_int_equal(check("i am 14, beer"), ADS_GUARD_MINORS);
    assert_int_equal(check("i am 18, beer"), ADS_GUARD_NONE);
    assert_int_equal(check("beer"), ADS_GUARD_NONE);
}


static void
three_letters_in_disguise_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(check("g u n s"), ADS_GUARD_NONE);
    assert_int_equal(check("6un"), ADS_GUARD_NONE);
    assert_int_equal(check("guuuun"), ADS_GUARD_NONE);
    assert_int_equal(check("p1stol"), ADS_GUARD_WEAPONS);
    assert_int_equal(check("p i s t o l"), ADS_GUARD_WEAPONS);
    assert_int_equal(check("p1111"), ADS_GUARD_NONE);
}


static void
an_empty_table_finds_nothing(void **state)
{
    _Alignas(8) uint8_t empty[ADS_GUARD_HEADER_LEN + 16 * 8];
    struct ads_guard none;

    (void)state;
    assert_int_equal(ads_guard_measure(phrases, 0), sizeof(empty));
    ads_guard_write(empty, phrases, 0);
    assert_int_equal(ads_guard_open(empty, sizeof(empty), &none), ADS_OK);
    assert_int_equal(ads_guard_check(&none, ADS_STR("gun p1stol g u n s")),
                     ADS_GUARD_NONE);
}


static void
sign(uint8_t *section)
{
    uint32_t crc = ads_crc32c(0, section, 28);

    crc = ads_crc32c(crc, section + ADS_GUARD_HEADER_LEN,
                     len - ADS_GUARD_HEADER_LEN);
    memcpy(section + 28, &crc, sizeof(crc));
}


/* Opens a copy with one byte changed. */
static enum ads_err
open_changed(size_t at, uint8_t value, bool signed_again)
{
    uint8_t *copy = malloc(len);
    struct ads_guard other;
    enum ads_err err;

    memcpy(copy, bytes, len);
    copy[at] = value;
    if (signed_again) {
        sign(copy);
    }
    err = ads_guard_open(copy, len, &other);
    free(copy);
    return err;
}


static void
a_damaged_table_is_refused(void **state)
{
    size_t first = len - N_PHRASES * sizeof(struct ads_guard_phrase);
    struct ads_guard other;

    (void)state;
    for (size_t i = 0; i < len; i++) {
        assert_int_not_equal(open_changed(i, bytes[i] ^ 1, false), ADS_OK);
        assert_int_not_equal(ads_guard_open(bytes, i, &other), ADS_OK);
    }
    assert_int_equal(ads_guard_open(NULL, 0, &other), ADS_UNSUPPORTED);
    assert_int_equal(open_changed(0, 'x', true), ADS_UNSUPPORTED);
    assert_int_equal(open_changed(12, 2, true), ADS_UNSUPPORTED);
    assert_int_equal(open_changed(14, 3, true), ADS_DAMAGED);
    assert_int_equal(open_changed(14, 16, true), ADS_DAMAGED);
    assert_int_equal(open_changed(16, N_PHRASES + 1, true), ADS_DAMAGED);
    assert_int_equal(open_changed(first + 45, 'x', true), ADS_DAMAGED);
    assert_int_equal(open_changed(first + 46, 46, true), ADS_DAMAGED);
    assert_int_equal(open_changed(first + 47, 0, true), ADS_DAMAGED);
    assert_int_equal(open_changed(first + 47, ADS_GUARD_N_MEANINGS, true),
                     ADS_DAMAGED);
    /* a place that leads outside, and places without an empty one */
    for (size_t at = ADS_GUARD_HEADER_LEN; at < first; at += 8) {
        assert_int_equal(open_changed(at + 4, 200, true), ADS_DAMAGED);
        assert_int_equal(open_changed(at + 6, 200, true), ADS_DAMAGED);
    }
}


static void
places_without_an_empty_one_are_refused(void **state)
{
    size_t first = len - N_PHRASES * sizeof(struct ads_guard_phrase);
    uint8_t *copy = malloc(len);
    struct ads_guard other;

    (void)state;
    memcpy(copy, bytes, len);
    for (size_t at = ADS_GUARD_HEADER_LEN; at < first; at += 8) {
        copy[at] = 'x';
    }
    sign(copy);
    assert_int_equal(ads_guard_open(copy, len, &other), ADS_DAMAGED);
    free(copy);
}


static void
any_bytes_are_taken(void **state)
{
    static const char likely[] = "a1$.- \xd0\xbe\xcc\x81pistol!*|+@'iii";
    uint32_t random = 1;

    (void)state;
    for (size_t n = 0; n <= 8192; n = n * 3 / 2 + 1) {
        /* a block of its own, so that a sanitizer sees a byte too far */
        char *query = malloc(n + 1);

        for (int round = 0; round < 2; round++) {
            for (size_t i = 0; i < n; i++) {
                random = random * 1664525u + 1013904223u;
                query[i] = round == 0
                               ? (char)(random >> 24)
                               : likely[(random >> 16) % (sizeof(likely) - 1)];
            }
            assert_true(ads_guard_check(&guard, (struct ads_str){query, n})
                        < ADS_GUARD_N_TOPICS);
        }
        free(query);
    }
    assert_int_equal(check("\xff\xfe gun \x80"), ADS_GUARD_WEAPONS);
    assert_int_equal(check("\xff\xfe p1stol \x80"), ADS_GUARD_WEAPONS);
}


static void
every_topic_has_a_name(void **state)
{
    (void)state;
    for (unsigned topic = 0; topic < ADS_GUARD_N_TOPICS; topic++) {
        assert_non_null(ads_guard_name((enum ads_guard_topic)topic));
    }
    assert_string_equal(ads_guard_name(ADS_GUARD_SELF_HARM), "self_harm");
    assert_string_equal(ads_guard_name((enum ads_guard_topic)99), "none");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_phrase_is_found),
        cmocka_unit_test(three_letters_in_disguise_do_not_count),
        cmocka_unit_test(an_empty_table_finds_nothing),
        cmocka_unit_test(a_damaged_table_is_refused),
        cmocka_unit_test(places_without_an_empty_one_are_refused),
        cmocka_unit_test(any_bytes_are_taken),
        cmocka_unit_test(every_topic_has_a_name),
    };

    return cmocka_run_group_tests(tests, table_open, table_close);
}
