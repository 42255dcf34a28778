/*
 * Builder of the inverted index of the ad tables (layout: core/ads_index.h)
 * from the texts of products.  The same products in the same order give the
 * same bytes on any machine: there are no floats, clocks or addresses in it.
 */
#ifndef ADSD_INDEX_BUILD_H
#define ADSD_INDEX_BUILD_H

#include "tables/index_input.h"

/*
 * Builds the index of products of which the words of some may be kept ones.
 * Whether they are changes no byte of it.
 */
void
index_build_from(const struct index_input *input, struct index_image *image);

/*
 * Builds the index of n (at most ADS_INDEX_DOCS_MAX) products; the texts are
 * only read.  Documents are numbered by head noun, then title.  The caller
 * frees both parts of *image.  Out of memory ends the process.
 */
void
index_build(const struct index_doc *docs, uint32_t n,
            struct index_image *image);

#endif
