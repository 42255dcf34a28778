/*
 * Products of a feed (import_source.h) into a campaign, in batches, each batch
 * one transaction.  One bad row never loses the others.
 *
 * Fields: `sku` (the upsert key; or else `id`), `title`, `url`, `price` and
 * `currency` are required; `description`, `brand`, `gtin`, `category`,
 * `image_url` and `availability` are taken; others are ignored.
 */
#ifndef ADSD_IMPORT_H
#define ADSD_IMPORT_H

#include "db.h"
#include "feed_table.h"

#define IMPORT_BATCH 1000

/* What is wrong with a row. */
struct import_fault {
    uint64_t line;     /* from 1 */
    unsigned column;   /* of a table, from 1; 0: none */
    const char *field; /* "" when the whole line is meant */
    const char *why;
};

struct import_totals {
    uint64_t rows; /* read, good and bad */
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
    struct ads_str base_url; /* of the shop, for feeds without links */
    struct ads_str currency; /* for prices without one */
    bool dry_run;            /* read and judge, write nothing */

    /* called once, with how the feed is read: its format's name and, of a
     * table, which column is which field (import_column_name) */
    void (*mapping)(void *ctx, const char *format,
                    const struct feed_record *header);
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
