/*
 * Tokens of the indexed ads: their words as numbers, from which the next index
 * is built without reading a text again.  A section of the ad tables next to
 * the index, whose words and terms it refers to; written and read by adsd
 * alone, workers never touch it.
 *
 * All integers are little-endian; 8-byte aligned.  Layout, version 1:
 *
 *   offset size
 *        0    4  magic "ATOK"
 *        4    4  version, 1; a reader refuses any other
 *        8    4  n_docs, as of the index
 *       12    4  n_terms, likewise
 *       16    4  n_words, likewise
 *       20    4  documents that the statistics below were counted over
 *       24    8  n_tokens
 *       32   32  u64 mean[4]: mean words of title, brand, category and
 *                description over the ads that have it, x 256
 *       64       u64 start[n_docs + 1]: of each document's tokens
 *                u32 tokens[n_tokens]
 *                u32 stem[n_terms]: the word that the term's stem is
 *                u8 kind[n_words]: enum ads_text_kind
 *
 * A token is the number of a word in bits 0 to 21 (all ones: a stop word of a
 * title), the field in 22 and 23, and in 24 whether a phrase ended before it.
 * Fields are in that order, words as they are written.
 */
#ifndef ADS_DOC_WORDS_H
#define ADS_DOC_WORDS_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_DOC_WORDS_MAGIC 0x4b4f5441u /* "ATOK" */
#define ADS_DOC_WORDS_VERSION 1
#define ADS_DOC_WORDS_HEAD_LEN 64
#define ADS_DOC_WORDS_FIELDS 4

#define ADS_TOKEN_WORD 0x3fffffu
#define ADS_TOKEN_STOP ADS_TOKEN_WORD
#define ADS_TOKEN_FIELD_SHIFT 22
#define ADS_TOKEN_BREAK (1u << 24)

struct ads_doc_words {
    uint32_t n_docs;
    uint32_t n_terms;
    uint32_t n_words;
    uint32_t n_counted;
    uint64_t n_tokens;
    uint64_t mean[ADS_DOC_WORDS_FIELDS];
    const uint64_t *start;
    const uint32_t *tokens;
    const uint32_t *stem;
    const uint8_t *kind;
};

/* The length of a section with these counts. */
uint64_t
ads_doc_words_measure(const struct ads_doc_words *tokens);

/* Writes the counts to the beginning of `dst`; what follows is the caller's. */
void
ads_doc_words_head_write(uint8_t *dst, const struct ads_doc_words *tokens);

/*
 * Opens a section: `bytes`, 8-byte aligned, are borrowed.  ADS_UNSUPPORTED,
 * ADS_DAMAGED.  Every start, word and stem is checked here to lead inside.
 */
ADS_MUST enum ads_err
ads_doc_words_open(struct ads_doc_words *tokens, const void *bytes,
                   uint64_t len);

#endif
