/*
 * base64url and hexadecimal: whatever is written is read again, and what is
 * not exactly what would be written is refused.  Checksums are those of the
 * standards, by the processor's instruction and by our tables alike.
 */
#include "core/ads_bytes.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LEN_MAX 33


/* Bytes in which every digit occurs. */
static void
bytes_fill(uint8_t bytes[LEN_MAX], unsigned seed)
{
    for (unsigned i = 0; i < LEN_MAX; i++) {
        bytes[i] = (uint8_t)(seed = seed * 1103515245u + 12345u, seed >> 16);
    }
}


static void
any_length_comes_back(void **state)
{
    uint8_t bytes[LEN_MAX], back[LEN_MAX + 1];
    char text[2 * LEN_MAX];

    (void)state;
    for (unsigned seed = 0; seed < 64; seed++) {
        bytes_fill(bytes, seed);
        for (size_t len = 0; len <= LEN_MAX; len++) {
            char *end = ads_base64url_write(text, bytes, len);
            struct ads_str written = {text, (size_t)(end - text)};

            assert_int_equal(written.len, ADS_BASE64URL_LEN(len));
            back[len] = 0x55;
            assert_true(ads_base64url_read(back, len, written));
            assert_memory_equal(back, bytes, len);
            assert_int_equal(back[len], 0x55); /* nothing behind it */

            end = ads_hex_write(text, bytes, len);
            assert_int_equal(end - text, 2 * len);
            assert_true(
                ads_hex_read(back, len, (struct ads_str){text, 2 * len}));
            assert_memory_equal(back, bytes, len);
        }
    }
}


static void
hexadecimal_is_lower_case_and_in_order(void **state)
{
    static const uint8_t bytes[] = {0x01, 0x23, 0x45, 0x67, 0x89,
                                    0xab, 0xcd, 0xef, 0xf0, 0x9a};
    char text[2 * sizeof(bytes)];

    (void)state;
    (void)ads_hex_write(text, bytes, sizeof(bytes));
    assert_memory_equal(text, "0123456789abcdeff09a", sizeof(text));
}


/* Numbers 0 to 63, six bits each, are the digits in their order; so is what is
 * written and read many at a time. */
static void
digits_stand_for_their_place(void **state)
{
    uint8_t bytes[48], back[48];
    char text[64];

    (void)state;
    memset(bytes, 0, sizeof(bytes));
    for (unsigned i = 0; i < 64; i++) {
        for (unsigned bit = 0; bit < 6; bit++) {
            unsigned at = 6 * i + bit;

            if ((i >> (5 - bit) & 1) != 0) {
                bytes[at / 8] |= (uint8_t)(0x80 >> at % 8);
            }
        }
    }
    (void)ads_base64url_write(text, bytes, sizeof(bytes));
    assert_memory_equal(text, base64url_digits, sizeof(text));
    assert_true(ads_base64url_read(back, sizeof(back),
                                   (struct ads_str){text, sizeof(text)}));
    assert_memory_equal(back, bytes, sizeof(back));
}


/* Each of the 256 characters at each place of short and long texts: only the
 * 64 digits are taken. */
static void
what_is_no_digit_is_refused(void **state)
{
    uint8_t back[LEN_MAX];
    char text[ADS_BASE64URL_LEN(LEN_MAX)];

    (void)state;
    for (size_t len = 1; len <= LEN_MAX; len++) {
        for (size_t at = 0; at < ADS_BASE64URL_LEN(len); at++) {
            for (unsigned c = 0; c < 256; c++) {
                bool digit = c != 0 && strchr(base64url_digits, (int)c) != NULL;
                bool last = at + 1 == ADS_BASE64URL_LEN(len) && len % 3 != 0;

                memset(text, 'A', sizeof(text));
                text[at] = (char)c;
                if (digit && last) {
                    continue; /* may have surplus bits */
                }
                assert_int_equal(
                    ads_base64url_read(
                        back, len,
                        (struct ads_str){text, ADS_BASE64URL_LEN(len)}),
                    digit);
            }
        }
    }
}


static void
surplus_bits_and_other_lengths_are_refused(void **state)
{
    uint8_t back[3];

    (void)state;
    assert_true(ads_base64url_read(back, 1, ADS_STR("AQ")));
    assert_false(ads_base64url_read(back, 1, ADS_STR("AR")));
    assert_false(ads_base64url_read(back, 1, ADS_STR("AY")));
    assert_true(ads_base64url_read(back, 2, ADS_STR("AAE")));
    assert_false(ads_base64url_read(back, 2, ADS_STR("AAF")));
    assert_false(ads_base64url_read(back, 2, ADS_STR("AAG")));
    assert_false(ads_base64url_read(back, 2, ADS_STR("AAEA")));
    assert_false(ads_base64url_read(back, 3, ADS_STR("AAE")));
    assert_false(ads_base64url_read(back, 0, ADS_STR("A")));
    assert_true(ads_base64url_read(back, 0, ADS_STR("")));
}


static void
checksums_are_those_of_the_standards(void **state)
{
    uint8_t zeros[32] = {0};

    (void)state;
    assert_int_equal(ads_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(ads_crc32("123456789", 9), 0xcbf43926u);
    assert_int_equal(ads_crc32c(0, zeros, sizeof(zeros)), 0x8a9136aau);
    assert_int_equal(ads_crc32c(0, "", 0), 0);
}


static void
the_instruction_and_the_tables_agree(void **state)
{
    uint8_t bytes[LEN_MAX];

    (void)state;
    for (unsigned seed = 0; seed < 64; seed++) {
        bytes_fill(bytes, seed);
        for (size_t off = 0; off < LEN_MAX; off++) {
            for (size_t len = 0; len <= LEN_MAX - off; len++) {
                uint32_t whole = ads_crc32c(0, bytes, off + len);

                assert_int_equal(whole, crc(0, crc32c_rows, bytes, off + len));
                assert_int_equal(
                    ads_crc32c(ads_crc32c(0, bytes, off), bytes + off, len),
                    whole);
            }
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_length_comes_back),
        cmocka_unit_test(hexadecimal_is_lower_case_and_in_order),
        cmocka_unit_test(digits_stand_for_their_place),
        cmocka_unit_test(what_is_no_digit_is_refused),
        cmocka_unit_test(surplus_bits_and_other_lengths_are_refused),
        cmocka_unit_test(checksums_are_those_of_the_standards),
        cmocka_unit_test(the_instruction_and_the_tables_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
