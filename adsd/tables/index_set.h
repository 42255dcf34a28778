/*
 * String sets, each string with a number: the vocabularies of the index and of
 * the ontology of goods.
 */
#ifndef ADSD_INDEX_SET_H
#define ADSD_INDEX_SET_H

#include "ads_bytes.h"

/* Distinct byte strings, numbered from 0 in the order they came. */
struct index_set {
    char *bytes;
    size_t len;
    size_t size;
    uint32_t *start; /* n + 1 */
    uint64_t *hash;  /* ads_index_hash() of each */
    uint32_t n;
    uint32_t room;
    uint32_t *slots; /* 0 or number + 1 */
    uint32_t bits;
};

/* The number of the string, which is added when it is new.  ADS_INDEX_NONE
 * when it is new and there are `max` already. */
uint32_t
index_set_put(struct index_set *set, struct ads_str bytes, uint32_t max);

/* The same of a string of another set, which need not be hashed again. */
uint32_t
index_set_put_from(struct index_set *set, const struct index_set *other,
                   uint32_t number, uint32_t max);

void
index_set_free(struct index_set *set);

struct ads_str
index_set_peek(const struct index_set *set, uint32_t number);

#endif
