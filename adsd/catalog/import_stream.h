/*
 * Stream of rows into pg_temp.import_rows, in PostgreSQL's binary form of COPY,
 * with the ids that they get when they are new: UUIDs of version 7 that grow
 * from row to row, so that each index grows at its end.
 */
#ifndef ADSD_IMPORT_STREAM_H
#define ADSD_IMPORT_STREAM_H

#include "catalog/import_row.h"
#include "db/db.h"

struct import_stream;

/* Begins to copy.  End it in any case: *stream is never NULL. */
ADS_MUST enum ads_err
import_stream_begin(struct import_stream **stream, struct db_tx *tx,
                    int64_t now_ms);

ADS_MUST enum ads_err
import_stream_put(struct import_stream *stream, const struct product *product,
                  struct pool *pool);

/* A bad row of which the key could be read: its product is not gone. */
ADS_MUST enum ads_err
import_stream_put_bad(struct import_stream *stream, struct ads_str sku,
                      struct pool *pool);

/* All rows are there; or the copy is given up and the connection of no use. */
ADS_MUST enum ads_err
import_stream_end(struct import_stream *stream, bool whole);

#endif
