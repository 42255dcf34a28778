/*
 * What a word is: letters, numbers and units, models, scripts without spaces,
 * and where in the source each was read.
 */
#include "../../core/ads_text.c"
#include "../../core/ads_text_words.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>


/* The words of a text between bars; a break shows as '.', an amount as '$'. */
static const char *
words_of(const char *source)
{
    static char out[4096];
    struct ads_text_reader reader;
    struct ads_text_word word;
    size_t len = strlen(source), used = 0;

    ads_text_init(&reader, (struct ads_str){.ptr = source, .len = len});
    while (ads_text_next(&reader, &word)) {
        assert_true(word.from < word.to && word.to <= len);
        assert_true(word.len > 0 && word.len <= ADS_TEXT_WORD_MAX);
        used += (size_t)snprintf(out + used, sizeof(out) - used, "%s%s%.*s",
                                 word.gap == ADS_TEXT_BREAK ? "." : "|",
                                 word.kind == ADS_TEXT_PRICE ? "$" : "",
                                 word.len, word.bytes);
    }
    out[used] = '\0';
    return out;
}


static void
spellings_of_a_word_meet(void **state)
{
    (void)state;
    assert_string_equal(words_of("Café CAFE cafe\xcc\x81"), "|cafe|cafe|cafe");
    assert_string_equal(words_of("Straße ＡＢＣ ﬁt"), "|strasse|abc|fit");
    assert_string_equal(words_of("Men's O'Neill rock’n’roll"),
                        "|men|oneill|rocknroll");
    assert_string_equal(words_of("T-shirt, size M"), "|t|shirt.size|m");
    assert_string_equal(words_of("a\xc2\xadz"), "|az"); /* soft hyphen */
    assert_string_equal(words_of(""), "");
    assert_string_equal(words_of(" ,.-/\"' "), "");
}


static void
numbers_keep_their_units(void **state)
{
    static const char *const inches[] = {"55 inch", "55\"",    "55in",
                                         "55 in.",  "55-Inch", "55 inches"};

    (void)state;
    for (size_t i = 0; i < sizeof(inches) / sizeof(*inches); i++) {
        assert_string_equal(words_of(inches[i]), "|55|inch");
    }
    assert_string_equal(words_of("2.5 .5 1/2 ½ 1½ 1,000 1,00"),
                        "|2.5|0.5|1/2|1/2|1|1/2|1000|1.00");
    assert_string_equal(words_of("16 sq. ft. 5'6\""),
                        "|16|square|foot|5|foot|6|inch");
    assert_string_equal(words_of("10guage 4k 802.11ac iphone6"),
                        "|10|guage|4k|802.11ac|iphone6");
    assert_string_equal(words_of("in a box, 5 lbs"), "|in|a|box.5|pound");
    assert_string_equal(words_of("2000 Lumen, 40 sheets"),
                        "|2000|lumen.40|sheet");
}


static void
a_comma_before_one_or_two_digits_is_a_point(void **state)
{
    struct ads_text_reader reader;
    struct ads_text_word word;

    (void)state;
    assert_string_equal(words_of("15,6 Zoll"), "|15.6|inch");
    assert_string_equal(words_of("99,1 x 38,1"), "|99.1|38.1|99.1x38.1");
    assert_string_equal(words_of("1,500 and 1,5"), "|1500|and|1.5");
    /* each a word behind a break, not 6.7 and 8 */
    assert_string_equal(words_of("6,7,8"), "|6.7.8");
    ads_text_init(&reader, ADS_STR("6,7,8"));
    assert_true(ads_text_next(&reader, &word));
    assert_int_equal(word.len, 1);
}


static void
models_are_words_of_their_own(void **state)
{
    (void)state;
    assert_string_equal(words_of("HQ9/11 or 1/2"), "|hq9|11|or|1/2");
    assert_string_equal(words_of("05A, 85A"), "|05a.85|amp");
    assert_true(ads_text_is_count(ADS_STR("12yo")));
    assert_true(ads_text_is_count(ADS_STR("4th")));
    assert_true(ads_text_is_count(ADS_STR("40ish")));
    assert_false(ads_text_is_count(ADS_STR("6s")));
    assert_false(ads_text_is_count(ADS_STR("2600n")));
    assert_false(ads_text_is_count(ADS_STR("yo")));
}


static void
dimensions_are_a_word_as_well(void **state)
{
    (void)state;
    assert_string_equal(words_of("2x4"), "|2|4|2x4");
    assert_string_equal(words_of("2 in. x 4 in."), "|2|inch|4|2x4|inch");
    assert_string_equal(words_of("20cm×30cm"), "|20|cm|30|20x30|cm");
    assert_string_equal(words_of("xbox one x"), "|xbox|one|x");
}


static void
amounts_are_not_numbers(void **state)
{
    (void)state;
    assert_string_equal(words_of("under $80"), "|under|$80");
    assert_string_equal(words_of("€ 80 or 80 dollars"), "|$80|or|$80|$dollars");
    assert_string_equal(words_of("$ hole saw 3"), "|hole|saw|3");
}


static void
dense_scripts_are_pairs(void **state)
{
    (void)state;
    assert_string_equal(words_of("日本語"), "|日本|本語");
    assert_string_equal(words_of("日 本語 tv"), "|日|本語|tv");
    assert_string_equal(words_of("한국어"), words_of("한국어"));
    assert_string_equal(words_of("ﾊﾞｲｸ"), words_of("バイク"));
}


static void
limits_hold(void **state)
{
    struct ads_text_reader reader;
    struct ads_text_word word;
    static char text[20000];
    uint32_t n = 0;

    (void)state;
    memset(text, 'a', 100);
    memset(text + 100, ' ', 1);
    for (size_t i = 101; i + 1 < sizeof(text); i += 2) {
        text[i] = 'b';
        text[i + 1] = ' ';
    }
    ads_text_init(&reader, (struct ads_str){.ptr = text, .len = sizeof(text)});
    while (ads_text_next(&reader, &word)) {
        assert_true(n > 0 || word.len == ADS_TEXT_WORD_MAX);
        assert_true(n > 0 || word.to == 100);
        n++;
    }
    assert_int_equal(n, ADS_TEXT_WORDS_MAX);
}


static void
any_bytes_are_read(void **state)
{
    uint32_t dice = 3;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t len = (size_t)round % 40;
        char *text = malloc(len + 1), *exact;
        struct ads_text_reader reader;
        struct ads_text_word word;
        uint32_t before = 0;

        assert_non_null(text);
        for (size_t i = 0; i < len; i++) {
            dice = dice * 1664525 + 1013904223;
            text[i] =
                round % 3 == 0
                    ? (char)(dice >> 24)
                    : "1x2.\xc2\xbd'\"a \xe6\x97\xa5,$/"[(dice >> 24) % 17];
        }
        exact = realloc(text, len > 0 ? len : 1); /* overreads are seen */
        assert_non_null(exact);
        ads_text_init(&reader, (struct ads_str){.ptr = exact, .len = len});
        while (ads_text_next(&reader, &word)) {
            assert_true(word.from >= before && word.from < word.to);
            assert_true(word.to <= len);
            before = word.kind == ADS_TEXT_PAIR ? 0 : word.from;
        }
        free(exact);
    }
}


static void
words_have_stems_and_uses(void **state)
{
    struct ads_text text = {.stemmer = sb_stemmer_new("english", NULL)};
    struct ads_text bare = {.stemmer = NULL};
    struct ads_text_word word = {.kind = ADS_TEXT_LETTERS, .len = 7};
    struct ads_str stem;

    (void)state;
    memcpy(word.bytes, "kettles", 7);
    stem = ads_text_stem(&text, &word);
    assert_int_equal(stem.len, 5);
    assert_memory_equal(stem.ptr, "kettl", 5);
    assert_int_equal(ads_text_stem(&bare, &word).len, 7);
    word.kind = ADS_TEXT_MIXED;
    assert_int_equal(ads_text_stem(&text, &word).len, 7);
    sb_stemmer_delete(text.stemmer);

    assert_int_equal(ads_text_filler(ADS_STR("the")), ADS_TEXT_STOP);
    assert_int_equal(ads_text_filler(ADS_STR("th")), ADS_TEXT_CONTENT);
    assert_int_equal(ads_text_filler(ADS_STR("them selves")), ADS_TEXT_CONTENT);
    assert_int_equal(ads_text_filler((struct ads_str)ADS_STR("recommend")),
                     ADS_TEXT_WISH);
    assert_int_equal(ads_text_filler((struct ads_str)ADS_STR("best")),
                     ADS_TEXT_FILLER);
    assert_int_equal(ads_text_filler((struct ads_str)ADS_STR("deals")),
                     ADS_TEXT_TAIL);
    assert_int_equal(ads_text_filler((struct ads_str)ADS_STR("kettle")),
                     ADS_TEXT_CONTENT);
}


static void
every_filler_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_FILLERS; i++) {
        struct ads_str word = {fillers[i].text, strlen(fillers[i].text)};

        if (ads_text_filler(word) != fillers[i].kind) {
            fail_msg("%s", fillers[i].text);
        }
    }
    assert_int_equal(ads_text_filler(ADS_STR("")), ADS_TEXT_CONTENT);
    assert_int_equal(ads_text_filler(ADS_STR("zzz")), ADS_TEXT_CONTENT);
    assert_int_equal(ads_text_filler(ADS_STR("recommendationsx")),
                     ADS_TEXT_CONTENT);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_of_a_word_meet),
        cmocka_unit_test(numbers_keep_their_units),
        cmocka_unit_test(a_comma_before_one_or_two_digits_is_a_point),
        cmocka_unit_test(models_are_words_of_their_own),
        cmocka_unit_test(dimensions_are_a_word_as_well),
        cmocka_unit_test(amounts_are_not_numbers),
        cmocka_unit_test(dense_scripts_are_pairs),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(any_bytes_are_read),
        cmocka_unit_test(words_have_stems_and_uses),
        cmocka_unit_test(every_filler_is_found),
    };

    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
