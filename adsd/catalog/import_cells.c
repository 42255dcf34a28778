/*
 * Makes a product of a table row.  A record becomes an object with the API's
 * names, in one walk over its cells, and is validated as one.
 */
#include "catalog/import_cells.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "ads_money.h"
#include "ads_utf8.h"
#include "catalog/import_value.h"

#define NAME_MAX_LEN 64
#define DESCRIPTION_BYTES 5000 /* with highlights, so that they always fit */
#define TAGS_MAX 50
#define TAG_BYTES 80
#define CALLED_MAX 8

/*
 * A row a column: its name in the API, what naming it says about a whole feed,
 * and what shops call it, in name_plain()'s spelling.
 */
static const struct {
    const char *name;
    unsigned says;
    const char *called[CALLED_MAX];
} known[COLUMNS] = {
    [COLUMN_IGNORED] = {.name = ""},
    [COLUMN_SKU] = {"sku", 0, {"sku", "id", "variant sku"}},
    [COLUMN_TITLE] = {"title", 0, {"title", "name"}},
    [COLUMN_DESCRIPTION] = {"description", 0, {"description", "body (html)"}},
    [COLUMN_HIGHLIGHT] = {"product_highlight", 0, {"product highlight"}},
    [COLUMN_URL] = {"url", 0, {"url", "link"}},
    [COLUMN_IMAGE] = {"image_url", 0, {"image url", "image link", "image src"}},
    [COLUMN_PRICE] = {"price", 0, {"price", "variant price"}},
    [COLUMN_COMPARE_PRICE] = {"compare_at_price",
                              IMPORT_SAID_SALE,
                              {"variant compare at price"}},
    [COLUMN_SALE_PRICE] = {"sale_price", IMPORT_SAID_SALE, {"sale price"}},
    [COLUMN_SALE_DATES] = {"sale_price_effective_date",
                           0,
                           {"sale price effective date"}},
    [COLUMN_VALID_UNTIL] = {"price_valid_until",
                            0,
                            {"price valid until", "pricevaliduntil"}},
    [COLUMN_CURRENCY] = {"currency", 0, {"currency"}},
    [COLUMN_BRAND] = {"brand", 0, {"brand", "vendor"}},
    [COLUMN_GTIN] = {"gtin", 0, {"gtin", "variant barcode"}},
    [COLUMN_CATEGORY] = {"category",
                         0,
                         {"category", "product type", "google product category",
                          "product category", "type"}},
    [COLUMN_AVAILABILITY] = {"availability",
                             IMPORT_SAID_AVAILABILITY,
                             {"availability"}},
    [COLUMN_KEYWORDS] = {"keywords", IMPORT_SAID_KEYWORDS, {"keywords"}},
    [COLUMN_TAGS] = {"tags", IMPORT_SAID_KEYWORDS, {"tags"}},
    [COLUMN_LANGUAGE] = {"language",
                         IMPORT_SAID_LANGUAGE,
                         {"language", "content language"}},
    [COLUMN_ATTRIBUTE] = {"attributes",
                          IMPORT_SAID_ATTRIBUTES,
                          {"color", "size", "material", "pattern", "gender",
                           "age group", "condition", "mpn"}},
    [COLUMN_HANDLE] = {"handle", 0, {"handle"}},
    [COLUMN_OPTION] = {"option",
                       0,
                       {"option1 value", "option2 value", "option3 value"}},
    [COLUMN_STATUS] = {"status", 0, {"status"}},
};

/* What the rows of one Shopify product share. */
struct shared {
    struct pool *pool;
    struct ads_str handle;
    struct ads_str texts[COLUMNS];
    unsigned n_variants;
};

struct import_cells {
    struct import_cells_options options;
    struct shared shared;
    struct import_rule *rule;
};

/* A record while it is read. */
struct record {
    struct import_cells *cells;
    struct import_row *row;
    struct import_fault *fault;
    struct pool *pool;
    struct ads_str texts[COLUMNS]; /* the first of each, trimmed */
    unsigned at[COLUMNS];          /* its column, from 1 */
    struct ads_str options[3];
    unsigned n_options;
    const struct feed_record *names;
    const struct feed_record *values;
    uint8_t *columns; /* enum import_column of each */
    unsigned said;
    struct doc *object; /* the product, with the API's names */
    struct doc **link;
};


struct import_cells *
import_cells_new(const struct import_cells_options *options)
{
    struct import_cells *cells = xcalloc(1, sizeof(*cells));

    cells->options = *options;
    cells->shared.pool = pool_new();
    cells->rule = import_rule_new();
    return cells;
}


void
import_cells_free(struct import_cells *cells)
{
    if (cells != NULL) {
        pool_free(cells->shared.pool);
        import_rule_free(cells->rule);
        free(cells);
    }
}


const char *
import_column_name(enum import_column column)
{
    return known[column].name;
}


/* Lower case, spaces, without a prefix; false: too long to be a known one. */
static bool
name_plain(char *plain, struct ads_str name)
{
    static const char *const prefixes[] = {"Google Shopping / ", "g:"};
    size_t len = 0;

    name = import_value_trim(name);
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(prefixes[i]);

        if (name.len > n && strncasecmp(name.ptr, prefixes[i], n) == 0) {
            name.ptr += n;
            name.len -= n;
        }
    }
    if (name.len >= NAME_MAX_LEN) {
        return false;
    }
    for (; len < name.len; len++) {
        char c = name.ptr[len];

        plain[len] =
            c == '_' || c == '-' ? ' ' : (char)tolower((unsigned char)c);
    }
    plain[len] = '\0';
    return true;
}


enum import_column
import_column_find(struct ads_str name)
{
    char plain[NAME_MAX_LEN];

    if (!name_plain(plain, name)) {
        return COLUMN_IGNORED;
    }
    for (int column = 0; column < COLUMNS; column++) {
        const char *const *called = known[column].called;

        for (int i = 0; i < CALLED_MAX && called[i] != NULL; i++) {
            if (strcmp(called[i], plain) == 0) {
                return (enum import_column)column;
            }
        }
    }
    return COLUMN_IGNORED;
}


static void
fault_at(struct record *record, enum import_column column, const char *why)
{
    if (record->fault->why == NULL) {
        record->fault->column = record->at[column];
        record->fault->field = known[column].name;
        record->fault->why = why;
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
import_cells_scan(struct import_evidence *evidence,
                  const struct feed_record *names,
                  const struct feed_record *values, struct pool *pool)
{
    for (unsigned i = 0; i < values->n; i++) {
        enum import_column column = import_column_find(names->cells[i]);

        if (column == COLUMN_PRICE || column == COLUMN_COMPARE_PRICE
            || column == COLUMN_SALE_PRICE)
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
    /* where a sale's price stands in another column than it came from */
    const unsigned at = record->at[column];
    const enum import_column from =
        at > 0 ? (enum import_column)record->columns[at - 1] : column;

    return import_price_read(
        price, record->texts[column],
        import_cells_decimal(&record->cells->options, from), record->pool, why);
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
        fault_at(record, column, why);
        return false;
    }
    member_put(record, name, ADS_JSON_NUMBER, price.number);
    if (currency->len == 0) {
        *currency = price.currency.ptr != NULL
                        ? price.currency
                        : record->cells->options.currency;
    }
    if ((price.currency.ptr != NULL || price.symbol_of != NULL)
        && currency->len > 0 && !ads_str_equal(*currency, price.currency)
        && (price.symbol_of == NULL
            || !import_symbol_fits(price.symbol_of, *currency)))
    {
        fault_at(record, column, "is in another currency than the product");
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
    int64_t now_ms = record->cells->options.now_ms, from_ms;
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
            fault_at(record, COLUMN_SALE_DATES,
                     "must be two times with a slash between");
            return false;
        }
        return from_ms <= now_ms && now_ms < *until_ms;
    }
    if (until.len > 0 && !import_time_read(until_ms, until, true)) {
        fault_at(record, COLUMN_VALID_UNTIL, "must be a day or a time");
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
        record->texts[COLUMN_CURRENCY] = record->cells->options.currency;
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
        member_put(record, known[column].name, ADS_JSON_STRING,
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

        if (record->columns[i] == COLUMN_CATEGORY && !is_number(text)) {
            parts_put(record, array, &link, text, ">\n");
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


static void
attributes_put(struct record *record)
{
    struct doc *object = NULL, **link = NULL;

    for (unsigned i = 0; i < record->values->n; i++) {
        struct ads_str text = import_value_trim(record->values->cells[i]);
        char *name;

        if (record->columns[i] != COLUMN_ATTRIBUTE || text.len == 0) {
            continue;
        }
        if (object == NULL) {
            object =
                doc_put(record, &record->link, "attributes", ADS_JSON_OBJECT);
            link = &object->first;
        }
        name = pool_alloc(record->pool, NAME_MAX_LEN);
        (void)name_plain(name, record->names->cells[i]);
        for (char *p = name; *p != '\0'; p++) {
            *p = *p == ' ' ? '_' : *p;
        }
        if (doc_find(object, name) == NULL) {
            doc_put(record, &link, name, ADS_JSON_STRING)->text = text;
            object->n++;
        }
    }
}


/* ---- Shopify ---- */

/* Takes over what only the product's first row says. */
static void
texts_share(struct record *record)
{
    static const enum import_column columns[] = {
        COLUMN_TITLE, COLUMN_DESCRIPTION, COLUMN_BRAND,
        COLUMN_IMAGE, COLUMN_STATUS,      COLUMN_TAGS};
    struct shared *shared = &record->cells->shared;

    if (!ads_str_equal(shared->handle, record->texts[COLUMN_HANDLE])) {
        pool_reset(shared->pool);
        memset(shared->texts, 0, sizeof(shared->texts));
        shared->n_variants = 0;
        shared->handle = record->texts[COLUMN_HANDLE];
        shared->handle.ptr = pool_text(shared->pool, shared->handle);
    }
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        struct ads_str *kept = &shared->texts[columns[i]];
        struct ads_str *text = &record->texts[columns[i]];

        if (text->len == 0) {
            *text = *kept;
        } else if (kept->len == 0) {
            kept->ptr = pool_text(shared->pool, *text);
            kept->len = text->len;
        }
    }
}


static void
option_append(struct record *record)
{
    struct ads_str *title = &record->texts[COLUMN_TITLE];
    bool first = true;

    for (unsigned i = 0; i < record->n_options; i++) {
        struct ads_str option = record->options[i];

        if (option.len == 0 || ads_str_equal(option, ADS_STR("Default Title")))
        {
            continue;
        }
        title->ptr = pool_format(
            record->pool, &title->len, "%.*s%s%.*s", (int)title->len,
            title->ptr, first ? " - " : " / ", (int)option.len, option.ptr);
        first = false;
    }
}


/* False: this row is no product. */
static bool
shopify_read(struct record *record)
{
    struct ads_str base = record->cells->options.base_url;
    struct ads_str handle = record->texts[COLUMN_HANDLE];
    struct ads_str *text;

    texts_share(record);
    if (record->texts[COLUMN_PRICE].len == 0) {
        return false;
    }
    text = &record->texts[COLUMN_STATUS];
    if (text->len > 0 && !ads_str_equal(*text, ADS_STR("active"))) {
        return false;
    }
    record->cells->shared.n_variants++;
    option_append(record);
    text = &record->texts[COLUMN_SKU];
    if (text->len == 0) {
        text->ptr =
            pool_format(record->pool, &text->len, "%.*s-%u", (int)handle.len,
                        handle.ptr, record->cells->shared.n_variants);
    }
    text = &record->texts[COLUMN_URL];
    if (text->len == 0 && base.len > 0) {
        text->ptr =
            pool_format(record->pool, &text->len, "%.*s/products/%.*s",
                        (int)base.len, base.ptr, (int)handle.len, handle.ptr);
    } else if (text->len == 0) {
        fault_at(record, COLUMN_URL,
                 "is missing: give the address of the shop (base_url)");
    }
    return true;
}


/* ---- one record ---- */

static void
cells_take(struct record *record)
{
    for (unsigned i = 0; i < record->values->n; i++) {
        enum import_column column = import_column_find(record->names->cells[i]);
        struct ads_str text = import_value_trim(record->values->cells[i]);

        record->columns[i] = (uint8_t)column;
        record->said |= known[column].says;
        if (column != COLUMN_IGNORED && !ads_utf8_check(text)) {
            record->at[column] = i + 1;
            fault_at(record, column, "is not UTF-8");
            continue; /* nor is it anywhere a part of what is kept */
        }
        if (column == COLUMN_OPTION && record->n_options < 3) {
            record->options[record->n_options++] = text;
        }
        if (record->texts[column].len == 0) {
            record->texts[column] = text;
            record->at[column] = i + 1;
        }
    }
}


/* The column of a field that was validated, such as "category/3". */
static unsigned
column_of(const struct record *record, const char *field)
{
    struct ads_str name = {field, strcspn(field, "/")};

    for (int i = 0; i < COLUMNS; i++) {
        if (ads_str_is(name, known[i].name)) {
            return record->at[i];
        }
    }
    return 0;
}


static enum ads_err
record_check(struct record *record)
{
    static const enum import_column texts[] = {
        COLUMN_SKU,   COLUMN_TITLE, COLUMN_URL,          COLUMN_IMAGE,
        COLUMN_BRAND, COLUMN_GTIN,  COLUMN_AVAILABILITY, COLUMN_LANGUAGE};
    struct import_fault told;
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
    err = import_rule_check(record->cells->rule, record->row, record->fault,
                            record->object, record->pool);
    record->row->said = record->said;
    if (told.why != NULL) {
        *record->fault = told;
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

    record->cells = cells;
    record->row = row;
    record->fault = fault;
    record->pool = pool;
    record->names = names;
    record->values = values;
    record->columns = pool_array(pool, values->n, sizeof(*record->columns));
    record->object = pool_alloc(pool, sizeof(*record->object));
    record->object->type = ADS_JSON_OBJECT;
    record->link = &record->object->first;
    *row = (struct import_row){0};
    *fault = (struct import_fault){.line = values->line, .field = ""};

    cells_take(record);
    if (record->texts[COLUMN_HANDLE].len > 0 && !shopify_read(record)) {
        row->none = true;
        return ADS_OK;
    }
    return record_check(record);
}
