/*
 * API keys of publishers: taken from either of two headers, looked up in the
 * head of the ad tables.
 *
 * Checked once a request, when it is first needed: limit_req asks for
 * $ads_publisher before the body is read.  A key is never in a log, an answer
 * or a URL; one that comes in a URL is refused, because every server on the way
 * logs URLs.
 */


#include "ngx_http_ads_module.h"


static enum ads_problem ngx_http_ads_key_problem(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static enum ads_problem ngx_http_ads_key_find(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, const struct ads_key *key);
static ngx_uint_t ngx_http_ads_key_allowed(ngx_http_request_t *r,
    const struct ads_head *head, const struct ads_snap_key *row);
static ngx_uint_t ngx_http_ads_key_in_url(ngx_http_request_t *r);


/* NGX_OK, or NGX_DECLINED: then ctx->problem says why. */

ngx_int_t
ngx_http_ads_key_check(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    if (!ctx->key_checked) {
        ctx->key_checked = 1;
        ctx->problem = ngx_http_ads_key_problem(r, ctx);
    }

    return ctx->problem == ADS_PROBLEM_END ? NGX_OK : NGX_DECLINED;
}


/*
 * The same for a key of the configuration instead of the client's.  It is used
 * by nginx itself, so the addresses that it is for do not matter.
 */

ngx_int_t
ngx_http_ads_key_use(ngx_http_ads_ctx_t *ctx, const struct ads_key *key)
{
    ctx->key = NULL;
    ctx->detail = NULL;
    ctx->has_publisher = 0;
    ctx->test = 0;
    ctx->key_checked = 1;
    ctx->problem = ngx_http_ads_key_find(NULL, ctx, key);

    return ctx->problem == ADS_PROBLEM_END ? NGX_OK : NGX_DECLINED;
}


/* ADS_PROBLEM_END: nothing is wrong. */

static enum ads_problem
ngx_http_ads_key_problem(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_str_t       *value;
    ngx_uint_t       n_authorization, n_x_api_key;
    struct ads_key   key;
    struct ads_str   authorization, x_api_key, credential;

    static const ngx_str_t  names[] = {
        ngx_string("authorization"),
        ngx_string("x-api-key")
    };

    if (ngx_http_ads_key_in_url(r)) {
        ctx->detail = "send the key in a header";
        return ADS_PROBLEM_KEY_IN_URL;
    }

    ngx_memzero(&authorization, sizeof(struct ads_str));
    ngx_memzero(&x_api_key, sizeof(struct ads_str));

    value = ngx_http_ads_request_header(r, &names[0], &n_authorization);
    if (value != NULL) {
        authorization.ptr = (char *) value->data;
        authorization.len = value->len;
    }

    value = ngx_http_ads_request_header(r, &names[1], &n_x_api_key);
    if (value != NULL) {
        x_api_key.ptr = (char *) value->data;
        x_api_key.len = value->len;
    }

    if (n_authorization > 1 || n_x_api_key > 1) {
        return ADS_PROBLEM_CREDENTIALS_CONFLICT;
    }

    switch (ads_key_credential(&credential, authorization, x_api_key)) {

    case ADS_OK:
        break;

    case ADS_ABSENT:
        return ADS_PROBLEM_CREDENTIAL_MISSING;

    case ADS_CONFLICT:
        return ADS_PROBLEM_CREDENTIALS_CONFLICT;

    default:
        ctx->detail = "Authorization must be Bearer and a key";
        return ADS_PROBLEM_CREDENTIAL_INVALID;
    }

    if (ads_key_read(&key, &ctx->worker->known_keys, credential) != ADS_OK) {
        return ADS_PROBLEM_CREDENTIAL_INVALID;
    }

    return ngx_http_ads_key_find(r, ctx, &key);
}


/* `r` is the client's that sent the key; NULL: nginx has it. */

static enum ads_problem
ngx_http_ads_key_find(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    const struct ads_key *key)
{
    ngx_http_ads_snapshot_t          *snapshot;
    const struct ads_snap_key        *row;
    const struct ads_snap_publisher  *publisher;

    snapshot = ngx_http_ads_request_snapshot(ctx);

    if (snapshot == NULL) {

        /* no tables at all: of a key only its form can be checked */

        return key->type == ADS_KEY_PUBLISHER ? ADS_PROBLEM_END
                                              : ADS_PROBLEM_WRONG_SCOPE;
    }

    row = ads_head_find_key(&snapshot->tables.head, key->hash);

    if (row == NULL
        || row->type != (char) key->type
        || (row->expires_ms != 0
            && (uint64_t) row->expires_ms <= ngx_http_ads_process_now_ms())
        || (r != NULL
            && !ngx_http_ads_key_allowed(r, &snapshot->tables.head, row)))
    {
        return ADS_PROBLEM_CREDENTIAL_INVALID;
    }

    ctx->key = row;

    if (row->type != ADS_KEY_PUBLISHER) {
        ctx->detail = "this needs the key of a publisher";
        return ADS_PROBLEM_WRONG_SCOPE;
    }

    publisher = ads_head_publisher(&snapshot->tables.head, row->owner);

    if (publisher == NULL || !publisher->active) {
        ctx->detail = "the account of this key is not active";
        return ADS_PROBLEM_FORBIDDEN;
    }

    ctx->publisher = publisher->id;
    ctx->has_publisher = 1;
    ctx->test = (row->test != 0);

    return ADS_PROBLEM_END;
}


/*
 * From an address that the key is not for it is refused as one that does not
 * exist.  That of a Unix socket is in no range.
 */

static ngx_uint_t
ngx_http_ads_key_allowed(ngx_http_request_t *r, const struct ads_head *head,
    const struct ads_snap_key *row)
{
    size_t  len;
    u_char  ip[16];

    if (row->n_ranges == 0) {
        return 1;
    }

    len = ngx_http_ads_request_address(r, ip);

    return ads_head_key_allowed(head, row, ip, len);
}


static ngx_uint_t
ngx_http_ads_key_in_url(ngx_http_request_t *r)
{
    u_char  *last;

    if (r->args.len == 0) {
        return 0;
    }

    last = r->args.data + r->args.len;

    return ngx_strlcasestrn(r->args.data, last, (u_char *) "ads_live_",
                            sizeof("ads_live_") - 2)
           != NULL
           || ngx_strlcasestrn(r->args.data, last, (u_char *) "ads_test_",
                               sizeof("ads_test_") - 2)
              != NULL;
}
