/*
 * State that the stages of one decision share.  Included by ads_decide.c,
 * ads_decide_evidence.c, ads_decide_refusal.c, ads_eligible.c and ads_rank.c
 * alone.
 */
#ifndef ADS_DECIDE_PARTS_H
#define ADS_DECIDE_PARTS_H

#include "ads_decide.h"
#include "ads_names.h"

#define ADS_ACCOUNT_ADS_MAX 2 /* in one answer */

/* What the stages of one request share. */
struct ads_request {
    const struct ads_tables *tables;
    const struct ads_live *live;
    const struct ads_ask *ask;
    struct ads_decision *decision;
    struct ads_understood *understood;
    uint8_t *memo;    /* a byte per campaign that ads name: ads_auction.h */
    uint8_t *classes; /* a byte per class of ads (ads_tables.h) */
    bool again;       /* a second match: who has its places is left out */
    const struct ads_text *text;
    struct ads_names *not_advertisers;
    struct ads_names *not_categories;
    uint32_t work;                   /* of a match's filter: ads_match.h */
    struct ads_str words;            /* of query and keywords */
    struct ads_target_words *target; /* the same, once a campaign asks */
    bool has_target;
    int64_t floor_micros;                 /* the request's or its publisher's */
    const struct ads_snap_target *blocks; /* what it never shows, or NULL */
};

/* ---- is an ad wanted (ads_decide_evidence.c) */

/* What speaks for a wish beyond how it is said, in ADS_INTENT_UNIT: what is
 * named is on offer, and nothing is asked about it.  0: nothing does; below 0:
 * things are named to refuse them. */
int32_t
ads_decide_evidence(const struct ads_request *req);

/* ---- who may be shown (ads_eligible.c) */

#define ADS_CLASS_UNKNOWN 0 /* what a class is before a rule was asked */

/* May this document be shown to this request?  *account is its account; -1
 * when that has all its places already. */
enum ads_reason
ads_eligible_check(struct ads_request *req, uint32_t doc, int32_t *account);

/* The same as a filter of the match: counts what it refuses. */
int32_t
ads_eligible_account(void *ctx, uint32_t doc);

/* Another filter of the match: lets all documents of the previewed campaign
 * pass, whatever the rules say, and no others. */
int32_t
ads_eligible_previewed(void *ctx, uint32_t doc);

/* What one more time of showing the campaign counts for. */
struct ads_cap
ads_eligible_cap(const struct ads_request *req,
                 const struct ads_snap_campaign *campaign);

/* ---- why no ad is (ads_decide_refusal.c) */

/* The reason to give when the answer is empty: of the most relevant document
 * the one that keeps it out, else that none is relevant enough or there. */
enum ads_reason
ads_decide_refusal(struct ads_request *req, const struct ads_match_query *query,
                   void *scratch);

/* ---- who is shown (ads_rank.c) */

/* Compares the hits of a match, before any of them is weighed. */
void
ads_rank_compare(const struct ads_request *req,
                 const struct ads_match_query *query,
                 const struct ads_match_hit *hits, uint32_t n_hits,
                 struct ads_fitting *fitting);

/* The hits that may be ads, with what decides between them; how many. */
uint32_t
ads_rank_candidates(const struct ads_request *req, struct ads_fitting *fitting,
                    const struct ads_match_hit *hits, uint32_t n_hits,
                    struct ads_pick *picks);

/* Fills the answer with the best candidates that have a place. */
void
ads_rank_take(const struct ads_request *req, const struct ads_pick *candidates,
              uint32_t n);

/* Places that an account has in the answer so far. */
uint32_t
ads_rank_places(const struct ads_decision *decision, uint32_t account);

/* How well a document fits the request. */
struct ads_fit
ads_rank_fit(const struct ads_request *req, struct ads_fitting *fitting,
             const struct ads_match_hit *hit);

/* Is it likely enough that the document is a good answer? */
bool
ads_rank_is_relevant(const struct ads_request *req, const struct ads_fit *fit);

#endif
