/*
 * Products from named cells: which column is which field, and how shops write
 * prices, categories and texts.
 *
 * Names are compared without case, with space, dash and underscore alike, and
 * without the prefix "g:".  Which names a field has is a table in the .c file
 * and in docs/feeds.md.
 *
 * Custom labels order a merchant's own campaigns elsewhere: they are nothing
 * here, as is all else.
 *
 * Shopify writes a row for each variant and each further image of a product;
 * only the first holds the product's texts.  A variant's title ends with its
 * options; rows without a price are images and no products.
 */
#ifndef ADSD_IMPORT_CELLS_H
#define ADSD_IMPORT_CELLS_H

#include "catalog/feed_table.h"
#include "catalog/import_price.h"
#include "catalog/import_row.h"

enum import_column {
    COLUMN_IGNORED,
    COLUMN_SKU,
    COLUMN_TITLE,
    COLUMN_DESCRIPTION,
    COLUMN_HIGHLIGHT,
    COLUMN_URL,
    COLUMN_IMAGE,
    COLUMN_PRICE,
    COLUMN_COMPARE_PRICE,
    COLUMN_SALE_PRICE,
    COLUMN_SALE_DATES,
    COLUMN_VALID_UNTIL,
    COLUMN_CURRENCY,
    COLUMN_BRAND,
    COLUMN_GTIN,
    COLUMN_CATEGORY,
    COLUMN_AVAILABILITY,
    COLUMN_KEYWORDS,
    COLUMN_TAGS,
    COLUMN_LANGUAGE,
    COLUMN_ATTRIBUTE,
    COLUMN_HANDLE, /* Shopify's */
    COLUMN_OPTION,
    COLUMN_STATUS,
    COLUMNS
};

struct import_cells;

struct import_cells_options {
    struct ads_str base_url;     /* of the shop, for feeds without links */
    struct ads_str currency;     /* for prices without one */
    int64_t now_ms;              /* decides which sales are on */
    enum import_decimal decimal; /* of all prices, when the caller said it */
    /* [COLUMNS]: what the whole feed's prices show; NULL: nothing */
    const struct import_evidence *evidence;
};

struct import_cells *
import_cells_new(const struct import_cells_options *options);
void
import_cells_free(struct import_cells *cells);

/* Which field a column of that name is read into; COLUMN_IGNORED: none. */
enum import_column
import_column_find(struct ads_str name);

/* Its name in our API. */
const char *
import_column_name(enum import_column column);

/* Adds what the prices of one record show to evidence[COLUMNS]. */
void
import_cells_scan(struct import_evidence *evidence,
                  const struct feed_record *names,
                  const struct feed_record *values, struct pool *pool);

/* The decimal mark of a column with prices: what was asked for, what it shows,
 * or else what the other columns show. */
enum import_decimal
import_cells_decimal(const struct import_cells_options *options,
                     enum import_column column);

/*
 * Reads one record.  ADS_INVALID: fault->field, ->column and ->why say why.
 * row->none: no product at all (a further image, a draft).
 */
ADS_MUST enum ads_err
import_cells_read(struct import_cells *cells, struct import_row *row,
                  struct import_fault *fault, const struct feed_record *names,
                  const struct feed_record *values, struct pool *pool);

#endif
