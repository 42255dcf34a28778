/*
 * Makes a request body one piece of memory, however it came: in one buffer or
 * many, chunked, over HTTP/2, or by way of a temporary file.
 *
 * What fits into one buffer is used in place and may be written to: the
 * scanner unescapes in place.  A body that nginx still needs, as for a mirror,
 * is copied.
 */


#include "ngx_http_ads_module.h"


static ngx_uint_t ngx_http_ads_body_is_json(ngx_http_request_t *r);
static ngx_int_t ngx_http_ads_body_gather(ngx_http_request_t *r,
    ngx_chain_t *in, u_char *p);


/* Is it JSON of at most `max` bytes, by what the head says?  ADS_PROBLEM_END:
 * yes. */

enum ads_problem
ngx_http_ads_body_check(ngx_http_request_t *r, size_t max)
{
    if (!ngx_http_ads_body_is_json(r)) {
        return ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE;
    }

    if (r->headers_in.content_length_n > (off_t) max) {
        return ADS_PROBLEM_BODY_TOO_LARGE;
    }

    return ADS_PROBLEM_END;
}


/*
 * Begins to read the body; to be returned from a content handler.  `handler` is
 * called once it is there, and has to finalize the request.
 */

ngx_int_t
ngx_http_ads_body_begin(ngx_http_request_t *r,
    ngx_http_client_body_handler_pt handler)
{
    ngx_int_t  rc;

    r->request_body_in_single_buf = 1;

    rc = ngx_http_read_client_request_body(r, handler);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    return NGX_DONE;
}


/*
 * The body that was read.  NGX_HTTP_REQUEST_ENTITY_TOO_LARGE when it turned
 * out longer than `max`, NGX_ERROR when it cannot be had.
 */

ngx_int_t
ngx_http_ads_body_take(ngx_http_request_t *r, size_t max, ngx_str_t *body)
{
    off_t         len;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    ngx_str_null(body);

    if (r->request_body == NULL || r->request_body->bufs == NULL) {
        return NGX_OK;
    }

    len = 0;

    for (cl = r->request_body->bufs; cl; cl = cl->next) {
        len += ngx_buf_size(cl->buf);
    }

    if (len > (off_t) max) {
        return NGX_HTTP_REQUEST_ENTITY_TOO_LARGE;
    }

    b = r->request_body->bufs->buf;

    body->len = len;

    if (r->request_body->bufs->next == NULL && ngx_buf_in_memory(b)
        && !b->in_file && !r->preserve_body)
    {
        body->data = b->pos;
        return NGX_OK;
    }

    body->data = ngx_pnalloc(r->pool, body->len + 1);
    if (body->data == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_ads_body_gather(r, r->request_body->bufs, body->data);
}


static ngx_int_t
ngx_http_ads_body_gather(ngx_http_request_t *r, ngx_chain_t *in, u_char *p)
{
    size_t        size;
    ssize_t       n;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    for (cl = in; cl; cl = cl->next) {

        b = cl->buf;

        if (ngx_buf_in_memory(b)) {
            p = ngx_cpymem(p, b->pos, b->last - b->pos);
            continue;
        }

        if (!b->in_file) {
            continue;
        }

        size = (size_t) (b->file_last - b->file_pos);

        n = ngx_read_file(b->file, p, size, b->file_pos);

        if (n != (ssize_t) size) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                          "ads: read %z bytes of %uz of a request body",
                          n, size);
            return NGX_ERROR;
        }

        p += n;
    }

    return NGX_OK;
}


/* application/json, with or without parameters, in its own bytes */

static ngx_uint_t
ngx_http_ads_body_is_json(ngx_http_request_t *r)
{
    size_t       len;
    ngx_str_t   *type;
    ngx_uint_t   n;

    static const ngx_str_t  encoding = ngx_string("content-encoding");

    if (r->headers_in.content_type == NULL) {
        return 0;
    }

    type = &r->headers_in.content_type->value;
    len = sizeof("application/json") - 1;

    if (type->len < len
        || (ngx_memcmp(type->data, "application/json", len) != 0
            && ngx_strncasecmp(type->data, (u_char *) "application/json", len)
               != 0)
        || (type->len > len && type->data[len] != ';'
            && type->data[len] != ' '))
    {
        return 0;
    }

    type = ngx_http_ads_request_header(r, &encoding, &n);

    return type == NULL
           || (type->len == sizeof("identity") - 1
               && ngx_strncasecmp(type->data, (u_char *) "identity",
                                  type->len)
                  == 0);
}
