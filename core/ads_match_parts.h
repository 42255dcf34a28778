/*
 * State that the files of the match share: the candidates between the walk over
 * the postings and the order of the answer.  Included by ads_match*.c alone.
 */
#ifndef ADS_MATCH_PARTS_H
#define ADS_MATCH_PARTS_H

#include "ads_match.h"

/* A sum over groups in one word: impact x idf above, idf below.  16 groups of
 * 255 x 255 just fit into the upper 20 bits. */
#define ADS_MATCH_SUM_IDF 0xfffu
#define ADS_MATCH_SUM_SHIFT 12

/* What documents are compared by: coordination, as a product. */
static inline uint32_t
ads_match_key(uint32_t sum)
{
    return (sum >> ADS_MATCH_SUM_SHIFT) * (sum & ADS_MATCH_SUM_IDF);
}

struct ads_match_candidate {
    uint32_t key;
    uint32_t sum;
    uint32_t doc;
    int32_t account;
};

/* Words that make another model of the one before: "7 plus". */
extern const char *const ads_match_longer[ADS_MATCH_LONGER];

/* The query in the terms of the index attached to this one.  What that has not
 * becomes ADS_INDEX_NOWHERE, which finds nothing. */
void
ads_match_localize(const struct ads_index *index,
                   const struct ads_match_query *query,
                   struct ads_match_query *local);

/* ---- postings of a term (ads_match_list.c) ------------------------------- */

/* Its numbers are checked against the sections; n is 0 where they are wrong. */
struct ads_match_list {
    const uint8_t *postings;
    const uint32_t *windows; /* NULL: not dense */
    const uint8_t *maxes;
    uint32_t n;
    uint32_t weight;
};

/* The postings of one window; low is u16 each, not aligned. */
struct ads_match_slice {
    const uint8_t *low; /* u16 each */
    const uint8_t *impact;
    uint32_t n;
};

static inline uint32_t
ads_match_low(const uint8_t *low, uint32_t i)
{
    uint16_t value;

    memcpy(&value, low + 2 * (size_t)i, sizeof(value));
    return value;
}


static inline uint32_t
ads_match_doc(const uint8_t *docs, uint32_t i)
{
    uint32_t value;

    memcpy(&value, docs + 4 * (size_t)i, sizeof(value));
    return value;
}

struct ads_match_list
ads_match_list_open(const struct ads_index *index, uint32_t number,
                    uint32_t weight);

/* The part of the list in window w.  Documents of a list that is not dense
 * are copied to `low`, which has room for a window. */
struct ads_match_slice
ads_match_list_slice(const struct ads_index *index,
                     const struct ads_match_list *list, uint32_t w,
                     uint16_t *low);

/* Asks for the postings of window w of a dense list, to be read soon. */
void
ads_match_list_prefetch(const struct ads_match_list *list, uint32_t w);

/* ---- the candidates that are kept (ads_match_keep.c) --------------------- */

#define ADS_MATCH_SLOTS 256 /* of the account table, over twice the depth */

struct ads_match_keep {
    const struct ads_match_filter *filter; /* or NULL */
    bool counted;   /* an account may have fewer than all places */
    uint32_t depth; /* places, at most ADS_MATCH_DEPTH */
    uint32_t n;
    uint32_t threshold; /* a key must be above it to be kept */
    struct ads_match_candidate items[ADS_MATCH_DEPTH];
    uint64_t heap[ADS_MATCH_DEPTH]; /* key << 32 | its place in items[] */
    int32_t account[ADS_MATCH_SLOTS];
    uint32_t count[ADS_MATCH_SLOTS]; /* kept candidates of the account */
};

void
ads_match_keep_init(struct ads_match_keep *keep,
                    const struct ads_match_filter *filter, uint32_t depth);

/* Keeps a candidate whose key is above the threshold, if its account may. */
void
ads_match_keep_offer(struct ads_match_keep *keep,
                     struct ads_match_candidate *item,
                     struct ads_match_stats *stats);

/* ---- the order of the answer (ads_match_rank.c) -------------------------- */

/* Orders n candidates by their titles as well and writes the best `max`. */
uint32_t
ads_match_rank(const struct ads_index *index,
               const struct ads_match_query *query,
               const struct ads_match_candidate *candidates, uint32_t n,
               struct ads_match_hit *hits, uint32_t max);

/* ---- spelling (ads_match_spell.c) ---------------------------------------- */

/*
 * The nearest correctable word within `edits`, 1 or, from 6 letters on, 2.
 * `before` and `after` are the terms of its neighbours or ADS_INDEX_NONE: of
 * equally near words the one that titles put beside them wins, then the more
 * frequent.  ADS_INDEX_NONE when there is none.
 */
uint32_t
ads_match_correct(const struct ads_index *index, struct ads_str word,
                  unsigned edits, uint32_t before, uint32_t after);

#endif
