/*
 * Directive ads_docs: who may read the documentation under a location.  Off:
 * clients on this machine; on: everyone.  It is a directive of its own, not
 * `allow`, so that one word opens it and a forgotten line does not.  Clients
 * may only read: other methods get 405 with the two that are allowed.
 *
 * A client's address is nginx's, so behind a proxy on this machine it is the
 * proxy's unless realip says otherwise.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_docs_handler(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ads_docs_local(ngx_http_request_t *r);


/* While nginx.conf is read. */

ngx_int_t
ngx_http_ads_docs_add(ngx_conf_t *cf)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_ACCESS_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_ads_docs_handler;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_docs_handler(ngx_http_request_t *r)
{
    ngx_http_ads_loc_conf_t  *alcf;

    static const ngx_str_t  allow = ngx_string("GET, HEAD");

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->docs == NGX_CONF_UNSET) {
        return NGX_DECLINED;
    }

    if (!alcf->docs && !ngx_http_ads_docs_local(r)) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "the documentation is for this machine only");
        return NGX_HTTP_FORBIDDEN;
    }

    if (r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD)) {
        return NGX_DECLINED;
    }

    if (ngx_http_ads_request_begin(r) == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* in this phase NGX_OK would mean: go on */

    ngx_http_finalize_request(r, ngx_http_ads_reply_method(r, &allow));

    return NGX_DONE;
}


static ngx_uint_t
ngx_http_ads_docs_local(ngx_http_request_t *r)
{
    u_char  ip[16];

    switch (ngx_http_ads_request_address(r, ip)) {

    case 4:
        return ip[0] == 127;

    case 16:
        return ngx_memcmp(ip, &in6addr_loopback, 16) == 0;

    default:

        /* a Unix socket */

        return 1;
    }
}
