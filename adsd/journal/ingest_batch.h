/*
 * Batch of ingest: consecutive records of one segment, as the rows that
 * ads.ingest() takes (sql/migrations/0006_events.sql).
 *
 * Any run of its records can be handed over by itself, which is how a record
 * that PostgreSQL refuses is found: by halving.  Bytes that are no known
 * record (an unknown type, a hole) are items too, to be set aside in their
 * turn.
 */
#ifndef ADSD_INGEST_BATCH_H
#define ADSD_INGEST_BATCH_H

#include "db/db.h"
#include "journal/segment.h"

#define INGEST_BATCH_RECORDS 5000
#define INGEST_BATCH_BYTES (1024 * 1024)
#define INGEST_BATCH_COUNTS 8192

/* The type under which a hole is set aside. */
#define INGEST_TYPE_HOLE (-1)

struct ingest_batch;

struct ingest_item {
    uint64_t off;
    int32_t type;
    struct ads_str bytes;
};

/* Makes an empty one of full capacity; ingest_batch_free() frees. */
struct ingest_batch *
ingest_batch_new(void);
void
ingest_batch_free(struct ingest_batch *batch);

/* Empties it: the next record is the one after `seq`, committed up to `off`. */
void
ingest_batch_reset(struct ingest_batch *batch, uint64_t off, uint64_t seq);

/* May hold one more item, whatever it is? */
bool
ingest_batch_has_room(const struct ingest_batch *batch);

/* Takes the item that follows those in it. */
void
ingest_batch_add(struct ingest_batch *batch, const struct segment_item *item);

uint32_t
ingest_batch_n(const struct ingest_batch *batch);

/* Realtime us of its first click; 0: it has none. */
uint64_t
ingest_batch_click_us(const struct ingest_batch *batch);

/* What is committed before item i (i = n: with all of them): up to where, and
 * the last sequence number. */
uint64_t
ingest_batch_off(const struct ingest_batch *batch, uint32_t i);
uint64_t
ingest_batch_seq(const struct ingest_batch *batch, uint32_t i);

/* How many of the records [from, to) are of a later time than that. */
uint32_t
ingest_batch_n_after(const struct ingest_batch *batch, uint32_t from,
                     uint32_t to, uint64_t at_us);

/* Kinds of rows, in the order of ads.ingest()'s parameters. */
enum ingest_kind {
    INGEST_CLICKS,
    INGEST_IMPRESSIONS,
    INGEST_DECISIONS,
    INGEST_COUNTS,
    INGEST_AUCTIONS,
    INGEST_KINDS
};

/* Adds a parameter for each kind: the rows of items [from, to).  `types` are
 * PostgreSQL's numbers of their types. */
void
ingest_batch_args(const struct ingest_batch *batch, uint32_t from, uint32_t to,
                  const uint32_t types[INGEST_KINDS], struct db_args *args);

/* Is item i no known record, to be set aside whatever PostgreSQL says? */
bool
ingest_batch_is_reject(const struct ingest_batch *batch, uint32_t i);

/* Item i as what may be set aside: its place, type and bytes (of a long hole
 * the first), borrowed. */
struct ingest_item
ingest_batch_item(const struct ingest_batch *batch, uint32_t i);

#endif
