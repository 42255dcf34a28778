/*
 * Spelling correction: words that no product has are cut in two, or corrected.
 *
 * Corrections come from deletion keys: two words at most two edits apart
 * share what is left of them when at most two letters are taken out of each.
 * The keys of the index lead to candidates, which are then measured.
 */
#include "ads_match_parts.h"

#define SPLIT_PART_MIN 3
#define BUCKET_MAX 64 /* entries tried per key */

struct search {
    const struct ads_index *index;
    struct ads_str word;
    uint32_t before;
    uint32_t after;
    unsigned limit; /* edits allowed */
    uint32_t best;
    uint64_t best_score;
};


/*
 * Edits between two words, a swap of neighbours being one; more than limit is
 * said as limit + 1.
 */
static unsigned
distance(struct ads_str a, struct ads_str b, unsigned limit)
{
    uint8_t rows[3][ADS_INDEX_SPELL_MAX + 1];

    if (a.len > ADS_INDEX_SPELL_MAX || b.len > ADS_INDEX_SPELL_MAX
        || a.len > b.len + limit || b.len > a.len + limit)
    {
        return limit + 1;
    }

    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = (uint8_t)j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        uint8_t *row = rows[i % 3], *above = rows[(i - 1) % 3];
        const uint8_t *above2 = rows[(i + 1) % 3];

        row[0] = (uint8_t)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned cost = a.ptr[i - 1] != b.ptr[j - 1];
            unsigned least = above[j - 1] + cost;

            if (above[j] + 1u < least) {
                least = above[j] + 1u;
            }
            if (row[j - 1] + 1u < least) {
                least = row[j - 1] + 1u;
            }
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2]
                && a.ptr[i - 2] == b.ptr[j - 1] && above2[j - 2] + 1u < least)
            {
                least = above2[j - 2] + 1u;
            }
            row[j] = (uint8_t)least;
        }
    }
    return rows[a.len % 3][b.len] > limit ? limit + 1 : rows[a.len % 3][b.len];
}


/* Measures one candidate and keeps it when it is the best so far. */
static void
candidate_try(struct search *search, uint32_t word)
{
    const struct ads_index *index = search->index;
    struct ads_str bytes = ads_index_word_peek(index, word);
    uint32_t term = ads_index_word_term(index, word);
    uint64_t score, context = 0;
    unsigned edits;

    if (term == ADS_INDEX_NONE || bytes.len == 0) {
        return;
    }
    edits = distance(search->word, bytes, search->limit);
    if (edits > search->limit) {
        return;
    }

    if (search->before != ADS_INDEX_NONE) {
        context = ads_index_pair_find(index, search->before, term);
    }
    if (search->after != ADS_INDEX_NONE) {
        context += ads_index_pair_find(index, term, search->after);
    }
    score = (uint64_t)(search->limit - edits) << 56 | context << 48
            | (uint64_t)(bytes.ptr[0] == search->word.ptr[0]) << 40
            | ads_index_term_peek(index, term)->n;
    if (search->best == ADS_INDEX_NONE || score > search->best_score
        || (score == search->best_score && word < search->best))
    {
        search->best = word;
        search->best_score = score;
    }
}


/* All candidates of one key. */
static void
key_try(struct search *search, const char *bytes, size_t len)
{
    const struct ads_index *index = search->index;
    uint64_t hash = ads_index_hash(bytes, len);
    uint32_t bucket = (uint32_t)(hash >> (64 - index->spell_bits));
    uint32_t from = index->buckets[bucket], to = index->buckets[bucket + 1];

    if (to > index->n_spell || from > to) {
        return;
    }
    for (uint32_t i = from; i < to && i - from < BUCKET_MAX; i++) {
        if ((index->spell[i] & 1023) == (hash & 1023)) {
            candidate_try(search, index->spell[i] >> 10);
        }
    }
}


/* The keys that are left of `bytes` when `depth` more letters go. */
static void
keys_try(struct search *search, const char *bytes, size_t len, size_t from,
         unsigned depth)
{
    char left[ADS_INDEX_SPELL_MAX];

    key_try(search, bytes, len);
    if (depth == 0) {
        return;
    }
    for (size_t i = from; i < len; i++) {
        memcpy(left, bytes, i);
        memcpy(left + i, bytes + i + 1, len - i - 1);
        keys_try(search, left, len - 1, i, depth - 1);
    }
}


uint32_t
ads_match_correct(const struct ads_index *index, struct ads_str word,
                  unsigned edits, uint32_t before, uint32_t after)
{
    struct search search = {.index = index,
                            .word = word,
                            .before = before,
                            .after = after,
                            .limit = edits,
                            .best = ADS_INDEX_NONE};

    if (word.len < 3 || word.len > ADS_INDEX_SPELL_MAX
        || (edits > 1 && word.len < ADS_INDEX_SPELL_FAR))
    {
        return ADS_INDEX_NONE;
    }
    keys_try(&search, word.ptr, word.len, 0, edits);
    return search.best;
}


bool
ads_match_split(const struct ads_index *index, struct ads_str word,
                struct ads_index_split *split)
{
    uint32_t best = 0;

    for (size_t cut = SPLIT_PART_MIN;
         word.len <= ADS_TEXT_WORD_MAX && cut + SPLIT_PART_MIN <= word.len;
         cut++)
    {
        struct ads_str first = {.ptr = word.ptr, .len = cut};
        struct ads_str second = {.ptr = word.ptr + cut, .len = word.len - cut};
        uint32_t one = ads_index_word_find(index, first), other, often;

        if (one == ADS_INDEX_NONE) {
            continue;
        }
        other = ads_index_word_find(index, second);
        if (other == ADS_INDEX_NONE) {
            continue;
        }
        one = ads_index_word_term(index, one);
        other = ads_index_word_term(index, other);
        often = one == ADS_INDEX_NONE || other == ADS_INDEX_NONE
                    ? 0
                    : ads_index_pair_find(index, one, other);
        if (often > best) {
            best = often;
            split->first = one;
            split->second = other;
        }
    }
    return best > 0;
}
