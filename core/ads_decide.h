/*
 * The ad decision of POST /v1/ads/recommend, in one place: the same code serves
 * in a worker, explains in adsctl and is replayed in tests.
 *
 *     guard -> intent -> match (eligible ads only) -> floor -> rank -> answer
 *
 * Each stage that ends the road has its reason.  Nothing here reads a clock or
 * draws a random number: the same tables, words of `live`, ask and seed give
 * the same decision on any machine.
 */
#ifndef ADS_DECIDE_H
#define ADS_DECIDE_H

#include "ads_auction.h"
#include "ads_body.h"
#include "ads_fit.h"
#include "ads_live.h"
#include "ads_match.h"
#include "ads_reason.h"
#include "ads_tables.h"
#include "ads_target.h"
#include "ads_token.h"

#define ADS_DECIDE_MAX 20


#define ADS_NOTES_MAX 20

/* The hits that stood best, for explain: filled only for who asks. */
struct ads_note {
    uint32_t doc;
    uint32_t score;
    struct ads_fit fit;
    bool relevant; /* above the relevance floor */
};

struct ads_notes {
    uint32_t n;
    struct ads_note list[ADS_NOTES_MAX];
};

struct ads_ask {
    struct ads_str query; /* valid UTF-8, trimmed, not empty */
    char currency[3];     /* zeros: any */
    struct ads_place place;
    struct ads_placement placement;
    uint32_t max; /* 1 to ADS_DECIDE_MAX */
    int64_t floor_micros;
    bool test;     /* a test key: fills whatever the budgets */
    uint64_t hash; /* of the request id: throttles and ties */
    uint64_t now_ms;
    const struct ads_str *keywords; /* further words to match */
    uint32_t n_keywords;
    struct ads_uuid publisher;
    struct ads_str language; /* a tag; len 0: not said */
    uint64_t session;        /* a hash; 0: no session, so no frequency cap */
    /* for a preview: this campaign takes part as if it were active, in its
     * time and funded; `alone`: and no other does */
    const struct ads_uuid *as_if;
    bool alone;
    struct ads_understood
        *understood;               /* where that is kept; NULL: in scratch */
    struct ads_notes *notes;       /* or NULL */
    struct ads_auctions *auctions; /* who took part, to be filled; or NULL */
    const struct ads_uuid *not_ads;
    uint32_t n_not_ads;
    const struct ads_str *not_advertisers; /* account ids or names */
    uint32_t n_not_advertisers;
    const struct ads_str *not_categories;
    uint32_t n_not_categories;
};

/* One more time that a session saw a campaign, for ads_live_show(). */
struct ads_cap {
    uint64_t key;
    uint32_t window_s; /* 0: the campaign has no cap, there is no session, or
                          another pick counts for it already */
};

struct ads_pick {
    const struct ads_snap_ad *ad;
    const struct ads_base *from; /* has its texts */
    const struct ads_snap_campaign *campaign;
    const struct ads_snap_account *account;
    int64_t price_micros; /* of one click */
    uint32_t doc;
    uint32_t score; /* relevance: ads_match.h says the unit */
    uint32_t fit;   /* probability, of ADS_FIT_UNIT */
    uint32_t group; /* of variants: struct ads_snap_offer */
    uint64_t rank;
    uint32_t terms; /* query terms matched, as bits */
    struct ads_cap cap;
};

/* Why an ad or a campaign did not make it, counted; for explain. */
struct ads_trace {
    int32_t intent;           /* score */
    int32_t intent_threshold; /* SHOW from here on */
    const char *guard;        /* category, or NULL */
    uint32_t n_terms;
    uint32_t n_candidates;            /* documents the match returned */
    uint32_t n_below;                 /* of them under the relevance floor */
    uint32_t refused[ADS_REASON_END]; /* documents not eligible, by reason */
    struct ads_match_stats match;
};

struct ads_decision {
    enum ads_reason reason; /* ADS_REASON_NONE: SHOW */
    uint32_t n;
    struct ads_pick picks[ADS_DECIDE_MAX];
    uint8_t words_len[ADS_DECIDE_MAX];
    char words[ADS_DECIDE_MAX][ADS_TOKEN_WORDS_MAX]; /* matched, per pick */
    struct ads_trace trace;
    /* what the request was read as; in scratch unless the ask says where, NULL
     * when a phrase of the guard ended the road */
    const struct ads_understood *understood;
};

/* Bytes of scratch memory, 64-byte aligned, that ads_decide needs for these
 * tables; its contents need not be kept or cleared between calls. */
size_t
ads_decide_scratch_len(const struct ads_tables *tables);

/*
 * Decides.  `live` NULL: nothing is sold but to test keys.  Always fills
 * *decision; picks borrow from the tables.
 */
void
ads_decide(struct ads_decision *decision, const struct ads_tables *tables,
           const struct ads_live *live, const struct ads_ask *ask,
           struct ads_text *text, void *scratch);

#endif
