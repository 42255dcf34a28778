/*
 * Lists the segments of the journal, kept sorted by name and compared with the
 * folder's own list.
 */
#include "journal/segment_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"

#define DUTY "journal"
#define FOLDER "journal"
#define SUFFIX ".seg"

/* A folder changed this recently may change again under the same time. */
#define RACY_S 2


bool
segment_dir_named(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > sizeof(SUFFIX) - 1 && len < SEGMENT_NAME_MAX
           && strcmp(name + len - (sizeof(SUFFIX) - 1), SUFFIX) == 0;
}


enum ads_err
segment_dir_open(struct segment_dir *dir, const char *state_path,
                 const struct ads_ring *ring, uint64_t node, struct log *log,
                 bool reader)
{
    char path[4096];

    *dir = (struct segment_dir){
        .fd = -1, .ring = ring, .node = node, .log = log, .reader = reader};

    if (snprintf(path, sizeof(path), "%s/" FOLDER, state_path)
        >= (int)sizeof(path)) {
        log_error(log, DUTY, "the state path is too long");
        return ADS_TOO_LARGE;
    }
    dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->fd < 0) {
        log_error(log, DUTY, "could not open %s: %s", path, strerror(errno));
        return ADS_IO;
    }
    if (reader && flock(dir->fd, LOCK_EX | LOCK_NB) != 0) {
        close(dir->fd);
        dir->fd = -1;
        return ADS_BUSY;
    }
    return ADS_OK;
}


void
segment_dir_close(struct segment_dir *dir)
{
    for (uint32_t i = 0; i < dir->n; i++) {
        segment_close(dir->segments[i]);
    }
    free(dir->segments);
    free(dir->skipped);
    if (dir->fd >= 0) {
        close(dir->fd);
    }
    *dir = (struct segment_dir){.fd = -1};
}


void
segment_dir_take_ring(struct segment_dir *dir, const struct ads_ring *ring)
{
    if (dir->ring == ring) {
        return;
    }
    dir->ring = ring;
    dir->n_skipped = 0;
    dir->seen = (struct timespec){0};
}


/* The place of that name in the list, or where it would be put in. */
static uint32_t
place_find(const struct segment_dir *dir, const char *name, bool *found)
{
    uint32_t low = 0, high = dir->n, middle;
    int order;

    *found = false;
    while (low < high && !*found) {
        middle = low + (high - low) / 2;
        order = strcmp(name, dir->segments[middle]->name);
        if (order == 0) {
            *found = true;
            low = middle;
        } else if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}


static bool
is_skipped(const struct segment_dir *dir, const char *name)
{
    for (uint32_t i = 0; i < dir->n_skipped; i++) {
        if (strcmp(dir->skipped[i], name) == 0) {
            return true;
        }
    }
    return false;
}


static void
skip(struct segment_dir *dir, const char *name, const char *why)
{
    dir->skipped =
        xrealloc(dir->skipped, (dir->n_skipped + 1) * sizeof(*dir->skipped));
    memcpy(dir->skipped[dir->n_skipped++], name, strlen(name) + 1);
    if (dir->reader) {
        log_error(dir->log, DUTY, "segment %s is left alone: %s", name, why);
    }
}


static void
take_up(struct segment_dir *dir, struct segment *segment, uint32_t place)
{
    if (dir->n == dir->n_max) {
        dir->n_max = dir->n_max == 0 ? 16 : dir->n_max * 2;
        dir->segments =
            xrealloc(dir->segments, dir->n_max * sizeof(*dir->segments));
    }
    memmove(dir->segments + place + 1, dir->segments + place,
            (dir->n - place) * sizeof(*dir->segments));
    dir->segments[place] = segment;
    dir->n++;
    dir->n_taken++;
}


/* Opens a file that the list does not hold and decides what it is. */
static void
look_at(struct segment_dir *dir, const char *name, uint32_t place)
{
    struct segment *segment;
    enum ads_err err;

    err = segment_open(&segment, dir->fd, name, dir->ring);
    if (err == ADS_OK && segment->header.node != dir->node) {
        segment_close(segment);
        segment_dir_quarantine(dir, name, "it was written by another node");
        return;
    }
    if (err == ADS_OK && segment_dir_find(dir, &segment->header.uuid) != NULL) {
        segment_close(segment);
        segment_dir_quarantine(dir, name, "it is a copy of another segment");
        return;
    }

    switch (err) {
    case ADS_OK:
        take_up(dir, segment, place);
        break;
    case ADS_ABSENT:
        break;
    case ADS_DAMAGED:
        segment_dir_quarantine(dir, name, "it does not begin like a segment");
        break;
    case ADS_DENIED:
        skip(dir, name, "the key ring lacks the key that signed it");
        break;
    case ADS_UNSUPPORTED:
        skip(dir, name, "it has a format not known here");
        break;
    default:
        if (dir->io_errno != errno) {
            log_error(dir->log, DUTY, "could not read segment %s: %s", name,
                      strerror(errno));
        }
        dir->io_errno = errno;
        dir->again = true;
        break;
    }
}


/* Forgets parked segments whose file is gone. */
static void
forget_vanished(struct segment_dir *dir)
{
    struct stat st;
    uint32_t i = 0;

    while (i < dir->n) {
        if (dir->segments[i]->fd < 0
            && fstatat(dir->fd, dir->segments[i]->name, &st,
                       AT_SYMLINK_NOFOLLOW)
                   != 0
            && errno == ENOENT)
        {
            segment_dir_forget(dir, i);
        } else {
            i++;
        }
    }
}


enum ads_err
segment_dir_scan(struct segment_dir *dir)
{
    struct dirent *entry;
    int64_t now_s = clock_realtime_us() / 1000000;
    struct stat st;
    uint32_t place;
    bool found;
    DIR *list;
    int fd;

    if (fstat(dir->fd, &st) != 0) {
        return ADS_IO;
    }
    if (st.st_mtim.tv_sec == dir->seen.tv_sec
        && st.st_mtim.tv_nsec == dir->seen.tv_nsec
        && (now_s > st.st_mtim.tv_sec + RACY_S || now_s < st.st_mtim.tv_sec))
    {
        return ADS_OK;
    }

    fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    list = fd >= 0 ? fdopendir(fd) : NULL;
    if (list == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        log_error(dir->log, DUTY, "could not read the journal's folder: %s",
                  strerror(errno));
        return ADS_IO;
    }

    dir->seen = st.st_mtim;
    dir->again = false;
    while ((entry = readdir(list)) != NULL) {
        if (!segment_dir_named(entry->d_name) || is_skipped(dir, entry->d_name))
        {
            continue;
        }
        place = place_find(dir, entry->d_name, &found);
        if (!found) {
            look_at(dir, entry->d_name, place);
        }
    }
    closedir(list);
    forget_vanished(dir);
    if (dir->again) {
        dir->seen = (struct timespec){0};
    }
    return ADS_OK;
}


struct segment *
segment_dir_find(const struct segment_dir *dir, const struct ads_uuid *uuid)
{
    for (uint32_t i = 0; i < dir->n; i++) {
        if (ads_uuid_equal(&dir->segments[i]->header.uuid, uuid)) {
            return dir->segments[i];
        }
    }
    return NULL;
}


/* The quarantine folder, made when missing; -1 when that fails. */
static int
quarantine_open(struct segment_dir *dir)
{
    int fd;

    if (mkdirat(dir->fd, SEGMENT_DIR_QUARANTINE, 0700) != 0 && errno != EEXIST)
    {
        log_error(dir->log, DUTY, "could not make %s: %s",
                  SEGMENT_DIR_QUARANTINE, strerror(errno));
        return -1;
    }
    fd = openat(dir->fd, SEGMENT_DIR_QUARANTINE,
                O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        log_error(dir->log, DUTY, "could not open %s: %s",
                  SEGMENT_DIR_QUARANTINE, strerror(errno));
    }
    return fd;
}


void
segment_dir_quarantine(struct segment_dir *dir, const char *name,
                       const char *why)
{
    int to;

    if (!dir->reader) {
        skip(dir, name, why);
        return;
    }

    to = quarantine_open(dir);
    if (to < 0 || renameat(dir->fd, name, to, name) != 0) {
        skip(dir, name, why);
    } else {
        dir->n_quarantined++;
        log_error(dir->log, DUTY, "segment %s was put into %s: %s", name,
                  SEGMENT_DIR_QUARANTINE, why);
    }
    if (to >= 0) {
        close(to);
    }
}


bool
segment_dir_keep(struct segment_dir *dir, const struct segment *segment,
                 uint64_t off, uint64_t len)
{
    char name[SEGMENT_NAME_MAX + 32];
    uint8_t bytes[16384];
    uint64_t done = 0;
    ssize_t n = 0;
    size_t want;
    int to, fd;

    (void)snprintf(name, sizeof(name), "%s.%llu", segment->name,
                   (unsigned long long)off);
    to = quarantine_open(dir);
    if (to < 0) {
        return true;
    }
    fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) {
        close(to);
        return false;
    }

    while (fd >= 0 && done < len) {
        want =
            len - done < sizeof(bytes) ? (size_t)(len - done) : sizeof(bytes);
        n = pread(segment->fd, bytes, want, (off_t)(off + done));
        if (n <= 0 || write(fd, bytes, (size_t)n) != n) {
            break;
        }
        done += (uint64_t)n;
    }
    if (done < len) {
        log_error(dir->log, DUTY, "could not keep %llu damaged bytes as %s: %s",
                  (unsigned long long)len, name, strerror(errno));
        if (fd >= 0) {
            (void)unlinkat(to, name, 0); /* tried again next time */
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    close(to);
    return true;
}


void
segment_dir_delete(struct segment_dir *dir, uint32_t i)
{
    if (unlinkat(dir->fd, dir->segments[i]->name, 0) != 0 && errno != ENOENT) {
        log_error(dir->log, DUTY, "could not remove %s: %s",
                  dir->segments[i]->name, strerror(errno));
        return;
    }
    segment_dir_forget(dir, i);
}


void
segment_dir_forget(struct segment_dir *dir, uint32_t i)
{
    segment_close(dir->segments[i]);
    dir->n--;
    memmove(dir->segments + i, dir->segments + i + 1,
            (dir->n - i) * sizeof(*dir->segments));
    dir->seen = (struct timespec){0};
}
