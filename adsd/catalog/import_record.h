/*
 * A record of a feed while it is read: its cells, by the fields that their
 * columns are.
 */
#ifndef ADSD_IMPORT_RECORD_H
#define ADSD_IMPORT_RECORD_H

#include "catalog/feed_table.h"
#include "catalog/import_columns.h"
#include "catalog/import_price.h"
#include "catalog/import_row.h"

#define OPTIONS_MAX 3

struct import_cells_options {
    struct ads_str base_url; /* of the shop, for feeds without links */
    struct ads_str currency; /* for prices without one */
    struct ads_str map;      /* of columns (import_columns.h); ptr NULL: none */
    int64_t now_ms;          /* decides which sales are on */
    enum import_decimal decimal; /* of all prices, when the caller said it */
    /* [COLUMNS]: what the whole feed's prices show; NULL: nothing */
    const struct import_evidence *evidence;
};

struct record {
    const struct import_cells_options *options;
    struct import_row *row;
    struct import_fault *fault;
    struct pool *pool;
    struct ads_str texts[COLUMNS]; /* the first of each, trimmed */
    unsigned at[COLUMNS];          /* its column, from 1 */
    struct ads_str option_values[OPTIONS_MAX];
    struct ads_str option_names[OPTIONS_MAX];
    unsigned n_options;
    unsigned n_option_names;
    struct ads_str group; /* what the variants of its product share */
    bool woo;             /* a row of WooCommerce's export */
    const struct feed_record *names;
    const struct feed_record *values;
    uint8_t *columns; /* enum import_column of each */
    unsigned said;
    struct doc *object; /* the product, with the API's names */
    struct doc **link;
};

/* Notes the first fault of a record. */
void
record_fault(struct record *record, enum import_column column, const char *why);

/* Takes these cells for the record's. */
void
record_take(struct record *record, const struct feed_record *names,
            const struct feed_record *values);

#endif
