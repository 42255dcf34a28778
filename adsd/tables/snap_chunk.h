/*
 * Chunks of changed ads: which of them the next head takes.  A head reads a row
 * and its words again for each, and clients that wrote meanwhile wait for all
 * of them; so of what changed in bulk, as by an import, each head takes a
 * chunk, and everything else at once.
 */
#ifndef ADSD_SNAP_CHUNK_H
#define ADSD_SNAP_CHUNK_H

#include "ads_id.h"

/* An ad that changed. */
struct snap_change {
    struct ads_uuid id;
    uint64_t n; /* by which change; 0: none, its sale ended */
};

/*
 * Puts those to take first and returns how many: all when there are no more
 * than `max`; else those of changes of at most `max` ads each, and `max` of the
 * others, of the earliest change first.
 */
uint32_t
snap_chunk_take(struct snap_change *changes, uint32_t n, uint32_t max);

/* The least and the greatest change that the ads are of; none: 0 and 0. */
void
snap_chunk_range(const struct snap_change *changes, uint32_t n, uint64_t *least,
                 uint64_t *greatest);

#endif
