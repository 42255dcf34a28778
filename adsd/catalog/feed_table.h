/*
 * Table feeds: CSV (RFC 4180) and TSV, with comma, semicolon, tab or bar
 * between the cells, whichever the first line has most of.
 *
 * A cell may be quoted; in CSV it may then hold line breaks.  A quote that is
 * never closed costs one row: when a record of several lines does not have as
 * many cells as the header, its first line is the bad row, and reading goes on
 * with the next line.
 */
#ifndef ADSD_FEED_TABLE_H
#define ADSD_FEED_TABLE_H

#include "catalog/feed.h"

#define FEED_CELLS_MAX 256
#define FEED_RECORD_MAX (1 << 16) /* bytes of a record of several lines */

struct feed_table;

struct feed_record {
    uint64_t line; /* where it begins, from 1 */
    unsigned n;
    const struct ads_str *cells; /* borrowed until the next call */
};

/*
 * Reads the header from the feed, which stays the caller's.  ADS_INVALID: it
 * has more cells than FEED_CELLS_MAX, or an open quote.  Else as feed_line().
 * Close the table in any case.
 */
ADS_MUST enum ads_err
feed_table_open(struct feed_table **table, struct feed *feed);

void
feed_table_close(struct feed_table *table);

/* The cells of the first line. */
const struct feed_record *
feed_table_header(const struct feed_table *table);

/*
 * The next record that is not empty.  ADS_INVALID: a bad row, of which *why
 * tells, and reading goes on behind it; the record has its line then.
 * ADS_ABSENT: the end.  Others as feed_line().
 */
ADS_MUST enum ads_err
feed_table_next(struct feed_table *table, struct feed_record *record,
                const char **why);

#endif
