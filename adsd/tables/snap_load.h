/*
 * Rows of the ad tables, read from PostgreSQL. All reads of one publication
 * happen in one repeatable-read transaction, so that they are of one moment;
 * every row and text lives in the pool.
 */
#ifndef ADSD_SNAP_LOAD_H
#define ADSD_SNAP_LOAD_H

#include "db/db.h"
#include "tables/snap_build.h"
#include "tables/snap_chunk.h"

struct snap_state {
    uint64_t change;  /* the last management change */
    int64_t as_of_us; /* the moment of what this transaction reads */
    bool sale_ended;  /* some price is another one, though no row changed */
};

/* Where things stand; sales that ended since that moment count. */
ADS_MUST enum ads_err
snap_load_state(struct snap_state *state, struct db_tx *tx, struct pool *pool,
                int64_t since_us);

/* What was read before. */
struct snap_load_since {
    uint64_t change;
    int64_t as_of_us;
    const struct snap_change *waiting; /* but these */
    uint32_t n_waiting;
};

/* Which ads changed since: those whose row or product has a later change
 * number, or whose sale ended; behind those that waited before.  An ad may be
 * among them twice. */
ADS_MUST enum ads_err
snap_load_changes(struct snap_change **changes, uint32_t *n, struct db_tx *tx,
                  struct pool *pool, const struct snap_load_since *since);

/* Those ads as they are: those to show, and those no more to be shown. */
ADS_MUST enum ads_err
snap_load_ads(struct snap_base_rows *rows, struct db_tx *tx, struct pool *pool,
              const struct snap_change *changes, uint32_t n);

/* All ads that may be shown once their campaign runs, and those retired within
 * 30 days.  rows->intent_model is left alone. */
ADS_MUST enum ads_err
snap_load_base(struct snap_base_rows *rows, struct db_tx *tx,
               struct pool *pool);

/* Everything of the head but the campaigns' slots and tags.  Campaigns that
 * did not change since the head `before` are carried over from it, and borrowed
 * from there; NULL: all are read. */
ADS_MUST enum ads_err
snap_load_head(struct snap_head_rows *rows, struct db_tx *tx, struct pool *pool,
               const struct ads_head *before);

#endif
