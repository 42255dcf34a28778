/*
 * What shows nothing is blank, in whatever way it is written; what shows
 * anything is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/ads_blank.c"


static bool
is_blank(const char *text)
{
    return ads_blank_is((struct ads_str){text, strlen(text)});
}


static void
what_shows_nothing_is_blank(void **state)
{
    static const char *const texts[] = {
        "",
        " \t\r\n",
        "\xc2\xa0",                         /* U+00A0, a space that keeps */
        "\xe3\x80\x80\xe2\x80\x89",         /* ideographic, thin */
        "\xe2\x80\xa8\xe2\x80\xa9",         /* ends of line and paragraph */
        "\xc2\xad",                         /* soft hyphen */
        "\xe2\x80\x8b",                     /* zero width space */
        "\xe2\x80\x8d",                     /* joins nothing */
        "\xe2\x81\xa0\xef\xbb\xbf",         /* word joiner, byte order mark */
        "\xe3\x85\xa4 \xe1\x85\x9f",        /* fillers */
        "\xe1\x85\xa0\xef\xbe\xa0",         /* fillers */
        "\xe2\xa0\x80",                     /* Braille */
        "\xcd\x8f\xef\xb8\x8f",             /* marks on nothing */
        "\xf3\xa0\x81\x81\xf3\xa0\x87\xaf", /* tag A, variation selector */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_true(is_blank(texts[i]));
    }
}


static void
what_shows_anything_is_not(void **state)
{
    static const char *const texts[] = {
        "a",
        "-",
        "\xe2\x80\x8b.\xe2\x80\x8b",
        "\xe2\x80\x8b\xc3\xa9", /* an e with an accent */
        "e\xcc\x81",            /* the same of two parts */
        "\xe5\xbd\xa9",         /* a Han character */
        "\xed\x95\x9c",         /* a Hangul syllable */
        "\xf0\x9f\x98\x80",     /* an emoji */
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", /* of two, joined */
        "\xef\xbf\xbd",                                 /* replaced, and seen */
        "\xf0\xb2\x8e\xb0", /* not assigned for long */
        "\x01",             /* for another rule */
        "\xff",             /* not UTF-8 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(is_blank(texts[i]));
    }
}


static void
a_nul_is_not_the_end(void **state)
{
    (void)state;
    assert_false(ads_blank_is((struct ads_str){" \0", 2}));
    assert_false(ads_blank_is((struct ads_str){" \0a", 3}));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_shows_nothing_is_blank),
        cmocka_unit_test(what_shows_anything_is_not),
        cmocka_unit_test(a_nul_is_not_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
