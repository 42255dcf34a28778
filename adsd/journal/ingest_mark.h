/*
 * Watermark of ingest: keeps it in step with what is committed, and holds
 * everything when the database turns out to be older (journal/watermark.h).
 */
#ifndef ADSD_INGEST_MARK_H
#define ADSD_INGEST_MARK_H

#include "daemon/adsd.h"
#include "journal/ingest_commit.h"
#include "journal/watermark.h"

struct ingest_mark {
    struct adsd *adsd;
    struct watermark mark; /* as it is in the file */
    uint64_t compared;     /* the connection on which it was; 0: none yet */
    int64_t at_ms;         /* of the next writing */
    bool waits;            /* an older database: nothing is committed */
};

void
ingest_mark_init(struct ingest_mark *mark, struct adsd *adsd);

/* Another database may answer from now on. */
void
ingest_mark_forget(struct ingest_mark *mark);

/*
 * Is this database as far as it was?  Asked once on each connection, and on
 * while the operator is waited for, who writes the file again.  ADS_OK
 * with `waits` as it is now; ADS_UNAVAILABLE also when the file cannot be read.
 */
ADS_MUST enum ads_err
ingest_mark_look(struct ingest_mark *mark, struct ingest_sink *sink);

/* All up to at_us, a time of the database, is committed; removed_us is that of
 * the newest segment that was deleted since the start, 0: none.  Written every
 * few seconds. */
void
ingest_mark_move(struct ingest_mark *mark, int64_t at_us, int64_t removed_us);

#endif
