/*
 * Products from named cells: how shops write prices, categories and texts, and
 * how the rows of one product belong together (import_shops.c).
 */
#ifndef ADSD_IMPORT_CELLS_H
#define ADSD_IMPORT_CELLS_H

#include "catalog/import_record.h"

struct import_cells;

struct import_cells *
import_cells_new(const struct import_cells_options *options);
void
import_cells_free(struct import_cells *cells);

/* Adds what the prices of one record show to evidence[COLUMNS]. */
void
import_cells_scan(struct import_evidence *evidence, struct ads_str map,
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
