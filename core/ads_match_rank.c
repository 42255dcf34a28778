/*
 * The second order: how the words of the query stand in the title.  Every
 * word of the query gets a mask of its places; neighbours, head noun and first
 * phrase are then a few operations on masks.
 */
#include "ads_match_parts.h"

/* Shares of the base score that may be added, of 256. */
#define SHARE_HEAD 64
#define SHARE_NEAR 64
#define SHARE_PHRASE 64
#define SHARE_TITLE 64
#define SHARE_ALL (256 + SHARE_HEAD + SHARE_NEAR + SHARE_PHRASE + SHARE_TITLE)

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


/* How close the words of the query that stand side by side are in the title,
 * of 256: all of it for neighbours in order, half within three places. */
static uint32_t
near_share(const struct ads_match_query *query,
           const uint64_t places[ADS_MATCH_GROUPS])
{
    uint32_t got = 0, all = 0;

    for (uint32_t g = 0; g + 1 < query->n_groups; g++) {
        uint32_t idf =
            (uint32_t)query->groups[g].idf + query->groups[g + 1].idf;
        uint64_t one = places[g], other = places[g + 1];
        uint64_t around = one << 1 | one << 2 | one << 3 | one >> 1 | one >> 2;

        all += 2 * idf;
        if ((one << 1 & other) != 0) {
            got += 2 * idf;
        } else if ((around & other) != 0) {
            got += idf;
        }
    }
    return all == 0 ? 0 : 256 * got / all;
}


static void
candidate_rank(const struct ads_index *index,
               const struct ads_match_query *query, const struct probes *probes,
               const struct ads_match_candidate *candidate,
               struct ranked *ranked)
{
    struct ads_index_title title = ads_index_title_peek(index, candidate->doc);
    uint64_t places[ADS_MATCH_GROUPS] = {0};
    uint64_t whole = (uint64_t)query->idf_total * query->idf_total * 255;
    uint64_t base = (uint64_t)candidate->key * ADS_MATCH_UNIT / whole;
    uint64_t first =
        title.first >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << title.first) - 1;
    uint32_t in_title = 0, in_first = 0;
    uint32_t share = 256;

    ranked->doc = candidate->doc;
    ranked->in_title = places_read(probes, &title, places);
    ranked->coverage = (uint16_t)(256 * (candidate->sum & ADS_MATCH_SUM_IDF)
                                  / query->idf_total);
    for (uint32_t g = 0; g < query->n_groups; g++) {
        in_title += places[g] != 0 ? query->groups[g].idf : 0;
        in_first += (places[g] & first) != 0 ? query->groups[g].idf : 0;
    }
    ranked->head = query->head != ADS_MATCH_NO_GROUP
                   && (places[query->head] & title.head) != 0;

    share += ranked->head ? SHARE_HEAD : 0;
    share += SHARE_NEAR * near_share(query, places) / 256;
    share += SHARE_TITLE * in_title / query->idf_total;
    share += SHARE_PHRASE * in_first / query->idf_total;
    ranked->score = (uint32_t)(base * share / SHARE_ALL);
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
                                         .head = ranked[i].head,
                                         .in_title = ranked[i].in_title};
    }
    return n < max ? n : max;
}


bool
ads_match_is_relevant(const struct ads_match_query *query,
                      const struct ads_match_hit *hit)
{
    (void)query;
    return hit->coverage >= 128;
}
