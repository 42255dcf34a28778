/*
 * State of one worker process: its maps, its journal, its random bytes and its
 * timer.
 *
 * All of it is made after fork, since two workers that shared random bytes
 * would share nonces.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_WATCH_MS  1000


static void ngx_http_ads_worker_connect(ngx_http_ads_worker_t *worker);
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

    ngx_http_ads_worker_connect(worker);

    randombytes_buf(worker->random.bytes, sizeof(worker->random.bytes));

    ngx_http_ads_process_random(&worker->random, seed, sizeof(seed));
    ads_sealer_init(&worker->sealer, ads_ring_seal(amcf->ring), seed);

    ngx_http_ads_process_random(&worker->random, worker->known_keys.secret,
                                sizeof(worker->known_keys.secret));

    worker->text.stemmer = sb_stemmer_new("english", NULL);
    if (worker->text.stemmer == NULL) {
        ngx_log_error(NGX_LOG_ERR, worker->log, 0,
                      "ads: no memory for the stemmer");
        return NULL;
    }

    if (ngx_http_ads_journal_init(&worker->journal, cycle->pool) != NGX_OK
        || ngx_http_ads_sync_init(&worker->sync, cycle->pool) != NGX_OK)
    {
        sb_stemmer_delete(worker->text.stemmer);
        return NULL;
    }

    ngx_http_ads_tally_init(&worker->tally, worker->log);

    ngx_http_ads_process_event(&worker->watch, &worker->ident, worker,
                               ngx_http_ads_worker_watch, worker->log);
    ngx_http_ads_live_watch(&worker->live);
    ngx_http_ads_snapshot_watch(&worker->snapshots);

    ngx_add_timer(&worker->watch, NGX_HTTP_ADS_WATCH_MS);

    amcf->worker = worker;

    return worker;
}


/* Hands each part what it borrows of the others. */

static void
ngx_http_ads_worker_connect(ngx_http_ads_worker_t *worker)
{
    worker->live.conf = worker->conf;
    worker->live.log = worker->log;
    worker->live.fd = NGX_INVALID_FILE;

    worker->snapshots.conf = worker->conf;
    worker->snapshots.live = &worker->live;
    worker->snapshots.log = worker->log;

    worker->journal.conf = worker->conf;
    worker->journal.live = &worker->live;
    worker->journal.random = &worker->random;
    worker->journal.sync = &worker->sync;
    worker->journal.log = worker->log;

    worker->sync.conf = worker->conf;
    worker->sync.live = &worker->live;
    worker->sync.journal = &worker->journal;
    worker->sync.log = worker->log;

    worker->auctions.live = &worker->live;
    worker->auctions.journal = &worker->journal;

    worker->tally.journal = &worker->journal;
    worker->tally.auctions = &worker->auctions;
}


/* Writes out what is gathered and lets go of everything. */

void
ngx_http_ads_worker_end(ngx_http_ads_worker_t *worker)
{
    if (worker->watch.timer_set) {
        ngx_del_timer(&worker->watch);
    }

    ngx_http_ads_tally_flush(&worker->tally);
    ngx_http_ads_journal_close(&worker->journal);
    ngx_http_ads_sync_close(&worker->sync);
    ngx_http_ads_snapshot_close(&worker->snapshots);
    ngx_http_ads_live_close(&worker->live);

    sb_stemmer_delete(worker->text.stemmer);
    worker->text.stemmer = NULL;

    sodium_memzero(&worker->sealer, sizeof(struct ads_sealer));
    sodium_memzero(&worker->subkeys, sizeof(struct ads_subkeys));
    sodium_memzero(&worker->known_keys, sizeof(struct ads_known_keys));
    sodium_memzero(&worker->random, sizeof(ngx_http_ads_random_t));
}


static void
ngx_http_ads_worker_watch(ngx_event_t *ev)
{
    ngx_http_ads_worker_t  *worker;

    if (ngx_exiting || ngx_terminate) {
        return;
    }

    worker = ngx_http_ads_process_part(ev);

    ngx_http_ads_live_watch(&worker->live);
    ngx_http_ads_snapshot_watch(&worker->snapshots);
    ngx_http_ads_segment_watch(&worker->journal, &worker->journal.money);
    ngx_http_ads_segment_watch(&worker->journal, &worker->journal.counts);

    ngx_add_timer(ev, NGX_HTTP_ADS_WATCH_MS);
}
