/*
 * Re-ranks candidates by where the words of the query are in the title.  Every
 * word of the query gets a mask of its places; neighbours, head noun and first
 * phrase are then a few operations on masks.
 */
#include "ads_match_parts.h"

/*
 * What a title adds to the score of the postings, as multiples of it x 256;
 * found by search over labelled queries.
 */
#define GAIN_NEAR 876  /* words asked for side by side are neighbours in it */
#define GAIN_HEAD 146  /* its head noun is that of the query */
#define GAIN_NOUN 98   /* it has that noun somewhere */
#define GAIN_START 108 /* it begins with a word of the query */
#define GAIN_WHOLE 128 /* nothing else is in it */

#define SCORE_SHIFT 11 /* keeps a score x gain within 32 bits */

/* Of a score, and of it in one pass of the sort; passes are an odd number. */
#define SCORE_BITS 18
#define DIGIT_BITS 6
#define DIGIT_MASK ((1u << DIGIT_BITS) - 1)

#define PROBES                                                        \
    (ADS_MATCH_GROUPS * ADS_MATCH_ALTERNATIVES * 2 + ADS_MATCH_LONGER \
     + ADS_MATCH_REFUSALS + ADS_MATCH_AGAINST + ADS_MATCH_WITHIN)

/* Places behind those of the groups. */
#define LONGER ADS_MATCH_GROUPS /* of words that make a model longer */
#define REFUSED (ADS_MATCH_GROUPS + 1)
#define AGAINST (ADS_MATCH_GROUPS + 2)
#define PLACES (ADS_MATCH_GROUPS + 3)

/* What is the same for all titles: the terms to look for, and factors that
 * stand for divisions by numbers of the query. */
struct measure {
    uint64_t seen; /* low 6 bits of the terms, as a filter */
    uint32_t n;
    uint32_t term[PROBES];
    uint8_t group[PROBES];
    uint32_t share;  /* 2^24 / idf of the query */
    uint32_t worded; /* the same without the wanted kind, which titles say in
                        words or not at all */
    uint32_t near;   /* GAIN_NEAR x 2^16 / idf of all neighbours */
    uint64_t scale;  /* of a score, x 2^32 */
};


struct ranked {
    uint32_t score;
    uint32_t doc;
    uint32_t in_title;
    uint32_t joined;
    uint16_t coverage;
    uint16_t titled;
    bool head;
    bool longer;
    bool refused;
    bool against;
};


/* The groups that are words: the wanted kind is the last, if there is one. */
static uint32_t
words_of(const struct ads_match_query *query)
{
    return query->n_groups - (query->kind != ADS_MATCH_NO_GROUP);
}


static void
probe_add(struct measure *measure, uint32_t term, uint32_t group)
{
    measure->term[measure->n] = term;
    measure->group[measure->n++] = (uint8_t)group;
    measure->seen |= (uint64_t)1 << (term & 63);
}


static void
probes_read(struct measure *measure, const struct ads_match_query *query)
{
    measure->n = 0;
    measure->seen = 0;
    for (uint32_t g = 0; g < words_of(query); g++) {
        const struct ads_match_group *group = &query->groups[g];

        for (uint32_t i = 0; i < group->n_alternatives; i++) {
            uint32_t terms[2] = {group->alternatives[i].term,
                                 group->alternatives[i].second};

            for (int k = 0; k < 2 && terms[k] != ADS_INDEX_NONE; k++) {
                probe_add(measure, terms[k], g);
            }
        }
    }
    for (uint32_t i = 0; i < query->n_refused; i++) {
        probe_add(measure, query->refused[i], REFUSED);
    }
    for (uint32_t i = 0; i < query->n_against; i++) {
        probe_add(measure, query->against[i], AGAINST);
    }
    for (uint32_t i = 0; i < query->n_within; i++) {
        uint8_t group = query->words[query->within[i].word].group;

        if (group != ADS_MATCH_NO_GROUP) {
            probe_add(measure, query->within[i].term, group);
        }
    }
    for (uint32_t i = 0; i < query->n_longer; i++) {
        probe_add(measure, query->longer[i], LONGER);
    }
}


/* Reads the query.  A score is key / total^2 x coverage x gain, each as a
 * share of its most. */
static void
measure_read(struct measure *measure, const struct ads_match_query *query)
{
    uint64_t total = query->idf_total, pairs = 0, words = total;
    uint64_t most = 256 + GAIN_START + GAIN_WHOLE;
    uint32_t n = words_of(query);

    probes_read(measure, query);
    if (query->kind != ADS_MATCH_NO_GROUP) {
        words -= query->groups[query->kind].idf;
        words = words == 0 ? 1 : words;
    }
    for (uint32_t g = 0; g + 1 < n; g++) {
        pairs += (uint64_t)query->groups[g].idf + query->groups[g + 1].idf;
    }
    if (query->head != ADS_MATCH_NO_GROUP) {
        most += GAIN_HEAD + GAIN_NOUN;
    }
    if (pairs > 0) {
        most += GAIN_NEAR;
    }
    /* rounded up, so that all of a thing is 256 of it */
    measure->share = (uint32_t)((((uint64_t)1 << 24) + total - 1) / total);
    measure->worded = (uint32_t)((((uint64_t)1 << 24) + words - 1) / words);
    measure->near =
        pairs == 0 ? 0 : (uint32_t)(((uint64_t)GAIN_NEAR << 16) / pairs);
    measure->scale = ((uint64_t)ADS_MATCH_UNIT << (32 + SCORE_SHIFT))
                     / (total * total * 255 * most);
}


/*
 * The places of each group in the title; returns how many places that are.
 * Which words of a title are asked for cannot be foreseen, so nothing branches
 * on it: those that pass the filter become a mask, whose few bits are visited
 * one by one.
 */
static uint32_t
places_read(const struct measure *measure, const struct ads_index_title *title,
            uint64_t places[PLACES])
{
    uint64_t maybe = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < title->n; i++) {
        maybe |= (measure->seen >> (title->terms[i] & 63) & 1) << i;
    }
    for (; maybe != 0; maybe &= maybe - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(maybe);
        uint64_t found = 0;

        for (uint32_t k = 0; k < measure->n; k++) {
            uint64_t same = measure->term[k] == title->terms[i];

            places[measure->group[k]] |= same << i;
            found |= same & (measure->group[k] < LONGER);
        }
        n += (uint32_t)found;
    }
    return n;
}


/* Does a unit stand right behind one of its numbers, or "3100 ANSI lumens"? */
static bool
is_measured(const struct ads_match_query *query, uint32_t unit,
            const uint64_t places[PLACES])
{
    uint64_t numbers = 0;

    for (uint32_t of = query->numbers[unit]; of != 0; of &= of - 1) {
        numbers |= places[__builtin_ctz(of)];
    }
    return ((numbers << 1 | numbers << 2) & places[unit]) != 0;
}


/* The gain of a title, 256 and more. */
static uint32_t
gain_read(const struct ads_match_query *query, const struct measure *measure,
          const struct ads_index_title *title, struct ranked *ranked)
{
    uint64_t places[PLACES] = {0};
    uint32_t titled = 0, starts = 0, near = 0, gain = 256;
    uint32_t n = places_read(measure, title, places);

    ranked->in_title = 0;
    ranked->titled = 0;
    ranked->joined = 0;
    ranked->head = false;
    ranked->longer = false;
    ranked->refused = places[REFUSED] != 0;
    ranked->against = places[AGAINST] != 0;
    if (n == 0) {
        return gain;
    }

    for (uint32_t g = 0; g < words_of(query); g++) {
        uint32_t idf = query->groups[g].idf;

        ranked->in_title |= (uint32_t)(places[g] != 0) << g;
        titled += places[g] != 0 ? idf : 0;
        starts += (places[g] & 1) != 0 ? idf : 0;
        if ((query->models >> g & 1) != 0 && places[g] != 0
            && (places[g] << 1 & ~places[LONGER]) == 0)
        {
            ranked->longer = true;
        }
        if (g > 0 && (places[g - 1] << 1 & places[g]) != 0) {
            near += idf + query->groups[g - 1].idf;
            ranked->joined |= 1u << g;
        }
        if ((query->measures >> g & 1) != 0) {
            ranked->joined &= ~(1u << g);
            ranked->joined |= (uint32_t)is_measured(query, g, places) << g;
        }
    }
    ranked->against =
        places[AGAINST] != 0 && (query->opposed & ~ranked->in_title) != 0;
    ranked->titled = (uint16_t)(titled * (uint64_t)measure->worded >> 16);
    gain += (uint32_t)(near * (uint64_t)measure->near >> 16);
    gain += (uint32_t)(GAIN_START * (uint64_t)starts * measure->worded >> 24);
    gain += GAIN_WHOLE * n / (title->n_words < n ? n : title->n_words);
    if (query->head != ADS_MATCH_NO_GROUP) {
        ranked->head = (places[query->head] & title->head) != 0;
        gain += places[query->head] != 0 ? GAIN_NOUN : 0;
        gain += ranked->head ? GAIN_HEAD : 0;
    }
    return gain;
}


static void
candidate_rank(const struct ads_index *index,
               const struct ads_match_query *query,
               const struct measure *measure,
               const struct ads_match_candidate *candidate,
               struct ranked *ranked)
{
    struct ads_index_title title = ads_index_title_peek(index, candidate->doc);
    uint64_t gain = gain_read(query, measure, &title, ranked);
    uint64_t idf = candidate->sum & ADS_MATCH_SUM_IDF;
    uint64_t score;

    ranked->doc = candidate->doc;
    ranked->coverage = (uint16_t)(idf * measure->share >> 16);
    score = (uint64_t)candidate->key * ranked->coverage >> 8;
    score = (score * gain >> SCORE_SHIFT) * measure->scale >> 32;
    ranked->score = (uint32_t)(score > ADS_MATCH_UNIT ? ADS_MATCH_UNIT : score);
}


/* The titles of the attached index: the same measure, with the terms they are
 * written in.  They are few: found without a prefetch. */
static void
more_rank(const struct ads_index *index, const struct ads_match_query *query,
          const struct measure *measure,
          const struct ads_match_candidate *candidates, uint32_t n,
          struct ranked *ranked)
{
    struct measure other = *measure;
    struct ads_match_query local;

    ads_match_localize(index, query, &local);
    probes_read(&other, &local);
    for (uint32_t i = 0; i < n; i++) {
        if (candidates[i].doc >= index->n_docs) {
            struct ads_match_candidate item = candidates[i];

            item.doc -= index->n_docs;
            candidate_rank(index->more, query, &other, &item, &ranked[i]);
            ranked[i].doc = candidates[i].doc;
        }
    }
}


/* Writes the places of ranked[] to order[], the highest score first: a radix
 * sort, whose time does not hang on branches that cannot be foreseen. */
static void
order_by_score(const struct ranked *ranked, uint32_t n,
               uint8_t order[ADS_MATCH_DEPTH])
{
    uint8_t other[ADS_MATCH_DEPTH];
    uint8_t *from = other, *to = order;

    for (uint32_t i = 0; i < n; i++) {
        from[i] = (uint8_t)i;
    }
    for (uint32_t shift = 0; shift < SCORE_BITS; shift += DIGIT_BITS) {
        uint32_t start[1 << DIGIT_BITS] = {0}, at = 0;
        uint8_t *swap = from;

        for (uint32_t i = 0; i < n; i++) {
            start[ranked[i].score >> shift & DIGIT_MASK]++;
        }
        for (uint32_t digit = 1 << DIGIT_BITS; digit-- > 0;) {
            uint32_t count = start[digit];

            start[digit] = at;
            at += count;
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t digit = ranked[from[i]].score >> shift & DIGIT_MASK;

            to[start[digit]++] = from[i];
        }
        from = to;
        to = swap;
    }
}


uint32_t
ads_match_rank(const struct ads_index *index,
               const struct ads_match_query *query,
               const struct ads_match_candidate *candidates, uint32_t n,
               struct ads_match_hit *hits, uint32_t max)
{
    struct ranked ranked[ADS_MATCH_DEPTH];
    uint8_t order[ADS_MATCH_DEPTH];
    struct measure measure;

    /* titles lie anywhere: ask for all of them before the first is read */
    for (uint32_t i = 0; i < n; i++) {
        __builtin_prefetch(&index->titles[candidates[i].doc]);
    }
    measure_read(&measure, query);
    for (uint32_t i = 0; i < n; i++) {
        ads_index_title_prefetch(index, candidates[i].doc);
    }
    for (uint32_t i = 0; i < n; i++) {
        candidate_rank(index, query, &measure, &candidates[i], &ranked[i]);
    }
    if (index->more != NULL) {
        more_rank(index, query, &measure, candidates, n, ranked);
    }
    order_by_score(ranked, n, order);

    for (uint32_t i = 0; i < n && i < max; i++) {
        const struct ranked *best = &ranked[order[i]];

        hits[i] = (struct ads_match_hit){.doc = best->doc,
                                         .score = best->score,
                                         .coverage = best->coverage,
                                         .titled = best->titled,
                                         .head = best->head,
                                         .in_title = best->in_title,
                                         .joined = best->joined,
                                         .longer = best->longer,
                                         .refused = best->refused,
                                         .against = best->against};
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
