/*
 * Makes a product of a table row.  A record becomes an object with the API's
 * names, in one walk over its cells, and is validated as one.
 */
#include "catalog/import_cells.h"

#include <ctype.h>
#include <stdlib.h>

#include "ads_money.h"
#include "ads_utf8.h"
#include "catalog/import_shops.h"
#include "catalog/import_value.h"

#define DESCRIPTION_BYTES 5000 /* with highlights, so that they always fit */
#define TAGS_MAX 50
#define TAG_BYTES 80

struct import_cells {
    struct import_cells_options options;
    struct import_parents *parents;
    struct import_rule *rule;
};


struct import_cells *
import_cells_new(const struct import_cells_options *options)
{
    struct import_cells *cells = xcalloc(1, sizeof(*cells));

    cells->options = *options;
    cells->parents = import_parents_new();
    cells->rule = import_rule_new();
    return cells;
}


void
import_cells_free(struct import_cells *cells)
{
    if (cells != NULL) {
        import_parents_free(cells->parents);
        import_rule_free(cells->rule);
        free(cells);
    }
}


/* ---- the product as an object ---- */

static struct doc *
doc_put(struct record *record, struct doc ***link, const char *name,
        enum ads_json_type type)
{
    struct doc *doc = pool_alloc(record->pool, sizeof(*doc));

    doc->type = type;
    doc->key = (struct ads_str){name, name == NULL ? 0 : strlen(name)};
    **link = doc;
    *link = &doc->next;
    return doc;
}


static void
member_put(struct record *record, const char *name, enum ads_json_type type,
           struct ads_str text)
{
    doc_put(record, &record->link, name, type)->text = text;
    record->object->n++;
}


/* ---- prices ---- */

void
import_cells_scan(struct import_evidence *evidence, struct ads_str map,
                  const struct feed_record *names,
                  const struct feed_record *values, struct pool *pool)
{
    for (unsigned i = 0; i < values->n; i++) {
        enum import_column column = import_column_of(map, names->cells[i]);

        if (column == COLUMN_PRICE || column == COLUMN_REGULAR_PRICE
            || column == COLUMN_COMPARE_PRICE || column == COLUMN_SALE_PRICE)
        {
            import_evidence_put(&evidence[column], values->cells[i],
                                values->line, pool);
        }
    }
}


enum import_decimal
import_cells_decimal(const struct import_cells_options *options,
                     enum import_column column)
{
    const struct import_evidence *evidence = options->evidence;
    struct import_evidence all = {.n_point = 0};

    if (options->decimal != IMPORT_DECIMAL_UNKNOWN || evidence == NULL) {
        return options->decimal;
    }
    if (import_evidence_decimal(&evidence[column]) != IMPORT_DECIMAL_UNKNOWN) {
        return import_evidence_decimal(&evidence[column]);
    }
    for (int i = 0; i < COLUMNS; i++) {
        all.n_point += evidence[i].n_point;
        all.n_comma += evidence[i].n_comma;
    }
    return import_evidence_decimal(&all);
}


static bool
price_read(struct record *record, enum import_column column,
           struct import_price *price, const char **why)
{
    /* a sale's price may have come from another column */
    const unsigned at = record->at[column];
    const enum import_column from =
        at > 0 ? (enum import_column)record->columns[at - 1] : column;

    return import_price_read(price, record->texts[column],
                             import_cells_decimal(record->options, from),
                             record->pool, why);
}


/* May the price be of that currency?  One without any may be of all. */
static bool
is_of(const struct import_price *price, struct ads_str currency)
{
    if (price->symbol_of != NULL
        && import_symbol_fits(price->symbol_of, currency)) {
        return true;
    }
    return price->currency.ptr != NULL
               ? ads_str_equal(price->currency, currency)
               : price->symbol_of == NULL;
}


/* The price in that column as a member `name`.  False: there is none. */
static bool
price_put(struct record *record, enum import_column column, const char *name)
{
    const struct ads_str text = record->texts[column];
    struct ads_str *currency = &record->texts[COLUMN_CURRENCY];
    struct import_price price;
    const char *why;

    if (text.len == 0) {
        return false;
    }
    if (!price_read(record, column, &price, &why)) {
        record_fault(record, column, why);
        return false;
    }
    member_put(record, name, ADS_JSON_NUMBER, price.number);
    if (currency->len == 0) {
        *currency = price.currency.ptr != NULL ? price.currency
                                               : record->options->currency;
    }
    if (currency->len > 0 && !is_of(&price, *currency)) {
        record_fault(record, column, "is in another currency than the product");
        return false;
    }
    return true;
}


static void
until_put(struct record *record, int64_t ms)
{
    struct json json;

    json_init(&json, record->pool);
    json_time(&json, NULL, ms * 1000);
    /* without the quotes */
    member_put(
        record, "price_valid_until", ADS_JSON_STRING,
        (struct ads_str){json_text(&json).ptr + 1, json_text(&json).len - 2});
}


/* Is the sale on?  Then *until_ms says when it ends; 0: it does not say. */
static bool
sale_is_on(struct record *record, int64_t *until_ms)
{
    struct ads_str dates = record->texts[COLUMN_SALE_DATES];
    struct ads_str until = record->texts[COLUMN_VALID_UNTIL];
    const char *slash = memchr(dates.len > 0 ? dates.ptr : "", '/', dates.len);
    int64_t now_ms = record->options->now_ms, from_ms;
    size_t len = slash == NULL ? 0 : (size_t)(slash - dates.ptr);

    *until_ms = 0;
    if (dates.len > 0) {
        if (slash == NULL
            || !import_time_read(&from_ms, (struct ads_str){dates.ptr, len},
                                 false)
            || !import_time_read(
                until_ms, (struct ads_str){slash + 1, dates.len - len - 1},
                true))
        {
            record_fault(record, COLUMN_SALE_DATES,
                         "must be two times with a slash between");
            return false;
        }
        return from_ms <= now_ms && now_ms < *until_ms;
    }
    if (until.len > 0 && !import_time_read(until_ms, until, true)) {
        record_fault(record, COLUMN_VALID_UNTIL, "must be a day or a time");
        return false;
    }
    return until.len == 0 || now_ms < *until_ms;
}


/* Shopify's price is what is asked now, and another one what it was before:
 * only a higher one makes that a sale. */
static void
compare_fit(struct record *record)
{
    struct ads_str *price = &record->texts[COLUMN_PRICE];
    struct ads_str *compare = &record->texts[COLUMN_COMPARE_PRICE];
    struct import_price now, before;
    int64_t now_micros, before_micros;
    const char *why;

    if (compare->len > 0 && record->texts[COLUMN_SALE_PRICE].len == 0
        && price_read(record, COLUMN_COMPARE_PRICE, &before, &why)
        && price_read(record, COLUMN_PRICE, &now, &why)
        && ads_money_read(&before_micros, before.number, ADS_MONEY_UNSIGNED)
               == ADS_OK
        && ads_money_read(&now_micros, now.number, ADS_MONEY_UNSIGNED) == ADS_OK
        && before_micros > now_micros)
    {
        record->texts[COLUMN_SALE_PRICE] = *price;
        record->at[COLUMN_SALE_PRICE] = record->at[COLUMN_PRICE];
        *price = *compare;
        record->at[COLUMN_PRICE] = record->at[COLUMN_COMPARE_PRICE];
    }
}


static void
prices_put(struct record *record)
{
    struct ads_str *currency = &record->texts[COLUMN_CURRENCY];
    int64_t until_ms;

    (void)import_currency_read(currency, *currency, record->pool);
    compare_fit(record);
    (void)price_put(record, COLUMN_PRICE, "price");
    if (record->texts[COLUMN_SALE_PRICE].len > 0
        && sale_is_on(record, &until_ms)
        && price_put(record, COLUMN_SALE_PRICE, "sale_price") && until_ms > 0)
    {
        until_put(record, until_ms);
    }
    if (record->texts[COLUMN_CURRENCY].len == 0) {
        record->texts[COLUMN_CURRENCY] = record->options->currency;
    }
}


/* ---- texts ---- */

/* Takes tags out and the commonest entities in. */
static struct ads_str
html_strip(struct pool *pool, struct ads_str html)
{
    static const struct {
        const char *name;
        const char *text;
    } entities[] = {{"&amp;", "&"},   {"&lt;", "<"},  {"&gt;", ">"},
                    {"&quot;", "\""}, {"&#39;", "'"}, {"&nbsp;", " "}};
    char *out = pool_alloc(pool, html.len + 1);
    const char *end = html.ptr; /* of a tag; NULL: none ends any more */
    size_t len = 0, i = 0;

    while (i < html.len) {
        size_t step = 1;

        if (html.ptr[i] == '<' && end != NULL
            && (end = memchr(html.ptr + i, '>', html.len - i)) != NULL)
        {
            if (len > 0 && out[len - 1] != ' ') {
                out[len++] = ' ';
            }
            i = (size_t)(end - html.ptr) + 1;
            continue;
        }
        out[len] = html.ptr[i];
        for (size_t e = 0; e < sizeof(entities) / sizeof(entities[0]); e++) {
            size_t n = strlen(entities[e].name);

            if (n <= html.len - i
                && memcmp(html.ptr + i, entities[e].name, n) == 0) {
                out[len] = entities[e].text[0];
                step = n;
            }
        }
        len++;
        i += step;
    }
    return import_value_trim((struct ads_str){out, len});
}


static void
text_put(struct record *record, enum import_column column)
{
    if (record->texts[column].len > 0) {
        member_put(record, import_column_name(column), ADS_JSON_STRING,
                   record->texts[column]);
    }
}


/* Highlights follow the description, a line each, as long as both fit. */
static void
description_put(struct record *record)
{
    struct ads_str *text = &record->texts[COLUMN_DESCRIPTION];
    struct ads_str more = record->texts[COLUMN_HIGHLIGHT];

    if (text->len > 0 && memchr(text->ptr, '<', text->len) != NULL) {
        *text = html_strip(record->pool, *text);
    }
    if (more.len > 0 && text->len + 1 + more.len <= DESCRIPTION_BYTES) {
        text->ptr =
            pool_format(record->pool, &text->len, "%.*s%s%.*s", (int)text->len,
                        text->len > 0 ? text->ptr : "",
                        text->len > 0 ? "\n" : "", (int)more.len, more.ptr);
    }
    text_put(record, COLUMN_DESCRIPTION);
}


/* Adds the parts of a text between any of the marks. */
static void
parts_put(struct record *record, struct doc *array, struct doc ***link,
          struct ads_str text, const char *marks)
{
    size_t from = 0;

    for (size_t i = 0; i <= text.len; i++) {
        if (i == text.len
            || (text.ptr[i] != '\0' && strchr(marks, text.ptr[i]) != NULL))
        {
            struct ads_str part =
                import_value_trim((struct ads_str){text.ptr + from, i - from});

            from = i + 1;
            if (part.len > 0) {
                doc_put(record, link, NULL, ADS_JSON_STRING)->text = part;
                array->n++;
            }
        }
    }
}


/* Google's categories may be the number of one, which says nothing here. */
static bool
is_number(struct ads_str text)
{
    size_t i = 0;

    while (i < text.len && isdigit((unsigned char)text.ptr[i])) {
        i++;
    }
    return i == text.len;
}


/* "Home > Kitchen > Kettles", also several of them. */
static void
category_put(struct record *record)
{
    struct doc *array =
        doc_put(record, &record->link, "category", ADS_JSON_ARRAY);
    struct doc **link = &array->first;

    for (unsigned i = 0; i < record->values->n; i++) {
        struct ads_str text = import_value_trim(record->values->cells[i]);

        if ((record->columns[i] == COLUMN_CATEGORY
             || (record->columns[i] == COLUMN_TYPE && !record->woo))
            && !is_number(text))
        {
            parts_put(record, array, &link, text, record->woo ? ">\n," : ">\n");
        }
    }
}


/* A shop's tags are ours to choose from, so what does not fit is left out;
 * keywords are meant for this service and validated. */
static void
keywords_put(struct record *record)
{
    struct ads_str keywords = record->texts[COLUMN_KEYWORDS];
    struct doc *array, **link, **last;
    bool tags = keywords.len == 0;

    if (tags) {
        keywords = record->texts[COLUMN_TAGS];
    }
    if (keywords.len == 0) {
        return;
    }
    array = doc_put(record, &record->link, "keywords", ADS_JSON_ARRAY);
    link = &array->first;
    parts_put(record, array, &link, keywords, ",;\n");
    array->n = 0;
    for (last = &array->first; *last != NULL; array->n++) {
        if (tags && ((*last)->text.len > TAG_BYTES || array->n == TAGS_MAX)) {
            *last = (*last)->next;
            array->n--;
        } else {
            last = &(*last)->next;
        }
    }
}


/* An attribute by its name in the API, unless it is there already. */
static void
attribute_put(struct record *record, struct doc **object, struct doc ***link,
              struct ads_str name, struct ads_str text)
{
    const char *key = pool_text(record->pool, name);

    if (name.len == 0 || text.len == 0) {
        return;
    }
    if (*object == NULL) {
        *object = doc_put(record, &record->link, "attributes", ADS_JSON_OBJECT);
        *link = &(*object)->first;
    }
    if (doc_find(*object, key) == NULL) {
        doc_put(record, link, key, ADS_JSON_STRING)->text = text;
        (*object)->n++;
    }
}


/* Columns, then what the options of a variant say, and its group. */
static void
attributes_put(struct record *record)
{
    const struct ads_str map = record->options->map;
    struct doc *object = NULL, **link = NULL;

    for (unsigned i = 0; i < record->values->n; i++) {
        if (record->columns[i] == COLUMN_ATTRIBUTE) {
            attribute_put(record, &object, &link,
                          import_attribute_of(map, record->names->cells[i]),
                          import_value_trim(record->values->cells[i]));
        }
    }
    for (unsigned i = 0; i < record->n_options; i++) {
        if (!ads_str_is(record->option_values[i], "Default Title")) {
            attribute_put(record, &object, &link,
                          import_attribute_of(map, record->option_names[i]),
                          record->option_values[i]);
        }
    }
    attribute_put(record, &object, &link, ADS_STR("item_group_id"),
                  record->group);
    if (object != NULL) {
        record->said |= IMPORT_SAID_ATTRIBUTES;
    }
}


/* ---- one record ---- */

/* The column of a field that was validated, such as "category/3". */
static unsigned
column_of(const struct record *record, const char *field)
{
    struct ads_str name = {field, strcspn(field, "/")};

    for (int i = 0; i < COLUMNS; i++) {
        if (ads_str_is(name, import_column_name((enum import_column)i))) {
            return record->at[i];
        }
    }
    return 0;
}


static enum ads_err
record_check(struct record *record, struct import_rule *rule)
{
    static const enum import_column texts[] = {
        COLUMN_SKU,   COLUMN_TITLE, COLUMN_URL,          COLUMN_IMAGE,
        COLUMN_BRAND, COLUMN_GTIN,  COLUMN_AVAILABILITY, COLUMN_LANGUAGE};
    struct import_fault told;
    struct ads_str sku;
    enum ads_err err;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        text_put(record, texts[i]);
    }
    description_put(record);
    category_put(record);
    keywords_put(record);
    attributes_put(record);
    prices_put(record);
    text_put(record, COLUMN_CURRENCY);

    told = *record->fault;
    sku = record->texts[COLUMN_SKU];
    err = import_rule_check(rule, record->row, record->fault, record->object,
                            record->pool);
    record->row->said = record->said;
    record->fault->sku = sku;
    if (told.why != NULL) {
        *record->fault = told;
        record->fault->sku = sku;
        return ADS_INVALID;
    }
    if (err == ADS_INVALID) {
        record->fault->column = column_of(record, record->fault->field);
    }
    return err;
}


enum ads_err
import_cells_read(struct import_cells *cells, struct import_row *row,
                  struct import_fault *fault, const struct feed_record *names,
                  const struct feed_record *values, struct pool *pool)
{
    struct record *record = pool_alloc(pool, sizeof(*record));

    record->options = &cells->options;
    record->row = row;
    record->fault = fault;
    record->pool = pool;
    record->object = pool_alloc(pool, sizeof(*record->object));
    record->object->type = ADS_JSON_OBJECT;
    record->link = &record->object->first;
    *row = (struct import_row){0};
    *fault = (struct import_fault){.line = values->line, .field = ""};

    record_take(record, names, values);
    if (!import_shop_read(record, cells->parents)) {
        row->none = true;
        return ADS_OK;
    }
    return record_check(record, cells->rule);
}
