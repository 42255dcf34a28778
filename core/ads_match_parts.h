/*
 * What the files of the match share: the candidates between the walk over the
 * postings and the order of the answer.  Included by ads_match*.c alone.
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

/* Orders n candidates by their titles as well and writes the best `max`. */
uint32_t
ads_match_rank(const struct ads_index *index,
               const struct ads_match_query *query,
               const struct ads_match_candidate *candidates, uint32_t n,
               struct ads_match_hit *hits, uint32_t max);

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
