/*
 * Wish of a request: which of the kinds that it mentions is wanted, with which
 * attributes and within which price.
 *
 * "For my laptop", "instead of a desktop", "my printer died, which one next":
 * which mention is the wanted one is decided by a small linear model over the
 * cues around each mention (weights: core/ads_wish_model.h, trained by
 * tools/wish_train).  Integers only, no memory but the caller's.
 */
#ifndef ADS_WISH_H
#define ADS_WISH_H

#include "ads_cue.h"
#include "ads_hint.h"
#include "ads_scan.h"

#define ADS_WISH_KINDS 4       /* wanted at once */
#define ADS_WISH_HINTS 6       /* kinds hinted at that are weighed */
#define ADS_WISH_ATTRIBUTES 12 /* asked for or ruled out */
#define ADS_WISH_BOUNDS 4
#define ADS_WISH_UNIT 256 /* of a mention's score: 1 nat */
#define ADS_WISH_ODDS_MOST (5 * ADS_WISH_UNIT)

/* What stands around a mention: the features of the model. */
enum ads_wish_feature {
    ADS_WISH_ANY, /* always */
    ADS_WISH_NEED,
    ADS_WISH_AMBIGUOUS,
    ADS_WISH_COMPOUND,
    ADS_WISH_PREFIX,
    ADS_WISH_ALONE, /* the only mention */
    ADS_WISH_FIRST,
    ADS_WISH_LAST,
    ADS_WISH_WHOLE,        /* the whole request */
    ADS_WISH_WANT_BEFORE,  /* in its clause */
    ADS_WISH_WANT_EARLIER, /* in an earlier one */
    ADS_WISH_WANT_NEAR,    /* within four words */
    ADS_WISH_WANT_BEHIND,  /* behind it in its clause */
    ADS_WISH_WHICH,        /* "which", "any" right before */
    ADS_WISH_MINE_BEFORE,
    ADS_WISH_OWN_BEFORE,
    ADS_WISH_BROKEN, /* said of it */
    ADS_WISH_INSTEAD,
    ADS_WISH_WITHOUT,
    ADS_WISH_FOR_BEFORE,   /* right before, and a kind before that */
    ADS_WISH_FOR_ALONE,    /* right before, and none before that */
    ADS_WISH_PLACE_BEFORE, /* "on", "under": as FOR_BEFORE */
    ADS_WISH_PLACE_ALONE,  /* as FOR_ALONE */
    ADS_WISH_FOR_BEHIND,   /* right behind, and a kind behind that */
    ADS_WISH_WITH_BEFORE,
    ADS_WISH_WITH_BEHIND,
    ADS_WISH_OF_BEFORE,
    ADS_WISH_OF_BEHIND,
    ADS_WISH_KIND_BEFORE, /* a kind right before */
    ADS_WISH_KIND_BEHIND, /* a kind right behind */
    ADS_WISH_AND_BEFORE,
    ADS_WISH_AND_BEHIND,
    ADS_WISH_WRITE, /* anywhere before */
    ADS_WISH_HOWTO, /* in its clause, before */
    ADS_WISH_FIX,
    ADS_WISH_AFTER,
    ADS_WISH_GIFT,
    ADS_WISH_ARTICLE,
    ADS_WISH_THE,
    ADS_WISH_LATE,        /* in the last sentence of several */
    ADS_WISH_EARLY,       /* in an earlier one */
    ADS_WISH_OF_ANOTHER,  /* it belongs to another mention's kind */
    ADS_WISH_HAS_ANOTHER, /* another mention's kind belongs to it */
    ADS_WISH_NARROWER,    /* than another mention */
    ADS_WISH_BROADER,
    ADS_WISH_BROAD,         /* a root of the ontology, or right below one */
    ADS_WISH_PRICE,         /* the request has an amount */
    ADS_WISH_LONG,          /* over twelve words */
    ADS_WISH_FOREIGN,       /* a name of another language than the request's */
    ADS_WISH_CLAUSE_LAST,   /* the last mention of its clause */
    ADS_WISH_TRAILED,       /* a word that is understood as nothing is next */
    ADS_WISH_TRAILED_SHORT, /* the same in a request of few words */
    ADS_WISH_PIECE,         /* a piece of it is what is named: "its case" */
    ADS_WISH_HINTED,        /* words hint at it, and no name of it is there */
    ADS_WISH_HINT_SOME,     /* they score HINT_SOME of core/ads_wish.c */
    ADS_WISH_HINT_MORE,
    ADS_WISH_HINT_MUCH,
    ADS_WISH_HINT_MOST,
    ADS_WISH_HINT_TOP,  /* nothing else is hinted at as much */
    ADS_WISH_HINT_LEAD, /* nothing else nearly as much */
    ADS_WISH_HINT_FEW,  /* a single word hints at it */
    ADS_WISH_PLAIN,     /* ambiguous, and "a" or "which" before it */
    ADS_WISH_LINE,      /* a maker's line names it: "ThinkPad" */
    ADS_WISH_COMPOSED,  /* what it is of tells which kind: "its case" */
    /* no bits: numbers of the mention */
    ADS_WISH_HINTS_ALL,   /* in bytes of information */
    ADS_WISH_HINTS_AHEAD, /* likewise */
    ADS_WISH_FEATURES
};

enum ads_wish_role {
    ADS_WISH_WANTED,
    ADS_WISH_CONTEXT, /* for it, with it, owned already */
    ADS_WISH_REFUSED  /* instead of it, without it */
};

/* A mention of a kind, settled. */
struct ads_wish_mention {
    uint32_t kind;
    int32_t score; /* weight of its features, ADS_WISH_UNIT */
    uint16_t from; /* words; of a hint both are behind the last */
    uint16_t to;
    uint8_t role;      /* enum ads_wish_role */
    int16_t hints;     /* what hints at the kind, ADS_HINT_UNIT */
    int16_t ahead;     /* of what hints at the next kind; less than 0: behind */
    uint64_t features; /* bits by enum ads_wish_feature */
};

struct ads_wish {
    uint32_t n_mentions;
    struct ads_wish_mention mentions[ADS_SCAN_MENTIONS + ADS_WISH_HINTS];
    uint32_t n_kinds; /* wanted, the surest first */
    uint32_t kinds[ADS_WISH_KINDS];
    uint16_t from; /* the words of the first of them */
    uint16_t to;
    int32_t score; /* log-odds that it is wanted, ADS_WISH_UNIT */
    uint32_t of;   /* what it has to fit, or ADS_GOODS_NONE */
    uint32_t n_attributes;
    struct {
        uint32_t attribute;
        uint16_t from;
        uint16_t to;
        bool without;
    } attributes[ADS_WISH_ATTRIBUTES];
    uint32_t cues;        /* of all words, as bits by enum ads_cue */
    uint8_t language;     /* enum ads_cue: ENGLISH to SPANISH, or END */
    int64_t least_micros; /* price bounds, both inclusive; -1: none */
    int64_t most_micros;
    char currency[3]; /* of the bounds, zeros: not said */
    uint32_t n_bounds;
    struct {
        uint16_t from; /* words that say one of them */
        uint16_t to;
    } bounds[ADS_WISH_BOUNDS];
    uint32_t n_words;
    struct ads_hints hints;
};

/* What the numbers of a mention count for a feature of weight 1. */
#define ADS_WISH_BYTE (8 * ADS_HINT_UNIT)

/* Reads what a scanned text wants.  `language` is its tag where that is known,
 * len 0: it is guessed. */
void
ads_wish_read(struct ads_wish *wish, const struct ads_scan *scan,
              const struct ads_goods *goods, struct ads_str text,
              struct ads_str language);

/* The log-odds that what is wanted is the kind or a broader one of it, against
 * all else that is mentioned or hinted at and nothing, ADS_WISH_UNIT; at least
 * -ADS_WISH_ODDS_MOST and at most that. */
int32_t
ads_wish_odds(const struct ads_wish *wish, const struct ads_goods *goods,
              uint32_t kind);

const char *
ads_wish_feature_name(enum ads_wish_feature feature);

/* What the model gives for a feature, ADS_WISH_UNIT. */
int32_t
ads_wish_weight(enum ads_wish_feature feature);

#endif
