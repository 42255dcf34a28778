/*
 * One batch: consecutive records of one segment, decoded into the columns
 * that ads.ingest() takes.
 *
 * Any run of its records can be handed over by itself, which is how a record
 * that PostgreSQL refuses is found: by halving.  Bytes that are no known
 * record (an unknown type, a hole) ride along and are set aside in the same
 * transaction.
 */
#ifndef ADSD_INGEST_BATCH_H
#define ADSD_INGEST_BATCH_H

#include "db.h"
#include "segment.h"

#define INGEST_BATCH_RECORDS 5000
#define INGEST_BATCH_BYTES (1024 * 1024)
#define INGEST_BATCH_COUNTS 8192

/* The type under which a hole is set aside. */
#define INGEST_TYPE_HOLE (-1)

struct ingest_batch;

/* Bytes to be set aside. */
struct ingest_reject {
    uint64_t off;
    int32_t type;
    struct ads_str bytes;
    const char *reason;
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

/* Where item i begins (i = n: where the last one ends), and the sequence
 * number before it. */
uint64_t
ingest_batch_off(const struct ingest_batch *batch, uint32_t i);
uint64_t
ingest_batch_seq(const struct ingest_batch *batch, uint32_t i);

/* Adds the parameters of clicks, impressions, decisions and counters of items
 * [from, to), in that order. */
void
ingest_batch_args(const struct ingest_batch *batch, uint32_t from, uint32_t to,
                  struct db_args *args);

/* The next item at or after *at, below `to`, that is to be set aside; false
 * when there is none.  *at moves behind it. */
bool
ingest_batch_reject(const struct ingest_batch *batch, uint32_t *at, uint32_t to,
                    struct ingest_reject *reject);

/* Item i as something to be set aside, whatever it is. */
struct ingest_reject
ingest_batch_item(const struct ingest_batch *batch, uint32_t i,
                  const char *reason);

#endif
