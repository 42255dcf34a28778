/*
 * State of a click, shared by ngx_http_ads_click.c, which opens the link and
 * answers, and ngx_http_ads_verdict.c, which says where it leads and in which
 * class it is, also to ngx_http_ads_event.c.
 */


#ifndef _NGX_HTTP_ADS_CLICK_H_INCLUDED_
#define _NGX_HTTP_ADS_CLICK_H_INCLUDED_


#include "ngx_http_ads_module.h"


typedef struct {
    ngx_http_ads_ctx_t        *ctx;
    ngx_http_ads_link_t        link;
    struct ads_uuid            click_id;
    uint64_t                   fingerprint;
    uint64_t                   address_hash;
    uint64_t                   tag;          /* of the slot in `live` */
    uint32_t                   slot;
    ngx_str_t                  location;     /* empty: the ad is not known */
    uint8_t                    class;        /* enum ads_click_class */
    u_char                     written;
    unsigned                   live:1;       /* the campaign is on the air */
} ngx_http_ads_click_t;


ngx_int_t ngx_http_ads_click_target(ngx_http_request_t *r,
    ngx_http_ads_click_t *click);
void ngx_http_ads_click_classify(ngx_http_request_t *r,
    ngx_http_ads_click_t *click);
ngx_uint_t ngx_http_ads_click_is_paused(ngx_http_ads_ctx_t *ctx,
    const struct ads_uuid *ad_id);


#endif /* _NGX_HTTP_ADS_CLICK_H_INCLUDED_ */
