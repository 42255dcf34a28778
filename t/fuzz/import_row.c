/*
 * Any bytes as a line of a product file: what is taken fits the database, what
 * is not says why.
 */
#include "catalog/import_row.h"

#include "ads_money.h"
#include "ads_url.h"

#include "base/doc.h"
#include "fuzz.h"

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


/* Categories are JSON again, for PostgreSQL: an array of texts. */
static void
categories_must(struct ads_str text, struct pool *pool)
{
    char *copy = pool_alloc(pool, text.len + 1);
    const struct doc *list;
    const char *why;

    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    list = doc_read(pool, copy, text.len, &why);
    fuzz_must(list != NULL && list->type == ADS_JSON_ARRAY,
              "categories are a JSON array");
    for (const struct doc *one = list->first; one != NULL; one = one->next) {
        fuzz_must(one->type == ADS_JSON_STRING, "of texts");
    }
}


static void
row_must(const struct product *row, struct pool *pool)
{
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

    categories_must(row->category, pool);
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
        row_must(&row.product, pool);
    } else {
        fuzz_must(fault.why != NULL && fault.field != NULL, "a fault says why");
    }
    import_rule_free(rule);
    pool_free(pool);
    free(line);
    return 0;
}
