/*
 * Variables of the module for logs, limits and other directives.  None holds a
 * query, a key, a token or a session.
 *
 * $ads_publisher checks the key, so that limit_req can count by publisher
 * before the body is read; $ads_credential likewise tells any key that works
 * here from others, without being one; $ads_address is what one client cannot
 * change at will.  $ads_request_id makes the id, so that
 * a request of any location has one.  They may change while a request is
 * served, and so are never cached.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_variables_request_id(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_publisher(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_credential(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_address(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_text(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_number(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_id(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ads_variables_uuid(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, struct ads_uuid *id);
static void ngx_http_ads_variables_set(ngx_http_variable_value_t *v,
    const void *text, size_t len);


enum {
    NGX_HTTP_ADS_VAR_DECISION,
    NGX_HTTP_ADS_VAR_REASON,
    NGX_HTTP_ADS_VAR_PLACEMENT,
    NGX_HTTP_ADS_VAR_CLICK_CLASS,
    NGX_HTTP_ADS_VAR_COUNT,
    NGX_HTTP_ADS_VAR_MATCH_US,
    NGX_HTTP_ADS_VAR_GENERATION,
    NGX_HTTP_ADS_VAR_CLICK_ID,
    NGX_HTTP_ADS_VAR_AD_ID,
    NGX_HTTP_ADS_VAR_CAMPAIGN
};


static ngx_http_variable_t  ngx_http_ads_vars[] = {

    { ngx_string("ads_request_id"), NULL,
      ngx_http_ads_variables_request_id, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_publisher"), NULL,
      ngx_http_ads_variables_publisher, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_credential"), NULL,
      ngx_http_ads_variables_credential, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_address"), NULL,
      ngx_http_ads_variables_address, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_decision"), NULL, ngx_http_ads_variables_text,
      NGX_HTTP_ADS_VAR_DECISION, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_reason"), NULL, ngx_http_ads_variables_text,
      NGX_HTTP_ADS_VAR_REASON, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_placement"), NULL, ngx_http_ads_variables_text,
      NGX_HTTP_ADS_VAR_PLACEMENT, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_click_class"), NULL, ngx_http_ads_variables_text,
      NGX_HTTP_ADS_VAR_CLICK_CLASS, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_count"), NULL, ngx_http_ads_variables_number,
      NGX_HTTP_ADS_VAR_COUNT, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_match_us"), NULL, ngx_http_ads_variables_number,
      NGX_HTTP_ADS_VAR_MATCH_US, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_generation"), NULL, ngx_http_ads_variables_number,
      NGX_HTTP_ADS_VAR_GENERATION, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_click_id"), NULL, ngx_http_ads_variables_id,
      NGX_HTTP_ADS_VAR_CLICK_ID, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_ad_id"), NULL, ngx_http_ads_variables_id,
      NGX_HTTP_ADS_VAR_AD_ID, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("ads_campaign"), NULL, ngx_http_ads_variables_id,
      NGX_HTTP_ADS_VAR_CAMPAIGN, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


ngx_int_t
ngx_http_ads_variables_add(ngx_conf_t *cf)
{
    ngx_http_variable_t  *var, *v;

    for (v = ngx_http_ads_vars; v->name.len; v++) {

        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_variables_request_id(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_begin(r);

    if (ctx == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_ads_variables_uuid(r, v, &ctx->id);
}


static ngx_int_t
ngx_http_ads_variables_publisher(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_ads_ctx_t  *ctx;

    v->not_found = 1;

    ctx = ngx_http_ads_request_begin(r);

    if (ctx == NULL) {
        return NGX_ERROR;
    }

    /* of a click the link says it, other locations ask with a key */

    if (!ctx->has_publisher
        && (ctx->worker == NULL || ngx_http_ads_key_check(r, ctx) != NGX_OK))
    {
        return NGX_OK;
    }

    return ctx->has_publisher
           ? ngx_http_ads_variables_uuid(r, v, &ctx->publisher) : NGX_OK;
}


/*
 * A key that exists, is alive and may be used from this address; its owner may
 * be of any type.  No client can invent another value: what is not such a key
 * has none.
 */

static ngx_int_t
ngx_http_ads_variables_credential(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char              *p;
    uint64_t             hash;
    ngx_http_ads_ctx_t  *ctx;

    v->not_found = 1;

    ctx = ngx_http_ads_request_begin(r);

    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (ctx->worker == NULL) {
        return NGX_OK;
    }

    (void) ngx_http_ads_key_check(r, ctx);

    if (ctx->key == NULL) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    hash = ads_ring_hash(ads_ring_seal(ctx->conf->ring)->hash,
                         ctx->key->hash, ADS_KEY_HASH_LEN);

    ngx_http_ads_variables_set(v, p, ngx_sprintf(p, "%016xL", hash) - p);

    return NGX_OK;
}


/*
 * Whom a limit of addresses counts, in binary: an IPv4 address, in whichever of
 * its forms, or the network of an IPv6 address, since one client has all the
 * 2^64 addresses of that.
 */

static ngx_int_t
ngx_http_ads_variables_address(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    size_t   len;
    u_char  *ip;

    v->not_found = 1;

    ip = ngx_pnalloc(r->pool, 16);
    if (ip == NULL) {
        return NGX_ERROR;
    }

    len = ngx_http_ads_request_address(r, ip);

    if (len > 0) {
        ngx_http_ads_variables_set(v, ip, ngx_min(len, 8));
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_variables_text(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    const char          *name;
    ngx_http_ads_ctx_t  *ctx;

    v->not_found = 1;
    name = NULL;

    ctx = ngx_http_ads_request_find(r);

    if (ctx == NULL) {
        return NGX_OK;
    }

    switch (data) {

    case NGX_HTTP_ADS_VAR_DECISION:

        if (ctx->decided) {
            name = ctx->reason == ADS_REASON_NONE ? "SHOW" : "NO_AD";
        }

        break;

    case NGX_HTTP_ADS_VAR_REASON:

        if (ctx->decided && ctx->reason != ADS_REASON_NONE) {
            name = ads_reason_name(ctx->reason);
        }

        break;

    case NGX_HTTP_ADS_VAR_PLACEMENT:

        if (ctx->placement.len > 0) {
            ngx_http_ads_variables_set(v, ctx->placement.text,
                                       ctx->placement.len);
        }

        return NGX_OK;

    case NGX_HTTP_ADS_VAR_CLICK_CLASS:
        name = ctx->click_class;
        break;
    }

    if (name != NULL) {
        ngx_http_ads_variables_set(v, name, ngx_strlen(name));
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_variables_number(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char              *p;
    uint64_t             number;
    ngx_http_ads_ctx_t  *ctx;

    v->not_found = 1;

    ctx = ngx_http_ads_request_find(r);

    if (ctx == NULL
        || (data == NGX_HTTP_ADS_VAR_GENERATION ? ctx->snapshot == NULL
                                                : !ctx->decided))
    {
        return NGX_OK;
    }

    switch (data) {

    case NGX_HTTP_ADS_VAR_COUNT:
        number = ctx->n_ads;
        break;

    case NGX_HTTP_ADS_VAR_MATCH_US:
        number = ctx->match_us;
        break;

    default: /* NGX_HTTP_ADS_VAR_GENERATION */
        number = ctx->snapshot->tables.head.generation;
    }

    p = ngx_pnalloc(r->pool, NGX_INT64_LEN + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_http_ads_variables_set(v, p, ngx_sprintf(p, "%uL", number) - p);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_variables_id(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_ads_ctx_t  *ctx;

    v->not_found = 1;

    ctx = ngx_http_ads_request_find(r);

    if (ctx == NULL) {
        return NGX_OK;
    }

    if (data == NGX_HTTP_ADS_VAR_CLICK_ID && ctx->has_click) {
        return ngx_http_ads_variables_uuid(r, v, &ctx->click_id);
    }

    if (data == NGX_HTTP_ADS_VAR_AD_ID && ctx->has_ad) {
        return ngx_http_ads_variables_uuid(r, v, &ctx->ad_id);
    }

    if (data == NGX_HTTP_ADS_VAR_CAMPAIGN && ctx->has_campaign) {
        return ngx_http_ads_variables_uuid(r, v, &ctx->campaign);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_variables_uuid(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, struct ads_uuid *id)
{
    u_char  *p;

    p = ngx_pnalloc(r->pool, ADS_UUID_TEXT_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    (void) ads_uuid_write((char *) p, id);

    ngx_http_ads_variables_set(v, p, ADS_UUID_TEXT_LEN);

    return NGX_OK;
}


static void
ngx_http_ads_variables_set(ngx_http_variable_value_t *v, const void *text,
    size_t len)
{
    v->data = (u_char *) text;
    v->len = len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
}
