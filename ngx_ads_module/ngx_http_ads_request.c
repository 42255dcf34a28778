/*
 * State of a request through its phases: its id, the generation it began with,
 * the client's key, and what the log will say about it.
 *
 * It hangs from a cleanup of the request's pool: nginx clears r->ctx at every
 * internal redirect, and an error page has to name the id that the log names.
 */


#include "ngx_http_ads_module.h"

#include "ads_ip.h"


static ngx_http_ads_ctx_t *ngx_http_ads_request_make(ngx_http_request_t *r,
    ngx_pool_cleanup_pt handler);
static void ngx_http_ads_request_cleanup(void *data);
static void ngx_http_ads_request_part_cleanup(void *data);


/*
 * The request's context, or NULL when it has none yet.  A subrequest shares
 * that of its main request, unless it has one of its own.
 */

ngx_http_ads_ctx_t *
ngx_http_ads_request_find(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_ads_module);

    if (ctx == NULL && r != r->main) {
        r = r->main;
        ctx = ngx_http_get_module_ctx(r, ngx_http_ads_module);
    }

    if (ctx != NULL) {
        return ctx;
    }

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler == ngx_http_ads_request_cleanup) {
            ngx_http_set_ctx(r, cln->data, ngx_http_ads_module);
            return cln->data;
        }
    }

    return NULL;
}


/* The request's context, made when there is none; NULL when memory lacks. */

ngx_http_ads_ctx_t *
ngx_http_ads_request_begin(ngx_http_request_t *r)
{
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_find(r);

    if (ctx != NULL) {
        return ctx;
    }

    return ngx_http_ads_request_make(r->main, ngx_http_ads_request_cleanup);
}


/*
 * The same, but of a subrequest one of its own: a page may hold several
 * recommendations, each with its id.
 */

ngx_http_ads_ctx_t *
ngx_http_ads_request_part(ngx_http_request_t *r)
{
    if (r == r->main) {
        return ngx_http_ads_request_begin(r);
    }

    return ngx_http_ads_request_make(r, ngx_http_ads_request_part_cleanup);
}


static ngx_http_ads_ctx_t *
ngx_http_ads_request_make(ngx_http_request_t *r,
    ngx_pool_cleanup_pt handler)
{
    u_char                     random[16];
    ngx_pool_cleanup_t        *cln;
    ngx_http_ads_ctx_t        *ctx;
    ngx_http_ads_main_conf_t  *amcf;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_ads_ctx_t));
    if (cln == NULL) {
        return NULL;
    }

    ctx = cln->data;
    ngx_memzero(ctx, sizeof(ngx_http_ads_ctx_t));

    amcf = ngx_http_get_module_main_conf(r, ngx_http_ads_module);

    ctx->conf = amcf;
    ctx->worker = amcf->worker;

    if (ctx->worker == NULL && amcf->used) {
        ctx->worker = ngx_http_ads_worker_begin(amcf,
                                                (ngx_cycle_t *) ngx_cycle);

        if (ctx->worker == NULL) {
            return NULL;
        }
    }

    if (ctx->worker != NULL) {
        ngx_http_ads_process_random(&ctx->worker->random, random,
                                    sizeof(random));

    } else {
        randombytes_buf(random, sizeof(random));
    }

    ctx->id = ads_uuid_random(random);

    cln->handler = handler;
    ngx_http_set_ctx(r, ctx, ngx_http_ads_module);

    return ctx;
}


/* The generation this request serves from, from now on; or NULL. */

ngx_http_ads_snapshot_t *
ngx_http_ads_request_snapshot(ngx_http_ads_ctx_t *ctx)
{
    if (ctx->snapshot == NULL) {
        ctx->snapshot = ngx_http_ads_snapshot_take(&ctx->worker->snapshots);
    }

    return ctx->snapshot;
}


/*
 * For a request that has waited: when there is another generation by now it
 * starts again with that, and its key is to be checked again.  Nothing of the
 * old one may be in use.
 */

void
ngx_http_ads_request_renew(ngx_http_ads_ctx_t *ctx)
{
    ngx_http_ads_snapshot_t  *old;

    old = ctx->snapshot;
    ctx->snapshot = ngx_http_ads_snapshot_take(&ctx->worker->snapshots);

    if (ctx->snapshot != old) {
        ctx->key = NULL;
        ctx->detail = NULL;
        ctx->key_checked = 0;
        ctx->has_publisher = 0;
        ctx->test = 0;
    }

    if (old != NULL) {
        ngx_http_ads_snapshot_release(old);
    }
}


/*
 * The client's address as nginx has it, after realip: fills 4 or 16 bytes and
 * says how many; 0 for a Unix socket, which has none.
 */

size_t
ngx_http_ads_request_address(ngx_http_request_t *r, u_char ip[16])
{
    struct sockaddr  *sa;

    sa = r->connection->sockaddr;

    switch (sa->sa_family) {

    case AF_INET:
        ngx_memcpy(ip, &((struct sockaddr_in *) sa)->sin_addr, 4);
        return 4;

#if (NGX_HAVE_INET6)
    case AF_INET6:
        ngx_memcpy(ip, &((struct sockaddr_in6 *) sa)->sin6_addr, 16);
        return ads_ip_unmap(ip, 16);
#endif

    default:
        return 0;
    }
}


/*
 * What is kept of a session_id, a keyed hash; 0 when there is none.  It names a
 * session of one publisher: of two, the same text is two visitors.
 */

uint64_t
ngx_http_ads_request_session(ngx_http_ads_ctx_t *ctx,
    struct ads_str session_id)
{
    size_t  len;
    u_char  bytes[sizeof(struct ads_uuid) + ADS_BODY_SESSION_MAX];

    if (session_id.len == 0) {
        return 0;
    }

    len = ngx_min(session_id.len, ADS_BODY_SESSION_MAX);

    ngx_memcpy(bytes, &ctx->publisher, sizeof(struct ads_uuid));
    ngx_memcpy(bytes + sizeof(struct ads_uuid), session_id.ptr, len);

    return ads_ring_hash(ads_ring_seal(ctx->conf->ring)->hash, bytes,
                         sizeof(struct ads_uuid) + len);
}


/*
 * The value of a header by its lower-case name, NULL when there is none.  *n
 * is how many there are with different values.
 */

ngx_str_t *
ngx_http_ads_request_header(ngx_http_request_t *r, const ngx_str_t *name,
    ngx_uint_t *n)
{
    ngx_uint_t        i;
    ngx_str_t        *value;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    *n = 0;
    value = NULL;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        header = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (header[i].key.len != name->len
                || header[i].lowcase_key == NULL
                || ngx_memcmp(header[i].lowcase_key, name->data, name->len)
                   != 0)
            {
                continue;
            }

            if (value == NULL) {
                value = &header[i].value;
                *n = 1;
                continue;
            }

            if (value->len != header[i].value.len
                || ngx_memcmp(value->data, header[i].value.data, value->len)
                   != 0)
            {
                ++*n;
            }
        }
    }

    return value;
}


/* As ads_accept_choose(). */

ngx_int_t
ngx_http_ads_request_accepts(ngx_http_request_t *r, const char *const *types)
{
    ngx_str_t      *value;
    ngx_uint_t      n;
    struct ads_str  header;

    static const ngx_str_t  name = ngx_string("accept");

    header.ptr = NULL;
    header.len = 0;

    value = ngx_http_ads_request_header(r, &name, &n);

    if (value != NULL) {
        header.ptr = (const char *) value->data;
        header.len = value->len;
    }

    return ads_accept_choose(header, types);
}


static void
ngx_http_ads_request_cleanup(void *data)
{
    ngx_http_ads_ctx_t *ctx = data;

    if (ctx->snapshot != NULL) {
        ngx_http_ads_snapshot_release(ctx->snapshot);
        ctx->snapshot = NULL;
    }
}


/* Another function, so that a main request does not find a subrequest's. */

static void
ngx_http_ads_request_part_cleanup(void *data)
{
    ngx_http_ads_request_cleanup(data);
}
