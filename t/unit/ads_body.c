/*
 * Bodies are read with all their fields, and refused with all their errors.
 */
#include "core/ads_body.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "vectors.h"

#define NOW INT64_C(1714558830000) /* 2024-05-01T10:20:30Z */
#define ID_A "01234567-89ab-8cde-8f01-23456789abcd"
#define ID_B "AABBCCDD-89ab-4cde-8f01-23456789abcd"
#define MUTATIONS 100000

static struct ads_recommend_body body;
static struct ads_event_body events;
static struct ads_body_errors errors;
static char *copy; /* of the text; the bodies point into it */


static void
keep(const char *text, size_t len)
{
    free(copy);
    copy = malloc(len + (len == 0));
    memcpy(copy, text, len);
}


static enum ads_err
recommend_of(const char *text, size_t len)
{
    enum ads_err err;

    keep(text, len);
    err = ads_body_recommend_read(&body, &errors, copy, len);
    assert_int_equal(err == ADS_INVALID,
                     errors.malformed != NULL || errors.n > 0);
    assert_true(errors.malformed == NULL || errors.n == 0);
    return err;
}


static enum ads_err
recommend(const char *text)
{
    return recommend_of(text, strlen(text));
}


static enum ads_err
event_of(const char *text, size_t len)
{
    keep(text, len);
    return ads_body_event_read(&events, &errors, copy, len, NOW);
}


static enum ads_err
event(const char *text)
{
    return event_of(text, strlen(text));
}


static bool
is(struct ads_str text, const char *expected)
{
    return text.len == strlen(expected)
           && memcmp(text.ptr, expected, text.len) == 0;
}


/* The errors as "pointer code, pointer code". */
static const char *
listed(void)
{
    static char text[4096];
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < errors.n; i++) {
        assert_true(strlen(errors.list[i].detail) > 0);
        len += (size_t)sprintf(text + len, "%s%s %s", i > 0 ? ", " : "",
                               errors.list[i].pointer, errors.list[i].code);
    }
    return text;
}


#define REFUSED(text, expected)                     \
    assert_int_equal(recommend(text), ADS_INVALID); \
    assert_null(errors.malformed);                  \
    assert_string_equal(listed(), expected)

#define EVENT_REFUSED(text, expected)           \
    assert_int_equal(event(text), ADS_INVALID); \
    assert_null(errors.malformed);              \
    assert_string_equal(listed(), expected)


/* ----- recommend ----- */

static void
every_field_is_read(void **state)
{
    (void)state;
    assert_int_equal(
        recommend("{\"query\":\" caf\\u00e9 \\t\",\"context\":{"
                  "\"currency\":\"EUR\",\"location\":\" Germany \","
                  "\"session_id\":\"s:1~a._-\",\"language\":\"de-CH-1996\","
                  "\"consent\":true,\"user_agent\":\"UA/1\","
                  "\"ip\":\"203.0.113.77\"},\"placement\":\"side_bar.2-x\","
                  "\"max_results\":20,\"keywords\":[\" shoes \",\"red\"],"
                  "\"exclude\":{\"ad_ids\":[\"" ID_A "\",\"" ID_B "\"],"
                  "\"advertisers\":[\"ACME\"],\"categories\":[\"a\",\"b\"]},"
                  "\"floor_micros\":1500000}"),
        ADS_OK);
    assert_true(is(body.query, "caf\xc3\xa9"));
    assert_memory_equal(body.currency, "EUR", 3);
    assert_true(is(body.location, "Germany"));
    assert_true(is(body.session_id, "s:1~a._-"));
    assert_true(is(body.language, "de-CH-1996"));
    assert_int_equal(body.consent, ADS_CONSENT_GIVEN);
    assert_true(is(body.user_agent, "UA/1"));
    assert_int_equal(body.ip_len, 4);
    assert_memory_equal(body.ip, "\xcb\x00\x71\x00", 4); /* masked */
    assert_true(is(body.placement, "side_bar.2-x"));
    assert_int_equal(body.max_results, 20);
    assert_int_equal(body.keywords.n, 2);
    assert_true(is(body.keywords.items[0], "shoes"));
    assert_true(is(body.keywords.items[1], "red"));
    assert_int_equal(body.not_ads.n, 2);
    assert_int_equal(body.not_ads.items[1].b[0], 0xaa);
    assert_int_equal(body.not_advertisers.n, 1);
    assert_true(is(body.not_advertisers.items[0], "ACME"));
    assert_int_equal(body.not_categories.n, 2);
    assert_int_equal(body.floor_micros, 1500000);
}


static void
absent_fields_have_their_defaults(void **state)
{
    static const char zeros[3];

    (void)state;
    memset(&body, 0xff, sizeof(body));
    assert_int_equal(recommend("{\"query\":\"shoes\"}"), ADS_OK);
    assert_true(is(body.query, "shoes"));
    assert_memory_equal(body.currency, zeros, 3);
    assert_int_equal(body.location.len, 0);
    assert_int_equal(body.session_id.len, 0);
    assert_int_equal(body.language.len, 0);
    assert_int_equal(body.consent, ADS_CONSENT_UNSAID);
    assert_int_equal(body.user_agent.len, 0);
    assert_int_equal(body.ip_len, 0);
    assert_true(is(body.placement, "inline"));
    assert_int_equal(body.max_results, 3);
    assert_int_equal(body.keywords.n, 0);
    assert_int_equal(body.not_ads.n, 0);
    assert_int_equal(body.not_advertisers.n, 0);
    assert_int_equal(body.not_categories.n, 0);
    assert_int_equal(body.floor_micros, 0);
}


static void
unknown_fields_are_ignored_but_still_json(void **state)
{
    (void)state;
    assert_int_equal(
        recommend("{\"x\":{\"query\":[1,{\"y\":null}]},\"query\":\"a\","
                  "\"context\":{\"future\":[[]],\"currency\":\"USD\"},"
                  "\"exclude\":{\"z\":1}}"),
        ADS_OK);
    assert_true(is(body.query, "a"));
    assert_memory_equal(body.currency, "USD", 3);
    assert_int_equal(recommend("{\"query\":\"a\",\"x\":{\"y\":1,\"y\":2}}"),
                     ADS_INVALID);
    assert_string_equal(errors.malformed,
                        "line 1, column 25: the same key twice in one object");
}


static void
what_is_no_object_is_malformed(void **state)
{
    static const char *const texts[] = {
        "",
        "  ",
        "null",
        "true",
        "1",
        "\"x\"",
        "[]",
        "[1,2]",
        "[[",
        "{",
        "{}x",
        "[]x",
        "{\"query\":\"a\",}",
        "{'query':'a'}",
        "\xef\xbb\xbf{\"query\":\"a\"}",
        "{\"query\":\"a\"",
        "{\"query\":7,\"context\":7,\"x\":01}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(recommend(texts[i]), ADS_INVALID);
        assert_non_null(errors.malformed);
        assert_int_equal(event(texts[i]), ADS_INVALID);
        assert_non_null(errors.malformed);
    }
    assert_int_equal(recommend("[]"), ADS_INVALID);
    assert_string_equal(errors.malformed, "must be a JSON object");
    assert_int_equal(recommend("[]x"), ADS_INVALID);
}


static void
the_query_must_be_there_and_fit(void **state)
{
    static char text[ADS_BODY_QUERY_MAX + 64];
    size_t len;

    (void)state;
    REFUSED("{}", "/query required");
    REFUSED("{\"query\":7}", "/query wrong_type");
    REFUSED("{\"query\":null}", "/query required");
    REFUSED("{\"query\":[\"a\"]}", "/query wrong_type");
    REFUSED("{\"query\":\"\"}", "/query empty");
    REFUSED("{\"query\":\" \\t\\n\\r\\u000b\\f \"}", "/query empty");
    REFUSED("{\"query\":\"a\\u0000b\"}", "/query nul_not_allowed");

    for (size_t n = ADS_BODY_QUERY_MAX; n <= ADS_BODY_QUERY_MAX + 1; n++) {
        len = (size_t)sprintf(text, "{\"query\":\"  ");
        memset(text + len, 'q', n);
        len += n;
        len += (size_t)sprintf(text + len, "  \"}");
        if (n == ADS_BODY_QUERY_MAX) {
            assert_int_equal(recommend_of(text, len), ADS_OK);
            assert_int_equal(body.query.len, n);
        } else {
            assert_int_equal(recommend_of(text, len), ADS_INVALID);
            assert_string_equal(listed(), "/query too_long");
        }
    }
}


static void
all_errors_are_found_at_once(void **state)
{
    (void)state;
    REFUSED("{\"context\":{\"currency\":\"u$d\",\"location\":5,"
            "\"session_id\":\"a@b.de\",\"language\":\"d_e\",\"consent\":1,"
            "\"user_agent\":\"\\u0000\",\"ip\":\"1.2.3\"},"
            "\"placement\":\"In/Line\",\"max_results\":0,"
            "\"keywords\":[\"a\",1,\" \",\"\\u0000\"],"
            "\"exclude\":{\"ad_ids\":[\"x\"],\"categories\":{}},"
            "\"floor_micros\":-1}",
            "/context/currency invalid_format, /context/location wrong_type, "
            "/context/session_id pii_not_allowed, "
            "/context/language invalid_format, /context/consent wrong_type, "
            "/context/user_agent nul_not_allowed, /context/ip invalid_format, "
            "/placement invalid_format, /max_results out_of_range, "
            "/keywords/1 wrong_type, /keywords/2 empty, "
            "/keywords/3 nul_not_allowed, /exclude/ad_ids/0 invalid_format, "
            "/exclude/categories wrong_type, /floor_micros out_of_range, "
            "/query required");
    assert_false(errors.more);

    REFUSED("{\"context\":\"x\",\"exclude\":[],\"keywords\":{\"a\":[1]}}",
            "/context wrong_type, /exclude wrong_type, /keywords wrong_type, "
            "/query required");
    assert_int_equal(
        recommend("{\"query\":\"a\",\"keywords\":[1,2,3,4,5,6,7,8,9,10,11,12,"
                  "13,14,15,16,17,18]}"),
        ADS_INVALID);
    assert_int_equal(errors.n, ADS_BODY_ERRORS_MAX);
    assert_true(errors.more);
    assert_string_equal(errors.list[15].pointer, "/keywords/15");
}


/* One field with one value next to a good query. */
static const char *
with(const char *where, const char *value)
{
    static char text[8192];

    if (strncmp(where, "context.", 8) == 0) {
        snprintf(text, sizeof(text),
                 "{\"query\":\"a\",\"context\":{\"%s\":%s}}", where + 8, value);
    } else {
        snprintf(text, sizeof(text), "{\"query\":\"a\",\"%s\":%s}", where,
                 value);
    }
    return text;
}


static const char *
code_of(const char *where, const char *value)
{
    if (recommend(with(where, value)) == ADS_OK) {
        return "ok";
    }
    assert_null(errors.malformed);
    return errors.list[0].code;
}


/* n times the unit, in quotes. */
static const char *
times(const char *unit, size_t n)
{
    static char text[8000];
    size_t len = 1;

    text[0] = '"';
    for (size_t i = 0; i < n; i++) {
        len += (size_t)sprintf(text + len, "%s", unit);
    }
    text[len] = '"';
    text[len + 1] = '\0';
    return text;
}


static void
each_field_keeps_its_bounds(void **state)
{
    static const struct {
        const char *field;
        const char *value;
        const char *code;
    } cases[] = {
        {"max_results", "1", "ok"},
        {"max_results", "20", "ok"},
        {"max_results", "3.0", "ok"},
        {"max_results", "0", "out_of_range"},
        {"max_results", "21", "ok"},
        {"max_results", "-1", "out_of_range"},
        {"max_results", "2.5", "not_an_integer"},
        {"max_results", "99999999999999999999", "out_of_range"},
        {"max_results", "1e99999999999999999999", "out_of_range"},
        {"max_results", "1e-9", "not_an_integer"},
        {"max_results", "\"3\"", "wrong_type"},
        {"max_results", "null", "ok"},
        {"max_results", "true", "wrong_type"},
        {"floor_micros", "0", "ok"},
        {"floor_micros", "1000000000000000", "ok"},
        {"floor_micros", "1000000000000001", "out_of_range"},
        {"floor_micros", "-1", "out_of_range"},
        {"floor_micros", "0.5", "not_an_integer"},
        {"context.currency", "\"USD\"", "ok"},
        {"context.currency", "\"USDX\"", "invalid_format"},
        {"context.currency", "\"US\"", "invalid_format"},
        {"context.currency", "\"usd\"", "ok"},
        {"context.currency", "\"U1D\"", "invalid_format"},
        {"context.currency", "\" USD\"", "ok"},
        {"context.currency", "\"\"", "ok"},
        {"context.currency", "null", "ok"},
        {"context.location", "\"\"", "ok"},
        {"context.location", "\"Atlantis\"", "ok"},
        {"context.session_id", "\"\"", "ok"},
        {"context.session_id", "\"a b\"", "invalid_format"},
        {"context.session_id", "\"+a/b==\"", "ok"},
        {"context.session_id", "\"\\u00e9\"", "invalid_format"},
        {"context.session_id", "\"203.0.113.7\"", "pii_not_allowed"},
        {"context.session_id", "\"4111111111111111\"", "pii_not_allowed"},
        {"context.session_id", "\"" ID_A "\"", "ok"},
        {"context.language", "\"en\"", "ok"},
        {"context.language", "\"zh-Hant-TW\"", "ok"},
        {"context.language", "\"\"", "ok"},
        {"context.language", "\"en-\"", "invalid_format"},
        {"context.language", "\"-en\"", "invalid_format"},
        {"context.language", "\"en--us\"", "invalid_format"},
        {"context.language", "\"1en\"", "invalid_format"},
        {"context.language", "\"abcdefghi\"", "invalid_format"},
        {"context.consent", "false", "ok"},
        {"context.consent", "\"CPXxRfAPXxRfA.YAAA~1\"", "ok"},
        {"context.consent", "\"\"", "ok"},
        {"context.consent", "\"\\n\"", "invalid_format"},
        {"context.consent", "\"\\u00e9\"", "invalid_format"},
        {"context.consent", "{}", "wrong_type"},
        {"context.ip", "\"2001:db8::1\"", "ok"},
        {"context.ip", "\"300.1.1.1\"", "invalid_format"},
        {"context.ip", "\"\"", "ok"},
        {"context.ip", "1", "wrong_type"},
        {"placement", "\"a\"", "ok"},
        {"placement", "\"\"", "ok"},
        {"placement", "\"Inline\"", "ok"},
        {"placement", "\"a b\"", "ok"},
        {"placement", "\"a+b\"", "invalid_format"},
        {"placement", "\"a\\tb\"", "invalid_format"},
        {"placement", "null", "ok"},
        {"keywords", "[]", "ok"},
        {"keywords", "\"a\"", "wrong_type"},
        {"keywords", "[[]]", "wrong_type"},
        {"keywords", "[{\"a\":1}]", "wrong_type"},
        {"keywords", "[\"\"]", "empty"},
        {"exclude", "{}", "ok"},
        {"exclude", "{\"ad_ids\":[{}]}", "wrong_type"},
        {"exclude", "{\"ad_ids\":\"" ID_A "\"}", "wrong_type"},
        {"context", "{}", "ok"},
        {"context", "null", "ok"},
    };
    static const struct {
        const char *field;
        const char *unit;
        size_t max;
    } lengths[] = {
        {"context.location", "x", 128},
        {"context.location", "\xc3\xa9", 128},
        {"context.location", "\\u00e9", 128},
        {"context.user_agent", "x", 1024},
        {"context.consent", "x", 2048},
        {"context.session_id", "x", 128},
        {"placement", "x", 64},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *code = code_of(cases[i].field, cases[i].value);

        if (strcmp(code, cases[i].code) != 0) {
            fail_msg("%s = %s: %s", cases[i].field, cases[i].value, code);
        }
    }
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        assert_string_equal(
            code_of(lengths[i].field, times(lengths[i].unit, lengths[i].max)),
            "ok");
        assert_string_not_equal(
            code_of(lengths[i].field,
                    times(lengths[i].unit, lengths[i].max + 1)),
            "ok");
    }
    assert_string_equal(code_of("context.language", times("a-", 17)),
                        "invalid_format");
    assert_string_equal(code_of("context.language", times("a-bbbbbb", 5)),
                        "too_long");
}


static void
another_spelling_is_served_with_a_warning(void **state)
{
    static const char all[] = "\"warnings\":["
                              "{\"pointer\":\"/context/location\",\"code\":";
    char text[ADS_WARNING_LEN_MAX];

    (void)state;
    assert_int_equal(recommend("{\"query\":\"a\",\"context\":{\"currency\":"
                               "\" eur\"},\"placement\":\" Chat Inline \","
                               "\"max_results\":50}"),
                     ADS_OK);
    assert_memory_equal(body.currency, "EUR", 3);
    assert_true(is(body.placement, "chat_inline"));
    assert_int_equal(body.max_results, 20);
    assert_int_equal(body.warnings, ADS_WARNING_BIT(CURRENCY)
                                        | ADS_WARNING_BIT(PLACEMENT)
                                        | ADS_WARNING_BIT(RESULTS));

    assert_int_equal(recommend("{\"query\":\"a\",\"context\":{\"currency\":"
                               "\"EUR\",\"session_id\":\"dGhlIGlk+/8=\"},"
                               "\"placement\":\"chat_inline\","
                               "\"max_results\":20}"),
                     ADS_OK);
    assert_int_equal(body.warnings, 0);
    assert_true(is(body.session_id, "dGhlIGlk+/8="));

    assert_int_equal(recommend("{\"query\":\"a\",\"context\":{\"currency\":"
                               "\"\",\"session_id\":\"\",\"language\":\"\","
                               "\"consent\":\"\",\"ip\":\"\",\"location\":"
                               "\"\"},\"placement\":\" \"}"),
                     ADS_OK);
    assert_int_equal(body.warnings, 0);
    assert_int_equal(body.currency[0], 0);
    assert_int_equal(body.session_id.len, 0);
    assert_int_equal(body.consent, ADS_CONSENT_UNSAID);
    assert_true(is(body.placement, "inline"));

    assert_true(ads_warning_write(text, (1u << ADS_WARNING_END) - 1)
                <= sizeof(text));
    assert_memory_equal(text, all, sizeof(all) - 1);
    assert_int_equal(ads_warning_write(text, ADS_WARNING_BIT(RESULTS)), 121);
    assert_memory_equal(text,
                        "\"warnings\":[{\"pointer\":\"/max_results\","
                        "\"code\":\"clamped\",",
                        sizeof("'warnings':[{'pointer':'/max_results',"
                               "'code':'clamped',")
                            - 1);
}


/* [value, value, ...] */
static const char *
list_of(const char *value, size_t n)
{
    static char text[8000];
    size_t len = (size_t)sprintf(text, "[");

    for (size_t i = 0; i < n; i++) {
        len += (size_t)sprintf(text + len, "%s%s", i > 0 ? "," : "", value);
    }
    sprintf(text + len, "]");
    return text;
}


static void
lists_keep_their_bounds(void **state)
{
    char text[8100];

    (void)state;
    assert_string_equal(code_of("keywords", list_of("\"k\"", 20)), "ok");
    assert_int_equal(body.keywords.n, 20);
    assert_string_equal(code_of("keywords", list_of("\"k\"", 21)), "too_many");
    assert_int_equal(errors.n, 1);
    assert_string_equal(errors.list[0].pointer, "/keywords");
    assert_string_equal(code_of("keywords", list_of("{\"a\":[]}", 40)),
                        "wrong_type");

    snprintf(text, sizeof(text), "[%s]", times("k", 128));
    assert_string_equal(code_of("keywords", text), "ok");
    snprintf(text, sizeof(text), "[%s]", times("k", 129));
    assert_string_equal(code_of("keywords", text), "too_long");

    for (size_t n = 64; n <= 65; n++) {
        const char *code = n == 64 ? "ok" : "too_many";

        snprintf(text, sizeof(text), "{\"ad_ids\":%s}",
                 list_of("\"" ID_A "\"", n));
        assert_string_equal(code_of("exclude", text), code);
        snprintf(text, sizeof(text), "{\"advertisers\":%s}",
                 list_of("\"a\"", n));
        assert_string_equal(code_of("exclude", text), code);
        snprintf(text, sizeof(text), "{\"categories\":%s}",
                 list_of("\"c\"", n));
        assert_string_equal(code_of("exclude", text), code);
        assert_int_equal(body.not_categories.n, 64);
    }
}


/* ----- events ----- */

static void
a_single_event_is_read(void **state)
{
    (void)state;
    assert_int_equal(event("{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_B
                           "\",\"session_id\":\"s-1\",\"occurred_at\":"
                           "\"2024-05-01T12:20:30.5+02:00\"}"),
                     ADS_OK);
    assert_false(events.batch);
    assert_int_equal(events.n, 1);
    assert_true(events.items[0].ok);
    assert_int_equal(events.items[0].request_id.b[15], 0xcd);
    assert_int_equal(events.items[0].ad_id.b[0], 0xaa);
    assert_true(is(events.items[0].session_id, "s-1"));
    assert_int_equal(events.items[0].occurred_ms, NOW + 500);

    assert_int_equal(
        event("{\"ad_id\":\"" ID_B "\",\"request_id\":\"" ID_A "\"}"), ADS_OK);
    assert_int_equal(events.items[0].session_id.len, 0);
    assert_int_equal(events.items[0].occurred_ms, ADS_BODY_TIME_NONE);
}


static void
a_bad_event_tells_all_its_errors(void **state)
{
    (void)state;
    EVENT_REFUSED("{}", "/request_id required, /ad_id required");
    EVENT_REFUSED("{\"request_id\":\"" ID_A "\",\"ad_id\":\"x\","
                  "\"session_id\":\"+442079460958\",\"occurred_at\":1}",
                  "/ad_id invalid_format, /session_id pii_not_allowed, "
                  "/occurred_at wrong_type");
    EVENT_REFUSED("{\"request_id\":null,\"ad_id\":\"" ID_A "\","
                  "\"occurred_at\":\"yesterday\",\"session_id\":\"\"}",
                  "/occurred_at invalid_format, /request_id required");
    EVENT_REFUSED("{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_A "\","
                  "\"user\":null}",
                  " unknown_field");
}


static void
unknown_fields_of_events_are_named_when_they_look_like_ours(void **state)
{
    (void)state;
    EVENT_REFUSED("{\"request_id\":\"" ID_A "\",\"adId\":\"" ID_A "\"}",
                  " unknown_field, /ad_id required");
    assert_string_equal(errors.list[0].detail,
                        "has no field adId: did you mean ad_id?");
    EVENT_REFUSED("{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_A "\","
                  "\"user\":1}",
                  " unknown_field");
    assert_string_equal(errors.list[0].detail, "has no field user");
    EVENT_REFUSED("{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_A "\","
                  "\"alice@example.com\":{\"a\":[1]},\"b\":2}",
                  " unknown_field");
    assert_string_equal(errors.list[0].detail,
                        "holds a field that it does not have");
    EVENT_REFUSED("{\"event\":1}",
                  " unknown_field, /request_id required, /ad_id required");
}


static void
the_time_of_an_event_is_bounded(void **state)
{
    static const struct {
        const char *time;
        bool fine;
    } cases[] = {
        {"2024-05-01T10:30:30Z", true},
        {"2024-05-01T10:30:30.001Z", false},
        {"2024-04-24T10:20:30Z", true},
        {"2024-04-24T10:20:29.999Z", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];

        snprintf(text, sizeof(text),
                 "{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_A "\","
                 "\"occurred_at\":\"%s\"}",
                 cases[i].time);
        assert_int_equal(event(text), cases[i].fine ? ADS_OK : ADS_INVALID);
        if (!cases[i].fine) {
            assert_string_equal(listed(), "/occurred_at out_of_range");
        }
    }
}


#define GOOD "{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_B "\"}"

static void
a_bad_item_does_not_lose_the_others(void **state)
{
    (void)state;
    assert_int_equal(event("{\"events\":[" GOOD ",{\"ad_id\":7,\"x\":1}," GOOD
                           ",5," GOOD "]}"),
                     ADS_OK);
    assert_true(events.batch);
    assert_int_equal(events.n, 5);
    assert_true(events.items[0].ok);
    assert_false(events.items[1].ok);
    assert_true(events.items[2].ok);
    assert_false(events.items[3].ok);
    assert_true(events.items[4].ok);
    assert_string_equal(events.items[1].error.pointer, "/events/1/ad_id");
    assert_string_equal(events.items[1].error.code, "wrong_type");
    assert_string_equal(events.items[3].error.pointer, "/events/3");
    assert_string_equal(listed(),
                        "/events/1/ad_id wrong_type, /events/1 unknown_field, "
                        "/events/1/request_id required, /events/3 wrong_type");
    assert_int_equal(events.items[4].ad_id.b[0], 0xaa);
}


static void
a_batch_holds_up_to_a_hundred_events(void **state)
{
    char text[16384];
    size_t len;

    (void)state;
    assert_int_equal(event("{\"events\":[]}"), ADS_OK);
    assert_true(events.batch);
    assert_int_equal(events.n, 0);

    for (int n = 100; n <= 101; n++) {
        len = (size_t)sprintf(text, "{\"events\":[");
        for (int i = 0; i < n; i++) {
            len += (size_t)sprintf(text + len, "%s" GOOD, i > 0 ? "," : "");
        }
        len += (size_t)sprintf(text + len, "]}");
        assert_int_equal(event_of(text, len), n == 100 ? ADS_OK : ADS_INVALID);
        if (n == 100) {
            assert_int_equal(events.n, 100);
            assert_true(events.items[99].ok);
        } else {
            assert_string_equal(listed(), "/events too_many");
        }
    }
    EVENT_REFUSED("{\"events\":{}}", "/events wrong_type");
    EVENT_REFUSED("{\"events\":[" GOOD "],\"ad_id\":\"" ID_A "\"}",
                  " unknown_field");
    EVENT_REFUSED("{\"events\":[" GOOD "],\"x\":1}", " unknown_field");
}


static void
each_of_a_hundred_bad_items_has_its_error(void **state)
{
    char text[8192];
    size_t len = (size_t)sprintf(text, "{\"events\":[");

    (void)state;
    for (int i = 0; i < 100; i++) {
        len += (size_t)sprintf(text + len, "%s{\"session_id\":1}",
                               i > 0 ? "," : "");
    }
    len += (size_t)sprintf(text + len, "]}");
    assert_int_equal(event_of(text, len), ADS_OK);
    assert_int_equal(errors.n, ADS_BODY_ERRORS_MAX);
    assert_true(errors.more);
    for (int i = 0; i < 100; i++) {
        char pointer[64];

        sprintf(pointer, "/events/%d/session_id", i);
        assert_false(events.items[i].ok);
        assert_string_equal(events.items[i].error.pointer, pointer);
    }
}


/* ----- both ----- */

static void
the_personal_data_of_the_vectors_is_refused(void **state)
{
    json_t *document = vectors_load("pii_values.json");
    json_t *item;
    size_t i;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        json_t *whole =
            json_pack("{ss,ss,sO}", "request_id", ID_A, "ad_id", ID_B,
                      "session_id", json_object_get(item, "value"));
        char *text = json_dumps(whole, 0);
        bool pii = json_is_true(json_object_get(item, "pii"));

        assert_int_equal(event(text) == ADS_INVALID
                             && strcmp(errors.list[0].code, "pii_not_allowed")
                                    == 0,
                         pii);
        free(text);
        json_decref(whole);
    }
    json_decref(document);
}


static void
the_request_vectors_are_classified_right(void **state)
{
    json_t *document = vectors_load("request_bodies.json");
    json_t *item;
    size_t i;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        const char *expected =
            json_string_value(json_object_get(item, "expect"));
        size_t len = 0;
        char *text = vectors_base64(item, "b64", &len);
        enum ads_err err;

        if (text == NULL) {
            continue; /* a long one, compressed: others here are like them */
        }
        err = recommend_of(text, len);
        if ((expected[0] == '2' && err != ADS_OK)
            || (expected[0] == '4' && err != ADS_INVALID))
        {
            fail_msg("%s", json_string_value(json_object_get(item, "why")));
        }
        free(text);
    }
    json_decref(document);
}


/* Whatever comes, the texts lie inside the body, and the pointers are ours. */
static void
mutated_bodies_are_read_safely(void **state)
{
    static const char *const seeds[] = {
        "{\"query\":\"buy \\u00e9\",\"context\":{\"currency\":\"USD\","
        "\"location\":\"US\",\"session_id\":\"s-1\",\"ip\":\"::1\","
        "\"consent\":true},\"keywords\":[\"a\",\"b\"],\"exclude\":{"
        "\"ad_ids\":[\"" ID_A "\"],\"advertisers\":[\"x\"]},"
        "\"max_results\":3}",
        "{\"events\":[" GOOD ",{\"request_id\":\"" ID_A "\",\"ad_id\":\"" ID_B
        "\",\"session_id\":\"s\",\"occurred_at\":\"2024-05-01T10:20:30Z\"}]}",
    };
    uint64_t random = 0x5eed;
    int n_fine = 0;

    (void)state;
    for (int i = 0; i < MUTATIONS; i++) {
        char text[1024];
        size_t len = strlen(seeds[i % 2]);

        memcpy(text, seeds[i % 2], len);
        for (int k = 0; k < 2; k++) {
            random =
                random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            if (random >> 62 == 0) {
                size_t at = (random >> 20) % len;

                memmove(text + at, text + at + 1, len - at - 1);
                len--;
            } else {
                text[(random >> 20) % len] =
                    "\"\\,:[]{}0159aez-. \xc3\xa9\x01"[(random >> 40) % 22];
            }
        }
        if (i % 2 == 0) {
            if (recommend_of(text, len) == ADS_OK) {
                n_fine++;
                assert_true(body.query.ptr > copy
                            && body.query.ptr + body.query.len < copy + len);
            }
        } else {
            n_fine += event_of(text, len) == ADS_OK;
        }
        for (uint32_t k = 0; k < errors.n; k++) {
            const char *pointer = errors.list[k].pointer;

            assert_true(memchr(pointer, 0, ADS_BODY_POINTER_MAX) != NULL);
            assert_int_equal(
                strspn(pointer, "/_abcdefghijklmnopqrstuvwxyz0123456789"),
                strlen(pointer));
        }
    }
    assert_in_range(n_fine, MUTATIONS / 20, MUTATIONS - MUTATIONS / 20);
}


static uint32_t
count_of(const char *text)
{
    keep(text, strlen(text));
    return ads_body_events_count(copy, strlen(text));
}


static void
events_are_counted_by_their_form(void **state)
{
    char text[1024] = "{\"events\":[1";
    char *p = text + strlen(text);

    (void)state;
    assert_int_equal(count_of("{\"click_id\":\"a\",\"value\":1}"), 1);
    assert_int_equal(count_of("{\"events\":[]}"), 0);
    assert_int_equal(count_of("{\"events\":[{\"a\":[1,2]},3,[{}]]}"), 3);
    assert_int_equal(count_of("{\"a\":[1,2],\"\\u0065vents\":[1,2]}"), 2);
    assert_int_equal(count_of("{\"a\":{\"events\":[1,2]}}"), 1);
    assert_int_equal(count_of("{\"events\":[1,2}"), 1);
    assert_int_equal(count_of("{\"events\":[1,2],\"events\":[]}"), 1);
    assert_int_equal(count_of("[1,2]"), 1);
    assert_int_equal(count_of(""), 1);

    for (int n = 1; n <= ADS_BODY_EVENTS_MAX; n++) {
        strcpy(p, "]}");
        assert_int_equal(count_of(text), n);
        p = stpcpy(p, ",1");
    }
    strcpy(p, "]}");
    assert_int_equal(count_of(text), 1);
}


static int
release(void **state)
{
    (void)state;
    free(copy);
    return 0;
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(absent_fields_have_their_defaults),
        cmocka_unit_test(unknown_fields_are_ignored_but_still_json),
        cmocka_unit_test(what_is_no_object_is_malformed),
        cmocka_unit_test(the_query_must_be_there_and_fit),
        cmocka_unit_test(all_errors_are_found_at_once),
        cmocka_unit_test(each_field_keeps_its_bounds),
        cmocka_unit_test(another_spelling_is_served_with_a_warning),
        cmocka_unit_test(lists_keep_their_bounds),
        cmocka_unit_test(a_single_event_is_read),
        cmocka_unit_test(a_bad_event_tells_all_its_errors),
        cmocka_unit_test(
            unknown_fields_of_events_are_named_when_they_look_like_ours),
        cmocka_unit_test(the_time_of_an_event_is_bounded),
        cmocka_unit_test(a_bad_item_does_not_lose_the_others),
        cmocka_unit_test(a_batch_holds_up_to_a_hundred_events),
        cmocka_unit_test(each_of_a_hundred_bad_items_has_its_error),
        cmocka_unit_test(the_personal_data_of_the_vectors_is_refused),
        cmocka_unit_test(the_request_vectors_are_classified_right),
        cmocka_unit_test(events_are_counted_by_their_form),
        cmocka_unit_test(mutated_bodies_are_read_safely),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
