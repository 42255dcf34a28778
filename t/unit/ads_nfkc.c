/*
 * One spelling for one text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/ads_nfkc.c"


static void
expect(const char *text, const char *wanted, size_t wanted_points)
{
    char dst[256];
    size_t len, points;

    assert_int_equal(ads_nfkc_write(dst, sizeof(dst),
                                    (struct ads_str){text, strlen(text)}, &len,
                                    &points),
                     ADS_OK);
    assert_int_equal(len, strlen(wanted));
    assert_memory_equal(dst, wanted, len);
    assert_int_equal(points, wanted_points);
}


static void
spellings_become_one(void **state)
{
    (void)state;
    expect("", "", 0);
    expect(" Plain text ", " Plain text ", 12);
    expect("u\xcc\x88", "\xc3\xbc", 1);
    expect("\xc3\xbc", "\xc3\xbc", 1);
    expect("\xef\xbc\xa1\xef\xbc\x91", "A1", 2);           /* full width */
    expect("\xef\xac\x81", "fi", 2);                       /* a ligature */
    expect("\xe1\x84\x80\xe1\x85\xa1", "\xea\xb0\x80", 1); /* Hangul */
}


static void
what_is_refused(void **state)
{
    char dst[8], long_text[600];
    size_t len, points;

    (void)state;
    assert_int_equal(
        ads_nfkc_write(dst, sizeof(dst), ADS_STR("\xff"), &len, &points),
        ADS_INVALID);
    assert_int_equal(ads_nfkc_write(dst, sizeof(dst), ADS_STR("\xed\xa0\x80"),
                                    &len, &points),
                     ADS_INVALID);
    assert_int_equal(
        ads_nfkc_write(dst, sizeof(dst), ADS_STR("123456789"), &len, &points),
        ADS_TOO_LARGE);
    memset(long_text, 'a', sizeof(long_text));
    assert_int_equal(
        ads_nfkc_write(dst, sizeof(dst),
                       (struct ads_str){long_text, sizeof(long_text)}, &len,
                       &points),
        ADS_TOO_LARGE);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_become_one),
        cmocka_unit_test(what_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
