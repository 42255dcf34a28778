/*
 * A product as a line of JSON: what is taken, and for every rule a line that
 * breaks it, told by field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/catalog/import_rule.c"

#define GOOD                                               \
    "\"sku\":\"A-1\",\"title\":\"Kettle\",\"price\":12.5," \
    "\"currency\":\"USD\",\"url\":\"https://shop.example/a\""

static enum ads_err
read_line(struct import_row *row, struct import_fault *fault, const char *line,
          size_t len, struct pool *pool)
{
    /* its own memory, so that a step past the end is seen */
    char *copy = malloc(len + (len == 0));
    struct import_rule *rule = import_rule_new();

    memcpy(copy, line, len);
    pool_defer(pool, free, copy);
    pool_defer(pool, free, rule);
    *fault = (struct import_fault){0};
    return import_row_read(rule, row, fault, (struct ads_str){copy, len}, pool);
}


static void
expect_text(struct ads_str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}


static void
expect_refused(const char *line, const char *field, const char *why)
{
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    assert_int_equal(read_line(&row, &fault, line, strlen(line), pool),
                     ADS_INVALID);
    assert_string_equal(fault.field, field);
    if (strstr(fault.why, why) == NULL) {
        print_error("%s: \"%s\" does not say \"%s\"\n", line, fault.why, why);
        fail();
    }
    pool_free(pool);
}


static void
expect_taken(const char *line)
{
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    if (read_line(&row, &fault, line, strlen(line), pool) != ADS_OK) {
        print_error("%s: %s %s\n", line, fault.field, fault.why);
        fail();
    }
    pool_free(pool);
}


/* Members of a good product but the one named. */
static void
expect_missing(const char *name)
{
    static const struct {
        const char *name;
        const char *member;
    } members[] = {
        {"sku", "\"sku\":\"A-1\""},
        {"title", "\"title\":\"Kettle\""},
        {"price", "\"price\":1"},
        {"currency", "\"currency\":\"USD\""},
        {"url", "\"url\":\"https://shop.example/a\""},
    };
    char line[256] = "{\"x\":1";

    for (size_t i = 0; i < 5; i++) {
        if (strcmp(members[i].name, name) != 0) {
            strcat(line, ",");
            strcat(line, members[i].member);
        }
    }
    strcat(line, "}");
    expect_refused(line, name, "must be there");
}


static void
every_field_is_taken(void **state)
{
    static const char line[] =
        "{\"id\":\"A-1\",\"title\":\"Kettle \\u00e9\\n2\",\"price\":12.5,"
        "\"currency\":\"USD\",\"url\":\"https://shop.example/a\","
        "\"description\":\"Boils \\\"water\\\"\",\"brand\":\"Acme\","
        "\"gtin\":\"0012\",\"category\":[\"Home\",\"\",\"Tea \\\"x\\\"\"],"
        "\"image_url\":\"http://shop.example/a.jpg\","
        "\"unknown\":{\"a\":[1,{\"b\":null}]}}";
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    (void)state;
    assert_int_equal(read_line(&row, &fault, line, sizeof(line) - 1, pool),
                     ADS_OK);
    assert_null(fault.why);
    expect_text(row.product.sku, "A-1");
    expect_text(row.product.title, "Kettle \xc3\xa9 2");
    expect_text(row.product.description, "Boils \"water\"");
    expect_text(row.product.brand, "Acme");
    expect_text(row.product.gtin, "0012");
    expect_text(row.product.category, "[\"Home\",\"Tea \\u0022x\\u0022\"]");
    expect_text(row.product.url, "https://shop.example/a");
    expect_text(row.product.image_url, "http://shop.example/a.jpg");
    expect_text(row.product.currency, "USD");
    assert_int_equal(row.product.price_micros, 12500000);
    pool_free(pool);
}


static void
space_around_texts_is_dropped(void **state)
{
    static const char line[] =
        "{\"sku\":\" A-1\\n\",\"title\":\"\\tTea  pot \",\"price\":1,"
        "\"currency\":\" USD\",\"url\":\"https://shop.example/ \","
        "\"brand\":\" \"}";
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    (void)state;
    assert_int_equal(read_line(&row, &fault, line, sizeof(line) - 1, pool),
                     ADS_OK);
    expect_text(row.product.sku, "A-1");
    expect_text(row.product.title, "Tea  pot");
    expect_text(row.product.currency, "USD");
    expect_text(row.product.url, "https://shop.example/");
    assert_int_equal(row.product.brand.len, 0);
    pool_free(pool);
}


/* Whatever comes first. */
static void
the_sku_is_the_key_and_the_id_only_without_it(void **state)
{
    static const char *const lines[] = {
        "{\"id\":\"B-2\"," GOOD "}",
        "{" GOOD ",\"id\":\"B-2\"}",
        "{" GOOD ",\"id\":null}",
    };
    struct import_fault fault;
    struct import_row row;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pool *pool = pool_new();

        assert_int_equal(
            read_line(&row, &fault, lines[i], strlen(lines[i]), pool), ADS_OK);
        expect_text(row.product.sku, "A-1");
        pool_free(pool);
    }
}


static void
what_is_optional_may_be_absent_null_or_empty(void **state)
{
    static const char *const rest[] = {
        "", ",\"brand\":null,\"category\":null,\"image_url\":null",
        ",\"brand\":\"\",\"category\":[],\"description\":\"\"",
        ",\"category\":\"Home\""};
    static const char *const category[] = {"[]", "[]", "[]", "[\"Home\"]"};
    struct import_fault fault;
    struct import_row row;
    char line[512];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct pool *pool = pool_new();

        snprintf(line, sizeof(line), "{" GOOD "%s}", rest[i]);
        assert_int_equal(read_line(&row, &fault, line, strlen(line), pool),
                         ADS_OK);
        assert_int_equal(row.product.brand.len, 0);
        assert_null(row.product.image_url.ptr);
        expect_text(row.product.category, category[i]);
        pool_free(pool);
    }
}


static void
what_is_needed_must_be_there(void **state)
{
    static const char *const names[] = {"sku", "title", "price", "currency",
                                        "url"};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        expect_missing(names[i]);
    }
    expect_refused("{}", "sku", "must be there");
    expect_refused("{\"id\":7,\"title\":\"t\",\"price\":1,\"currency\":"
                   "\"USD\",\"url\":\"https://shop.example/\"}",
                   "sku", "must be a string");
    expect_refused("{\"sku\":\"\",\"title\":\"t\",\"price\":1,\"currency\":"
                   "\"USD\",\"url\":\"https://shop.example/\"}",
                   "sku", "must not be empty");
    expect_refused("{\"sku\":\"a\",\"title\":\" \\t\",\"price\":1,"
                   "\"currency\":\"USD\",\"url\":\"https://shop.example/\"}",
                   "title", "must not be empty");
    expect_refused("{\"sku\":\"a\",\"title\":null,\"price\":1,"
                   "\"currency\":\"USD\",\"url\":\"https://shop.example/\"}",
                   "title", "must be there");
}


static void
a_line_is_one_json_object(void **state)
{
    (void)state;
    expect_refused("", "", "");
    expect_refused("   ", "", "");
    expect_refused("null", "", "not a JSON object");
    expect_refused("[{" GOOD "}]", "", "not a JSON object");
    expect_refused("\"x\"", "", "not a JSON object");
    expect_refused("{" GOOD, "", "");
    expect_refused("{" GOOD "} x", "", "");
    expect_refused("{" GOOD ",}", "", "");
    expect_refused("{" GOOD ",\"sku\":\"B\"}", "", "");
    expect_refused("{" GOOD ",\"brand\":\"\xff\"}", "", "");
    expect_refused("{" GOOD ",\"brand\":\"\\ud800\"}", "", "");
    expect_taken(" {" GOOD "} ");
}


static void
types_are_what_they_should_be(void **state)
{
    (void)state;
    expect_refused("{" GOOD ",\"brand\":7}", "brand", "must be a string");
    expect_refused("{" GOOD ",\"brand\":[\"x\"]}", "brand", "must be a string");
    expect_refused("{" GOOD ",\"gtin\":12}", "gtin", "must be a string");
    expect_refused("{" GOOD ",\"category\":7}", "category", "must be");
    expect_refused("{" GOOD ",\"category\":[7]}", "category/0", "must be");
    expect_refused("{" GOOD ",\"category\":[[\"x\"]]}", "category/0",
                   "must be");
    expect_refused("{" GOOD ",\"category\":{\"a\":1}}", "category", "must be");
    expect_taken("{" GOOD ",\"category\":[null,\" \"]}");
}


static void
prices_are_exact_or_refused(void **state)
{
    static const struct {
        const char *text;
        int64_t micros; /* -1: refused */
    } cases[] = {
        {"0", 0},
        {"0.000001", 1},
        {"1e3", 1000000000},
        {"1e9", 1000000000000000},
        {"19.99", 19990000},
        {"-1", -1},
        {"1000000000.000001", -1},
        {"0.0000001", -1},
        {"\"1\"", -1},
        {"null", -1},
        {"[1]", -1},
        {"true", -1},
    };
    char line[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pool *pool = pool_new();
        struct import_fault fault;
        struct import_row row;
        enum ads_err err;

        snprintf(line, sizeof(line),
                 "{\"sku\":\"a\",\"title\":\"t\",\"currency\":\"USD\","
                 "\"url\":\"https://shop.example/\",\"price\":%s}",
                 cases[i].text);
        err = read_line(&row, &fault, line, strlen(line), pool);
        if (cases[i].micros < 0) {
            assert_int_equal(err, ADS_INVALID);
            assert_string_equal(fault.field, "price");
        } else {
            assert_int_equal(err, ADS_OK);
            assert_int_equal(row.product.price_micros, cases[i].micros);
        }
        pool_free(pool);
    }
}


/* A member of n characters of two bytes each. */
static char *
long_line(const char *name, size_t n)
{
    char *line = malloc(2 * n + 512), *p;

    p = line
        + sprintf(line, "{%s\"price\":1,\"currency\":\"USD\",\"%s\":\"",
                  strcmp(name, "title") == 0
                      ? "\"sku\":\"a\",\"url\":\"https://shop.example/\","
                      : "\"title\":\"t\",\"url\":\"https://shop.example/\",",
                  name);
    for (size_t i = 0; i < n; i++) {
        *p++ = '\xc3';
        *p++ = '\xa9';
    }
    strcpy(p, strcmp(name, "title") == 0 || strcmp(name, "sku") == 0
                  ? "\"}"
                  : "\",\"sku\":\"a\"}");
    return line;
}


static void
lengths_are_counted_in_characters(void **state)
{
    static const struct {
        const char *name;
        size_t max;
    } limits[] = {{"sku", 200},
                  {"title", 1000},
                  {"gtin", 50},
                  {"description", 5000},
                  {"brand", 200}};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        char *line = long_line(limits[i].name, limits[i].max);

        expect_taken(line);
        free(line);
        line = long_line(limits[i].name, limits[i].max + 1);
        expect_refused(line, limits[i].name, "must have at most");
        free(line);
    }
}


static void
categories_are_at_most_fifty(void **state)
{
    char line[1024];
    int len;

    (void)state;
    for (int n = 50; n <= 51; n++) {
        len = sprintf(line, "{" GOOD ",\"category\":[\"c0\"");
        for (int i = 1; i < n; i++) {
            len += sprintf(line + len, ",\"c%d\"", i);
        }
        strcpy(line + len, "]}");
        if (n == 50) {
            expect_taken(line);
        } else {
            expect_refused(line, "category", "at most 50 elements");
        }
    }
}


/* Text that could change what a page or a terminal shows. */
static void
control_characters_are_refused(void **state)
{
    static const char *const texts[] = {
        "a\\u0000b", "a\\u0001b", "a\\u001bb",     "a\\u007fb", "\\u202e",
        "\\u2066",   "\\u2069x",  "x\xe2\x80\xae", "\\u202Ax"};
    char line[512];

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        snprintf(line, sizeof(line), "{" GOOD ",\"brand\":\"%s\"}", texts[i]);
        expect_refused(line, "brand", "must not hold");
        snprintf(line, sizeof(line), "{" GOOD ",\"category\":[\"%s\"]}",
                 texts[i]);
        expect_refused(line, "category/0", "must not hold");
    }
    expect_taken("{" GOOD ",\"brand\":\"\\u2029 \\u200f \\ud83d\\ude00\"}");
}


/* A title must show; a category that does not is no category. */
static void
what_shows_nothing_is_blank(void **state)
{
    static const char line[] =
        "{" GOOD ",\"category\":[\"\\u200b\",\"Kites\",\"\\u00a0\"]}";
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    (void)state;
    assert_int_equal(read_line(&row, &fault, line, sizeof(line) - 1, pool),
                     ADS_OK);
    expect_text(row.product.category, "[\"Kites\"]");
    pool_free(pool);

    expect_refused("{\"sku\":\"a\",\"title\":\"\\u3164\\u2060\",\"price\":1,"
                   "\"currency\":\"USD\",\"url\":\"https://a.example/\"}",
                   "title", "must not be empty");
}


/* Editors leave them behind, and they show nothing. */
static void
marks_that_show_nothing_are_dropped(void **state)
{
    static const char line[] =
        "{" GOOD ",\"brand\":\"\\u200eA\\u061cc\\u200fme\\u200e\","
        "\"description\":\"a\\nb\\u200e\"}";
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    (void)state;
    assert_int_equal(read_line(&row, &fault, line, sizeof(line) - 1, pool),
                     ADS_OK);
    expect_text(row.product.brand, "Acme");
    expect_text(row.product.description, "a\nb");
    pool_free(pool);
}


/* What the API takes a feed may have, and whether it has it is known. */
static void
fields_that_a_feed_may_do_without_are_known(void **state)
{
    static const char line[] =
        "{" GOOD ",\"sale_price\":9.5,\"price_valid_until\":"
        "\"2090-01-01T00:00:00Z\",\"keywords\":[\"tea\"],\"language\":\"de\","
        "\"attributes\":{\"colour\":\"red\"},\"availability\":\"In Stock\"}";
    struct pool *pool = pool_new();
    struct import_fault fault;
    struct import_row row;

    (void)state;
    assert_int_equal(read_line(&row, &fault, line, sizeof(line) - 1, pool),
                     ADS_OK);
    assert_int_equal(row.said, 31);
    assert_int_equal(row.product.sale_price_micros, 9500000);
    assert_int_equal(row.product.price_valid_until_us,
                     INT64_C(3786912000000000));
    expect_text(row.product.keywords, "[\"tea\"]");
    expect_text(row.product.language, "de");
    expect_text(row.product.attributes, "{\"colour\":\"red\"}");
    expect_text(row.product.availability, "in_stock");
    assert_int_equal(
        read_line(&row, &fault, "{" GOOD "}", strlen("{" GOOD "}"), pool),
        ADS_OK);
    assert_int_equal(row.said, 0);
    expect_refused("{" GOOD ",\"sale_price\":99}", "sale_price",
                   "must not be above the price");
    expect_refused("{" GOOD ",\"attributes\":{\"a\":{}}}", "attributes/a",
                   "must be a string");
    expect_refused("{" GOOD ",\"language\":\"x y\"}", "language", "tag");
    pool_free(pool);
}


static void
availability_is_told_in_many_ways(void **state)
{
    static const char *const ways[][2] = {
        {"in_stock", "in_stock"},
        {"out of stock", "out_of_stock"},
        {"https://schema.org/OutOfStock", "out_of_stock"},
        {"https://schema.org/SoldOut", "out_of_stock"},
        {"Pre-Order", "preorder"},
        {"backorder", "backorder"},
    };
    char line[512];

    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct pool *pool = pool_new();
        struct import_fault fault;
        struct import_row row;

        snprintf(line, sizeof(line), "{" GOOD ",\"availability\":\"%s\"}",
                 ways[i][0]);
        assert_int_equal(read_line(&row, &fault, line, strlen(line), pool),
                         ADS_OK);
        expect_text(row.product.availability, ways[i][1]);
        pool_free(pool);
    }
    expect_taken("{" GOOD ",\"availability\":\"\"}");
    expect_refused("{" GOOD ",\"availability\":\"maybe\"}", "availability",
                   "must be one of");
}


static void
addresses_and_currencies_are_checked(void **state)
{
    static const char form[] = "{\"sku\":\"a\",\"title\":\"t\",\"price\":1,"
                               "\"currency\":\"%s\",\"url\":\"%s\"}";
    char line[4096], url[2100];

    (void)state;
    snprintf(line, sizeof(line), form, "USD", "http://shop.example/");
    expect_refused(line, "url", "");
    snprintf(line, sizeof(line), form, "USD", "https://127.0.0.1/");
    expect_refused(line, "url", "");
    snprintf(line, sizeof(line), form, "USD", "https://u@shop.example/");
    expect_refused(line, "url", "");
    snprintf(line, sizeof(line), form, "USD", "javascript:alert(1)");
    expect_refused(line, "url", "");

    memset(url, 'a', sizeof(url));
    memcpy(url, "https://shop.example/", 21);
    url[2049] = '\0';
    snprintf(line, sizeof(line), form, "USD", url);
    expect_refused(line, "url", "must have at most 2048");
    url[2048] = '\0';
    snprintf(line, sizeof(line), form, "USD", url);
    expect_taken(line);

    expect_refused("{" GOOD ",\"image_url\":\"ftp://shop.example/a\"}",
                   "image_url", "");
    expect_taken("{" GOOD ",\"image_url\":\"http://shop.example/a\"}");

    snprintf(line, sizeof(line), form, "usd", "https://shop.example/");
    expect_refused(line, "currency", "ISO 4217");
    snprintf(line, sizeof(line), form, "US", "https://shop.example/");
    expect_refused(line, "currency", "ISO 4217");
    snprintf(line, sizeof(line), form, "USDX", "https://shop.example/");
    expect_refused(line, "currency", "");
    snprintf(line, sizeof(line), form, "\xc3\x84\xc3\x84\xc3\x84",
             "https://shop.example/");
    expect_refused(line, "currency", "ISO 4217");
}


/* Every line cut short is refused, and none is read past its end. */
static void
a_cut_line_is_refused(void **state)
{
    static const char line[] =
        "{\"a\":[1,{\"b\":\"\\u00e9\\ud83d\\ude00\"}]," GOOD
        ",\"category\":[\"x\",\"y\"],\"brand\":\"\xe2\x82\xac\"}";

    (void)state;
    for (size_t len = 0; len < sizeof(line) - 1; len++) {
        struct pool *pool = pool_new();
        struct import_fault fault;
        struct import_row row;

        assert_int_equal(read_line(&row, &fault, line, len, pool), ADS_INVALID);
        assert_string_equal(fault.field, "");
        pool_free(pool);
    }
    expect_taken(line);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_taken),
        cmocka_unit_test(space_around_texts_is_dropped),
        cmocka_unit_test(the_sku_is_the_key_and_the_id_only_without_it),
        cmocka_unit_test(what_is_optional_may_be_absent_null_or_empty),
        cmocka_unit_test(what_is_needed_must_be_there),
        cmocka_unit_test(a_line_is_one_json_object),
        cmocka_unit_test(types_are_what_they_should_be),
        cmocka_unit_test(prices_are_exact_or_refused),
        cmocka_unit_test(lengths_are_counted_in_characters),
        cmocka_unit_test(categories_are_at_most_fifty),
        cmocka_unit_test(control_characters_are_refused),
        cmocka_unit_test(what_shows_nothing_is_blank),
        cmocka_unit_test(marks_that_show_nothing_are_dropped),
        cmocka_unit_test(fields_that_a_feed_may_do_without_are_known),
        cmocka_unit_test(availability_is_told_in_many_ways),
        cmocka_unit_test(addresses_and_currencies_are_checked),
        cmocka_unit_test(a_cut_line_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
