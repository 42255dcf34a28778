/*
 * Bodies of strangers: ads_credential_required and ads_body_rate.
 *
 * What adsd serves, nginx reads whole before adsd hears of it.  So a credential
 * that a worker can check is checked before the body: a missing, malformed or
 * unknown one is refused here.  The signature of an access token only adsd can
 * check; what has the form and the time of one passes, as does a key while
 * there are no ad tables to look it up in.
 *
 * And each byte of a body has a time by which it is due, or a client that sends
 * one byte every few seconds would keep its connection, its buffer and its file
 * for days.  nginx's client_body_timeout limits the pause between two bytes;
 * this checks each piece when it comes, so it needs no timer.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_stranger_handler(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ads_stranger_has_body(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ads_stranger_has_token(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_stranger_body(ngx_http_request_t *r,
    ngx_chain_t *in);


static ngx_http_request_body_filter_pt  ngx_http_ads_stranger_next_body;


/* While nginx.conf is read. */

ngx_int_t
ngx_http_ads_stranger_add(ngx_conf_t *cf)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_ACCESS_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_ads_stranger_handler;

    ngx_http_ads_stranger_next_body = ngx_http_top_request_body_filter;
    ngx_http_top_request_body_filter = ngx_http_ads_stranger_body;

    return NGX_OK;
}


/* ads_body_rate size time */

char *
ngx_http_ads_stranger_rate(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_loc_conf_t *alcf = conf;

    ssize_t     size;
    ngx_int_t   after;
    ngx_str_t  *value;

    if (alcf->body_rate != NGX_CONF_UNSET_SIZE) {
        return "is duplicate";
    }

    value = cf->args->elts;

    size = ngx_parse_size(&value[1]);
    if (size == NGX_ERROR) {
        return "has an invalid size";
    }

    after = ngx_parse_time(&value[2], 0);
    if (after == NGX_ERROR) {
        return "has an invalid time";
    }

    alcf->body_rate = size;
    alcf->body_after_ms = after;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ads_stranger_handler(ngx_http_request_t *r)
{
    ngx_str_t                 value;
    ngx_http_ads_ctx_t       *ctx;
    ngx_http_ads_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->credential_required == NULL
        || r != r->main
        || !ngx_http_ads_stranger_has_body(r))
    {
        return NGX_DECLINED;
    }

    if (ngx_http_complex_value(r, alcf->credential_required, &value)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (value.len == 0 || (value.len == 1 && value.data[0] == '0')) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->worker == NULL
        || ngx_http_ads_key_check(r, ctx) == NGX_OK
        || ctx->key != NULL)
    {
        return NGX_DECLINED;
    }

    if (ctx->problem == ADS_PROBLEM_WRONG_SCOPE
        || (ctx->problem == ADS_PROBLEM_CREDENTIAL_INVALID
            && ngx_http_ads_stranger_has_token(r, ctx)))
    {
        /* whose scope and which session, adsd knows */

        return NGX_DECLINED;
    }

    /* in this phase NGX_OK would mean: go on */

    ngx_http_finalize_request(r, ngx_http_ads_reply_refusal(r, ctx,
                                     ctx->problem, ctx->detail, NULL));

    return NGX_DONE;
}


/* Is one announced?  Over HTTP/2 and later it may come without a length. */

static ngx_uint_t
ngx_http_ads_stranger_has_body(ngx_http_request_t *r)
{
    if (r->headers_in.content_length_n > 0 || r->headers_in.chunked) {
        return 1;
    }

    return r->http_version >= NGX_HTTP_VERSION_20
           && r->headers_in.content_length_n == -1
           && !(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD|NGX_HTTP_DELETE));
}


/*
 * Is it an access token, by its form?  Of one that is over it says so, in the
 * words of adsd.
 */

static ngx_uint_t
ngx_http_ads_stranger_has_token(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_str_t       *value;
    ngx_uint_t       n;
    enum ads_err     err;
    struct ads_str   authorization, none, credential;

    static const ngx_str_t  name = ngx_string("authorization");

    value = ngx_http_ads_request_header(r, &name, &n);

    if (value == NULL) {
        return 0;
    }

    authorization.ptr = (char *) value->data;
    authorization.len = value->len;
    ngx_memzero(&none, sizeof(struct ads_str));

    if (ads_key_credential(&credential, authorization, none) != ADS_OK
        || ads_str_starts(credential, "ads_"))
    {
        return 0;
    }

    err = ads_jwt_peek(credential, ngx_time());

    if (err == ADS_EXPIRED) {
        ctx->detail = "the access token has expired";
    }

    return err == ADS_OK;
}


/*
 * A piece of a body has come: NGX_HTTP_REQUEST_TIME_OUT, which closes the
 * connection without a word, when so little has come by now.  The head counts
 * too, as request_length does.
 */

static ngx_int_t
ngx_http_ads_stranger_body(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_time_t               *now;
    ngx_msec_int_t            ms;
    ngx_http_ads_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->body_rate == 0) {
        return ngx_http_ads_stranger_next_body(r, in);
    }

    now = ngx_timeofday();

    ms = (ngx_msec_int_t) ((now->sec - r->start_sec) * 1000
                           + ((ngx_msec_int_t) now->msec
                              - (ngx_msec_int_t) r->start_msec));
    ms -= (ngx_msec_int_t) alcf->body_after_ms;

    if (ms > 0
        && r->request_length / (off_t) alcf->body_rate < (off_t) ms / 1000)
    {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "ads: a body comes slower than ads_body_rate");

        r->connection->timedout = 1;
        return NGX_HTTP_REQUEST_TIME_OUT;
    }

    return ngx_http_ads_stranger_next_body(r, in);
}
