/*
 * Commits batches to PostgreSQL, each run of records in one transaction with
 * the cursor.
 *
 * The segment's own notes (cursor, seq, done) follow every commit.  They are
 * never trusted against PostgreSQL: when the cursor there is elsewhere, or a
 * COMMIT went unanswered, the segment becomes unknown and its cursor is read
 * again.
 */
#ifndef ADSD_INGEST_COMMIT_H
#define ADSD_INGEST_COMMIT_H

#include "db/db.h"
#include "journal/ingest_batch.h"

struct ingest_sink {
    struct db *db;
    struct log *log;
    struct pool *pool; /* of one transaction */
    uint64_t node;
    int64_t epoch;       /* 0: not begun */
    bool behind;         /* the database went back behind that epoch */
    uint64_t n_rejected; /* items set aside since the start ... */
    uint64_t n_holes;    /* ... and of them damaged bytes */
    int64_t clock_us;    /* how far this clock is ahead of the database's */
    bool clock_told;
    uint64_t n_clamped; /* records of a time to come, entered as of now */

    uint32_t types[INGEST_KINDS]; /* PostgreSQL's numbers of the rows' types */
    uint64_t types_of;            /* the connection that they are of */
};

/* Begins a new epoch of this node: every older reader is fenced from now.  To
 * be called at the start, and again once the sink is `behind`. */
ADS_MUST enum ads_err
ingest_commit_begin(struct ingest_sink *sink);

/* Reads the segment's cursor, making it when it is new.  ADS_EXPIRED: another
 * reader has taken over this node. */
ADS_MUST enum ads_err
ingest_commit_cursor(struct ingest_sink *sink, struct segment *segment);

/*
 * Commits the batch, which begins at the segment's cursor; an empty one moves
 * nothing but can carry `final`: the segment ends where the batch ends.
 *
 * ADS_CONFLICT: the cursor was elsewhere, read it again.  ADS_EXPIRED: fenced.
 * ADS_UNAVAILABLE, ADS_BUSY: try again later.  Anything else: PostgreSQL
 * refuses whatever comes, for no reason that lies in a record.
 */
ADS_MUST enum ads_err
ingest_commit_batch(struct ingest_sink *sink, struct segment *segment,
                    const struct ingest_batch *batch, bool final);

/* What an error of a statement that names node and epoch means here: the
 * refusals that are about us and not about a record become ADS_EXPIRED, or
 * ADS_UNAVAILABLE with the sink `behind`. */
enum ads_err
ingest_commit_error(struct ingest_sink *sink, enum ads_err err);

/* Says that everything recorded up to that time of this clock is committed; how
 * far that is from the database's is found out each time. */
ADS_MUST enum ads_err
ingest_commit_drained(struct ingest_sink *sink, int64_t at_us);

#endif
