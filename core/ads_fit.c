/*
 * Scores how likely a product is a good answer: features of a hit, weighted.
 */
#include "ads_fit_model.h"

#define SURE_USUAL 200 /* how sure a product's kind mostly is */
#define SURE_STEP 50
#define HINTS_MOST (5 * ADS_FIT_NAT)
#define LACKS_MOST 3
#define COUNT_MOST 2       /* of what a product lacks */
#define SCORE_STRONG 12000 /* of a hit that has three rare words */
#define KIND_COUNTS 16     /* part of what leads that a kind has to be */
#define ALL_WORDS 256      /* the coverage of a hit that has them all */

static const char *const names[] = {
    [ADS_FIT_NO_WISH] = "no_wish", [ADS_FIT_EXACT] = "exact",
    [ADS_FIT_BROADER] = "broader", [ADS_FIT_SIBLING] = "sibling",
    [ADS_FIT_UNKNOWN] = "unknown", [ADS_FIT_BELONGS] = "belongs",
    [ADS_FIT_OWNER] = "owner",     [ADS_FIT_OTHER] = "other",
};

static const char *const feature_names[ADS_FIT_FEATURES] = {
    [ADS_FIT_ANY] = "any",
    [ADS_FIT_WISHED] = "wished",
    [ADS_FIT_REFUSED] = "refused",
    [ADS_FIT_HINTED] = "hinted",
    [ADS_FIT_HINTS] = "hints",
    [ADS_FIT_SURE] = "sure",
    [ADS_FIT_COVERED] = "covered",
    [ADS_FIT_TITLED] = "titled",
    [ADS_FIT_SHORT] = "short",
    [ADS_FIT_LEADS] = "leads",
    [ADS_FIT_LEADS_KIND] = "leads_kind",
    [ADS_FIT_AGREED] = "agreed",
    [ADS_FIT_STRONG] = "strong",
    [ADS_FIT_LOST] = "lost",
    [ADS_FIT_LONGER] = "longer",
    [ADS_FIT_MODEL_ELSE] = "model_else",
    [ADS_FIT_NO_MODEL] = "no_model",
    [ADS_FIT_MEASURE_ELSE] = "measure_else",
    [ADS_FIT_NO_MEASURE] = "no_measure",
    [ADS_FIT_NO_QUALITY] = "no_quality",
    [ADS_FIT_NO_BRAND] = "no_brand",
    [ADS_FIT_UNWANTED] = "unwanted",
    [ADS_FIT_CONTRARY] = "contrary",
    [ADS_FIT_LACKS] = "lacks",
    [ADS_FIT_NAMED] = "named",
    [ADS_FIT_NAMELESS] = "nameless",
    [ADS_FIT_NO_NAME] = "no_name",
    [ADS_FIT_HAS_HEAD] = "has_head",
    [ADS_FIT_NO_HEAD] = "no_head",
    [ADS_FIT_HEADED] = "headed",
    [ADS_FIT_IS_BROADER] = "is_broader",
    [ADS_FIT_IS_NARROWED] = "is_narrowed",
    [ADS_FIT_TOO_BROAD] = "too_broad",
    [ADS_FIT_IS_SIBLING] = "is_sibling",
    [ADS_FIT_IS_UNKNOWN] = "is_unknown",
    [ADS_FIT_BELONGING] = "belonging",
    [ADS_FIT_NO_OTHER] = "no_other",
};


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


const char *
ads_fit_feature_name(enum ads_fit_feature feature)
{
    return (unsigned)feature < ADS_FIT_FEATURES ? feature_names[feature]
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


/* Is the kind one that is not wanted, or a narrower one?  Where nothing else is
 * wanted, what belongs to it is not wanted either. */
static bool
is_refused(const struct ads_wish *wish, const struct ads_goods *goods,
           uint32_t kind)
{
    for (uint32_t i = 0; i < wish->n_mentions && kind < goods->n_kinds; i++) {
        uint32_t other = wish->mentions[i].kind;

        if (wish->mentions[i].role == ADS_WISH_REFUSED
            && (ads_goods_is(goods, kind, other)
                || (wish->n_kinds == 0
                    && ads_goods_relation(goods, kind, other) != 0)))
        {
            return true;
        }
    }
    return false;
}


/* Reads what is known of a kind, once for the hits of one. */
static void
kind_read(const struct ads_fitting *fitting, uint32_t kind,
          struct ads_fit_of_kind *of)
{
    const struct ads_goods *goods = fitting->understood->focus.match.goods;
    const struct ads_wish *wish = &fitting->understood->wish;
    const uint32_t *broader;
    uint32_t n, hints, above;

    of->kind = ads_fit_kind_of(wish, goods, kind);
    of->wished = ads_wish_odds(wish, goods, kind);
    of->refused = of->kind != ADS_FIT_EXACT && is_refused(wish, goods, kind);
    if (kind < goods->n_kinds) {
        hints = ads_hints_of(&wish->hints, kind).score;
        broader = ads_goods_ancestors(goods, kind, &n);
        /* what hints at the next broader kind says less */
        above =
            n < 2 ? 0 : ads_hints_of(&wish->hints, broader[0]).score * 7u / 10;
        hints = hints > above ? hints : above;
        hints = hints * ADS_FIT_NAT / (8 * ADS_HINT_UNIT);
        of->hints = (int32_t)(hints < HINTS_MOST ? hints : HINTS_MOST);
    }
}


/* The place of a kind: there is one for each of ADS_MATCH_DEPTH hits. */
static uint32_t
kind_at(struct ads_fitting *fitting, uint32_t kind)
{
    const struct ads_goods *goods = fitting->understood->focus.match.goods;
    uint32_t number = kind < goods->n_kinds ? kind + 1 : goods->n_kinds + 1;
    uint32_t at = number * 0x9e3779b1u >> 16;

    for (uint32_t i = 0; i < ADS_FIT_KINDS - 1; i++) {
        at &= ADS_FIT_KINDS - 1;
        if (fitting->kinds[at].number == number) {
            return at;
        }
        if (fitting->kinds[at].number == 0) {
            break;
        }
        at++;
    }
    fitting->kinds[at] = (struct ads_fit_of_kind){.number = number};
    kind_read(fitting, kind, &fitting->kinds[at]);
    return at;
}


void
ads_fit_begin(struct ads_fitting *fitting,
              const struct ads_understood *understood,
              const struct ads_match_query *query)
{
    memset(fitting, 0, sizeof(*fitting));
    fitting->understood = understood;
    fitting->query = query;
}


/* How many demands of the request a title meets. */
static uint32_t
met_by(const struct ads_match_query *query, const struct ads_match_hit *hit)
{
    uint32_t demands = query->models | query->qualities | query->brands
                       | (query->measures & hit->joined);

    return (uint32_t)__builtin_popcount(demands & hit->in_title);
}


void
ads_fit_note(struct ads_fitting *fitting, const struct ads_match_hit *hit,
             uint32_t kind)
{
    uint32_t at = kind_at(fitting, kind);

    if (fitting->n_noted < ADS_MATCH_DEPTH) {
        fitting->noted[fitting->n_noted].score = hit->score;
        fitting->noted[fitting->n_noted++].at = at;
    }
    if (hit->score > fitting->top) {
        fitting->top = hit->score;
    }
    if (fitting->kinds[at].kind == ADS_FIT_EXACT) {
        uint32_t met = met_by(fitting->query, hit);

        fitting->top_kind =
            hit->score > fitting->top_kind ? hit->score : fitting->top_kind;
        fitting->met = met > fitting->met ? met : fitting->met;
    }
}


static int32_t
share_of(uint32_t score, uint32_t top)
{
    return top == 0 || score >= top
               ? ADS_FIT_NAT
               : (int32_t)((uint64_t)score * ADS_FIT_NAT / top);
}


/* Weighs the kinds of what was noted: a hit that is half as good as the best
 * says next to nothing. */
static void
kinds_weigh(struct ads_fitting *fitting)
{
    for (uint32_t i = 0; i < fitting->n_noted; i++) {
        uint32_t weight =
            (uint32_t)share_of(fitting->noted[i].score, fitting->top);

        for (int squared = 0; squared < 3; squared++) {
            weight = weight * weight / ADS_FIT_NAT;
        }
        fitting->kinds[fitting->noted[i].at].weight += weight;
        fitting->weight += weight;
    }
}


/* Compares the kinds with each other: how much of what leads is of one of them,
 * a broader or a narrower one. */
static void
kinds_compare(struct ads_fitting *fitting)
{
    const struct ads_goods *goods = fitting->understood->focus.match.goods;
    struct ads_fit_of_kind *kinds = fitting->kinds;

    kinds_weigh(fitting);
    for (uint32_t i = 0; i < ADS_FIT_KINDS && fitting->weight > 0; i++) {
        if (kinds[i].weight * KIND_COUNTS < fitting->weight) {
            continue; /* most of them */
        }
        for (uint32_t k = 0; k < ADS_FIT_KINDS; k++) {
            if (kinds[k].number != 0
                && (i == k
                    || ads_goods_in_line(goods, kinds[i].number - 1,
                                         kinds[k].number - 1)))
            {
                kinds[k].agreed += share_of(kinds[i].weight, fitting->weight);
            }
        }
    }
    fitting->compared = true;
}


/* So many of the groups, as a feature. */
static int32_t
count_of(uint32_t groups)
{
    int32_t n = 0;

    for (; groups != 0 && n < COUNT_MOST; groups &= groups - 1) {
        n++;
    }
    return n * ADS_FIT_NAT;
}


/* The groups that neither the title has nor, as far as what is covered in all
 * tells, another text of the product. */
static uint32_t
absent_of(const struct ads_match_query *query, const struct ads_match_hit *hit)
{
    uint32_t bare = (ALL_WORDS - hit->coverage + 1u) * query->idf_total;
    uint32_t absent = 0;

    for (uint32_t g = 0; g < query->n_groups; g++) {
        if ((hit->in_title >> g & 1) == 0
            && query->groups[g].idf * (uint32_t)ALL_WORDS <= bare)
        {
            absent |= 1u << g;
        }
    }
    return absent;
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


/* Of the models that a product has not: those whose series its title has, or
 * the brand where no word before them tells the series.  It is another model of
 * that: "Galaxy S6" of "Galaxy S7". */
static uint32_t
models_else(const struct ads_match_query *query,
            const struct ads_match_hit *hit, uint32_t absent)
{
    uint32_t other = 0;

    for (; absent != 0; absent &= absent - 1) {
        uint32_t g = (uint32_t)__builtin_ctz(absent);
        uint32_t series =
            query->series[g] > 0 ? 1u << (query->series[g] - 1) : query->brands;

        other |= (series & hit->in_title) != 0 ? 1u << g : 0;
    }
    return other;
}


/* What the request demands and the product does not say. */
static void
demands_read(const struct ads_match_query *query,
             const struct ads_match_hit *hit, int32_t *features)
{
    uint32_t absent = absent_of(query, hit);
    uint32_t lost = query->n_lost < COUNT_MOST ? query->n_lost : COUNT_MOST;
    uint32_t else_of;

    if ((query->either & ~absent) != 0) {
        absent &= ~query->either; /* it has one of them */
    }
    features[ADS_FIT_LOST] = (int32_t)lost * ADS_FIT_NAT;
    features[ADS_FIT_UNWANTED] = hit->refused ? ADS_FIT_NAT : 0;
    features[ADS_FIT_CONTRARY] = hit->against ? ADS_FIT_NAT : 0;
    features[ADS_FIT_LONGER] = hit->longer ? ADS_FIT_NAT : 0;
    else_of = models_else(query, hit, query->models & absent);
    features[ADS_FIT_MODEL_ELSE] = count_of(else_of);
    features[ADS_FIT_NO_MODEL] = count_of(query->models & absent & ~else_of);
    features[ADS_FIT_MEASURE_ELSE] =
        count_of(query->measures & hit->in_title & ~hit->joined);
    features[ADS_FIT_NO_MEASURE] =
        count_of(query->measures & absent & ~hit->joined);
    features[ADS_FIT_NO_QUALITY] = count_of(query->qualities & absent);
    features[ADS_FIT_NO_BRAND] = count_of(query->brands & absent);
    features[ADS_FIT_NO_NAME] = count_of(query->names & ~hit->in_title);
    if (query->names == 0) {
        features[ADS_FIT_NAMELESS] = ADS_FIT_NAT;
    } else if ((query->names & ~hit->in_title) == 0 && query->n_nameless == 0) {
        features[ADS_FIT_NAMED] = ADS_FIT_NAT;
    }
    if (query->head != ADS_MATCH_NO_GROUP) {
        bool has = (hit->in_title >> query->head & 1) != 0;

        features[has ? ADS_FIT_HAS_HEAD : ADS_FIT_NO_HEAD] = ADS_FIT_NAT;
    }
    features[ADS_FIT_HEADED] = hit->head ? ADS_FIT_NAT : 0;
}


/* Of the words that name the wanted kind those that set it apart from broader
 * ones: "ergonomic" of "ergonomic mouse". */
static uint32_t
narrows_of(const struct ads_match_query *query)
{
    uint32_t head = query->head == ADS_MATCH_NO_GROUP ? 0 : 1u << query->head;

    return (query->names & query->said) != 0 ? query->names & query->said
                                             : query->names & ~head;
}


/* Does a product of a broader kind say what makes it the wanted one?  Where no
 * word tells the two apart, nothing is known. */
static void
broader_read(const struct ads_match_query *query,
             const struct ads_match_hit *hit, int32_t *features)
{
    uint32_t narrows = narrows_of(query);

    if (narrows != 0) {
        features[(narrows & ~hit->in_title) == 0 ? ADS_FIT_IS_NARROWED
                                                 : ADS_FIT_TOO_BROAD] =
            ADS_FIT_NAT;
    }
}


enum ads_fit_class
ads_fit_features(struct ads_fitting *fitting, const struct ads_match_hit *hit,
                 uint32_t kind, uint8_t sure,
                 int32_t features[ADS_FIT_FEATURES])
{
    static const uint8_t of_kind[] = {
        [ADS_FIT_BROADER] = ADS_FIT_IS_BROADER,
        [ADS_FIT_SIBLING] = ADS_FIT_IS_SIBLING,
        [ADS_FIT_UNKNOWN] = ADS_FIT_IS_UNKNOWN,
        [ADS_FIT_BELONGS] = ADS_FIT_BELONGING,
        [ADS_FIT_OWNER] = ADS_FIT_BELONGING,
        [ADS_FIT_OTHER] = ADS_FIT_ANY,
    };
    const struct ads_wish *wish = &fitting->understood->wish;
    uint32_t at = kind_at(fitting, kind);
    enum ads_fit_kind fit = fitting->kinds[at].kind;
    int32_t lacks;

    if (!fitting->compared) {
        kinds_compare(fitting);
    }

    memset(features, 0, ADS_FIT_FEATURES * sizeof(*features));
    demands_read(fitting->query, hit, features);
    features[of_kind[fit]] = ADS_FIT_NAT;
    features[ADS_FIT_ANY] = ADS_FIT_NAT;
    features[ADS_FIT_WISHED] = fitting->kinds[at].wished;
    features[ADS_FIT_REFUSED] = fitting->kinds[at].refused ? ADS_FIT_NAT : 0;
    features[ADS_FIT_HINTED] =
        wish->n_kinds > 0 && wish->from == wish->to ? ADS_FIT_NAT : 0;
    features[ADS_FIT_HINTS] = fitting->kinds[at].hints;
    if (kind < fitting->understood->focus.match.goods->n_kinds) {
        features[ADS_FIT_SURE] = (sure - SURE_USUAL) * ADS_FIT_NAT / SURE_STEP;
    }
    lacks = (int32_t)fitting->met - (int32_t)met_by(fitting->query, hit);
    features[ADS_FIT_LACKS] = (lacks < 0            ? 0
                               : lacks > LACKS_MOST ? LACKS_MOST
                                                    : lacks)
                              * ADS_FIT_NAT;
    features[ADS_FIT_COVERED] = hit->coverage;
    features[ADS_FIT_TITLED] = hit->titled;
    features[ADS_FIT_SHORT] =
        fitting->understood->scan.n_words <= ADS_FOCUS_SHORT ? ADS_FIT_NAT : 0;
    features[ADS_FIT_LEADS] = share_of(hit->score, fitting->top);
    features[ADS_FIT_AGREED] = fitting->kinds[at].agreed;
    features[ADS_FIT_STRONG] = share_of(hit->score, SCORE_STRONG);
    if (fit == ADS_FIT_EXACT) {
        features[ADS_FIT_TITLED] += named_otherwise(fitting->query, hit);
        features[ADS_FIT_LEADS_KIND] = share_of(hit->score, fitting->top_kind);
        return ADS_FIT_OF_KIND;
    }
    if (fit == ADS_FIT_BROADER && features[ADS_FIT_NAMED] == 0) {
        broader_read(fitting->query, hit, features);
    }
    features[ADS_FIT_NO_OTHER] = fitting->top_kind == 0 ? ADS_FIT_NAT : 0;
    return fit == ADS_FIT_NO_WISH ? ADS_FIT_OF_WORDS : ADS_FIT_OF_ANOTHER;
}


/* What hits are ordered by: its words, as if the title of one of the wanted
 * kind had the name. */
static uint32_t
score_of(const struct ads_match_query *query, const struct ads_match_hit *hit,
         enum ads_fit_kind kind)
{
    uint32_t score = hit->score * share[kind] / 256;

    return kind == ADS_FIT_EXACT
               ? score + score * (uint32_t)named_otherwise(query, hit) / 256
               : score;
}


struct ads_fit
ads_fit_read(struct ads_fitting *fitting, const struct ads_match_hit *hit,
             uint32_t kind, uint8_t sure)
{
    int32_t features[ADS_FIT_FEATURES];
    enum ads_fit_class class =
        ads_fit_features(fitting, hit, kind, sure, features);
    enum ads_fit_kind kind_of_it = fitting->kinds[kind_at(fitting, kind)].kind;
    int32_t sum = 0;

    for (int i = 0; i < ADS_FIT_FEATURES; i++) {
        sum += features[i] * ads_fit_model[class][i];
    }
    sum /= ADS_FIT_NAT;
    return (struct ads_fit){
        .kind = kind_of_it,
        .probability = logistic(sum),
        .score = score_of(fitting->query, hit, kind_of_it),
    };
}
