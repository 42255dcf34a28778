/*
 * The keys that a run of the match kept, to compare runs by.  Included behind
 * core/ads_match.c, whose scratch it looks into.
 */
#ifndef T_MATCH_KEYS_H
#define T_MATCH_KEYS_H

#include <stdlib.h>

static inline int
key_compare(const void *a, const void *b)
{
    const struct ads_match_candidate *one = a, *other = b;

    return one->key > other->key ? -1 : one->key < other->key;
}


/* Best first; how many. */
static inline uint32_t
keys_of(struct ads_match_keep *keep, uint32_t keys[ADS_MATCH_DEPTH])
{
    qsort(keep->items, keep->n, sizeof(*keep->items), key_compare);
    for (uint32_t i = 0; i < keep->n; i++) {
        keys[i] = keep->items[i].key;
    }
    return keep->n;
}

#endif
