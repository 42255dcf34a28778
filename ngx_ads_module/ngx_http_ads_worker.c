/*
 * What one worker process has: its maps, its journal, its random bytes and
 * the timer that looks after them.
 *
 * All of it is made after fork, since two workers that shared random bytes
 * would share nonces.  Every timer is cancelable, else a worker that shuts
 * down would wait for it for ever.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_WATCH_MS  1000


static void ngx_http_ads_worker_watch(ngx_event_t *ev);


/*
 * Makes the worker of this configuration.  NULL, logged, when memory lacks.
 * It ends in exit_process.
 */

ngx_http_ads_worker_t *
ngx_http_ads_worker_begin(ngx_http_ads_main_conf_t *amcf, ngx_cycle_t *cycle)
{
    u_char                  seed[16];
    ngx_http_ads_worker_t  *worker;

    worker = ngx_pcalloc(cycle->pool, sizeof(ngx_http_ads_worker_t));
    if (worker == NULL) {
        return NULL;
    }

    worker->conf = amcf;
    worker->log = cycle->log;
    worker->connection.fd = (ngx_socket_t) -1;
    worker->connection.data = worker;
    worker->live.fd = NGX_INVALID_FILE;

    randombytes_buf(worker->random.bytes, sizeof(worker->random.bytes));

    ngx_http_ads_worker_random(worker, seed, sizeof(seed));
    ads_sealer_init(&worker->sealer, ads_ring_seal(amcf->ring), seed);

    ngx_http_ads_worker_random(worker, worker->known_keys.secret,
                               sizeof(worker->known_keys.secret));

    worker->text.stemmer = sb_stemmer_new("english", NULL);
    if (worker->text.stemmer == NULL) {
        ngx_log_error(NGX_LOG_ERR, worker->log, 0,
                      "ads: no memory for the stemmer");
        return NULL;
    }

    if (ngx_http_ads_journal_init(worker, cycle->pool) != NGX_OK
        || ngx_http_ads_sync_init(worker, cycle->pool) != NGX_OK)
    {
        sb_stemmer_delete(worker->text.stemmer);
        return NULL;
    }

    ngx_http_ads_tally_init(worker);

    ngx_http_ads_worker_event_init(worker, &worker->watch,
                                   ngx_http_ads_worker_watch);
    ngx_http_ads_live_watch(worker);
    ngx_http_ads_snapshot_watch(worker);

    ngx_add_timer(&worker->watch, NGX_HTTP_ADS_WATCH_MS);

    amcf->worker = worker;

    return worker;
}


/* Writes out what is gathered and lets go of everything. */

void
ngx_http_ads_worker_end(ngx_http_ads_worker_t *worker)
{
    if (worker->watch.timer_set) {
        ngx_del_timer(&worker->watch);
    }

    ngx_http_ads_tally_flush(worker);
    ngx_http_ads_journal_close(worker);
    ngx_http_ads_sync_close(worker);
    ngx_http_ads_snapshot_close(worker);
    ngx_http_ads_live_close(worker);

    sb_stemmer_delete(worker->text.stemmer);
    worker->text.stemmer = NULL;

    sodium_memzero(&worker->sealer, sizeof(struct ads_sealer));
    sodium_memzero(&worker->subkeys, sizeof(struct ads_subkeys));
    sodium_memzero(&worker->known_keys, sizeof(struct ads_known_keys));
    sodium_memzero(&worker->random, sizeof(ngx_http_ads_random_t));
}


/* Events need something with an fd to point at: debug logs print it. */

void
ngx_http_ads_worker_event_init(ngx_http_ads_worker_t *worker, ngx_event_t *ev,
    ngx_event_handler_pt handler)
{
    ev->handler = handler;
    ev->data = &worker->connection;
    ev->log = worker->log;
    ev->cancelable = 1;
}


ngx_http_ads_worker_t *
ngx_http_ads_worker_of(ngx_event_t *ev)
{
    ngx_connection_t  *c;

    c = ev->data;

    return c->data;
}


/*
 * Random bytes without a system call: a ChaCha20 stream, of which each
 * buffer's first bytes are the next one's key and are never given out.
 */

void
ngx_http_ads_worker_random(ngx_http_ads_worker_t *worker, void *dst,
    size_t len)
{
    u_char                  seed[randombytes_SEEDBYTES];
    ngx_http_ads_random_t  *random;

    random = &worker->random;

    if (random->used < sizeof(seed)
        || sizeof(random->bytes) - random->used < len)
    {
        ngx_memcpy(seed, random->bytes, sizeof(seed));
        randombytes_buf_deterministic(random->bytes, sizeof(random->bytes),
                                      seed);
        sodium_memzero(seed, sizeof(seed));
        random->used = sizeof(seed);
    }

    ngx_memcpy(dst, random->bytes + random->used, len);
    sodium_memzero(random->bytes + random->used, len);
    random->used += len;
}


static void
ngx_http_ads_worker_watch(ngx_event_t *ev)
{
    ngx_http_ads_worker_t  *worker;

    if (ngx_exiting || ngx_terminate) {
        return;
    }

    worker = ngx_http_ads_worker_of(ev);

    ngx_http_ads_live_watch(worker);
    ngx_http_ads_snapshot_watch(worker);
    ngx_http_ads_segment_watch(worker, &worker->journal.money);
    ngx_http_ads_segment_watch(worker, &worker->journal.counts);

    ngx_add_timer(ev, NGX_HTTP_ADS_WATCH_MS);
}
