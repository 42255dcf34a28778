/*
 * Growing block of bytes for an index (layout: core/ads_index.h): section after
 * section, each 8-byte aligned.
 */
#ifndef ADSD_INDEX_BLOCK_H
#define ADSD_INDEX_BLOCK_H

#include "ads_index.h"

/* All zeros is an empty one; its maker frees the bytes. */
struct index_block {
    uint8_t *bytes;
    size_t len;
    size_t size;
};

/* Appends n bytes (zeros when `bytes` is NULL) and returns their offset. */
size_t
index_block_add(struct index_block *block, const void *bytes, size_t n);

/* Begins and ends a section: the offset and the length go to the header. */
void
index_block_begin(struct index_block *block, enum ads_index_section section);
void
index_block_end(struct index_block *block, enum ads_index_section section);

#endif
