/*
 * Computes allowances, once in each ingest cycle.  What is not in PostgreSQL's
 * answer may sell nothing, so a campaign that is paused, ended or unknown stops
 * by itself.
 */
#include "journal/allowance.h"

#include <stdlib.h>

static const struct db_stmt STMT_ALLOWANCES = {
    .name = "allowances",
    .sql = "select campaign_id, remaining_micros from ads.allowances($1)",
    .n_params = 1,
};

enum allowance_column { ALLOWANCE_CAMPAIGN, ALLOWANCE_MICROS };


void
allowance_init(struct allowance *allowance, struct live_file *file)
{
    *allowance = (struct allowance){.file = file};
}


/* Makes room for that many slots; `live` grows. */
static void
room_make(struct allowance *allowance, uint32_t n)
{
    const size_t least = 1024;

    if (n <= allowance->room) {
        return;
    }
    while (allowance->room < n) {
        allowance->room = 2 * allowance->room + least;
    }
    allowance->spent_micros =
        xrealloc(allowance->spent_micros, allowance->room * sizeof(int64_t));
    allowance->remains_micros =
        xrealloc(allowance->remains_micros, allowance->room * sizeof(int64_t));
}


void
allowance_end(struct allowance *allowance)
{
    free(allowance->spent_micros);
    free(allowance->remains_micros);
}


void
allowance_look(struct allowance *allowance)
{
    const struct ads_live *live = live_file_current(allowance->file);
    const struct ads_live_slot *slot;
    uint64_t tag;

    allowance->live_id = live->id;
    allowance->n = live_file_used(allowance->file);
    room_make(allowance, allowance->n);
    for (uint32_t i = 0; i < allowance->n; i++) {
        slot = ads_live_slot_at(live, i, &tag);
        allowance->spent_micros[i] = slot != NULL ? ads_live_spent(slot) : 0;
    }
}


static int64_t
sum_of(int64_t spent, int64_t remains)
{
    int64_t sum;

    return __builtin_add_overflow(spent, remains, &sum) ? INT64_MAX : sum;
}


static void
slots_set(const struct allowance *allowance, const struct ads_live *live,
          bool whole)
{
    struct ads_live_slot *slot;
    int64_t allowed;
    uint64_t tag;

    for (uint32_t i = 0; i < allowance->n; i++) {
        slot = ads_live_slot_at(live, i, &tag);
        if (slot == NULL) {
            continue;
        }
        allowed =
            sum_of(allowance->spent_micros[i], allowance->remains_micros[i]);
        if (whole || allowed < ads_live_allowance(slot)) {
            ads_live_allow(slot, allowed, ADS_LIVE_THROTTLE_OPEN);
        }
    }
}


enum ads_err
allowance_set(struct allowance *allowance, struct db *db, struct pool *pool,
              uint64_t node, bool whole)
{
    const struct ads_live *live;
    struct ads_uuid campaign;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    uint64_t tag;
    uint32_t slot;

    pool_reset(pool);
    db_args_init(&args, pool);
    db_arg_int8(&args, (int64_t)node);
    err = db_run_alone(db, &STMT_ALLOWANCES, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (!live_file_may_sell(allowance->file)) {
        return ADS_BUSY;
    }

    memset(allowance->remains_micros, 0, allowance->n * sizeof(int64_t));
    for (int i = 0; i < db_n_rows(rows); i++) {
        campaign = db_uuid(rows, i, ALLOWANCE_CAMPAIGN);
        err = live_file_claim(allowance->file, &campaign, &slot, &tag);
        if (err == ADS_FULL) {
            continue; /* it is not sold, and holds up no other */
        }
        if (err != ADS_OK) {
            return err;
        }
        room_make(allowance, slot + 1);
        for (; allowance->n <= slot; allowance->n++) {
            /* claimed since the cycle began: no worker could sell it before */
            allowance->spent_micros[allowance->n] = 0;
            allowance->remains_micros[allowance->n] = 0;
        }
        allowance->remains_micros[slot] = db_int(rows, i, ALLOWANCE_MICROS);
    }

    live = live_file_current(allowance->file);
    if (live->id != allowance->live_id) {
        return ADS_BUSY; /* replaced meanwhile: the next cycle reads it again */
    }
    slots_set(allowance, live, whole);
    return ADS_OK;
}
