/*
 * Ranking: which of the eligible ads are shown.  Relevance first, then money.
 */
#include "ads_decide_parts.h"

#define CHEAP "budget" /* the attribute */


uint32_t
ads_rank_places(const struct ads_decision *decision, uint32_t account)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < decision->n; i++) {
        n += decision->picks[i].campaign->account == account;
    }
    return n;
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


/* The relevance that is to be expected: of two hits with the same words the one
 * that is rather a good answer. */
static uint32_t
expected(const struct ads_fit *fit)
{
    return (uint32_t)(((uint64_t)fit->probability * 7 + fit->score) / 8);
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


void
ads_rank_compare(const struct ads_request *req,
                 const struct ads_match_query *query,
                 const struct ads_match_hit *hits, uint32_t n_hits,
                 struct ads_fitting *fitting)
{
    ads_fit_begin(fitting, req->understood, query);
    for (uint32_t i = 0; i < n_hits; i++) {
        const struct ads_snap_offer *offer =
            ads_tables_offer(req->tables, hits[i].doc);

        ads_fit_note(fitting, &hits[i],
                     offer == NULL ? ADS_GOODS_NONE : offer->kind);
    }
}


struct ads_fit
ads_rank_fit(const struct ads_request *req, struct ads_fitting *fitting,
             const struct ads_match_hit *hit)
{
    const struct ads_snap_offer *offer =
        ads_tables_offer(req->tables, hit->doc);

    return ads_fit_read(fitting, hit,
                        offer == NULL ? ADS_GOODS_NONE : offer->kind,
                        offer == NULL ? 0 : offer->sure);
}


/* The operator's floor, or the usual one. */
static uint32_t
floor_of(const struct ads_request *req)
{
    uint32_t floor = req->tables->head.floor;

    return floor != 0 ? floor : ADS_FIT_FLOOR;
}


bool
ads_rank_is_relevant(const struct ads_request *req, const struct ads_fit *fit)
{
    return fit->probability >= floor_of(req);
}


/* Does the request ask for something cheap, without a bound of its own? */
static bool
asks_cheap(const struct ads_request *req)
{
    const struct ads_wish *wish = &req->understood->wish;

    for (uint32_t i = 0; i < wish->n_attributes && wish->most_micros < 0; i++) {
        if (!wish->attributes[i].without
            && ads_str_is(ads_goods_attribute_id(&req->tables->goods,
                                                 wish->attributes[i].attribute),
                          CHEAP))
        {
            return true;
        }
    }
    return false;
}


/* The price that half of the candidates cost at most. */
static int64_t
usual_price(const struct ads_request *req, const struct ads_pick *picks,
            uint32_t n)
{
    int64_t prices[ADS_MATCH_DEPTH];
    uint32_t known = 0;

    for (uint32_t i = 0; i < n && known < ADS_MATCH_DEPTH; i++) {
        const struct ads_snap_offer *offer =
            ads_tables_offer(req->tables, picks[i].doc);
        uint32_t at = known;

        if (offer == NULL || offer->price_micros <= 0) {
            continue;
        }
        for (; at > 0 && prices[at - 1] > offer->price_micros; at--) {
            prices[at] = prices[at - 1];
        }
        prices[at] = offer->price_micros;
        known++;
    }
    return known == 0 ? 0 : prices[(known - 1) / 2];
}


/* Who asks for something cheap gets what costs less first, whatever the dear
 * ones bid: a candidate above the usual price loses with the square of it. */
static void
cheap_first(const struct ads_request *req, struct ads_pick *picks, uint32_t n)
{
    int64_t usual = usual_price(req, picks, n);

    for (uint32_t i = 0; i < n; i++) {
        const struct ads_snap_offer *offer =
            ads_tables_offer(req->tables, picks[i].doc);

        if (offer != NULL && offer->price_micros > usual && usual > 0) {
            uint64_t share =
                (uint64_t)(usual / (offer->price_micros / 256 + 1));

            picks[i].rank = picks[i].rank / 65536 * (share * share);
        }
    }
}


uint32_t
ads_rank_candidates(const struct ads_request *req, struct ads_fitting *fitting,
                    const struct ads_match_hit *hits, uint32_t n_hits,
                    struct ads_pick *picks)
{
    const struct ads_tables *tables = req->tables;
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_hits; i++) {
        struct ads_pick *pick = &picks[n];
        const struct ads_snap_offer *offer;
        struct ads_fit fit;

        pick->ad = ads_tables_ad(tables, hits[i].doc, &pick->from);
        if (pick->ad == NULL || pick->ad->campaign >= tables->head.map.rows) {
            continue;
        }
        fit = ads_rank_fit(req, fitting, &hits[i]);
        if (!ads_rank_is_relevant(req, &fit)) {
            req->decision->trace.n_below++;
            ads_auction_reach(&req->memo[pick->ad->campaign], ADS_STAGE_BELOW);
            continue;
        }
        ads_auction_reach(&req->memo[pick->ad->campaign], ADS_STAGE_OUTBID);

        pick->doc = hits[i].doc;
        pick->score = expected(&fit);
        pick->fit = fit.probability;
        offer = ads_tables_offer(tables, hits[i].doc);
        pick->group = offer == NULL ? 0 : offer->group;
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
    if (asks_cheap(req)) {
        cheap_first(req, picks, n);
    }
    return n;
}


/* One ad per product and of its variants, two per advertiser. */
static bool
place_left(const struct ads_decision *decision, const struct ads_pick *pick)
{
    for (uint32_t i = 0; i < decision->n; i++) {
        const struct ads_pick *other = &decision->picks[i];

        if (other->ad->product == pick->ad->product
            || (pick->group != 0 && other->group == pick->group
                && other->campaign->account == pick->campaign->account))
        {
            return false;
        }
    }
    return ads_rank_places(decision, pick->campaign->account)
           < ADS_ACCOUNT_ADS_MAX;
}


/* May it stand there?  The first ad answers as well as it can; another one
 * beside it has to be nearer to certainty than the floor by a third: a second
 * ad is missed less than the only one. */
static bool
is_good_enough(const struct ads_request *req, const struct ads_pick *pick)
{
    uint32_t floor = floor_of(req);

    return req->decision->n == 0
           || pick->fit >= floor + (ADS_FIT_UNIT - floor) / 3;
}


/* Takes the best candidate that has a place, again and again: fewer steps
 * than to order them all for the sake of three. */
void
ads_rank_take(const struct ads_request *req, const struct ads_pick *candidates,
              uint32_t n)
{
    struct ads_decision *decision = req->decision;

    while (decision->n < req->ask->max) {
        const struct ads_pick *best = NULL;

        for (uint32_t i = 0; i < n; i++) {
            if ((best == NULL || pick_before(req->ask, &candidates[i], best))
                && is_good_enough(req, &candidates[i])
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
