/*
 * Recommendations: reads the request, has core decide, and answers, in JSON to
 * POST /v1/ads/recommend and in HTML to ads_fragment.
 *
 *     key --> body --> ask --> ads_decide() --> SHOW:  journal, then answer
 *                                           \-> NO_AD: count, answer
 *
 * Nothing here decides which ad wins.  A SHOW answer is made at once and held
 * until its record is in the file; where that fails the answer is NO_AD,
 * because an ad that is not recorded could not be billed or reported.
 */


#include "ngx_http_ads_module.h"


typedef struct {
    ngx_http_ads_ctx_t        *ctx;
    ngx_str_t                  answer;
    ngx_uint_t                 n_caps;
    struct ads_cap             caps[ADS_DECIDE_MAX];
    ngx_http_ads_winners_t     winners;
    u_char                     written;
} ngx_http_ads_recommend_t;


static ngx_int_t ngx_http_ads_recommend_process(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_str_t *text);
static void ngx_http_ads_recommend_ask(ngx_http_ads_ctx_t *ctx,
    struct ads_recommend_body *body, struct ads_ask *ask);
static struct ads_notes *ngx_http_ads_recommend_notes(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static void ngx_http_ads_recommend_explain(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, struct ads_ask *ask,
    struct ads_decision *decision);
static void ngx_http_ads_recommend_decide(ngx_http_ads_ctx_t *ctx,
    struct ads_ask *ask, struct ads_decision *decision);
static void ngx_http_ads_recommend_purge(ngx_http_ads_ctx_t *ctx,
    struct ads_decision *decision);
static ngx_int_t ngx_http_ads_recommend_show(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, struct ads_recommend_body *body,
    struct ads_ask *ask, struct ads_decision *decision);
static void ngx_http_ads_recommend_record(ngx_http_ads_ctx_t *ctx,
    struct ads_show *show, struct ads_ask *ask,
    struct ads_decision *decision);
static void ngx_http_ads_recommend_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable);
static ngx_int_t ngx_http_ads_recommend_no_ad(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, enum ads_reason reason);


static const ngx_http_ads_post_t  ngx_http_ads_recommend_post = {
    NGX_HTTP_ADS_RECOMMEND_BODY_MAX, ngx_http_ads_recommend_process
};


static const ngx_http_ads_form_t  ngx_http_ads_recommend_json = {
    ngx_http_ads_answer_show,
    ngx_http_ads_answer_no_ad,
    ngx_http_ads_reply_json,
    1
};


ngx_int_t
ngx_http_ads_recommend_handler(ngx_http_request_t *r)
{
    return ngx_http_ads_post_begin(r, &ngx_http_ads_recommend_post);
}


/* NGX_DONE: the answer waits for the journal. */

static ngx_int_t
ngx_http_ads_recommend_process(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_str_t *text)
{
    struct ads_body_errors     errors;
    struct ads_recommend_body  body;

    if (ads_body_recommend_read(&body, &errors, (char *) text->data, text->len)
        != ADS_OK)
    {
        return ngx_http_ads_post_refuse(r, ctx, &errors);
    }

    ctx->form = &ngx_http_ads_recommend_json;

    return ngx_http_ads_recommend_serve(r, ctx, &body);
}


/*
 * Decides for a publisher whose key was checked, and answers in ctx->form.
 * NGX_DONE: the answer waits for the journal, which finalizes the request.
 */

ngx_int_t
ngx_http_ads_recommend_serve(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    struct ads_recommend_body *body)
{
    struct ads_ask       ask;
    struct ads_decision  decision;

    ngx_http_ads_recommend_ask(ctx, body, &ask);

    if (ctx->snapshot == NULL) {
        return ngx_http_ads_recommend_no_ad(r, ctx,
                                            ADS_REASON_SNAPSHOT_MISSING);
    }

    if (ngx_http_ads_live_pressure(&ctx->worker->live) >= 2) {
        return ngx_http_ads_recommend_no_ad(r, ctx, ADS_REASON_OVERLOADED);
    }

    ask.notes = ngx_http_ads_recommend_notes(r, ctx);

    ngx_http_ads_recommend_decide(ctx, &ask, &decision);

    ngx_log_debug6(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads recommend: %ui ads, reason \"%s\", %uD terms, "
                   "%uD candidates, %uD below, %ui us",
                   (ngx_uint_t) decision.n, ads_reason_name(decision.reason),
                   decision.trace.n_terms, decision.trace.n_candidates,
                   decision.trace.n_below, ctx->match_us);

    if (ask.notes != NULL) {
        ngx_http_ads_recommend_explain(r, ctx, &ask, &decision);
    }

    if (decision.reason != ADS_REASON_NONE) {
        return ngx_http_ads_recommend_no_ad(r, ctx, decision.reason);
    }

    return ngx_http_ads_recommend_show(r, ctx, body, &ask, &decision);
}


/* What the request asks for, and its id. */

static void
ngx_http_ads_recommend_ask(ngx_http_ads_ctx_t *ctx,
    struct ads_recommend_body *body, struct ads_ask *ask)
{
    uint64_t                    random, now_ms;
    const struct ads_ring_key  *key;

    now_ms = ngx_http_ads_process_now_ms();
    key = ads_ring_seal(ctx->conf->ring);

    ngx_http_ads_process_random(&ctx->worker->random, &random, sizeof(random));

    ctx->id = ads_request_id_make(key, &ctx->publisher, now_ms, random);
    ctx->placement = ads_placement_make(body->placement);

    ngx_memzero(ask, sizeof(struct ads_ask));

    ask->query = body->query;
    ngx_memcpy(ask->currency, body->currency, sizeof(ask->currency));

    if (body->location.len > 0
        && !ads_place_guess(&ask->place, body->location))
    {
        body->warnings |= ADS_WARNING_BIT(LOCATION);
    }

    ctx->warnings = body->warnings;
    ngx_memcpy(ctx->country, ask->place.country, sizeof(ctx->country));

    ask->placement = ctx->placement;
    ask->max = body->max_results;
    ask->floor_micros = body->floor_micros;
    ask->test = ctx->test;
    ask->hash = ads_ring_hash(key->hash, &ctx->id, sizeof(ctx->id));
    ask->now_ms = now_ms;
    ask->publisher = ctx->publisher;
    ask->language = body->language;
    ask->session = ngx_http_ads_request_session(ctx, body->session_id);
    ask->keywords = body->keywords.items;
    ask->n_keywords = body->keywords.n;
    ask->not_ads = body->not_ads.items;
    ask->n_not_ads = body->not_ads.n;
    ask->not_advertisers = body->not_advertisers.items;
    ask->n_not_advertisers = body->not_advertisers.n;
    ask->not_categories = body->not_categories.items;
    ask->n_not_categories = body->not_categories.n;
}


/*
 * Room for what explain tells; NULL unless the form has a place for it,
 * ads_explain is on, the key has that right and "Ads-Explain: 1" asks for it.
 */

static struct ads_notes *
ngx_http_ads_recommend_notes(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_str_t                *value;
    ngx_uint_t                n;
    ngx_http_ads_loc_conf_t  *alcf;

    static const ngx_str_t  name = ngx_string("ads-explain");

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (!ctx->form->explains || !alcf->explain || ctx->key == NULL
        || !ctx->key->explain)
    {
        return NULL;
    }

    value = ngx_http_ads_request_header(r, &name, &n);

    if (n != 1 || value->len != 1 || value->data[0] != '1') {
        return NULL;
    }

    return ngx_pcalloc(r->pool, sizeof(struct ads_notes));
}


/* Out of memory there is an answer without it. */

static void
ngx_http_ads_recommend_explain(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    struct ads_ask *ask, struct ads_decision *decision)
{
    ctx->explain.data = ngx_pnalloc(r->pool, ADS_EXPLAIN_LEN_MAX);

    if (ctx->explain.data != NULL) {
        ctx->explain.len = ads_explain_write((char *) ctx->explain.data,
                                             &ctx->snapshot->tables, decision,
                                             ask->notes, ctx->match_us,
                                             ctx->key->type
                                             == ADS_KEY_PLATFORM);
    }
}


static void
ngx_http_ads_recommend_decide(ngx_http_ads_ctx_t *ctx, struct ads_ask *ask,
    struct ads_decision *decision)
{
    uint64_t  begin_ns;

    if (!ctx->test) {
        ask->auctions = &ctx->worker->auctions.asked;
    }

    begin_ns = ngx_http_ads_process_clock_ns(CLOCK_MONOTONIC);

    ads_decide(decision, &ctx->snapshot->tables,
               ngx_http_ads_live_peek(&ctx->worker->live), ask,
               &ctx->worker->text, ctx->worker->snapshots.scratch);

    ctx->match_us = (ngx_http_ads_process_clock_ns(CLOCK_MONOTONIC) - begin_ns)
                    / 1000;

    if (ask->auctions != NULL) {
        ngx_http_ads_tally_auctions(&ctx->worker->tally, ctx);
    }

    if (decision->reason == ADS_REASON_NONE) {
        ngx_http_ads_recommend_purge(ctx, decision);
    }
}


/*
 * Damaged tables can yield an ad whose texts cannot be had: such an ad is
 * left out, since every ad has a title, an advertiser and a target.
 */

static void
ngx_http_ads_recommend_purge(ngx_http_ads_ctx_t *ctx,
    struct ads_decision *decision)
{
    ngx_uint_t          i, n;
    struct ads_pick    *pick;
    struct ads_tables  *tables;

    tables = &ctx->snapshot->tables;
    n = 0;

    for (i = 0; i < decision->n; i++) {
        pick = &decision->picks[i];

        if (ads_base_json(pick->from, pick->ad).len == 0
            || ads_base_url(pick->from, pick->ad).len == 0
            || ads_head_account_name(&tables->head, pick->account).len == 0)
        {
            continue;
        }

        if (n != i) {
            decision->picks[n] = *pick;
            decision->words_len[n] = decision->words_len[i];
            ngx_memcpy(decision->words[n], decision->words[i],
                       sizeof(decision->words[n]));
        }

        n++;
    }

    decision->n = n;

    if (n == 0) {
        decision->reason = ADS_REASON_NO_MATCH;
    }
}


static ngx_int_t
ngx_http_ads_recommend_show(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    struct ads_recommend_body *body, struct ads_ask *ask,
    struct ads_decision *decision)
{
    ngx_uint_t                 i;
    struct ads_event           event;
    ngx_http_ads_wait_t       *wait;
    ngx_http_ads_recommend_t  *recommend;

    recommend = ngx_palloc(r->pool, sizeof(ngx_http_ads_recommend_t));
    if (recommend == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    recommend->ctx = ctx;
    recommend->winners.n = 0;

    if (ask->auctions != NULL) {
        ngx_http_ads_auctions_winners(&ctx->worker->auctions,
                                      &ctx->snapshot->tables.head,
                                      &recommend->winners);
    }

    event.type = ADS_EVENT_DECISION;
    event.flags = ctx->test ? ADS_EVENT_TEST : 0;

    ngx_http_ads_recommend_record(ctx, &event.show, ask, decision);

    event.show.session_hash = ask->session;

    recommend->n_caps = 0;

    for (i = 0; i < decision->n; i++) {

        if (decision->picks[i].cap.window_s > 0) {
            recommend->caps[recommend->n_caps++] = decision->picks[i].cap;
        }

        if (!ctx->test) {
            ngx_http_ads_live_serve(&ctx->worker->live, &decision->picks[i]);
        }
    }

    if (ctx->form->show(r, ctx, &recommend->answer, body->language,
                        &event.show, decision)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    wait = ngx_http_ads_journal_begin(r, &ctx->worker->journal,
                                      ngx_http_ads_recommend_written,
                                      recommend);
    if (wait == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ads_journal_append(wait, &event, &recommend->written);
    ngx_http_ads_journal_end(wait);

    return NGX_DONE;
}


static void
ngx_http_ads_recommend_record(ngx_http_ads_ctx_t *ctx, struct ads_show *show,
    struct ads_ask *ask, struct ads_decision *decision)
{
    ngx_uint_t  i;

    show->request_id = ctx->id;
    show->publisher = ctx->publisher;
    show->session_hash = 0;
    ngx_memcpy(show->country, ask->place.country, sizeof(show->country));
    show->placement = ctx->placement;
    show->n = decision->n;

    for (i = 0; i < decision->n; i++) {
        show->shown[i].ad_id = decision->picks[i].ad->id;
        show->shown[i].price_micros = decision->picks[i].price_micros;
        show->shown[i].campaign_version =
                                        decision->picks[i].campaign->version;
    }

    ctx->n_ads = decision->n;
}


static void
ngx_http_ads_recommend_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable)
{
    ngx_http_ads_recommend_t *recommend = data;

    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_http_ads_ctx_t     *ctx;
    ngx_http_ads_worker_t  *worker;

    ctx = recommend->ctx;
    worker = ctx->worker;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads recommend: record written:%ui durable:%ui",
                   (ngx_uint_t) recommend->written, durable);

    if (!recommend->written || !durable) {
        ctx->n_ads = 0;
        ctx->explain.len = 0;
        ngx_http_ads_tally_winners(&worker->tally, &recommend->winners,
                                   ADS_REASON_OVERLOADED);
        rc = ngx_http_ads_recommend_no_ad(r, ctx, ADS_REASON_OVERLOADED);

    } else {
        ctx->decided = 1;
        ctx->reason = ADS_REASON_NONE;

        ngx_http_ads_live_count(&worker->live, ADS_COUNT_RECOMMEND, 1);
        ngx_http_ads_live_count(&worker->live, ADS_COUNT_SHOW, 1);
        ngx_http_ads_live_count(&worker->live, ADS_COUNT_ADS, ctx->n_ads);

        ngx_http_ads_tally_winners(&worker->tally, &recommend->winners,
                                   ADS_OUTCOME_WON);

        for (i = 0; i < recommend->n_caps; i++) {
            ngx_http_ads_live_show(&worker->live, &recommend->caps[i]);
        }

        rc = ctx->form->send(r, ctx, NGX_HTTP_OK, &recommend->answer);
    }

    ngx_http_finalize_request(r, rc);
}


static ngx_int_t
ngx_http_ads_recommend_no_ad(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    enum ads_reason reason)
{
    ngx_str_t               answer;
    ngx_http_ads_worker_t  *worker;

    if (ctx->form->no_ad(r, ctx, &answer, reason) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    worker = ctx->worker;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ads recommend: no ad, reason \"%s\"",
                   ads_reason_name(reason));

    ctx->decided = 1;
    ctx->reason = reason;

    ngx_http_ads_live_count(&worker->live, ADS_COUNT_RECOMMEND, 1);
    ngx_http_ads_live_count(&worker->live, ADS_COUNT_NO_AD + reason, 1);

    if (ctx->has_publisher && !ctx->test) {
        ngx_http_ads_tally_add(&worker->tally, ctx, reason);
    }

    return ctx->form->send(r, ctx, NGX_HTTP_OK, &answer);
}
