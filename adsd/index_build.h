/*
 * Builds the inverted index of the ad tables (layout: core/ads_index.h) from
 * the texts of products.  The same products in the same order give the same
 * bytes on any machine: there are no floats, clocks or addresses in it.
 */
#ifndef ADSD_INDEX_BUILD_H
#define ADSD_INDEX_BUILD_H

#include "ads_bytes.h"

/* The texts of a product; absent ones have length 0.  A category path is one
 * text, its parts separated by anything that is not a letter or digit. */
struct index_doc {
    struct ads_str title;
    struct ads_str brand;
    struct ads_str category;
    struct ads_str description;
};

struct index_image {
    uint8_t *bytes; /* free() */
    size_t len;
    uint32_t *order; /* free(); order[document number] = position in docs */
};

/*
 * Builds the index of n (at most ADS_INDEX_DOCS_MAX) products; the texts are
 * only read.  Documents are numbered by head noun, then title.  The caller
 * frees both parts of *image.  Out of memory ends the process.
 */
void
index_build(const struct index_doc *docs, uint32_t n,
            struct index_image *image);

#endif
