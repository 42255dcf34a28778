/*
 * Reads from PostgreSQL the rows that the ad tables are compiled from.  All
 * reads of one publication happen in one repeatable-read transaction, so that
 * they are of one moment; every row and text lives in the pool.
 */
#ifndef ADSD_SNAP_LOAD_H
#define ADSD_SNAP_LOAD_H

#include "db.h"
#include "snap_build.h"

struct snap_state {
    uint64_t change; /* the last management change */
    bool base_stale; /* ads or products changed, or a sale ended, since */
};

/* Where things stand, against what that base (zeros: none) holds. */
ADS_MUST enum ads_err
snap_load_state(struct snap_state *state, struct db_tx *tx, struct pool *pool,
                const struct ads_base *base);

/* All ads that may be shown once their campaign runs, and those retired within
 * 30 days.  rows->intent_model is left alone. */
ADS_MUST enum ads_err
snap_load_base(struct snap_base_rows *rows, struct db_tx *tx,
               struct pool *pool);

/* Everything of the head but the campaigns' slots and tags. */
ADS_MUST enum ads_err
snap_load_head(struct snap_head_rows *rows, struct db_tx *tx,
               struct pool *pool);

#endif
