/*
 * Builds the inverted index of the ad tables (layout: core/ads_index.h) from
 * the texts of products.  The same products in the same order give the same
 * bytes on any machine: there are no floats, clocks or addresses in it.
 */
#ifndef ADSD_INDEX_BUILD_H
#define ADSD_INDEX_BUILD_H

#include "ads_index.h"
#include "ads_tokens.h"

/* The texts of a product; absent ones have length 0.  A category path is one
 * text, its parts separated by anything that is not a letter or digit. */
struct index_doc {
    struct ads_str title;
    struct ads_str brand;
    struct ads_str category;
    struct ads_str description;
    size_t kinds_at; /* words of its kinds, in index_input.kinds: each begins */
    size_t kinds_len; /* with = and ends before a space */
    uint32_t source;  /* 0: these texts; else the kept words of document `doc`
                        of sources[source - 1] */
    uint32_t doc;
};

/* An index with the kept words of its documents. */
struct index_source {
    const struct ads_index *index;
    const struct ads_tokens *tokens;
};

struct index_input {
    const struct index_doc *docs;
    uint32_t n;
    const struct index_source *sources;
    uint32_t n_sources;
    /* not NULL: a supplement to the index with these statistics, which count
     * here, too; it has no pairs, spelling and splits of its own */
    const struct ads_tokens *supplements;
    const char *kinds; /* or NULL, when no document has any */
    bool keep_tokens;
};

struct index_image {
    uint8_t *bytes; /* free() */
    size_t len;
    uint32_t *order; /* free(); order[document number] = position in docs */
    uint8_t *tokens; /* free(); NULL unless asked for: core/ads_tokens.h */
    size_t tokens_len;
    const uint32_t *stem; /* in `tokens`: of each term the word that is it */
};

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
