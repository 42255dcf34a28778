/*
 * What click and impression links share: the token in the path, and the check
 * for a browser that only prefetches.
 */


#include "ngx_http_ads_module.h"


/*
 * Opens the token that is what the path ends with: of one length, behind
 * `path`.  NGX_DECLINED whatever is wrong with it.
 */

ngx_int_t
ngx_http_ads_link_open(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    const ngx_str_t *path, ngx_http_ads_link_t *link)
{
    u_char            *p, *last;
    uint64_t           now_ms;
    struct ads_str     text;
    struct ads_token  *token;

    token = &link->token;
    last = r->uri.data + r->uri.len;

    p = last - ngx_min(r->uri.len, ADS_TOKEN_TEXT_LEN);

    text.ptr = (char *) p;
    text.len = last - p;

    if (p - r->uri.data < (ssize_t) path->len
        || ngx_memcmp(p - path->len, path->data, path->len) != 0)
    {
        text.len = 0;
    }

    if (ads_token_read(token, &link->key, ctx->conf->ring,
                       &ctx->worker->subkeys, text)
        != ADS_OK)
    {
        return NGX_DECLINED;
    }

    ctx->ad_id = token->ad_id;
    ctx->publisher = token->publisher;
    ctx->placement = token->placement;
    ctx->has_ad = 1;
    ctx->has_publisher = 1;

    /* a clock that is behind the one that made the link makes it younger */

    now_ms = ngx_http_ads_process_now_ms();
    link->age_ms = ads_id_ms(&token->request_id);
    link->age_ms = now_ms > link->age_ms ? now_ms - link->age_ms : 0;

    return NGX_OK;
}


/* A browser that prefetches: nothing was seen or clicked yet. */

ngx_uint_t
ngx_http_ads_link_is_prefetch(ngx_http_request_t *r)
{
    ngx_str_t   *value;
    ngx_uint_t   i, n;

    static const ngx_str_t  names[] = {
        ngx_string("sec-purpose"),
        ngx_string("purpose"),
        ngx_string("x-purpose"),
        ngx_string("x-moz")
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {

        value = ngx_http_ads_request_header(r, &names[i], &n);

        if (value != NULL
            && (ngx_strlcasestrn(value->data, value->data + value->len,
                                 (u_char *) "prefetch",
                                 sizeof("prefetch") - 2)
                != NULL
                || ngx_strlcasestrn(value->data, value->data + value->len,
                                    (u_char *) "prerender",
                                    sizeof("prerender") - 2)
                   != NULL
                || ngx_strlcasestrn(value->data, value->data + value->len,
                                    (u_char *) "preview",
                                    sizeof("preview") - 2)
                   != NULL))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Was the link opened, and not loaded by a page as an image, script, frame or
 * by fetch()?  Browsers say so in headers that no page can set (Fetch
 * Metadata); one that says nothing is believed.
 */

ngx_uint_t
ngx_http_ads_link_is_navigation(ngx_http_request_t *r)
{
    ngx_str_t   *value;
    ngx_uint_t   i, n;

    static const struct {
        ngx_str_t  header;
        ngx_str_t  opened;
    } fetch[] = {
        { ngx_string("sec-fetch-dest"), ngx_string("document") },
        { ngx_string("sec-fetch-mode"), ngx_string("navigate") }
    };

    for (i = 0; i < sizeof(fetch) / sizeof(fetch[0]); i++) {

        value = ngx_http_ads_request_header(r, &fetch[i].header, &n);

        if (value != NULL
            && (n > 1
                || value->len != fetch[i].opened.len
                || ngx_strncasecmp(value->data, fetch[i].opened.data,
                                   value->len)
                   != 0))
        {
            return 0;
        }
    }

    return 1;
}
