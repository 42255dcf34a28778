/*
 * How long segments stay, and how full the journal is.
 *
 * A segment that is committed to its end stays for journal_retain_h: after a
 * fail-over to a replica that lagged, the cursor is older again and the same
 * code replays the rest from it.  Too many bytes or too little room on the
 * disk end that time early, the oldest first.  What is not committed is never
 * removed; as it fills the journal's quota (journal_max_mb) or the disk, the
 * pressure word tells the workers to
 *
 *     1   shed telemetry       80 % of the quota, or 256 MiB left on the disk
 *     2   sell nothing         95 %, or 64 MiB
 *     3   journal nothing      100 %: as if the disk were full
 *
 * It is measured here once a second, so the quota may be exceeded by what
 * comes in a second, and while adsd is away only the disk is the limit.
 */
#ifndef ADSD_INGEST_KEEP_H
#define ADSD_INGEST_KEEP_H

#include "adsd.h"
#include "segment_dir.h"

struct ingest_keep {
    struct log *log;
    int64_t retain_s;
    uint64_t pending_max; /* bytes that may wait for the database */
    int64_t at_ms;        /* of the next look */
    uint64_t pressure;
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
ingest_keep_turn(struct ingest_keep *keep, struct segment_dir *dir, bool begun);

#endif
