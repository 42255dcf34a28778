/*
 * Creates, adopts, extends and replaces the shared file <run>/live.
 *
 * It grows in three steps, each complete without the next: bytes at its end are
 * allocated, the number of slots is raised, slots are given out.  An adsd that
 * is killed in between leaves a file that is a little longer than it says.
 *
 * What must hold: no two files through which workers spend may both have
 * fresh allowances.  So the file before keeps a name, live.old, from before
 * the rename until its lock was granted to us, and an adsd that starts in
 * between finds it there.
 */
#include "daemon/live_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"

#define DUTY "live"
#define NAME "live"
#define NAME_NEW "live.new"
#define NAME_OLD "live.old"

#define SPREAD UINT64_C(0x9e3779b97f4a7c15) /* some bits of a tag are fixed */
#define SLOTS_MAX (UINT32_C(1) << 28)       /* 32 GiB of them */
#define WASTE_MAX (UINT32_C(1) << 18) /* slots of campaigns that are over */
#define FULL_PAUSE_MS 10000           /* before it is tried again to grow */

/* A mapped file, or a part of one that has grown since; what was replaced stays
 * mapped until the end. */
struct mapped {
    struct ads_live live;
    int fd;
    struct mapped *before;
};

struct live_file {
    pthread_mutex_t mutex;
    struct log *log;
    uint64_t node;
    int dir;
    int old_fd; /* of live.old while a worker may hold it; -1: none */
    struct mapped *current;
    const struct ads_live *old; /* live.old, as far as it is mapped here */
    uint32_t used;              /* slots */
    uint32_t *index;            /* tag -> slot + 1, open addressing */
    uint32_t index_mask;        /* at least twice as many places as slots */
    bool full;                  /* it could not grow: told once */
    int64_t grow_at_ms;         /* not tried before */
};


static enum ads_err
refused(const struct live_file *file, const char *what, const char *name)
{
    log_error(file->log, DUTY, "could not %s %s: %s", what, name,
              strerror(errno));
    return ADS_IO;
}


/* Maps the file and makes it the current one; takes the descriptor. */
static enum ads_err
map(struct live_file *file, int fd, uint64_t len)
{
    struct mapped *mapped;
    struct ads_live live;
    enum ads_err err;
    void *bytes;

    bytes = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        close(fd);
        return ADS_IO;
    }
    err = ads_live_open(&live, bytes, len);
    if (err == ADS_OK && live.node != file->node) {
        err = ADS_CONFLICT;
    }
    if (err != ADS_OK) {
        munmap(bytes, (size_t)len);
        close(fd);
        return err;
    }

    mapped = xmalloc(sizeof(*mapped));
    *mapped = (struct mapped){.live = live, .fd = fd, .before = file->current};
    file->current = mapped;
    return ADS_OK;
}


static void
unmap(struct live_file *file)
{
    struct mapped *mapped = file->current;

    file->current = mapped->before;
    munmap(mapped->live.bytes, (size_t)mapped->live.len);
    close(mapped->fd);
    free(mapped);
}


/* Where the tag is in the index, or would be. */
static uint32_t *
index_find(struct live_file *file, uint64_t tag)
{
    const struct ads_live *live = &file->current->live;
    uint32_t at = (uint32_t)(tag * SPREAD >> 32) & file->index_mask;

    while (file->index[at] != 0
           && ads_live_slot(live, file->index[at] - 1, tag) == NULL)
    {
        at = (at + 1) & file->index_mask;
    }
    return &file->index[at];
}


/* How many are given out: also said to who asks for metrics. */
static void
used_set(struct live_file *file, uint32_t used)
{
    file->used = used;
    ads_live_set(&file->current->live, ADS_LIVE_SLOTS_USED, used);
}


static void
index_make(struct live_file *file)
{
    const struct ads_live *live = &file->current->live;
    uint32_t len = 2 * LIVE_FILE_SLOTS;
    uint64_t tag;

    while (len < 2 * live->n_slots) {
        len *= 2;
    }
    free(file->index);
    file->index = xcalloc(len, sizeof(*file->index));
    file->index_mask = len - 1;

    used_set(file, ads_live_used(live));
    for (uint32_t slot = 0; slot < file->used; slot++) {
        if (ads_live_slot_at(live, slot, &tag) != NULL) {
            *index_find(file, tag) = slot + 1;
        }
    }
}


/* Formats <run>/live.new; the descriptor goes to *out. */
static enum ads_err
make_new(struct live_file *file, int *out, uint64_t n_slots)
{
    uint64_t len = ads_live_measure(n_slots, LIVE_FILE_FILTER);
    uint64_t id;
    void *bytes;
    int fd, rc;

    fd = openat(file->dir, NAME_NEW, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
                0660);
    if (fd < 0) {
        return refused(file, "create", NAME_NEW);
    }

    (void)fchmod(fd, 0660); /* workers of the group write too */

    /* every block now: a full tmpfs must not become SIGBUS in a worker */
    rc = posix_fallocate(fd, 0, (off_t)len);
    if (rc != 0) {
        errno = rc;
        close(fd);
        return refused(file, "allocate", NAME_NEW);
    }
    bytes = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        close(fd);
        return refused(file, "map", NAME_NEW);
    }

    if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id)) {
        munmap(bytes, (size_t)len);
        close(fd);
        return refused(file, "draw an id for", NAME_NEW);
    }
    ads_live_write(bytes, n_slots, LIVE_FILE_FILTER, file->node, id,
                   (uint64_t)clock_realtime_us());
    munmap(bytes, (size_t)len);
    *out = fd;
    return ADS_OK;
}


/* What workers counted in the old file, now that none does. */
static void
counters_carry(struct live_file *file)
{
    for (uint32_t i = 0; file->old != NULL && i < ADS_COUNT_END; i++) {
        ads_live_count(&file->current->live, i, ads_live_counter(file->old, i));
    }
    file->old = NULL;
}


/* Does no process hold live.old any more? Then it is removed. */
static bool
old_release(struct live_file *file)
{
    if (file->old_fd >= 0 && flock(file->old_fd, LOCK_EX | LOCK_NB) == 0) {
        (void)unlinkat(file->dir, NAME_OLD, 0);
        close(file->old_fd);
        file->old_fd = -1;
        counters_carry(file);
    }
    return file->old_fd < 0;
}


/* Keeps the file before under live.old, and its descriptor open. */
static enum ads_err
keep_old(struct live_file *file)
{
    struct stat st;
    int fd;

    if (fstatat(file->dir, NAME, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? ADS_OK : refused(file, "stat", NAME);
    }
    if (!old_release(file)) {
        /* two replacements before the workers let go of the first: rather
         * refuse than sell through three files */
        log_error(file->log, DUTY, "workers still use the file before");
        return ADS_BUSY;
    }

    if (unlinkat(file->dir, NAME_OLD, 0) != 0 && errno != ENOENT) {
        return refused(file, "remove", NAME_OLD);
    }
    if (linkat(file->dir, NAME, file->dir, NAME_OLD, 0) != 0) {
        return refused(file, "link", NAME_OLD);
    }
    fd = openat(file->dir, NAME_OLD, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return refused(file, "open", NAME_OLD);
    }
    file->old_fd = fd;
    return ADS_OK;
}


/* A new file begins with what adsd said in the one before, and with the links
 * and sessions that workers remember there. */
static void
words_carry(struct ads_live *live, const struct ads_live *before)
{
    for (int word = 0; word < ADS_LIVE_SLOTS; word++) {
        ads_live_set(live, word, ads_live_get(before, word));
    }
    if (before->n_filter == live->n_filter) {
        memcpy(live->bytes + live->filter_off,
               before->bytes + before->filter_off, live->n_filter * 8);
    }
    if (before->n_caps == live->n_caps) {
        memcpy(live->bytes + live->caps_off, before->bytes + before->caps_off,
               live->n_caps * 8);
    }
}


/*
 * Puts a new file in place of whatever is there.  It says what adsd said in
 * the current file, if there is one, before a worker can see it.
 */
static enum ads_err
replace(struct live_file *file, uint64_t n_slots)
{
    struct mapped *before = file->current;
    enum ads_err err;
    int fd = -1;

    err = make_new(file, &fd, n_slots);
    if (err != ADS_OK) {
        return err;
    }
    err = map(file, fd, ads_live_measure(n_slots, LIVE_FILE_FILTER));
    if (err != ADS_OK) {
        return refused(file, "map", NAME_NEW);
    }
    if (before != NULL) {
        words_carry(&file->current->live, &before->live);
    }

    err = keep_old(file);
    if (err == ADS_OK && renameat(file->dir, NAME_NEW, file->dir, NAME) != 0) {
        err = refused(file, "rename", NAME_NEW);
    }
    if (err != ADS_OK) {
        unmap(file);
        return err;
    }
    file->old = before == NULL ? NULL : &before->live;
    index_make(file);
    return ADS_OK;
}


/* ADS_OK when the existing file can be gone on with and is mapped now. */
static enum ads_err
adopt(struct live_file *file)
{
    struct ads_live *live;
    enum ads_err err;
    struct stat st;
    int fd;

    fd = openat(file->dir, NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return errno == ENOENT ? ADS_ABSENT : ADS_DAMAGED;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size < ADS_LIVE_FIXED_LEN)
    {
        close(fd);
        return ADS_DAMAGED;
    }

    err = map(file, fd, (uint64_t)st.st_size);
    if (err != ADS_OK) {
        return err;
    }
    live = &file->current->live;
    if (live->n_caps == 0) {
        unmap(file);
        return ADS_UNSUPPORTED;
    }
    ads_live_set(live, ADS_LIVE_SLOTS, live->n_slots);
    index_make(file);
    return ADS_OK;
}


/* Adopts a live.old that an earlier adsd left. */
static void
find_old(struct live_file *file)
{
    struct stat old, now;

    file->old_fd =
        openat(file->dir, NAME_OLD, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file->old_fd < 0) {
        return;
    }
    if (fstat(file->old_fd, &old) == 0
        && fstatat(file->dir, NAME, &now, AT_SYMLINK_NOFOLLOW) == 0
        && old.st_dev == now.st_dev && old.st_ino == now.st_ino)
    {
        /* it died between link and rename: nothing was replaced */
        close(file->old_fd);
        file->old_fd = -1;
        (void)unlinkat(file->dir, NAME_OLD, 0);
    }
}


enum ads_err
live_file_open(struct live_file **out, const char *run_path, uint64_t node,
               struct log *log)
{
    struct live_file *file = xcalloc(1, sizeof(*file));
    enum ads_err err;

    *file =
        (struct live_file){.log = log, .node = node, .dir = -1, .old_fd = -1};
    pthread_mutex_init(&file->mutex, NULL);

    file->dir = open(run_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->dir < 0) {
        err = refused(file, "open", run_path);
        goto failed;
    }
    find_old(file);

    err = adopt(file);
    if (err != ADS_OK) {
        if (err != ADS_ABSENT) {
            log_warn(log, DUTY, "replacing %s/%s: %s", run_path, NAME,
                     ads_strerror(err));
        }
        err = replace(file, LIVE_FILE_SLOTS);
    }
    if (err != ADS_OK) {
        goto failed;
    }
    *out = file;
    return ADS_OK;

failed:
    live_file_close(file);
    return err;
}


void
live_file_close(struct live_file *file)
{
    if (file == NULL) {
        return;
    }
    while (file->current != NULL) {
        unmap(file);
    }
    if (file->old_fd >= 0) {
        close(file->old_fd);
    }
    if (file->dir >= 0) {
        close(file->dir);
    }
    pthread_mutex_destroy(&file->mutex);
    free(file->index);
    free(file);
}


const struct ads_live *
live_file_current(struct live_file *file)
{
    const struct ads_live *live;

    pthread_mutex_lock(&file->mutex);
    live = &file->current->live;
    pthread_mutex_unlock(&file->mutex);
    return live;
}


/* Allocates that many more slots, then says that they are there. */
static enum ads_err
extend(struct live_file *file, uint64_t n_more)
{
    struct ads_live *live = &file->current->live;
    uint64_t n_slots = live->n_slots + n_more;
    uint64_t end = ads_live_measure(live->n_slots, live->n_filter);
    uint64_t len = ads_live_measure(n_slots, live->n_filter);
    enum ads_err err;
    int fd, rc;

    /* every block now, as in a new file */
    rc = posix_fallocate(file->current->fd, (off_t)end, (off_t)(len - end));
    if (rc != 0) {
        errno = rc;
        return ADS_FULL;
    }
    fd = fcntl(file->current->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        return ADS_IO;
    }
    ads_live_set(live, ADS_LIVE_SLOTS, n_slots);
    err = map(file, fd, len);
    if (err == ADS_OK) {
        index_make(file);
    }
    return err;
}


/* Makes room for more: for twice as many, or as many as the disk takes. */
static enum ads_err
grow(struct live_file *file)
{
    const struct ads_live *live = &file->current->live;
    uint64_t n_more = live->n_slots;
    enum ads_err err = ADS_FULL;

    if (live->layout < ADS_LIVE_LAYOUT_GROWS
        || live->n_slots + n_more > SLOTS_MAX
        || clock_monotonic_ms() < file->grow_at_ms)
    {
        return ADS_FULL;
    }
    for (; err != ADS_OK && n_more >= LIVE_FILE_SLOTS / 8; n_more /= 2) {
        err = extend(file, n_more);
    }
    if (err == ADS_OK) {
        log_info(file->log, DUTY, "%s has room for %" PRIu64 " campaigns now",
                 NAME, file->current->live.n_slots);
        file->full = false;
        return ADS_OK;
    }
    if (!file->full) {
        log_error(file->log, DUTY,
                  "%s has no room for more than %" PRIu64
                  " campaigns: %s; what comes more is not sold",
                  NAME, live->n_slots, strerror(errno));
    }
    file->full = true;
    file->grow_at_ms = clock_monotonic_ms() + FULL_PAUSE_MS;
    return ADS_FULL;
}


static enum ads_err
claim(struct live_file *file, uint64_t tag, uint32_t *slot)
{
    struct ads_live *live;
    uint32_t used;
    enum ads_err err;

    if (file->used >= file->current->live.n_slots) {
        err = grow(file);
        if (err != ADS_OK) {
            return err;
        }
    }
    live = &file->current->live;
    used = file->used;
    err = ads_live_claim(live, tag, &used, slot);
    if (err == ADS_OK) {
        *index_find(file, tag) = *slot + 1;
        used_set(file, used);
    }
    return err;
}


/* The slot of the tag; 0 in the index: there is none. */
static enum ads_err
find(struct live_file *file, uint64_t tag, uint32_t *slot)
{
    uint32_t place = *index_find(file, tag);

    *slot = place == 0 ? ADS_LIVE_SLOT_NONE : place - 1;
    return place == 0 ? ADS_ABSENT : ADS_OK;
}


enum ads_err
live_file_find(struct live_file *file, const struct ads_uuid *campaign,
               uint32_t *slot, uint64_t *tag)
{
    enum ads_err err;

    *tag = ads_live_tag(campaign);
    pthread_mutex_lock(&file->mutex);
    err = find(file, *tag, slot);
    pthread_mutex_unlock(&file->mutex);
    return err;
}


enum ads_err
live_file_claim(struct live_file *file, const struct ads_uuid *campaign,
                uint32_t *slot, uint64_t *tag)
{
    enum ads_err err;

    *tag = ads_live_tag(campaign);
    pthread_mutex_lock(&file->mutex);
    err = find(file, *tag, slot);
    if (err == ADS_ABSENT) {
        err = claim(file, *tag, slot);
    }
    pthread_mutex_unlock(&file->mutex);
    return err;
}


uint32_t
live_file_used(struct live_file *file)
{
    uint32_t used;

    pthread_mutex_lock(&file->mutex);
    used = file->used;
    pthread_mutex_unlock(&file->mutex);
    return used;
}


bool
live_file_is_worn(struct live_file *file, uint32_t n_campaigns)
{
    const struct ads_live *live;
    bool worn;

    pthread_mutex_lock(&file->mutex);
    live = &file->current->live;
    worn = (uint64_t)file->used > WASTE_MAX + 2 * (uint64_t)n_campaigns
           || (live->layout < ADS_LIVE_LAYOUT_GROWS
               && file->used >= live->n_slots);
    worn = worn && old_release(file);
    pthread_mutex_unlock(&file->mutex);
    return worn;
}


enum ads_err
live_file_renew(struct live_file *file, uint32_t n_campaigns)
{
    uint64_t n_slots = n_campaigns + n_campaigns / 4 + LIVE_FILE_SLOTS;
    enum ads_err err;

    pthread_mutex_lock(&file->mutex);
    err = replace(file, n_slots);
    if (err == ADS_OK) {
        log_info(file->log, DUTY,
                 "replaced %s by one for %" PRIu64 " campaigns", NAME, n_slots);
    }
    pthread_mutex_unlock(&file->mutex);
    return err;
}


bool
live_file_may_sell(struct live_file *file)
{
    bool free_now;

    pthread_mutex_lock(&file->mutex);
    free_now = old_release(file);
    pthread_mutex_unlock(&file->mutex);
    return free_now;
}


void
live_file_set(struct live_file *file, enum ads_live_word word, uint64_t value)
{
    pthread_mutex_lock(&file->mutex);
    ads_live_set(&file->current->live, word, value);
    pthread_mutex_unlock(&file->mutex);
}


void
live_file_add(struct live_file *file, enum ads_live_word word, uint64_t n)
{
    struct ads_live *live;

    pthread_mutex_lock(&file->mutex);
    live = &file->current->live;
    ads_live_set(live, word, ads_live_get(live, word) + n);
    pthread_mutex_unlock(&file->mutex);
}


uint64_t
live_file_get(struct live_file *file, enum ads_live_word word)
{
    return ads_live_get(live_file_current(file), word);
}
