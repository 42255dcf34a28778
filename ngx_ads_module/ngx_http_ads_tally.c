/*
 * Counts NO_AD answers in the worker's memory by publisher, placement, country,
 * reason and quarter of an hour; they are journalled every two seconds as one
 * record, so a request that shows nothing costs no write().  What became of
 * campaigns (ngx_http_ads_auctions.c) is written at the same time.
 *
 * A worker that is killed loses at most two seconds of these counts; they
 * carry no money.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_TALLY_MS      2000
#define NGX_HTTP_ADS_TALLY_BUCKET  900


static uint64_t ngx_http_ads_tally_bucket(void);
static void ngx_http_ads_tally_later(ngx_http_ads_tally_t *tally);
static void ngx_http_ads_tally_flush_handler(ngx_event_t *ev);


void
ngx_http_ads_tally_init(ngx_http_ads_tally_t *tally, ngx_log_t *log)
{
    ngx_http_ads_process_event(&tally->flush, &tally->ident, tally,
                               ngx_http_ads_tally_flush_handler, log);
}


/* Counts a NO_AD of the request's publisher and placement. */

void
ngx_http_ads_tally_add(ngx_http_ads_tally_t *tally, ngx_http_ads_ctx_t *ctx,
    enum ads_reason reason)
{
    uint64_t            bucket_s;
    ngx_uint_t          i;
    struct ads_no_ad   *count;
    struct ads_no_ads  *no_ads;

    no_ads = &tally->no_ads;

    bucket_s = ngx_http_ads_tally_bucket();

    for (i = 0; i < no_ads->n; i++) {
        count = &no_ads->counts[i];

        if (count->reason == reason
            && count->bucket_s == bucket_s
            && ngx_memcmp(count->country, ctx->country,
                          sizeof(count->country))
               == 0
            && ads_uuid_equal(&count->publisher, &ctx->publisher)
            && ads_placement_equal(&count->placement, &ctx->placement))
        {
            count->count++;
            return;
        }
    }

    if (no_ads->n == ADS_NO_AD_MAX) {
        ngx_http_ads_tally_flush(tally);
    }

    count = &no_ads->counts[no_ads->n++];

    count->publisher = ctx->publisher;
    count->bucket_s = bucket_s;
    count->count = 1;
    count->reason = reason;
    count->placement = ctx->placement;
    ngx_memcpy(count->country, ctx->country, sizeof(count->country));

    ngx_http_ads_tally_later(tally);
}


/* Counts what became of the campaigns in the request, which the auctions
 * hold. */

void
ngx_http_ads_tally_auctions(ngx_http_ads_tally_t *tally,
    ngx_http_ads_ctx_t *ctx)
{
    if (tally->auctions->asked.n == 0) {
        return;
    }

    ngx_http_ads_auctions_add(tally->auctions, &ctx->snapshot->tables.head,
                              ngx_http_ads_tally_bucket());
    ngx_http_ads_tally_later(tally);
}


/* The same of those who won, once it is known what became of that. */

void
ngx_http_ads_tally_winners(ngx_http_ads_tally_t *tally,
    ngx_http_ads_winners_t *winners, uint8_t outcome)
{
    if (winners->n == 0) {
        return;
    }

    ngx_http_ads_auctions_end(tally->auctions, winners, outcome,
                              ngx_http_ads_tally_bucket());
    ngx_http_ads_tally_later(tally);
}


static uint64_t
ngx_http_ads_tally_bucket(void)
{
    return ngx_time() - ngx_time() % NGX_HTTP_ADS_TALLY_BUCKET;
}


static void
ngx_http_ads_tally_later(ngx_http_ads_tally_t *tally)
{
    if (!tally->flush.timer_set && !ngx_exiting) {
        ngx_add_timer(&tally->flush, NGX_HTTP_ADS_TALLY_MS);
    }
}


void
ngx_http_ads_tally_flush(ngx_http_ads_tally_t *tally)
{
    struct ads_event  event;

    if (tally->flush.timer_set) {
        ngx_del_timer(&tally->flush);
    }

    ngx_http_ads_auctions_flush(tally->auctions);

    if (tally->no_ads.n == 0) {
        return;
    }

    event.type = ADS_EVENT_NO_AD;
    event.flags = 0;
    event.no_ads = tally->no_ads;

    ngx_http_ads_journal_count(tally->journal, &event);

    tally->no_ads.n = 0;
}


static void
ngx_http_ads_tally_flush_handler(ngx_event_t *ev)
{
    ngx_http_ads_tally_flush(ngx_http_ads_process_part(ev));
}
