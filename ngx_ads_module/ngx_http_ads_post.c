/*
 * POST of a publisher's JSON document: what recommendations and reported events
 * have in common.
 *
 *     method --> key --> head of the body --> body --> key --> process()
 *
 * Without a key the body is not read.  A body may take hours, and its key be
 * revoked meanwhile: with other tables than at first it is checked again.
 */


#include "ngx_http_ads_module.h"


static void ngx_http_ads_post_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ads_post_process(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);


/* To be returned from a content handler; `post` outlives the request. */

ngx_int_t
ngx_http_ads_post_begin(ngx_http_request_t *r, const ngx_http_ads_post_t *post)
{
    enum ads_problem     problem;
    ngx_http_ads_ctx_t  *ctx;

    static const ngx_str_t  allow = ngx_string("POST");

    if (r != r->main) {
        return NGX_HTTP_FORBIDDEN;
    }

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (r->method != NGX_HTTP_POST) {
        return ngx_http_ads_reply_method(r, &allow);
    }

    if (ngx_http_ads_key_check(r, ctx) != NGX_OK) {
        return ngx_http_ads_reply_refusal(r, ctx, ctx->problem, ctx->detail,
                                          NULL);
    }

    problem = ngx_http_ads_body_check(r, post->body_max);

    if (problem != ADS_PROBLEM_END) {
        return ngx_http_ads_reply_refusal(r, ctx, problem, NULL, NULL);
    }

    ctx->post = post;

    return ngx_http_ads_body_begin(r, ngx_http_ads_post_body_handler);
}


static void
ngx_http_ads_post_body_handler(ngx_http_request_t *r)
{
    ngx_int_t  rc;

    rc = ngx_http_ads_post_process(r, ngx_http_ads_request_find(r));

    if (rc == NGX_DONE) {

        /* the journal will finish it */

        return;
    }

    ngx_http_finalize_request(r, rc);
}


static ngx_int_t
ngx_http_ads_post_process(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_int_t  rc;
    ngx_str_t  text;

    ngx_http_ads_request_renew(ctx);

    if (ngx_http_ads_key_check(r, ctx) != NGX_OK) {
        return ngx_http_ads_reply_refusal(r, ctx, ctx->problem, ctx->detail,
                                          NULL);
    }

    rc = ngx_http_ads_body_take(r, ctx->post->body_max, &text);

    if (rc == NGX_HTTP_REQUEST_ENTITY_TOO_LARGE) {
        return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_BODY_TOO_LARGE,
                                          NULL, NULL);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ctx->post->process(r, ctx, &text);
}


/* The answer to a body in which `errors` were found. */

ngx_int_t
ngx_http_ads_post_refuse(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    const struct ads_body_errors *errors)
{
    if (errors->malformed != NULL) {
        return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_MALFORMED_JSON,
                                          errors->malformed, NULL);
    }

    return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_INVALID_FIELDS, NULL,
                                      errors);
}
