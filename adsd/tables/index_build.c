/*
 * Builds the inverted index: reads the words, orders the documents, writes the
 * sections.  Similar products get neighbouring numbers (head noun, then title),
 * so that few windows of the postings hold all good candidates.
 */
#include "tables/index_build.h"

#include <assert.h>
#include <stdlib.h>

#include "ads_match.h"
#include "base/pool.h"
#include "tables/index_parts.h"

#define SPLIT_RARER 1 /* two words may be 2^n times rarer than the one */


/* ---- the order of documents ---------------------------------------------- */

struct place {
    uint32_t doc;
    uint32_t head; /* stem of the head noun */
    size_t title;  /* its stems in `stems`, n of them */
    uint32_t n;
    const uint32_t *stems;
};


static int
place_compare(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    uint32_t n = one->n < other->n ? one->n : other->n;

    if (one->head != other->head) {
        return one->head < other->head ? -1 : 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = one->stems[one->title + i];
        uint32_t y = other->stems[other->title + i];

        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    if (one->n != other->n) {
        return one->n < other->n ? -1 : 1;
    }
    return one->doc < other->doc ? -1 : one->doc > other->doc;
}


/* Where the stems are in titles, while it is counted. */
struct heads {
    uint32_t *titles; /* by stem */
    uint32_t *heads;
};


static void
heads_count(struct heads *count, const struct index_title *title)
{
    for (uint32_t i = 0; i < title->n; i++) {
        if (title->terms[i] != ADS_INDEX_NONE) {
            count->titles[title->terms[i]]++;
            count->heads[title->terms[i]] +=
                i < 32 && (title->head >> i & 1) != 0;
        }
    }
}


/* Moves the counts into the vocabulary, as shares. */
static void
heads_take(struct heads *count, struct index_vocabulary *v)
{
    v->heads = xcalloc((size_t)v->stems.n + 1, sizeof(*v->heads));
    for (uint32_t i = 0; i < v->stems.n; i++) {
        if (count->titles[i] > 0) {
            v->heads[i] =
                (uint8_t)((uint64_t)255 * count->heads[i] / count->titles[i]);
        }
    }
    free(count->titles);
    free(count->heads);
}


/* The order of the documents; the heads of the vocabulary are counted on the
 * way. */
static uint32_t *
order_new(struct index_vocabulary *v, const struct index_tokens *tokens)
{
    struct heads count = {
        .titles = xcalloc((size_t)v->stems.n + 1, sizeof(uint32_t)),
        .heads = xcalloc((size_t)v->stems.n + 1, sizeof(uint32_t))};
    uint32_t n = tokens->n_docs;
    uint32_t *order = xcalloc((size_t)n + 1, sizeof(*order));
    struct place *places = xcalloc((size_t)n + 1, sizeof(*places));
    uint32_t *stems = xcalloc(tokens->n + 1, sizeof(*stems));
    size_t used = 0;

    for (uint32_t doc = 0; doc < n; doc++) {
        struct index_title title;

        index_title_read(v, tokens, doc, &title);
        heads_count(&count, &title);
        places[doc] = (struct place){.doc = doc,
                                     .head = ADS_INDEX_NONE,
                                     .title = used,
                                     .n = title.n,
                                     .stems = stems};
        if (title.head != 0) {
            places[doc].head = title.terms[31 - __builtin_clz(title.head)];
        }
        memcpy(stems + used, title.terms, title.n * sizeof(*stems));
        used += title.n;
    }

    heads_take(&count, v);
    qsort(places, n, sizeof(*places), place_compare);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = places[i].doc;
    }
    free(places);
    free(stems);
    return order;
}


/* ---- splits -------------------------------------------------------------- */

/* Titles write the two words at least half as often as products have the one:
 * else "bathroom" would find every room with a bath. */
static bool
split_is_common(const struct ads_index *index, uint32_t word,
                const struct ads_index_split *split)
{
    uint32_t term = ads_index_word_term(index, word);
    uint32_t often = ads_index_pair_find(index, split->first, split->second);

    return 1u << often << SPLIT_RARER >= index->terms[term].n;
}


/* Finds, with the index as far as it is written, which words are also written
 * as two ("showerhead"). */
static void
splits_write(struct index_block *block, struct index_counts *counts)
{
    struct ads_index index;
    enum ads_err err;
    struct index_block found = {0};
    uint64_t len;

    index_block_begin(block, ADS_INDEX_SPLITS);
    index_block_end(block, ADS_INDEX_SPLITS);
    len = block->len;
    memcpy(block->bytes + 8, &len, sizeof(len));
    err = ads_index_open(block->bytes, block->len, &index);
    assert(err == ADS_OK);
    (void)err;

    for (uint32_t word = 0; !counts->supplement && word < index.n_words; word++)
    {
        struct ads_index_split split;

        if (ads_match_split(&index, ads_index_word_peek(&index, word), &split)
            && split_is_common(&index, word, &split))
        {
            split.word = word;
            index_block_add(&found, &split, sizeof(split));
            counts->n_splits++;
        }
    }
    index_block_begin(block, ADS_INDEX_SPLITS);
    index_block_add(block, found.bytes, found.len);
    index_block_end(block, ADS_INDEX_SPLITS);
    free(found.bytes);
}


/* ---- all of it ----------------------------------------------------------- */

static void
header_write(struct index_block *block, const struct index_counts *counts,
             uint32_t n_docs)
{
    uint32_t words[8] = {ADS_INDEX_MAGIC,
                         ADS_INDEX_ORDER_MARK << 16 | ADS_INDEX_VERSION};
    uint8_t bits[4] = {counts->window_bits, counts->hash_bits,
                       counts->pair_bits, counts->spell_bits};
    uint64_t len = block->len;
    uint32_t rest[5] = {n_docs, counts->n_terms, counts->n_words,
                        counts->n_dense, counts->n_windows};
    uint32_t tail[2] = {counts->n_splits, 0};

    memcpy(block->bytes, words, 8);
    memcpy(block->bytes + 8, &len, sizeof(len));
    memcpy(block->bytes + 16, rest, sizeof(rest));
    memcpy(block->bytes + 36, bits, sizeof(bits));
    memcpy(block->bytes + 40, tail, sizeof(tail));
}


/* Whose statistics count. */
static void
counts_init(struct index_counts *counts, const struct index_input *input,
            const struct index_vocabulary *vocabulary,
            const struct index_tokens *tokens)
{
    const struct ads_doc_words *stats = input->supplements;

    *counts = (struct index_counts){.supplement = stats != NULL,
                                    .n_counted = input->n};
    if (stats == NULL) {
        index_means_read(vocabulary, tokens, counts->mean);
    } else {
        counts->n_counted = stats->n_counted;
        memcpy(counts->mean, stats->mean, sizeof(counts->mean));
    }
}


void
index_build_from(const struct index_input *input, struct index_image *image)
{
    struct index_vocabulary vocabulary;
    struct index_tokens tokens;
    struct index_block block = {0};
    struct index_counts counts;

    assert(input->n <= ADS_INDEX_DOCS_MAX);
    *image = (struct index_image){0};
    index_words_read(&vocabulary, &tokens, input);
    counts_init(&counts, input, &vocabulary, &tokens);
    image->order = order_new(&vocabulary, &tokens);

    index_block_add(&block, NULL, ADS_INDEX_HEAD_LEN);
    index_postings_write(&block, &counts, &vocabulary, &tokens, image->order);
    index_words_write(&block, &counts, &vocabulary);
    index_titles_write(&block, &counts, &vocabulary, &tokens, image->order);
    index_spell_write(&block, &counts, &vocabulary);
    if (input->keep_tokens) {
        index_tokens_write(image, &counts, &vocabulary, &tokens, image->order);
    }
    index_words_free(&vocabulary, &tokens);

    header_write(&block, &counts, input->n);
    splits_write(&block, &counts);
    header_write(&block, &counts, input->n);

    image->bytes = block.bytes;
    image->len = block.len;
}


void
index_build(const struct index_doc *docs, uint32_t n, struct index_image *image)
{
    index_build_from(&(struct index_input){.docs = docs, .n = n}, image);
}
