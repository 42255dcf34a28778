/*
 * Identity of a node: its folders, its random 64-bit id, kept in <state>/node
 * as 16 hex digits and a newline, and the ring of click keys that it shares
 * with nginx.
 */
#ifndef ADSD_NODE_H
#define ADSD_NODE_H

#include "ads_err.h"
#include "ads_ring.h"
#include "base/conf.h"
#include "base/log.h"

/*
 * Workers are another user, who shares a group with adsd: they open what they
 * know the name of, and put segments into the journal, where the sticky bit
 * keeps them from what is not theirs.  (They list it only to sync it.)
 */
#define NODE_FOLDER_MODE 0710
#define NODE_JOURNAL_MODE 01770

/*
 * Makes state_path, state_path/journal and run_path where missing, with those
 * modes.  ADS_IO, told to the log, when one cannot be made or is no folder.
 */
ADS_MUST enum ads_err
node_make_folders(const struct conf *conf, struct log *log);

/* Reads the node id.  ADS_ABSENT (not logged) when there is no file yet,
 * ADS_DAMAGED or ADS_IO, logged, otherwise. */
ADS_MUST enum ads_err
node_read_id(uint64_t *id, const struct conf *conf, struct log *log);

/* Writes a new random id, never over an existing one: then reads that. */
ADS_MUST enum ads_err
node_make_id(uint64_t *id, const struct conf *conf, struct log *log);

/*
 * Reads the key ring.  Refuses, with the reason in the log, a file that others
 * than owner and group may read, or whose text is no ring.  The caller wipes
 * the ring at the end of its life.
 */
ADS_MUST enum ads_err
node_read_ring(struct ads_ring *ring, const struct conf *conf, struct log *log);

/*
 * Takes the lock of this node, <state>/lock, so that it has one adsd at a time;
 * waits up to 10 s for one that is just stopping.  ADS_BUSY, logged, when it
 * stays.  Closing *fd, or dying, gives it back.
 */
ADS_MUST enum ads_err
node_lock(int *fd, const struct conf *conf, struct log *log);

/*
 * One path under a folder, "dir/name", into `dst`.  ADS_TOO_LARGE when it does
 * not fit.
 */
ADS_MUST enum ads_err
node_path(char *dst, size_t dst_len, const char *dir, const char *name);

#endif
