/*
 * Any bytes as a line of a product file: what is taken fits the database, what
 * is not says why.
 */
#include "import_row.h"

#include "ads_money.h"
#include "ads_url.h"

#include "jansson.h"

#define LEN_MAX 65536


static void
text_must(struct ads_str text, size_t bytes_max, bool required)
{
    fuzz_must(!required || text.len > 0, "what is required is there");
    fuzz_must(text.len <= bytes_max, "a text inside its bounds");
    if (text.len > 0) {
        fuzz_must(memchr(text.ptr, 0, text.len) == NULL,
                  "a text that PostgreSQL can hold");
    }
}


static void
row_must(const struct product *row, const char *line, size_t len)
{
    json_t *document, *category;

    text_must(row->sku, 800, true);
    text_must(row->title, 4000, true);
    text_must(row->description, 20000, false);
    text_must(row->brand, 800, false);
    text_must(row->gtin, 200, false);
    text_must(row->url, ADS_URL_MAX, true);
    text_must(row->image_url, ADS_URL_MAX, false);
    text_must(row->currency, 3, true);
    fuzz_must(row->price_micros >= 0 && row->price_micros <= ADS_MONEY_MAX,
              "a price inside its bounds");

    fuzz_must(fuzz_jansson(&document, line, len) != FUZZ_REFUSED,
              "jansson takes it too");
    json_decref(document);
    fuzz_must(fuzz_jansson(&category, row->category.ptr, row->category.len)
                      == FUZZ_TAKEN
                  && json_is_array(category),
              "categories are a JSON array");
    for (size_t i = 0; i < json_array_size(category); i++) {
        fuzz_must(json_is_string(json_array_get(category, i)), "of texts");
    }
    json_decref(category);
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct import_fault fault = {0};
    struct import_rule *rule;
    struct import_row row;
    struct pool *pool;
    char *line;

    if (len > LEN_MAX) {
        return 0;
    }
    line = fuzz_copy(bytes, len);
    pool = pool_new();
    rule = import_rule_new();
    if (import_row_read(rule, &row, &fault, (struct ads_str){line, len}, pool)
        == ADS_OK)
    {
        row_must(&row.product, (const char *)bytes, len);
    } else {
        fuzz_must(fault.why != NULL && fault.field != NULL, "a fault says why");
    }
    import_rule_free(rule);
    pool_free(pool);
    free(line);
    return 0;
}
