/*
 * JSON of others is taken in one reading or not at all, within bounds, and
 * what is borrowed of it goes with the pool.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/base/foreign.c"


static const struct json_t *
read_text(struct pool *pool, const char *text)
{
    return foreign_read(pool, text, strlen(text));
}


static void
test_what_is_no_document(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "\xef\xbb\xbf{}",
        "1",
        "\"a\"",
        "null",
        "{",
        "[}",
        "{}{}",
        "{} x",
        "{\"a\":1,}",
        "{'a':1}",
        "{a:1}",
        "[1,]",
        "[01]",
        "[1.]",
        "[+1]",
        "[NaN]",
        "[1] // why",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":2}",
        "[{\"b\":{\"c\":1,\"c\":2}}]",
        "{\"a\\u0000\":1}",
        "[\"\\ud800\"]",
        "[\"\\udc00\\ud800\"]",
        "[\"\xed\xa0\x80\"]",
        "[\"\xc0\xaf\"]",
        "[\"\xff\"]",
        "[\"\n\"]",
        "[9223372036854775808]",
        "[1e999]",
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_null(read_text(pool, bad[i]));
    }
    assert_null(foreign_read(pool, "{}\0", 3));
    assert_null(foreign_read(pool, "\0{}", 3));
    pool_free(pool);
}


static void
test_size_and_depth_have_limits(void **state)
{
    static const char brackets[] = "[\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[\"]";
    struct pool *pool = pool_new();
    char *text = pool_alloc(pool, FOREIGN_LEN_MAX + 2);

    (void)state;
    memset(text, ' ', FOREIGN_LEN_MAX + 1);
    text[0] = '{';
    text[1] = '}';
    assert_non_null(foreign_read(pool, text, FOREIGN_LEN_MAX));
    assert_null(foreign_read(pool, text, FOREIGN_LEN_MAX + 1));

    memset(text, '[', FOREIGN_LEN_MAX / 2);
    memset(text + FOREIGN_LEN_MAX / 2, ']', FOREIGN_LEN_MAX / 2);
    assert_null(foreign_read(pool, text, FOREIGN_LEN_MAX));
    text += FOREIGN_LEN_MAX / 2;
    assert_non_null(
        foreign_read(pool, text - FOREIGN_DEPTH, 2 * (size_t)FOREIGN_DEPTH));
    assert_null(foreign_read(pool, text - FOREIGN_DEPTH - 1,
                             2 * (size_t)FOREIGN_DEPTH + 2));
    assert_non_null(read_text(pool, brackets));
    pool_free(pool);
}


static void
test_values_are_what_they_are(void **state)
{
    struct pool *pool = pool_new();
    const struct json_t *document =
        read_text(pool, "{\"t\":\"a\\\"\",\"e\":\"\",\"z\":\"a\\u0000b\","
                        "\"yes\":true,\"no\":false,\"word\":\"true\",\"one\":1,"
                        "\"null\":null,\"list\":[{\"a\":\"b\"},7]}");
    const struct json_t *list = foreign_find(document, "list");
    struct ads_str text;

    (void)state;
    assert_true(foreign_is_object(document) && foreign_is_array(list));
    assert_false(foreign_is_array(document) || foreign_is_object(list)
                 || foreign_is_object(NULL) || foreign_is_array(NULL));
    assert_true(foreign_is_true(foreign_find(document, "yes")));
    assert_false(foreign_is_true(foreign_find(document, "no"))
                 || foreign_is_true(foreign_find(document, "word"))
                 || foreign_is_true(foreign_find(document, "one"))
                 || foreign_is_true(foreign_find(document, "absent")));

    assert_true(ads_str_is(foreign_text(foreign_find(document, "t")), "a\""));
    assert_true(foreign_text_find(&text, document, "e") && text.ptr != NULL
                && text.len == 0);
    assert_true(foreign_text_find(&text, document, "absent")
                && text.ptr == NULL);
    assert_false(foreign_text_find(&text, document, "z"));
    assert_false(foreign_text_find(&text, document, "null"));
    assert_false(foreign_text_find(&text, document, "one"));

    assert_true(
        ads_str_is(foreign_text(foreign_find(foreign_at(list, 0), "a")), "b"));
    assert_null(foreign_at(list, 2));
    assert_null(foreign_at(document, 0));
    assert_null(foreign_find(foreign_at(list, 1), "a"));
    assert_null(foreign_find(NULL, "a"));
    pool_free(pool);
}


static void
test_whole_numbers(void **state)
{
    static const struct {
        const char *text;
        int64_t number; /* -1: refused */
    } cases[] = {
        {"0", 0},
        {"1893456000", 1893456000},
        {"999999999999999", 999999999999999},
        {"1000000000000000", -1},
        {"9223372036854775807", -1},
        {"-1", -1},
        {"1893456000.5", -1},
        {"1e9", -1},
        {"\"1893456000\"", -1},
        {"null", -1},
        {"[1]", -1},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct json_t *list =
            read_text(pool, pool_format(pool, NULL, "[%s]", cases[i].text));
        int64_t number = -1;

        assert_non_null(list);
        assert_int_equal(foreign_whole(&number, foreign_at(list, 0)),
                         cases[i].number >= 0);
        assert_true(number == cases[i].number);
    }
    pool_free(pool);
}


static void
test_what_is_written_has_an_order(void **state)
{
    struct pool *pool = pool_new();
    struct ads_str text;

    (void)state;
    text = foreign_write(pool, "{s:s, s:[i], s:I}", "z", "\"\xc3\xa4", "a", 1,
                         "m", 5000000000LL);
    assert_true(ads_str_is(text, "{\"z\":\"\\\"\xc3\xa4\",\"a\":[1],"
                                 "\"m\":5000000000}"));
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_document),
        cmocka_unit_test(test_size_and_depth_have_limits),
        cmocka_unit_test(test_values_are_what_they_are),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_what_is_written_has_an_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
