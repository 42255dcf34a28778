/*
 * Compiles terms and their postings: BM25F over the four fields, quantised to 8
 * bits.
 *
 *     impact = 255 x / (x + K),   x = sum over fields of
 *              weight x occurrences / (1 - B + B x length / mean length)
 *
 * in integers throughout, so that every machine builds the same bytes.
 */
#include "tables/index_parts.h"

#include <stdlib.h>

#include "base/pool.h"

#define WINDOW_BITS_SMALL 12
#define WINDOW_BITS_LARGE 10
#define DOCS_LARGE 400000 /* documents from which on windows are smaller */

#define UNIT 256 /* of weights and shares */

static const struct field {
    uint32_t weight;
    uint32_t length_share; /* B */
} fields[INDEX_FIELDS] = {
    [INDEX_TITLE] = {.weight = 5 * UNIT, .length_share = 0},
    [INDEX_BRAND] = {.weight = 1 * UNIT, .length_share = 0},
    [INDEX_CATEGORY] = {.weight = 2 * UNIT, .length_share = UNIT / 4},
    [INDEX_DESCRIPTION] = {.weight = 1 * UNIT, .length_share = UNIT / 2},
};

#define SATURATION (3 * UNIT / 2) /* K */
#define KIND_COUNT 1000 /* of a kind, as if the title had it as often */

/* A posting before it is sorted in: the stem number above, the impact below. */
#define ENTRY_IMPACT 0xffu
#define ENTRY_STEM_SHIFT 8

struct entries {
    uint32_t *entries;
    size_t n;
    size_t room;
    size_t *start; /* by document number, n_docs + 1 */
};

/* One product while it is counted. */
struct tally {
    uint32_t *slot; /* by stem: place in `stems` + 1, 0 outside a product */
    uint32_t n;
    uint32_t stems[4 * ADS_TEXT_WORDS_MAX];
    uint16_t count[4 * ADS_TEXT_WORDS_MAX][INDEX_FIELDS];
    uint32_t len[INDEX_FIELDS];
};


/* log2(a / b) x 65536 for a >= b > 0. */
static uint32_t
log2_ratio(uint64_t a, uint64_t b)
{
    uint32_t whole = 0, part = 0;
    uint64_t x;

    while (a >= 2 * b) {
        b *= 2;
        whole++;
    }
    x = (a << 31) / b; /* 1 <= x < 2, in 2^-31 */
    for (int i = 0; i < 16; i++) {
        x = x * x >> 31;
        part <<= 1;
        if (x >> 32 != 0) {
            part |= 1;
            x >>= 1;
        }
    }
    return whole << 16 | part;
}


static uint8_t
idf_of(uint32_t n_docs, uint32_t n)
{
    uint64_t bits = log2_ratio(2 * (uint64_t)n_docs + 2, 2 * (uint64_t)n + 1);
    uint64_t idf = (12 * bits + 32768) >> 16;

    return (uint8_t)(idf < 1 ? 1 : idf > 255 ? 255 : idf);
}


static void
tally_read(struct tally *tally, const struct index_vocabulary *v,
           const struct index_tokens *tokens, uint32_t doc)
{
    tally->n = 0;
    memset(tally->len, 0, sizeof(tally->len));
    for (size_t i = tokens->start[doc]; i < tokens->start[doc + 1]; i++) {
        uint32_t word = tokens->tokens[i] & ADS_TOKEN_WORD;
        uint32_t field = tokens->tokens[i] >> ADS_TOKEN_FIELD_SHIFT & 3;
        uint32_t stem, at;

        if (word == ADS_TOKEN_STOP) {
            continue;
        }
        stem = v->term[word];
        at = tally->slot[stem];
        if (at == 0) {
            at = ++tally->n;
            tally->slot[stem] = at;
            tally->stems[at - 1] = stem;
            memset(tally->count[at - 1], 0, sizeof(tally->count[at - 1]));
        }
        if (v->kind[word] == ADS_TEXT_KIND) { /* a fact, counted as such */
            tally->count[at - 1][INDEX_TITLE] = KIND_COUNT;
            continue;
        }
        tally->count[at - 1][field]++;
        tally->len[field]++;
    }
    for (uint32_t i = 0; i < tally->n; i++) {
        tally->slot[tally->stems[i]] = 0;
    }
}


void
index_means_read(const struct index_vocabulary *v,
                 const struct index_tokens *tokens, uint64_t mean[INDEX_FIELDS])
{
    uint64_t sum[INDEX_FIELDS] = {0}, docs[INDEX_FIELDS] = {0};

    for (uint32_t doc = 0; doc < tokens->n_docs; doc++) {
        uint32_t len[INDEX_FIELDS] = {0};

        for (size_t i = tokens->start[doc]; i < tokens->start[doc + 1]; i++) {
            uint32_t word = tokens->tokens[i] & ADS_TOKEN_WORD;

            len[tokens->tokens[i] >> ADS_TOKEN_FIELD_SHIFT & 3] +=
                word != ADS_TOKEN_STOP && v->kind[word] != ADS_TEXT_KIND;
        }
        for (int f = 0; f < INDEX_FIELDS; f++) {
            sum[f] += len[f];
            docs[f] += len[f] > 0;
        }
    }
    for (int f = 0; f < INDEX_FIELDS; f++) {
        mean[f] = sum[f] == 0 ? UNIT : sum[f] * UNIT / docs[f];
    }
}


/* a / b; halves of a register divide much faster on older machines. */
static uint64_t
ratio(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}


/* Appends the entries of one product. */
static void
entries_add(struct entries *entries, const struct tally *tally,
            const uint64_t mean[INDEX_FIELDS])
{
    uint64_t gain[INDEX_FIELDS]; /* of one occurrence, x UNIT */

    for (int f = 0; f < INDEX_FIELDS; f++) {
        uint64_t norm =
            UNIT - fields[f].length_share
            + (uint64_t)fields[f].length_share * tally->len[f] * UNIT / mean[f];

        gain[f] = (uint64_t)fields[f].weight * UNIT / (norm < 1 ? 1 : norm);
    }

    if (entries->n + tally->n > entries->room) {
        entries->room = 2 * entries->room + tally->n + 65536;
        entries->entries = xrealloc(entries->entries,
                                    entries->room * sizeof(*entries->entries));
    }
    for (uint32_t i = 0; i < tally->n; i++) {
        uint64_t x = 0, impact;

        for (int f = 0; f < INDEX_FIELDS; f++) {
            x += gain[f] * tally->count[i][f];
        }
        impact = (ratio(2 * 255 * x, x + SATURATION) + 1) / 2;
        entries->entries[entries->n++] = tally->stems[i] << ENTRY_STEM_SHIFT
                                         | (uint32_t)(impact < 1 ? 1 : impact);
    }
}


static void
entries_read(struct entries *entries, const struct index_vocabulary *v,
             const struct index_tokens *tokens, const uint32_t *order,
             const uint64_t mean[INDEX_FIELDS])
{
    struct tally *tally = xcalloc(1, sizeof(*tally));

    tally->slot = xcalloc((size_t)v->stems.n + 1, sizeof(*tally->slot));
    entries->start =
        xcalloc((size_t)tokens->n_docs + 1, sizeof(*entries->start));
    for (uint32_t doc = 0; doc < tokens->n_docs; doc++) {
        entries->start[doc] = entries->n;
        tally_read(tally, v, tokens, order[doc]);
        entries_add(entries, tally, mean);
    }
    entries->start[tokens->n_docs] = entries->n;
    free(tally->slot);
    free(tally);
}


/* ---- from documents to terms --------------------------------------------- */

/* Postings by term, documents rising. */
struct lists {
    uint32_t *n;   /* by stem */
    size_t *start; /* by term number, n_terms + 1 */
    uint8_t *heads;
    uint32_t *doc;
    uint8_t *impact;
};

struct ranked {
    uint32_t n;
    uint32_t stem;
};


static int
ranked_compare(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;

    if (one->n != other->n) {
        return one->n > other->n ? -1 : 1;
    }
    return one->stem < other->stem ? -1 : one->stem > other->stem;
}


/* Numbers the terms by falling number of documents. */
static void
terms_rank(struct lists *lists, struct index_vocabulary *v,
           const struct entries *entries)
{
    uint32_t n_terms = v->stems.n;
    struct ranked *ranked = xcalloc((size_t)n_terms + 1, sizeof(*ranked));

    lists->n = xcalloc((size_t)n_terms + 1, sizeof(*lists->n));
    lists->start = xcalloc((size_t)n_terms + 1, sizeof(*lists->start));
    lists->heads = xcalloc((size_t)n_terms + 1, sizeof(*lists->heads));
    v->rank = xcalloc((size_t)n_terms + 1, sizeof(*v->rank));

    for (size_t i = 0; i < entries->n; i++) {
        lists->n[entries->entries[i] >> ENTRY_STEM_SHIFT]++;
    }
    for (uint32_t i = 0; i < n_terms; i++) {
        ranked[i] = (struct ranked){.n = lists->n[i], .stem = i};
    }
    qsort(ranked, n_terms, sizeof(*ranked), ranked_compare);
    for (uint32_t i = 0; i < n_terms; i++) {
        v->rank[ranked[i].stem] = i;
        lists->heads[i] = v->heads[ranked[i].stem];
        lists->start[i + 1] = lists->start[i] + ranked[i].n;
    }
    free(ranked);
}


static void
lists_fill(struct lists *lists, const struct index_vocabulary *v,
           const struct entries *entries, uint32_t n_docs)
{
    uint32_t n_terms = v->stems.n;
    size_t *next = xcalloc((size_t)n_terms + 1, sizeof(*next));

    memcpy(next, lists->start, n_terms * sizeof(*next));
    lists->doc = xcalloc(entries->n + 1, sizeof(*lists->doc));
    lists->impact = xcalloc(entries->n + 1, sizeof(*lists->impact));
    for (uint32_t doc = 0; doc < n_docs; doc++) {
        for (size_t i = entries->start[doc]; i < entries->start[doc + 1]; i++) {
            uint32_t entry = entries->entries[i];
            size_t at = next[v->rank[entry >> ENTRY_STEM_SHIFT]]++;

            lists->doc[at] = doc;
            lists->impact[at] = (uint8_t)(entry & ENTRY_IMPACT);
        }
    }
    free(next);
}


/* ---- the sections -------------------------------------------------------- */

/* Writes one dense term and its rows of the window tables. */
static void
dense_write(struct index_block *block, const struct index_counts *counts,
            const struct lists *lists, uint32_t term, uint32_t *windows,
            uint8_t *maxes)
{
    size_t first = lists->start[term], last = lists->start[term + 1];
    uint32_t mask = ((uint32_t)1 << counts->window_bits) - 1;
    size_t at = first;

    for (uint32_t w = 0; w < counts->n_windows; w++) {
        size_t from = at;

        windows[w] = (uint32_t)(from - first);
        maxes[w] = 0;
        for (; at < last && lists->doc[at] >> counts->window_bits == w; at++) {
            uint16_t low = (uint16_t)(lists->doc[at] & mask);

            index_block_add(block, &low, sizeof(low));
            if (lists->impact[at] > maxes[w]) {
                maxes[w] = lists->impact[at];
            }
        }
        index_block_add(block, lists->impact + from, at - from);
    }
    windows[counts->n_windows] = (uint32_t)(last - first);
}


static void
lists_write(struct index_block *block, struct index_counts *counts,
            const struct lists *lists)
{
    struct ads_index_term *terms =
        xcalloc((size_t)counts->n_terms + 1, sizeof(*terms));
    size_t rows = (size_t)counts->n_dense * (counts->n_windows + 1);
    uint32_t *windows = xcalloc(rows + 1, sizeof(*windows));
    uint8_t *maxes = xcalloc(rows + 1, sizeof(*maxes));
    size_t base;

    index_block_begin(block, ADS_INDEX_POSTINGS);
    base = block->len;
    for (uint32_t t = 0; t < counts->n_terms; t++) {
        size_t first = lists->start[t], n = lists->start[t + 1] - first;
        struct ads_index_term *term = &terms[t];

        term->start = (uint32_t)(block->len - base);
        term->n = (uint32_t)n;
        term->idf = idf_of(counts->n_counted, term->n);
        term->heads = lists->heads[t];
        for (size_t i = first; i < first + n; i++) {
            if (lists->impact[i] > term->max) {
                term->max = lists->impact[i];
            }
        }
        if (t < counts->n_dense) {
            dense_write(block, counts, lists, t,
                        windows + (size_t)t * (counts->n_windows + 1),
                        maxes + (size_t)t * counts->n_windows);
        } else {
            index_block_add(block, lists->doc + first, 4 * n);
            index_block_add(block, lists->impact + first, n);
        }
    }
    index_block_end(block, ADS_INDEX_POSTINGS);

    index_block_begin(block, ADS_INDEX_TERMS);
    index_block_add(block, terms, counts->n_terms * sizeof(*terms));
    index_block_end(block, ADS_INDEX_TERMS);
    index_block_begin(block, ADS_INDEX_WINDOWS);
    index_block_add(block, windows, rows * sizeof(*windows));
    index_block_end(block, ADS_INDEX_WINDOWS);
    index_block_begin(block, ADS_INDEX_MAXES);
    index_block_add(block, maxes, (size_t)counts->n_dense * counts->n_windows);
    index_block_end(block, ADS_INDEX_MAXES);
    free(terms);
    free(windows);
    free(maxes);
}


void
index_postings_write(struct index_block *block, struct index_counts *counts,
                     struct index_vocabulary *v,
                     const struct index_tokens *tokens, const uint32_t *order)
{
    uint32_t n_docs = tokens->n_docs;
    struct entries entries = {0};
    struct lists lists = {0};

    counts->window_bits =
        n_docs < DOCS_LARGE ? WINDOW_BITS_SMALL : WINDOW_BITS_LARGE;
    counts->n_windows =
        (n_docs + (1u << counts->window_bits) - 1) >> counts->window_bits;
    counts->n_terms = v->stems.n;

    entries_read(&entries, v, tokens, order, counts->mean);
    terms_rank(&lists, v, &entries);
    lists_fill(&lists, v, &entries, n_docs);
    while (
        counts->n_dense < counts->n_terms
        && 2 * (lists.start[counts->n_dense + 1] - lists.start[counts->n_dense])
               >= 5 * (size_t)counts->n_windows)
    {
        counts->n_dense++;
    }
    lists_write(block, counts, &lists);

    free(entries.entries);
    free(entries.start);
    free(lists.n);
    free(lists.start);
    free(lists.heads);
    free(lists.doc);
    free(lists.impact);
}
