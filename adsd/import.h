/*
 * Products from a JSONL file into a campaign: one JSON object a line, in
 * batches, each batch one transaction.  One bad row never loses the others.
 *
 * Fields of a row: `sku` (the upsert key; or else `id`), `title`, `url`,
 * `price` and `currency` are required; `description`, `brand`, `gtin`,
 * `category` (text or array of texts) and `image_url` are taken; others are
 * ignored.
 */
#ifndef ADSD_IMPORT_H
#define ADSD_IMPORT_H

#include "db.h"
#include "feed.h"

#define IMPORT_BATCH 1000

/* What is wrong with a row. */
struct import_fault {
    uint64_t line;     /* from 1 */
    const char *field; /* "" when the whole line is meant */
    const char *why;
};

struct import_totals {
    uint64_t lines; /* that are not empty */
    uint64_t added;
    uint64_t changed;
    uint64_t unchanged;
    uint64_t repeated; /* a key that came again in its batch */
    uint64_t bad;
    int read_errno; /* why the file could not be read on; 0: it could */
};

struct import_options {
    struct ads_uuid account;
    struct ads_uuid campaign;
    bool dry_run; /* read and judge, write nothing */

    /* called for each bad row, and after each batch */
    void (*fault)(void *ctx, const struct import_fault *fault);
    void (*progress)(void *ctx, const struct import_totals *totals);
    void *ctx;
};

/*
 * Imports everything the feed still holds.  ADS_DAMAGED, or ADS_IO with
 * totals->read_errno set, is the feed's: every row before the fault was
 * imported.  Any other is the database's, and the batches before stay imported.
 * Importing again is safe.
 */
ADS_MUST enum ads_err
import_run(struct import_totals *totals, struct feed *feed, struct db *db,
           const struct import_options *options);

#endif
