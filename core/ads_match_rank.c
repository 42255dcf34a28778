/*
 * The second order: how the words of the query stand in the title.  Every
 * word of the query gets a mask of its places; neighbours, head noun and first
 * phrase are then a few operations on masks.
 */
#include "ads_match_parts.h"

/*
 * What a title adds to the score of the postings, as multiples of it x 256;
 * found by search over judged queries.
 */
#define GAIN_NEAR 876  /* words asked for side by side are neighbours in it */
#define GAIN_HEAD 146  /* its head noun is that of the query */
#define GAIN_NOUN 98   /* it has that noun somewhere */
#define GAIN_START 108 /* it begins with a word of the query */
#define GAIN_WHOLE 128 /* nothing else is in it */

#define PROBES (ADS_MATCH_GROUPS * ADS_MATCH_ALTERNATIVES * 2)

/* The terms to look for in titles. */
struct probes {
    uint64_t seen; /* low 6 bits of the terms, as a filter */
    uint32_t n;
    uint32_t term[PROBES];
    uint8_t group[PROBES];
};

struct ranked {
    uint32_t score;
    uint32_t doc;
    uint32_t in_title;
    uint16_t coverage;
    uint16_t titled;
    bool head;
};


static void
probes_read(struct probes *probes, const struct ads_match_query *query)
{
    probes->n = 0;
    probes->seen = 0;
    for (uint32_t g = 0; g < query->n_groups; g++) {
        const struct ads_match_group *group = &query->groups[g];

        for (uint32_t i = 0; i < group->n_alternatives; i++) {
            uint32_t terms[2] = {group->alternatives[i].term,
                                 group->alternatives[i].second};

            for (int k = 0; k < 2 && terms[k] != ADS_INDEX_NONE; k++) {
                probes->term[probes->n] = terms[k];
                probes->group[probes->n++] = (uint8_t)g;
                probes->seen |= (uint64_t)1 << (terms[k] & 63);
            }
        }
    }
}


/* The places of each group in the title. */
static uint32_t
places_read(const struct probes *probes, const struct ads_index_title *title,
            uint64_t places[ADS_MATCH_GROUPS])
{
    uint32_t groups = 0;

    for (uint32_t i = 0; i < title->n; i++) {
        uint32_t term = title->terms[i];

        if ((probes->seen >> (term & 63) & 1) == 0) {
            continue;
        }
        for (uint32_t k = 0; k < probes->n; k++) {
            if (probes->term[k] == term) {
                places[probes->group[k]] |= (uint64_t)1 << i;
                groups |= (uint32_t)1 << probes->group[k];
            }
        }
    }
    return groups;
}


/* The gain for neighbours, weighted by how much each pair of words says. */
static uint32_t
near_gain(const struct ads_match_query *query,
          const uint64_t places[ADS_MATCH_GROUPS])
{
    uint32_t got = 0, all = 0;

    for (uint32_t g = 0; g + 1 < query->n_groups; g++) {
        uint32_t idf =
            (uint32_t)query->groups[g].idf + query->groups[g + 1].idf;

        all += idf;
        got += (places[g] << 1 & places[g + 1]) != 0 ? idf : 0;
    }
    return all == 0 ? 0 : GAIN_NEAR * got / all;
}


/* The most that gains() can be for the query, which makes scores of short and
 * long queries comparable. */
static uint32_t
gains_max(const struct ads_match_query *query)
{
    return 256 + GAIN_START + GAIN_WHOLE
           + (query->head == ADS_MATCH_NO_GROUP ? 0 : GAIN_HEAD + GAIN_NOUN)
           + (query->n_groups < 2 ? 0 : GAIN_NEAR);
}


static void
candidate_rank(const struct ads_index *index,
               const struct ads_match_query *query, const struct probes *probes,
               const struct ads_match_candidate *candidate,
               struct ranked *ranked)
{
    struct ads_index_title title = ads_index_title_peek(index, candidate->doc);
    uint64_t places[ADS_MATCH_GROUPS] = {0}, asked = 0;
    uint32_t total = query->idf_total, titled = 0, starts = 0;
    uint32_t gain = 256;

    ranked->doc = candidate->doc;
    ranked->in_title = places_read(probes, &title, places);
    ranked->coverage =
        (uint16_t)(256 * (candidate->sum & ADS_MATCH_SUM_IDF) / total);
    for (uint32_t g = 0; g < query->n_groups; g++) {
        titled += places[g] != 0 ? query->groups[g].idf : 0;
        starts += (places[g] & 1) != 0 ? query->groups[g].idf : 0;
        asked |= places[g];
    }

    ranked->titled = (uint16_t)(256 * titled / total);
    gain += near_gain(query, places);
    gain += GAIN_START * starts / total;
    gain += GAIN_WHOLE * (uint32_t)__builtin_popcountll(asked)
            / (title.n_words == 0 ? 1 : title.n_words);
    ranked->head = false;
    if (query->head != ADS_MATCH_NO_GROUP) {
        ranked->head = (places[query->head] & title.head) != 0;
        gain += places[query->head] != 0 ? GAIN_NOUN : 0;
        gain += ranked->head ? GAIN_HEAD : 0;
    }

    /* key / total^2 x coverage, and the gain, each as a share of its most */
    ranked->score =
        (uint32_t)((uint64_t)candidate->key * ranked->coverage
                   * (ADS_MATCH_UNIT / 256) / ((uint64_t)total * total * 255)
                   * gain / gains_max(query));
}


/* Moves the best of ranked[from..n) to its front. */
static void
best_first(struct ranked *ranked, uint32_t from, uint32_t n)
{
    uint32_t best = from;
    struct ranked swap;

    for (uint32_t i = from + 1; i < n; i++) {
        if (ranked[i].score > ranked[best].score
            || (ranked[i].score == ranked[best].score
                && ranked[i].doc < ranked[best].doc))
        {
            best = i;
        }
    }
    swap = ranked[from];
    ranked[from] = ranked[best];
    ranked[best] = swap;
}


uint32_t
ads_match_rank(const struct ads_index *index,
               const struct ads_match_query *query,
               const struct ads_match_candidate *candidates, uint32_t n,
               struct ads_match_hit *hits, uint32_t max)
{
    struct ranked ranked[ADS_MATCH_DEPTH];
    struct probes probes;

    probes_read(&probes, query);
    for (uint32_t i = 0; i < n; i++) {
        candidate_rank(index, query, &probes, &candidates[i], &ranked[i]);
    }

    for (uint32_t i = 0; i < n && i < max; i++) {
        best_first(ranked, i, n);
        hits[i] = (struct ads_match_hit){.doc = ranked[i].doc,
                                         .score = ranked[i].score,
                                         .coverage = ranked[i].coverage,
                                         .titled = ranked[i].titled,
                                         .head = ranked[i].head,
                                         .in_title = ranked[i].in_title};
    }
    return n < max ? n : max;
}


bool
ads_match_is_relevant(const struct ads_match_query *query,
                      const struct ads_match_hit *hit)
{
    bool named = query->head == ADS_MATCH_NO_GROUP
                 || (hit->in_title >> query->head & 1) != 0;

    return hit->score >= (named ? ADS_MATCH_FLOOR : ADS_MATCH_FLOOR_UNNAMED);
}
