/*
 * Products out of the columns that shops write: Google Merchant, Shopify and
 * our own names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/import_cells.c"

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
        .currency = ADS_STR("EUR")};
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
    expect_text(t.row.sku, "A1");
    expect_text(t.row.title, "Kettle");
    expect_text(t.row.url, "https://a.example/1");
    expect_text(t.row.currency, "USD");
    expect_text(t.row.category, "[\"Home\",\"Kitchen\"]");
    expect_text(t.row.availability, "in_stock");
    assert_int_equal(t.row.price_micros, 1299500000);

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
        {"1,299", 1299000000, "EUR"},
        {"1,299,000.5", 1299000500000, "EUR"},
        {"007", 7000000, "EUR"},
        {"0", 0, "EUR"},
        {"12,9", -1, NULL},
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
        assert_int_equal(t.row.price_micros, prices[i].micros);
        expect_text(t.row.currency, prices[i].currency);
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
    expect_text(t.row.title, "Mug - Red / Big");
    expect_text(t.row.description, "Nice & warm");
    expect_text(t.row.sku, "mug-1");
    expect_text(t.row.url, "https://shop.example/products/mug");
    expect_text(t.row.currency, "EUR");
    assert_int_equal(read_row(&t, "mug||||Blue|Big|B-7|10||"), ADS_OK);
    expect_text(t.row.title, "Mug - Blue / Big");
    expect_text(t.row.sku, "B-7");
    expect_text(t.row.brand, "Ours");
    assert_int_equal(read_row(&t, "mug||||||||https://a.example/2.png|"),
                     ADS_OK);
    assert_true(t.row.none);
    assert_int_equal(read_row(&t, "cup|Cup|||Default Title|||3||draft"),
                     ADS_OK);
    assert_true(t.row.none);
    assert_int_equal(read_row(&t, "pot|Pot|||Default Title|||3||"), ADS_OK);
    expect_text(t.row.title, "Pot");
    assert_null(t.row.brand.ptr);
    table_free(&t);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_google),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_shopify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
