/*
 * Directive ads_problem: the target of error_page on the service's paths, so
 * that nginx's own errors are problem documents too, and a catch-all for
 * unknown paths.
 *
 * A backend that does not answer (502, 504) is 503 with Retry-After: for a
 * client the two are the same.  The visitor of a link that only adsd could have
 * resolved goes to ads_click_fallback instead, where there is one.
 */


#include "ngx_http_ads_module.h"


ngx_int_t
ngx_http_ads_problem_handler(ngx_http_request_t *r)
{
    ngx_uint_t           status;
    enum ads_problem     problem;
    ngx_http_ads_ctx_t  *ctx;

    static const ngx_str_t  allow = ngx_string("Allow");
    static const ngx_str_t  methods =
        ngx_string("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");

    /* what nginx sets before it goes to an error page */

    status = r->err_status;

    if (status == 0) {
        status = NGX_HTTP_NOT_FOUND;
    }

    if (status == NGX_HTTP_BAD_GATEWAY || status == NGX_HTTP_GATEWAY_TIME_OUT) {
        status = NGX_HTTP_SERVICE_UNAVAILABLE;
    }

    ctx = ngx_http_ads_request_find(r);

    if (status == NGX_HTTP_SERVICE_UNAVAILABLE
        && ctx != NULL && ctx->fallback != NULL)
    {
        return ngx_http_ads_reply_redirect(r, ctx->fallback);
    }

    problem = ads_problem_of_status(status);

    if (status == NGX_HTTP_BAD_REQUEST && ctx != NULL && ctx->key_in_path) {
        return ngx_http_ads_reply_problem(r, ADS_PROBLEM_KEY_IN_URL,
                                          "send the key in a header", NULL);
    }

    if (problem == ADS_PROBLEM_METHOD_NOT_ALLOWED
        && ngx_http_ads_reply_header(r, &allow, &methods) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ads_reply_problem(r, problem, NULL, NULL);
}
