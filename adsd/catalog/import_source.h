/*
 * Products of a feed, one by one, whatever its format: JSON lines, a document
 * of JSON or XML, or a table of text.  The first character that is no space
 * says which: "{" and "[" are JSON, "<" is XML, all else a table.
 */
#ifndef ADSD_IMPORT_SOURCE_H
#define ADSD_IMPORT_SOURCE_H

#include "catalog/import_cells.h"

enum import_format {
    IMPORT_JSONL,
    IMPORT_JSON,
    IMPORT_XML,
    IMPORT_TABLE,
    IMPORT_FORMATS
};

/* "jsonl", "json", "xml", "table" */
const char *
import_format_name(enum import_format format);

struct import_source;

/*
 * Reads a table or a document to its end for what its prices show, into
 * evidence[COLUMNS], and begins it again; what can be read once only, and JSON
 * lines, stay as they are.  `more` is called now and then: false ends it.  What
 * is wrong with the feed is left for the reading after this.  ADS_IO: errno
 * says why.
 */
ADS_MUST enum ads_err
import_source_scan(struct import_evidence *evidence, struct feed *feed,
                   const struct import_cells_options *options,
                   bool (*more)(void *ctx), void *ctx);

/*
 * Begins to read the feed, which stays the caller's.  ADS_INVALID: its first
 * line is no header, or it is not of the wanted format (IMPORT_FORMATS: any is
 * fine); `fault` tells.  Else as feed_line().  Close the source in
 * any case.
 */
ADS_MUST enum ads_err
import_source_open(struct import_source **source, struct feed *feed,
                   const struct import_cells_options *options,
                   enum import_format wanted, struct import_fault *fault);

void
import_source_close(struct import_source *source);

enum import_format
import_source_format(const struct import_source *source);

/* The header of a table; NULL for other formats. */
const struct feed_record *
import_source_header(const struct import_source *source);

/*
 * The next product; its texts are borrowed until the next call or live in the
 * pool.  ADS_INVALID: a bad row, `fault`
 * tells, and reading goes on.  ADS_ABSENT: the end.  ADS_DAMAGED: the rest
 * cannot be read; fault->why tells more unless it is NULL.  Else as
 * feed_line().
 */
ADS_MUST enum ads_err
import_source_next(struct import_source *source, struct import_row *row,
                   struct import_fault *fault, struct pool *pool);

#endif
