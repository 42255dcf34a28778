/*
 * Which campaign of the ad tables has which slot of `live` (core/ads_live.h).
 *
 * A campaign gets a slot when it can be sold: active, as its account is, and in
 * its dates, or about to be.  It keeps it for the life of the file.  Drafts,
 * paused and ended campaigns take none.
 */
#ifndef ADSD_SNAP_SLOTS_H
#define ADSD_SNAP_SLOTS_H

#include "daemon/live_file.h"
#include "tables/snap_build.h"

/* `live` and `log` are the caller's; the rest is zeros at first. */
struct snap_slots {
    struct live_file *live;
    struct log *log;
    uint64_t live_id; /* of the file that the last slots belong to */
    int64_t due_ms;   /* realtime: when a campaign next needs one */
};

/*
 * Fills slot and tag of all campaigns, in a new file when the one there cannot
 * do.  Rows carried over keep the slot that they come with.  A campaign that
 * gets none has ADS_LIVE_SLOT_NONE: it is in the ad tables like any other and
 * is not sold, and holds up nothing else.
 */
void
snap_slots_give(struct snap_slots *slots, struct snap_campaign_row *campaigns,
                uint32_t n);

/* Do the last slots still hold?  Not when the file is another one, nor when a
 * campaign begins that got none. */
bool
snap_slots_are_current(const struct snap_slots *slots);

#endif
