/*
 * A look costs a statement on each new connection.  The file is a little older
 * than the database, never newer: a database that was not changed is level.
 */
#include "journal/ingest_mark.h"

#include <stdio.h>

#include "ads_live.h"
#include "base/clock.h"
#include "daemon/live_file.h"

#define DUTY "ingest"
#define MARK_MS 5000


void
ingest_mark_init(struct ingest_mark *mark, struct adsd *adsd)
{
    *mark = (struct ingest_mark){.adsd = adsd};
}


void
ingest_mark_forget(struct ingest_mark *mark)
{
    mark->compared = 0;
}


/* Tells of an older database when it is found, and when the wait is over. */
static void
tell(struct ingest_mark *mark, const struct watermark *there,
     enum watermark_state state)
{
    struct adsd *adsd = mark->adsd;
    int64_t behind_s = (mark->mark.drained_us - there->drained_us) / 1000000;
    bool waits = state >= WATERMARK_BEHIND;

    live_file_set(adsd->live, ADS_LIVE_BEHIND_S,
                  waits ? (uint64_t)behind_s + 1 : 0);
    if (waits && !mark->waits) {
        log_error(adsd->log, DUTY,
                  "the database is %lld s older than this journal%s: clicks "
                  "wait; enter what was changed since, then run \"adsctl "
                  "journal replay --from-backup\"",
                  (long long)behind_s,
                  state == WATERMARK_GAP
                      ? ", and lacks what was in segments that are removed"
                      : "");
    } else if (!waits && mark->waits) {
        log_warn(adsd->log, DUTY, "the journal is replayed, as was asked for");
    }
    mark->waits = waits;
}


enum ads_err
ingest_mark_look(struct ingest_mark *mark, struct ingest_sink *sink)
{
    const struct conf *conf = &mark->adsd->conf;
    struct watermark there;
    enum ads_err err;

    if (!mark->waits && mark->compared == db_n_connects(sink->db)) {
        return ADS_OK;
    }
    pool_reset(sink->pool);
    err = watermark_ask(&there, sink->db, sink->node, sink->pool);
    if (err != ADS_OK) {
        return ingest_commit_error(sink, err);
    }
    err = watermark_read(&mark->mark, conf, sink->log);
    if (err == ADS_ABSENT) {
        mark->mark = there;
    } else if (err != ADS_OK) {
        return ADS_UNAVAILABLE; /* logged; tried again */
    }
    tell(mark, &there,
         watermark_compare(&mark->mark, &there, conf->replica_lag_max_s));
    if (!mark->waits) {
        (void)snprintf(mark->mark.database, sizeof(mark->mark.database), "%s",
                       there.database);
    }
    mark->compared = db_n_connects(sink->db);
    return ADS_OK;
}


void
ingest_mark_move(struct ingest_mark *mark, int64_t at_us, int64_t removed_us)
{
    int64_t now_ms = clock_monotonic_ms();
    bool removed = removed_us > mark->mark.removed_us;

    if (mark->compared == 0 || (!removed && now_ms < mark->at_ms)) {
        return;
    }
    mark->at_ms = now_ms + MARK_MS;
    mark->mark.drained_us = at_us;
    if (removed) {
        mark->mark.removed_us = removed_us;
    }
    /* a failure is logged; the next one comes soon */
    (void)!watermark_write(&mark->mark, &mark->adsd->conf, mark->adsd->log);
}
