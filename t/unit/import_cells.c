/*
 * Products out of the columns that shops write: Google Merchant, Shopify and
 * our own names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "adsd/catalog/import_cells.c"

#define CELLS 16

struct table {
    struct import_cells *cells;
    struct pool *pool;
    struct ads_str names[CELLS];
    struct ads_str values[CELLS];
    unsigned n;
    struct import_row row;
    struct import_fault fault;
};


static unsigned
split(struct ads_str *out, const char *line)
{
    unsigned n = 0;

    while (true) {
        size_t len = strcspn(line, "|");

        out[n++] = (struct ads_str){line, len};
        if (line[len] == '\0') {
            return n;
        }
        line += len + 1;
    }
}


static struct table
table_new(const char *header)
{
    const struct import_cells_options options = {
        .base_url = ADS_STR("https://shop.example"),
        .currency = ADS_STR("EUR"),
        .now_ms = INT64_C(1795305600000)}; /* 2026-11-22 */
    struct table table = {.cells = import_cells_new(&options),
                          .pool = pool_new()};

    table.n = split(table.names, header);
    return table;
}


static enum ads_err
read_row(struct table *table, const char *line)
{
    struct feed_record names = {1, table->n, table->names};
    struct feed_record values = {2, split(table->values, line), table->values};

    return import_cells_read(table->cells, &table->row, &table->fault, &names,
                             &values, table->pool);
}


static void
table_free(struct table *table)
{
    import_cells_free(table->cells);
    pool_free(table->pool);
}


static void
expect_text(struct ads_str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}


static void
test_google(void **state)
{
    struct table t = table_new("g:id|g:title|description|link|image_link|price|"
                               "brand|gtin|product_type|availability|custom");

    (void)state;
    assert_int_equal(read_row(&t,
                              "A1|Kettle|Boils|https://a.example/1|"
                              "https://a.example/1.png|1,299.50 USD|Brand|123|"
                              "Home > Kitchen|in_stock|x"),
                     ADS_OK);
    expect_text(t.row.product.sku, "A1");
    expect_text(t.row.product.title, "Kettle");
    expect_text(t.row.product.url, "https://a.example/1");
    expect_text(t.row.product.currency, "USD");
    expect_text(t.row.product.category, "[\"Home\",\"Kitchen\"]");
    expect_text(t.row.product.availability, "in_stock");
    assert_int_equal(t.row.product.price_micros, 1299500000);

    assert_int_equal(read_row(&t, "A1|Kettle||http://a.example/1||5||||"),
                     ADS_INVALID);
    assert_string_equal(t.fault.field, "url");
    assert_int_equal(t.fault.line, 2);
    assert_int_equal(read_row(&t, "A1|Kettle||https://a.example/1||x||||"),
                     ADS_INVALID);
    assert_string_equal(t.fault.field, "price");
    assert_int_equal(t.fault.column, 6);
    assert_int_equal(read_row(&t, "A1|||https://a.example/1||5||||"),
                     ADS_INVALID);
    assert_string_equal(t.fault.field, "title");
    table_free(&t);
}


static void
test_prices(void **state)
{
    static const struct {
        const char *text;
        int64_t micros; /* -1: refused */
        const char *currency;
    } prices[] = {
        {"12.99", 12990000, "EUR"},
        {"12.99 USD", 12990000, "USD"},
        {"usd 12.99", 12990000, "USD"},
        {"12,99", 12990000, "EUR"},
        {"1,299", -1, NULL},
        {"1,299,000.5", 1299000500000, "EUR"},
        {"007", 7000000, "EUR"},
        {"0", 0, "EUR"},
        {"12,9", 12900000, "EUR"},
        {"5 €", 5000000, "EUR"},
        {"1,29.00", -1, NULL},
        {"1.2.3", -1, NULL},
        {"-5", -1, NULL},
        {"free", -1, NULL},
        {"$5", -1, NULL},
        {"1e3", -1, NULL},
        {",99", -1, NULL},
    };
    struct table t = table_new("sku|title|url|price");
    char line[128];

    (void)state;
    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++) {
        (void)snprintf(line, sizeof(line), "1|T|https://a.example/|%s",
                       prices[i].text);
        if (prices[i].micros < 0) {
            if (read_row(&t, line) != ADS_INVALID) {
                print_error("%s was taken\n", prices[i].text);
                fail();
            }
            continue;
        }
        assert_int_equal(read_row(&t, line), ADS_OK);
        assert_int_equal(t.row.product.price_micros, prices[i].micros);
        expect_text(t.row.product.currency, prices[i].currency);
    }
    table_free(&t);
}


static void
test_shopify(void **state)
{
    struct table t =
        table_new("Handle|Title|Body (HTML)|Vendor|Option1 Value|Option2 Value|"
                  "Variant SKU|Variant Price|Image Src|Status");

    (void)state;
    assert_int_equal(
        read_row(&t, "mug|Mug|<p>Nice &amp; <b>warm</b></p>|Ours|Red|Big||9.5|"
                     "https://a.example/m.png|active"),
        ADS_OK);
    expect_text(t.row.product.title, "Mug - Red / Big");
    expect_text(t.row.product.description, "Nice & warm");
    expect_text(t.row.product.sku, "mug-1");
    expect_text(t.row.product.url, "https://shop.example/products/mug");
    expect_text(t.row.product.currency, "EUR");
    assert_int_equal(read_row(&t, "mug||||Blue|Big|B-7|10||"), ADS_OK);
    expect_text(t.row.product.title, "Mug - Blue / Big");
    expect_text(t.row.product.sku, "B-7");
    expect_text(t.row.product.brand, "Ours");
    assert_int_equal(read_row(&t, "mug||||||||https://a.example/2.png|"),
                     ADS_OK);
    assert_true(t.row.none);
    assert_int_equal(read_row(&t, "cup|Cup|||Default Title|||3||draft"),
                     ADS_OK);
    assert_true(t.row.none);
    assert_int_equal(read_row(&t, "pot|Pot|||Default Title|||3||"), ADS_OK);
    expect_text(t.row.product.title, "Pot");
    assert_null(t.row.product.brand.ptr);
    table_free(&t);
}


/* Fields beyond the first: what each format means by them. */
static void
test_more_fields(void **state)
{
    struct table t = table_new(
        "id|title|link|price|sale_price|sale_price_effective_date|description|"
        "product_highlight|product_type|google_product_category|color|"
        "custom_label_0|availability");
    const char *const good = "A|T|https://a.example/|20.00 USD|";

    (void)state;
    assert_int_equal(
        read_row(&t, "A|T|https://a.example/|20.00 USD|15.00 USD|"
                     "2026-11-01T08:00+0100/2026-11-30|Warm|Soft\nLight|"
                     "Home > Cups|2271|red|x|Out of stock"),
        ADS_OK);
    assert_int_equal(t.row.product.price_micros, 20000000);
    assert_int_equal(t.row.product.sale_price_micros, 15000000);
    /* the end of its last day */
    assert_int_equal(t.row.product.price_valid_until_us,
                     INT64_C(1796083200000000));
    expect_text(t.row.product.description, "Warm\nSoft\nLight");
    expect_text(t.row.product.category, "[\"Home\",\"Cups\"]");
    expect_text(t.row.product.attributes, "{\"color\":\"red\"}");
    expect_text(t.row.product.availability, "out_of_stock");
    expect_text(t.row.product.keywords, "[]");
    assert_int_equal(t.row.said, IMPORT_SAID_SALE | IMPORT_SAID_ATTRIBUTES
                                     | IMPORT_SAID_AVAILABILITY);

    for (int i = 0; i < 2; i++) { /* over, and not begun */
        char line[256];

        (void)snprintf(line, sizeof(line), "%s15.00 USD|%s|||||||", good,
                       i == 0 ? "2026-01-01/2026-02-01"
                              : "2026-12-01T00:00Z/2026-12-24T00:00:00Z");
        assert_int_equal(read_row(&t, line), ADS_OK);
        assert_int_equal(t.row.product.sale_price_micros, PRODUCT_NO_PRICE);
        assert_int_equal(t.row.product.price_valid_until_us, 0);
    }
    assert_int_equal(
        read_row(&t, "A|T|https://a.example/|20|15|tomorrow|||||||"),
        ADS_INVALID);
    assert_string_equal(t.fault.field, "sale_price_effective_date");
    assert_int_equal(t.fault.column, 6);
    assert_int_equal(read_row(&t, "A|T|https://a.example/|20|25||||||||"),
                     ADS_INVALID);
    assert_string_equal(t.fault.field, "sale_price");
    assert_int_equal(t.fault.column, 5);
    assert_int_equal(read_row(&t, "A|caf\xe9|https://a.example/|20|||||||||"),
                     ADS_INVALID);
    assert_string_equal(t.fault.why, "is not UTF-8");
    table_free(&t);
}


static void
test_shopify_sale_and_tags(void **state)
{
    struct table t = table_new("Handle|Title|Tags|Variant Price|"
                               "Variant Compare At Price|"
                               "Google Shopping / Condition|"
                               "Google Shopping / Custom Label 0");
    char line[6000] = "mug|Mug|";

    (void)state;
    for (int i = 0; i < 60; i++) {
        strcat(line, "tag, ");
    }
    strcat(line, "|8.00|10.00|new|x");
    assert_int_equal(read_row(&t, line), ADS_OK);
    assert_int_equal(t.row.product.price_micros, 10000000);
    assert_int_equal(t.row.product.sale_price_micros, 8000000);
    expect_text(t.row.product.attributes,
                "{\"condition\":\"new\",\"item_group_id\":\"mug\"}");
    assert_int_equal(t.row.product.keywords.len, 50 * 6 + 1);
    assert_int_equal(read_row(&t, "cup|Cup||8.00|7.00||"), ADS_OK);
    assert_int_equal(t.row.product.price_micros, 8000000);
    assert_int_equal(t.row.product.sale_price_micros, PRODUCT_NO_PRICE);
    table_free(&t);
}


static void
test_times(void **state)
{
    static const struct {
        const char *text;
        bool end;
        int64_t ms; /* -1: refused */
    } cases[] = {
        {"2026-11-22", false, INT64_C(1795305600000)},
        {"2026-11-22", true, INT64_C(1795392000000)},
        {"2026-11-22T01:00+0100", false, INT64_C(1795305600000)},
        {"2026-11-22T01:00:00+01:00", true, INT64_C(1795305600000)},
        {" 2026-11-22 00:00 ", false, INT64_C(1795305600000)},
        {"2026-11-22T00:00:30Z", false, INT64_C(1795305630000)},
        {"2026-02-30", false, -1},
        {"2026-11-22T25:00", false, -1},
        {"2026-11-22T01:00+1", false, -1},
        {"22.11.2026", false, -1},
        {"", false, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ads_str text = {cases[i].text, strlen(cases[i].text)};
        int64_t ms = -1;

        if (import_time_read(&ms, text, cases[i].end) != (cases[i].ms >= 0)
            || (cases[i].ms >= 0 && ms != cases[i].ms))
        {
            print_error("%s: %lld\n", cases[i].text, (long long)ms);
            fail();
        }
    }
}


/* The database takes UTF-8 alone, and refuses a whole feed for one byte. */
static void
test_what_is_not_utf8_goes_nowhere(void **state)
{
    struct table t = table_new("sku|title|price|url");
    struct table s = table_new("Handle|Title|Variant Price");

    (void)state;
    assert_int_equal(read_row(&t, "a\xff|Mug|5|https://a.example/"),
                     ADS_INVALID);
    assert_string_equal(t.fault.field, "sku");
    assert_string_equal(t.fault.why, "is not UTF-8");
    assert_int_equal(t.row.product.sku.len, 0);
    assert_int_equal(read_row(&t, "a|M\xc3|5|https://a.example/"), ADS_INVALID);
    assert_string_equal(t.fault.field, "title");
    expect_text(t.row.product.sku, "a");
    table_free(&t);

    assert_int_equal(read_row(&s, "mug|M\xff|5"), ADS_INVALID);
    assert_int_equal(read_row(&s, "mug||5"), ADS_INVALID);
    assert_string_equal(s.fault.field, "title");
    table_free(&s);
}


static void
test_a_text_full_of_open_tags(void **state)
{
    struct table t = table_new("sku|title|description|price|url");
    size_t len = 1 << 20;
    char *line = malloc(len + 64);
    clock_t begin;
    char *p = stpcpy(line, "a|Mug|");

    (void)state;
    memset(p, '<', len);
    (void)stpcpy(p + len, "|5|https://a.example/");
    begin = clock();
    assert_int_equal(read_row(&t, line), ADS_INVALID);
    assert_string_equal(t.fault.field, "description");
    assert_in_range(clock() - begin, 0, 3 * CLOCKS_PER_SEC);
    free(line);
    table_free(&t);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_google),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_shopify),
        cmocka_unit_test(test_more_fields),
        cmocka_unit_test(test_shopify_sale_and_tags),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_what_is_not_utf8_goes_nowhere),
        cmocka_unit_test(test_a_text_full_of_open_tags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
