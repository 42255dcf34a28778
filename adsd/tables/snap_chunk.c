/*
 * Selects the changed ads of the next head.
 */
#include "tables/snap_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"


static int
by_change(const void *a, const void *b)
{
    const struct snap_change *one = a, *other = b;

    if (one->n != other->n) {
        return one->n < other->n ? -1 : 1;
    }
    return memcmp(&one->id, &other->id, sizeof(one->id));
}


/* How many from there on are of the same change. */
static uint32_t
group_len(const struct snap_change *changes, uint32_t n)
{
    uint32_t len = 1;

    while (len < n && changes[len].n == changes[0].n) {
        len++;
    }
    return len;
}


uint32_t
snap_chunk_take(struct snap_change *changes, uint32_t n, uint32_t max)
{
    struct snap_change *bulk;
    uint32_t n_bulk = 0, n_small = 0, len;

    if (n <= max) {
        return n;
    }

    qsort(changes, n, sizeof(*changes), by_change);
    bulk = xcalloc(n, sizeof(*bulk));
    for (uint32_t i = 0; i < n; i += len) {
        len = group_len(changes + i, n - i);
        if (len > max && changes[i].n != 0) {
            memcpy(bulk + n_bulk, changes + i, len * sizeof(*bulk));
            n_bulk += len;
        } else {
            memmove(changes + n_small, changes + i, len * sizeof(*changes));
            n_small += len;
        }
    }
    memcpy(changes + n_small, bulk, n_bulk * sizeof(*bulk));
    free(bulk);
    return n_small + (n_bulk < max ? n_bulk : max);
}


void
snap_chunk_range(const struct snap_change *changes, uint32_t n, uint64_t *least,
                 uint64_t *greatest)
{
    *least = n > 0 ? changes[0].n : 0;
    *greatest = *least;
    for (uint32_t i = 1; i < n; i++) {
        if (changes[i].n < *least) {
            *least = changes[i].n;
        }
        if (changes[i].n > *greatest) {
            *greatest = changes[i].n;
        }
    }
}
