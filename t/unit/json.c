/*
 * Answers: what is written is JSON, whatever bytes come in, and money is exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/base/json.c"

#include "ads_json.h"


/* The strict scanner checks what we write. */
static void
expect_text(const struct json *json, const char *expected)
{
    struct ads_str text = json_text(json);
    struct ads_json_value value;
    struct ads_json scan;
    char copy[4096];

    assert_string_equal(text.ptr, expected);
    assert_in_range(text.len, 0, sizeof(copy) - 1);
    memcpy(copy, text.ptr, text.len);
    ads_json_init(&scan, copy, text.len);
    ads_json_read(&scan, &value);
    ads_json_skip(&scan, &value);
    assert_int_equal(ads_json_end(&scan), ADS_OK);
}


static void
test_members_in_the_order_of_the_calls(void **state)
{
    const struct ads_uuid id = {{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,
                                 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde,
                                 0xf0}};
    struct pool *pool = pool_new();
    struct json json;

    (void)state;
    json_init(&json, pool);
    json_object_begin(&json, NULL);
    json_int(&json, "n", INT64_MIN);
    json_array_begin(&json, "list");
    json_bool(&json, NULL, true);
    json_object_begin(&json, NULL);
    json_object_end(&json);
    json_null(&json, NULL);
    json_array_end(&json);
    json_uuid(&json, "id", &id);
    json_uuid(&json, "none", NULL);
    json_time(&json, "at", 1700000000123456);
    json_constant(&json, "text", "x");
    json_object_end(&json);
    expect_text(&json, "{\"n\":-9223372036854775808,\"list\":[true,{},null],"
                       "\"id\":\"12345678-9abc-def0-1234-56789abcdef0\","
                       "\"none\":null,\"at\":\"2023-11-14T22:13:20.123Z\","
                       "\"text\":\"x\"}");
    pool_free(pool);
}


static void
test_money_has_its_exact_twin(void **state)
{
    struct pool *pool = pool_new();
    struct json json;

    (void)state;
    json_init(&json, pool);
    json_object_begin(&json, NULL);
    json_money(&json, "amount", 1005000);
    json_money(&json, "least", 1);
    json_object_end(&json);
    expect_text(&json, "{\"amount\":1.005,\"amount_micros\":1005000,"
                       "\"least\":0.000001,\"least_micros\":1}");
    pool_free(pool);
}


static void
test_hostile_bytes_become_json(void **state)
{
    struct pool *pool = pool_new();
    struct json json;

    (void)state;
    json_init(&json, pool);
    json_array_begin(&json, NULL);
    json_string(&json, NULL, ADS_STR("a\"\\\n\x01/"));
    json_string(&json, NULL, ADS_STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    json_string(&json, NULL, ADS_STR("\xff\xc0\xaf\xed\xa0\x80\xf4\x90"));
    json_string(&json, NULL, ADS_STR("\xe2\x82"));
    json_string(&json, NULL, (struct ads_str){NULL, 0});
    json_string(&json, NULL, ADS_STR(""));
    json_array_end(&json);
    expect_text(&json, "[\"a\\u0022\\u005c\\u000a\\u0001/\","
                       "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\","
                       "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
                       "\"\xef\xbf\xbd\xef\xbf\xbd\",null,\"\"]");
    pool_free(pool);
}


static void
test_it_grows(void **state)
{
    struct pool *pool = pool_new();
    struct json json;
    char long_text[3000];

    (void)state;
    memset(long_text, 'x', sizeof(long_text));
    json_init(&json, pool);
    json_array_begin(&json, NULL);
    for (int i = 0; i < 1000; i++) {
        json_string(&json, NULL,
                    (struct ads_str){long_text, sizeof(long_text)});
    }
    json_array_end(&json);
    assert_int_equal(json_text(&json).len, 1 + 1000 * (sizeof(long_text) + 3));
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_in_the_order_of_the_calls),
        cmocka_unit_test(test_money_has_its_exact_twin),
        cmocka_unit_test(test_hostile_bytes_become_json),
        cmocka_unit_test(test_it_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
