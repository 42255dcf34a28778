/*
 * How shops' exports spread a product over rows.
 *
 * Shopify writes a row for each variant and each further image of a product;
 * only the first holds the product's texts.  A variant's title ends with its
 * options; rows without a price are images and no products.
 *
 * WooCommerce writes a row for a product with variations, which has no price
 * and is no product here, and anywhere behind it one for each variation.
 *
 * Google's rows of one item_group_id are complete by its rules; where they are
 * not, the row before them with the same group completes them.
 */
#define _GNU_SOURCE /* memmem */

#include "catalog/import_shops.h"

#include <stdlib.h>
#include <strings.h>

#include "ads_utf8.h"
#include "catalog/import_link.h"
#include "catalog/import_value.h"

#define BUCKETS 1024
#define PARENTS_MAX 50000 /* of one feed that are remembered */

struct parent {
    struct parent *next;
    struct ads_str key;
    struct ads_str id;
    struct feed_record names;
    struct feed_record values;
};

struct import_parents {
    struct pool *pool; /* of those below */
    struct parent *buckets[BUCKETS];
    unsigned n;
    struct pool *last_pool;
    struct parent last; /* Shopify's and Google's follow each other */
    unsigned n_variants;
};


struct import_parents *
import_parents_new(void)
{
    struct import_parents *parents = xcalloc(1, sizeof(*parents));

    parents->pool = pool_new();
    parents->last_pool = pool_new();
    return parents;
}


void
import_parents_free(struct import_parents *parents)
{
    pool_free(parents->pool);
    pool_free(parents->last_pool);
    free(parents);
}


/* ---- parents ---- */

static struct ads_str
text_keep(struct pool *pool, struct ads_str text)
{
    return (struct ads_str){pool_text(pool, text), text.len};
}


static void
cells_keep(struct feed_record *kept, const struct feed_record *record,
           struct pool *pool)
{
    struct ads_str *cells = pool_array(pool, record->n, sizeof(*cells));

    for (unsigned i = 0; i < record->n; i++) {
        cells[i] = ads_utf8_check(record->cells[i])
                       ? text_keep(pool, record->cells[i])
                       : ADS_STR("");
    }
    *kept = (struct feed_record){record->line, record->n, cells};
}


static void
parent_keep(struct parent *parent, const struct record *record,
            struct ads_str key, struct pool *pool)
{
    parent->key = text_keep(pool, key);
    parent->id = text_keep(pool, record->texts[COLUMN_ID]);
    cells_keep(&parent->names, record->names, pool);
    cells_keep(&parent->values, record->values, pool);
}


static struct parent **
bucket_of(struct import_parents *parents, struct ads_str key)
{
    uint32_t hash = 2166136261U;

    for (size_t i = 0; i < key.len; i++) {
        hash = (hash ^ (uint8_t)key.ptr[i]) * 16777619U;
    }
    return &parents->buckets[hash % BUCKETS];
}


static void
parent_add(struct import_parents *parents, const struct record *record,
           struct ads_str key)
{
    struct parent **bucket = bucket_of(parents, key);
    struct parent *parent;

    if (key.len == 0 || parents->n == PARENTS_MAX) {
        return;
    }
    parent = pool_alloc(parents->pool, sizeof(*parent));
    parent_keep(parent, record, key, parents->pool);
    parent->next = *bucket;
    *bucket = parent;
    parents->n++;
}


static const struct parent *
parent_find(struct import_parents *parents, struct ads_str key)
{
    const struct parent *parent = *bucket_of(parents, key);

    while (parent != NULL && !ads_str_equal(parent->key, key)) {
        parent = parent->next;
    }
    return parent;
}


static bool
is_shared(enum import_column column)
{
    static const enum import_column columns[] = {
        COLUMN_TITLE,     COLUMN_DESCRIPTION, COLUMN_SHORT_DESCRIPTION,
        COLUMN_HIGHLIGHT, COLUMN_URL,         COLUMN_IMAGE,
        COLUMN_CURRENCY,  COLUMN_BRAND,       COLUMN_CATEGORY,
        COLUMN_TYPE,      COLUMN_KEYWORDS,    COLUMN_TAGS,
        COLUMN_LANGUAGE,  COLUMN_ATTRIBUTE,   COLUMN_OPTION_NAME,
        COLUMN_STATUS,    COLUMN_PUBLISHED};

    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        if (columns[i] == column) {
            return true;
        }
    }
    return false;
}


/* The index of a cell by its name; n: there is none. */
static unsigned
cell_find(const struct feed_record *names, struct ads_str name)
{
    unsigned i = 0;

    while (i < names->n && !ads_str_equal(names->cells[i], name)) {
        i++;
    }
    return i;
}


/* Reads the record again, with the parent's cells where it has none. */
static void
parent_share(struct record *record, const struct parent *parent)
{
    const unsigned most = record->values->n + parent->values.n;
    struct ads_str *names = pool_array(record->pool, most, sizeof(*names));
    struct ads_str *cells = pool_array(record->pool, most, sizeof(*cells));
    struct feed_record *full = pool_array(record->pool, 2, sizeof(*full));
    unsigned n = record->values->n;

    for (unsigned i = 0; i < n; i++) {
        names[i] = record->names->cells[i];
        cells[i] = record->values->cells[i];
    }
    for (unsigned i = 0; i < parent->values.n; i++) {
        const struct ads_str name = parent->names.cells[i];
        const unsigned at = cell_find(record->names, name);

        if (!is_shared(import_column_of(record->options->map, name))) {
            continue;
        }
        if (at == record->names->n) {
            names[n] = name;
            cells[n++] = parent->values.cells[i];
        } else if (import_value_trim(cells[at]).len == 0) {
            cells[at] = parent->values.cells[i];
        }
    }
    full[0] = (struct feed_record){record->names->line, n, names};
    full[1] = (struct feed_record){record->values->line, n, cells};
    record_take(record, &full[0], &full[1]);
}


/* The rows of one handle or group follow each other. */
static void
last_share(struct record *record, struct import_parents *parents,
           struct ads_str key)
{
    record->group = key;
    if (ads_str_equal(parents->last.key, key)) {
        parent_share(record, &parents->last);
        return;
    }
    pool_reset(parents->last_pool);
    parent_keep(&parents->last, record, key, parents->last_pool);
    parents->n_variants = 0;
}


/* ---- stock ---- */

static bool
text_is(struct ads_str text, const char *word)
{
    return text.len == strlen(word)
           && strncasecmp(text.ptr, word, text.len) == 0;
}


/* Is it a number that is not above zero? */
static bool
is_none_left(struct ads_str text)
{
    bool digits = false;

    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];

        if (c == '-' && i == 0) {
            return text.len > 1 && ads_char_is_digit(text.ptr[1]);
        }
        if (c >= '1' && c <= '9') {
            return false;
        }
        if (c != '0' && c != '.' && c != ',') {
            return false;
        }
        digits |= c == '0';
    }
    return digits;
}


static void
stock_read(struct record *record)
{
    struct ads_str *availability = &record->texts[COLUMN_AVAILABILITY];
    const struct ads_str in_stock = record->texts[COLUMN_IN_STOCK];
    const struct ads_str oversell = record->texts[COLUMN_OVERSELL];
    const struct ads_str stock = record->texts[COLUMN_STOCK];
    const bool counted = record->at[COLUMN_TRACKER] == 0
                         || record->texts[COLUMN_TRACKER].len > 0;

    if (in_stock.len > 0 && availability->len == 0) {
        *availability = text_is(in_stock, "backorder") ? ADS_STR("backorder")
                        : is_none_left(in_stock) || text_is(in_stock, "no")
                                || text_is(in_stock, "false")
                            ? ADS_STR("out_of_stock")
                            : ADS_STR("in_stock");
    }
    if (!counted || text_is(oversell, "continue") || text_is(oversell, "1")
        || text_is(oversell, "yes") || text_is(oversell, "notify"))
    {
        return;
    }
    if (is_none_left(stock)
        && (availability->len == 0
            || strchr("pPbB", availability->ptr[0]) == NULL))
    {
        *availability = ADS_STR("out_of_stock");
    }
}


/* ---- shops ---- */

static void
option_append(struct record *record)
{
    struct ads_str *title = &record->texts[COLUMN_TITLE];
    bool first = true;

    for (unsigned i = 0; i < record->n_options; i++) {
        struct ads_str option = record->option_values[i];

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


/* An address of the shop, where the row has none. */
static void
url_make(struct record *record, const char *path, struct ads_str key)
{
    const struct ads_str base = record->options->base_url;
    struct ads_str *url = &record->texts[COLUMN_URL];

    if (url->len == 0 && base.len > 0) {
        url->ptr =
            pool_format(record->pool, &url->len, "%.*s%s%.*s", (int)base.len,
                        base.ptr, path, (int)key.len, key.ptr);
    } else if (url->len == 0) {
        record_fault(record, COLUMN_URL,
                     "is missing: give the address of the shop (base_url)");
    }
}


static bool
shopify_read(struct record *record, struct import_parents *parents)
{
    const struct ads_str handle = record->texts[COLUMN_HANDLE];
    struct ads_str *sku = &record->texts[COLUMN_SKU];
    struct ads_str status;

    last_share(record, parents, handle);
    status = record->texts[COLUMN_STATUS];
    if (record->texts[COLUMN_PRICE].len == 0
        || (status.len > 0 && !text_is(status, "active"))
        || text_is(record->texts[COLUMN_PUBLISHED], "false"))
    {
        return false;
    }
    parents->n_variants++;
    option_append(record);
    if (sku->len == 0) {
        sku->ptr =
            pool_format(record->pool, &sku->len, "%.*s-%u", (int)handle.len,
                        handle.ptr, parents->n_variants);
    }
    url_make(record, "/products/", handle);
    return true;
}


static bool
woo_read(struct record *record, struct import_parents *parents)
{
    const struct ads_str kind = record->texts[COLUMN_TYPE];
    const struct ads_str published = record->texts[COLUMN_PUBLISHED];
    struct ads_str page = record->texts[COLUMN_ID];

    if (text_is(kind, "variable") || text_is(kind, "grouped")) {
        struct ads_str id;

        id.ptr = pool_format(record->pool, &id.len, "id:%.*s", (int)page.len,
                             page.ptr);
        parent_add(parents, record, id);
        parent_add(parents, record, record->texts[COLUMN_SKU]);
        return false;
    }
    if (text_is(kind, "variation")) {
        const struct parent *parent =
            parent_find(parents, record->texts[COLUMN_PARENT]);

        if (parent == NULL) {
            record_fault(record, COLUMN_PARENT,
                         "is no product with variations before this row");
        } else {
            parent_share(record, parent);
            record->group = parent->key;
            page = parent->id;
        }
    }
    record->texts[COLUMN_PRICE] = record->texts[COLUMN_REGULAR_PRICE];
    record->at[COLUMN_PRICE] = record->at[COLUMN_REGULAR_PRICE];
    url_make(record, "/?p=", page);
    return !text_is(published, "0") && !text_is(published, "-1");
}


/* "https://shop.example/1?at={store_code}" */
static void
template_fill(struct record *record)
{
    const struct ads_str store = record->texts[COLUMN_STORE];
    const struct ads_str text = record->texts[COLUMN_LINK_TEMPLATE];
    const struct ads_str mark = ADS_STR("{store_code}");
    const char *at =
        memmem(text.len > 0 ? text.ptr : "", text.len, mark.ptr, mark.len);
    struct ads_str *url = &record->texts[COLUMN_URL];
    size_t before;

    if (url->len > 0 || text.len == 0) {
        return;
    }
    *url = text;
    if (at != NULL) {
        before = (size_t)(at - text.ptr);
        url->ptr =
            pool_format(record->pool, &url->len, "%.*s%.*s%.*s", (int)before,
                        text.ptr, (int)store.len, store.ptr,
                        (int)(text.len - before - mark.len), at + mark.len);
    }
}


/* WooCommerce and others list several, with commas between. */
static void
image_cut(struct record *record)
{
    struct ads_str *image = &record->texts[COLUMN_IMAGE];

    for (size_t i = 0; i + 5 < image->len; i++) {
        if (image->ptr[i] == ','
            && (strncmp(image->ptr + i + 1, "http", 4) == 0
                || strncmp(image->ptr + i + 1, " http", 5) == 0))
        {
            image->len = i;
        }
    }
}


bool
import_shop_read(struct record *record, struct import_parents *parents)
{
    bool is_product = true;

    if (record->texts[COLUMN_HANDLE].len > 0) {
        is_product = shopify_read(record, parents);
    } else if (record->at[COLUMN_REGULAR_PRICE] > 0) {
        record->woo = true;
        is_product = woo_read(record, parents);
    } else if (record->texts[COLUMN_GROUP].len > 0) {
        last_share(record, parents, record->texts[COLUMN_GROUP]);
    }
    if (record->texts[COLUMN_SKU].len == 0) {
        record->texts[COLUMN_SKU] = record->texts[COLUMN_ID];
        record->at[COLUMN_SKU] = record->at[COLUMN_ID];
    }
    if (record->texts[COLUMN_DESCRIPTION].len == 0) {
        record->texts[COLUMN_DESCRIPTION] =
            record->texts[COLUMN_SHORT_DESCRIPTION];
    }
    template_fill(record);
    image_cut(record);
    record->texts[COLUMN_URL] =
        import_link_fit(record->texts[COLUMN_URL], record->pool);
    record->texts[COLUMN_IMAGE] =
        import_link_fit(record->texts[COLUMN_IMAGE], record->pool);
    stock_read(record);
    return is_product;
}
