/*
 * Looks after the threads: one that has not moved for five seconds, though it
 * had work, is named in the log.  What `live` says of adsd is taken from the
 * thread that it is about: the heartbeat is ingest's, and the database is away
 * when ingest waits for its answer.
 *
 * The main thread looks, which has nothing else to do.
 */
#ifndef ADSD_WATCH_H
#define ADSD_WATCH_H

#include "daemon/adsd.h"

#define WATCH_LOOK_MS 500

struct watch {
    struct adsd *adsd;
    int64_t looked_ms;                /* 0: never */
    int64_t since_ms[ADSD_PARTS_MAX]; /* it hangs, as was said; 0: it moves */
};

/* One look; to be called every WATCH_LOOK_MS. */
void
watch_look(struct watch *watch);

#endif
