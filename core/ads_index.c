/*
 * Opens an index and answers the look-ups that do not rank: words, pairs,
 * titles, splits.  The postings are walked in ads_match.c.
 */
#include "ads_index.h"

_Static_assert(sizeof(struct ads_index_term) == 12, "layout");
_Static_assert(sizeof(struct ads_index_word) == 8, "layout");
_Static_assert(sizeof(struct ads_index_split) == 12, "layout");
_Static_assert(sizeof(struct ads_index_link) == 8, "layout");

#define HASH_FACTOR 0x9e3779b97f4a7c15ull


uint64_t
ads_index_hash(const char *bytes, size_t len)
{
    uint64_t hash = (uint64_t)len * HASH_FACTOR;

    while (len > 0) {
        uint64_t part = 0;
        size_t n = len < 8 ? len : 8;

        memcpy(&part, bytes, n);
        hash = (hash ^ part) * HASH_FACTOR;
        hash ^= hash >> 32;
        bytes += n;
        len -= n;
    }
    return hash * HASH_FACTOR;
}


uint64_t
ads_index_pair_hash(uint32_t first, uint32_t second)
{
    uint64_t hash = ((uint64_t)first << 32 | second) * HASH_FACTOR;

    hash ^= hash >> 29;
    return hash * HASH_FACTOR;
}


/* The section, checked to lie in the block; NULL when it does not. */
static const void *
section_peek(const uint8_t *bytes, size_t len, enum ads_index_section section,
             uint64_t *section_len)
{
    uint64_t entry[2];

    memcpy(entry, bytes + ADS_INDEX_HEADER_LEN + 16 * section, sizeof(entry));
    if (entry[0] % 8 != 0 || entry[0] < ADS_INDEX_HEAD_LEN || entry[0] > len
        || entry[1] > len - entry[0])
    {
        return NULL;
    }
    *section_len = entry[1];
    return bytes + entry[0];
}


/* Does every section have the length that the counts ask for? */
static bool
lengths_fit(const struct ads_index *index, const uint64_t len[])
{
    uint64_t windows = index->n_windows;

    return len[ADS_INDEX_TERMS]
               == index->n_terms * sizeof(struct ads_index_term)
           && len[ADS_INDEX_WINDOWS] == index->n_dense * (windows + 1) * 4
           && len[ADS_INDEX_MAXES] == index->n_dense * windows
           && len[ADS_INDEX_HASH] == (uint64_t)4 << index->hash_bits
           && len[ADS_INDEX_WORDS]
                  == (index->n_words + 1) * sizeof(struct ads_index_word)
           && len[ADS_INDEX_TITLES] == ((uint64_t)index->n_docs + 1) * 4
           && len[ADS_INDEX_PAIRS] == (uint64_t)4 << index->pair_bits
           && len[ADS_INDEX_SPELL]
                  >= (((uint64_t)1 << index->spell_bits) + 1) * 4
           && len[ADS_INDEX_SPLITS]
                  == index->n_splits * sizeof(struct ads_index_split);
}


static bool
counts_fit(const struct ads_index *index)
{
    uint64_t window;

    if (index->window_bits < 8 || index->window_bits > 16
        || index->hash_bits < 1 || index->hash_bits > 26 || index->pair_bits < 1
        || index->pair_bits > 30 || index->spell_bits < 1
        || index->spell_bits > 30)
    {
        return false;
    }

    window = (uint64_t)1 << index->window_bits;
    return index->n_docs <= ADS_INDEX_DOCS_MAX
           && index->n_windows == (index->n_docs + window - 1) / window
           && index->n_terms <= ADS_INDEX_TERMS_MAX
           && index->n_words < ADS_INDEX_WORDS_MAX
           && index->n_dense <= index->n_terms
           && index->n_splits <= index->n_words;
}


/* The counts of the header; false when it is not ours. */
static bool
header_read(const uint8_t *bytes, size_t len, struct ads_index *index)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);

    if (ads_cursor_u32(&cursor) != ADS_INDEX_MAGIC
        || ads_cursor_u16(&cursor) != ADS_INDEX_VERSION
        || ads_cursor_u16(&cursor) != ADS_INDEX_ORDER_MARK)
    {
        return false;
    }

    (void)ads_cursor_u64(&cursor);
    index->n_docs = ads_cursor_u32(&cursor);
    index->n_terms = ads_cursor_u32(&cursor);
    index->n_words = ads_cursor_u32(&cursor);
    index->n_dense = ads_cursor_u32(&cursor);
    index->n_windows = ads_cursor_u32(&cursor);
    index->window_bits = ads_cursor_u8(&cursor);
    index->hash_bits = ads_cursor_u8(&cursor);
    index->pair_bits = ads_cursor_u8(&cursor);
    index->spell_bits = ads_cursor_u8(&cursor);
    index->n_splits = ads_cursor_u32(&cursor);
    return cursor.ok;
}


enum ads_err
ads_index_open(const void *block, size_t len, struct ads_index *index)
{
    const uint8_t *bytes = block;
    const void *at[ADS_INDEX_SECTIONS];
    uint64_t section_len[ADS_INDEX_SECTIONS] = {0}, block_len;

    memset(index, 0, sizeof(*index));
    if (len < ADS_INDEX_HEAD_LEN || (uintptr_t)bytes % 8 != 0) {
        return ADS_DAMAGED;
    }
    if (!header_read(bytes, len, index)) {
        return ADS_UNSUPPORTED;
    }

    memcpy(&block_len, bytes + 8, sizeof(block_len));
    if (block_len != len || !counts_fit(index)) {
        return ADS_DAMAGED;
    }
    for (unsigned i = 0; i < ADS_INDEX_SECTIONS; i++) {
        at[i] = section_peek(bytes, len, i, &section_len[i]);
        if (at[i] == NULL) {
            return ADS_DAMAGED;
        }
    }
    if (!lengths_fit(index, section_len)) {
        return ADS_DAMAGED;
    }

    index->terms = at[ADS_INDEX_TERMS];
    index->windows = at[ADS_INDEX_WINDOWS];
    index->maxes = at[ADS_INDEX_MAXES];
    index->postings = at[ADS_INDEX_POSTINGS];
    index->postings_len = section_len[ADS_INDEX_POSTINGS];
    index->hash = at[ADS_INDEX_HASH];
    index->words = at[ADS_INDEX_WORDS];
    index->strings = at[ADS_INDEX_STRINGS];
    index->strings_len = section_len[ADS_INDEX_STRINGS];
    index->titles = at[ADS_INDEX_TITLES];
    index->places = at[ADS_INDEX_PLACES];
    index->n_places = section_len[ADS_INDEX_PLACES] / 4;
    index->pairs = at[ADS_INDEX_PAIRS];
    index->buckets = at[ADS_INDEX_SPELL];
    index->spell = index->buckets + ((size_t)1 << index->spell_bits) + 1;
    index->n_spell = section_len[ADS_INDEX_SPELL] / 4
                     - (((uint64_t)1 << index->spell_bits) + 1);
    index->splits = at[ADS_INDEX_SPLITS];
    return ADS_OK;
}


void
ads_index_attach(struct ads_index *index, const struct ads_index *more,
                 const uint32_t *shared, const struct ads_index_link *links,
                 uint32_t n_links)
{
    index->more = more;
    index->shared = shared;
    index->links = links;
    index->n_links = n_links;
}


void
ads_index_bury(struct ads_index *index, const uint8_t *dead, uint64_t len)
{
    index->dead = dead;
    index->n_dead =
        len < ADS_INDEX_DOCS_MAX / 8 ? (uint32_t)len * 8 : ADS_INDEX_DOCS_MAX;
}


uint32_t
ads_index_term_more(const struct ads_index *index, uint32_t term)
{
    uint32_t low = 0, high = index->n_links;

    if (term >= index->n_terms) {
        term -= index->n_terms;
        return term < index->more->n_terms ? term : ADS_INDEX_NOWHERE;
    }
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (index->links[mid].term < term) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < index->n_links && index->links[low].term == term
                   && index->links[low].more < index->more->n_terms
               ? index->links[low].more
               : ADS_INDEX_NOWHERE;
}


uint32_t
ads_index_fact_find(const struct ads_index *index, char mark,
                    struct ads_str bytes)
{
    char word[1 + ADS_INDEX_FACT_MAX] = {mark};

    if (bytes.len == 0 || bytes.len > ADS_INDEX_FACT_MAX) {
        return ADS_INDEX_NONE;
    }
    memcpy(word + 1, bytes.ptr, bytes.len);
    return ads_index_word_find(index, (struct ads_str){word, 1 + bytes.len});
}


static uint32_t
word_find(const struct ads_index *index, struct ads_str bytes)
{
    uint32_t mask = ((uint32_t)1 << index->hash_bits) - 1;
    uint32_t slot = (uint32_t)(ads_index_hash(bytes.ptr, bytes.len)
                               >> (64 - index->hash_bits));

    for (uint32_t i = 0; i < ADS_INDEX_PROBES; i++) {
        uint32_t word = index->hash[(slot + i) & mask];
        struct ads_str known;

        if (word == 0) {
            break;
        }
        known = ads_index_word_peek(index, word - 1);
        if (ads_str_equal(known, bytes)) {
            return word - 1;
        }
    }
    return ADS_INDEX_NONE;
}


uint32_t
ads_index_word_find(const struct ads_index *index, struct ads_str bytes)
{
    uint32_t word = word_find(index, bytes);

    if (word == ADS_INDEX_NONE && index->more != NULL) {
        word = word_find(index->more, bytes);
        word += word == ADS_INDEX_NONE ? 0 : index->n_words;
    }
    return word;
}


struct ads_str
ads_index_word_peek(const struct ads_index *index, uint32_t word)
{
    uint32_t from, to;

    if (word >= index->n_words) {
        return index->more == NULL
                   ? (struct ads_str){.ptr = "", .len = 0}
                   : ads_index_word_peek(index->more, word - index->n_words);
    }

    from = index->words[word].string;
    to = index->words[word + 1].string;
    if (from > to || to > index->strings_len) {
        return (struct ads_str){.ptr = "", .len = 0};
    }
    return (struct ads_str){.ptr = index->strings + from, .len = to - from};
}


/* The term of a word of the attached index. */
static uint32_t
more_word_term(const struct ads_index *index, uint32_t word)
{
    uint32_t term = ads_index_word_term(index->more, word);

    if (term == ADS_INDEX_NONE) {
        return term;
    }
    return index->shared[term] < index->n_terms ? index->shared[term]
                                                : index->n_terms + term;
}


uint32_t
ads_index_word_term(const struct ads_index *index, uint32_t word)
{
    uint32_t term;

    if (word >= index->n_words) {
        return index->more == NULL || word == ADS_INDEX_NONE
                   ? ADS_INDEX_NONE
                   : more_word_term(index, word - index->n_words);
    }
    term = index->words[word].term;
    return term < index->n_terms ? term : ADS_INDEX_NONE;
}


uint32_t
ads_index_pair_find(const struct ads_index *index, uint32_t first,
                    uint32_t second)
{
    uint64_t hash = ads_index_pair_hash(first, second);
    uint32_t mask = ((uint32_t)1 << index->pair_bits) - 1;
    uint32_t slot = (uint32_t)(hash >> (64 - index->pair_bits));
    uint32_t check = (uint32_t)(hash & 0x0fffffff);

    if (check == 0) {
        check = 1;
    }
    for (uint32_t i = 0; i < ADS_INDEX_PROBES; i++) {
        uint32_t pair = index->pairs[(slot + i) & mask];

        if (pair == 0) {
            break;
        }
        if (pair >> 4 == check) {
            return 1 + (pair & 15);
        }
    }
    return 0;
}


struct ads_index_title
ads_index_title_peek(const struct ads_index *index, uint32_t doc)
{
    struct ads_index_title title = {.terms = NULL, .n = 0};
    uint32_t from, n;

    if (doc >= index->n_docs) {
        return title;
    }

    from = index->titles[doc];
    if (index->n_places < ADS_INDEX_PLACES_HEAD / 4
        || from > index->n_places - ADS_INDEX_PLACES_HEAD / 4)
    {
        return title;
    }
    n = index->places[from] & 0xff;
    if (n > ADS_INDEX_TITLE
        || n > index->n_places - from - ADS_INDEX_PLACES_HEAD / 4)
    {
        return title;
    }

    title.n = n;
    title.n_words = index->places[from] >> 8 & 0xff;
    title.head = index->places[from + 1];
    title.terms = index->places + from + ADS_INDEX_PLACES_HEAD / 4;
    return title;
}


void
ads_index_title_prefetch(const struct ads_index *index, uint32_t doc)
{
    uint32_t from = doc < index->n_docs ? index->titles[doc] : 0;

    if (from < index->n_places) {
        __builtin_prefetch(&index->places[from]);
        __builtin_prefetch(
            &index->places[from + 12 < index->n_places ? from + 12 : from]);
    }
}


bool
ads_index_split_find(const struct ads_index *index, uint32_t word,
                     struct ads_index_split *split)
{
    uint32_t low = 0, high = index->n_splits;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (index->splits[mid].word < word) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low == index->n_splits || index->splits[low].word != word) {
        return false;
    }

    *split = index->splits[low];
    return split->first < index->n_terms && split->second < index->n_terms;
}
