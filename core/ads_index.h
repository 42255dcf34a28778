/*
 * Inverted index of the products: one block of bytes, offsets only, in the ad
 * tables.  Written by adsd/tables/index_build.c, read here and nowhere else.
 *
 * All integers are little-endian.  The block starts 8-byte aligned, and so
 * does each section.  Layout, version 1:
 *
 *   offset size
 *        0    4  magic "AIDX"
 *        4    2  version, 1; a reader refuses any other
 *        6    2  byte order mark 0x0102
 *        8    8  length of the block
 *       16    4  n_docs, documents; numbered 0 .. n_docs - 1
 *       20    4  n_terms, below 2^24
 *       24    4  n_words, below 2^22
 *       28    4  n_dense: terms 0 .. n_dense - 1 have windowed postings
 *       32    4  n_windows = ceil(n_docs / window)
 *       36    1  window_bits: a window is 2^window_bits documents, 8 to 16
 *       37    1  hash_bits: 2^hash_bits slots in HASH
 *       38    1  pair_bits: 2^pair_bits slots in PAIRS
 *       39    1  spell_bits: 2^spell_bits buckets in SPELL
 *       40    4  n_splits
 *       44    4  zero
 *       48 16xS  section table: u64 offset from the start, u64 length; S = 12,
 *                in the order of enum ads_index_section
 *
 *   TERMS     n_terms x { u32 start; u32 n; u8 idf; u8 max; u8 heads;
 *             u8 zero }.
 *             Terms are numbered by falling number of documents n.  start is
 *             the byte in POSTINGS.  idf is log2(1 + (N - n + .5) / (n + .5))
 *             x 12, 1 to 255.  max is the highest impact.
 *             heads is the share of the titles with the term, of 255, whose
 *             head noun it is.
 *   WINDOWS   n_dense x (n_windows + 1) x u32: postings of the term before
 *             each window; the last is n.
 *   MAXES     n_dense x n_windows x u8: highest impact within each window.
 *   POSTINGS  dense term: for each window its k postings as u16 low[k];
 *             u8 impact[k], low being the document's number in the window,
 *             rising.  Other terms: u32 doc[n], rising; u8 impact[n].
 *             Impacts are 1 to 255.
 *   HASH      2^hash_bits x u32: 0, or word number + 1; open addressing from
 *             the top hash_bits bits of ads_index_hash, linear, at most
 *             ADS_INDEX_PROBES slots.
 *   WORDS     (n_words + 1) x { u32 string; u32 term }: where its bytes start
 *             in STRINGS (they end where the next word's start) and its term.
 *             Words are the folded forms seen in products, and stems that are
 *             not such a form themselves.
 *   STRINGS   the bytes of the words.
 *   TITLES    (n_docs + 1) x u32: where a title starts in PLACES, in units of
 *             4 bytes.
 *   PLACES    per title { u8 n; u8 n_words; u16 zero; u32 head;
 *             u32 term[n] }: the terms of up to ADS_INDEX_TITLE words in their
 *             order, stop words left out as gaps (ADS_INDEX_NONE).  n_words
 *             counts those that are none.  The attributes that all texts of
 *             the product say stand behind them.  head: bits of the places
 *             (of the first 32) that are a head noun.
 *   PAIRS     2^pair_bits x u32: neighbours in titles.  0, or the low 28 bits
 *             of ads_index_pair_hash as bits 4 to 31, never 0, and in bits 0
 *             to 3 log2 of the number of titles, 15 at most; open addressing
 *             from the top bits, linear, at most ADS_INDEX_PROBES slots.
 *   SPELL     (2^spell_bits + 1) x u32 bucket starts, then the entries: u32
 *             each, word number << 10 | 10 bits of the key's hash.  A word's
 *             keys are what is left of it after 0, 1 or (from 6 letters on)
 *             2 letters are taken out.
 *   SPLITS    n_splits x { u32 word; u32 first; u32 second }, word rising:
 *             a word and the two terms it is also written as.
 */
#ifndef ADS_INDEX_H
#define ADS_INDEX_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_INDEX_MAGIC 0x58444941u /* "AIDX" */
#define ADS_INDEX_VERSION 1
#define ADS_INDEX_ORDER_MARK 0x0102
#define ADS_INDEX_HEADER_LEN 48

#define ADS_INDEX_NONE 0xffffffffu
#define ADS_INDEX_NOWHERE 0xfffffffeu /* a term that no document has */
#define ADS_INDEX_TERMS_MAX (1u << 24)
#define ADS_INDEX_WORDS_MAX (1u << 22)
#define ADS_INDEX_DOCS_MAX (1u << 28)
#define ADS_INDEX_PROBES 64
/* What the words of facts begin with: =laptop-bag, @acme, +wireless. */
#define ADS_INDEX_FACT_MAX 64 /* bytes behind the mark */
#define ADS_INDEX_KIND '='
#define ADS_INDEX_BRAND '@'
#define ADS_INDEX_ATTRIBUTE '+'

#define ADS_INDEX_TITLE 60
#define ADS_INDEX_PLACES_HEAD 8 /* bytes before the terms of a title */
#define ADS_INDEX_SPELL_MAX 20  /* letters of a word that can be corrected */
#define ADS_INDEX_SPELL_FAR 6   /* letters from which on two may differ */

enum ads_index_section {
    ADS_INDEX_TERMS,
    ADS_INDEX_WINDOWS,
    ADS_INDEX_MAXES,
    ADS_INDEX_POSTINGS,
    ADS_INDEX_HASH,
    ADS_INDEX_WORDS,
    ADS_INDEX_STRINGS,
    ADS_INDEX_TITLES,
    ADS_INDEX_PLACES,
    ADS_INDEX_PAIRS,
    ADS_INDEX_SPELL,
    ADS_INDEX_SPLITS,
    ADS_INDEX_SECTIONS
};

#define ADS_INDEX_HEAD_LEN (ADS_INDEX_HEADER_LEN + 16 * ADS_INDEX_SECTIONS)

struct ads_index_term {
    uint32_t start;
    uint32_t n;
    uint8_t idf;
    uint8_t max;
    uint8_t heads;
    uint8_t zero;
};

struct ads_index_word {
    uint32_t string;
    uint32_t term;
};

struct ads_index_split {
    uint32_t word;
    uint32_t first;
    uint32_t second;
};

/* A term of an index and the same one of the index attached to it. */
struct ads_index_link {
    uint32_t term;
    uint32_t more;
};

/* An opened index: pointers into the caller's bytes and the checked counts.
 * Section lengths agree with the counts; what they hold is not yet checked. */
struct ads_index {
    uint32_t n_docs;
    uint32_t n_terms;
    uint32_t n_words;
    uint32_t n_dense;
    uint32_t n_windows;
    uint32_t n_splits;
    uint8_t window_bits;
    uint8_t hash_bits;
    uint8_t pair_bits;
    uint8_t spell_bits;
    const struct ads_index_term *terms;
    const uint32_t *windows;
    const uint8_t *maxes;
    const uint8_t *postings;
    uint64_t postings_len;
    const uint32_t *hash;
    const struct ads_index_word *words;
    const char *strings;
    uint64_t strings_len;
    const uint32_t *titles;
    const uint32_t *places;
    uint64_t n_places; /* in units of 4 bytes */
    const uint32_t *pairs;
    const uint32_t *buckets;
    const uint32_t *spell;
    uint64_t n_spell;
    const struct ads_index_split *splits;

    /* what ads_index_attach() put beside it */
    const struct ads_index *more; /* NULL: nothing */
    const uint32_t *shared;       /* by term of more */
    const struct ads_index_link *links;
    uint32_t n_links;
    const uint8_t *dead;
    uint32_t n_dead; /* documents that dead has bits for */
};

/* The title of a document: n terms and its head nouns. */
struct ads_index_title {
    const uint32_t *terms;
    uint32_t n;
    uint32_t n_words; /* n without the gaps */
    uint32_t head;
};

/*
 * Opens an index that lies in `bytes` (8-byte aligned, borrowed as long as
 * *index is used).  Reads the header and section table only.
 * ADS_UNSUPPORTED: another magic, version or byte order.  ADS_DAMAGED: a
 * length, count or offset does not fit.
 */
ADS_MUST enum ads_err
ads_index_open(const void *bytes, size_t len, struct ads_index *index);

/*
 * Puts a smaller index beside an opened one, of documents that changed since it
 * was built; the two are then searched as one.  Its documents are numbered
 * behind those here, as are its words, and its terms behind n_terms where
 * shared[] does not say (below n_terms) which term here is the same.  `links`
 * says that again, by rising term.  Documents whose bit is set in `dead` (NULL:
 * none) are not found any more.  All is borrowed; `more` NULL: dead alone.
 */
void
ads_index_attach(struct ads_index *index, const struct ads_index *more,
                 const uint32_t *shared, const struct ads_index_link *links,
                 uint32_t n_links);
void
ads_index_bury(struct ads_index *index, const uint8_t *dead, uint64_t len);

/* A term that ads_index_word_term() gave, of either. */
static inline const struct ads_index_term *
ads_index_term_peek(const struct ads_index *index, uint32_t term)
{
    return term < index->n_terms ? &index->terms[term]
                                 : &index->more->terms[term - index->n_terms];
}

/* The number in the attached index of such a term; ADS_INDEX_NOWHERE when it
 * has none. */
uint32_t
ads_index_term_more(const struct ads_index *index, uint32_t term);

/* The word with these folded bytes, or ADS_INDEX_NONE. */
uint32_t
ads_index_word_find(const struct ads_index *index, struct ads_str bytes);

/* The word that stands for a fact of products, `mark` being ADS_INDEX_KIND,
 * _BRAND or _ATTRIBUTE, or ADS_INDEX_NONE: none has it, or it is too long to be
 * one. */
uint32_t
ads_index_fact_find(const struct ads_index *index, char mark,
                    struct ads_str bytes);

/* The bytes of a word, borrowed; empty when the number means nothing. */
struct ads_str
ads_index_word_peek(const struct ads_index *index, uint32_t word);

/* The term of a word, or ADS_INDEX_NONE. */
uint32_t
ads_index_word_term(const struct ads_index *index, uint32_t word);

/* How often two terms are neighbours in titles, in that order: 0 never or
 * once, else 1 + log2 of the number of titles, 16 at most. */
uint32_t
ads_index_pair_find(const struct ads_index *index, uint32_t first,
                    uint32_t second);

/* The title of a document, borrowed; n is 0 when there is none. */
struct ads_index_title
ads_index_title_peek(const struct ads_index *index, uint32_t doc);

/* Asks the processor for the title of a document, so that a peek soon after
 * does not wait. */
void
ads_index_title_prefetch(const struct ads_index *index, uint32_t doc);

/* The two terms a word is also written as; false when there are none. */
bool
ads_index_split_find(const struct ads_index *index, uint32_t word,
                     struct ads_index_split *split);

/* The hash of a word's bytes, of a spelling key and of a pair of terms: part
 * of the layout, shared with the builder. */
uint64_t
ads_index_hash(const char *bytes, size_t len);
uint64_t
ads_index_pair_hash(uint32_t first, uint32_t second);

#endif
