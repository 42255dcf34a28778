/*
 * Folding: spellings of one word meet, what separates separates, and no byte
 * is lost or read twice.
 */
#include "core/ads_fold.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>


/* The words of a text with '|' between them. */
static const char *
words(const char *text)
{
    static char joined[1024];
    struct ads_str rest = {text, strlen(text)};
    char word[ADS_FOLD_WORD_MAX];
    size_t len;
    size_t at = 0;

    while ((len = ads_fold_word(&rest, word)) > 0) {
        assert_true(len <= ADS_FOLD_WORD_MAX);
        memcpy(joined + at, word, len);
        at += len;
        joined[at++] = '|';
    }
    assert_int_equal(rest.len, 0);
    joined[at > 0 ? at - 1 : 0] = '\0';
    return joined;
}


static void
ascii_is_lowered_and_split(void **state)
{
    (void)state;
    assert_string_equal(words("Hello, World-WIDE 4K_tv"),
                        "hello|world|wide|4k|tv");
    assert_string_equal(words(""), "");
    assert_string_equal(words(" \t.,;!"), "");
}


static void
apostrophes_join_inside_words_only(void **state)
{
    (void)state;
    assert_string_equal(words("don't 'quote' rock'n'roll"),
                        "dont|quote|rocknroll");
    assert_string_equal(words("don\xe2\x80\x99t \xe2\x80\x99quote"),
                        "dont|quote");
}


static void
signs_are_words_of_their_own(void **state)
{
    (void)state;
    assert_string_equal(words("$20? 5$"), "$|20|?|5|$");
    assert_string_equal(words("40\xe2\x82\xac \xc2\xa3"
                              "9"),
                        "40|\xe2\x82\xac|\xc2\xa3|9");
}


static void
accents_case_and_forms_fold(void **state)
{
    (void)state;
    assert_string_equal(words("Caf\xc3\xa9 cafe\xcc\x81 CAF\xc3\x89"),
                        "cafe|cafe|cafe");
    assert_string_equal(words("Stra\xc3\x9f"
                              "e"),
                        "strasse");
    assert_string_equal(words("\xef\xbc\xb4\xef\xbc\xb6"), "tv"); /* wide */
    assert_string_equal(words("\xd0\x9a\xd0\xa3\xd0\x9f"),
                        "\xd0\xba\xd1\x83\xd0\xbf");
}


static void
other_punctuation_and_bad_bytes_separate(void **state)
{
    (void)state;
    assert_string_equal(words("a\xe2\x80\x94"
                              "b\xc2\xa0"
                              "c\xff"
                              "d\xe2\x80"),
                        "a|b|c|d");
}


static void
a_long_run_is_cut_and_nothing_lost(void **state)
{
    char text[101];
    size_t letters = 0;

    (void)state;
    memset(text, 'a', 100);
    text[100] = '\0';
    for (const char *at = words(text); *at != '\0'; at++) {
        letters += *at == 'a';
    }
    assert_int_equal(letters, 100);
}


static void
every_code_point_is_stepped_over(void **state)
{
    (void)state;
    for (utf8proc_int32_t code = 1; code < 0x110000; code++) {
        utf8proc_uint8_t text[5] = {0};
        struct ads_str rest;
        char word[ADS_FOLD_WORD_MAX];

        if (code >= 0xd800 && code < 0xe000) {
            continue;
        }
        rest.len = (size_t)utf8proc_encode_char(code, text);
        rest.ptr = (const char *)text;
        while (rest.len > 0) {
            assert_true(ads_fold_word(&rest, word) <= sizeof(word));
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_is_lowered_and_split),
        cmocka_unit_test(apostrophes_join_inside_words_only),
        cmocka_unit_test(signs_are_words_of_their_own),
        cmocka_unit_test(accents_case_and_forms_fold),
        cmocka_unit_test(other_punctuation_and_bad_bytes_separate),
        cmocka_unit_test(a_long_run_is_cut_and_nothing_lost),
        cmocka_unit_test(every_code_point_is_stepped_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
