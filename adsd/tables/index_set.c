/*
 * Hash set of strings: open addressing over one growing block of bytes.
 */
#include "tables/index_set.h"

#include <stdlib.h>

#include "ads_index.h"
#include "base/pool.h"

#define SET_BITS_MIN 12


struct ads_str
index_set_peek(const struct index_set *set, uint32_t number)
{
    return (struct ads_str){.ptr = set->bytes + set->start[number],
                            .len = set->start[number + 1] - set->start[number]};
}


void
index_set_free(struct index_set *set)
{
    free(set->bytes);
    free(set->start);
    free(set->hash);
    free(set->slots);
}


/* Doubles the slots. */
static void
set_spread(struct index_set *set)
{
    uint32_t mask;

    set->bits = set->bits == 0 ? SET_BITS_MIN : set->bits + 1;
    mask = ((uint32_t)1 << set->bits) - 1;
    free(set->slots);
    set->slots = xcalloc((size_t)mask + 1, sizeof(*set->slots));
    for (uint32_t i = 0; i < set->n; i++) {
        uint32_t slot = (uint32_t)(set->hash[i] >> (64 - set->bits));

        while (set->slots[slot & mask] != 0) {
            slot++;
        }
        set->slots[slot & mask] = i + 1;
    }
}


/* Makes room for one more string of len bytes, also of none. */
static void
set_grow(struct index_set *set, size_t len)
{
    if (set->len + len >= set->size) {
        set->size = 2 * set->size + len + 4096;
        set->bytes = xrealloc(set->bytes, set->size);
    }
    if (set->n + 2 > set->room) {
        set->room = 2 * set->room + 1024;
        set->start = xrealloc(set->start, set->room * sizeof(*set->start));
        set->hash = xrealloc(set->hash, set->room * sizeof(*set->hash));
    }
    if (set->bits == 0 || set->n >= (uint32_t)1 << (set->bits - 1)) {
        set_spread(set);
    }
}


static uint32_t
set_put(struct index_set *set, struct ads_str bytes, uint64_t hash,
        uint32_t max)
{
    uint32_t slot, mask;

    set_grow(set, bytes.len);
    mask = ((uint32_t)1 << set->bits) - 1;
    slot = (uint32_t)(hash >> (64 - set->bits));
    for (; set->slots[slot & mask] != 0; slot++) {
        uint32_t number = set->slots[slot & mask] - 1;

        if (set->hash[number] == hash
            && ads_str_equal(index_set_peek(set, number), bytes))
        {
            return number;
        }
    }
    if (set->n >= max) {
        return ADS_INDEX_NONE;
    }

    memcpy(set->bytes + set->len, bytes.ptr, bytes.len);
    set->start[set->n] = (uint32_t)set->len;
    set->hash[set->n] = hash;
    set->len += bytes.len;
    set->slots[slot & mask] = ++set->n;
    set->start[set->n] = (uint32_t)set->len;
    return set->n - 1;
}


uint32_t
index_set_put(struct index_set *set, struct ads_str bytes, uint32_t max)
{
    return set_put(set, bytes, ads_index_hash(bytes.ptr, bytes.len), max);
}


uint32_t
index_set_put_from(struct index_set *set, const struct index_set *other,
                   uint32_t number, uint32_t max)
{
    return set_put(set, index_set_peek(other, number), other->hash[number],
                   max);
}
