/*
 * Creates, adopts and replaces the shared file <run>/live.
 *
 * What must hold: no two files through which workers spend may both have
 * fresh allowances.  So the file before keeps a name, live.old, from before
 * the rename until its lock was granted to us, and an adsd that starts in
 * between finds it there.
 */
#include "daemon/live_file.h"

#include <errno.h>
#include <fcntl.h>
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

/* tag -> slot + 1, open addressing; twice as many places as slots */
#define INDEX_LEN (2 * LIVE_FILE_SLOTS)

/* A mapped file; those that were replaced stay mapped until the end. */
struct mapped {
    struct ads_live live;
    struct mapped *before;
};

struct live_file {
    pthread_mutex_t mutex;
    struct log *log;
    uint64_t node;
    int dir;
    int old_fd; /* of live.old while a worker may hold it; -1: none */
    struct mapped *current;
    uint32_t used; /* slots */
    uint32_t index[INDEX_LEN];
};


static enum ads_err
refused(const struct live_file *file, const char *what, const char *name)
{
    log_error(file->log, DUTY, "could not %s %s: %s", what, name,
              strerror(errno));
    return ADS_IO;
}


/* Maps the file and makes it the current one. */
static enum ads_err
map(struct live_file *file, int fd, uint64_t len)
{
    struct mapped *mapped;
    struct ads_live live;
    enum ads_err err;
    void *bytes;

    bytes = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        return ADS_IO;
    }
    err = ads_live_open(&live, bytes, len);
    if (err == ADS_OK && live.node != file->node) {
        err = ADS_CONFLICT;
    }
    if (err != ADS_OK) {
        munmap(bytes, (size_t)len);
        return err;
    }

    mapped = xmalloc(sizeof(*mapped));
    *mapped = (struct mapped){.live = live, .before = file->current};
    file->current = mapped;
    return ADS_OK;
}


static void
unmap(struct live_file *file)
{
    struct mapped *mapped = file->current;

    file->current = mapped->before;
    munmap(mapped->live.bytes, (size_t)mapped->live.len);
    free(mapped);
}


/* Where the tag is in the index, or would be. */
static uint32_t *
index_find(struct live_file *file, uint64_t tag)
{
    const struct ads_live *live = &file->current->live;
    uint32_t at = (uint32_t)(tag % INDEX_LEN);

    while (file->index[at] != 0
           && ads_live_slot(live, file->index[at] - 1, tag) == NULL)
    {
        at = (at + 1) % INDEX_LEN;
    }
    return &file->index[at];
}


static void
index_make(struct live_file *file)
{
    const struct ads_live *live = &file->current->live;
    uint64_t tag;

    memset(file->index, 0, sizeof(file->index));
    file->used = ads_live_used(live);
    for (uint32_t slot = 0; slot < file->used; slot++) {
        if (ads_live_slot_at(live, slot, &tag) != NULL) {
            *index_find(file, tag) = slot + 1;
        }
    }
}


/* Formats <run>/live.new; the descriptor goes to *out. */
static enum ads_err
make_new(struct live_file *file, int *out, uint64_t len)
{
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
    ads_live_write(bytes, LIVE_FILE_SLOTS, LIVE_FILE_FILTER, file->node, id,
                   (uint64_t)clock_realtime_us());
    munmap(bytes, (size_t)len);
    *out = fd;
    return ADS_OK;
}


/* Does no process hold live.old any more? Then it is removed. */
static bool
old_release(struct live_file *file)
{
    if (file->old_fd >= 0 && flock(file->old_fd, LOCK_EX | LOCK_NB) == 0) {
        (void)unlinkat(file->dir, NAME_OLD, 0);
        close(file->old_fd);
        file->old_fd = -1;
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


/*
 * Puts a new file in place of whatever is there.  It says what adsd said in
 * the current file, if there is one, before a worker can see it.
 */
static enum ads_err
replace(struct live_file *file)
{
    uint64_t len = ads_live_measure(LIVE_FILE_SLOTS, LIVE_FILE_FILTER);
    struct mapped *before = file->current;
    enum ads_err err;
    int fd = -1;

    err = make_new(file, &fd, len);
    if (err != ADS_OK) {
        return err;
    }
    err = map(file, fd, len);
    close(fd);
    if (err != ADS_OK) {
        return refused(file, "map", NAME_NEW);
    }
    for (int word = 0; before != NULL && word < ADS_LIVE_WORDS; word++) {
        ads_live_set(&file->current->live, word,
                     ads_live_get(&before->live, word));
    }

    err = keep_old(file);
    if (err == ADS_OK && renameat(file->dir, NAME_NEW, file->dir, NAME) != 0) {
        err = refused(file, "rename", NAME_NEW);
    }
    if (err != ADS_OK) {
        unmap(file);
    }
    return err;
}


/* ADS_OK when the existing file fits and is mapped now. */
static enum ads_err
adopt(struct live_file *file)
{
    struct stat st;
    enum ads_err err;
    int fd;

    fd = openat(file->dir, NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return errno == ENOENT ? ADS_ABSENT : ADS_DAMAGED;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)
        || (uint64_t)st.st_size
               != ads_live_measure(LIVE_FILE_SLOTS, LIVE_FILE_FILTER))
    {
        close(fd);
        return ADS_DAMAGED;
    }

    err = map(file, fd, (uint64_t)st.st_size);
    close(fd);
    return err;
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
        err = replace(file);
    }
    if (err != ADS_OK) {
        goto failed;
    }
    index_make(file);
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


enum ads_err
live_file_claim(struct live_file *file, const struct ads_uuid *campaign,
                uint32_t *slot, uint64_t *tag)
{
    enum ads_err err = ADS_OK;
    uint32_t *place;

    *tag = ads_live_tag(campaign);
    pthread_mutex_lock(&file->mutex);

    place = index_find(file, *tag);
    if (*place == 0) {
        err = ads_live_claim(&file->current->live, *tag, &file->used, slot);
        *place = err == ADS_OK ? *slot + 1 : 0;
    } else {
        *slot = *place - 1;
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


enum ads_err
live_file_renew(struct live_file *file)
{
    enum ads_err err;

    pthread_mutex_lock(&file->mutex);
    err = replace(file);
    if (err == ADS_OK) {
        index_make(file);
        log_info(file->log, DUTY, "replaced the full file");
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
