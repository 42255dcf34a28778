/*
 * Columns are found once for each header; a record is then one walk over its
 * cells.
 */
#include "import_cells.h"

#include <ctype.h>
#include <stdlib.h>

#include "ads_money.h"
#include "import_rule.h"

#define NAME_MAX_LEN 64

/* Names as columns_same() sees them: lower case, spaces. */
static const struct {
    const char *name;
    enum import_column column;
} aliases[] = {
    {"sku", COLUMN_SKU},
    {"id", COLUMN_SKU},
    {"variant sku", COLUMN_SKU},
    {"title", COLUMN_TITLE},
    {"name", COLUMN_TITLE},
    {"description", COLUMN_DESCRIPTION},
    {"body (html)", COLUMN_DESCRIPTION},
    {"url", COLUMN_URL},
    {"link", COLUMN_URL},
    {"image url", COLUMN_IMAGE},
    {"image link", COLUMN_IMAGE},
    {"image src", COLUMN_IMAGE},
    {"price", COLUMN_PRICE},
    {"variant price", COLUMN_PRICE},
    {"currency", COLUMN_CURRENCY},
    {"brand", COLUMN_BRAND},
    {"vendor", COLUMN_BRAND},
    {"gtin", COLUMN_GTIN},
    {"variant barcode", COLUMN_GTIN},
    {"category", COLUMN_CATEGORY},
    {"product type", COLUMN_CATEGORY},
    {"google product category", COLUMN_CATEGORY},
    {"product category", COLUMN_CATEGORY},
    {"type", COLUMN_CATEGORY},
    {"availability", COLUMN_AVAILABILITY},
    {"handle", COLUMN_HANDLE},
    {"option1 value", COLUMN_OPTION},
    {"option2 value", COLUMN_OPTION},
    {"option3 value", COLUMN_OPTION},
    {"status", COLUMN_STATUS},
};

static const char *const names_of[COLUMNS] = {
    [COLUMN_IGNORED] = "",          [COLUMN_SKU] = "sku",
    [COLUMN_TITLE] = "title",       [COLUMN_DESCRIPTION] = "description",
    [COLUMN_URL] = "url",           [COLUMN_IMAGE] = "image_url",
    [COLUMN_PRICE] = "price",       [COLUMN_CURRENCY] = "currency",
    [COLUMN_BRAND] = "brand",       [COLUMN_GTIN] = "gtin",
    [COLUMN_CATEGORY] = "category", [COLUMN_AVAILABILITY] = "availability",
    [COLUMN_HANDLE] = "handle",     [COLUMN_OPTION] = "option",
    [COLUMN_STATUS] = "status",
};

/* What the rows of one Shopify product share. */
struct product {
    struct pool *pool;
    struct ads_str handle;
    struct ads_str texts[COLUMNS];
    unsigned n_variants;
};

struct import_cells {
    struct import_cells_options options;
    struct product product;
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
};


struct import_cells *
import_cells_new(const struct import_cells_options *options)
{
    struct import_cells *cells = xcalloc(1, sizeof(*cells));

    cells->options = *options;
    cells->product.pool = pool_new();
    return cells;
}


void
import_cells_free(struct import_cells *cells)
{
    if (cells != NULL) {
        pool_free(cells->product.pool);
        free(cells);
    }
}


const char *
import_column_name(enum import_column column)
{
    return names_of[column];
}


enum import_column
import_column_find(struct ads_str name)
{
    char plain[NAME_MAX_LEN];
    size_t len = 0;

    name = import_rule_trim(name);
    if (name.len > 2 && memcmp(name.ptr, "g:", 2) == 0) {
        name.ptr += 2;
        name.len -= 2;
    }
    if (name.len >= sizeof(plain)) {
        return COLUMN_IGNORED;
    }
    for (; len < name.len; len++) {
        char c = name.ptr[len];

        plain[len] =
            c == '_' || c == '-' ? ' ' : (char)tolower((unsigned char)c);
    }
    plain[len] = '\0';
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (strcmp(aliases[i].name, plain) == 0) {
            return aliases[i].column;
        }
    }
    return COLUMN_IGNORED;
}


static void
fault_at(struct record *record, enum import_column column, const char *why)
{
    if (record->fault->why == NULL) {
        record->fault->column = record->at[column];
        import_rule_fault(record->fault, names_of[column], why);
    }
}


/* ---- prices ---- */

/* Cuts a currency of three letters off either end of a price. */
static struct ads_str
currency_cut(struct ads_str *price)
{
    struct ads_str code = {NULL, 0};
    const char *p = price->ptr;
    size_t n = price->len;

    if (n > 3 && isalpha((unsigned char)p[n - 1])
        && isalpha((unsigned char)p[n - 2]) && isalpha((unsigned char)p[n - 3]))
    {
        code = (struct ads_str){p + n - 3, 3};
        price->len -= 3;
    } else if (n > 3 && isalpha((unsigned char)p[0])
               && isalpha((unsigned char)p[1]) && isalpha((unsigned char)p[2]))
    {
        code = (struct ads_str){p, 3};
        price->ptr += 3;
        price->len -= 3;
    }
    *price = import_rule_trim(*price);
    return code;
}


/* Digits with a point, or a comma where only cents can follow; commas between
 * groups of three are left out.  False when it is neither. */
static bool
amount_plain(struct ads_str price, char *plain, size_t room)
{
    const char *point = memchr(price.ptr, '.', price.len);
    const char *comma = memchr(price.ptr, ',', price.len);
    size_t len = 0;

    if (price.len == 0 || price.len >= room) {
        return false;
    }
    for (size_t i = 0; i < price.len; i++) {
        char c = price.ptr[i];
        size_t behind = price.len - i - 1;

        if (c == ',' && point == NULL && behind == 2 && comma == price.ptr + i)
        {
            c = '.';
        } else if (c == ',') {
            size_t to = point == NULL ? price.len : (size_t)(point - price.ptr);

            if (i == 0 || i > to || (to - i) % 4 != 0) {
                return false;
            }
            continue;
        } else if (c != '.' && (c < '0' || c > '9')) {
            return false;
        }
        plain[len++] = c;
    }
    plain[len] = '\0';
    return true;
}


static bool
price_read(struct record *record)
{
    struct ads_str price = record->texts[COLUMN_PRICE];
    struct ads_str code;
    char plain[32];
    char *p = plain;

    if (price.len == 0) {
        return false;
    }
    code = currency_cut(&price);
    if (amount_plain(price, plain, sizeof(plain))) {
        while (p[0] == '0' && isdigit((unsigned char)p[1])) {
            p++; /* JSON knows no 007 */
        }
    } else {
        *p = '\0';
    }
    if (ads_money_read(&record->row->price_micros,
                       (struct ads_str){p, strlen(p)}, ADS_MONEY_UNSIGNED)
        != ADS_OK)
    {
        fault_at(record, COLUMN_PRICE,
                 "must be an amount such as 12.99 or 12.99 USD");
        return true;
    }
    if (record->row->currency.len == 0 && code.len == 3) {
        char *upper = pool_text(record->pool, code);

        for (int i = 0; i < 3; i++) {
            upper[i] = (char)toupper((unsigned char)upper[i]);
        }
        record->row->currency = (struct ads_str){upper, 3};
    }
    return true;
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
    size_t len = 0, i = 0;

    while (i < html.len) {
        const char *end;
        size_t step = 1;

        if (html.ptr[i] == '<'
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
    return import_rule_trim((struct ads_str){out, len});
}


static void
text_put(struct record *record, enum import_column column)
{
    struct ads_str text = record->texts[column];
    const char *before = record->fault->why;

    if (column == COLUMN_DESCRIPTION && text.len > 0
        && memchr(text.ptr, '<', text.len) != NULL)
    {
        text = html_strip(record->pool, text);
    }
    import_rule_text(record->row, record->fault, names_of[column], text,
                     record->pool);
    if (record->fault->why != before) {
        record->fault->column = record->at[column];
    }
}


/* "Home > Kitchen > Kettles", also several of them. */
static void
category_put(struct record *record)
{
    struct import_category category = {0};

    for (unsigned i = 0; i < record->values->n; i++) {
        struct ads_str text = record->values->cells[i], part;
        size_t from = 0;

        if (import_column_find(record->names->cells[i]) != COLUMN_CATEGORY) {
            continue;
        }
        for (size_t k = 0; k <= text.len; k++) {
            if (k == text.len || text.ptr[k] == '>' || text.ptr[k] == '\n') {
                part = import_rule_trim(
                    (struct ads_str){text.ptr + from, k - from});
                from = k + 1;
                import_rule_category_add(&category, record->fault, part);
            }
        }
    }
    import_rule_category_end(&category, record->row, record->pool);
}


/* ---- Shopify ---- */

/* Takes over what only the product's first row says. */
static void
product_share(struct record *record)
{
    static const enum import_column shared[] = {
        COLUMN_TITLE, COLUMN_DESCRIPTION, COLUMN_BRAND, COLUMN_IMAGE,
        COLUMN_STATUS};
    struct product *product = &record->cells->product;

    if (!ads_str_equal(product->handle, record->texts[COLUMN_HANDLE])) {
        pool_reset(product->pool);
        memset(product->texts, 0, sizeof(product->texts));
        product->n_variants = 0;
        product->handle = record->texts[COLUMN_HANDLE];
        product->handle.ptr = pool_text(product->pool, product->handle);
    }
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        struct ads_str *kept = &product->texts[shared[i]];
        struct ads_str *text = &record->texts[shared[i]];

        if (text->len == 0) {
            *text = *kept;
        } else if (kept->len == 0) {
            kept->ptr = pool_text(product->pool, *text);
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

    product_share(record);
    if (record->texts[COLUMN_PRICE].len == 0) {
        return false;
    }
    text = &record->texts[COLUMN_STATUS];
    if (text->len > 0 && !ads_str_equal(*text, ADS_STR("active"))) {
        return false;
    }
    record->cells->product.n_variants++;
    option_append(record);
    text = &record->texts[COLUMN_SKU];
    if (text->len == 0) {
        text->ptr =
            pool_format(record->pool, &text->len, "%.*s-%u", (int)handle.len,
                        handle.ptr, record->cells->product.n_variants);
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
        struct ads_str text = import_rule_trim(record->values->cells[i]);

        if (column == COLUMN_OPTION && record->n_options < 3) {
            record->options[record->n_options++] = text;
        }
        if (record->texts[column].len == 0) {
            record->texts[column] = text;
            record->at[column] = i + 1;
        }
    }
}


enum ads_err
import_cells_read(struct import_cells *cells, struct import_row *row,
                  struct import_fault *fault, const struct feed_record *names,
                  const struct feed_record *values, struct pool *pool)
{
    static const enum import_column texts[] = {
        COLUMN_SKU,   COLUMN_TITLE, COLUMN_DESCRIPTION,
        COLUMN_URL,   COLUMN_IMAGE, COLUMN_CURRENCY,
        COLUMN_BRAND, COLUMN_GTIN,  COLUMN_AVAILABILITY};
    struct record *record = pool_alloc(pool, sizeof(*record));
    bool has_price;

    *record = (struct record){.cells = cells,
                              .row = row,
                              .fault = fault,
                              .pool = pool,
                              .names = names,
                              .values = values};
    *row = (struct import_row){.category = ADS_STR("[]")};
    *fault = (struct import_fault){.line = values->line, .field = ""};

    cells_take(record);
    if (record->texts[COLUMN_HANDLE].len > 0 && !shopify_read(record)) {
        row->none = true;
        return ADS_OK;
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        text_put(record, texts[i]);
    }
    category_put(record);
    has_price = price_read(record);
    if (row->currency.len == 0) {
        row->currency = cells->options.currency;
    }
    return import_rule_check(row, fault, has_price);
}
