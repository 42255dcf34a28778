/*
 * The ad decision, stage by stage.
 *
 * Eligibility is found out once per request and campaign and kept in a byte of
 * scratch memory; the match asks about a document only when it is good enough
 * to be kept, so that a huge or exhausted advertiser costs nothing and can
 * never empty the result.
 */
#include "ads_decide.h"

#include "ads_decide_parts.h"
#include "ads_decide_words.h"

#define ACCOUNT_HITS_MAX 8 /* kept by a second match */

#define WORK_BYTE \
    12 /* of the budget: what a byte of the request cost to read */

#define ALIGN64(n) (((n) + 63) & ~(size_t)63)

_Static_assert(ADS_NAMES_MAX >= ADS_BODY_EXCLUDE_MAX,
               "all that a request excludes is kept");


/* Scratch: the memos of campaigns and of classes, room for query and keywords
 * side by side, what they were understood as, the match's. */
size_t
ads_decide_scratch_len(const struct ads_tables *tables)
{
    return ALIGN64((size_t)tables->head.map.rows)
           + ALIGN64((size_t)ads_tables_n_classes(tables))
           + ALIGN64((size_t)ADS_DECIDE_WORDS_ROOM)
           + ALIGN64(sizeof(struct ads_understood))
           + ads_match_scratch_len(&tables->index);
}


/* What explain tells of the best hits. */
static void
notes_take(const struct ads_request *req, struct ads_fitting *fitting,
           const struct ads_match_hit *hits, uint32_t n_hits)
{
    struct ads_notes *notes = req->ask->notes;

    if (notes == NULL) {
        return;
    }
    notes->n = n_hits < ADS_NOTES_MAX ? n_hits : ADS_NOTES_MAX;
    for (uint32_t i = 0; i < notes->n; i++) {
        struct ads_fit fit = ads_rank_fit(req, fitting, &hits[i]);

        notes->list[i] = (struct ads_note){
            .doc = hits[i].doc,
            .score = fit.score,
            .fit = fit,
            .relevant = ads_rank_is_relevant(req, &fit),
        };
    }
}


/* What became of each campaign, once the answer stands. */
static void
auctions_settle(const struct ads_request *req)
{
    const struct ads_decision *decision = req->decision;

    if (req->ask->auctions == NULL) {
        return;
    }
    for (uint32_t i = 0; i < decision->n; i++) {
        ads_auction_reach(&req->memo[decision->picks[i].ad->campaign],
                          ADS_STAGE_WON);
    }
    ads_auction_settle(req->ask->auctions, req->memo);
}


/*
 * Match, rank, answer.  When a few large advertisers fill all that a match
 * keeps of a kind and places are left, a second match looks past them: one huge
 * advertiser never empties the result, and the usual request does not pay for
 * that by a search that cannot raise its threshold.  Both share one budget, and
 * a request that took long to read has less of it.
 */
static void
answer_find(struct ads_request *req, const struct ads_match_query *query,
            void *scratch)
{
    struct ads_match_filter filter = {ads_eligible_account, req,
                                      ADS_MATCH_DEPTH, &req->work};
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_pick candidates[ADS_MATCH_DEPTH];
    struct ads_decision *decision = req->decision;
    struct ads_trace *trace = &decision->trace;
    struct ads_fitting fitting;
    uint32_t n;

    req->work = (uint32_t)req->words.len * WORK_BYTE;
    memset(req->memo, ADS_MEMO_UNKNOWN, req->tables->head.map.rows);
    memset(req->classes, ADS_CLASS_UNKNOWN, ads_tables_n_classes(req->tables));
    trace->n_candidates =
        ads_match_run(&req->tables->index, query, &filter, 0, scratch, hits,
                      ADS_MATCH_DEPTH, &trace->match);
    ads_rank_compare(req, query, hits, trace->n_candidates, &fitting);
    notes_take(req, &fitting, hits, trace->n_candidates);
    n = ads_rank_candidates(req, &fitting, hits, trace->n_candidates,
                            candidates);
    ads_rank_take(req, candidates, n);

    if (n >= ADS_MATCH_OF_KIND && decision->n < req->ask->max) {
        struct ads_match_stats stats;

        req->again = true;
        req->work += trace->match.postings + trace->match.refused;
        filter.per_account = ACCOUNT_HITS_MAX;
        n = ads_match_run(&req->tables->index, query, &filter, 0, scratch, hits,
                          ADS_MATCH_DEPTH, &stats);
        n = ads_rank_candidates(req, &fitting, hits, n, candidates);
        ads_rank_take(req, candidates, n);
    }
}


/* The cap that pick i counts for: of the ads of one campaign the first stands
 * for all, since an answer is one time. */
static struct ads_cap
cap_once(const struct ads_request *req, uint32_t i)
{
    const struct ads_pick *picks = req->decision->picks;

    for (uint32_t k = 0; k < i; k++) {
        if (picks[k].campaign == picks[i].campaign) {
            return (struct ads_cap){0};
        }
    }
    return ads_eligible_cap(req, picks[i].campaign);
}


/*
 * What the publisher adds to the query is matched as it is, so it is classified
 * as it is; each keyword by itself, as they form no sentence.
 */
static enum ads_guard_topic
topic_find(const struct ads_request *req)
{
    const struct ads_guard *guard = &req->tables->guard;
    enum ads_guard_topic topic = ads_guard_check(guard, req->ask->query);

    for (uint32_t i = 0; i < req->ask->n_keywords && topic == ADS_GUARD_NONE;
         i++) {
        topic = ads_guard_check(guard, req->ask->keywords[i]);
    }
    return topic;
}


/* Is an ad wanted at all?  Guard first: no bid passes it.  Its phrases cost
 * least; what they let through is read, and may yet tell a sensitive story. */
static enum ads_reason
wish_check(const struct ads_request *req)
{
    struct ads_trace *trace = &req->decision->trace;
    const struct ads_intent *intent = &req->tables->intent;
    enum ads_guard_topic topic = topic_find(req);
    struct ads_intent_scores scores;

    if (topic != ADS_GUARD_NONE) {
        trace->guard = ads_guard_name(topic);
        return ADS_REASON_SENSITIVE_TOPIC;
    }

    ads_understand(req->understood, &req->tables->goods, &req->tables->index,
                   req->words, req->ask->language);
    req->decision->understood = req->understood;
    scores = ads_intent_score(intent, req->ask->query, req->understood);
    if (ads_intent_is(intent, ADS_INTENT_SENSITIVE,
                      scores.of[ADS_INTENT_SENSITIVE]))
    {
        trace->guard = ADS_GUARD_STORY;
        return ADS_REASON_SENSITIVE_TOPIC;
    }
    trace->intent = scores.of[ADS_INTENT_COMMERCIAL] + ads_decide_evidence(req);
    trace->intent_threshold = intent->sums[ADS_INTENT_COMMERCIAL].threshold;
    return ads_intent_is(intent, ADS_INTENT_COMMERCIAL, trace->intent)
               ? ADS_REASON_NONE
               : ADS_REASON_NOT_COMMERCIAL;
}


/* What each ad of the answer matched, and what its showing counts for. */
static void
picks_tell(const struct ads_request *req, const struct ads_match_query *query)
{
    struct ads_decision *decision = req->decision;

    for (uint32_t i = 0; i < decision->n; i++) {
        decision->picks[i].terms = ads_match_groups(&req->tables->index, query,
                                                    decision->picks[i].doc);
        ads_decide_words_write(decision, i, req->understood->focus.words,
                               query);
        decision->picks[i].cap = cap_once(req, i);
    }
}


void
ads_decide(struct ads_decision *decision, const struct ads_tables *tables,
           const struct ads_live *live, const struct ads_ask *ask,
           struct ads_text *text, void *scratch)
{
    struct ads_names not_advertisers, not_categories;
    struct ads_target_words target;
    struct ads_request req = {.tables = tables,
                              .live = live,
                              .ask = ask,
                              .decision = decision,
                              .floor_micros = ask->floor_micros,
                              .memo = scratch,
                              .text = text,
                              .not_advertisers = &not_advertisers,
                              .not_categories = &not_categories,
                              .target = &target};
    char *classes = (char *)scratch + ALIGN64((size_t)tables->head.map.rows);
    char *room = classes + ALIGN64((size_t)ads_tables_n_classes(tables));
    void *understood = room + ALIGN64((size_t)ADS_DECIDE_WORDS_ROOM);
    void *match_scratch =
        (char *)understood + ALIGN64(sizeof(struct ads_understood));
    struct ads_match_query query;
    struct ads_trace *trace = &decision->trace;

    decision->n = 0;
    decision->understood = NULL;
    if (ask->auctions != NULL) {
        ask->auctions->n = ask->auctions->n_more = 0;
    }
    *trace = (struct ads_trace){0};
    req.classes = (uint8_t *)classes;
    req.blocks =
        ads_head_blocks(&tables->head, &ask->publisher, &req.floor_micros);
    req.words = ads_decide_words_join(ask, room);
    req.understood = ask->understood != NULL ? ask->understood : understood;
    decision->reason = wish_check(&req);
    if (decision->reason != ADS_REASON_NONE) {
        return;
    }

    ads_names_read(&not_advertisers, ask->not_advertisers,
                   ask->n_not_advertisers);
    ads_names_read(&not_categories, ask->not_categories, ask->n_not_categories);
    ads_match_read(&tables->index, text, req.understood->focus.words,
                   &req.understood->focus.match, &query);
    trace->n_terms = query.n_groups;
    if (query.n_groups == 0) {
        decision->reason = ADS_REASON_NO_MATCH;
        return;
    }

    answer_find(&req, &query, match_scratch);

    if (decision->n == 0) {
        decision->reason = ads_decide_refusal(&req, &query, match_scratch);
        auctions_settle(&req);
        return;
    }
    picks_tell(&req, &query);
    auctions_settle(&req);
}
