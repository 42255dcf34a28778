/*
 * Counts auction outcomes of campaigns in the worker's memory by campaign,
 * outcome and quarter of an hour; they are journalled with the counters of
 * NO_AD (ngx_http_ads_tally.c).
 *
 * The counters are a hash table of fixed size, addressed by the campaign's
 * tag, which is random; a list of the slots in use spares a flush the empty
 * ones.  A table that is nearly full is written out early.
 */


#include "ngx_http_ads_module.h"


static void ngx_http_ads_auctions_count(ngx_http_ads_auctions_t *auctions,
    const struct ads_snap_campaign *campaign, uint8_t outcome);
static void ngx_http_ads_auctions_rotate(ngx_http_ads_auctions_t *auctions,
    uint64_t bucket_s);
static struct ads_auction_count *ngx_http_ads_auctions_slot(
    ngx_http_ads_auctions_t *auctions,
    const struct ads_snap_campaign *campaign, uint8_t outcome);


/*
 * Counts what became of the campaigns in one request, but for those that won:
 * they did once the answer is given (ngx_http_ads_auctions_end).
 */

void
ngx_http_ads_auctions_add(ngx_http_ads_auctions_t *auctions,
    const struct ads_head *head, uint64_t bucket_s)
{
    ngx_uint_t                       i;
    const struct ads_auction        *auction;
    const struct ads_snap_campaign  *campaign;

    if (auctions->asked.n_more > 0) {
        ngx_http_ads_live_count(auctions->live, ADS_COUNT_AUCTION_UNTOLD,
                                auctions->asked.n_more);
    }

    ngx_http_ads_auctions_rotate(auctions, bucket_s);

    for (i = 0; i < auctions->asked.n; i++) {
        auction = &auctions->asked.list[i];

        if (auction->outcome == ADS_OUTCOME_WON) {
            continue;
        }

        campaign = ads_head_campaign_of(head, auction->row);

        if (campaign != NULL) {
            ngx_http_ads_auctions_count(auctions, campaign, auction->outcome);
        }
    }
}


/* Who won the request at hand; other requests come before its answer does. */

void
ngx_http_ads_auctions_winners(ngx_http_ads_auctions_t *auctions,
    const struct ads_head *head, ngx_http_ads_winners_t *winners)
{
    ngx_uint_t                       i;
    const struct ads_auctions       *asked;
    const struct ads_snap_campaign  *campaign;

    asked = &auctions->asked;
    winners->n = 0;

    for (i = 0; i < asked->n && winners->n < ADS_DECIDE_MAX; i++) {

        if (asked->list[i].outcome != ADS_OUTCOME_WON) {
            continue;
        }

        campaign = ads_head_campaign_of(head, asked->list[i].row);

        if (campaign != NULL) {
            winners->campaigns[winners->n++] = *campaign;
        }
    }
}


void
ngx_http_ads_auctions_end(ngx_http_ads_auctions_t *auctions,
    ngx_http_ads_winners_t *winners, uint8_t outcome, uint64_t bucket_s)
{
    ngx_uint_t  i;

    ngx_http_ads_auctions_rotate(auctions, bucket_s);

    for (i = 0; i < winners->n; i++) {
        ngx_http_ads_auctions_count(auctions, &winners->campaigns[i], outcome);
    }
}


static void
ngx_http_ads_auctions_count(ngx_http_ads_auctions_t *auctions,
    const struct ads_snap_campaign *campaign, uint8_t outcome)
{
    if (auctions->n == NGX_HTTP_ADS_AUCTIONS_USED) {
        ngx_http_ads_auctions_flush(auctions);
    }

    ngx_http_ads_auctions_slot(auctions, campaign, outcome)->count++;
}


/* Counters are of one quarter of an hour. */

static void
ngx_http_ads_auctions_rotate(ngx_http_ads_auctions_t *auctions,
    uint64_t bucket_s)
{
    if (auctions->bucket_s != bucket_s) {
        ngx_http_ads_auctions_flush(auctions);
        auctions->bucket_s = bucket_s;
    }
}


static struct ads_auction_count *
ngx_http_ads_auctions_slot(ngx_http_ads_auctions_t *auctions,
    const struct ads_snap_campaign *campaign, uint8_t outcome)
{
    ngx_uint_t                 at;
    struct ads_auction_count  *slot;

    at = campaign->tag + outcome * 61;

    for ( ;; ) {
        at &= NGX_HTTP_ADS_AUCTIONS_SLOTS - 1;
        slot = &auctions->slots[at];

        if (slot->count == 0) {
            slot->campaign = campaign->id;
            slot->outcome = outcome;
            auctions->used[auctions->n++] = at;
            return slot;
        }

        if (slot->outcome == outcome
            && ads_uuid_equal(&slot->campaign, &campaign->id))
        {
            return slot;
        }

        at++;
    }
}


/* Writes the counters out, in as many records as they need. */

void
ngx_http_ads_auctions_flush(ngx_http_ads_auctions_t *auctions)
{
    ngx_uint_t                 i;
    struct ads_event           event;
    struct ads_auction_count  *slot;

    event.type = ADS_EVENT_AUCTIONS;
    event.flags = 0;
    event.auctions.n = 0;
    event.auctions.bucket_s = auctions->bucket_s;

    for (i = 0; i < auctions->n; i++) {
        slot = &auctions->slots[auctions->used[i]];

        event.auctions.counts[event.auctions.n++] = *slot;
        slot->count = 0;

        if (event.auctions.n == ADS_AUCTION_COUNTS_MAX
            || i == auctions->n - 1)
        {
            ngx_http_ads_journal_count(auctions->journal, &event);
            event.auctions.n = 0;
        }
    }

    auctions->n = 0;
}
