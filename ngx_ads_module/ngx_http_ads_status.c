/*
 * Health and metrics: /healthz, /readyz and /metrics, answered by the worker
 * itself, so that they work while adsd and the database are down.  No label
 * names a tenant.
 */


#include "ngx_http_ads_module.h"


/* adsd turns every 200 ms; one that was silent that long is not there */

#define NGX_HTTP_ADS_STATUS_ALIVE_US  ((uint64_t) 5 * 1000000)

/* a line of the exposition format with its help and type */

#define NGX_HTTP_ADS_STATUS_LINE      320

/* all of them: two tables, the reasons and what is computed */

#define NGX_HTTP_ADS_STATUS_LINES                                             \
    (sizeof(ngx_http_ads_status_counters)                                     \
     / sizeof(ngx_http_ads_status_metric_t)                                   \
     + sizeof(ngx_http_ads_status_words)                                      \
       / sizeof(ngx_http_ads_status_metric_t)                                 \
     + ADS_REASON_END + 11)

#define NGX_HTTP_ADS_STATUS_READY     1024


typedef struct {
    ngx_uint_t                 counter;
    const char                *name;
    const char                *help;
} ngx_http_ads_status_metric_t;


static ngx_int_t ngx_http_ads_status_health(ngx_http_request_t *r);
static ngx_int_t ngx_http_ads_status_ready(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_status_metrics(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static u_char *ngx_http_ads_status_parts(u_char *p,
    ngx_http_ads_worker_t *worker);
static u_char *ngx_http_ads_status_live(u_char *p,
    const struct ads_live *live);
static u_char *ngx_http_ads_status_waits(u_char *p,
    const struct ads_live *live);
static u_char *ngx_http_ads_status_counter(u_char *p, const char *name,
    const char *help, uint64_t value);
static u_char *ngx_http_ads_status_quotas(u_char *p,
    const struct ads_live *live);
static u_char *ngx_http_ads_status_gauge(u_char *p, const char *name,
    const char *help, uint64_t value);
static const char *ngx_http_ads_status_bool(ngx_uint_t yes);
static uint64_t ngx_http_ads_status_tables_us(ngx_http_ads_ctx_t *ctx);
static uint64_t ngx_http_ads_status_age_us(uint64_t at_us);
static uint64_t ngx_http_ads_status_wait_us(uint64_t at_us);


static const ngx_str_t  ngx_http_ads_status_json =
    ngx_string("application/json");


static const ngx_http_ads_status_metric_t  ngx_http_ads_status_counters[] = {
    { ADS_COUNT_RECOMMEND, "ads_recommend_total",
      "recommendations answered" },
    { ADS_COUNT_SHOW, "ads_recommend_show_total",
      "recommendations answered with ads" },
    { ADS_COUNT_ADS, "ads_shown_total", "ads in recommendations" },
    { ADS_COUNT_AUCTION_UNTOLD, "ads_auction_untold_total",
      "campaigns of auctions that are in no report" },
    { ADS_COUNT_REFUSED, "ads_refused_total",
      "recommendations and events refused" },
    { ADS_COUNT_CLICK, "ads_click_total", "clicks redirected" },
    { ADS_COUNT_CLICK_UNBILLED, "ads_click_unbilled_total",
      "clicks recorded that are not provisionally valid" },
    { ADS_COUNT_CLICK_FORGED, "ads_click_forged_total",
      "links that are not ours" },
    { ADS_COUNT_CLICK_GONE, "ads_click_gone_total", "links past their time" },
    { ADS_COUNT_CLICK_UNKNOWN, "ads_click_unknown_total",
      "links to ads that the tables do not know" },
    { ADS_COUNT_PREFETCH, "ads_prefetch_total", "prefetches refused" },
    { ADS_COUNT_EVENT, "ads_event_total", "events accepted" },
    { ADS_COUNT_APPENDED, "ads_journal_records_total",
      "journal records written" },
    { ADS_COUNT_APPENDED_BYTES, "ads_journal_bytes_total",
      "journal bytes written" },
    { ADS_COUNT_WRITE, "ads_journal_write_total", "write() calls" },
    { ADS_COUNT_WRITE_SLOW, "ads_journal_write_slow_total",
      "write() calls over 1 ms" },
    { ADS_COUNT_SYNC, "ads_journal_sync_total",
      "syncs that answers waited for" },
    { ADS_COUNT_UNSYNCED, "ads_journal_unsynced_total",
      "answers that waited for a sync the disk refused" },
    { ADS_COUNT_DATAGRAM, "ads_datagram_total", "datagrams handed to adsd" },
    { ADS_COUNT_DATAGRAM_LOST, "ads_datagram_lost_total",
      "datagrams that adsd did not take" },
    { ADS_COUNT_SWAP, "ads_tables_adopted_total", "generations adopted" },
    { ADS_COUNT_SWAP_REFUSED, "ads_tables_refused_total",
      "ad tables refused" },
    { 0, NULL, NULL }
};


static const ngx_http_ads_status_metric_t  ngx_http_ads_status_lost[] = {
    { ADS_COUNT_UNJOURNALED_CLICK, "click", NULL },
    { ADS_COUNT_UNJOURNALED_IMPRESSION, "impression", NULL },
    { ADS_COUNT_UNJOURNALED_DECISION, "decision", NULL },
    { ADS_COUNT_UNJOURNALED_COUNTS, "counts", NULL },
    { 0, NULL, NULL }
};


static const ngx_http_ads_status_metric_t  ngx_http_ads_status_words[] = {
    { ADS_LIVE_COMMITTED, "ads_journal_committed_bytes",
      "journal bytes committed to the database" },
    { ADS_LIVE_DATABASE, "ads_database_up", "adsd reaches the database" },
    { ADS_LIVE_LISTENING, "ads_adsd_listening", "adsd takes datagrams" },
    { ADS_LIVE_CLOCK_MS, "ads_clock_off_ms",
      "between this clock and the database's" },
    { ADS_LIVE_CLAMPED, "ads_journal_clamped_records",
      "journal records of a time that is to come" },
    { ADS_LIVE_SLOTS, "ads_live_slots", "campaigns that live has room for" },
    { ADS_LIVE_SLOTS_USED, "ads_live_slots_used",
      "places in live given to campaigns" },
    { ADS_LIVE_SLOTLESS, "ads_live_slotless_campaigns",
      "campaigns that live had no room for" },
    { ADS_LIVE_CORRUPT, "ads_journal_corrupt_records",
      "journal records found corrupt" },
    { ADS_LIVE_REJECTED, "ads_journal_rejected_records",
      "journal records the database refused" },
    { ADS_LIVE_BLOCKED, "ads_blocked_accounts",
      "advertisers whose clicks wait for a lock on their balance" },
    { ADS_LIVE_DELAY_MS, "ads_ledger_delay_ms",
      "the longest way of a click to the ledger, lately" },
    { ADS_LIVE_BEHIND_S, "ads_database_behind_seconds",
      "that the database is older than the journal, which waits" },
    { 0, NULL, NULL }
};


ngx_int_t
ngx_http_ads_status_handler(ngx_http_request_t *r)
{
    ngx_http_ads_ctx_t       *ctx;
    ngx_http_ads_loc_conf_t  *alcf;

    static const ngx_str_t  allow = ngx_string("GET, HEAD");

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_ads_reply_method(r, &allow);
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    switch (alcf->kind) {

    case NGX_HTTP_ADS_HEALTHZ:
        return ngx_http_ads_status_health(r);

    case NGX_HTTP_ADS_READYZ:
        return ngx_http_ads_status_ready(r, ctx);

    default: /* NGX_HTTP_ADS_METRICS */
        return ngx_http_ads_status_metrics(r, ctx);
    }
}


/* The worker answers: that is all this says. */

static ngx_int_t
ngx_http_ads_status_health(ngx_http_request_t *r)
{
    static const ngx_str_t  body = ngx_string("{\"status\":\"ok\"}\n");

    return ngx_http_ads_reply_send(r, NGX_HTTP_OK, &ngx_http_ads_status_json,
                                   &body);
}


/*
 * 200 when there are ad tables; what else is down is reported, and 200 all the
 * same.
 */

static ngx_int_t
ngx_http_ads_status_ready(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    u_char      *p;
    ngx_str_t    body;
    ngx_uint_t   ready;

    static const ngx_str_t  retry = ngx_string("Retry-After");

    ready = ngx_http_ads_request_snapshot(ctx) != NULL;

    body.data = ngx_pnalloc(r->pool, NGX_HTTP_ADS_STATUS_READY);
    if (body.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    p = ngx_sprintf(body.data,
            "{\"status\":\"%s\","
            "\"tables\":{\"loaded\":%s,\"generation\":%uL,\"age_s\":%uL},",
            ready ? "ready" : "starting",
            ngx_http_ads_status_bool(ready),
            ready ? ctx->snapshot->tables.head.generation : 0,
            ngx_http_ads_status_tables_us(ctx) / 1000000);

    p = ngx_http_ads_status_parts(p, ctx->worker);

    body.len = p - body.data;

    if (!ready && ngx_http_ads_reply_number(r, &retry, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ads_reply_send(r, ready ? NGX_HTTP_OK
                                            : NGX_HTTP_SERVICE_UNAVAILABLE,
                                   &ngx_http_ads_status_json, &body);
}


static u_char *
ngx_http_ads_status_parts(u_char *p, ngx_http_ads_worker_t *worker)
{
    uint64_t                heartbeat_us;
    ngx_uint_t              alive;
    const struct ads_live  *live;
    ngx_http_ads_live_t    *words;

    words = &worker->live;
    live = ngx_http_ads_live_peek(words);

    heartbeat_us = ngx_http_ads_status_age_us(
                       ngx_http_ads_live_word(words, ADS_LIVE_HEARTBEAT));
    alive = (heartbeat_us < NGX_HTTP_ADS_STATUS_ALIVE_US);

    return ngx_sprintf(p,
            "\"live\":{\"mapped\":%s},"
            "\"adsd\":{\"alive\":%s,\"heartbeat_age_ms\":%uL},"
            "\"database\":{\"up\":%s},"
            "\"journal\":{\"pending_bytes\":%uL,\"committed_bytes\":%uL,"
            "\"writable\":%s,\"pressure\":%uL,\"age_s\":%uL},"
            "\"ledger\":{\"delay_ms\":%uL,\"blocked_accounts\":%uL,"
            "\"blocked_age_s\":%uL}}\n",
            ngx_http_ads_status_bool(words->mapped),
            ngx_http_ads_status_bool(alive),
            heartbeat_us / 1000,
            ngx_http_ads_status_bool(alive
                && ngx_http_ads_live_word(words, ADS_LIVE_DATABASE)),
            live != NULL ? ads_live_pending(live) : 0,
            ngx_http_ads_live_word(words, ADS_LIVE_COMMITTED),
            ngx_http_ads_status_bool(!worker->journal.money.failed),
            ngx_http_ads_live_pressure(words),
            live != NULL
                ? ngx_http_ads_status_wait_us(ads_live_oldest_us(live))
                  / 1000000
                : 0,
            ngx_http_ads_live_word(words, ADS_LIVE_DELAY_MS),
            ngx_http_ads_live_word(words, ADS_LIVE_BLOCKED),
            ngx_http_ads_status_wait_us(
                ngx_http_ads_live_word(words, ADS_LIVE_BLOCKED_US))
            / 1000000);
}


static ngx_int_t
ngx_http_ads_status_metrics(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    u_char                   *p;
    ngx_str_t                 body;
    ngx_uint_t                loaded;
    const struct ads_live    *live;

    static const ngx_str_t  type =
        ngx_string("text/plain; version=0.0.4; charset=utf-8");

    body.data = ngx_pnalloc(r->pool, NGX_HTTP_ADS_STATUS_LINES
                                     * NGX_HTTP_ADS_STATUS_LINE);
    if (body.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    p = body.data;
    live = ngx_http_ads_live_peek(&ctx->worker->live);

    if (live != NULL) {
        p = ngx_http_ads_status_live(p, live);
    }

    loaded = ngx_http_ads_request_snapshot(ctx) != NULL;

    p = ngx_http_ads_status_gauge(p, "ads_tables_loaded",
                                  "this worker has ad tables", loaded);
    p = ngx_http_ads_status_gauge(p, "ads_tables_age_seconds",
                                  "since the ad tables were made",
                                  ngx_http_ads_status_tables_us(ctx)
                                  / 1000000);
    p = ngx_http_ads_status_gauge(p, "ads_tables_generation",
                                  "of the ad tables",
                                  loaded
                                  ? ctx->snapshot->tables.head.generation
                                  : 0);

    body.len = p - body.data;

    return ngx_http_ads_reply_send(r, NGX_HTTP_OK, &type, &body);
}


/* What the workers count together, and the words of adsd. */

static u_char *
ngx_http_ads_status_live(u_char *p, const struct ads_live *live)
{
    uint64_t                             age_us;
    ngx_uint_t                           reason;
    const ngx_http_ads_status_metric_t  *m;

    for (m = ngx_http_ads_status_counters; m->name != NULL; m++) {
        p = ngx_http_ads_status_counter(p, m->name, m->help,
                                        ads_live_counter(live, m->counter));
    }

    p = ngx_http_ads_status_counter(p, "ads_journal_sync_refused_total",
                                    "syncs the journal's disk refused",
                                    ads_live_counter(live,
                                                     ADS_COUNT_SYNC_REFUSED)
                                    + ads_live_get(live, ADS_LIVE_REFUSED));

    for (m = ngx_http_ads_status_words; m->name != NULL; m++) {
        p = ngx_http_ads_status_gauge(p, m->name, m->help,
                                      ads_live_get(live, m->counter));
    }

    p = ngx_http_ads_status_waits(p, live);

    p = ngx_sprintf(p, "# HELP ads_no_ad_total recommendations without ads, "
                       "by reason\n"
                       "# TYPE ads_no_ad_total counter\n");

    for (reason = 1; reason < ADS_REASON_END; reason++) {
        p = ngx_sprintf(p, "ads_no_ad_total{reason=\"%s\"} %uL\n",
                        ads_reason_name(reason),
                        ads_live_counter(live, ADS_COUNT_NO_AD + reason));
    }

    p = ngx_sprintf(p, "# HELP ads_journal_unjournaled_total "
                       "records that could not be written, by kind\n"
                       "# TYPE ads_journal_unjournaled_total counter\n");

    for (m = ngx_http_ads_status_lost; m->name != NULL; m++) {
        p = ngx_sprintf(p, "ads_journal_unjournaled_total{kind=\"%s\"} %uL\n",
                        m->name, ads_live_counter(live, m->counter));
    }

    p = ngx_http_ads_status_quotas(p, live);

    age_us = ngx_http_ads_status_age_us(ads_live_get(live,
                                                     ADS_LIVE_SYNCED_US));

    p = ngx_http_ads_status_gauge(p, "ads_journal_synced_age_ms",
                                  "since adsd saw the whole journal on disk",
                                  age_us / 1000);

    age_us = ngx_http_ads_status_age_us(ads_live_get(live,
                                                     ADS_LIVE_HEARTBEAT));

    return ngx_http_ads_status_gauge(p, "ads_adsd_heartbeat_age_ms",
                                     "since the last cycle of adsd",
                                     age_us / 1000);
}


/* What waits, as the workers know it: right with adsd dead or hanging, too. */

static u_char *
ngx_http_ads_status_waits(u_char *p, const struct ads_live *live)
{
    p = ngx_http_ads_status_gauge(p, "ads_journal_pending_bytes",
                                  "journal bytes not committed yet",
                                  ads_live_pending(live));
    p = ngx_http_ads_status_gauge(p, "ads_pressure",
                                  "0, 1: counters are shed, 2: nothing is "
                                  "sold, 3: nothing journalled",
                                  ads_live_pressure(live));
    p = ngx_http_ads_status_gauge(p, "ads_ingest_age_seconds",
                                  "age of the oldest record that is not "
                                  "committed",
                                  ngx_http_ads_status_wait_us(
                                      ads_live_oldest_us(live))
                                  / 1000000);

    return ngx_http_ads_status_gauge(p, "ads_blocked_age_seconds",
                                     "age of the oldest click that waits for "
                                     "a lock",
                                     ngx_http_ads_status_wait_us(
                                         ads_live_get(live,
                                                      ADS_LIVE_BLOCKED_US))
                                     / 1000000);
}


static u_char *
ngx_http_ads_status_counter(u_char *p, const char *name, const char *help,
    uint64_t value)
{
    return ngx_sprintf(p, "# HELP %s %s\n# TYPE %s counter\n%s %uL\n",
                       name, help, name, name, value);
}


/* Two words of adsd for each quota of accounts. */

static u_char *
ngx_http_ads_status_quotas(u_char *p, const struct ads_live *live)
{
    ngx_uint_t  quota;

    p = ngx_sprintf(p, "# HELP ads_quota_use_percent "
                       "of the account that used most of it, by quota\n"
                       "# TYPE ads_quota_use_percent gauge\n");

    for (quota = 0; quota < ADS_QUOTAS; quota++) {
        p = ngx_sprintf(p, "ads_quota_use_percent{quota=\"%s\"} %uL\n",
                        ads_quota_name(quota),
                        ads_live_get(live, ADS_LIVE_QUOTA_USE + quota));
    }

    p = ngx_sprintf(p, "# HELP ads_quota_refused_total "
                       "requests beyond a quota, by quota\n"
                       "# TYPE ads_quota_refused_total counter\n");

    for (quota = 0; quota < ADS_QUOTAS; quota++) {
        p = ngx_sprintf(p, "ads_quota_refused_total{quota=\"%s\"} %uL\n",
                        ads_quota_name(quota),
                        ads_live_get(live, ADS_LIVE_QUOTA_REFUSED + quota));
    }

    return p;
}


static u_char *
ngx_http_ads_status_gauge(u_char *p, const char *name, const char *help,
    uint64_t value)
{
    return ngx_sprintf(p, "# HELP %s %s\n# TYPE %s gauge\n%s %uL\n",
                       name, help, name, name, value);
}


static const char *
ngx_http_ads_status_bool(ngx_uint_t yes)
{
    return yes ? "true" : "false";
}


static uint64_t
ngx_http_ads_status_tables_us(ngx_http_ads_ctx_t *ctx)
{
    if (ctx->snapshot == NULL) {
        return 0;
    }

    return ngx_http_ads_status_age_us(ctx->snapshot->tables.head.made_us);
}


/* Since that time; the greatest age for a time that was never set. */

static uint64_t
ngx_http_ads_status_age_us(uint64_t at_us)
{
    uint64_t  now_us;

    now_us = ngx_http_ads_process_now_ms() * 1000;

    if (at_us == 0) {
        return now_us;
    }

    return now_us > at_us ? now_us - at_us : 0;
}


/* Since that time; 0 where there is none. */

static uint64_t
ngx_http_ads_status_wait_us(uint64_t at_us)
{
    return at_us != 0 ? ngx_http_ads_status_age_us(at_us) : 0;
}
