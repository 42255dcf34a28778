/*
 * Finds the NO_AD reason: why the most relevant ad could not be shown.
 */
#include "ads_decide_parts.h"

#define HITS_MAX 20 /* examined to say why there is no ad */


/* The best hits of all, whether they may be shown or not: what the match met is
 * enough, but for a preview, which asks about one campaign alone. */
static uint32_t
hits_met(struct ads_request *req, const struct ads_match_query *query,
         void *scratch, struct ads_match_hit hits[HITS_MAX])
{
    const struct ads_match_filter own = {ads_eligible_previewed, req,
                                         ADS_MATCH_DEPTH, NULL};
    struct ads_match_stats stats;

    return req->ask->alone ? ads_match_run(&req->tables->index, query, &own, 0,
                                           scratch, hits, HITS_MAX, &stats)
                           : ads_match_met(&req->tables->index, query, scratch,
                                           hits, HITS_MAX);
}


enum ads_reason
ads_decide_refusal(struct ads_request *req, const struct ads_match_query *query,
                   void *scratch)
{
    const struct ads_trace *trace = &req->decision->trace;
    struct ads_match_hit hits[HITS_MAX];
    struct ads_fitting fitting;
    uint32_t n = trace->n_candidates;

    if (trace->match.refused > 0) {
        n = hits_met(req, query, scratch, hits);
        ads_rank_compare(req, query, hits, n, &fitting);
    }

    for (uint32_t i = 0; i < n && trace->match.refused > 0; i++) {
        struct ads_fit fit = ads_rank_fit(req, &fitting, &hits[i]);

        if (ads_rank_is_relevant(req, &fit)) {
            int32_t account;
            enum ads_reason reason =
                ads_eligible_check(req, hits[i].doc, &account);

            if (reason != ADS_REASON_NONE) {
                return reason;
            }
        }
    }
    return n > 0 ? ADS_REASON_BELOW_RELEVANCE : ADS_REASON_NO_MATCH;
}
