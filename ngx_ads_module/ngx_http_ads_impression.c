/*
 * GET or POST /v1/i/{token}: an ad was seen, reported by the page itself
 * through an image, fetch() or sendBeacon(), so without a key.  The token holds
 * what a publisher's impression would say: request, ad and session.
 *
 *     token --> age --> who --> journal --> 204
 *       |        |       |         |
 *      404      410    none: 204  503
 *
 * A page of any site may ask, and learns nothing.  One impression counts for
 * one ad of one request however often its link is asked for: see adsd.
 */


#include "ngx_http_ads_module.h"


typedef struct {
    ngx_http_ads_ctx_t  *ctx;
    u_char               written;
} ngx_http_ads_impression_t;


static ngx_int_t ngx_http_ads_impression_serve(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_uint_t ngx_http_ads_impression_is_seen(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_impression_record(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, struct ads_token *token);
static void ngx_http_ads_impression_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable);
static ngx_int_t ngx_http_ads_impression_answer(ngx_http_request_t *r);


static const ngx_str_t  ngx_http_ads_impression_allow =
    ngx_string("GET, HEAD, POST, OPTIONS");


ngx_int_t
ngx_http_ads_impression_handler(ngx_http_request_t *r)
{
    ngx_http_ads_ctx_t  *ctx;

    static const ngx_str_t  allow = ngx_string("Allow");
    static const ngx_str_t  origin = ngx_string("Access-Control-Allow-Origin");
    static const ngx_str_t  any = ngx_string("*");

    if (r != r->main) {
        return NGX_HTTP_FORBIDDEN;
    }

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_ads_reply_header(r, &origin, &any) != NGX_OK) {
        return NGX_ERROR;
    }

    switch (r->method) {

    case NGX_HTTP_GET:
    case NGX_HTTP_HEAD:
    case NGX_HTTP_POST:
        return ngx_http_ads_impression_serve(r, ctx);

    case NGX_HTTP_OPTIONS:

        if (ngx_http_ads_reply_header(r, &allow,
                                      &ngx_http_ads_impression_allow)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_http_ads_impression_answer(r);

    default:
        return ngx_http_ads_reply_method(r, &ngx_http_ads_impression_allow);
    }
}


static ngx_int_t
ngx_http_ads_impression_serve(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_http_ads_link_t  link;

    static const ngx_str_t  path = ngx_string("/v1/i/");

    /* what a beacon says is not wanted, nor taken for the next request */

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_ads_link_is_prefetch(r)) {
        ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_PREFETCH, 1);

        return ngx_http_ads_reply_problem(r, ADS_PROBLEM_PREFETCH, NULL, NULL);
    }

    if (ngx_http_ads_link_open(r, ctx, &path, &link) != NGX_OK) {
        return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_CLICK_NOT_FOUND,
                                          NULL, NULL);
    }

    if (link.age_ms > NGX_HTTP_ADS_DAY_MS) {
        return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_TOO_LATE, NULL,
                                          NULL);
    }

    if (!ngx_http_ads_impression_is_seen(r, ctx)) {
        return ngx_http_ads_impression_answer(r);
    }

    return ngx_http_ads_impression_record(r, ctx, &link.token);
}


/* Robots see nothing, and a HEAD shows nothing. */

static ngx_uint_t
ngx_http_ads_impression_is_seen(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_table_elt_t  *agent;

    agent = r->headers_in.user_agent;

    return r->method != NGX_HTTP_HEAD
           && agent != NULL && agent->value.len > 0
           && !ngx_http_ads_agent_is_robot(ctx->conf->agents, &agent->value);
}


static ngx_int_t
ngx_http_ads_impression_record(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    struct ads_token *token)
{
    struct ads_event            event;
    ngx_http_ads_wait_t        *wait;
    ngx_http_ads_impression_t  *impression;

    impression = ngx_palloc(r->pool, sizeof(ngx_http_ads_impression_t));
    if (impression == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    impression->ctx = ctx;
    impression->written = 0;

    event.type = ADS_EVENT_IMPRESSION;
    event.flags = token->price_micros == NGX_HTTP_ADS_TEST_PRICE
                  ? ADS_EVENT_TEST : 0;

    event.impression.request_id = token->request_id;
    event.impression.ad_id = token->ad_id;
    event.impression.publisher = token->publisher;
    event.impression.session_hash = token->session_hash;
    event.impression.occurred_ms = 0;

    wait = ngx_http_ads_journal_begin(r, &ctx->worker->journal,
                                      ngx_http_ads_impression_written,
                                      impression);
    if (wait == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ads_journal_append(wait, &event, &impression->written);
    ngx_http_ads_journal_end(wait);

    r->main->count++;

    return NGX_DONE;
}


static void
ngx_http_ads_impression_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable)
{
    ngx_http_ads_impression_t *impression = data;

    ngx_int_t            rc;
    ngx_http_ads_ctx_t  *ctx;

    ctx = impression->ctx;

    if (impression->written && durable) {
        ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_EVENT, 1);
        rc = ngx_http_ads_impression_answer(r);

    } else {
        rc = ngx_http_ads_reply_refusal(r, ctx,
                                        ADS_PROBLEM_JOURNAL_UNAVAILABLE, NULL,
                                        NULL);
    }

    ngx_http_finalize_request(r, rc);
}


static ngx_int_t
ngx_http_ads_impression_answer(ngx_http_request_t *r)
{
    static const ngx_str_t  none = ngx_null_string;

    return ngx_http_ads_reply_send(r, NGX_HTTP_NO_CONTENT, NULL, &none);
}
