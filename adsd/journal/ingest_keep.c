/*
 * Deletes segments that are old enough.  Retention by the files' own times: the
 * last change of a segment that is done is when it was found committed to its
 * end (ingest_keep_mark), or, where the owner is another user, its last write.
 */
#include "journal/ingest_keep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ads_live.h"
#include "base/clock.h"

#define CYCLE_MS 1000
#define KEPT_QUOTAS 2 /* bytes of segments that are done, in quotas */
#define ROOM_SHED (256ull << 20) /* free on the disk */
#define ROOM_LEAST (64ull << 20)
#define ROOM_NONE (4ull << 20)

#define BALLAST ".ballast"
#define BALLAST_LEN (16ull << 20)


void
ingest_keep_init(struct ingest_keep *keep, const struct adsd *adsd)
{
    *keep = (struct ingest_keep){
        .log = adsd->log,
        .retain_s = adsd->conf.journal_retain_h * 3600,
        .lag_s = adsd->conf.replica_lag_max_s,
        .pending_max = (uint64_t)adsd->conf.journal_max_mb << 20,
    };
}


void
ingest_keep_mark(const struct segment *segment)
{
    if (segment->fd >= 0) {
        (void)futimens(segment->fd, NULL);
    }
}


/* Free bytes on the journal's disk; plenty when that is unknown. */
static uint64_t
room(const struct segment_dir *dir)
{
    struct statvfs fs;

    if (fstatvfs(dir->fd, &fs) != 0) {
        return UINT64_MAX;
    }
    return (uint64_t)fs.f_bavail * fs.f_frsize;
}


static uint64_t
pressure_of(uint64_t pending, uint64_t pending_max, uint64_t room_left)
{
    uint64_t pressure = ads_live_quota_pressure(pending, pending_max);
    uint64_t of_room = room_left < ROOM_LEAST  ? 2
                       : room_left < ROOM_SHED ? 1
                                               : 0;

    return pressure > of_room ? pressure : of_room;
}


struct kept {
    uint64_t pending;
    uint64_t done;
    uint32_t oldest; /* of the segments that are done */
    int64_t oldest_s;
    bool any;
};


static struct kept
measure(const struct segment_dir *dir, bool begun)
{
    struct kept kept = {0};
    const struct segment *segment;
    struct stat st;

    for (uint32_t i = 0; i < dir->n; i++) {
        segment = dir->segments[i];
        if (!segment->done) {
            /* of an earlier run's it is not known yet how much is committed */
            kept.pending +=
                segment->cursor > 0 || !segment->final || begun
                    ? segment->size
                          - (segment->cursor < segment->size ? segment->cursor
                                                             : segment->size)
                    : 0;
            continue;
        }
        if (fstatat(dir->fd, segment->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        kept.done += (uint64_t)st.st_size;
        if (!kept.any || st.st_mtim.tv_sec < kept.oldest_s) {
            kept.any = true;
            kept.oldest = i;
            kept.oldest_s = st.st_mtim.tv_sec;
        }
    }
    return kept;
}


/* 16 MiB that are given back when the disk is full, and taken again later.  A
 * worker may put names into this folder: no link of its is followed. */
static void
ballast_look(struct ingest_keep *keep, const struct segment_dir *dir,
             uint64_t left)
{
    int fd;

    if (left < ROOM_NONE && unlinkat(dir->fd, BALLAST, 0) == 0) {
        keep->ballast = false;
        log_error(keep->log, "ingest",
                  "the journal's disk is full: its ballast of 16 MiB is given "
                  "back");
    }
    if (keep->ballast || left < ROOM_SHED + 2 * BALLAST_LEN) {
        return;
    }
    fd = openat(dir->fd, BALLAST,
                O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) {
        return; /* it is a help, no need */
    }
    keep->ballast = posix_fallocate(fd, 0, BALLAST_LEN) == 0;
    close(fd);
    if (!keep->ballast) {
        (void)unlinkat(dir->fd, BALLAST, 0);
    }
}


/* Removes the oldest of the segments that are done when it is time, or when
 * there is no room for it; one a second: rotation makes far fewer. */
static void
kept_remove(struct ingest_keep *keep, struct segment_dir *dir,
            const struct kept *kept, uint64_t left)
{
    int64_t age_s = clock_realtime_us() / 1000000 - kept->oldest_s;
    bool needed = age_s <= keep->lag_s;

    if (!kept->any || keep->hold
        || !(age_s > keep->retain_s || left < ROOM_SHED
             || (kept->done > KEPT_QUOTAS * keep->pending_max && !needed)))
    {
        return;
    }
    if (needed && !keep->told) {
        log_error(keep->log, "ingest",
                  "the disk is filling up: segments are removed %lld s after "
                  "they were committed; a database that takes over further "
                  "behind, within replica_lag_max_s, would lack clicks",
                  (long long)age_s);
    }
    keep->told = needed;
    if (kept->oldest_s * INT64_C(1000000) > keep->removed_us) {
        keep->removed_us = kept->oldest_s * INT64_C(1000000);
    }
    segment_dir_delete(dir, kept->oldest);
}


void
ingest_keep_cycle(struct ingest_keep *keep, struct segment_dir *dir, bool begun)
{
    struct kept kept;
    uint64_t pressure, left;

    if (clock_monotonic_ms() < keep->at_ms) {
        return;
    }
    keep->at_ms = clock_monotonic_ms() + CYCLE_MS;

    kept = measure(dir, begun);
    left = room(dir);
    kept_remove(keep, dir, &kept, left);
    ballast_look(keep, dir, left);

    pressure = pressure_of(kept.pending, keep->pending_max, left);
    if (pressure != keep->pressure) {
        log_warn(keep->log, "ingest",
                 "pressure is now %llu: %llu journal bytes wait, %llu are free",
                 (unsigned long long)pressure, (unsigned long long)kept.pending,
                 (unsigned long long)left);
    }
    keep->pressure = pressure;
}
