/*
 * How the exports of shops spread a product over rows.
 */
#ifndef ADSD_IMPORT_SHOPS_H
#define ADSD_IMPORT_SHOPS_H

#include "catalog/import_record.h"

/* What is remembered of one feed. */
struct import_parents;

struct import_parents *
import_parents_new(void);

void
import_parents_free(struct import_parents *parents);

/*
 * Completes the record as its shop means it: what a variant does not say its
 * product's first row does, addresses are made where a shop writes none, and
 * stock becomes availability.  False: the row is no product.
 */
bool
import_shop_read(struct record *record, struct import_parents *parents);

#endif
