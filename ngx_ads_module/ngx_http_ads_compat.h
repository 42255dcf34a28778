/*
 * Every difference between the nginx versions this module builds against,
 * 1.22 to 1.31.  No other file uses nginx_version.
 */


#ifndef _NGX_HTTP_ADS_COMPAT_H_INCLUDED_
#define _NGX_HTTP_ADS_COMPAT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_http.h>


/* since 1.23.0 headers of one name form a linked list */

static ngx_inline void
ngx_http_ads_header_end(ngx_table_elt_t *h)
{
#if (nginx_version >= 1023000)
    h->next = NULL;
#else
    (void) h;
#endif
}


/*
 * What limit_req notes in r->main->limit_req_status when limit_req_dry_run is
 * on and the request is over the rate; its own name for it is in no header
 */

#define NGX_HTTP_ADS_OVER_RATE  5


#endif /* _NGX_HTTP_ADS_COMPAT_H_INCLUDED_ */
