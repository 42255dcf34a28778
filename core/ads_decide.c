/*
 * The decision, stage by stage.
 *
 * Eligibility is found out once per request and campaign and kept in a byte of
 * scratch memory; the match asks about a document only when it is good enough
 * to be kept, so that a huge or exhausted advertiser costs nothing and can
 * never empty the result.
 */
#include "ads_decide.h"

#include "ads_decide_words.h"
#include "ads_names.h"

#define ACCOUNT_ADS_MAX 2   /* in one answer */
#define ACCOUNT_HITS_MAX 8  /* kept by a second match */
#define REFUSED_HITS_MAX 20 /* looked at to say why there is no ad */

/* Work of the filter, in postings: for a text that lies anywhere, and bytes of
 * it that cost as much as one when they are hashed, or compared line by line */
#define WORK_TEXT 8
#define WORK_HASHED 4
#define WORK_COMPARED 8

#define ALIGN64(n) (((n) + 63) & ~(size_t)63)

_Static_assert(ADS_NAMES_MAX >= ADS_BODY_EXCLUDE_MAX,
               "all that a request excludes is kept");

/* What the stages of one request share. */
struct request {
    const struct ads_tables *tables;
    const struct ads_live *live;
    const struct ads_ask *ask;
    struct ads_decision *decision;
    uint8_t *memo; /* a byte per campaign that ads name: ads_auction.h */
    bool again;    /* a second match: who has its places is left out */
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


/* Scratch: the memo, room for query and keywords side by side, the match's. */
size_t
ads_decide_scratch_len(const struct ads_tables *tables)
{
    return ALIGN64((size_t)tables->head.map.rows)
           + ALIGN64((size_t)ADS_DECIDE_WORDS_ROOM)
           + ads_match_scratch_len(&tables->index);
}


static bool
advertiser_excluded(const struct request *req,
                    const struct ads_snap_account *account)
{
    char id[ADS_UUID_TEXT_LEN];

    if (req->blocks != NULL
        && ads_target_publisher_fits(&req->tables->head, req->blocks,
                                     &account->id))
    {
        return true;
    }
    if (req->not_advertisers->n == 0) {
        return false;
    }

    ads_uuid_write(id, &account->id);
    return ads_names_hold(req->not_advertisers,
                          (struct ads_str){id, sizeof(id)})
           || ads_names_hold_escaped(
               req->not_advertisers,
               ads_head_account_name(&req->tables->head, account));
}


/* Money: what `live` still allows this campaign to sell here. */
static enum ads_reason
budget_check(const struct request *req,
             const struct ads_snap_campaign *campaign)
{
    const struct ads_live_slot *slot;

    if (req->ask->test) {
        return ADS_REASON_NONE;
    }
    if (req->live == NULL) {
        return ADS_REASON_NO_BUDGET;
    }

    slot = ads_live_slot(req->live, campaign->slot, campaign->tag);
    if (slot == NULL || ads_live_spent(slot) >= ads_live_allowance(slot)) {
        return ADS_REASON_NO_BUDGET;
    }
    return ads_live_open_for(slot, req->ask->hash ^ campaign->tag)
               ? ADS_REASON_NONE
               : ADS_REASON_PACED;
}


/* Is what the campaign asks of the words of a request there? */
static enum ads_reason
words_check(struct request *req, const struct ads_snap_target *target)
{
    const struct ads_head *head = &req->tables->head;
    uint32_t first_not = target->keywords + target->n_keywords;

    if (target->n_keywords == 0 && target->n_not_keywords == 0) {
        return ADS_REASON_NONE;
    }
    if (!req->has_target) {
        ads_target_words_read(req->target, req->text, req->words);
        req->has_target = true;
    }
    if (ads_target_keywords_fit(head, first_not, target->n_not_keywords,
                                req->target))
    {
        return ADS_REASON_BLOCKED;
    }
    return target->n_keywords == 0
                   || ads_target_keywords_fit(head, target->keywords,
                                              target->n_keywords, req->target)
               ? ADS_REASON_NONE
               : ADS_REASON_NO_MATCH;
}


static struct ads_cap
cap_of(const struct request *req, const struct ads_snap_campaign *campaign)
{
    const struct ads_snap_target *target =
        ads_head_target(&req->tables->head, campaign);
    struct ads_cap cap = {0};

    if (target != NULL && target->frequency_count > 0 && req->ask->session != 0
        && !req->ask->test)
    {
        cap.key =
            (req->ask->session ^ campaign->tag) * UINT64_C(0x9e3779b97f4a7c15);
        cap.key ^= cap.key >> 32;
        cap.window_s = target->frequency_s;
    }
    return cap;
}


/* What a campaign asks beyond place and placement. */
static enum ads_reason
target_check(struct request *req, const struct ads_snap_campaign *campaign)
{
    const struct ads_head *head = &req->tables->head;
    const struct ads_snap_target *target = ads_head_target(head, campaign);
    struct ads_cap cap;

    if (campaign->target == 0) {
        return ADS_REASON_NONE;
    }
    if (target == NULL) {
        return ADS_REASON_NO_MATCH;
    }
    if ((target->n_publishers > 0
         && !ads_target_publisher_fits(head, target, &req->ask->publisher))
        || (target->languages_len > 0
            && !ads_target_language_fits(ads_head_languages(head, target),
                                         req->ask->language)))
    {
        return ADS_REASON_BLOCKED;
    }
    cap = cap_of(req, campaign);
    if (cap.window_s > 0 && req->live != NULL
        && ads_live_shown(req->live, cap.key, req->ask->now_ms / 1000,
                          cap.window_s)
               >= target->frequency_count)
    {
        return ADS_REASON_FREQUENCY_CAPPED;
    }
    return words_check(req, target);
}


/* Does it run now, whatever is asked? */
static bool
campaign_runs(const struct ads_snap_campaign *campaign, int64_t now_ms)
{
    return ads_snap_is_active(campaign)
           && (campaign->start_ms == 0 || now_ms >= campaign->start_ms)
           && (campaign->end_ms == 0 || now_ms < campaign->end_ms);
}


static bool
is_previewed(const struct request *req,
             const struct ads_snap_campaign *campaign)
{
    return req->ask->as_if != NULL
           && ads_uuid_equal(&campaign->id, req->ask->as_if);
}


static enum ads_reason
campaign_check(struct request *req, const struct ads_snap_campaign *campaign)
{
    const struct ads_head *head = &req->tables->head;
    const struct ads_snap_account *account;
    enum ads_reason reason;
    bool as_if;

    if (campaign == NULL
        || campaign->cpm) /* impressions are not billed yet: never give away */
    {
        return ADS_REASON_NO_MATCH;
    }
    as_if = is_previewed(req, campaign);
    if (!as_if
        && (req->ask->alone
            || !campaign_runs(campaign, (int64_t)req->ask->now_ms)))
    {
        return ADS_REASON_NO_MATCH;
    }

    account = ads_head_account(head, campaign->account);
    if (account == NULL || !account->active) {
        return ADS_REASON_NO_MATCH;
    }
    if (advertiser_excluded(req, account)
        || !ads_head_placement_allowed(head, campaign, &req->ask->placement))
    {
        return ADS_REASON_BLOCKED;
    }
    if (!ads_head_place_allowed(head, campaign, &req->ask->place)) {
        return ADS_REASON_LOCATION;
    }
    if (campaign->bid_micros < req->floor_micros) {
        return ADS_REASON_BELOW_FLOOR;
    }
    reason = target_check(req, campaign);
    return reason != ADS_REASON_NONE || as_if ? reason
                                              : budget_check(req, campaign);
}


static uint32_t
lines_of(struct ads_str list)
{
    uint32_t n = 0;

    for (size_t i = 0; i < list.len; i++) {
        n += list.ptr[i] == '\n';
    }
    return n;
}


/* Does the request or its publisher not want the product's categories?  What
 * it costs to find out is counted where they do not: of those that are wanted
 * few are asked about. */
static bool
category_excluded(struct request *req, const struct ads_base *from,
                  const struct ads_snap_ad *ad)
{
    struct ads_str list, rest, blocked = {NULL, 0};
    bool excluded = false;

    if (req->blocks != NULL) {
        blocked = ads_head_categories(&req->tables->head, req->blocks);
    }
    if (req->not_categories->n == 0 && blocked.len == 0) {
        return false;
    }

    list = ads_base_categories(from, ad);
    for (rest = list; rest.len > 0 && req->not_categories->n > 0 && !excluded;)
    {
        excluded = ads_names_hold(req->not_categories, ads_target_line(&rest));
    }
    excluded = excluded || ads_target_category_fits(blocked, list);
    if (excluded) {
        req->work += WORK_TEXT + (uint32_t)(list.len / WORK_HASHED)
                     + lines_of(list) * (uint32_t)(blocked.len / WORK_COMPARED);
    }
    return excluded;
}


/* Is the product one of those that its campaign is for, in a language that is
 * understood? */
static bool
ad_aimed(const struct request *req, const struct ads_base *from,
         const struct ads_snap_ad *ad, const struct ads_snap_campaign *campaign)
{
    const struct ads_tables *tables = req->tables;
    const struct ads_snap_target *target =
        ads_head_target(&tables->head, campaign);

    return ads_target_speaks(ad->language, req->ask->language)
           && (target == NULL || target->categories_len == 0
               || ads_target_category_fits(
                   ads_head_categories(&tables->head, target),
                   ads_base_categories(from, ad)));
}


/* May this product of an eligible campaign be shown to this request? */
static enum ads_reason
product_check(struct request *req, const struct ads_base *from,
              const struct ads_snap_ad *ad,
              const struct ads_snap_campaign *campaign)
{
    if (req->ask->currency[0] != '\0'
        && memcmp(req->ask->currency, ad->currency, 3) != 0)
    {
        return ADS_REASON_CURRENCY;
    }
    if (!ad_aimed(req, from, ad, campaign) || category_excluded(req, from, ad))
    {
        return ADS_REASON_BLOCKED;
    }
    for (uint32_t i = 0; i < req->ask->n_not_ads; i++) {
        if (ads_uuid_equal(&req->ask->not_ads[i], &ad->id)) {
            return ADS_REASON_BLOCKED;
        }
    }
    return ADS_REASON_NONE;
}


/* The memo of a campaign that was not looked at yet. */
static uint8_t
memo_begin(struct request *req, uint32_t row,
           const struct ads_snap_campaign *campaign)
{
    enum ads_reason reason = campaign_check(req, campaign);

    if (req->ask->auctions != NULL && reason != ADS_REASON_NO_MATCH) {
        ads_auction_note(req->ask->auctions, row);
    }
    return (uint8_t)(reason == ADS_REASON_NONE
                         ? ADS_MEMO_SEEN | ADS_MEMO_ELIGIBLE
                         : ADS_MEMO_SEEN | reason);
}


/* Places that an account has in the answer so far. */
static uint32_t
places_of(const struct ads_decision *decision, uint32_t account)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < decision->n; i++) {
        n += decision->picks[i].campaign->account == account;
    }
    return n;
}


/* May this document be shown to this request?  *account is its account; -1
 * when that has all its places already. */
static enum ads_reason
ad_check(struct request *req, uint32_t doc, int32_t *account)
{
    const struct ads_tables *tables = req->tables;
    const struct ads_base *from;
    const struct ads_snap_ad *ad = ads_tables_ad(tables, doc, &from);
    const struct ads_snap_campaign *campaign;
    enum ads_reason reason;
    uint8_t *memo;

    if (ad == NULL || ad->campaign >= tables->head.map.rows) {
        return ADS_REASON_NO_MATCH;
    }

    campaign = ads_head_campaign_of(&tables->head, ad->campaign);
    memo = &req->memo[ad->campaign];
    if (*memo == ADS_MEMO_UNKNOWN) {
        *memo = memo_begin(req, ad->campaign, campaign);
    }
    if ((*memo & ADS_MEMO_ELIGIBLE) == 0) {
        return (enum ads_reason)(*memo & ADS_MEMO_BELOW);
    }

    *account = -1;
    if (req->again
        && places_of(req->decision, campaign->account) >= ACCOUNT_ADS_MAX)
    {
        return ADS_REASON_NONE;
    }

    reason = product_check(req, from, ad, campaign);
    if ((*memo & ADS_MEMO_PASSED) == 0) {
        *memo = (uint8_t)(ADS_MEMO_SEEN | ADS_MEMO_ELIGIBLE
                          | (reason == ADS_REASON_NONE ? ADS_MEMO_PASSED
                                                       : (int)reason));
    }
    if (reason == ADS_REASON_NONE) {
        *account = (int32_t)campaign->account;
    }
    return reason;
}


static int32_t
account_of(void *ctx, uint32_t doc)
{
    struct request *req = ctx;
    int32_t account = -1;
    enum ads_reason reason = ad_check(req, doc, &account);

    if (reason != ADS_REASON_NONE) {
        req->decision->trace.refused[reason]++;
        return -1;
    }
    return account;
}


/* Spreads equal ranks over the ads, differently for each request. */
static uint64_t
tie(const struct ads_ask *ask, const struct ads_snap_ad *ad)
{
    uint64_t id;

    memcpy(&id, ad->id.b + 8, 8);
    id = (id ^ ask->hash) * UINT64_C(0x9e3779b97f4a7c15);
    return id ^ id >> 32;
}


/* bid x relevance^4: relevance is what a bid cannot easily buy. */
static uint64_t
rank_of(int64_t bid_micros, uint32_t score)
{
    uint64_t bid = bid_micros < UINT32_MAX ? (uint64_t)bid_micros : UINT32_MAX;
    uint64_t square = (uint64_t)score * score; /* <= 2^32 */
    uint64_t fourth = square < UINT64_C(1) << 32
                          ? square * square >> 32
                          : (square >> 1) * (square >> 1) >> 30;

    return bid * fourth;
}


static bool
pick_before(const struct ads_ask *ask, const struct ads_pick *a,
            const struct ads_pick *b)
{
    if (a->rank != b->rank) {
        return a->rank > b->rank;
    }
    if (a->score != b->score) {
        return a->score > b->score;
    }
    return tie(ask, a->ad) > tie(ask, b->ad);
}


/* Puts the candidate where its rank belongs. */
static void
pick_insert(const struct ads_ask *ask, struct ads_pick *picks, uint32_t n,
            const struct ads_pick *pick)
{
    while (n > 0 && pick_before(ask, pick, &picks[n - 1])) {
        picks[n] = picks[n - 1];
        n--;
    }
    picks[n] = *pick;
}


/* The hits that may be ads, with what decides between them. */
static uint32_t
candidates_rank(const struct request *req, const struct ads_match_query *query,
                const struct ads_match_hit *hits, uint32_t n_hits,
                struct ads_pick *picks)
{
    const struct ads_tables *tables = req->tables;
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_hits; i++) {
        struct ads_pick *pick = &picks[n];

        pick->ad = ads_tables_ad(tables, hits[i].doc, &pick->from);
        if (pick->ad == NULL || pick->ad->campaign >= tables->head.map.rows) {
            continue;
        }
        if (!ads_match_is_relevant(query, &hits[i])) {
            req->decision->trace.n_below++;
            ads_auction_reach(&req->memo[pick->ad->campaign], ADS_STAGE_BELOW);
            continue;
        }
        ads_auction_reach(&req->memo[pick->ad->campaign], ADS_STAGE_OUTBID);

        pick->doc = hits[i].doc;
        pick->score = hits[i].score;
        pick->campaign =
            ads_head_campaign_of(&tables->head, pick->ad->campaign);
        if (pick->campaign == NULL) {
            continue;
        }
        pick->account =
            ads_head_account(&tables->head, pick->campaign->account);
        pick->price_micros = pick->campaign->bid_micros;
        pick->rank = rank_of(pick->campaign->bid_micros, pick->score);
        n++;
    }
    return n;
}


/* One ad per product, two per advertiser. */
static bool
place_left(const struct ads_decision *decision, const struct ads_pick *pick)
{
    for (uint32_t i = 0; i < decision->n; i++) {
        if (decision->picks[i].ad->product == pick->ad->product) {
            return false;
        }
    }
    return places_of(decision, pick->campaign->account) < ACCOUNT_ADS_MAX;
}


/* Takes the best candidate that has a place, again and again: fewer steps
 * than to order them all for the sake of three. */
static void
answer_take(const struct request *req, const struct ads_pick *candidates,
            uint32_t n)
{
    struct ads_decision *decision = req->decision;

    while (decision->n < req->ask->max) {
        const struct ads_pick *best = NULL;

        for (uint32_t i = 0; i < n; i++) {
            if ((best == NULL || pick_before(req->ask, &candidates[i], best))
                && place_left(decision, &candidates[i]))
            {
                best = &candidates[i];
            }
        }
        if (best == NULL) {
            return;
        }
        pick_insert(req->ask, decision->picks, decision->n++, best);
    }
}


/* What explain tells of the best hits. */
static void
notes_take(const struct request *req, const struct ads_match_query *query,
           const struct ads_match_hit *hits, uint32_t n_hits)
{
    struct ads_notes *notes = req->ask->notes;

    if (notes == NULL) {
        return;
    }
    notes->n = n_hits < ADS_NOTES_MAX ? n_hits : ADS_NOTES_MAX;
    for (uint32_t i = 0; i < notes->n; i++) {
        notes->list[i] = (struct ads_note){
            .doc = hits[i].doc,
            .score = hits[i].score,
            .relevant = ads_match_is_relevant(query, &hits[i]),
        };
    }
}


/* What became of each campaign, once the answer stands. */
static void
auctions_settle(const struct request *req)
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
 * keeps and places are left, a second match looks past them: one huge
 * advertiser never empties the result, and the usual request does not pay for
 * that by a search that cannot raise its threshold.
 */
static void
answer_find(struct request *req, const struct ads_match_query *query,
            void *scratch)
{
    struct ads_match_filter filter = {account_of, req, ADS_MATCH_DEPTH,
                                      &req->work};
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_pick candidates[ADS_MATCH_DEPTH];
    struct ads_decision *decision = req->decision;
    struct ads_trace *trace = &decision->trace;
    uint32_t n;

    trace->n_candidates =
        ads_match_run(&req->tables->index, query, &filter, 0, scratch, hits,
                      ADS_MATCH_DEPTH, &trace->match);
    notes_take(req, query, hits, trace->n_candidates);
    n = candidates_rank(req, query, hits, trace->n_candidates, candidates);
    answer_take(req, candidates, n);

    if (n == ADS_MATCH_DEPTH && decision->n < req->ask->max) {
        struct ads_match_stats stats;

        req->again = true;
        req->work = 0;
        filter.per_account = ACCOUNT_HITS_MAX;
        n = ads_match_run(&req->tables->index, query, &filter, 0, scratch, hits,
                          ADS_MATCH_DEPTH, &stats);
        n = candidates_rank(req, query, hits, n, candidates);
        answer_take(req, candidates, n);
    }
}


/* Lets all documents of the previewed campaign pass, and no others. */
static int32_t
previewed_account(void *ctx, uint32_t doc)
{
    const struct request *req = ctx;
    const struct ads_base *from;
    const struct ads_snap_ad *ad = ads_tables_ad(req->tables, doc, &from);
    const struct ads_snap_campaign *campaign =
        ad == NULL ? NULL
                   : ads_head_campaign_of(&req->tables->head, ad->campaign);

    return campaign != NULL && is_previewed(req, campaign)
               ? (int32_t)campaign->account
               : -1;
}


/*
 * Nothing could be shown: what stood against the most relevant ad?  Another,
 * unfiltered match, paid for only where the first had to refuse a document:
 * else it would find the same again.
 */
static enum ads_reason
refusal_find(struct request *req, const struct ads_match_query *query,
             void *scratch)
{
    const struct ads_trace *trace = &req->decision->trace;
    const struct ads_match_filter own = {previewed_account, req,
                                         ADS_MATCH_DEPTH, NULL};
    struct ads_match_hit hits[REFUSED_HITS_MAX];
    struct ads_match_stats stats;
    uint32_t n = trace->n_candidates;

    if (trace->match.refused > 0) {
        n = ads_match_run(&req->tables->index, query,
                          req->ask->alone ? &own : NULL, 0, scratch, hits,
                          REFUSED_HITS_MAX, &stats);
    }

    for (uint32_t i = 0; i < n && trace->match.refused > 0; i++) {
        if (ads_match_is_relevant(query, &hits[i])) {
            int32_t account;
            enum ads_reason reason = ad_check(req, hits[i].doc, &account);

            if (reason != ADS_REASON_NONE) {
                return reason;
            }
        }
    }
    return n > 0 ? ADS_REASON_BELOW_RELEVANCE : ADS_REASON_NO_MATCH;
}


/* The cap that pick i counts for: of the ads of one campaign the first stands
 * for all, since an answer is one time. */
static struct ads_cap
cap_once(const struct request *req, uint32_t i)
{
    const struct ads_pick *picks = req->decision->picks;

    for (uint32_t k = 0; k < i; k++) {
        if (picks[k].campaign == picks[i].campaign) {
            return (struct ads_cap){0};
        }
    }
    return cap_of(req, picks[i].campaign);
}


/* What the publisher adds to the query is matched as it is, so it is judged as
 * it is; each keyword by itself, as they form no sentence. */
static enum ads_guard_topic
topic_find(const struct request *req)
{
    const struct ads_guard *guard = &req->tables->guard;
    enum ads_guard_topic topic = ads_guard_check(guard, req->ask->query);

    for (uint32_t i = 0; i < req->ask->n_keywords && topic == ADS_GUARD_NONE;
         i++) {
        topic = ads_guard_check(guard, req->ask->keywords[i]);
    }
    return topic;
}


/* Is an ad wanted at all?  Guard first: no bid passes it. */
static enum ads_reason
wish_check(const struct request *req)
{
    struct ads_trace *trace = &req->decision->trace;
    const struct ads_intent *intent = &req->tables->intent;
    enum ads_guard_topic topic = topic_find(req);

    if (topic != ADS_GUARD_NONE) {
        trace->guard = ads_guard_name(topic);
        return ADS_REASON_SENSITIVE_TOPIC;
    }

    trace->intent = ads_intent_score(intent, req->ask->query);
    trace->intent_threshold = intent->threshold;
    return ads_intent_is_commercial(intent, trace->intent)
               ? ADS_REASON_NONE
               : ADS_REASON_NOT_COMMERCIAL;
}


void
ads_decide(struct ads_decision *decision, const struct ads_tables *tables,
           const struct ads_live *live, const struct ads_ask *ask,
           struct ads_text *text, void *scratch)
{
    struct ads_names not_advertisers, not_categories;
    struct ads_target_words target;
    struct request req = {.tables = tables,
                          .live = live,
                          .ask = ask,
                          .decision = decision,
                          .floor_micros = ask->floor_micros,
                          .memo = scratch,
                          .text = text,
                          .not_advertisers = &not_advertisers,
                          .not_categories = &not_categories,
                          .target = &target};
    uint32_t n_memo = tables->head.map.rows;
    char *room = (char *)scratch + ALIGN64((size_t)n_memo);
    void *match_scratch = room + ALIGN64((size_t)ADS_DECIDE_WORDS_ROOM);
    struct ads_match_query query;
    struct ads_trace *trace = &decision->trace;

    decision->n = 0;
    if (ask->auctions != NULL) {
        ask->auctions->n = ask->auctions->n_more = 0;
    }
    *trace = (struct ads_trace){0};
    req.blocks =
        ads_head_blocks(&tables->head, &ask->publisher, &req.floor_micros);
    decision->reason = wish_check(&req);
    if (decision->reason != ADS_REASON_NONE) {
        return;
    }

    ads_names_read(&not_advertisers, ask->not_advertisers,
                   ask->n_not_advertisers);
    ads_names_read(&not_categories, ask->not_categories, ask->n_not_categories);
    req.words = ads_decide_words_join(ask, room);
    ads_match_read(&tables->index, text, req.words, &query);
    trace->n_terms = query.n_groups;
    if (query.n_groups == 0) {
        decision->reason = ADS_REASON_NO_MATCH;
        return;
    }

    memset(req.memo, ADS_MEMO_UNKNOWN, n_memo);
    answer_find(&req, &query, match_scratch);

    if (decision->n == 0) {
        decision->reason = refusal_find(&req, &query, match_scratch);
        auctions_settle(&req);
        return;
    }
    for (uint32_t i = 0; i < decision->n; i++) {
        decision->picks[i].terms =
            ads_match_groups(&tables->index, &query, decision->picks[i].doc);
        ads_decide_words_write(decision, i, req.words, &query);
        decision->picks[i].cap = cap_once(&req, i);
    }
    auctions_settle(&req);
}
