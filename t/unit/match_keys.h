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
keys_of(struct ads_match_candidate *items, uint32_t n,
        uint32_t keys[ADS_MATCH_DEPTH])
{
    qsort(items, n, sizeof(*items), key_compare);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = items[i].key;
    }
    return n;
}

#endif
