/*
 * Our JSON as CSV: RFC 4180, and nothing that a spreadsheet would run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/base/csv.c"


static void
expect(const char *columns, const char *json, const char *expected)
{
    struct pool *pool = pool_new();
    const char *why;
    char *text = pool_text(pool, (struct ads_str){json, strlen(json)});
    struct doc *rows = doc_read(pool, text, strlen(text), &why);
    struct ads_str csv;

    assert_non_null(rows);
    csv = csv_write(pool, columns, rows);
    assert_int_equal(csv.len, strlen(expected));
    assert_memory_equal(csv.ptr, expected, csv.len);
    pool_free(pool);
}


static void
test_columns_are_as_asked(void **state)
{
    (void)state;
    expect("a,b", "[]", "a,b\r\n");
    expect("a,b,c,d",
           "[{\"a\":1,\"b\":null,\"c\":true},{\"x\":7,\"a\":-2.5,\"d\":\"x\"}]",
           "a,b,c,d\r\n1,,true,\r\n-2.5,,,x\r\n");
    expect("b,a", "[{\"a\":1},{\"b\":2}]", "b,a\r\n,1\r\n2,\r\n");
}


static void
test_objects_within(void **state)
{
    (void)state;
    expect("b.daily,b.x.y,l,b.z",
           "[{\"b\":{\"daily\":1,\"x\":{\"y\":2}},\"l\":[\"p\",\"q\"]},"
           "{\"b\":{}},{\"b\":null,\"l\":[]}]",
           "b.daily,b.x.y,l,b.z\r\n1,2,\"p q\",\r\n,,,\r\n,,,\r\n");
}


static void
test_what_is_not_taken_apart_is_json(void **state)
{
    (void)state;
    expect("o,l",
           "[{\"o\":{\"a\\\"b\":[1,true,null],\"x\":{}},"
           "\"l\":[{\"id\":\"=1\"},2]},{\"o\":{}}]",
           "o,l\r\n"
           "\"{\"\"a\\u0022b\"\":[1,true,null],\"\"x\"\":{}}\","
           "\"[{\"\"id\"\":\"\"=1\"\"},2]\"\r\n"
           ",\r\n");
}


/* As deep as a row may be: its array, itself and 14 levels. */
static void
test_the_deepest_cell(void **state)
{
    (void)state;
    expect("o", "[{\"o\":[[[[[[[[[[[[[[]]]]]]]]]]]]]]}]",
           "o\r\n[[[[[[[[[[[[[[]]]]]]]]]]]]]]\r\n");
}


static void
test_what_has_to_be_quoted(void **state)
{
    (void)state;
    expect("a,b,c",
           "[{\"a\":\"x,y\",\"b\":\"say \\\"hi\\\"\",\"c\":\"l1\\r\\nl2\"}]",
           "a,b,c\r\n\"x,y\",\"say \"\"hi\"\"\",\"l1\r\nl2\"\r\n");
}


static void
test_formulas_are_disarmed(void **state)
{
    (void)state;
    expect("a,b,c,d,e,f",
           "[{\"a\":\"=1+1\",\"b\":\"@x\",\"c\":\"-x\",\"d\":\"+x\","
           "\"e\":\"\\tx\",\"f\":-5}]",
           "a,b,c,d,e,f\r\n\"'=1+1\",\"'@x\",\"'-x\",\"'+x\",\"'\tx\",-5\r\n");
    expect("a,b,c,d,e,f",
           "[{\"a\":\"＝1+1\",\"b\":\"＠x\",\"c\":\"－x\",\"d\":\"＋x\","
           "\"e\":\"～x\",\"f\":\"\\nx\"}]",
           "a,b,c,d,e,f\r\n\"'＝1+1\",\"'＠x\",\"'－x\",\"'＋x\",～x,"
           "\"'\nx\"\r\n");
}


/* Spreadsheets drop some of what does not show, and run what is behind it. */
static void
test_formulas_behind_what_does_not_show(void **state)
{
    (void)state;
    expect("a,b,c,d,e,f",
           "[{\"a\":\"\\ufeff=1+1\",\"b\":\"\\u200b@x\","
           "\"c\":\"\\u00a0-x\",\"d\":\"\\u2060\\u3000+x\","
           "\"e\":\" =x\",\"f\":\"\\ufeff\\t=x\"}]",
           "a,b,c,d,e,f\r\n\"'\xef\xbb\xbf"
           "=1+1\",\"'\xe2\x80\x8b"
           "@x\",\"'\xc2\xa0"
           "-x\","
           "\"'\xe2\x81\xa0"
           "\xe3\x80\x80"
           "+x\",\"' =x\",\"'\xef\xbb\xbf"
           "\t=x\"\r\n");
    expect("a,b,c,d,e",
           "[{\"a\":\"\\ufeff\\uff1dx\",\"b\":\"\\ufe66x\","
           "\"c\":\"\\u0001=x\",\"d\":\"\\u200bplain\","
           "\"e\":\"\\u200b\"}]",
           "a,b,c,d,e\r\n\"'\xef\xbb\xbf"
           "\xef\xbc\x9d"
           "x\",\"'\xef\xb9\xa6"
           "x\","
           "\"'\001=x\",\xe2\x80\x8b"
           "plain,\xe2\x80\x8b"
           "\r\n");
}


/* As many keywords as a campaign may have. */
static void
test_a_long_array_takes_memory_in_proportion(void **state)
{
    struct pool *pool = pool_new();
    struct doc item = {.type = ADS_JSON_STRING};
    struct doc *items = pool_array(pool, 2000, sizeof(*items));
    struct doc list = {.type = ADS_JSON_ARRAY, .key = ADS_STR("l")};
    struct doc row = {.type = ADS_JSON_OBJECT, .first = &list, .n = 1};
    struct doc rows = {.type = ADS_JSON_ARRAY, .first = &row, .n = 1};
    struct ads_str csv;
    size_t before;

    (void)state;
    item.text = ADS_STR("a keyword of all the length that is allowed, which is"
                        " eighty letters and not one more");
    for (int i = 0; i < 2000; i++) {
        items[i] = item;
        items[i].next = i < 1999 ? &items[i + 1] : NULL;
    }
    list.first = items;
    before = pool_len(pool);
    csv = csv_write(pool, "l", &rows);
    assert_int_equal(csv.len, 7 + 2000 * (item.text.len + 1) - 1);
    assert_in_range(pool_len(pool) - before, csv.len, 16 * csv.len);
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_as_asked),
        cmocka_unit_test(test_objects_within),
        cmocka_unit_test(test_what_is_not_taken_apart_is_json),
        cmocka_unit_test(test_the_deepest_cell),
        cmocka_unit_test(test_what_has_to_be_quoted),
        cmocka_unit_test(test_formulas_are_disarmed),
        cmocka_unit_test(test_formulas_behind_what_does_not_show),
        cmocka_unit_test(test_a_long_array_takes_memory_in_proportion),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
