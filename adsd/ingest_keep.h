/*
 * How long segments stay, and how full the journal is.
 *
 * A segment that is committed to its end stays for journal_retain_h: after a
 * fail-over to a replica that lagged, the cursor is older again and the same
 * code replays the rest from it.  Too many bytes or too little room on the
 * disk end that time early, the oldest first.  What is not committed is never
 * removed; when it fills the journal or the disk, the pressure word tells the
 * workers to shed telemetry (1), then to sell nothing (2).
 */
#ifndef ADSD_INGEST_KEEP_H
#define ADSD_INGEST_KEEP_H

#include "adsd.h"
#include "segment_dir.h"

struct ingest_keep {
    struct log *log;
    int64_t retain_s;
    int64_t at_ms; /* of the next look */
    uint64_t pressure;
};

void
ingest_keep_init(struct ingest_keep *keep, const struct adsd *adsd);

/* Notes on the file itself that it was committed to its end now; segments
 * still open only. */
void
ingest_keep_mark(const struct segment *segment);

/* Once a second: measures, removes what has stayed long enough. */
void
ingest_keep_turn(struct ingest_keep *keep, struct segment_dir *dir);

#endif
