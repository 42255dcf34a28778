/*
 * Syncs the journal's files to disk.  Its own descriptors and its own list of
 * segments: nothing is shared with the reader but the files.
 */
#include "journal/sync.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/click_keys.h"
#include "daemon/live_file.h"
#include "journal/segment_dir.h"

#define DUTY "sync"
#define OFF_MS 500

struct sync {
    struct adsd *adsd;
    struct segment_dir dir;
    uint32_t n_taken; /* segments whose names were synced */
    bool nameless;    /* the last of those syncs was refused */
};


/* The disk refused: all workers leave what they write to. */
static void
refused(const struct sync *sync)
{
    struct live_file *live = sync->adsd->live;

    live_file_set(live, ADS_LIVE_REFUSED,
                  live_file_get(live, ADS_LIVE_REFUSED) + 1);
}


/* The names of new segments; false when they may not be on disk. */
static bool
names_sync(struct sync *sync)
{
    struct segment_dir *dir = &sync->dir;

    if (dir->n_taken != sync->n_taken) {
        sync->n_taken = dir->n_taken;
        sync->nameless = fsync(dir->fd) != 0;
        if (sync->nameless) {
            log_error(sync->adsd->log, DUTY,
                      "the journal's folder is not on disk: %s",
                      strerror(errno));
            refused(sync);
        }
    }
    return !sync->nameless;
}


/*
 * Syncs one segment.  `cursor` is up to where that was done; `done` means that
 * nothing more comes.  False while it holds, or may yet get, bytes that are not
 * synced.
 */
static bool
segment_sync(const struct sync *sync, struct segment *segment)
{
    bool synced = true;

    if (segment->done || segment_probe(segment) != ADS_OK) {
        return true;
    }
    if (segment->refused || (segment->header.flags & ADS_SEGMENT_NO_SYNC) != 0)
    {
        synced = segment->final;
    } else if (segment->size > segment->cursor) {
        if (fdatasync(segment->fd) != 0) {
            log_error(sync->adsd->log, DUTY,
                      "segment %s is not on disk beyond %llu: %s",
                      segment->name, (unsigned long long)segment->cursor,
                      strerror(errno));
            segment->refused = true;
            refused(sync);
            synced = false;
        }
        segment->cursor = segment->size;
    }
    if (segment->final) {
        segment->done = true;
        segment_park(segment);
    }
    return synced;
}


static void
cycle(struct sync *sync)
{
    struct segment_dir *dir = &sync->dir;
    int64_t begin_us = clock_realtime_us();
    bool synced;

    segment_dir_take_ring(dir, click_keys_ring(sync->adsd->click_keys));
    if (segment_dir_scan(dir) != ADS_OK) {
        return;
    }
    synced = names_sync(sync);
    for (uint32_t i = 0; i < dir->n; i++) {
        synced = segment_sync(sync, dir->segments[i]) && synced;
    }
    if (synced) {
        live_file_set(sync->adsd->live, ADS_LIVE_SYNCED_US, (uint64_t)begin_us);
    }
}


void
journal_sync_run(struct adsd *adsd)
{
    struct sync sync = {.adsd = adsd, .dir = {.fd = -1}};
    int wait_ms = (int)adsd->conf.journal_sync_ms;

    while (!adsd_stopping(adsd)) {
        if (wait_ms > 0
            && (sync.dir.fd >= 0
                || segment_dir_open(&sync.dir, adsd->conf.state_path,
                                    click_keys_ring(adsd->click_keys),
                                    adsd->node, adsd->log, false)
                       == ADS_OK))
        {
            cycle(&sync);
        }
        (void)adsd_wait(adsd, -1,
                        wait_ms > 0 && wait_ms < OFF_MS ? wait_ms : OFF_MS);
    }
    segment_dir_close(&sync.dir);
}
