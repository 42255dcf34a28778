/*
 * The cursor never leaves its bytes; check sums, hex and base64url are the ones
 * that everybody else computes.
 */
#include "core/ads_bytes.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>


static struct ads_str
str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


static void
a_cursor_over_nothing_is_at_its_end(void **state)
{
    struct ads_cursor cursor = ads_cursor_init(NULL, 0);

    (void)state;
    assert_true(cursor.ok);
    assert_null(ads_cursor_peek(&cursor, 1));
    assert_false(cursor.ok);
}


static void
a_cursor_reads_little_endian_and_stays_failed(void **state)
{
    static const uint8_t bytes[] = {1, 2, 1, 4, 3, 2, 1, 9, 9};
    struct ads_cursor cursor = ads_cursor_init(bytes, sizeof(bytes));

    (void)state;
    assert_int_equal(ads_cursor_u8(&cursor), 1);
    assert_int_equal(ads_cursor_u16(&cursor), 0x0102);
    assert_int_equal(ads_cursor_u32(&cursor), 0x01020304);
    assert_true(cursor.ok);
    assert_int_equal(ads_cursor_u64(&cursor), 0);
    assert_false(cursor.ok);
    assert_int_equal(ads_cursor_u8(&cursor), 0);
    assert_false(cursor.ok);
}


static void
check_sums_are_the_known_ones(void **state)
{
    (void)state;
    assert_int_equal(ads_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(ads_crc32("123456789", 9), 0xcbf43926);
    assert_int_equal(ads_crc32c(ads_crc32c(0, "1234", 4), "56789", 5),
                     0xe3069283);
    assert_int_equal(ads_crc32c(7, "", 0), 7);
}


static void
hex_is_read_in_either_case_and_nothing_else(void **state)
{
    uint8_t bytes[2];
    char text[4];

    (void)state;
    assert_true(ads_hex_read(bytes, 2, str("aB09")));
    assert_ptr_equal(ads_hex_write(text, bytes, 2), text + 4);
    assert_memory_equal(text, "ab09", 4);
    assert_false(ads_hex_read(bytes, 2, str("ab0")));
    assert_false(ads_hex_read(bytes, 2, str("ab0g")));
    assert_false(ads_hex_read(bytes, 2, str("ab09a")));
}


static void
base64url_has_one_text_for_bytes(void **state)
{
    uint8_t bytes[2];
    char text[3];

    (void)state;
    assert_true(ads_base64url_read(bytes, 2, str("-_8")));
    assert_memory_equal(bytes, "\xfb\xff", 2);
    assert_ptr_equal(ads_base64url_write(text, bytes, 2), text + 3);
    assert_memory_equal(text, "-_8", 3);
    assert_false(ads_base64url_read(bytes, 2, str("-_9")));
    assert_false(ads_base64url_read(bytes, 2, str("-_8=")));
    assert_false(ads_base64url_read(bytes, 2, str("+/8")));
    assert_false(ads_base64url_read(bytes, 2, str("-_")));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cursor_over_nothing_is_at_its_end),
        cmocka_unit_test(a_cursor_reads_little_endian_and_stays_failed),
        cmocka_unit_test(check_sums_are_the_known_ones),
        cmocka_unit_test(hex_is_read_in_either_case_and_nothing_else),
        cmocka_unit_test(base64url_has_one_text_for_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
