/*
 * Keeps click links out of logs.  Each line of nginx's error log ends with the
 * request line, as does one of nginx's own access log; for a click that is a
 * link which can still be followed.  So, before anything is logged about a
 * request, the token in the logged request line becomes "-".
 *
 * Only the line that is logged changes: URI and arguments stay as they are.
 *
 * A key is a secret for longer than a link.  Where one is in the URI nothing of
 * the URI is logged, and one in the path is refused, wherever it leads.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_mask_handler(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ads_mask_has_key(ngx_str_t *text);
static ngx_uint_t ngx_http_ads_mask_is_key(u_char *p, u_char *last);
static ngx_int_t ngx_http_ads_mask_refuse(ngx_http_request_t *r);
static void ngx_http_ads_mask_uri(ngx_http_request_t *r);
static u_char *ngx_http_ads_mask_find(u_char *p, u_char *last,
    const ngx_str_t *path);
static ngx_int_t ngx_http_ads_mask_line(ngx_http_request_t *r,
    const ngx_str_t *path);


static const ngx_str_t  ngx_http_ads_mask_paths[] = {
    ngx_string("/v1/click/"),
    ngx_string("/v1/i/")
};


/* While nginx.conf is read. */

ngx_int_t
ngx_http_ads_mask_add(ngx_conf_t *cf)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_POST_READ_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_ads_mask_handler;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_mask_handler(ngx_http_request_t *r)
{
    u_char           *last;
    ngx_uint_t        i;
    const ngx_str_t  *path;

    if (ngx_http_ads_mask_has_key(&r->uri)) {
        ngx_http_ads_mask_uri(r);

        return r->internal ? NGX_DECLINED : ngx_http_ads_mask_refuse(r);
    }

    if (ngx_http_ads_mask_has_key(&r->args)) {
        ngx_http_ads_mask_uri(r);

        return NGX_DECLINED;
    }

    /* most are too short to hold a token */

    if (r->uri.len < ADS_TOKEN_TEXT_LEN) {
        return NGX_DECLINED;
    }

    last = r->uri.data + r->uri.len;

    for (i = 0; i < sizeof(ngx_http_ads_mask_paths) / sizeof(ngx_str_t); i++) {

        path = &ngx_http_ads_mask_paths[i];

        if (ngx_http_ads_mask_find(r->uri.data, last, path) == NULL) {
            continue;
        }

        if (ngx_http_ads_mask_line(r, path) != NGX_OK) {
            ngx_str_set(&r->request_line, "-");
        }

        break;
    }

    return NGX_DECLINED;
}


/*
 * A whole key: pages of other servers may have "ads_live_" in a name.  Each key
 * has an underscore behind "ads", and few other letters of a path are one.
 */

static ngx_uint_t
ngx_http_ads_mask_has_key(ngx_str_t *text)
{
    u_char  *p, *last;

    if (text->len < ADS_KEY_TEXT_LEN) {
        return 0;
    }

    last = text->data + text->len;
    p = text->data + sizeof("ads") - 1;

    while ((p = memchr(p, '_', last - p)) != NULL) {

        if (ngx_http_ads_mask_is_key(p - (sizeof("ads") - 1), last)) {
            return 1;
        }

        p++;
    }

    return 0;
}


/* Letters and digits to the length of a key, whatever its check digits say: a
 * key that was mistyped is nearly one. */

static ngx_uint_t
ngx_http_ads_mask_is_key(u_char *p, u_char *last)
{
    u_char  *end;

    if (last - p < ADS_KEY_TEXT_LEN
        || (ngx_strncasecmp(p, (u_char *) "ads_live_", 9) != 0
            && ngx_strncasecmp(p, (u_char *) "ads_test_", 9) != 0))
    {
        return 0;
    }

    end = p + ADS_KEY_TEXT_LEN;

    for (p += sizeof("ads_live_") - 1; p < end; p++) {

        if ((*p < '0' || *p > '9') && ((*p | 0x20) < 'a' || (*p | 0x20) > 'z'))
        {
            return 0;
        }
    }

    return 1;
}


/* The context goes with the request to the error page, which says why. */

static ngx_int_t
ngx_http_ads_mask_refuse(ngx_http_request_t *r)
{
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->key_in_path = 1;

    return NGX_HTTP_BAD_REQUEST;
}


/* "GET /v1/... HTTP/1.1" becomes "GET - HTTP/1.1". */

static void
ngx_http_ads_mask_uri(ngx_http_request_t *r)
{
    u_char     *p, *first, *end, *last;
    ngx_str_t   line;

    ngx_str_set(&line, "-");

    last = r->request_line.data + r->request_line.len;
    first = ngx_strlchr(r->request_line.data, last, ' ');
    end = (first != NULL) ? ngx_strlchr(first + 1, last, ' ') : NULL;

    if (end != NULL) {
        p = ngx_pnalloc(r->pool, r->request_line.len);

        if (p != NULL) {
            line.data = p;
            p = ngx_cpymem(p, r->request_line.data,
                           first + 1 - r->request_line.data);
            *p++ = '-';
            p = ngx_cpymem(p, end, last - end);
            line.len = p - line.data;
        }
    }

    r->request_line = line;
}


/* Where the path is, in any spelling.  It usually begins the text as it is. */

static u_char *
ngx_http_ads_mask_find(u_char *p, u_char *last, const ngx_str_t *path)
{
    if ((size_t) (last - p) >= path->len
        && ngx_memcmp(p, path->data, path->len) == 0)
    {
        return p;
    }

    return ngx_strlcasestrn(p, last, path->data, path->len - 1);
}


/* "GET /v1/click/... HTTP/1.1" becomes "GET /v1/click/- HTTP/1.1". */

static ngx_int_t
ngx_http_ads_mask_line(ngx_http_request_t *r, const ngx_str_t *path)
{
    u_char     *p, *begin, *end, *query, *last;
    ngx_str_t   line;

    begin = r->request_line.data;

    if (begin == NULL) {
        return NGX_DECLINED;
    }

    last = begin + r->request_line.len;

    /* "GET " */

    p = ngx_http_ads_mask_find(begin + ngx_min(4, r->request_line.len), last,
                               path);

    if (p != NULL) {
        p += path->len;

    } else {

        /* written in another form: all of the URI goes */

        p = ngx_strlchr(begin, last, ' ');
        if (p == NULL) {
            return NGX_DECLINED;
        }

        p++;
    }

    end = memchr(p, ' ', last - p);
    end = (end != NULL) ? end : last;

    query = memchr(p, '?', end - p);
    end = (query != NULL) ? query : end;

    line.data = ngx_pnalloc(r->pool, p - begin + 1 + (last - end));
    if (line.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(line.data, begin, p - begin);
    *p++ = '-';
    p = ngx_cpymem(p, end, last - end);

    line.len = p - line.data;
    r->request_line = line;

    return NGX_OK;
}
