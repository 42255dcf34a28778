/*
 * GET /v1/click/{token}: opens the signed link, journals the click and sends
 * the visitor to the advertiser.
 *
 *     token --> age --> ad --> class --> journal --> 302
 *       |        |       |
 *      404      410   unknown here: journal, then adsd resolves it
 *
 * Where the visitor is sent comes from the ad tables, never from the request.
 * Whatever the class, the visitor gets the same 302; whatever is wrong with a
 * token, the same 404.  A click is answered as billed only when its record is
 * in the file; one that cannot be written is answered all the same, unbilled.
 */


#include "ngx_http_ads_click.h"


static ngx_int_t ngx_http_ads_click_serve(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_click_open(ngx_http_request_t *r,
    ngx_http_ads_click_t *click);
static ngx_int_t ngx_http_ads_click_record(ngx_http_request_t *r,
    ngx_http_ads_click_t *click);
static ngx_int_t ngx_http_ads_click_refuse(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static void ngx_http_ads_click_event(ngx_http_ads_click_t *click,
    struct ads_event *event);
static void ngx_http_ads_click_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable);
static void ngx_http_ads_click_count(ngx_http_ads_click_t *click);
static ngx_int_t ngx_http_ads_click_answer(ngx_http_request_t *r,
    ngx_http_ads_click_t *click);
static ngx_int_t ngx_http_ads_click_unknown(ngx_http_request_t *r,
    ngx_http_ads_click_t *click);


static const ngx_str_t  ngx_http_ads_click_allow =
    ngx_string("GET, HEAD, OPTIONS");


static u_char  ngx_http_ads_click_page[] =
    "<!doctype html>" CRLF
    "<html lang=\"en\">" CRLF
    "<head><meta charset=\"utf-8\"><title>Link not found</title></head>" CRLF
    "<body><h1>This link leads nowhere</h1></body>" CRLF
    "</html>" CRLF;


ngx_int_t
ngx_http_ads_click_handler(ngx_http_request_t *r)
{
    ngx_http_ads_ctx_t  *ctx;

    static const ngx_str_t  none = ngx_null_string;
    static const ngx_str_t  allow = ngx_string("Allow");

    /* a page that is put together of parts must not click */

    if (r != r->main) {
        return NGX_HTTP_FORBIDDEN;
    }

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    switch (r->method) {

    case NGX_HTTP_GET:
    case NGX_HTTP_HEAD:
        return ngx_http_ads_click_serve(r, ctx);

    case NGX_HTTP_OPTIONS:

        if (ngx_http_ads_reply_header(r, &allow, &ngx_http_ads_click_allow)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_http_ads_reply_send(r, NGX_HTTP_NO_CONTENT, NULL, &none);

    default:
        return ngx_http_ads_reply_method(r, &ngx_http_ads_click_allow);
    }
}


static ngx_int_t
ngx_http_ads_click_serve(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_http_ads_click_t  *click;

    if (ngx_http_ads_link_is_prefetch(r)) {
        ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "ads click: prefetch");

        ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_PREFETCH, 1);

        return ngx_http_ads_reply_problem(r, ADS_PROBLEM_PREFETCH, NULL, NULL);
    }

    click = ngx_pcalloc(r->pool, sizeof(ngx_http_ads_click_t));
    if (click == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    click->ctx = ctx;

    if (ngx_http_ads_click_open(r, click) != NGX_OK) {
        return ngx_http_ads_click_refuse(r, ctx);
    }

    if (click->link.age_ms > NGX_HTTP_ADS_LINK_MS) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "ads click: link of %uL ms has expired",
                       click->link.age_ms);

        ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_CLICK_GONE, 1);

        return ngx_http_ads_reply_problem(r, ADS_PROBLEM_LINK_EXPIRED, NULL,
                                          NULL);
    }

    if (ngx_http_ads_click_target(r, click) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (r->method == NGX_HTTP_HEAD) {
        return ngx_http_ads_click_answer(r, click);
    }

    ngx_http_ads_click_classify(r, click);

    ctx->click_class = ads_click_class_name(click->class);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads click: class %s, link of %uL ms",
                   ctx->click_class, click->link.age_ms);

    return ngx_http_ads_click_record(r, click);
}


/* Opens the link; NGX_DECLINED whatever is wrong with it. */

static ngx_int_t
ngx_http_ads_click_open(ngx_http_request_t *r, ngx_http_ads_click_t *click)
{
    ngx_http_ads_ctx_t         *ctx;
    const struct ads_live      *live;
    const struct ads_ring_key  *key;

    static const ngx_str_t  path = ngx_string("/v1/click/");

    ctx = click->ctx;

    if (ngx_http_ads_link_open(r, ctx, &path, &click->link) != NGX_OK) {
        return NGX_DECLINED;
    }

    key = click->link.key;

    click->click_id = ads_click_id_make(key, &click->link.token.request_id,
                                        &click->link.token.ad_id);
    click->fingerprint = ads_ring_hash(key->hash, &click->click_id,
                                       sizeof(click->click_id));

    live = ngx_http_ads_live_peek(&ctx->worker->live);

    if (live != NULL) {
        ads_live_fetch(live, click->fingerprint);
    }

    ctx->click_id = click->click_id;
    ctx->has_click = 1;

    return NGX_OK;
}


/* The answer to everything that is not a valid link. */

static ngx_int_t
ngx_http_ads_click_refuse(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_str_t                 page;
    ngx_http_ads_loc_conf_t  *alcf;

    static const ngx_str_t    html = ngx_string("text/html");
    static const char *const  types[] = {
        "text/html", "application/problem+json", "application/json", NULL
    };

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads click: no link of this ring");

    ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_CLICK_FORGED, 1);

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->click_fallback.len > 0) {
        return ngx_http_ads_reply_redirect(r, &alcf->click_fallback);
    }

    if (ngx_http_ads_request_accepts(r, types) > 0) {
        return ngx_http_ads_reply_problem(r, ADS_PROBLEM_CLICK_NOT_FOUND,
                                          NULL, NULL);
    }

    page.data = ngx_http_ads_click_page;
    page.len = sizeof(ngx_http_ads_click_page) - 1;

    return ngx_http_ads_reply_send(r, NGX_HTTP_NOT_FOUND, &html, &page);
}


/* Journals the click; its answer waits. */

static ngx_int_t
ngx_http_ads_click_record(ngx_http_request_t *r, ngx_http_ads_click_t *click)
{
    ngx_int_t             rc;
    struct ads_event      event;
    ngx_http_ads_wait_t  *wait;

    /* a body is not wanted, but must not be taken for the next request */

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    wait = ngx_http_ads_journal_begin(r, &click->ctx->worker->journal,
                                      ngx_http_ads_click_written, click);
    if (wait == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ads_click_event(click, &event);
    ngx_http_ads_journal_append(wait, &event, &click->written);
    ngx_http_ads_journal_end(wait);

    r->main->count++;

    return NGX_DONE;
}


static void
ngx_http_ads_click_event(ngx_http_ads_click_t *click, struct ads_event *event)
{
    struct ads_token  *token;

    token = &click->link.token;

    event->type = ADS_EVENT_CLICK;
    event->flags = click->class == ADS_CLICK_TEST ? ADS_EVENT_TEST : 0;

    event->click.click_id = click->click_id;
    event->click.request_id = token->request_id;
    event->click.ad_id = token->ad_id;
    event->click.publisher = token->publisher;
    event->click.price_micros = ngx_max(token->price_micros, 0);
    event->click.session_hash = token->session_hash;
    event->click.address_hash = click->address_hash;
    event->click.campaign_version = token->campaign_version;
    event->click.class = click->class;
    ngx_memcpy(event->click.country, token->country,
               sizeof(event->click.country));
    event->click.placement = token->placement;
}


static void
ngx_http_ads_click_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable)
{
    ngx_http_ads_click_t *click = data;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads click: record written:%ui durable:%ui",
                   (ngx_uint_t) click->written, durable);

    /* one that may not be on disk counts too: adsd will find it */

    if (click->written) {
        ngx_http_ads_click_count(click);
    }

    ngx_http_finalize_request(r, ngx_http_ads_click_answer(r, click));
}


/* What follows a click that is in the file. */

static void
ngx_http_ads_click_count(ngx_http_ads_click_t *click)
{
    struct ads_live        *live;
    struct ads_live_slot   *slot;
    ngx_http_ads_worker_t  *worker;

    worker = click->ctx->worker;
    live = ngx_http_ads_live_peek(&worker->live);

    if (click->class != ADS_CLICK_VALID) {
        ngx_http_ads_live_count(&worker->live, ADS_COUNT_CLICK_UNBILLED, 1);
    }

    /* a paused one may be billed, too, and then has been spent */

    if (live == NULL || (click->class != ADS_CLICK_VALID
                         && click->class != ADS_CLICK_PAUSED))
    {
        return;
    }

    slot = click->tag != 0 ? ads_live_slot(live, click->slot, click->tag)
                           : NULL;

    if (slot != NULL) {
        ads_live_spend(slot, click->link.token.price_micros);
    }

    ads_live_remember(live, click->fingerprint);
}


static ngx_int_t
ngx_http_ads_click_answer(ngx_http_request_t *r, ngx_http_ads_click_t *click)
{
    if (click->location.len == 0) {
        return ngx_http_ads_click_unknown(r, click);
    }

    if (r->method != NGX_HTTP_HEAD) {
        ngx_http_ads_live_count(&click->ctx->worker->live, ADS_COUNT_CLICK, 1);
    }

    return ngx_http_ads_reply_redirect(r, &click->location);
}


/* The link is ours, but these tables do not know its ad: adsd may. */

static ngx_int_t
ngx_http_ads_click_unknown(ngx_http_request_t *r, ngx_http_ads_click_t *click)
{
    ngx_http_ads_loc_conf_t  *alcf;

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads click: ad unknown to these tables");

    ngx_http_ads_live_count(&click->ctx->worker->live,
                            ADS_COUNT_CLICK_UNKNOWN, 1);

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->click_resolve.len > 0) {

        if (alcf->click_fallback.len > 0) {
            click->ctx->fallback = &alcf->click_fallback;
        }

        return ngx_http_named_location(r, &alcf->click_resolve);
    }

    if (alcf->click_fallback.len > 0) {
        return ngx_http_ads_reply_redirect(r, &alcf->click_fallback);
    }

    return ngx_http_ads_reply_problem(r, ADS_PROBLEM_UNAVAILABLE, NULL, NULL);
}
