/*
 * Classifies a click and finds its destination.  The class is provisional: what
 * is billed, PostgreSQL decides; but only a click that is valid or paused here
 * counts against the allowance of its campaign.
 */


#include "ngx_http_ads_click.h"

#include "ads_ip.h"
#include "ads_url.h"


static struct ads_str ngx_http_ads_verdict_find(ngx_http_ads_click_t *click);
static void ngx_http_ads_verdict_campaign(ngx_http_ads_click_t *click,
    const struct ads_tables *tables, const struct ads_snap_ad *ad);
static ngx_uint_t ngx_http_ads_verdict_is_live(
    const struct ads_tables *tables, const struct ads_snap_campaign *campaign);
static ngx_int_t ngx_http_ads_verdict_location(ngx_http_request_t *r,
    ngx_http_ads_click_t *click, struct ads_str url);
static uint64_t ngx_http_ads_verdict_address(ngx_http_request_t *r,
    const struct ads_ring_key *key);
static ngx_uint_t ngx_http_ads_verdict_ignored(ngx_http_request_t *r);


/*
 * Finds the ad's destination and makes the address the visitor is sent to.
 * It stays empty when these tables do not know the ad, or when what they hold
 * is no address that a visitor may be sent to.
 */

ngx_int_t
ngx_http_ads_click_target(ngx_http_request_t *r, ngx_http_ads_click_t *click)
{
    struct ads_str  url;

    if (ngx_http_ads_request_snapshot(click->ctx) == NULL) {
        return NGX_OK;
    }

    url = ngx_http_ads_verdict_find(click);

    if (url.len == 0
        || ads_url_check(url, ADS_URL_DESTINATION, NULL) != ADS_OK)
    {
        return NGX_OK;
    }

    return ngx_http_ads_verdict_location(r, click, url);
}


static struct ads_str
ngx_http_ads_verdict_find(ngx_http_ads_click_t *click)
{
    const struct ads_base          *from;
    const struct ads_tables        *tables;
    const struct ads_snap_ad       *ad;
    const struct ads_snap_retired  *retired;

    tables = &click->ctx->snapshot->tables;

    ad = ads_tables_find(tables, &click->link.token.ad_id, &from);

    if (ad != NULL) {
        ngx_http_ads_verdict_campaign(click, tables, ad);
        return ads_base_url(from, ad);
    }

    retired = ads_tables_find_retired(tables, &click->link.token.ad_id, &from);

    if (retired != NULL) {
        click->ctx->campaign = retired->campaign;
        click->ctx->has_campaign = 1;
        return ads_base_retired_url(from, retired);
    }

    return (struct ads_str) { NULL, 0 };
}


static void
ngx_http_ads_verdict_campaign(ngx_http_ads_click_t *click,
    const struct ads_tables *tables, const struct ads_snap_ad *ad)
{
    const struct ads_uuid           *id;
    const struct ads_snap_campaign  *campaign;

    id = ads_tables_campaign_id(tables, ad);

    if (id != NULL) {
        click->ctx->campaign = *id;
        click->ctx->has_campaign = 1;
    }

    campaign = ads_head_campaign_of(&tables->head, ad->campaign);

    if (campaign == NULL) {
        return;
    }

    click->slot = campaign->slot;
    click->tag = campaign->tag;
    click->live = ngx_http_ads_verdict_is_live(tables, campaign) ? 1 : 0;
}


static ngx_uint_t
ngx_http_ads_verdict_is_live(const struct ads_tables *tables,
    const struct ads_snap_campaign *campaign)
{
    uint64_t                        now_ms;
    const struct ads_snap_account  *account;

    now_ms = ngx_http_ads_process_now_ms();
    account = ads_head_account(&tables->head, campaign->account);

    return ads_snap_is_active(campaign) && !campaign->cpm
           && account != NULL && account->active
           && (uint64_t) campaign->start_ms <= now_ms
           && (campaign->end_ms == 0 || now_ms < (uint64_t) campaign->end_ms);
}


/* A click that is reported; not of an ad that these tables do not know. */

ngx_uint_t
ngx_http_ads_click_is_paused(ngx_http_ads_ctx_t *ctx,
    const struct ads_uuid *ad_id)
{
    const struct ads_base           *from;
    const struct ads_tables         *tables;
    const struct ads_snap_ad        *ad;
    const struct ads_snap_campaign  *campaign;

    if (ngx_http_ads_request_snapshot(ctx) == NULL) {
        return 0;
    }

    tables = &ctx->snapshot->tables;

    ad = ads_tables_find(tables, ad_id, &from);

    if (ad == NULL) {
        return ads_tables_find_retired(tables, ad_id, &from) != NULL;
    }

    campaign = ads_head_campaign_of(&tables->head, ad->campaign);

    return campaign == NULL || !ngx_http_ads_verdict_is_live(tables, campaign);
}


static ngx_int_t
ngx_http_ads_verdict_location(ngx_http_request_t *r,
    ngx_http_ads_click_t *click, struct ads_str url)
{
    char                   ids[3][ADS_UUID_TEXT_LEN];
    size_t                 len, max;
    struct ads_url_click   fill;

    (void) ads_uuid_write(ids[0], &click->click_id);

    max = url.len + ADS_URL_PARAMETER_LEN;

    /* only a macro asks for the others, and for more room */

    if (memchr(url.ptr, '{', url.len) != NULL) {
        max = ADS_URL_CLICK_MAX;

        (void) ads_uuid_write(ids[1], &click->ctx->campaign);
        (void) ads_uuid_write(ids[2], &click->link.token.ad_id);
    }

    fill.click_id = (struct ads_str) { ids[0], ADS_UUID_TEXT_LEN };
    fill.campaign_id = (struct ads_str) { ids[1], ADS_UUID_TEXT_LEN };
    fill.ad_id = (struct ads_str) { ids[2], ADS_UUID_TEXT_LEN };
    fill.placement = (struct ads_str) { click->link.token.placement.text,
                                        click->link.token.placement.len };

    click->location.data = ngx_pnalloc(r->pool, max);
    if (click->location.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ads_url_click_write((char *) click->location.data, max, &len, url,
                            &fill)
        == ADS_OK)
    {
        click->location.len = len;
    }

    return NGX_OK;
}


/* The class, the first of these that holds; and the address as it is kept. */

void
ngx_http_ads_click_classify(ngx_http_request_t *r, ngx_http_ads_click_t *click)
{
    ngx_table_elt_t        *agent;
    const struct ads_live  *live;
    ngx_http_ads_worker_t  *worker;

    worker = click->ctx->worker;
    live = ngx_http_ads_live_peek(&worker->live);
    agent = r->headers_in.user_agent;

    click->address_hash =
        ngx_http_ads_verdict_address(r, ads_ring_seal(worker->conf->ring));

    if (click->link.token.price_micros == NGX_HTTP_ADS_TEST_PRICE) {
        click->class = ADS_CLICK_TEST;

    } else if (click->location.len == 0) {
        click->class = ADS_CLICK_UNKNOWN_AD;

    } else if (click->link.age_ms > NGX_HTTP_ADS_BILLABLE_MS) {
        click->class = ADS_CLICK_LATE;

    } else if (agent == NULL || agent->value.len == 0) {
        click->class = ADS_CLICK_EMPTY_UA;

    } else if (ngx_http_ads_agent_is_robot(worker->conf->agents,
                                           &agent->value)) {
        click->class = ADS_CLICK_BOT_UA;

    } else if (!ngx_http_ads_link_is_navigation(r)) {
        click->class = ADS_CLICK_NOT_NAVIGATION;

    } else if (ngx_http_ads_verdict_ignored(r)) {
        click->class = ADS_CLICK_OPERATOR;

    } else if (r->main->limit_req_status == NGX_HTTP_ADS_OVER_RATE) {
        click->class = ADS_CLICK_RATE;

    } else if (live != NULL && ads_live_seen(live, click->fingerprint)) {
        click->class = ADS_CLICK_DUPLICATE;

    } else if (!click->live) {

        /* PostgreSQL knows since when, and bills links that were out */

        click->class = ADS_CLICK_PAUSED;

    } else {
        click->class = ADS_CLICK_VALID;
    }
}


/* A keyed hash of the masked address: nothing else of it is kept. */

static uint64_t
ngx_http_ads_verdict_address(ngx_http_request_t *r,
    const struct ads_ring_key *key)
{
    size_t  len;
    u_char  ip[16];

    len = ngx_http_ads_request_address(r, ip);

    if (len == 0) {
        return 0;
    }

    ads_ip_mask(ip, len);

    return ads_ring_hash(key->hash, ip, len);
}


/* ads_click_ignore: a value that is neither empty nor "0" */

static ngx_uint_t
ngx_http_ads_verdict_ignored(ngx_http_request_t *r)
{
    ngx_str_t                 value;
    ngx_http_ads_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->click_ignore == NULL
        || ngx_http_complex_value(r, alcf->click_ignore, &value) != NGX_OK)
    {
        return 0;
    }

    return value.len > 0 && (value.len > 1 || value.data[0] != '0');
}
