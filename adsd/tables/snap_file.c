/*
 * Publishes and maps files of the ad tables.
 */
#include "tables/snap_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/node.h"

#define DUTY "publish"
#define TMP_NAME ".publish.tmp"
#define TMP_BASE_NAME ".publish-base.tmp" /* written while heads are, too */
#define BASE_PREFIX "base-"
#define SYNC_LEN ((uint64_t)32 << 20)


void
snap_file_base_name(char name[SNAP_BASE_NAME_LEN], uint64_t id)
{
    snprintf(name, SNAP_BASE_NAME_LEN, BASE_PREFIX "%016" PRIx64, id);
}


/* A base is synced as it grows: the sync of a head that is written meanwhile
 * may have to wait for all that was written before. */
static enum ads_err
write_all(int fd, const uint8_t *bytes, uint64_t len)
{
    uint64_t unsynced = 0;

    while (len > 0) {
        ssize_t n = write(fd, bytes, len < SYNC_LEN ? len : SYNC_LEN);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return ADS_IO;
        }
        bytes += n;
        len -= (uint64_t)n;
        unsynced += (uint64_t)n;
        if (unsynced >= SYNC_LEN) {
            if (fdatasync(fd) != 0) {
                return ADS_IO;
            }
            unsynced = 0;
        }
    }
    return ADS_OK;
}


/* What the disk gives back must be what was meant. */
static enum ads_err
read_back(const char *path, uint64_t len, struct log *log)
{
    struct snap_map map;
    enum ads_err err = snap_file_map(&map, NULL, path, log);

    if (err != ADS_OK) {
        return err;
    }
    err = map.len == len ? ads_snap_verify(map.bytes, map.len) : ADS_DAMAGED;
    snap_file_unmap(&map);
    return err;
}


static enum ads_err
dir_sync(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc;

    if (fd < 0) {
        return ADS_IO;
    }
    rc = fsync(fd);
    close(fd);
    return rc == 0 ? ADS_OK : ADS_IO;
}


/* For the group that workers are in, and read-only for its owner too: a worker
 * that has it mapped dies of a `cp` over it. */
static enum ads_err
tmp_write(const char *path, const void *bytes, uint64_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0440);
    enum ads_err err;

    if (fd < 0) {
        return ADS_IO;
    }

    err = fchmod(fd, 0440) == 0 ? write_all(fd, bytes, len) : ADS_IO;
    if (err == ADS_OK && fsync(fd) != 0) {
        err = ADS_IO;
    }
    if (close(fd) != 0 && err == ADS_OK) {
        err = ADS_IO;
    }
    return err;
}


enum ads_err
snap_file_write(const char *dir, const char *name, const void *bytes,
                uint64_t len, struct log *log)
{
    bool head = strcmp(name, SNAP_HEAD_NAME) == 0;
    char tmp[PATH_MAX], path[PATH_MAX];
    enum ads_err err;

    err = node_path(tmp, sizeof(tmp), dir, head ? TMP_NAME : TMP_BASE_NAME);
    if (err == ADS_OK) {
        err = node_path(path, sizeof(path), dir, name);
    }
    if (err != ADS_OK) {
        log_error(log, DUTY, "path of %s under %s is too long", name, dir);
        return err;
    }

    /* a new file each time: one left by a killed adsd has no owner */
    (void)unlink(tmp);
    err = tmp_write(tmp, bytes, len);
    if (err == ADS_OK) {
        err = read_back(tmp, len, log);
    }
    if (err == ADS_OK && rename(tmp, path) != 0) {
        err = ADS_IO;
    }
    if (err == ADS_OK) {
        err = dir_sync(dir);
    }

    if (err != ADS_OK) {
        log_error(log, DUTY, "could not publish %s: %s: %s", path,
                  ads_strerror(err), err == ADS_IO ? strerror(errno) : "");
        (void)unlink(tmp);
        if (!head) { /* no process knows of it, and the next has a new name */
            (void)unlink(path);
        }
    }
    return err;
}


enum ads_err
snap_file_map(struct snap_map *map, const char *dir, const char *name,
              struct log *log)
{
    char path[PATH_MAX];
    struct stat st;
    int fd;

    *map = (struct snap_map){0};
    if (dir != NULL) {
        if (node_path(path, sizeof(path), dir, name) != ADS_OK) {
            return ADS_TOO_LARGE;
        }
        name = path;
    }

    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT) {
            return ADS_ABSENT;
        }
        log_error(log, DUTY, "could not open %s: %s", name, strerror(errno));
        return ADS_IO;
    }

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
        close(fd);
        return ADS_DAMAGED;
    }

    map->len = (uint64_t)st.st_size;
    map->bytes = mmap(NULL, map->len, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (map->bytes == MAP_FAILED) {
        map->bytes = NULL;
        log_error(log, DUTY, "could not map %s: %s", name, strerror(errno));
        return ADS_IO;
    }
    return ADS_OK;
}


void
snap_file_unmap(struct snap_map *map)
{
    if (map->bytes != NULL) {
        munmap(map->bytes, map->len);
        map->bytes = NULL;
    }
}


void
snap_file_clean(const char *dir, uint64_t keep, uint64_t keep_too)
{
    char name[SNAP_BASE_NAME_LEN], name_too[SNAP_BASE_NAME_LEN];
    const struct dirent *entry;
    DIR *folder = opendir(dir);

    if (folder == NULL) {
        return;
    }

    snap_file_base_name(name, keep);
    snap_file_base_name(name_too, keep_too);
    while ((entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, BASE_PREFIX, strlen(BASE_PREFIX)) == 0
            && strcmp(entry->d_name, name) != 0
            && strcmp(entry->d_name, name_too) != 0)
        {
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
}
