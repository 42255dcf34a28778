/*
 * Keeps click links out of logs.  Each line of nginx's error log ends with the
 * request line, as does one of nginx's own access log; for a click that is a
 * link which can still be followed.  So, before anything is logged about a
 * request, the token in the logged request line becomes "-".
 *
 * Only the line that is logged changes: URI and arguments stay as they are.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_mask_handler(ngx_http_request_t *r);
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
