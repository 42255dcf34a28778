/*
 * Our JSON as CSV: RFC 4180, and nothing that a spreadsheet would run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/csv.c"


static void
expect(const char *json, const char *expected)
{
    struct pool *pool = pool_new();
    const char *why;
    char *text = pool_text(pool, (struct ads_str){json, strlen(json)});
    struct doc *rows = doc_read(pool, text, strlen(text), &why);
    struct ads_str csv;

    assert_non_null(rows);
    csv = csv_write(pool, rows);
    assert_int_equal(csv.len, strlen(expected));
    assert_memory_equal(csv.ptr, expected, csv.len);
    pool_free(pool);
}


static void
test_rows(void **state)
{
    (void)state;
    expect("[]", "\r\n");
    expect("[{\"a\":1,\"b\":null,\"c\":true},{\"a\":-2.5,\"d\":\"x\"}]",
           "a,b,c,d\r\n1,,true,\r\n-2.5,,,x\r\n");
}


static void
test_objects_within_are_flattened(void **state)
{
    (void)state;
    expect("[{\"b\":{\"daily\":1,\"x\":{\"y\":2}},\"l\":[\"p\",\"q\"]},"
           "{\"b\":{}}]",
           "b.daily,b.x.y,l,b\r\n1,2,\"p q\",\r\n,,,\r\n");
}


static void
test_what_has_to_be_quoted(void **state)
{
    (void)state;
    expect("[{\"a\":\"x,y\",\"b\":\"say \\\"hi\\\"\",\"c\":\"l1\\r\\nl2\"}]",
           "a,b,c\r\n\"x,y\",\"say \"\"hi\"\"\",\"l1\r\nl2\"\r\n");
}


static void
test_formulas_are_disarmed(void **state)
{
    (void)state;
    expect("[{\"a\":\"=1+1\",\"b\":\"@x\",\"c\":\"-x\",\"d\":\"+x\","
           "\"e\":\"\\tx\",\"f\":-5}]",
           "a,b,c,d,e,f\r\n\"'=1+1\",\"'@x\",\"'-x\",\"'+x\",\"'\tx\",-5\r\n");
    expect("[{\"a\":\"＝1+1\",\"b\":\"＠x\",\"c\":\"－x\",\"d\":\"＋x\","
           "\"e\":\"～x\",\"f\":\"\\nx\"}]",
           "a,b,c,d,e,f\r\n\"'＝1+1\",\"'＠x\",\"'－x\",\"'＋x\",～x,"
           "\"'\nx\"\r\n");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_objects_within_are_flattened),
        cmocka_unit_test(test_what_has_to_be_quoted),
        cmocka_unit_test(test_formulas_are_disarmed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
