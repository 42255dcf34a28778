/*
 * Finds what a request wants: features of each mention, their scores, which of
 * them is wanted, and with which attributes.
 */
#include "ads_wish_model.h"
#include "ads_wish_parts.h"

#define NEAR_WORDS 4
#define BROKEN_WORDS 7
#define SHORT_WORDS 6
#define LONG_WORDS 12
#define FOREIGN_MAX 4      /* bytes of a name that may be English by chance */
#define SURE_ENOUGH (-350) /* odds from which on a kind is wanted */
#define SURE_OF_AMBIGUOUS (-200)
#define NEXT_BEST ADS_WISH_UNIT /* another one may be so much less sure */
#define CONNECTORS                                          \
    (ADS_CUE_BIT(ADS_CUE_FOR) | ADS_CUE_BIT(ADS_CUE_PLACE)  \
     | ADS_CUE_BIT(ADS_CUE_WITH) | ADS_CUE_BIT(ADS_CUE_OF)  \
     | ADS_CUE_BIT(ADS_CUE_AND) | ADS_CUE_BIT(ADS_CUE_WANT) \
     | ADS_CUE_BIT(ADS_CUE_INSTEAD) | ADS_CUE_BIT(ADS_CUE_WITHOUT))
#define REFUSAL_WORDS 3 /* between "not" and an attribute, at most */
#define HINTS_SEEN 8
#define HINT_SOME (4 * ADS_HINT_UNIT) /* scores of hints, in bits */
#define HINT_MORE (8 * ADS_HINT_UNIT)
#define HINT_MUCH (12 * ADS_HINT_UNIT)
#define HINT_MOST (18 * ADS_HINT_UNIT)
#define HINTS_MOST (48 * ADS_HINT_UNIT)
#define AHEAD_MOST (24 * ADS_HINT_UNIT)
#define HINT_LEAD (3 * ADS_HINT_UNIT)
#define BIT(feature) ((uint64_t)1 << (ADS_WISH_##feature))

_Static_assert(ADS_WISH_HINTS_ALL <= 64, "features are bits");

static const char *const feature_names[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = "any",
    [ADS_WISH_NEED] = "need",
    [ADS_WISH_AMBIGUOUS] = "ambiguous",
    [ADS_WISH_COMPOUND] = "compound",
    [ADS_WISH_PREFIX] = "prefix",
    [ADS_WISH_ALONE] = "alone",
    [ADS_WISH_FIRST] = "first",
    [ADS_WISH_LAST] = "last",
    [ADS_WISH_WHOLE] = "whole",
    [ADS_WISH_WANT_BEFORE] = "want_before",
    [ADS_WISH_WANT_EARLIER] = "want_earlier",
    [ADS_WISH_WANT_NEAR] = "want_near",
    [ADS_WISH_WANT_BEHIND] = "want_behind",
    [ADS_WISH_WHICH] = "which",
    [ADS_WISH_MINE_BEFORE] = "mine_before",
    [ADS_WISH_OWN_BEFORE] = "own_before",
    [ADS_WISH_BROKEN] = "broken",
    [ADS_WISH_INSTEAD] = "instead",
    [ADS_WISH_WITHOUT] = "without",
    [ADS_WISH_FOR_BEFORE] = "for_before",
    [ADS_WISH_FOR_ALONE] = "for_alone",
    [ADS_WISH_PLACE_BEFORE] = "place_before",
    [ADS_WISH_PLACE_ALONE] = "place_alone",
    [ADS_WISH_FOR_BEHIND] = "for_behind",
    [ADS_WISH_WITH_BEFORE] = "with_before",
    [ADS_WISH_WITH_BEHIND] = "with_behind",
    [ADS_WISH_OF_BEFORE] = "of_before",
    [ADS_WISH_OF_BEHIND] = "of_behind",
    [ADS_WISH_KIND_BEFORE] = "kind_before",
    [ADS_WISH_KIND_BEHIND] = "kind_behind",
    [ADS_WISH_AND_BEFORE] = "and_before",
    [ADS_WISH_AND_BEHIND] = "and_behind",
    [ADS_WISH_WRITE] = "write",
    [ADS_WISH_HOWTO] = "howto",
    [ADS_WISH_FIX] = "fix",
    [ADS_WISH_AFTER] = "after",
    [ADS_WISH_GIFT] = "gift",
    [ADS_WISH_ARTICLE] = "article",
    [ADS_WISH_THE] = "the",
    [ADS_WISH_LATE] = "late",
    [ADS_WISH_EARLY] = "early",
    [ADS_WISH_OF_ANOTHER] = "of_another",
    [ADS_WISH_HAS_ANOTHER] = "has_another",
    [ADS_WISH_NARROWER] = "narrower",
    [ADS_WISH_BROADER] = "broader",
    [ADS_WISH_BROAD] = "broad",
    [ADS_WISH_PRICE] = "price",
    [ADS_WISH_LONG] = "long",
    [ADS_WISH_FOREIGN] = "foreign",
    [ADS_WISH_CLAUSE_LAST] = "clause_last",
    [ADS_WISH_TRAILED] = "trailed",
    [ADS_WISH_TRAILED_SHORT] = "trailed_short",
    [ADS_WISH_PIECE] = "piece",
    [ADS_WISH_HINTED] = "hinted",
    [ADS_WISH_HINT_SOME] = "hint_some",
    [ADS_WISH_HINT_MORE] = "hint_more",
    [ADS_WISH_HINT_MUCH] = "hint_much",
    [ADS_WISH_HINT_MOST] = "hint_most",
    [ADS_WISH_HINT_TOP] = "hint_top",
    [ADS_WISH_HINT_LEAD] = "hint_lead",
    [ADS_WISH_HINT_FEW] = "hint_few",
    [ADS_WISH_PLAIN] = "plain",
    [ADS_WISH_LINE] = "line",
    [ADS_WISH_COMPOSED] = "composed",
    [ADS_WISH_HINTS_ALL] = "hints_all",
    [ADS_WISH_HINTS_AHEAD] = "hints_ahead",
};

/* What the features of all mentions are read from. */
struct reading {
    const struct ads_scan *scan;
    const struct ads_goods *goods;
    struct ads_wish *wish;
    uint32_t last_sentence; /* its first word; 0: there is one alone */
    bool price;
    struct ads_hint best[HINTS_SEEN]; /* of them */
    uint32_t n_best;
};


const char *
ads_wish_feature_name(enum ads_wish_feature feature)
{
    return feature < ADS_WISH_FEATURES ? feature_names[feature] : "none";
}


int32_t
ads_wish_weight(enum ads_wish_feature feature)
{
    return feature < ADS_WISH_FEATURES ? ads_wish_model[feature] : 0;
}


/* ---- words around -------------------------------------------------------- */

/* Is there such a word, and in the clause of the one before it? */
static bool
goes_on(const struct ads_scan *scan, uint32_t at)
{
    return at < scan->n_words && scan->words[at].gap != ADS_TEXT_BREAK;
}


static uint32_t
clause_begin(const struct ads_scan *scan, uint32_t at)
{
    while (at > 0
           && (at >= scan->n_words || scan->words[at].gap != ADS_TEXT_BREAK)) {
        at--;
    }
    return at;
}


static uint32_t
clause_end(const struct ads_scan *scan, uint32_t at)
{
    while (goes_on(scan, at)) {
        at++;
    }
    return at;
}


static uint32_t
later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}


/* ---- features ------------------------------------------------------------ */

/* Of any kind, named or hinted at. */
static uint64_t
features_of_any(const struct reading *reading, uint32_t kind)
{
    uint64_t features = BIT(ANY);
    uint32_t n;

    ads_goods_ancestors(reading->goods, kind, &n);
    features |= n == 0 ? BIT(BROAD) : 0;
    features |= reading->price ? BIT(PRICE) : 0;
    features |= reading->scan->n_words > LONG_WORDS ? BIT(LONG) : 0;
    return features;
}


static uint64_t
features_of_name(const struct reading *reading, const struct ads_mention *m)
{
    uint8_t language = reading->wish->language;
    uint64_t features = features_of_any(reading, m->target);

    features |= (m->flags & ADS_MENTION_NEED) != 0 ? BIT(NEED) : 0;
    features |= (m->flags & ADS_GOODS_AMBIGUOUS) != 0 ? BIT(AMBIGUOUS) : 0;
    features |= (m->flags & ADS_MENTION_COMPOUND) != 0 ? BIT(COMPOUND) : 0;
    features |= (m->flags & ADS_MENTION_PREFIX) != 0 ? BIT(PREFIX) : 0;
    features |= (m->flags & ADS_GOODS_LINE) != 0 ? BIT(LINE) : 0;
    features |= (m->flags & ADS_MENTION_COMPOSED) != 0 ? BIT(COMPOSED) : 0;
    if (language != ADS_CUE_END
        && (m->flags & (ADS_MENTION_NEED | ADS_MENTION_COMPOSED)) == 0
        && (m->flags & ADS_GOODS_SHOP) == 0
        && (m->flags & ads_scan_language_flag(language)) == 0)
    {
        features |= BIT(FOREIGN);
    }
    if (language == ADS_CUE_END
        && (m->flags
            & (ADS_GOODS_ENGLISH | ADS_GOODS_SHOP | ADS_MENTION_NEED
               | ADS_MENTION_COMPOSED))
               == 0
        && m->to - m->from == 1
        && reading->scan->words[m->from].len <= FOREIGN_MAX)
    {
        features |= BIT(FOREIGN);
    }
    features |=
        (uint32_t)(m->to - m->from) == reading->scan->n_words ? BIT(WHOLE) : 0;
    return features;
}


static uint64_t
features_before(const struct reading *reading, const struct ads_mention *m)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t begin = m->from < scan->n_words ? clause_begin(scan, m->from) : 0;
    uint32_t clause = ads_scan_cues(scan, begin, m->from);
    uint32_t near = ads_scan_cues(
        scan, later(begin, ads_scan_back(m->from, NEAR_WORDS)), m->from);
    uint32_t close =
        ads_scan_cues(scan, later(begin, ads_scan_back(m->from, 2)), m->from);
    uint32_t earlier = ads_scan_cues(scan, 0, begin);
    uint64_t features = 0;

    features |= ads_cue_has(clause, ADS_CUE_WANT) ? BIT(WANT_BEFORE) : 0;
    features |= ads_cue_has(near, ADS_CUE_WANT) ? BIT(WANT_NEAR) : 0;
    features |= ads_cue_has(earlier, ADS_CUE_WANT) ? BIT(WANT_EARLIER) : 0;
    features |= ads_cue_has(close, ADS_CUE_MINE) ? BIT(MINE_BEFORE) : 0;
    features |= ads_cue_has(near, ADS_CUE_OWN) ? BIT(OWN_BEFORE) : 0;
    features |= ads_cue_has(near, ADS_CUE_INSTEAD) ? BIT(INSTEAD) : 0;
    features |= ads_cue_has(close, ADS_CUE_WITHOUT) ? BIT(WITHOUT) : 0;
    features |= ads_cue_has(clause, ADS_CUE_HOWTO) ? BIT(HOWTO) : 0;
    features |= ads_cue_has(clause, ADS_CUE_FIX) ? BIT(FIX) : 0;
    features |= ads_cue_has(clause, ADS_CUE_GIFT) ? BIT(GIFT) : 0;
    features |= ads_cue_has(clause | earlier, ADS_CUE_WRITE) ? BIT(WRITE) : 0;
    features |= ads_cue_has(close, ADS_CUE_ARTICLE) ? BIT(ARTICLE) : 0;
    features |= ads_cue_has(close, ADS_CUE_THE) ? BIT(THE) : 0;
    features |= ads_cue_has(close, ADS_CUE_WHICH) ? BIT(WHICH) : 0;
    return features;
}


static uint64_t
features_of_lead(const struct reading *reading, const struct ads_mention *m)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t lead = ads_scan_lead(scan, m->from, CONNECTORS);
    uint32_t cues = lead == ADS_GOODS_NONE ? 0 : scan->words[lead].cues;
    bool headed = lead != ADS_GOODS_NONE && ads_scan_ending(scan, lead) != NULL;
    uint64_t features = 0;

    if (ads_cue_has(cues, ADS_CUE_FOR)) {
        features |= headed ? BIT(FOR_BEFORE) : BIT(FOR_ALONE);
    } else if (ads_cue_has(cues, ADS_CUE_PLACE)) {
        features |= headed ? BIT(PLACE_BEFORE) : BIT(PLACE_ALONE);
    }
    features |=
        ads_cue_has(cues, ADS_CUE_WITH) && headed ? BIT(WITH_BEFORE) : 0;
    features |= ads_cue_has(cues, ADS_CUE_OF) && headed ? BIT(OF_BEFORE) : 0;
    features |= ads_cue_has(cues, ADS_CUE_AND) && headed ? BIT(AND_BEFORE) : 0;
    if (ads_scan_ending(scan, m->from) != NULL && goes_on(scan, m->from)) {
        features |= BIT(KIND_BEFORE);
    }
    return features;
}


/* Is the word understood as nothing, and of the same clause as the one before?
 * Behind a thing it mostly is what is meant: "laminate" of "laminate board". */
static bool
is_loose(const struct ads_scan *scan, uint32_t i)
{
    return goes_on(scan, i) && scan->words[i].kind == ADS_TEXT_LETTERS
           && !scan->words[i].named
           && (scan->words[i].cues & ~ADS_CUE_OF_PRODUCTS) == 0
           && scan->words[i].len > 2;
}


/* The kind that follows, or that behind a model belongs to it: "iphone 6s
 * case"; NULL: none does. */
static const struct ads_mention *
follower_of(const struct ads_scan *scan, uint32_t at)
{
    const struct ads_mention *next;

    for (uint32_t i = at; i < at + ADS_SCAN_MODEL && goes_on(scan, i); i++) {
        next = ads_scan_beginning(scan, i);
        if (next != NULL) {
            return i == at || (next->flags & ADS_MENTION_COMPOSED) != 0 ? next
                                                                        : NULL;
        }
    }
    return NULL;
}


static uint64_t
features_behind(const struct reading *reading, const struct ads_mention *m)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_mention *follower = follower_of(scan, m->to);
    uint32_t next = m->to < scan->n_words ? scan->words[m->to].cues : 0;
    bool kinds = false;
    uint64_t features = 0;
    uint32_t around;

    if (m->to < scan->n_words && scan->words[m->to].gap == ADS_TEXT_BREAK) {
        next &= ADS_CUE_BIT(ADS_CUE_FOR);
    }
    for (uint32_t i = m->to; i < m->to + 6u && i < scan->n_words; i++) {
        kinds = kinds || ads_scan_beginning(scan, i) != NULL;
    }
    features |= ads_cue_has(next, ADS_CUE_FOR) && kinds ? BIT(FOR_BEHIND) : 0;
    features |= ads_cue_has(next, ADS_CUE_WITH) ? BIT(WITH_BEHIND) : 0;
    features |= ads_cue_has(next, ADS_CUE_OF) && kinds ? BIT(OF_BEHIND) : 0;
    features |= ads_cue_has(next, ADS_CUE_AND) && kinds ? BIT(AND_BEHIND) : 0;
    if (follower != NULL) {
        features |= (follower->flags & ADS_MENTION_COMPOSED) != 0
                        ? BIT(PIECE)
                        : BIT(KIND_BEHIND);
    }
    if (goes_on(scan, m->to) && !scan->words[m->to].named
        && ads_cue_has(scan->words[m->to].cues, ADS_CUE_PIECE))
    {
        features |= BIT(PIECE);
    }
    if (is_loose(scan, m->to)) {
        features |= BIT(TRAILED);
        features |= scan->n_words <= SHORT_WORDS ? BIT(TRAILED_SHORT) : 0;
    }
    if (goes_on(scan, m->to)) {
        around = ads_scan_cues(scan, m->to, clause_end(scan, m->to));
        features |= ads_cue_has(around, ADS_CUE_WANT) ? BIT(WANT_BEHIND) : 0;
    }
    around = ads_scan_cues(scan, ads_scan_back(m->from, NEAR_WORDS), m->from)
             | ads_scan_cues(scan, m->to, m->to + BROKEN_WORDS);
    features |= ads_cue_has(around, ADS_CUE_BROKEN) ? BIT(BROKEN) : 0;
    around = ads_scan_cues(scan, ads_scan_back(m->from, NEAR_WORDS), m->from)
             | ads_scan_cues(scan, m->to, m->to + NEAR_WORDS);
    features |= ads_cue_has(around, ADS_CUE_AFTER) ? BIT(AFTER) : 0;
    features |= ads_cue_has(around, ADS_CUE_FIX) ? BIT(FIX) : 0;
    return features;
}


static bool
counts(const struct ads_mention *mention)
{
    return mention->says == ADS_GOODS_KIND
           && (mention->flags & ADS_GOODS_NOT) == 0;
}


/* How the mention stands to the others. */
static uint64_t
features_among(const struct reading *reading, const struct ads_mention *m)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_goods *goods = reading->goods;
    uint32_t end = m->to < scan->n_words ? clause_end(scan, m->to) : m->to;
    uint64_t features = BIT(ALONE) | BIT(FIRST) | BIT(LAST) | BIT(CLAUSE_LAST);

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (!counts(other) || other->from == m->from
            || other->target == m->target) {
            continue;
        }
        features &= ~BIT(ALONE);
        features &= other->from < m->from ? ~BIT(FIRST) : ~BIT(LAST);
        if (other->from >= m->to && other->from < end) {
            features &= ~BIT(CLAUSE_LAST);
        }
        if (ads_goods_is(goods, m->target, other->target)) {
            features |= BIT(NARROWER);
        } else if (ads_goods_is(goods, other->target, m->target)) {
            features |= BIT(BROADER);
        } else if (ads_goods_relation(goods, m->target, other->target) != 0) {
            features |= BIT(OF_ANOTHER);
        } else if (ads_goods_relation(goods, other->target, m->target) != 0) {
            features |= BIT(HAS_ANOTHER);
        }
    }
    if (reading->last_sentence > 0) {
        features |= m->from >= reading->last_sentence ? BIT(LATE) : BIT(EARLY);
    }
    return features;
}


static int32_t
between(int32_t value, int32_t least, int32_t most)
{
    return value < least ? least : value > most ? most : value;
}


/* What hints at the kind beside its name. */
static uint64_t
features_of_hint(const struct reading *reading,
                 struct ads_wish_mention *mention)
{
    uint32_t kind = mention->kind;
    struct ads_hint hint = ads_hints_of(&reading->wish->hints, kind);
    int32_t score = hint.score, rival = 0;
    uint64_t features = 0;

    for (uint32_t i = 0; i < reading->n_best && rival == 0; i++) {
        if (!ads_goods_in_line(reading->goods, kind, reading->best[i].kind - 1))
        {
            rival = reading->best[i].score;
        }
    }
    mention->hints = (int16_t)between(score, 0, HINTS_MOST);
    mention->ahead = (int16_t)between(score - rival, -AHEAD_MOST, AHEAD_MOST);
    if (score < HINT_SOME) {
        return 0;
    }
    features |= BIT(HINT_SOME);
    features |= score >= HINT_MORE ? BIT(HINT_MORE) : 0;
    features |= score >= HINT_MUCH ? BIT(HINT_MUCH) : 0;
    features |= score >= HINT_MOST ? BIT(HINT_MOST) : 0;
    features |= hint.words == 1 ? BIT(HINT_FEW) : 0;
    features |= score >= rival ? BIT(HINT_TOP) : 0;
    features |= score >= rival + HINT_LEAD ? BIT(HINT_LEAD) : 0;
    return features;
}


/* ---- who is wanted ------------------------------------------------------- */

static int32_t
score_of(const struct ads_wish_mention *mention)
{
    uint64_t features = mention->features;
    int32_t score = (mention->hints * ads_wish_model[ADS_WISH_HINTS_ALL]
                     + mention->ahead * ads_wish_model[ADS_WISH_HINTS_AHEAD])
                    / ADS_WISH_BYTE;

    for (; features != 0; features &= features - 1) {
        score += ads_wish_model[__builtin_ctzll(features)];
    }
    return score;
}


/* e^(score / ADS_WISH_UNIT) in 1 / 65536, by straight lines between powers of
 * 2; scores beyond 10 either way are as 10. */
static uint64_t
weight_of(int32_t score)
{
    const int32_t most = 10 * ADS_WISH_UNIT;
    int32_t bits = (score > most ? most : score < -most ? -most : score) * 369;
    int32_t whole = (bits + (16 << 16)) >> 16; /* of 1 / 65536 */
    uint64_t part = 65536 + (uint32_t)(bits & 0xffff);

    return whole >= 0 ? (part << whole) >> 16 : 0;
}


/* The natural logarithm of a weight, ADS_WISH_UNIT; the inverse. */
static int32_t
log_of(uint64_t weight)
{
    uint32_t whole = 63 - (uint32_t)__builtin_clzll(weight | 1);
    uint64_t part = (weight << (63 - whole) >> 47) & 0xffff;

    return (int32_t)((((int64_t)whole << 16) + (int64_t)part - (16 << 16))
                     / 369);
}


static bool
is_refused(const struct ads_wish_mention *mention)
{
    return (mention->features & (BIT(INSTEAD) | BIT(WITHOUT))) != 0;
}


static void
mentions_read(const struct reading *reading)
{
    struct ads_wish *wish = reading->wish;

    for (uint32_t i = 0; i < reading->scan->n_mentions; i++) {
        const struct ads_mention *m = &reading->scan->mentions[i];
        struct ads_wish_mention *mention = &wish->mentions[wish->n_mentions];

        if (!counts(m)) {
            continue;
        }
        mention->kind = m->target;
        mention->from = m->from;
        mention->to = m->to;
        mention->features =
            features_of_name(reading, m) | features_before(reading, m)
            | features_of_lead(reading, m) | features_behind(reading, m)
            | features_among(reading, m) | features_of_hint(reading, mention);
        if ((mention->features & BIT(AMBIGUOUS)) != 0
            && (mention->features & (BIT(ARTICLE) | BIT(WHICH))) != 0)
        {
            mention->features |= BIT(PLAIN);
        }
        mention->score = score_of(mention);
        mention->role =
            is_refused(mention) ? ADS_WISH_REFUSED : ADS_WISH_CONTEXT;
        wish->n_mentions++;
    }
}


/* Is a kind named that is it, broader or narrower? */
static bool
is_named(const struct ads_wish *wish, const struct ads_goods *goods,
         uint32_t kind)
{
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        if (ads_goods_in_line(goods, wish->mentions[i].kind, kind)) {
            return true;
        }
    }
    return false;
}


/* Kinds that words hint at, behind those that are named. */
static void
hints_read(const struct reading *reading)
{
    struct ads_wish *wish = reading->wish;
    uint32_t n = 0;

    for (uint32_t i = 0; i < reading->n_best && n < ADS_WISH_HINTS; i++) {
        uint32_t kind = reading->best[i].kind - 1;
        struct ads_wish_mention *mention = &wish->mentions[wish->n_mentions];

        if (is_named(wish, reading->goods, kind)) {
            continue;
        }
        mention->kind = kind;
        mention->from = mention->to = (uint16_t)reading->scan->n_words;
        mention->features = BIT(HINTED) | features_of_any(reading, kind)
                            | features_of_hint(reading, mention);
        mention->score = score_of(mention);
        mention->role = ADS_WISH_CONTEXT;
        wish->n_mentions++;
        n++;
    }
}


/* The best mention whose kind is not taken yet, or NULL. */
static const struct ads_wish_mention *
best_of(const struct ads_wish *wish)
{
    const struct ads_wish_mention *best = NULL;

    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];
        bool taken = mention->role == ADS_WISH_REFUSED;

        for (uint32_t k = 0; k < wish->n_kinds; k++) {
            taken = taken || wish->kinds[k] == mention->kind;
        }
        if (!taken && (best == NULL || mention->score > best->score)) {
            best = mention;
        }
    }
    return best;
}


/* The log-odds that the kind is wanted, or one broader or narrower, against
 * all others and nothing: a share of what all weigh together. */
static int32_t
odds_of(const struct ads_wish *wish, const struct ads_goods *goods,
        uint32_t kind)
{
    uint64_t of_it = 0, others = weight_of(0);

    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];

        if (ads_goods_in_line(goods, mention->kind, kind)) {
            of_it += weight_of(mention->score);
        } else {
            others += weight_of(mention->score);
        }
    }
    return log_of(of_it) - log_of(others);
}


int32_t
ads_wish_odds(const struct ads_wish *wish, const struct ads_goods *goods,
              uint32_t kind)
{
    uint64_t of_it = 0, others = weight_of(0);
    int32_t odds;

    for (uint32_t i = 0; i < wish->n_mentions && kind < goods->n_kinds; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];

        if (mention->role == ADS_WISH_REFUSED) {
            continue;
        }
        if (ads_goods_is(goods, kind, mention->kind)) {
            of_it += weight_of(mention->score);
        } else {
            others += weight_of(mention->score);
        }
    }
    odds = of_it == 0 ? -ADS_WISH_ODDS_MOST : log_of(of_it) - log_of(others);
    return odds > ADS_WISH_ODDS_MOST    ? ADS_WISH_ODDS_MOST
           : odds < -ADS_WISH_ODDS_MOST ? -ADS_WISH_ODDS_MOST
                                        : odds;
}


/* Takes what is wanted: the best, and what is nearly as good. */
static void
kinds_choose(struct ads_wish *wish, const struct ads_goods *goods)
{
    int32_t first = 0;

    while (wish->n_kinds < ADS_WISH_KINDS) {
        const struct ads_wish_mention *best = best_of(wish);

        if (best == NULL
            || (wish->n_kinds > 0 && best->score + NEXT_BEST < first)) {
            break;
        }
        if (wish->n_kinds == 0) {
            wish->from = best->from;
            wish->to = best->to;
            wish->score = odds_of(wish, goods, best->kind);
            first = best->score;
            if (wish->score < ((best->features & BIT(AMBIGUOUS)) != 0
                                   ? SURE_OF_AMBIGUOUS
                                   : SURE_ENOUGH))
            {
                break;
            }
        }
        wish->kinds[wish->n_kinds++] = best->kind;
    }
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        for (uint32_t k = 0; k < wish->n_kinds; k++) {
            if (wish->mentions[i].kind == wish->kinds[k]
                && wish->mentions[i].role != ADS_WISH_REFUSED)
            {
                wish->mentions[i].role = ADS_WISH_WANTED;
            }
        }
    }
}


/* What the wanted kind belongs to, if that is mentioned. */
static uint32_t
owner_of(const struct reading *reading)
{
    const struct ads_wish *wish = reading->wish;

    for (uint32_t i = 0; i < wish->n_mentions && wish->n_kinds > 0; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];

        if (mention->role == ADS_WISH_CONTEXT
            && ads_goods_relation(reading->goods, wish->kinds[0], mention->kind)
                   != 0)
        {
            return mention->kind;
        }
    }
    return ADS_GOODS_NONE;
}


/* ---- what is asked of it ------------------------------------------------- */

bool
ads_scan_denied(const struct ads_scan *scan, uint32_t at, uint32_t words)
{
    static const char *const denials[] = {
        "no",     "except",  "ausser", "sauf",     "hormis", "excepto",
        "salvo",  "without", "ohne",   "sans",     "sin",    "not",
        "wont",   "isnt",    "doesnt", "shouldnt", "mustnt", "wouldnt",
        "neednt", "t",       "cannot", "cant",     "dont",   "nothing",
        "never",  "nicht",   "nichts", "nie",      "kein",   "keine",
        "keinen", "pas",     "jamais", "rien",     "ne",     "nada",
        "nunca",  "ni",
    };

    for (uint32_t i = at; i > 0 && at - i < words; i--) {
        if (ads_str_is_one_of(ads_scan_bytes(scan, i - 1), denials,
                              sizeof(denials) / sizeof(*denials)))
        {
            return true;
        }
        if (scan->words[i - 1].ends) {
            break;
        }
    }
    return false;
}


static void
attributes_read(const struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;
    struct ads_wish *wish = reading->wish;

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *m = &scan->mentions[i];
        uint32_t before;

        if (m->says != ADS_GOODS_ATTRIBUTE
            || wish->n_attributes == ADS_WISH_ATTRIBUTES) {
            continue;
        }
        before = ads_scan_cues(scan, ads_scan_back(m->from, 2), m->from);
        wish->attributes[wish->n_attributes].attribute = m->target;
        wish->attributes[wish->n_attributes].from = m->from;
        wish->attributes[wish->n_attributes].to = m->to;
        wish->attributes[wish->n_attributes++].without =
            ads_cue_has(before, ADS_CUE_WITHOUT)
            || ads_cue_has(before, ADS_CUE_INSTEAD)
            || ads_scan_denied(scan, m->from, REFUSAL_WORDS);
    }
}


/* ---- all of it ----------------------------------------------------------- */

/* The tag's language, or the one that the words tell. */
static uint8_t
language_of(const struct ads_scan *scan, struct ads_str tag)
{
    static const char *const tags[] = {"en", "de", "fr", "es"};

    for (int i = 0; i < 4; i++) {
        if (tag.len >= 2 && ads_char_lower(tag.ptr[0]) == tags[i][0]
            && ads_char_lower(tag.ptr[1]) == tags[i][1])
        {
            return (uint8_t)(ADS_CUE_ENGLISH + i);
        }
    }
    return scan->language;
}


static uint32_t
last_sentence(const struct ads_scan *scan)
{
    for (uint32_t i = scan->n_words; i > 1; i--) {
        if (scan->words[i - 1].ends) {
            return i - 1;
        }
    }
    return 0;
}


void
ads_wish_read(struct ads_wish *wish, const struct ads_scan *scan,
              const struct ads_goods *goods, struct ads_str text,
              struct ads_str language)
{
    struct reading reading; /* much of it is filled by ads_hints_read() */

    reading.scan = scan;
    reading.goods = goods;
    reading.wish = wish;
    reading.price = false;
    wish->n_mentions = wish->n_kinds = wish->n_attributes = 0;
    wish->n_bounds = 0;
    wish->from = wish->to = 0;
    wish->score = INT32_MIN / 2;
    wish->least_micros = wish->most_micros = -1;
    memset(wish->currency, 0, sizeof(wish->currency));
    wish->n_words = scan->n_words;
    wish->cues = ads_scan_cues(scan, 0, scan->n_words);
    wish->language = language_of(scan, language);
    for (uint32_t i = 0; i < scan->n_words; i++) {
        reading.price = reading.price || scan->words[i].kind == ADS_TEXT_PRICE;
    }
    reading.last_sentence = last_sentence(scan);

    ads_hints_read(&wish->hints, goods, scan);
    reading.n_best =
        ads_hints_best(&wish->hints, HINT_SOME, reading.best, HINTS_SEEN);

    mentions_read(&reading);
    hints_read(&reading);
    kinds_choose(wish, goods);
    wish->of = owner_of(&reading);
    attributes_read(&reading);
    ads_wish_bounds_read(wish, scan, text);
}
