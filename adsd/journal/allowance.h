/*
 * Allowances: how much each campaign may still sell on this node, written into
 * `live` (ads_live.h).
 *
 * The order is the promise.  First spent of every slot is read; then
 * everything that is visible in the journal is ingested; then PostgreSQL says
 * what remains, and allowance = spent + remaining.  A click counted in that
 * spent is in the journal, so it is ingested and no longer part of what
 * remains; a click counted later only shortens the way to the limit.  So a
 * worker never serves links beyond what is left, but for those it has not
 * heard the clicks of.
 */
#ifndef ADSD_ALLOWANCE_H
#define ADSD_ALLOWANCE_H

#include "daemon/live_file.h"
#include "db/db.h"

struct allowance {
    struct live_file *file;
    uint64_t live_id;        /* of the file that was read */
    uint32_t n;              /* slots read */
    size_t room;             /* for so many */
    int64_t *spent_micros;   /* by slot: when the cycle began */
    int64_t *remains_micros; /* by slot: what PostgreSQL leaves */
};

/* allowance_end() frees. */
void
allowance_init(struct allowance *allowance, struct live_file *file);
void
allowance_end(struct allowance *allowance);

/* The cycle begins: reads what was spent. */
void
allowance_look(struct allowance *allowance);

/*
 * The cycle ends: asks PostgreSQL and writes the allowances.  `whole` says that
 * everything visible since allowance_look() was ingested; if not, allowances
 * only go down.  ADS_BUSY: nothing may be sold yet through this file.
 */
ADS_MUST enum ads_err
allowance_set(struct allowance *allowance, struct db *db, struct pool *pool,
              uint64_t node, bool whole);

#endif
