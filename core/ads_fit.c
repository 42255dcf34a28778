/*
 * How likely a product is a good answer: a few features, weighed.
 */
#include "ads_focus.h"

static const char *const names[] = {
    [ADS_FIT_NO_WISH] = "no_wish", [ADS_FIT_EXACT] = "exact",
    [ADS_FIT_BROADER] = "broader", [ADS_FIT_SIBLING] = "sibling",
    [ADS_FIT_UNKNOWN] = "unknown", [ADS_FIT_BELONGS] = "belongs",
    [ADS_FIT_OWNER] = "owner",     [ADS_FIT_OTHER] = "other",
};

/* Of a demand that a title does not meet; 256 is one nat. */
#define MODEL_MISSING 700
#define MEASURE_MISSING 300
#define MEASURE_OTHER 900 /* the title has the unit with another number */
#define BRAND_MISSING 450
#define QUALITY_MISSING 200
#define MISSING_MAX 1200
#define NAMED_WHOLE 600
#define ALL_WORDS 256 /* a hit's coverage when it has all */

/* Of a hit of the wanted kind, 256 is one nat. */
#define BIAS 60
#define SURE_WEIGHT 4
#define WISH_MOST 512
#define WISH_WEIGHT 64
#define DOUBT_WEIGHT 200 /* of a wish that is rather none */
#define SURE_USUAL 210   /* how sure a product's kind mostly is */
#define COVERAGE_WEIGHT 128
#define TITLED_WEIGHT 256
#define HINTED 120  /* in place of what its words weigh */
#define FOREIGN 180 /* likewise, of a name that no product has */

/* Of a score by kind, of 256. */
static const uint16_t share[] = {
    [ADS_FIT_NO_WISH] = 256, [ADS_FIT_EXACT] = 256,   [ADS_FIT_BROADER] = 256,
    [ADS_FIT_SIBLING] = 256, [ADS_FIT_UNKNOWN] = 256, [ADS_FIT_BELONGS] = 160,
    [ADS_FIT_OWNER] = 160,   [ADS_FIT_OTHER] = 240,
};


const char *
ads_fit_name(enum ads_fit_kind kind)
{
    return (unsigned)kind < sizeof(names) / sizeof(*names) ? names[kind]
                                                           : "none";
}


/* Are both of one next broader kind that is none of the broadest? */
static bool
is_sibling(const struct ads_goods *goods, uint32_t a, uint32_t b)
{
    uint32_t n, n_other, n_above;
    const uint32_t *one = ads_goods_ancestors(goods, a, &n);
    const uint32_t *other = ads_goods_ancestors(goods, b, &n_other);

    if (n == 0 || n_other == 0 || one[0] != other[0]) {
        return false;
    }
    ads_goods_ancestors(goods, one[0], &n_above);
    return n_above > 0;
}


enum ads_fit_kind
ads_fit_kind_of(const struct ads_wish *wish, const struct ads_goods *goods,
                uint32_t kind)
{
    enum ads_fit_kind found = ADS_FIT_OTHER;

    if (wish->n_kinds == 0) {
        return ADS_FIT_NO_WISH;
    }
    if (kind >= goods->n_kinds) {
        return ADS_FIT_UNKNOWN;
    }
    for (uint32_t i = 0; i < wish->n_kinds; i++) {
        uint32_t wanted = wish->kinds[i];

        if (ads_goods_is(goods, kind, wanted)) {
            return ADS_FIT_EXACT;
        }
        if (ads_goods_is(goods, wanted, kind)) {
            found = ADS_FIT_BROADER;
        } else if (found == ADS_FIT_OTHER && is_sibling(goods, kind, wanted)) {
            found = ADS_FIT_SIBLING;
        } else if (found == ADS_FIT_OTHER
                   && ads_goods_relation(goods, kind, wanted) != 0)
        {
            found = ADS_FIT_BELONGS;
        } else if (found == ADS_FIT_OTHER
                   && ads_goods_relation(goods, wanted, kind) != 0)
        {
            found = ADS_FIT_OWNER;
        }
    }
    return found;
}


/* 65536 / (1 + e^-x), x in 1 / 256: by straight lines between points. */
static uint32_t
logistic(int32_t x)
{
    static const uint16_t points[] = {32768, 40792, 47911, 53581, 57723,
                                      60568, 62428, 63605, 64334, 64780,
                                      65049, 65212, 65310, 65369, 65404};
    const int32_t step = 128, most = (int32_t)(sizeof(points) / 2 - 1) * step;
    int32_t at = x < 0 ? -x : x;
    uint32_t value;

    at = at < most ? at : most - 1;
    value = points[at / step]
            + (uint32_t)((points[at / step + 1] - points[at / step])
                         * (at % step) / step);
    return x < 0 ? ADS_FIT_UNIT - value : value;
}


/* What the request demands and the title does not say. */
static int32_t
missing(const struct ads_match_query *query, const struct ads_match_hit *hit)
{
    int32_t odds = -MODEL_MISSING * (int32_t)query->n_lost;

    odds -= MODEL_MISSING * __builtin_popcount(query->models & ~hit->in_title);
    odds -=
        MEASURE_OTHER
        * __builtin_popcount(query->measures & hit->in_title & ~hit->joined);
    odds -=
        MEASURE_MISSING
        * __builtin_popcount(query->measures & ~hit->in_title & ~hit->joined);
    odds -=
        QUALITY_MISSING * __builtin_popcount(query->qualities & ~hit->in_title);
    odds -= BRAND_MISSING * __builtin_popcount(query->brands & ~hit->in_title);
    return odds < -MISSING_MAX ? -MISSING_MAX : odds;
}


/* Is the first wanted kind hinted at or needed, and not named? */
static bool
is_hinted(const struct ads_wish *wish)
{
    return wish->from == wish->to;
}


static int32_t
at_most(int32_t value, int32_t most)
{
    return value < most ? value : most;
}


/* The share of the words, of 256, that name the wanted kind and that the title
 * does not have: a product of that kind is called otherwise, a laptop a
 * notebook. */
static int32_t
named_otherwise(const struct ads_match_query *query,
                const struct ads_match_hit *hit)
{
    uint32_t named = 0, all = 0;

    if ((query->names & ~hit->in_title) == 0) {
        return 0;
    }
    for (uint32_t g = 0; g < query->n_groups; g++) {
        if (g != query->kind) {
            all += query->groups[g].idf;
            named += (query->names & ~hit->in_title & 1u << g) != 0
                         ? query->groups[g].idf
                         : 0;
        }
    }
    return all == 0 ? 0 : (int32_t)(named * 256 / all);
}


/*
 * What stands for and against a hit of the wanted kind: how sure the wish and
 * the product's kind are, how much of the words the product and its title
 * have, what they miss.  `named`: as named_otherwise().
 */
static int32_t
odds_of_exact(const struct ads_understood *understood,
              const struct ads_match_query *query,
              const struct ads_match_hit *hit, int32_t named, uint8_t sure)
{
    int32_t wish = understood->wish.score;
    int32_t odds = BIAS + missing(query, hit);

    wish = wish > WISH_MOST ? WISH_MOST : wish < -WISH_MOST ? -WISH_MOST : wish;
    odds += wish * (wish < 0 ? DOUBT_WEIGHT : WISH_WEIGHT) / 256;
    odds += (sure - SURE_USUAL) * SURE_WEIGHT;
    if (is_hinted(&understood->wish)) { /* its words are no product's */
        return odds + HINTED;
    }
    if (query->names == 0) { /* its name is of another language */
        return odds + FOREIGN;
    }
    odds += at_most(hit->coverage + named, 256) * COVERAGE_WEIGHT / 256;
    odds += at_most(hit->titled + named, 256) * TITLED_WEIGHT / 256;
    return odds;
}


/* What stands for and against a hit that is not of the wanted kind as far as
 * is known, 256 is one nat. */
static int32_t
log_odds(const struct ads_match_query *query, const struct ads_match_hit *hit,
         enum ads_fit_kind kind)
{
    static const int16_t of_kind[] = {
        [ADS_FIT_NO_WISH] = 0,    [ADS_FIT_EXACT] = 0,
        [ADS_FIT_BROADER] = -400, [ADS_FIT_SIBLING] = -700,
        [ADS_FIT_UNKNOWN] = -600, [ADS_FIT_BELONGS] = -1200,
        [ADS_FIT_OWNER] = -1200,  [ADS_FIT_OTHER] = -1200,
    };
    bool headed = query->head != ADS_MATCH_NO_GROUP;
    bool named = !headed || (hit->in_title >> query->head & 1) != 0;
    int32_t odds = of_kind[kind] + missing(query, hit);

    if (kind == ADS_FIT_NO_WISH) { /* words alone: the floor of the match */
        return !ads_match_is_relevant(query, hit) ? -300
               : hit->coverage < ALL_WORDS        ? 50 + hit->titled / 2
                                                  : 120 + hit->titled / 2;
    }
    if (query->names != 0) {
        bool all = (hit->in_title & query->names) == query->names;

        odds += all ? 250 : -350;
        if (all && __builtin_popcount(query->names) > 1
            && (kind == ADS_FIT_OTHER || kind == ADS_FIT_SIBLING))
        {
            odds += NAMED_WHOLE; /* its title says the name itself */
        }
    }
    if (kind == ADS_FIT_UNKNOWN && query->kind != ADS_MATCH_NO_GROUP) {
        odds -= 400; /* others are known to be it */
    }
    odds += hit->head ? 200 : 0;
    odds += named ? 100 : -300;
    odds += (int32_t)hit->titled * 3 / 2;
    odds += (int32_t)hit->coverage - 128;
    odds += hit->score >= ADS_MATCH_FLOOR ? 200 : -200;
    return odds;
}


struct ads_fit
ads_fit_read(const struct ads_understood *understood,
             const struct ads_match_query *query,
             const struct ads_match_hit *hit, uint32_t kind, uint8_t sure)
{
    struct ads_fit fit;
    int32_t named, odds;

    fit.kind =
        ads_fit_kind_of(&understood->wish, understood->focus.match.goods, kind);
    fit.score = hit->score * share[fit.kind] / 256;
    if (fit.kind == ADS_FIT_EXACT) { /* as if the title had the name */
        named = named_otherwise(query, hit);
        fit.score += fit.score * (uint32_t)named / 256;
        odds = odds_of_exact(understood, query, hit, named, sure);
    } else {
        odds = log_odds(query, hit, fit.kind);
    }
    fit.probability = logistic(odds);
    return fit;
}
