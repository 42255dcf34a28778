/*
 * Fit model: how likely is a product a good answer to a request?  Learnt from
 * requests that people labelled.
 *
 * A hit has features, each a number that a person can read: how likely its kind
 * is wanted, what of the words its title has, which demands it misses, how it
 * stands to the best of the hits.  Their weighted sum is the log-odds of a good
 * answer; there are weights for products of the wanted kind, for products of
 * other kinds, and for requests of which no kind is known (ads_fit_model.h,
 * made by tools/fit_train).  Integers only, no memory but the caller's.
 */
#ifndef ADS_FIT_H
#define ADS_FIT_H

#include "ads_focus.h"

#define ADS_FIT_UNIT 65536
#define ADS_FIT_FLOOR (ADS_FIT_UNIT * 2 / 5) /* the relevance floor */

#define ADS_FIT_NAT 256 /* of log-odds, and 1 of a feature */

/* How the kind of a product stands to what is wanted. */
enum ads_fit_kind {
    ADS_FIT_NO_WISH, /* no kind is wanted, as far as the words tell */
    ADS_FIT_EXACT,   /* the wanted kind, or a narrower one */
    ADS_FIT_BROADER,
    ADS_FIT_SIBLING, /* another one of the next broader kind */
    ADS_FIT_UNKNOWN, /* the product was taken for nothing */
    ADS_FIT_BELONGS, /* accessory, part, consumable or service of it */
    ADS_FIT_OWNER,   /* the wanted thing is one of its accessories */
    ADS_FIT_OTHER
};

/* Which weights count. */
enum ads_fit_class {
    ADS_FIT_OF_KIND,
    ADS_FIT_OF_ANOTHER,
    ADS_FIT_OF_WORDS,
    ADS_FIT_CLASSES
};

enum ads_fit_feature {
    ADS_FIT_ANY,          /* always 1 */
    ADS_FIT_WISHED,       /* log-odds that its kind is wanted */
    ADS_FIT_REFUSED,      /* its kind is: "not a laptop", "instead of one" */
    ADS_FIT_HINTED,       /* words hint at what is wanted, none names it */
    ADS_FIT_HINTS,        /* what hints at its kind, 8 bits are 1 */
    ADS_FIT_SURE,         /* that it is of its kind, in steps of a fifth */
    ADS_FIT_COVERED,      /* share of the words that it has */
    ADS_FIT_TITLED,       /* that its title has */
    ADS_FIT_SHORT,        /* the request has few words */
    ADS_FIT_LEADS,        /* its score, of the best hit's */
    ADS_FIT_LEADS_KIND,   /* of the best of the wanted kind */
    ADS_FIT_AGREED,       /* how much of what leads is of its kind */
    ADS_FIT_STRONG,       /* its score as it is: few words find little */
    ADS_FIT_LOST,         /* models and numbers that no product has */
    ADS_FIT_LONGER,       /* its title has a model with a longer name */
    ADS_FIT_MODEL_ELSE,   /* that its title has not, but the word before it,
                             or the brand; at most 2, as all counts */
    ADS_FIT_NO_MODEL,     /* that its title has not, nor what they are of */
    ADS_FIT_MEASURE_ELSE, /* its title has the unit with another number */
    ADS_FIT_NO_MEASURE,
    ADS_FIT_NO_QUALITY,
    ADS_FIT_NO_BRAND,
    ADS_FIT_UNWANTED, /* it has an attribute that the request refuses */
    ADS_FIT_CONTRARY, /* it has what contradicts one that is asked for */
    ADS_FIT_LACKS,    /* of all these, more than the best of the wanted kind */
    ADS_FIT_NAMED,    /* its title has all words that name the wanted kind */
    ADS_FIT_NAMELESS, /* no word that products have names it */
    ADS_FIT_NO_NAME,  /* words that name it and are not in its title */
    ADS_FIT_HAS_HEAD, /* its title has the noun that is looked for */
    ADS_FIT_NO_HEAD,
    ADS_FIT_HEADED, /* and is a name of that */
    ADS_FIT_IS_BROADER,
    ADS_FIT_IS_NARROWED, /* that, and its title says what makes it narrower */
    ADS_FIT_TOO_BROAD,   /* that, and it does not */
    ADS_FIT_IS_SIBLING,
    ADS_FIT_IS_UNKNOWN,
    ADS_FIT_BELONGING, /* one of the two belongs to the other */
    ADS_FIT_NO_OTHER,  /* no hit is of the wanted kind */
    ADS_FIT_FEATURES
};

struct ads_fit {
    enum ads_fit_kind kind;
    uint32_t probability; /* that it is a good answer, of ADS_FIT_UNIT */
    uint32_t score;       /* what hits are ordered by, of ADS_MATCH_UNIT */
};

#define ADS_FIT_KINDS 128 /* of a request's hits, a power of 2 */

/* What is the same for all hits of a request. */
struct ads_fitting {
    const struct ads_understood *understood;
    const struct ads_match_query *query;
    uint32_t top;      /* the highest score of the hits */
    uint32_t top_kind; /* of those of the wanted kind */
    uint32_t met;      /* most demands that one of those meets */
    uint32_t n_noted;
    uint32_t weight; /* of all that were noted */
    bool compared;
    struct {
        uint32_t score;
        uint32_t at; /* its kind's place in kinds[] */
    } noted[ADS_MATCH_DEPTH];
    struct ads_fit_of_kind {
        uint32_t number; /* the kind + 1; 0: none yet */
        enum ads_fit_kind kind;
        int32_t wished;
        int32_t hints;
        uint32_t weight; /* of the hits of the kind */
        int32_t agreed;
        bool refused;
    } kinds[ADS_FIT_KINDS];
};

/* Begins with the hits of a request; what is given is borrowed. */
void
ads_fit_begin(struct ads_fitting *fitting,
              const struct ads_understood *understood,
              const struct ads_match_query *query);

/* Notes a hit that others are compared with: all of them, before the first is
 * read.  `kind` is its product's, ADS_GOODS_NONE where that is not known. */
void
ads_fit_note(struct ads_fitting *fitting, const struct ads_match_hit *hit,
             uint32_t kind);

/* Weighs a hit, whose product is `sure` of 255 of its kind. */
struct ads_fit
ads_fit_read(struct ads_fitting *fitting, const struct ads_match_hit *hit,
             uint32_t kind, uint8_t sure);

/* What it is weighed by; returns whose weights count. */
enum ads_fit_class
ads_fit_features(struct ads_fitting *fitting, const struct ads_match_hit *hit,
                 uint32_t kind, uint8_t sure,
                 int32_t features[ADS_FIT_FEATURES]);

enum ads_fit_kind
ads_fit_kind_of(const struct ads_wish *wish, const struct ads_goods *goods,
                uint32_t kind);

const char *
ads_fit_name(enum ads_fit_kind kind);

const char *
ads_fit_feature_name(enum ads_fit_feature feature);

#endif
