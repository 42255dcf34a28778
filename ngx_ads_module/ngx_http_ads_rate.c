/*
 * ads_event_rate: how many events a key may report, over all workers.
 *
 * Events that a worker records are counted by their handler.  Those that go on
 * to adsd, as conversions do, are counted here before: once their body was
 * read, and from the same bucket.
 *
 * limit_req counts requests, and one request may hold a hundred events.  So
 * each key has a bucket in shared memory, which is one number: when it will be
 * full again.  Taking n events moves that by n shares of a second; further
 * ahead than the burst there is none left.  There is no lock: who loses a race
 * tries again, and keys that meet in one place at worst forget what one of
 * them took.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_RATE_SETS   1024     /* a power of two */
#define NGX_HTTP_ADS_RATE_WAYS   4
#define NGX_HTTP_ADS_RATE_TRIES  16
#define NGX_HTTP_ADS_RATE_ZONE   (256 * 1024)
#define NGX_HTTP_ADS_RATE_MOST   1000000
#define NGX_HTTP_ADS_RATE_BATCH  100      /* events of one request */


typedef struct {
    ngx_atomic_t               key;          /* a hash; 0: free */
    ngx_atomic_t               full_us;
} ngx_http_ads_bucket_t;


static ngx_int_t ngx_http_ads_rate_handler(ngx_http_request_t *r);
static void ngx_http_ads_rate_body_handler(ngx_http_request_t *r);
static enum ads_problem ngx_http_ads_rate_body_take(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_rate_init(ngx_shm_zone_t *zone, void *data);
static ngx_http_ads_bucket_t *ngx_http_ads_rate_bucket(
    ngx_http_ads_bucket_t *buckets, ngx_atomic_uint_t key);


/* While nginx.conf is read. */

ngx_int_t
ngx_http_ads_rate_add(ngx_conf_t *cf)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PRECONTENT_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_ads_rate_handler;

    return NGX_OK;
}


/* ads_event_rate events burst */

char *
ngx_http_ads_rate(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_loc_conf_t *alcf = conf;

    ngx_int_t                  rate, burst;
    ngx_str_t                 *value;
    ngx_shm_zone_t            *zone;
    ngx_http_ads_main_conf_t  *amcf;

    static ngx_str_t  name = ngx_string("ads_event_rate");

    if (alcf->event_rate != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    rate = ngx_atoi(value[1].data, value[1].len);
    burst = ngx_atoi(value[2].data, value[2].len);

    if (rate == NGX_ERROR || rate > NGX_HTTP_ADS_RATE_MOST) {
        return "must be 0 to 1000000 events a second";
    }

    if (burst < NGX_HTTP_ADS_RATE_BATCH || burst > NGX_HTTP_ADS_RATE_MOST) {
        return "must have a burst of 100, as one request may hold, to 1000000";
    }

    alcf->event_rate = rate;
    alcf->event_burst = burst;

    zone = ngx_shared_memory_add(cf, &name, NGX_HTTP_ADS_RATE_ZONE,
                                 &ngx_http_ads_module);
    if (zone == NULL) {
        return NGX_CONF_ERROR;
    }

    zone->init = ngx_http_ads_rate_init;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_ads_module);
    amcf->event_rates = zone;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ads_rate_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t  *pool;

    /* a reload keeps what was counted */

    if (data != NULL) {
        zone->data = data;
        return NGX_OK;
    }

    pool = (ngx_slab_pool_t *) zone->shm.addr;

    zone->data = ngx_slab_calloc(pool, NGX_HTTP_ADS_RATE_SETS
                                       * NGX_HTTP_ADS_RATE_WAYS
                                       * sizeof(ngx_http_ads_bucket_t));

    return zone->data != NULL ? NGX_OK : NGX_ERROR;
}


/*
 * Before somebody else answers a body of events.  A request without a key that
 * a worker knows has no bucket: it is refused where it is answered.
 */

static ngx_int_t
ngx_http_ads_rate_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_ads_ctx_t       *ctx;
    ngx_http_ads_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->event_rate == 0 || alcf->kind != 0 || r != r->main) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->events_counted || ctx->worker == NULL) {
        return NGX_DECLINED;
    }

    (void) ngx_http_ads_key_check(r, ctx);

    if (ctx->key == NULL) {
        return NGX_DECLINED;
    }

    rc = ngx_http_ads_body_begin(r, ngx_http_ads_rate_body_handler);

    if (rc == NGX_DONE) {
        ngx_http_finalize_request(r, NGX_DONE);
    }

    return rc;
}


static void
ngx_http_ads_rate_body_handler(ngx_http_request_t *r)
{
    enum ads_problem     problem;
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_find(r);
    ctx->events_counted = 1;

    /* the body stays as it is, for who answers */

    r->preserve_body = 1;

    problem = ngx_http_ads_rate_body_take(r, ctx);

    if (problem != ADS_PROBLEM_END) {
        ngx_http_finalize_request(r, ngx_http_ads_reply_refusal(r, ctx,
                                         problem, NULL, NULL));
        return;
    }

    r->write_event_handler = ngx_http_core_run_phases;
    ngx_http_core_run_phases(r);
}


/* ADS_PROBLEM_END: the request may go on. */

static enum ads_problem
ngx_http_ads_rate_body_take(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_str_t   text;
    ngx_uint_t  n;

    ngx_http_ads_request_renew(ctx);
    (void) ngx_http_ads_key_check(r, ctx);

    switch (ngx_http_ads_body_take(r, NGX_HTTP_ADS_EVENT_BODY_MAX, &text)) {

    case NGX_OK:
        break;

    case NGX_HTTP_REQUEST_ENTITY_TOO_LARGE:
        return ADS_PROBLEM_BODY_TOO_LARGE;

    default:
        return ADS_PROBLEM_INTERNAL;
    }

    n = ads_body_events_count((char *) text.data, text.len);

    return ngx_http_ads_rate_take(r, ctx, n) ? ADS_PROBLEM_END
                                             : ADS_PROBLEM_RATE_LIMITED;
}


/* May the key of this request report `n` events now?  If so they are taken. */

ngx_uint_t
ngx_http_ads_rate_take(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_uint_t n)
{
    uint64_t                  hash, now_us, next_us, share_us;
    ngx_uint_t                i;
    ngx_atomic_uint_t         full_us;
    ngx_http_ads_bucket_t    *bucket;
    ngx_http_ads_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (alcf->event_rate == 0 || ctx->key == NULL) {
        return 1;
    }

    hash = ads_ring_hash(ads_ring_seal(ctx->conf->ring)->hash,
                         ctx->key->hash, ADS_KEY_HASH_LEN);

    bucket = ngx_http_ads_rate_bucket(ctx->conf->event_rates->data,
                                      (ngx_atomic_uint_t) hash | 1);

    now_us = (uint64_t) ngx_current_msec * 1000;
    share_us = 1000000 / alcf->event_rate;

    for (i = 0; i < NGX_HTTP_ADS_RATE_TRIES; i++) {

        full_us = bucket->full_us;

        next_us = ngx_max((uint64_t) full_us, now_us) + n * share_us;

        if (next_us - now_us > alcf->event_burst * share_us) {
            return 0;
        }

        if (ngx_atomic_cmp_set(&bucket->full_us, full_us,
                               (ngx_atomic_uint_t) next_us))
        {
            return 1;
        }
    }

    return 0;
}


/* The key's own bucket, or the one that has the most left. */

static ngx_http_ads_bucket_t *
ngx_http_ads_rate_bucket(ngx_http_ads_bucket_t *buckets,
    ngx_atomic_uint_t key)
{
    ngx_uint_t              i;
    ngx_http_ads_bucket_t  *set, *oldest;

    set = &buckets[(key >> 1 & (NGX_HTTP_ADS_RATE_SETS - 1))
                   * NGX_HTTP_ADS_RATE_WAYS];
    oldest = set;

    for (i = 0; i < NGX_HTTP_ADS_RATE_WAYS; i++) {

        if (set[i].key == key) {
            return &set[i];
        }

        if (set[i].full_us < oldest->full_us) {
            oldest = &set[i];
        }
    }

    oldest->key = key;
    oldest->full_us = 0;

    return oldest;
}
