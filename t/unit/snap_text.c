/*
 * Growing text: what is put is there, escapes are JSON's, and a cut falls
 * between words, never inside a character.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "adsd/tables/snap_text.c"


static struct ads_str
str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


static void
text_grows_as_needed(void **state)
{
    struct snap_text text = {0};
    char block[1000];

    (void)state;
    snap_text_put(&text, "", 0);
    assert_int_equal(text.len, 0);

    for (int i = 0; i < 300; i++) {
        memset(block, 'a' + i % 26, sizeof(block));
        snap_text_put(&text, block, sizeof(block));
    }
    assert_int_equal(text.len, 300000);
    assert_true(text.room >= text.len);
    for (size_t i = 0; i < text.len; i++) {
        assert_int_equal(text.bytes[i], 'a' + i / 1000 % 26);
    }
    free(text.bytes);

    /* one piece larger than what is doubled to */
    text = (struct snap_text){0};
    {
        char *large = calloc(1, 1 << 20);

        snap_text_put(&text, "x", 1);
        snap_text_put(&text, large, 1 << 20);
        assert_int_equal(text.len, (1 << 20) + 1);
        free(large);
    }
    free(text.bytes);
}


/* jansson reads back what was escaped, for every byte that UTF-8 allows. */
static void
escaped_text_is_read_back_by_another_reader(void **state)
{
    struct snap_text text = {0};
    char raw[0x80 + 16];
    size_t n = 0;
    json_t *value;

    (void)state;
    for (int c = 0; c < 0x80; c++) {
        raw[n++] = (char)c;
    }
    memcpy(raw + n, "\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80", 9);
    n += 9;

    snap_text_put(&text, "\"", 1);
    snap_text_put_escaped(&text, (struct ads_str){raw, n});
    snap_text_put(&text, "\"", 1);
    value = json_loadb(text.bytes, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
                       NULL);
    assert_non_null(value);
    assert_int_equal(json_string_length(value), n);
    assert_memory_equal(json_string_value(value), raw, n);
    for (size_t i = 0; i < text.len; i++) {
        assert_true((unsigned char)text.bytes[i] >= 0x20
                    && text.bytes[i] != 0x7f);
    }
    json_decref(value);
    free(text.bytes);
}


static void
escapes_are_the_short_ones(void **state)
{
    struct snap_text text = {0};
    static const char want[] = "a\\\"b\\\\c\\u000ad/e";

    (void)state;
    snap_text_put_escaped(&text, str("a\"b\\c\nd/e"));
    assert_int_equal(text.len, sizeof(want) - 1);
    assert_memory_equal(text.bytes, want, text.len);
    free(text.bytes);

    text = (struct snap_text){0};
    snap_text_put_escaped(&text, str(""));
    assert_int_equal(text.len, 0);
    free(text.bytes);
}


static void
expect_cut(const char *whole, size_t max, const char *want)
{
    struct ads_str cut = snap_text_cut(str(whole), max);

    assert_ptr_equal(cut.ptr, whole);
    assert_int_equal(cut.len, strlen(want));
    assert_memory_equal(cut.ptr, want, cut.len);
}


static void
a_cut_falls_between_words(void **state)
{
    (void)state;
    expect_cut("", 5, "");
    expect_cut("short", 5, "short");
    expect_cut("one two", 7, "one two");
    expect_cut("one two three", 7, "one two");
    expect_cut("one two three", 8, "one two");
    expect_cut("one two three", 12, "one two");
    expect_cut("one two three", 6, "one");
    expect_cut("one two three", 3, "one");
    expect_cut("endless", 4, "endl");
    expect_cut(" endless", 4, " end");
}


static void
a_cut_counts_characters_and_keeps_them_whole(void **state)
{
    (void)state;
    expect_cut("\xc3\xa9\xc3\xa9\xc3\xa9", 3, "\xc3\xa9\xc3\xa9\xc3\xa9");
    expect_cut("\xc3\xa9\xc3\xa9\xc3\xa9", 2, "\xc3\xa9\xc3\xa9");
    expect_cut("\xe2\x82\xac \xe2\x82\xac\xe2\x82\xac", 3, "\xe2\x82\xac");
    expect_cut("\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 1, "\xf0\x9f\x98\x80");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_as_needed),
        cmocka_unit_test(escaped_text_is_read_back_by_another_reader),
        cmocka_unit_test(escapes_are_the_short_ones),
        cmocka_unit_test(a_cut_falls_between_words),
        cmocka_unit_test(a_cut_counts_characters_and_keeps_them_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
