/*
 * The JSON scanner takes what RFC 8259 allows, refuses the rest, and agrees
 * with jansson about both.
 */
#include "core/ads_json.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "vectors.h"

#include <errno.h>
#include <time.h>

#define MUTATIONS 200000
#define BODY_MAX 16384


/* ----- helpers ----- */

/* Scans a copy of the text that ends where it ends, so that a sanitizer sees
 * any step too far. */
static enum ads_json_fault
fault_of(const char *text, size_t len, size_t *offset)
{
    static struct ads_json json;
    struct ads_json_value value;
    char *copy = malloc(len + (len == 0));
    enum ads_err err;

    memcpy(copy, text, len);
    ads_json_init(&json, copy, len);
    ads_json_read(&json, &value);
    ads_json_skip(&json, &value);
    err = ads_json_end(&json);
    assert_int_equal(err == ADS_OK, json.fault == ADS_JSON_FINE);
    assert_true(json.offset <= len);
    if (offset != NULL) {
        *offset = json.offset;
    }
    free(copy);
    return json.fault;
}


static enum ads_json_fault
fault(const char *text)
{
    return fault_of(text, strlen(text), NULL);
}


/* Builds what jansson would out of what the scanner says. */
static json_t *
build(struct ads_json *json)
{
    struct ads_json_value value;
    struct ads_str key;
    json_t *built;

    ads_json_read(json, &value);
    switch (value.type) {
    case ADS_JSON_NULL:
        return json_null();
    case ADS_JSON_BOOL:
        return json_boolean(value.truth);
    case ADS_JSON_STRING:
        assert_int_equal(value.has_nul,
                         memchr(value.text.ptr, 0, value.text.len) != NULL);
        return json_stringn(value.text.ptr, value.text.len);
    case ADS_JSON_NUMBER: {
        char *text = strndup(value.text.ptr, value.text.len);

        if (strpbrk(text, ".eE") != NULL) {
            double real = strtod(text, NULL);

            built = json_real(real - real == 0 ? real : 0);
        } else {
            built = json_integer(strtoll(text, NULL, 10));
        }
        free(text);
        return built;
    }
    case ADS_JSON_ARRAY:
        built = json_array();
        while (ads_json_element(json)) {
            json_array_append_new(built, build(json));
        }
        return built;
    case ADS_JSON_OBJECT:
        built = json_object();
        while (ads_json_member(json, &key)) {
            char *name = strndup(key.ptr, key.len);

            json_object_set_new(built, name, build(json));
            free(name);
        }
        return built;
    default:
        return json_null();
    }
}


/*
 * Both classify the text alike and read the same values out of it, but for what
 * only one of them refuses on purpose: jansson numbers that do not fit its
 * types, and U+0000 in keys; we more than 16 levels and more than 512 keys.
 * And jansson takes a raw NUL between tokens for the end of the text.  Returns
 * whether we take the text.
 */
static bool
compare(const char *text, size_t len)
{
    static struct ads_json json;
    char *copy = malloc(len + (len == 0));
    json_error_t error;
    json_t *theirs;
    json_t *ours;
    bool fine;

    theirs = json_loadb(
        text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
        &error);
    memcpy(copy, text, len);
    ads_json_init(&json, copy, len);
    ours = build(&json);
    fine = ads_json_end(&json) == ADS_OK;

    if (fine && theirs == NULL) {
        enum json_error_code code = json_error_code(&error);

        if (code != json_error_numeric_overflow
            && code != json_error_null_byte_in_key) {
            fail_msg("only jansson refuses (%s): %.*s", error.text, (int)len,
                     text);
        }
    } else if (!fine && theirs != NULL) {
        if (json.fault != ADS_JSON_TOO_DEEP
            && json.fault != ADS_JSON_TOO_MANY_KEYS
            && memchr(text, '\0', len) == NULL)
        {
            fail_msg("only we refuse (%s at %zu): %.*s",
                     ads_json_fault_text(json.fault), json.offset, (int)len,
                     text);
        }
    } else if (fine && !json_equal(ours, theirs)) {
        fail_msg("read differently: %.*s", (int)len, text);
    }

    json_decref(ours);
    json_decref(theirs);
    free(copy);
    return fine;
}


static uint64_t
random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}


/* ----- checks ----- */

static void
scalars_are_read(void **state)
{
    struct ads_json json;
    struct ads_json_value value;
    char text[] =
        " [ null,true,false , -12.50e+3,\"a\\u00e9\\n\\/\" ,\"\"]\r\n";

    (void)state;
    ads_json_init(&json, text, sizeof(text) - 1);
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_ARRAY);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_NULL);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_true(value.type == ADS_JSON_BOOL && value.truth);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_true(value.type == ADS_JSON_BOOL && !value.truth);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_NUMBER);
    assert_int_equal(value.text.len, 9);
    assert_memory_equal(value.text.ptr, "-12.50e+3", 9);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_STRING);
    assert_int_equal(value.text.len, 5);
    assert_memory_equal(value.text.ptr, "a\xc3\xa9\n/", 5);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_true(value.type == ADS_JSON_STRING && value.text.len == 0);
    assert_false(ads_json_element(&json));
    assert_int_equal(ads_json_end(&json), ADS_OK);
}


static void
strings_without_escapes_are_not_touched(void **state)
{
    const char original[] =
        "{\"key\":\"caf\xc3\xa9 \xf0\x9f\x91\x9f 12345678\"}";
    char text[sizeof(original)];
    struct ads_json json;
    struct ads_json_value value;
    struct ads_str key;

    (void)state;
    memcpy(text, original, sizeof(text));
    ads_json_init(&json, text, sizeof(text) - 1);
    ads_json_read(&json, &value);
    assert_true(ads_json_member(&json, &key));
    ads_json_read(&json, &value);
    assert_ptr_equal(key.ptr, text + 2);
    assert_ptr_equal(value.text.ptr, text + 8);
    assert_false(value.has_nul);
    assert_false(ads_json_member(&json, &key));
    assert_int_equal(ads_json_end(&json), ADS_OK);
    assert_memory_equal(text, original, sizeof(text));
}


static void
nul_is_reported(void **state)
{
    struct ads_json json;
    struct ads_json_value value;
    char text[] = "\"a\\u0000b\"";

    (void)state;
    ads_json_init(&json, text, sizeof(text) - 1);
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_STRING);
    assert_int_equal(value.text.len, 3);
    assert_true(value.has_nul);
    assert_int_equal(ads_json_end(&json), ADS_OK);
    assert_int_equal(fault_of("\"a\0b\"", 5, NULL), ADS_JSON_CONTROL);
}


static void
surrogates_come_in_pairs(void **state)
{
    struct ads_json json;
    struct ads_json_value value;
    char text[] = "\"\\ud83d\\uDC5f\"";

    (void)state;
    ads_json_init(&json, text, sizeof(text) - 1);
    ads_json_read(&json, &value);
    assert_int_equal(value.text.len, 4);
    assert_memory_equal(value.text.ptr, "\xf0\x9f\x91\x9f", 4);

    assert_int_equal(fault("\"\\ud83d\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\ud83dxxxxxx\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\ud83d\\n\\u0020\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\udc5f\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\udc5f\\ud83d\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\ud83d\\ud83d\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\ud83d\\uE000\""), ADS_JSON_BAD_ESCAPE);
    assert_int_equal(fault("\"\\uD7FF\\uE000\""), ADS_JSON_FINE);
}


static void
utf8_is_strict(void **state)
{
    static const char *const bad[] = {
        "\"\x80\"",     /* a tail alone */
        "\"\xc0\xaf\"", /* overlong */
        "\"\xc1\xbf\"",
        "\"\xe0\x9f\xbf\"",
        "\"\xf0\x8f\xbf\xbf\"",
        "\"\xed\xa0\x80\"", /* a surrogate */
        "\"\xed\xbf\xbf\"",
        "\"\xf4\x90\x80\x80\"", /* past U+10FFFF */
        "\"\xf5\x80\x80\x80\"",
        "\"\xff\"",
        "\"\xc3\"", /* cut */
        "\"\xe2\x82\"",
        "\"\xf0\x9f\x91\"",
        "\"\xe2(\xa1\"",
        "\"12345678\xff\"",
    };
    static const char *const good[] = {
        "\"\x7f\"",         "\"\xc2\x80\"",         "\"\xdf\xbf\"",
        "\"\xe0\xa0\x80\"", "\"\xed\x9f\xbf\"",     "\"\xee\x80\x80\"",
        "\"\xef\xbf\xbf\"", "\"\xf0\x90\x80\x80\"", "\"\xf4\x8f\xbf\xbf\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(fault(bad[i]), ADS_JSON_BAD_UTF8);
    }
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(fault(good[i]), ADS_JSON_FINE);
    }
    assert_int_equal(fault("\xef\xbb\xbf{}"), ADS_JSON_SYNTAX);
}


static void
every_control_character_is_refused(void **state)
{
    (void)state;
    for (int c = 1; c < 0x20; c++) {
        for (size_t at = 1; at < 12; at++) {
            char text[] = "\"abcdefghijkl\"";

            text[at] = (char)c;
            assert_int_equal(fault(text), ADS_JSON_CONTROL);
        }
    }
}


static void
faults_tell_what_and_where(void **state)
{
    static const struct {
        const char *text;
        enum ads_json_fault fault;
        size_t offset;
    } cases[] = {
        {"", ADS_JSON_TRUNCATED, 0},
        {"  ", ADS_JSON_TRUNCATED, 2},
        {"{\"a\":", ADS_JSON_TRUNCATED, 5},
        {"[1,2", ADS_JSON_TRUNCATED, 4},
        {"\"abc", ADS_JSON_TRUNCATED, 4},
        {"\"abc\\", ADS_JSON_TRUNCATED, 5},
        {"[1,]", ADS_JSON_SYNTAX, 3},
        {"{,}", ADS_JSON_SYNTAX, 1},
        {"{\"a\":1,}", ADS_JSON_SYNTAX, 7},
        {"{\"a\" 1}", ADS_JSON_SYNTAX, 5},
        {"{\"a\":1 \"b\":2}", ADS_JSON_SYNTAX, 7},
        {"{a:1}", ADS_JSON_SYNTAX, 1},
        {"{1:1}", ADS_JSON_SYNTAX, 1},
        {"[1}", ADS_JSON_SYNTAX, 2},
        {"{\"a\":1]", ADS_JSON_SYNTAX, 6},
        {"[tru]", ADS_JSON_SYNTAX, 1},
        {"[nul", ADS_JSON_SYNTAX, 1},
        {"'a'", ADS_JSON_SYNTAX, 0},
        {"NaN", ADS_JSON_SYNTAX, 0},
        {"/*x*/1", ADS_JSON_SYNTAX, 0},
        {"[01]", ADS_JSON_BAD_NUMBER, 1},
        {"[-]", ADS_JSON_BAD_NUMBER, 1},
        {"1.", ADS_JSON_BAD_NUMBER, 0},
        {"1e", ADS_JSON_BAD_NUMBER, 0},
        {"1e+", ADS_JSON_BAD_NUMBER, 0},
        {"+1", ADS_JSON_SYNTAX, 0},
        {".5", ADS_JSON_SYNTAX, 0},
        {"\"\\x41\"", ADS_JSON_BAD_ESCAPE, 1},
        {"\"\\u12g4\"", ADS_JSON_BAD_ESCAPE, 1},
        {"\"\\u12", ADS_JSON_BAD_ESCAPE, 1},
        {"1 2", ADS_JSON_TRAILING, 2},
        {"{}x", ADS_JSON_TRAILING, 2},
        {"nullx", ADS_JSON_TRAILING, 4},
        {"{\"a\":1,\"b\":2,\"a\":3}", ADS_JSON_DUPLICATE_KEY, 13},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t offset;

        if (fault_of(cases[i].text, strlen(cases[i].text), &offset)
                != cases[i].fault
            || offset != cases[i].offset)
        {
            fail_msg("%s", cases[i].text);
        }
    }
    for (int i = 0; i <= ADS_JSON_TRAILING + 1; i++) {
        assert_true(strlen(ads_json_fault_text(i)) > 0);
    }
}


static void
a_fault_ends_every_loop(void **state)
{
    struct ads_json json;
    struct ads_json_value value;
    struct ads_str key;
    char text[] = "{\"a\":[1,\x01";

    (void)state;
    ads_json_init(&json, text, sizeof(text) - 1);
    ads_json_read(&json, &value);
    assert_true(ads_json_member(&json, &key));
    ads_json_read(&json, &value);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_NONE);
    assert_false(ads_json_element(&json));
    assert_false(ads_json_member(&json, &key));
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_NONE);
    assert_int_equal(ads_json_end(&json), ADS_INVALID);
    assert_int_equal(json.fault, ADS_JSON_SYNTAX);
    assert_int_equal(json.offset, 8);
}


/* Ends of lines are counted where the text has them, and not where a string
 * says one: columns are those of the text as it was sent. */
static void
faults_have_line_and_column(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {"", "line 1, column 1: the text ends too early"},
        {"{\"a\": 1,}", "line 1, column 9: a character that cannot stand here"},
        {"{\n  \"a\": 1,\n  \"b\": 01\n}",
         "line 3, column 8: not a number of JSON"},
        {"{\"a\": \"\\n\\n\\u000a\",\r\n \"b\": \"x\\n\" 2}",
         "line 2, column 13: a character that cannot stand here"},
        {"{\"\\n\": \"a\nb\"}",
         "line 1, column 10: a raw control character in a string"},
        {"[1]\n\n  x", "line 3, column 3: something follows the value"},
    };
    char said[ADS_JSON_FAULT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        struct ads_json json;
        struct ads_json_value value;

        strcpy(text, cases[i].text);
        ads_json_init(&json, text, strlen(text));
        ads_json_read(&json, &value);
        ads_json_skip(&json, &value);
        assert_int_equal(ads_json_end(&json), ADS_INVALID);
        ads_json_fault_write(said, &json);
        assert_string_equal(said, cases[i].said);
    }
}


static void
sixteen_levels_are_the_limit(void **state)
{
    char text[2 * 17];

    (void)state;
    memset(text, '[', 16);
    memset(text + 16, ']', 16);
    assert_int_equal(fault_of(text, 32, NULL), ADS_JSON_FINE);
    memset(text, '[', 17);
    memset(text + 17, ']', 17);
    assert_int_equal(fault_of(text, 34, NULL), ADS_JSON_TOO_DEEP);
}


static void
deep_nesting_is_refused_at_once(void **state)
{
    size_t len = 300000;
    char *text = malloc(len);

    (void)state;
    memset(text, '[', len);
    assert_int_equal(fault_of(text, len, NULL), ADS_JSON_TOO_DEEP);
    for (size_t i = 0; i < len; i += 6) {
        memcpy(text + i, "[{\"\":", 5);
        text[i + 5] = ' ';
    }
    assert_int_equal(fault_of(text, len, NULL), ADS_JSON_TOO_DEEP);
    free(text);
}


static void
duplicate_keys_are_refused_everywhere(void **state)
{
    (void)state;
    assert_int_equal(fault("{\"a\":1,\"a\":2}"), ADS_JSON_DUPLICATE_KEY);
    assert_int_equal(fault("{\"a\":1,\"\\u0061\":2}"), ADS_JSON_DUPLICATE_KEY);
    assert_int_equal(fault("{\"\":1,\"\":2}"), ADS_JSON_DUPLICATE_KEY);
    assert_int_equal(fault("{\"x\":{\"y\":[{\"b\":1,\"c\":2,\"b\":3}]}}"),
                     ADS_JSON_DUPLICATE_KEY);
    assert_int_equal(fault("{\"a\":{\"b\":1},\"b\":{\"a\":1},\"a\":1}"),
                     ADS_JSON_DUPLICATE_KEY);
    assert_int_equal(fault("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}"),
                     ADS_JSON_FINE);
    assert_int_equal(fault("[{\"a\":1},{\"a\":1}]"), ADS_JSON_FINE);
    assert_int_equal(fault("{\"a\":1,\"A\":2,\"aa\":3,\"a \":4}"),
                     ADS_JSON_FINE);
}


/* {"000":0,"001":0,...}; the last key may be given. */
static size_t
many_keys(char *text, int n, const char *last_key)
{
    char *at = text;

    *at++ = '{';
    for (int i = 0; i < n; i++) {
        at += sprintf(at, "\"%04d\":0,", i * 7919 % n);
    }
    at += sprintf(at, "\"%s\":0}", last_key);
    return (size_t)(at - text);
}


static void
five_hundred_and_twelve_keys_are_the_limit(void **state)
{
    static char text[BODY_MAX];
    size_t len;

    (void)state;
    len = many_keys(text, 511, "last");
    assert_int_equal(fault_of(text, len, NULL), ADS_JSON_FINE);
    len = many_keys(text, 512, "last");
    assert_int_equal(fault_of(text, len, NULL), ADS_JSON_TOO_MANY_KEYS);
    for (int i = 0; i < 511; i++) {
        char key[8];

        sprintf(key, "%04d", i);
        len = many_keys(text, 511, key);
        assert_int_equal(fault_of(text, len, NULL), ADS_JSON_DUPLICATE_KEY);
    }
}


static void
skip_steps_over_what_is_left(void **state)
{
    struct ads_json json;
    struct ads_json_value value;
    struct ads_json_value outer;
    struct ads_str key;
    char text[] = "{\"a\":[1,{\"b\":[2,[3]]},4],\"c\":{\"d\":5},\"e\":6}";

    (void)state;
    ads_json_init(&json, text, sizeof(text) - 1);
    ads_json_read(&json, &value);

    assert_true(ads_json_member(&json, &key));
    ads_json_read(&json, &outer);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value);
    assert_true(ads_json_element(&json));
    ads_json_read(&json, &value); /* the inner object, left open */
    ads_json_skip(&json, &outer);

    assert_true(ads_json_member(&json, &key));
    assert_memory_equal(key.ptr, "c", 1);
    ads_json_read(&json, &outer);
    assert_true(ads_json_member(&json, &key));
    ads_json_read(&json, &value);
    assert_false(ads_json_member(&json, &key));
    ads_json_skip(&json, &outer); /* read to its end: nothing to do */
    ads_json_skip(&json, &value);

    assert_true(ads_json_member(&json, &key));
    assert_memory_equal(key.ptr, "e", 1);
    ads_json_read(&json, &value);
    ads_json_skip(&json, &value);
    assert_false(ads_json_member(&json, &key));
    assert_int_equal(ads_json_end(&json), ADS_OK);
}


static double
best_ms(const char *text, size_t len)
{
    double best = 1e9;

    for (int i = 0; i < 7; i++) {
        struct timespec from;
        struct timespec to;
        double ms;

        clock_gettime(CLOCK_MONOTONIC, &from);
        fault_of(text, len, NULL);
        clock_gettime(CLOCK_MONOTONIC, &to);
        ms = (double)(to.tv_sec - from.tv_sec) * 1e3
             + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
        best = ms < best ? ms : best;
    }
    return best;
}


static void
no_16_kib_body_takes_long(void **state)
{
    static char text[BODY_MAX + 64];
    size_t len = 0;

    (void)state;

    /* objects of as many keys as may be, one after the other */
    text[len++] = '[';
    while (len < BODY_MAX - 512 * 8 - 8) {
        text[len++] = '{';
        for (int i = 0; i < 510; i++) {
            len += (size_t)sprintf(text + len, "\"%03x\":1,", 0xfff - i);
        }
        len += (size_t)sprintf(text + len, "\"\":1},");
    }
    text[len - 1] = ']';
    assert_int_equal(fault_of(text, len, NULL), ADS_JSON_FINE);
    assert_true(best_ms(text, len) < 10);

    for (len = 0; len < BODY_MAX - 8; len += 6) {
        memcpy(text + len, "\\u0061", 6);
    }
    text[0] = '"';
    memmove(text + 1, text + 6, len - 6);
    text[len - 5] = '"';
    assert_int_equal(fault_of(text, len - 4, NULL), ADS_JSON_FINE);
    assert_true(best_ms(text, len - 4) < 10);
}


static void
the_parsing_suite_is_classified_right(void **state)
{
    json_t *document = vectors_load("public/json_parsing.json");
    json_t *item;
    size_t i;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        size_t len;
        char *text = vectors_base64(item, "b64", &len);
        enum ads_json_fault found = fault_of(text, len, NULL);
        bool fine = found == ADS_JSON_FINE;

        /* the suite allows keys that come twice, we do not */
        fine = fine || found == ADS_JSON_DUPLICATE_KEY;
        if ((name[0] == 'y' && !fine) || (name[0] == 'n' && fine)) {
            fail_msg("%s", name);
        }
        compare(text, len);
        free(text);
    }
    json_decref(document);
}


/* Texts to begin with, where the suite is not at hand. */
static const char *const seeds[] = {
    "{\"query\":\"buy running shoes\",\"context\":{\"currency\":\"USD\","
    "\"location\":\"US\",\"session_id\":\"s-1\"},\"max_results\":3}",
    "{\"a\":[1,2.5,-3e2,true,false,null,\"x\\u00e9\\ud83d\\udc5f\\n\"],"
    "\"\\u0062\":{\"c\":{},\"d\":[[],[[]]]},\"e\":\"caf\xc3\xa9 \xf0\x9f\x91"
    "\x9f\"}",
    "[0,-0,0.0,1e5,1E-5,123456789012345678,\"\\\"\\\\\\/\\b\\f\\r\\t\"]",
    "{\"events\":[{\"request_id\":\"x\",\"ad_id\":\"y\"},{}]}",
};


/* Changes the text in one of several ways; returns its new length. */
static size_t
mutate(char *text, size_t len, uint64_t *state)
{
    static const char *const parts[] = {
        "\"",     "\\",      "{",       "}",       "[",    "]",        ",",
        ":",      "\\u",     "\\ud83d", "\\udc5f", "null", "true",     "1e",
        "-",      "0",       ".",       "\xc3",    "\xa9", "\xf0\x9f", " ",
        "\"a\":", "\\u0061", "\\n",     "\t",      "\x01", "\xed\xa0", "E+",
    };
    size_t at = len == 0 ? 0 : random_next(state) % len;
    size_t n = 1 + random_next(state) % 4;

    switch (random_next(state) % 5) {
    case 0:
        if (len > 0) {
            text[at] = (char)random_next(state);
        }
        return len;
    case 1:
        n = n > len - at ? len - at : n;
        memmove(text + at, text + at + n, len - at - n);
        return len - n;
    case 2: { /* a piece comes twice */
        n = n * 8 > len - at ? len - at : n * 8;
        memmove(text + at + n, text + at, len - at);
        return len + n;
    }
    case 3: {
        const char *part =
            parts[random_next(state) % (sizeof(parts) / sizeof(parts[0]))];

        n = strlen(part);
        memmove(text + at + n, text + at, len - at);
        memcpy(text + at, part, n);
        return len + n;
    }
    default:
        return len - at % (len / 8 + 1);
    }
}


static void
mutated_texts_are_read_as_by_jansson(void **state)
{
    static char text[4096 + 1024];
    const char *seed = getenv("ADS_SEED");
    uint64_t random = seed != NULL ? strtoull(seed, NULL, 0) : 0x5eed;
    size_t n_seeds = sizeof(seeds) / sizeof(seeds[0]);
    const char *shared = getenv("ADS_SHARED");
    json_t *document = NULL;
    json_t *cases = NULL;
    int n_fine = 0;
    char path[512];

    (void)state;
    snprintf(path, sizeof(path), "%s/vectors/public/json_parsing.json",
             shared != NULL ? shared : "../shared");
    document = json_load_file(path, JSON_ALLOW_NUL, NULL);
    cases = json_object_get(document, "cases");
    random = random == 0 ? 1 : random;

    for (int i = 0; i < MUTATIONS; i++) {
        size_t pick =
            random_next(&random) % (n_seeds * 64 + json_array_size(cases));
        size_t len;
        size_t times;

        if (pick < n_seeds * 64) {
            len = strlen(seeds[pick / 64]);
            memcpy(text, seeds[pick / 64], len);
        } else {
            char *bytes = vectors_base64(
                json_array_get(cases, pick - n_seeds * 64), "b64", &len);

            len = len > 4096 ? 4096 : len;
            memcpy(text, bytes, len);
            free(bytes);
        }
        times = 1 + random_next(&random) % 3;
        for (size_t k = 0; k < times; k++) {
            len = mutate(text, len, &random);
        }
        n_fine += compare(text, len);
    }
    json_decref(document);

    /* neither side of the line is left out */
    assert_in_range(n_fine, MUTATIONS / 20, MUTATIONS - MUTATIONS / 20);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_read),
        cmocka_unit_test(strings_without_escapes_are_not_touched),
        cmocka_unit_test(nul_is_reported),
        cmocka_unit_test(surrogates_come_in_pairs),
        cmocka_unit_test(utf8_is_strict),
        cmocka_unit_test(every_control_character_is_refused),
        cmocka_unit_test(faults_tell_what_and_where),
        cmocka_unit_test(a_fault_ends_every_loop),
        cmocka_unit_test(faults_have_line_and_column),
        cmocka_unit_test(sixteen_levels_are_the_limit),
        cmocka_unit_test(deep_nesting_is_refused_at_once),
        cmocka_unit_test(duplicate_keys_are_refused_everywhere),
        cmocka_unit_test(five_hundred_and_twelve_keys_are_the_limit),
        cmocka_unit_test(skip_steps_over_what_is_left),
        cmocka_unit_test(no_16_kib_body_takes_long),
        cmocka_unit_test(the_parsing_suite_is_classified_right),
        cmocka_unit_test(mutated_texts_are_read_as_by_jansson),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
