/*
 * State that the parts of the index builder share: the vocabulary and the
 * products as word numbers.  Included by index_*.c alone.
 */
#ifndef ADSD_INDEX_PARTS_H
#define ADSD_INDEX_PARTS_H

#include "ads_index.h"
#include "ads_text.h"
#include "ads_doc_words.h"
#include "tables/index_block.h"
#include "tables/index_input.h"
#include "tables/index_set.h"

enum index_field {
    INDEX_TITLE,
    INDEX_BRAND,
    INDEX_CATEGORY,
    INDEX_DESCRIPTION,
    INDEX_FIELDS
};

struct index_vocabulary {
    struct index_set words;
    struct index_set stems;
    uint32_t *term;  /* of a word; ADS_INDEX_NONE: a stop word */
    uint32_t *docs;  /* products that have the word */
    uint32_t *last;  /* the last of them, + 1 */
    uint8_t *kind;   /* enum ads_text_kind */
    uint32_t room;   /* of the four arrays */
    uint8_t *heads;  /* of a stem: in how many of its titles, of 255, it is the
                        head noun */
    uint32_t *rank;  /* stem number -> term number of the index */
    uint32_t *final; /* word -> word number of the index */
    uint32_t *stem;  /* term number of the index -> word number of its stem */
};

/* The tokens are those of core/ads_doc_words.h, with word numbers of the
 * vocabulary. */
struct index_tokens {
    uint32_t n_docs;
    uint32_t *tokens;
    size_t n;
    size_t room;
    size_t *start; /* n_docs + 1 */
};

/* The title of a product as it will lie in PLACES; terms are stem numbers. */
struct index_title {
    uint32_t n;
    uint32_t n_text; /* n without the attributes */
    uint32_t n_words;
    uint32_t head;
    uint32_t terms[ADS_INDEX_TITLE];
};

/* Reads all products, their texts or their kept words. */
void
index_words_read(struct index_vocabulary *vocabulary,
                 struct index_tokens *tokens, const struct index_input *input);

void
index_words_free(struct index_vocabulary *vocabulary,
                 struct index_tokens *tokens);

void
index_title_read(const struct index_vocabulary *vocabulary,
                 const struct index_tokens *tokens, uint32_t doc,
                 struct index_title *title);

/* TERMS, WINDOWS, MAXES and POSTINGS; fills vocabulary->rank. */
struct index_counts {
    uint32_t n_terms;
    uint32_t n_words;
    uint32_t n_dense;
    uint32_t n_windows;
    uint32_t n_splits;
    uint8_t window_bits;
    uint8_t hash_bits;
    uint8_t pair_bits;
    uint8_t spell_bits;
    bool supplement;    /* beside another: without pairs, spelling, splits */
    uint32_t n_counted; /* documents that idf is counted over */
    uint64_t mean[INDEX_FIELDS];
};

/* Mean words of each field over the products that have it, x 256. */
void
index_means_read(const struct index_vocabulary *v,
                 const struct index_tokens *tokens,
                 uint64_t mean[INDEX_FIELDS]);

void
index_postings_write(struct index_block *block, struct index_counts *counts,
                     struct index_vocabulary *vocabulary,
                     const struct index_tokens *tokens, const uint32_t *order);

/* HASH, WORDS and STRINGS; fills vocabulary->final. */
void
index_words_write(struct index_block *block, struct index_counts *counts,
                  struct index_vocabulary *vocabulary);

/* TITLES, PLACES and PAIRS. */
void
index_titles_write(struct index_block *block, struct index_counts *counts,
                   const struct index_vocabulary *vocabulary,
                   const struct index_tokens *tokens, const uint32_t *order);

/* The words of the products for a later build (core/ads_doc_words.h). */
void
index_tokens_write(struct index_image *image, const struct index_counts *counts,
                   const struct index_vocabulary *vocabulary,
                   const struct index_tokens *tokens, const uint32_t *order);

/* SPELL. */
void
index_spell_write(struct index_block *block, struct index_counts *counts,
                  const struct index_vocabulary *vocabulary);

#endif
