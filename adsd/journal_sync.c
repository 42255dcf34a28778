/*
 * Its own descriptors and its own list of segments: nothing is shared with the
 * reader but the files.
 */
#include "journal_sync.h"

#include <errno.h>
#include <unistd.h>

#include "live_file.h"
#include "segment_dir.h"

#define DUTY "sync"
#define OFF_MS 500

struct sync {
    struct adsd *adsd;
    struct segment_dir dir;
    uint32_t n_taken; /* segments whose names were synced */
};


/*
 * Syncs one segment.  `cursor` is up to where that was done; `done` means that
 * nothing more comes, or that its disk refused once.
 */
static void
segment_sync(const struct sync *sync, struct segment *segment)
{
    if (segment->done || segment_probe(segment) != ADS_OK) {
        return;
    }
    if (segment->size > segment->cursor) {
        if (fdatasync(segment->fd) != 0) {
            log_error(sync->adsd->log, DUTY,
                      "segment %s is not on disk beyond %llu: %s",
                      segment->name, (unsigned long long)segment->cursor,
                      strerror(errno));
            segment->done = true;
        }
        segment->cursor = segment->size;
    }
    if (segment->final) {
        segment->done = true;
    }
    if (segment->done) {
        segment_park(segment);
    }
}


static void
turn(struct sync *sync)
{
    struct segment_dir *dir = &sync->dir;
    int64_t begin_us = adsd_realtime_us();

    if (segment_dir_scan(dir) != ADS_OK) {
        return;
    }
    if (dir->n_taken != sync->n_taken) {
        if (fsync(dir->fd) != 0) {
            log_error(sync->adsd->log, DUTY,
                      "the journal's folder is not on disk: %s",
                      strerror(errno));
        }
        sync->n_taken = dir->n_taken;
    }
    for (uint32_t i = 0; i < dir->n; i++) {
        segment_sync(sync, dir->segments[i]);
    }
    live_file_set(sync->adsd->live, ADS_LIVE_SYNCED_US, (uint64_t)begin_us);
}


void
journal_sync_run(struct adsd *adsd)
{
    struct sync sync = {.adsd = adsd, .dir = {.fd = -1}};
    int wait_ms = (int)adsd->conf.journal_sync_ms;

    while (!adsd_stopping(adsd)) {
        /* a sign of life that waits for no database */
        live_file_set(adsd->live, ADS_LIVE_HEARTBEAT,
                      (uint64_t)adsd_realtime_us());
        if (wait_ms > 0
            && (sync.dir.fd >= 0
                || segment_dir_open(&sync.dir, adsd->conf.state_path,
                                    &adsd->ring, adsd->node, adsd->log, false)
                       == ADS_OK))
        {
            turn(&sync);
        }
        (void)adsd_wait(adsd, -1,
                        wait_ms > 0 && wait_ms < OFF_MS ? wait_ms : OFF_MS);
    }
    segment_dir_close(&sync.dir);
}
