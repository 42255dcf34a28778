/*
 * Compiles titles as term numbers, the pairs of terms that are neighbours in
 * them, and the keys by which a misspelt word finds its correct form.
 */
#include "tables/index_parts.h"

#include <stdlib.h>

#include "base/pool.h"

#define SPELL_DOCS_MIN 3 /* products that a word must be in */
#define SPELL_LEN_MIN 3


/* ---- pairs --------------------------------------------------------------- */

/* Counts of neighbours: an open table of keys. */
struct pairs {
    uint64_t *key; /* first << 32 | second, + 1; 0: empty */
    uint32_t *count;
    uint32_t bits;
    uint32_t n;
};


static uint32_t
pairs_slot(const struct pairs *pairs, uint64_t key)
{
    uint32_t mask = ((uint32_t)1 << pairs->bits) - 1;
    uint64_t hash =
        ads_index_pair_hash((uint32_t)((key - 1) >> 32), (uint32_t)(key - 1));
    uint32_t slot = (uint32_t)(hash >> (64 - pairs->bits));

    while (pairs->key[slot & mask] != 0 && pairs->key[slot & mask] != key) {
        slot++;
    }
    return slot & mask;
}


static void
pairs_grow(struct pairs *pairs)
{
    struct pairs old = *pairs;

    pairs->bits = old.bits == 0 ? 14 : old.bits + 1;
    pairs->key = xcalloc((size_t)1 << pairs->bits, sizeof(*pairs->key));
    pairs->count = xcalloc((size_t)1 << pairs->bits, sizeof(*pairs->count));
    for (size_t i = 0; old.bits > 0 && i < (size_t)1 << old.bits; i++) {
        if (old.key[i] != 0) {
            uint32_t slot = pairs_slot(pairs, old.key[i]);

            pairs->key[slot] = old.key[i];
            pairs->count[slot] = old.count[i];
        }
    }
    free(old.key);
    free(old.count);
}


static void
pairs_add(struct pairs *pairs, uint32_t first, uint32_t second)
{
    uint64_t key = ((uint64_t)first << 32 | second) + 1;
    uint32_t slot;

    if (pairs->bits == 0 || pairs->n >= (uint32_t)1 << (pairs->bits - 1)) {
        pairs_grow(pairs);
    }
    slot = pairs_slot(pairs, key);
    pairs->n += pairs->key[slot] == 0;
    pairs->key[slot] = key;
    pairs->count[slot]++;
}


/* Puts the pairs seen twice or more into 2^bits slots; false when one would
 * need too many probes. */
static bool
pairs_place(const struct pairs *pairs, uint32_t *slots, uint32_t bits)
{
    uint32_t mask = ((uint32_t)1 << bits) - 1;

    for (size_t i = 0; pairs->bits > 0 && i < (size_t)1 << pairs->bits; i++) {
        uint64_t key = pairs->key[i] - 1, hash;
        uint32_t slot, check, log, probes = 0;

        if (pairs->key[i] == 0 || pairs->count[i] < 2) {
            continue;
        }
        hash = ads_index_pair_hash((uint32_t)(key >> 32), (uint32_t)key);
        slot = (uint32_t)(hash >> (64 - bits));
        check = (uint32_t)(hash & 0x0fffffff);
        log = 31 - (uint32_t)__builtin_clz(pairs->count[i]);
        while (slots[slot & mask] != 0 && probes < ADS_INDEX_PROBES) {
            slot++;
            probes++;
        }
        if (probes == ADS_INDEX_PROBES) {
            return false;
        }
        slots[slot & mask] =
            (check == 0 ? 1 : check) << 4 | (log < 15 ? log : 15);
    }
    return true;
}


static void
pairs_write(struct index_block *block, struct index_counts *counts,
            const struct pairs *pairs)
{
    uint32_t *slots = NULL;
    uint64_t n = 0;

    for (size_t i = 0; pairs->bits > 0 && i < (size_t)1 << pairs->bits; i++) {
        n += pairs->count[i] >= 2;
    }
    counts->pair_bits = 4;
    while (n * 4 > (uint64_t)3 << counts->pair_bits) {
        counts->pair_bits++;
    }

    counts->pair_bits--;
    do {
        counts->pair_bits++;
        free(slots);
        slots = xcalloc((size_t)1 << counts->pair_bits, sizeof(*slots));
    } while (!pairs_place(pairs, slots, counts->pair_bits)
             && counts->pair_bits < 30);

    index_block_begin(block, ADS_INDEX_PAIRS);
    index_block_add(block, slots,
                    ((size_t)1 << counts->pair_bits) * sizeof(*slots));
    index_block_end(block, ADS_INDEX_PAIRS);
    free(slots);
}


/* ---- titles -------------------------------------------------------------- */

void
index_titles_write(struct index_block *block, struct index_counts *counts,
                   const struct index_vocabulary *v,
                   const struct index_tokens *tokens, const uint32_t *order)
{
    uint32_t *starts = xcalloc((size_t)tokens->n_docs + 1, sizeof(*starts));
    struct pairs pairs = {0};
    size_t base;

    index_block_begin(block, ADS_INDEX_PLACES);
    base = block->len;
    for (uint32_t doc = 0; doc < tokens->n_docs; doc++) {
        struct index_title title;
        uint32_t head[2];

        index_title_read(v, tokens, order[doc], &title);
        for (uint32_t i = 0; i < title.n; i++) {
            if (title.terms[i] != ADS_INDEX_NONE) {
                title.terms[i] = v->rank[title.terms[i]];
            }
        }
        for (uint32_t i = 0; !counts->supplement && i + 1 < title.n_text; i++) {
            if (title.terms[i] != ADS_INDEX_NONE
                && title.terms[i + 1] != ADS_INDEX_NONE) {
                pairs_add(&pairs, title.terms[i], title.terms[i + 1]);
            }
        }
        starts[doc] = (uint32_t)((block->len - base) / 4);
        head[0] = title.n | title.n_words << 8;
        head[1] = title.head;
        index_block_add(block, head, sizeof(head));
        index_block_add(block, title.terms, title.n * sizeof(*title.terms));
    }
    starts[tokens->n_docs] = (uint32_t)((block->len - base) / 4);
    index_block_end(block, ADS_INDEX_PLACES);

    index_block_begin(block, ADS_INDEX_TITLES);
    index_block_add(block, starts,
                    ((size_t)tokens->n_docs + 1) * sizeof(*starts));
    index_block_end(block, ADS_INDEX_TITLES);

    pairs_write(block, counts, &pairs);
    free(pairs.key);
    free(pairs.count);
    free(starts);
}


/* ---- spelling keys ------------------------------------------------------- */

struct keys {
    uint64_t *key; /* hash, and the word beside it */
    uint32_t *word;
    size_t n;
    size_t room;
};


static void
keys_add(struct keys *keys, const char *bytes, size_t len, uint32_t word)
{
    if (keys->n == keys->room) {
        keys->room = 2 * keys->room + 65536;
        keys->key = xrealloc(keys->key, keys->room * sizeof(*keys->key));
        keys->word = xrealloc(keys->word, keys->room * sizeof(*keys->word));
    }
    keys->key[keys->n] = ads_index_hash(bytes, len);
    keys->word[keys->n++] = word;
}


/* The keys of a word: what is left after `depth` more letters are taken out
 * from `from` on. */
static void
keys_of(struct keys *keys, const char *bytes, size_t len, size_t from,
        unsigned depth, uint32_t word)
{
    char left[ADS_INDEX_SPELL_MAX];

    keys_add(keys, bytes, len, word);
    if (depth == 0) {
        return;
    }
    for (size_t i = from; i < len; i++) {
        if (i > from && bytes[i] == bytes[i - 1]) {
            continue; /* the same letters are left */
        }
        memcpy(left, bytes, i);
        memcpy(left + i, bytes + i + 1, len - i - 1);
        keys_of(keys, left, len - 1, i, depth - 1, word);
    }
}


static bool
is_correctable(const struct index_vocabulary *v, uint32_t word,
               struct ads_str bytes)
{
    if (v->final[word] == ADS_INDEX_NONE || v->kind[word] != ADS_TEXT_LETTERS
        || v->docs[word] < SPELL_DOCS_MIN || bytes.len < SPELL_LEN_MIN
        || bytes.len > ADS_INDEX_SPELL_MAX)
    {
        return false;
    }
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] < 'a' || bytes.ptr[i] > 'z') {
            return false;
        }
    }
    return true;
}


void
index_spell_write(struct index_block *block, struct index_counts *counts,
                  const struct index_vocabulary *v)
{
    struct keys keys = {0};
    uint32_t *starts, *entries;
    size_t n_buckets;

    for (uint32_t word = 0; !counts->supplement && word < v->words.n; word++) {
        struct ads_str bytes = index_set_peek(&v->words, word);

        if (is_correctable(v, word, bytes)) {
            keys_of(&keys, bytes.ptr, bytes.len, 0,
                    bytes.len >= ADS_INDEX_SPELL_FAR ? 2 : 1, v->final[word]);
        }
    }

    counts->spell_bits = 4;
    while (keys.n > (size_t)4 << counts->spell_bits) {
        counts->spell_bits++;
    }
    n_buckets = (size_t)1 << counts->spell_bits;
    starts = xcalloc(n_buckets + 2, sizeof(*starts));
    entries = xcalloc(keys.n + 1, sizeof(*entries));
    for (size_t i = 0; i < keys.n; i++) {
        starts[(keys.key[i] >> (64 - counts->spell_bits)) + 2]++;
    }
    for (size_t i = 2; i < n_buckets + 2; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t i = 0; i < keys.n; i++) { /* starts[b + 1] moves to its end */
        size_t bucket = keys.key[i] >> (64 - counts->spell_bits);

        entries[starts[bucket + 1]++] =
            keys.word[i] << 10 | (uint32_t)(keys.key[i] & 1023);
    }

    index_block_begin(block, ADS_INDEX_SPELL);
    index_block_add(block, starts, (n_buckets + 1) * sizeof(*starts));
    index_block_add(block, entries, keys.n * sizeof(*entries));
    index_block_end(block, ADS_INDEX_SPELL);
    free(starts);
    free(entries);
    free(keys.key);
    free(keys.word);
}
