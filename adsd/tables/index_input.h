/*
 * Input and output of the index builder (index_build.h): texts of products or
 * the words kept of them, and what comes out.
 */
#ifndef ADSD_INDEX_INPUT_H
#define ADSD_INDEX_INPUT_H

#include "ads_index.h"
#include "ads_doc_words.h"

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
    const struct ads_doc_words *tokens;
};

struct index_input {
    const struct index_doc *docs;
    uint32_t n;
    const struct index_source *sources;
    uint32_t n_sources;
    /* not NULL: a supplement to the index with these statistics, which count
     * here, too; it has no pairs, spelling and splits of its own */
    const struct ads_doc_words *supplements;
    const char *kinds; /* or NULL, when no document has any */
    bool keep_tokens;
};

struct index_image {
    uint8_t *bytes; /* free() */
    size_t len;
    uint32_t *order; /* free(); order[document number] = position in docs */
    uint8_t *tokens; /* free(); NULL unless asked for: core/ads_doc_words.h */
    size_t tokens_len;
    const uint32_t *stem; /* in `tokens`: of each term the word that is it */
};

#endif
