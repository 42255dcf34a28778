/*
 * Appends to a block of bytes that grows by doubling; out of memory ends the
 * process.
 */
#include "tables/index_block.h"

#include "base/pool.h"


size_t
index_block_add(struct index_block *block, const void *bytes, size_t n)
{
    size_t at = block->len;

    if (at + n > block->size) {
        block->size = 2 * block->size + n + 65536;
        block->bytes = xrealloc(block->bytes, block->size);
    }
    if (bytes == NULL) {
        memset(block->bytes + at, 0, n);
    } else {
        memcpy(block->bytes + at, bytes, n);
    }
    block->len += n;
    return at;
}


void
index_block_begin(struct index_block *block, enum ads_index_section section)
{
    uint64_t at;

    index_block_add(block, NULL, -block->len & 7);
    at = block->len;
    memcpy(block->bytes + ADS_INDEX_HEADER_LEN + 16 * section, &at, sizeof(at));
}


void
index_block_end(struct index_block *block, enum ads_index_section section)
{
    uint8_t *entry = block->bytes + ADS_INDEX_HEADER_LEN + 16 * section;
    uint64_t at, len;

    memcpy(&at, entry, sizeof(at));
    len = block->len - at;
    memcpy(entry + 8, &len, sizeof(len));
}
