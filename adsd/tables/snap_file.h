/*
 * Files of the ad tables on disk: written aside, read back and checked, then
 * renamed into place; mapped to be read.
 *
 * A name never stands for a half-written file, and a file that has a name is
 * never written again: workers have it mapped.
 */
#ifndef ADSD_SNAP_FILE_H
#define ADSD_SNAP_FILE_H

#include "ads_snap.h"
#include "base/log.h"

#define SNAP_HEAD_NAME "head"
#define SNAP_BASE_NAME_LEN 22 /* base-<16 hex> and a NUL */

struct snap_map {
    void *bytes; /* NULL: nothing mapped */
    uint64_t len;
};

/* The file name of the base with that id. */
void
snap_file_base_name(char name[SNAP_BASE_NAME_LEN], uint64_t id);

/*
 * Writes <dir>/<name>: temporary file, fsync, every checksum read back, rename,
 * fsync of the folder.  ADS_IO or ADS_DAMAGED, logged; then a base is gone and
 * the head is what it was before, or new where only the folder was not synced.
 */
ADS_MUST enum ads_err
snap_file_write(const char *dir, const char *name, const void *bytes,
                uint64_t len, struct log *log);

/* Maps <dir>/<name>, or the path `name` when dir is NULL, read-only.
 * ADS_ABSENT (not logged) when there is none. */
ADS_MUST enum ads_err
snap_file_map(struct snap_map *map, const char *dir, const char *name,
              struct log *log);

void
snap_file_unmap(struct snap_map *map);

/* Removes the bases of the folder but the two named. */
void
snap_file_clean(const char *dir, uint64_t keep, uint64_t keep_too);

#endif
