/*
 * ads_docs: who may read the documentation under a location.  Off: clients on
 * this machine; on: everybody.  It is a directive of its own, not `allow`, so
 * that one word opens it and nobody opens it by forgetting a line.  Nobody may
 * do more than read: other methods get 405 with the two that there are.
 *
 * A client's address is nginx's, so behind a proxy on this machine it is the
 * proxy's unless realip says otherwise.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_docs_handler(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ads_docs_local(struct sockaddr *sockaddr);


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

    if (!alcf->docs && !ngx_http_ads_docs_local(r->connection->sockaddr)) {
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
ngx_http_ads_docs_local(struct sockaddr *sockaddr)
{
    struct sockaddr_in   *sin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    switch (sockaddr->sa_family) {

    case AF_INET:
        sin = (struct sockaddr_in *) sockaddr;
        return ntohl(sin->sin_addr.s_addr) >> 24 == 127;

#if (NGX_HAVE_INET6)
    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) sockaddr;
        return IN6_IS_ADDR_LOOPBACK(&sin6->sin6_addr)
               || (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr)
                   && sin6->sin6_addr.s6_addr[12] == 127);
#endif

    default:

        /* a Unix socket */

        return sockaddr->sa_family == AF_UNIX;
    }
}
