/*
 * Allowances: how much each campaign may still sell on this node, written into
 * `live` (ads_live.h).
 *
 * The order is the promise.  First what was used of every slot is read, which
 * is spent and promised; then everything that is visible in the journal is
 * ingested; then PostgreSQL says what remains, and allowance = used + what this
 * node may offer of it (ads_stock.h).  A click counted in that is in the
 * journal, so it is ingested and no longer part of what remains; a click
 * counted later only shortens the way to the limit.  Of links that are out and
 * not followed it is known what they will probably cost (ads_forecast.h).
 *
 * What a node offers is said in PostgreSQL before it is written, so that nodes
 * do not sell the same remainder, also when an adsd is away; its adsd that
 * begins again reads there what was out.
 */
#ifndef ADSD_ALLOWANCE_H
#define ADSD_ALLOWANCE_H

#include "ads_forecast.h"
#include "ads_stock.h"
#include "daemon/live_file.h"
#include "db/db.h"

struct allowance_slot;

struct allowance {
    struct live_file *file;
    uint64_t live_id; /* of the file that was read */
    uint32_t n;       /* slots read */
    uint32_t room;    /* for so many */
    struct allowance_slot *slots;
    struct ads_delays delays;
    uint64_t known_id;   /* of the file of which links are known; 0: none */
    int64_t looked_us;   /* when the slots were read, monotonic */
    int64_t foreseen_us; /* up to when the forecasts go */
};

/* allowance_end() frees. */
void
allowance_init(struct allowance *allowance, struct live_file *file);
void
allowance_end(struct allowance *allowance);

/* The cycle begins: reads what was used. */
void
allowance_look(struct allowance *allowance);

/* A click was read that came so long after its link was served. */
void
allowance_note(struct allowance *allowance, int64_t age_ms);

/*
 * The cycle ends: asks PostgreSQL and writes the allowances.  `whole` says that
 * everything visible since allowance_look() was ingested; if not, allowances
 * only go down.  ADS_BUSY: nothing may be sold yet through this file.
 */
ADS_MUST enum ads_err
allowance_set(struct allowance *allowance, struct db *db, struct pool *pool,
              uint64_t node, int64_t epoch, bool whole);

#endif
