/*
 * Folder of the journal, as one reader sees it: which segments there are, which
 * of them are still open, and what does not belong there.
 *
 * The folder is read only when it changed.  A file that is no segment of this
 * node goes to quarantine/ inside it, never away: an operator decides.  One
 * signed by a key that the ring lacks stays where it is and is tried again
 * after a restart.
 */
#ifndef ADSD_SEGMENT_DIR_H
#define ADSD_SEGMENT_DIR_H

#include <sys/types.h>
#include <time.h>

#include "base/log.h"
#include "journal/segment.h"

#define SEGMENT_DIR_QUARANTINE "quarantine"

struct segment_dir {
    int fd;
    const struct ads_ring *ring;
    uint64_t node;
    struct log *log;
    bool reader;               /* may move files and complain about them */
    struct segment **segments; /* by name: within a class and boot, by age */
    uint32_t n;
    uint32_t n_max;
    char (*skipped)[SEGMENT_NAME_MAX]; /* names not to try again */
    uint32_t n_skipped;
    int io_errno;           /* already told */
    bool again;             /* one could not be read: try it at the next scan */
    struct timespec seen;   /* change time of the folder at the last scan */
    uint32_t n_taken;       /* up, since it was opened */
    uint32_t n_quarantined; /* likewise */
};

/*
 * Opens the journal of that state path.  `reader` is true for the one that
 * ingests: it takes the folder's lock (ADS_BUSY when another one holds it) and
 * quarantines.  ADS_IO, logged, when the folder cannot be opened.
 */
ADS_MUST enum ads_err
segment_dir_open(struct segment_dir *dir, const char *state_path,
                 const struct ads_ring *ring, uint64_t node, struct log *log,
                 bool reader);
void
segment_dir_close(struct segment_dir *dir);

/*
 * Goes on with another ring, borrowed like the first: what lacked its key is
 * tried once more.
 */
void
segment_dir_take_ring(struct segment_dir *dir, const struct ads_ring *ring);

/*
 * Opens new segments and forgets parked ones whose file is gone: one that
 * still has bytes to give is read to its end through its descriptor.
 */
ADS_MUST enum ads_err
segment_dir_scan(struct segment_dir *dir);

/* The segment of that uuid, borrowed, or NULL. */
struct segment *
segment_dir_find(const struct segment_dir *dir, const struct ads_uuid *uuid);

/* Moves the file to quarantine/ and says so. */
void
segment_dir_quarantine(struct segment_dir *dir, const char *name,
                       const char *why);

/* Keeps a copy of bytes of a segment in quarantine/, named by their place;
 * false when it was there already.  Says so when it cannot be made. */
bool
segment_dir_keep(struct segment_dir *dir, const struct segment *segment,
                 uint64_t off, uint64_t len);

/* Removes segment number i and its file. */
void
segment_dir_delete(struct segment_dir *dir, uint32_t i);

/* Forgets segment number i, so that the next scan opens it afresh. */
void
segment_dir_forget(struct segment_dir *dir, uint32_t i);

/* Does the name look like a segment's? */
bool
segment_dir_named(const char *name);

#endif
