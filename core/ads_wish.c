/*
 * From mentions to a wish: features of each mention, their scores, who of them
 * is wanted, and what is asked of it.
 */
#include "ads_wish.h"

#include "ads_wish_model.h"

#define NEAR_WORDS 4
#define BROKEN_WORDS 7
#define SHORT_WORDS 6
#define LONG_WORDS 12
#define FOREIGN_MAX 4      /* bytes of a name that may be English by chance */
#define SURE_ENOUGH (-500) /* score from which on a kind is wanted */
#define SURE_OF_AMBIGUOUS (-300)
#define NEXT_BEST ADS_WISH_UNIT /* another one may be so much less sure */
#define CONNECTORS                                          \
    (ADS_CUE_BIT(ADS_CUE_FOR) | ADS_CUE_BIT(ADS_CUE_PLACE)  \
     | ADS_CUE_BIT(ADS_CUE_WITH) | ADS_CUE_BIT(ADS_CUE_OF)  \
     | ADS_CUE_BIT(ADS_CUE_AND) | ADS_CUE_BIT(ADS_CUE_WANT) \
     | ADS_CUE_BIT(ADS_CUE_INSTEAD) | ADS_CUE_BIT(ADS_CUE_WITHOUT))
#define BIT(feature) ((uint64_t)1 << (ADS_WISH_##feature))

_Static_assert(ADS_WISH_FEATURES <= 64, "features are bits");

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
};

/* What the features of all mentions are read from. */
struct reading {
    const struct ads_scan *scan;
    const struct ads_goods *goods;
    struct ads_wish *wish;
    uint32_t last_sentence; /* its first word; 0: there is one alone */
    bool price;
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

/* The cues of words [from, to), or-ed together. */
static uint32_t
cues_of(const struct ads_scan *scan, uint32_t from, uint32_t to)
{
    uint32_t cues = 0;

    for (uint32_t i = from; i < to && i < scan->n_words; i++) {
        cues |= scan->words[i].cues;
    }
    return cues;
}


static bool
has(uint32_t cues, enum ads_cue cue)
{
    return (cues & ADS_CUE_BIT(cue)) != 0;
}


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
back(uint32_t at, uint32_t words)
{
    return at > words ? at - words : 0;
}


/* ---- features ------------------------------------------------------------ */

static uint64_t
features_of_name(const struct reading *reading, const struct ads_mention *m)
{
    static const uint16_t of_language[] = {
        [ADS_CUE_ENGLISH - ADS_CUE_ENGLISH] = ADS_GOODS_ENGLISH,
        [ADS_CUE_GERMAN - ADS_CUE_ENGLISH] = ADS_GOODS_GERMAN,
        [ADS_CUE_FRENCH - ADS_CUE_ENGLISH] = ADS_GOODS_FRENCH,
        [ADS_CUE_SPANISH - ADS_CUE_ENGLISH] = ADS_GOODS_SPANISH,
    };
    uint8_t language = reading->wish->language;
    uint64_t features = BIT(ANY);
    uint32_t n;

    features |= (m->flags & ADS_MENTION_NEED) != 0 ? BIT(NEED) : 0;
    features |= (m->flags & ADS_GOODS_AMBIGUOUS) != 0 ? BIT(AMBIGUOUS) : 0;
    features |= (m->flags & ADS_MENTION_COMPOUND) != 0 ? BIT(COMPOUND) : 0;
    features |= (m->flags & ADS_MENTION_PREFIX) != 0 ? BIT(PREFIX) : 0;
    if (language != ADS_CUE_END
        && (m->flags & (ADS_MENTION_NEED | ADS_MENTION_COMPOSED)) == 0
        && (m->flags & ADS_GOODS_SHOP) == 0
        && (m->flags & of_language[language - ADS_CUE_ENGLISH]) == 0)
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
    ads_goods_ancestors(reading->goods, m->target, &n);
    features |= n == 0 ? BIT(BROAD) : 0;
    features |=
        (uint32_t)(m->to - m->from) == reading->scan->n_words ? BIT(WHOLE) : 0;
    features |= reading->price ? BIT(PRICE) : 0;
    features |= reading->scan->n_words > LONG_WORDS ? BIT(LONG) : 0;
    return features;
}


static uint64_t
features_before(const struct reading *reading, const struct ads_mention *m)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t begin = m->from < scan->n_words ? clause_begin(scan, m->from) : 0;
    uint32_t clause = cues_of(scan, begin, m->from);
    uint32_t near = cues_of(scan, back(m->from, NEAR_WORDS), m->from);
    uint32_t close = cues_of(scan, back(m->from, 2), m->from);
    uint32_t earlier = cues_of(scan, 0, begin);
    uint64_t features = 0;

    features |= has(clause, ADS_CUE_WANT) ? BIT(WANT_BEFORE) : 0;
    features |= has(near, ADS_CUE_WANT) ? BIT(WANT_NEAR) : 0;
    features |= has(earlier, ADS_CUE_WANT) ? BIT(WANT_EARLIER) : 0;
    features |= has(close, ADS_CUE_MINE) ? BIT(MINE_BEFORE) : 0;
    features |= has(near, ADS_CUE_OWN) ? BIT(OWN_BEFORE) : 0;
    features |= has(near, ADS_CUE_INSTEAD) ? BIT(INSTEAD) : 0;
    features |= has(close, ADS_CUE_WITHOUT) ? BIT(WITHOUT) : 0;
    features |= has(clause, ADS_CUE_HOWTO) ? BIT(HOWTO) : 0;
    features |= has(clause, ADS_CUE_FIX) ? BIT(FIX) : 0;
    features |= has(clause, ADS_CUE_GIFT) ? BIT(GIFT) : 0;
    features |= has(clause | earlier, ADS_CUE_WRITE) ? BIT(WRITE) : 0;
    features |= has(close, ADS_CUE_ARTICLE) ? BIT(ARTICLE) : 0;
    features |= has(close, ADS_CUE_THE) ? BIT(THE) : 0;
    features |= has(close, ADS_CUE_WHICH) ? BIT(WHICH) : 0;
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

    if (has(cues, ADS_CUE_FOR)) {
        features |= headed ? BIT(FOR_BEFORE) : BIT(FOR_ALONE);
    } else if (has(cues, ADS_CUE_PLACE)) {
        features |= headed ? BIT(PLACE_BEFORE) : BIT(PLACE_ALONE);
    }
    features |= has(cues, ADS_CUE_WITH) && headed ? BIT(WITH_BEFORE) : 0;
    features |= has(cues, ADS_CUE_OF) && headed ? BIT(OF_BEFORE) : 0;
    features |= has(cues, ADS_CUE_AND) && headed ? BIT(AND_BEFORE) : 0;
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
           && (scan->words[i].cues & ~ADS_CUE_BIT(ADS_CUE_PIECE)) == 0
           && scan->words[i].len > 2;
}


static uint64_t
features_behind(const struct reading *reading, const struct ads_mention *m)
{
    const struct ads_scan *scan = reading->scan;
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
    features |= has(next, ADS_CUE_FOR) && kinds ? BIT(FOR_BEHIND) : 0;
    features |= has(next, ADS_CUE_WITH) ? BIT(WITH_BEHIND) : 0;
    features |= has(next, ADS_CUE_OF) && kinds ? BIT(OF_BEHIND) : 0;
    features |= has(next, ADS_CUE_AND) && kinds ? BIT(AND_BEHIND) : 0;
    if (ads_scan_beginning(scan, m->to) != NULL
        && scan->words[m->to].gap != ADS_TEXT_BREAK)
    {
        features |= BIT(KIND_BEHIND);
    }
    if (goes_on(scan, m->to) && !scan->words[m->to].named
        && has(scan->words[m->to].cues, ADS_CUE_PIECE))
    {
        features |= BIT(PIECE);
    }
    if (is_loose(scan, m->to)) {
        features |= BIT(TRAILED);
        features |= scan->n_words <= SHORT_WORDS ? BIT(TRAILED_SHORT) : 0;
    }
    if (goes_on(scan, m->to)) {
        around = cues_of(scan, m->to, clause_end(scan, m->to));
        features |= has(around, ADS_CUE_WANT) ? BIT(WANT_BEHIND) : 0;
    }
    around = cues_of(scan, back(m->from, NEAR_WORDS), m->from)
             | cues_of(scan, m->to, m->to + BROKEN_WORDS);
    features |= has(around, ADS_CUE_BROKEN) ? BIT(BROKEN) : 0;
    around = cues_of(scan, back(m->from, NEAR_WORDS), m->from)
             | cues_of(scan, m->to, m->to + NEAR_WORDS);
    features |= has(around, ADS_CUE_AFTER) ? BIT(AFTER) : 0;
    features |= has(around, ADS_CUE_FIX) ? BIT(FIX) : 0;
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


/* ---- who is wanted ------------------------------------------------------- */

static int32_t
score_of(uint64_t features)
{
    int32_t score = 0;

    for (; features != 0; features &= features - 1) {
        score += ads_wish_model[__builtin_ctzll(features)];
    }
    return score;
}


static uint8_t
role_of(const struct ads_wish_mention *mention)
{
    if ((mention->features & (BIT(INSTEAD) | BIT(WITHOUT))) != 0) {
        return ADS_WISH_REFUSED;
    }
    if ((mention->features & BIT(AMBIGUOUS)) != 0
        && mention->score < SURE_OF_AMBIGUOUS)
    {
        return ADS_WISH_CONTEXT;
    }
    return mention->score >= SURE_ENOUGH ? ADS_WISH_WANTED : ADS_WISH_CONTEXT;
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
            | features_among(reading, m);
        mention->score = score_of(mention->features);
        mention->role = role_of(mention);
        wish->n_mentions++;
    }
}


/* The best mention that is not taken yet; NULL: none is wanted. */
static const struct ads_wish_mention *
best_of(const struct ads_wish *wish)
{
    const struct ads_wish_mention *best = NULL;

    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];
        bool taken = mention->role != ADS_WISH_WANTED;

        for (uint32_t k = 0; k < wish->n_kinds; k++) {
            taken = taken || wish->kinds[k] == mention->kind;
        }
        if (!taken && (best == NULL || mention->score > best->score)) {
            best = mention;
        }
    }
    return best;
}


static void
kinds_choose(struct ads_wish *wish)
{
    while (wish->n_kinds < ADS_WISH_KINDS) {
        const struct ads_wish_mention *best = best_of(wish);

        if (best == NULL
            || (wish->n_kinds > 0 && best->score + NEXT_BEST < wish->score))
        {
            return;
        }
        if (wish->n_kinds == 0) {
            wish->from = best->from;
            wish->to = best->to;
            wish->score = best->score;
        }
        wish->kinds[wish->n_kinds++] = best->kind;
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
        before = cues_of(scan, back(m->from, 2), m->from);
        wish->attributes[wish->n_attributes].attribute = m->target;
        wish->attributes[wish->n_attributes].from = m->from;
        wish->attributes[wish->n_attributes].to = m->to;
        wish->attributes[wish->n_attributes++].without =
            has(before, ADS_CUE_WITHOUT) || has(before, ADS_CUE_INSTEAD);
    }
}


static void
currency_read(struct ads_wish *wish, struct ads_str near)
{
    static const struct {
        const char *sign;
        const char *code;
    } signs[] = {{"\xe2\x82\xac", "EUR"}, {"\xc2\xa3", "GBP"}, {"$", "USD"},
                 {"eur", "EUR"},          {"usd", "USD"},      {"gbp", "GBP"},
                 {"pound", "GBP"},        {"dollar", "USD"},   {"buck", "USD"},
                 {"chf", "CHF"}};

    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        size_t len = strlen(signs[i].sign);

        for (size_t at = 0; at + len <= near.len; at++) {
            size_t k = 0;

            while (k < len
                   && ads_char_lower(near.ptr[at + k]) == signs[i].sign[k]) {
                k++;
            }
            if (k == len) {
                memcpy(wish->currency, signs[i].code, 3);
                return;
            }
        }
    }
}


/* An amount with the words around it becomes a bound. */
static void
bound_read(const struct reading *reading, uint32_t at)
{
    const struct ads_scan *scan = reading->scan;
    struct ads_wish *wish = reading->wish;
    int64_t micros = scan->words[at].micros;
    uint32_t cues = cues_of(scan, back(at, 3), at);
    uint32_t behind = cues_of(scan, at + 1, at + 4);

    /* the first rule that holds: NOLINTBEGIN(bugprone-branch-clone) */
    if (has(cues, ADS_CUE_BETWEEN) && wish->least_micros < 0) {
        wish->least_micros = micros;
    } else if (wish->least_micros >= 0 && wish->most_micros < 0
               && has(cues, ADS_CUE_AND) && micros > wish->least_micros)
    {
        wish->most_micros = micros;
    } else if (has(cues, ADS_CUE_AROUND)) {
        wish->least_micros = micros / 2;
        wish->most_micros = micros / 4 * 5;
    } else if (has(cues, ADS_CUE_UNDER) || has(behind, ADS_CUE_UNDER)) {
        wish->most_micros = micros;
    } else if (has(cues, ADS_CUE_OVER)) {
        wish->least_micros = micros;
    } else if (scan->words[at].kind == ADS_TEXT_PRICE) {
        wish->most_micros = micros / 4 * 5;
    }
    /* NOLINTEND(bugprone-branch-clone) */
}


/* Is a number without a sign of currency an amount: "under 80", "between 20
 * and 50 pounds"? */
static bool
is_bare_amount(const struct reading *reading, uint32_t i)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_scan_word *next = &scan->words[i + 1];
    const uint32_t bounds =
        ADS_CUE_BIT(ADS_CUE_UNDER) | ADS_CUE_BIT(ADS_CUE_BETWEEN);
    uint32_t before = i > 0 ? scan->words[i - 1].cues : 0;
    bool second = i > 2 && has(before, ADS_CUE_AND)
                  && has(scan->words[i - 3].cues, ADS_CUE_BETWEEN);

    if (scan->words[i].kind != ADS_TEXT_NUMBER || scan->words[i].micros < 0
        || ((before & bounds) == 0 && !second))
    {
        return false;
    }
    return i + 1 == scan->n_words || next->kind != ADS_TEXT_LETTERS
           || next->gap == ADS_TEXT_BREAK || next->cues != 0
           || ads_str_is(ads_scan_bytes(scan, i + 1), "pound");
}


static void
prices_read(const struct reading *reading, struct ads_str text)
{
    const struct ads_scan *scan = reading->scan;

    for (uint32_t i = 0; i < scan->n_words; i++) {
        const struct ads_scan_word *word = &scan->words[i];

        if ((word->micros >= 0 && word->kind == ADS_TEXT_PRICE)
            || is_bare_amount(reading, i))
        {
            size_t from = word->from > 4 ? word->from - 4 : 0;
            size_t to = word->to + 8 < text.len ? word->to + 8 : text.len;

            bound_read(reading, i);
            currency_read(reading->wish,
                          (struct ads_str){text.ptr + from, to - from});
        }
    }
}


/* ---- all of it ----------------------------------------------------------- */

static uint8_t
language_of(const struct ads_scan *scan, struct ads_str tag)
{
    static const char *const tags[] = {"en", "de", "fr", "es"};
    uint32_t count[4] = {0}, best = 0;

    for (int i = 0; i < 4; i++) {
        if (tag.len >= 2 && ads_char_lower(tag.ptr[0]) == tags[i][0]
            && ads_char_lower(tag.ptr[1]) == tags[i][1])
        {
            return (uint8_t)(ADS_CUE_ENGLISH + i);
        }
    }

    for (uint32_t i = 0; i < scan->n_words; i++) {
        for (int k = 0; k < 4; k++) {
            count[k] += scan->words[i].cues >> (ADS_CUE_ENGLISH + k) & 1;
        }
    }
    for (uint32_t k = 1; k < 4; k++) {
        best = count[k] > count[best] ? k : best;
    }
    return count[best] == 0 ? ADS_CUE_END : (uint8_t)(ADS_CUE_ENGLISH + best);
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
    struct reading reading = {.scan = scan, .goods = goods, .wish = wish};

    wish->n_mentions = wish->n_kinds = wish->n_attributes = 0;
    wish->from = wish->to = 0;
    wish->score = INT32_MIN / 2;
    wish->least_micros = wish->most_micros = -1;
    memset(wish->currency, 0, sizeof(wish->currency));
    wish->n_words = scan->n_words;
    wish->cues = cues_of(scan, 0, scan->n_words);
    wish->language = language_of(scan, language);
    for (uint32_t i = 0; i < scan->n_words; i++) {
        reading.price = reading.price || scan->words[i].kind == ADS_TEXT_PRICE;
    }
    reading.last_sentence = last_sentence(scan);

    mentions_read(&reading);
    kinds_choose(wish);
    wish->of = owner_of(&reading);
    attributes_read(&reading);
    prices_read(&reading, text);
}
