/*
 * Sends answers.  Every one names its request id and is never cached, and every
 * refusal is a problem document (RFC 9457).
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_RETRY_S       1
#define NGX_HTTP_ADS_RETRY_ADSD_S  2


static const ngx_str_t  ngx_http_ads_reply_json_type =
    ngx_string("application/json");
static const ngx_str_t  ngx_http_ads_reply_problem_type =
    ngx_string("application/problem+json");

static const ngx_str_t  ngx_http_ads_reply_id_key = ngx_string("X-Request-Id");
static const ngx_str_t  ngx_http_ads_reply_cache_key =
    ngx_string("Cache-Control");
static const ngx_str_t  ngx_http_ads_reply_no_store = ngx_string("no-store");
static const ngx_str_t  ngx_http_ads_reply_retry_key =
    ngx_string("Retry-After");
static const ngx_str_t  ngx_http_ads_reply_allow_key = ngx_string("Allow");
static const ngx_str_t  ngx_http_ads_reply_auth_key =
    ngx_string("WWW-Authenticate");
static const ngx_str_t  ngx_http_ads_reply_auth_missing =
    ngx_string("Bearer realm=\"ads\"");
static const ngx_str_t  ngx_http_ads_reply_auth_invalid =
    ngx_string("Bearer realm=\"ads\", error=\"invalid_token\"");


static ngx_int_t ngx_http_ads_reply_common(ngx_http_request_t *r);
static ngx_int_t ngx_http_ads_reply_explain(ngx_http_request_t *r,
    enum ads_problem problem);
static ngx_int_t ngx_http_ads_reply_discard(ngx_http_request_t *r);


/* Adds a header; the texts must live as long as the request. */

ngx_int_t
ngx_http_ads_reply_header(ngx_http_request_t *r, const ngx_str_t *key,
    const ngx_str_t *value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    h->hash = 1;
    h->key = *key;
    h->value = *value;
    ngx_http_ads_header_end(h);

    return NGX_OK;
}


ngx_int_t
ngx_http_ads_reply_number(ngx_http_request_t *r, const ngx_str_t *key,
    uint64_t number)
{
    ngx_str_t  value;

    value.data = ngx_pnalloc(r->pool, NGX_INT64_LEN + 1);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    value.len = ngx_sprintf(value.data, "%uL", number) - value.data;

    return ngx_http_ads_reply_header(r, key, &value);
}


/*
 * Sends status, headers gathered so far and a body, which must live as long
 * as the request.  To be handed to ngx_http_finalize_request().
 */

ngx_int_t
ngx_http_ads_reply_send(ngx_http_request_t *r, ngx_uint_t status,
    const ngx_str_t *type, const ngx_str_t *body)
{
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t   out;

    if (ngx_http_ads_reply_discard(r) != NGX_OK
        || ngx_http_ads_reply_common(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* in an error page this is what counts */

    if (r->err_status) {
        r->err_status = status;
    }

    r->headers_out.status = status;
    r->headers_out.content_length_n = body->len;

    /* what was asked for is done: no If-Match takes it back */

    r->disable_not_modified = 1;

    if (body->len == 0) {
        r->header_only = 1;

    } else {
        r->headers_out.content_type = *type;
        r->headers_out.content_type_len = type->len;
        r->headers_out.content_type_lowcase = NULL;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->pos = body->data;
    b->last = body->data + body->len;
    b->memory = 1;
    b->last_buf = (r == r->main);
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


/* An answer of a location that serves from the tables. */

ngx_int_t
ngx_http_ads_reply_json(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_uint_t status, const ngx_str_t *body)
{
    static const ngx_str_t  generation = ngx_string("X-Ads-Generation");
    static const ngx_str_t  test = ngx_string("X-Ads-Test");
    static const ngx_str_t  yes = ngx_string("1");

    if (ctx->snapshot != NULL
        && ngx_http_ads_reply_header(r, &generation,
                                     &ctx->snapshot->generation)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ctx->test && ngx_http_ads_reply_header(r, &test, &yes) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ads_reply_send(r, status, &ngx_http_ads_reply_json_type,
                                   body);
}


/*
 * Refuses with a problem document.  `detail`, a constant text, and `errors`
 * may be NULL.
 */

ngx_int_t
ngx_http_ads_reply_problem(ngx_http_request_t *r, enum ads_problem problem,
    const char *detail, const struct ads_body_errors *errors)
{
    ngx_str_t            body;
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    body.data = ngx_pnalloc(r->pool, ADS_PROBLEM_LEN_MAX);
    if (body.data == NULL) {
        return NGX_ERROR;
    }

    body.len = ads_problem_write((char *) body.data, problem, detail, &ctx->id,
                                 errors != NULL ? errors->list : NULL,
                                 errors != NULL ? errors->n : 0);

    if (ngx_http_ads_reply_explain(r, problem) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ads_reply_send(r, ads_problem_find(problem)->status,
                                   &ngx_http_ads_reply_problem_type, &body);
}


/* The same, counted among what is refused. */

ngx_int_t
ngx_http_ads_reply_refusal(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    enum ads_problem problem, const char *detail,
    const struct ads_body_errors *errors)
{
    ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_REFUSED, 1);

    return ngx_http_ads_reply_problem(r, problem, detail, errors);
}


/* 405, naming the methods that are allowed. */

ngx_int_t
ngx_http_ads_reply_method(ngx_http_request_t *r, const ngx_str_t *allow)
{
    if (ngx_http_ads_reply_header(r, &ngx_http_ads_reply_allow_key, allow)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ads_reply_problem(r, ADS_PROBLEM_METHOD_NOT_ALLOWED, NULL,
                                      NULL);
}


/* 302 without a body. */

ngx_int_t
ngx_http_ads_reply_redirect(ngx_http_request_t *r, const ngx_str_t *location)
{
    ngx_uint_t  i;

    static const ngx_str_t  none = ngx_null_string;
    static const ngx_str_t  headers[][2] = {
        { ngx_string("Referrer-Policy"), ngx_string("no-referrer") },
        { ngx_string("X-Robots-Tag"), ngx_string("noindex") },
    };

    ngx_http_clear_location(r);

    r->headers_out.location = ngx_list_push(&r->headers_out.headers);
    if (r->headers_out.location == NULL) {
        return NGX_ERROR;
    }

    r->headers_out.location->hash = 1;
    ngx_str_set(&r->headers_out.location->key, "Location");
    r->headers_out.location->value = *location;
    ngx_http_ads_header_end(r->headers_out.location);

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {

        if (ngx_http_ads_reply_header(r, &headers[i][0], &headers[i][1])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_ads_reply_send(r, NGX_HTTP_MOVED_TEMPORARILY, NULL, &none);
}


static ngx_int_t
ngx_http_ads_reply_common(ngx_http_request_t *r)
{
    ngx_str_t            id;
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    id.len = ADS_UUID_TEXT_LEN;
    id.data = ngx_pnalloc(r->pool, ADS_UUID_TEXT_LEN);
    if (id.data == NULL) {
        return NGX_ERROR;
    }

    (void) ads_uuid_write((char *) id.data, &ctx->id);

    if (ngx_http_ads_reply_header(r, &ngx_http_ads_reply_id_key, &id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ads_reply_header(r, &ngx_http_ads_reply_cache_key,
                                     &ngx_http_ads_reply_no_store);
}


/* The headers that a problem asks for. */

static ngx_int_t
ngx_http_ads_reply_explain(ngx_http_request_t *r, enum ads_problem problem)
{
    switch (problem) {

    case ADS_PROBLEM_CREDENTIAL_MISSING:
        return ngx_http_ads_reply_header(r, &ngx_http_ads_reply_auth_key,
                                         &ngx_http_ads_reply_auth_missing);

    case ADS_PROBLEM_CREDENTIAL_INVALID:
        return ngx_http_ads_reply_header(r, &ngx_http_ads_reply_auth_key,
                                         &ngx_http_ads_reply_auth_invalid);

    case ADS_PROBLEM_RATE_LIMITED:
    case ADS_PROBLEM_JOURNAL_UNAVAILABLE:
        return ngx_http_ads_reply_number(r, &ngx_http_ads_reply_retry_key,
                                         NGX_HTTP_ADS_RETRY_S);

    case ADS_PROBLEM_UNAVAILABLE:
    case ADS_PROBLEM_PREFETCH:
        return ngx_http_ads_reply_number(r, &ngx_http_ads_reply_retry_key,
                                         NGX_HTTP_ADS_RETRY_ADSD_S);

    default:
        return NGX_OK;
    }
}


/*
 * A body that was not read must not be parsed as the next request.  "Expect:
 * 100-continue" is not answered then.
 */

static ngx_int_t
ngx_http_ads_reply_discard(ngx_http_request_t *r)
{
    ngx_int_t  rc;

    r->expect_tested = 1;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        r->keepalive = 0;
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}
