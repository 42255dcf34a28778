/*
 * Retention and quota of the journal: how long segments stay, and how full it
 * is.
 *
 * A segment that is committed to its end stays for journal_retain_h: after a
 * fail-over to a replica that lagged, the cursor is older again and the same
 * code replays the rest from it.  Too many bytes end that time early, the
 * oldest first, but not before replica_lag_max_s; too little room on the disk
 * does so at any time, with an alarm.  What is not committed is never removed;
 * as it fills the journal's quota (journal_max_mb) or the disk, the
 * pressure word tells the workers to
 *
 *     1   shed telemetry       80 % of the quota, or 256 MiB left on the disk
 *     2   sell nothing         95 %, or 64 MiB
 *     3   journal nothing      100 %: as if the disk were full
 *
 * A ballast of 16 MiB lies beside the segments while there is plenty of room
 * and is given back when there is none, so that a full disk still takes some
 * clicks and a new head.
 *
 * It is measured here once a second, so the quota may be exceeded by what
 * comes in a second, and while adsd is away only the disk is the limit.
 */
#ifndef ADSD_INGEST_KEEP_H
#define ADSD_INGEST_KEEP_H

#include "daemon/adsd.h"
#include "journal/segment_dir.h"

struct ingest_keep {
    struct log *log;
    int64_t retain_s;
    int64_t lag_s;        /* a database that takes over may be behind */
    uint64_t pending_max; /* bytes that may wait for the database */
    int64_t at_ms;        /* of the next look */
    uint64_t pressure;
    bool ballast;       /* it is there, as far as known */
    bool told;          /* that segments go too early */
    bool hold;          /* none goes: an older database may want them */
    int64_t removed_us; /* when the newest of those that went was committed */
};

void
ingest_keep_init(struct ingest_keep *keep, const struct adsd *adsd);

/* Notes on the file itself that it was committed to its end now; segments
 * still open only. */
void
ingest_keep_mark(const struct segment *segment);

/*
 * Once a second: measures, removes what has stayed long enough.  `begun` says
 * that the database was reached since the start: then a segment whose cursor
 * was never read is a new one, and all of it waits.
 */
void
ingest_keep_cycle(struct ingest_keep *keep, struct segment_dir *dir,
                  bool begun);

#endif
