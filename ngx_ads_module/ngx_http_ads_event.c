/*
 * POST /v1/events/impression and /v1/events/click: what a publisher saw, one
 * or up to a hundred in a batch.
 *
 * The request_id carries a MAC, so no look-up is needed: a forged one or
 * another publisher's is 404.  202 is answered only when the record is in the
 * file; whether it is billed is decided in PostgreSQL.
 */


#include "ngx_http_ads_click.h"


typedef struct {
    struct ads_event_item      said;
    enum ads_problem           problem;      /* ADS_PROBLEM_END: none */
    struct ads_uuid            event_id;
    struct ads_uuid            click_id;
    u_char                     written;
} ngx_http_ads_event_item_t;


typedef struct {
    ngx_http_ads_ctx_t        *ctx;
    ngx_uint_t                 kind;
    ngx_uint_t                 n;
    ngx_http_ads_event_item_t *items;
    unsigned                   batch:1;
} ngx_http_ads_events_t;


/* a literal, copied with the length that the compiler knows */

#define ngx_http_ads_event_put(p, text)                                       \
    ngx_cpymem(p, text, sizeof(text) - 1)

/* the longest result of an item, constant texts of core included */

#define NGX_HTTP_ADS_EVENT_RESULT_LEN  512


static ngx_int_t ngx_http_ads_event_process(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_str_t *text);
static ngx_http_ads_events_t *ngx_http_ads_event_keep(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, struct ads_event_body *body);
static ngx_int_t ngx_http_ads_event_append(ngx_http_request_t *r,
    ngx_http_ads_events_t *events);
static enum ads_problem ngx_http_ads_event_check(
    ngx_http_ads_events_t *events, ngx_http_ads_event_item_t *item,
    struct ads_event *event);
static void ngx_http_ads_event_impression(ngx_http_ads_events_t *events,
    ngx_http_ads_event_item_t *item, const struct ads_ring_key *key,
    struct ads_event *event);
static void ngx_http_ads_event_click(ngx_http_ads_events_t *events,
    ngx_http_ads_event_item_t *item, const struct ads_ring_key *key,
    struct ads_event *event);
static void ngx_http_ads_event_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable);
static ngx_int_t ngx_http_ads_event_answer(ngx_http_request_t *r,
    ngx_http_ads_events_t *events);
static ngx_int_t ngx_http_ads_event_answer_batch(ngx_http_request_t *r,
    ngx_http_ads_events_t *events);
static u_char *ngx_http_ads_event_result(u_char *p, ngx_uint_t kind,
    ngx_http_ads_event_item_t *item);
static u_char *ngx_http_ads_event_rejected(u_char *p,
    ngx_http_ads_event_item_t *item);
static u_char *ngx_http_ads_event_text(u_char *p, const char *text);


static const ngx_http_ads_post_t  ngx_http_ads_event_post = {
    NGX_HTTP_ADS_EVENT_BODY_MAX, ngx_http_ads_event_process
};


ngx_int_t
ngx_http_ads_event_handler(ngx_http_request_t *r)
{
    return ngx_http_ads_post_begin(r, &ngx_http_ads_event_post);
}


/* NGX_DONE: the answer waits for the journal. */

static ngx_int_t
ngx_http_ads_event_process(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_str_t *text)
{
    struct ads_event_body   body;
    ngx_http_ads_events_t  *events;
    struct ads_body_errors  errors;

    /* without tables no key is known */

    if (!ctx->has_publisher) {
        return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_UNAVAILABLE,
                                          NULL, NULL);
    }

    if (ads_body_event_read(&body, &errors, (char *) text->data, text->len,
                            ngx_http_ads_process_now_ms())
        != ADS_OK)
    {
        return ngx_http_ads_post_refuse(r, ctx, &errors);
    }

    if (!ngx_http_ads_rate_take(r, ctx, body.n)) {
        return ngx_http_ads_reply_refusal(r, ctx, ADS_PROBLEM_RATE_LIMITED,
                                          NULL, NULL);
    }

    events = ngx_http_ads_event_keep(r, ctx, &body);
    if (events == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_ads_event_append(r, events);
}


/* As much memory as there are events: one is the rule, a hundred may be. */

static ngx_http_ads_events_t *
ngx_http_ads_event_keep(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    struct ads_event_body *body)
{
    ngx_uint_t                i;
    ngx_http_ads_events_t    *events;
    ngx_http_ads_loc_conf_t  *alcf;

    events = ngx_palloc(r->pool, sizeof(ngx_http_ads_events_t));
    if (events == NULL) {
        return NULL;
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    events->ctx = ctx;
    events->kind = alcf->kind;
    events->n = body->n;
    events->batch = body->batch;

    events->items = ngx_palloc(r->pool, body->n
                                        * sizeof(ngx_http_ads_event_item_t));
    if (events->items == NULL) {
        return NULL;
    }

    for (i = 0; i < body->n; i++) {
        events->items[i].said = body->items[i];
    }

    return events;
}


static ngx_int_t
ngx_http_ads_event_append(ngx_http_request_t *r, ngx_http_ads_events_t *events)
{
    ngx_uint_t                  i, n;
    struct ads_event            event;
    ngx_http_ads_wait_t        *wait;
    ngx_http_ads_event_item_t  *item;

    n = 0;
    wait = NULL;

    for (i = 0; i < events->n; i++) {

        item = &events->items[i];

        item->written = 0;
        item->problem = ngx_http_ads_event_check(events, item, &event);

        if (item->problem != ADS_PROBLEM_END) {
            continue;
        }

        if (n++ == 0) {
            wait = ngx_http_ads_journal_begin(r, &events->ctx->worker->journal,
                                              ngx_http_ads_event_written,
                                              events);
            if (wait == NULL) {
                return NGX_HTTP_INTERNAL_SERVER_ERROR;
            }
        }

        ngx_http_ads_journal_append(wait, &event, &item->written);
    }

    if (n == 0) {
        return ngx_http_ads_event_answer(r, events);
    }

    ngx_http_ads_journal_end(wait);

    return NGX_DONE;
}


/* Validates an item and makes its record; ADS_PROBLEM_END: it is good. */

static enum ads_problem
ngx_http_ads_event_check(ngx_http_ads_events_t *events,
    ngx_http_ads_event_item_t *item, struct ads_event *event)
{
    uint64_t                    now_ms, age_ms;
    ngx_http_ads_ctx_t         *ctx;
    const struct ads_ring_key  *key;

    ctx = events->ctx;

    if (!item->said.ok) {
        return ADS_PROBLEM_INVALID_FIELDS;
    }

    key = ads_request_id_check(ctx->conf->ring, &item->said.request_id,
                               &ctx->publisher);
    if (key == NULL) {
        return ADS_PROBLEM_REQUEST_NOT_FOUND;
    }

    now_ms = ngx_http_ads_process_now_ms();
    age_ms = ads_id_ms(&item->said.request_id);
    age_ms = now_ms > age_ms ? now_ms - age_ms : 0;

    event->flags = ctx->test ? ADS_EVENT_TEST : 0;

    if (events->kind == NGX_HTTP_ADS_IMPRESSION) {

        if (age_ms > NGX_HTTP_ADS_DAY_MS) {
            return ADS_PROBLEM_TOO_LATE;
        }

        ngx_http_ads_event_impression(events, item, key, event);

    } else {

        if (age_ms > NGX_HTTP_ADS_LINK_MS) {
            return ADS_PROBLEM_TOO_LATE;
        }

        ngx_http_ads_event_click(events, item, key, event);

        if (!ctx->test && age_ms > NGX_HTTP_ADS_BILLABLE_MS) {
            event->click.class = ADS_CLICK_LATE;

        } else if (!ctx->test
                   && ngx_http_ads_click_is_paused(ctx, &item->said.ad_id))
        {
            event->click.class = ADS_CLICK_PAUSED;
        }
    }

    return ADS_PROBLEM_END;
}


static void
ngx_http_ads_event_impression(ngx_http_ads_events_t *events,
    ngx_http_ads_event_item_t *item, const struct ads_ring_key *key,
    struct ads_event *event)
{
    struct ads_event_item  *said;

    said = &item->said;

    item->event_id = ads_event_id_make(key, 'i', &said->request_id,
                                       &said->ad_id);

    event->type = ADS_EVENT_IMPRESSION;

    event->impression.request_id = said->request_id;
    event->impression.ad_id = said->ad_id;
    event->impression.publisher = events->ctx->publisher;
    event->impression.session_hash =
                  ngx_http_ads_request_session(events->ctx, said->session_id);
    event->impression.occurred_ms = said->occurred_ms == ADS_BODY_TIME_NONE
                                    ? 0 : said->occurred_ms;
}


/* Price, place and campaign are not said: the stored SHOW decision has them. */

static void
ngx_http_ads_event_click(ngx_http_ads_events_t *events,
    ngx_http_ads_event_item_t *item, const struct ads_ring_key *key,
    struct ads_event *event)
{
    struct ads_event_item  *said;

    said = &item->said;

    item->event_id = ads_event_id_make(key, 'c', &said->request_id,
                                       &said->ad_id);
    item->click_id = ads_click_id_make(key, &said->request_id, &said->ad_id);

    event->type = ADS_EVENT_CLICK;
    event->flags |= ADS_EVENT_MANUAL;

    ngx_memzero(&event->click, sizeof(struct ads_click));

    event->click.click_id = item->click_id;
    event->click.request_id = said->request_id;
    event->click.ad_id = said->ad_id;
    event->click.publisher = events->ctx->publisher;
    event->click.session_hash =
                  ngx_http_ads_request_session(events->ctx, said->session_id);
    event->click.class = events->ctx->test ? ADS_CLICK_TEST : ADS_CLICK_VALID;
}


static void
ngx_http_ads_event_written(ngx_http_request_t *r, void *data,
    ngx_uint_t durable)
{
    ngx_http_ads_events_t *events = data;

    ngx_uint_t                  i;
    ngx_http_ads_event_item_t  *item;

    for (i = 0; i < events->n; i++) {

        item = &events->items[i];

        if (item->problem == ADS_PROBLEM_END
            && (!item->written || !durable))
        {
            item->problem = ADS_PROBLEM_JOURNAL_UNAVAILABLE;
        }
    }

    ngx_http_finalize_request(r, ngx_http_ads_event_answer(r, events));
}


static ngx_int_t
ngx_http_ads_event_answer(ngx_http_request_t *r, ngx_http_ads_events_t *events)
{
    u_char                     *p;
    ngx_str_t                   answer;
    ngx_http_ads_ctx_t         *ctx;
    ngx_http_ads_event_item_t  *item;

    ctx = events->ctx;

    if (events->batch) {
        return ngx_http_ads_event_answer_batch(r, events);
    }

    item = &events->items[0];

    if (item->problem != ADS_PROBLEM_END) {
        return ngx_http_ads_reply_refusal(r, ctx, item->problem, NULL, NULL);
    }

    answer.data = ngx_pnalloc(r->pool, NGX_HTTP_ADS_EVENT_RESULT_LEN);
    if (answer.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    p = ngx_http_ads_event_result(answer.data, events->kind, item);
    answer.len = p - answer.data;

    ctx->ad_id = item->said.ad_id;
    ctx->has_ad = 1;

    if (events->kind == NGX_HTTP_ADS_CLICK) {
        ctx->click_id = item->click_id;
        ctx->has_click = 1;
    }

    ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_EVENT, 1);

    return ngx_http_ads_reply_json(r, ctx, NGX_HTTP_ACCEPTED, &answer);
}


static ngx_int_t
ngx_http_ads_event_answer_batch(ngx_http_request_t *r,
    ngx_http_ads_events_t *events)
{
    u_char                     *p;
    ngx_str_t                   answer;
    ngx_uint_t                  i;
    ngx_http_ads_event_item_t  *item;

    answer.data = ngx_pnalloc(r->pool, sizeof("{\"results\":[]}")
                                       + (NGX_HTTP_ADS_EVENT_RESULT_LEN + 1)
                                         * events->n);
    if (answer.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    p = ngx_http_ads_event_put(answer.data, "{\"results\":[");

    for (i = 0; i < events->n; i++) {

        item = &events->items[i];

        if (i > 0) {
            *p++ = ',';
        }

        if (item->problem == ADS_PROBLEM_END) {
            p = ngx_http_ads_event_result(p, events->kind, item);
            ngx_http_ads_live_count(&events->ctx->worker->live,
                                    ADS_COUNT_EVENT, 1);

        } else {
            p = ngx_http_ads_event_rejected(p, item);
            ngx_http_ads_live_count(&events->ctx->worker->live,
                                    ADS_COUNT_REFUSED, 1);
        }
    }

    p = ngx_http_ads_event_put(p, "]}");
    answer.len = p - answer.data;

    return ngx_http_ads_reply_json(r, events->ctx, NGX_HTTP_OK, &answer);
}


static u_char *
ngx_http_ads_event_result(u_char *p, ngx_uint_t kind,
    ngx_http_ads_event_item_t *item)
{
    p = ngx_http_ads_event_put(p, "{\"event_id\":\"");
    p = (u_char *) ads_uuid_write((char *) p, &item->event_id);

    if (kind == NGX_HTTP_ADS_IMPRESSION) {
        p = ngx_http_ads_event_put(p, "\",\"type\":\"impression");

    } else {
        p = ngx_http_ads_event_put(p, "\",\"type\":\"click\",\"click_id\":\"");
        p = (u_char *) ads_uuid_write((char *) p, &item->click_id);
    }

    return ngx_http_ads_event_put(p, "\",\"status\":\"accepted\"}");
}


/* An item of a batch: the code its own request would have been refused with. */

static u_char *
ngx_http_ads_event_rejected(u_char *p, ngx_http_ads_event_item_t *item)
{
    const struct ads_field_error   *error;
    const struct ads_problem_info  *info;

    info = ads_problem_find(item->problem);

    p = ngx_http_ads_event_put(p, "{\"status\":\"rejected\",\"code\":\"");
    p = ngx_http_ads_event_text(p, info->code);
    *p++ = '"';

    if (item->problem == ADS_PROBLEM_INVALID_FIELDS) {
        error = &item->said.error;

        p = ngx_http_ads_event_put(p, ",\"errors\":[{\"pointer\":\"");
        p = ngx_http_ads_event_text(p, error->pointer);
        p = ngx_http_ads_event_put(p, "\",\"code\":\"");
        p = ngx_http_ads_event_text(p, error->code);
        p = ngx_http_ads_event_put(p, "\",\"detail\":\"");
        p = ngx_http_ads_event_text(p, error->detail);
        p = ngx_http_ads_event_put(p, "\"}]");
    }

    *p++ = '}';

    return p;
}


/* A short constant text of core, free of what JSON would escape. */

static u_char *
ngx_http_ads_event_text(u_char *p, const char *text)
{
    return ngx_cpymem(p, text, ngx_min(ngx_strlen(text), 120));
}
