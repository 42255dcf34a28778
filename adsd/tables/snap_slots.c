/*
 * Gives campaigns their slots in `live`.
 */
#include "tables/snap_slots.h"

#include "base/clock.h"

#define DUTY "publish"
#define LEAD_MS \
    60000                       /* a slot is there before its campaign begins,
                                   and clocks differ */
#define SLOTLESS_PAUSE_MS 10000 /* before slots are asked for again */


static int64_t
now_of(void)
{
    return clock_realtime_us() / 1000;
}


/* Can it be sold now, or soon enough to be prepared for that?  One that begins
 * later says when: *due_ms becomes no later than that. */
static bool
is_for_sale(const struct snap_campaign_row *campaign, int64_t now_ms,
            int64_t *due_ms)
{
    int64_t ready_ms = campaign->start_ms - LEAD_MS;

    if (!campaign->active
        || (campaign->end_ms != 0 && campaign->end_ms <= now_ms - LEAD_MS))
    {
        return false;
    }
    if (campaign->start_ms != 0 && ready_ms > now_ms) {
        *due_ms = ready_ms < *due_ms ? ready_ms : *due_ms;
        return false;
    }
    return true;
}


/* Makes a new file where this one cannot do. */
static void
file_consider(struct snap_slots *slots,
              const struct snap_campaign_row *campaigns, uint32_t n)
{
    int64_t now_ms = now_of(), due_ms = INT64_MAX;
    uint32_t n_for_sale = 0;

    for (uint32_t i = 0; i < n; i++) {
        n_for_sale += is_for_sale(&campaigns[i], now_ms, &due_ms);
    }
    if (live_file_is_worn(slots->live, n_for_sale)
        && live_file_renew(slots->live, n_for_sale) != ADS_OK)
    {
        log_warn(slots->log, DUTY, "live stays as it is");
    }
}


void
snap_slots_give(struct snap_slots *slots, struct snap_campaign_row *campaigns,
                uint32_t n)
{
    struct live_file *live = slots->live;
    int64_t now_ms = now_of();
    uint32_t n_slotless = 0;
    enum ads_err err;
    bool known;

    file_consider(slots, campaigns, n);
    known = live_file_current(live)->id == slots->live_id;
    slots->live_id = live_file_current(live)->id;
    slots->due_ms = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        struct snap_campaign_row *row = &campaigns[i];

        if (known && row->carried && row->slot != ADS_LIVE_SLOT_NONE) {
            continue;
        }
        if (is_for_sale(row, now_ms, &slots->due_ms)) {
            err = live_file_claim(live, &row->id, &row->slot, &row->tag);
            n_slotless += err != ADS_OK;
        } else {
            err = live_file_find(live, &row->id, &row->slot, &row->tag);
        }
        if (err != ADS_OK) {
            row->slot = ADS_LIVE_SLOT_NONE;
        }
    }

    live_file_set(live, ADS_LIVE_SLOTLESS, n_slotless);
    if (n_slotless > 0 && now_ms + SLOTLESS_PAUSE_MS < slots->due_ms) {
        slots->due_ms = now_ms + SLOTLESS_PAUSE_MS;
    }
}


bool
snap_slots_are_current(const struct snap_slots *slots)
{
    return now_of() < slots->due_ms
           && live_file_current(slots->live)->id == slots->live_id;
}
