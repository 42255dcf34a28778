/*
 * Bodies of conversions: exact money, no personal data, all errors at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/api/conversion_body.c"

#define CLICK "\"click_id\":\"018bcfe5-6800-8abc-8def-0123456789ab\""
#define NOW_MS INT64_C(1700000000000)

static struct conversion_body body;
static struct ads_body_errors errors;


static enum ads_err
read_body(const char *text)
{
    static char copy[65536];
    size_t len = strlen(text);

    assert_in_range(len, 0, sizeof(copy));
    memcpy(copy, text, len);
    return conversion_body_read(&body, &errors, (struct ads_str){copy, len},
                                NOW_MS);
}


static void
expect_error(const char *text, const char *pointer, const char *code)
{
    assert_int_equal(read_body(text), ADS_INVALID);
    assert_null(errors.malformed);
    for (uint32_t i = 0; i < errors.n; i++) {
        if (strcmp(errors.list[i].pointer, pointer) == 0
            && strcmp(errors.list[i].code, code) == 0)
        {
            return;
        }
    }
    fail_msg("no %s at %s for %s", code, pointer, text);
}


static void
test_all_fields(void **state)
{
    const struct conversion *one = &body.items[0];

    (void)state;
    assert_int_equal(
        read_body("{" CLICK ",\"value\":1.005,\"currency\":\"EUR\","
                  "\"request_id\":\"018bcfe5-6800-8abc-8def-000000000001\","
                  "\"ad_id\":\"018bcfe5-6800-8abc-8def-000000000002\","
                  "\"order_id\":\"A-\\u0031\",\"occurred_at\":"
                  "\"2023-11-14T22:13:20Z\",\"adjusts\":"
                  "\"018bcfe5-6800-8abc-8def-000000000003\"}"),
        ADS_OK);
    assert_false(body.batch);
    assert_int_equal(body.n, 1);
    assert_true(one->ok);
    assert_int_equal(one->value_micros, 1005000);
    assert_memory_equal(one->currency, "EUR", 3);
    assert_true(one->has_request_id && one->has_ad_id && one->has_adjusts);
    assert_int_equal(one->ad_id.b[15], 2);
    assert_int_equal(one->order_id.len, 3);
    assert_memory_equal(one->order_id.ptr, "A-1", 3);
    assert_int_equal(one->occurred_ms, NOW_MS);
}


static void
test_least_fields(void **state)
{
    (void)state;
    assert_int_equal(read_body("{" CLICK ",\"value\":0,\"currency\":\"USD\"}"),
                     ADS_OK);
    assert_false(body.items[0].has_request_id || body.items[0].has_ad_id
                 || body.items[0].has_adjusts);
    assert_int_equal(body.items[0].order_id.len, 0);
    assert_int_equal(body.items[0].occurred_ms, CONVERSION_TIME_NONE);
}


static void
test_all_errors_at_once(void **state)
{
    (void)state;
    expect_error("{}", "/click_id", "required");
    assert_int_equal(errors.n, 3);
    expect_error("{\"click_id\":1,\"value\":\"5\",\"currency\":\"usd\","
                 "\"user\":\"x\"}",
                 "/value", "wrong_type");
    assert_int_equal(errors.n, 4);
    expect_error("{\"click_id\":\"x\",\"value\":1,\"currency\":\"USD\"}",
                 "/click_id", "invalid_format");
}


static void
test_a_value_is_read_to_the_nearest_micro(void **state)
{
    static const struct {
        const char *text;
        int64_t micros;
    } fine[] = {
        {"123456789.123457", INT64_C(123456789123457)},
        {"139.92999999999998", 139930000},
        {"0.30000000000000004", 300000},
        {"33.333333333333336", 33333333},
        {"1.9999996", 2000000},
    };
    static const char *const bad[] = {"-1", "0.0000001", "1e400",
                                      "1000000000.000001", "1e-400"};
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(text, sizeof(text),
                       "{" CLICK ",\"currency\":\"USD\",\"value\":%s}", bad[i]);
        expect_error(text, "/value", "out_of_range");
    }
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
        (void)snprintf(text, sizeof(text),
                       "{" CLICK ",\"currency\":\"USD\",\"value\":%s}",
                       fine[i].text);
        assert_int_equal(read_body(text), ADS_OK);
        assert_int_equal(body.items[0].value_micros, fine[i].micros);
    }
}


static void
test_personal_data_is_refused(void **state)
{
    (void)state;
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"order_id\":\"alice@example.com\"}",
                 "/order_id", "pii_not_allowed");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"order_id\":\"a\\u0000b\"}",
                 "/order_id", "nul_not_allowed");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"order_id\":\"\"}",
                 "/order_id", "empty");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"order_id\":\"a\\nb\"}",
                 "/order_id", "invalid_format");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"session_id\":\"alice@example.com\"}",
                 "/session_id", "pii_not_allowed");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"session_id\":\"a b\"}",
                 "/session_id", "invalid_format");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"email\":\"x\"}",
                 "", "unknown_field");
}


static void
test_times_have_bounds(void **state)
{
    (void)state;
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"occurred_at\":\"2023-11-07T22:13:19Z\"}",
                 "/occurred_at", "out_of_range");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"occurred_at\":\"2023-11-14T22:23:21Z\"}",
                 "/occurred_at", "out_of_range");
    expect_error("{" CLICK ",\"currency\":\"USD\",\"value\":1,"
                 "\"occurred_at\":\"yesterday\"}",
                 "/occurred_at", "invalid_format");
}


static void
test_a_bad_item_does_not_lose_the_others(void **state)
{
    (void)state;
    assert_int_equal(read_body("{\"events\":[{" CLICK
                               ",\"value\":1,\"currency\":\"USD\"},"
                               "{\"value\":1},7,{" CLICK
                               ",\"value\":2,\"currency\":\"USD\"}]}"),
                     ADS_OK);
    assert_true(body.batch);
    assert_int_equal(body.n, 4);
    assert_true(body.items[0].ok && body.items[3].ok);
    assert_false(body.items[1].ok || body.items[2].ok);
    assert_string_equal(body.items[1].error.pointer, "/events/1/click_id");
    assert_string_equal(body.items[2].error.pointer, "/events/2");
    assert_int_equal(body.items[3].value_micros, 2000000);

    assert_int_equal(read_body("{\"events\":[]}"), ADS_OK);
    assert_int_equal(body.n, 0);
    expect_error("{\"events\":[],\"value\":1}", "", "unknown_field");
    expect_error("{\"events\":{}}", "/events", "wrong_type");
}


static void
test_a_batch_is_bounded(void **state)
{
    static const char item[] = "{" CLICK ",\"value\":1,\"currency\":\"USD\"}";
    static char text[sizeof(item) * (CONVERSION_EVENTS_MAX + 2)];
    char *at = stpcpy(text, "{\"events\":[");

    (void)state;
    for (int i = 0; i < CONVERSION_EVENTS_MAX; i++) {
        at = stpcpy(at, i == 0 ? "" : ",");
        at = stpcpy(at, item);
    }
    (void)stpcpy(at, "]}");
    assert_int_equal(read_body(text), ADS_OK);
    assert_int_equal(body.n, CONVERSION_EVENTS_MAX);
    (void)stpcpy(stpcpy(at, ",7"), "]}");
    expect_error(text, "/events", "too_many");
}


static void
test_what_is_no_json_object(void **state)
{
    static const char *const bad[] = {
        "", "[]", "null", "{", "{\"a\":1}x", "{" CLICK "," CLICK "}", "\xff"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_body(bad[i]), ADS_INVALID);
        assert_non_null(errors.malformed);
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields),
        cmocka_unit_test(test_least_fields),
        cmocka_unit_test(test_all_errors_at_once),
        cmocka_unit_test(test_a_value_is_read_to_the_nearest_micro),
        cmocka_unit_test(test_personal_data_is_refused),
        cmocka_unit_test(test_times_have_bounds),
        cmocka_unit_test(test_a_bad_item_does_not_lose_the_others),
        cmocka_unit_test(test_a_batch_is_bounded),
        cmocka_unit_test(test_what_is_no_json_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
