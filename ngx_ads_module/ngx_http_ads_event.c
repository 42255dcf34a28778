/*
 * POST /v1/events/impression and /v1/events/click: what a publisher saw, one
 * or up to a hundred in a batch.
 *
 * The request_id vouches for itself, so no look-up is needed: a forged one or
 * another publisher's is 404.  202 is answered only when the record is in the
 * file; whether it is billed is decided in PostgreSQL.
 */


#include "ngx_http_ads_module.h"


typedef struct {
    ngx_http_ads_ctx_t        *ctx;
    ngx_uint_t                 kind;
    struct ads_event_body      body;
    enum ads_problem           problem[ADS_BODY_EVENTS_MAX];
    struct ads_uuid            event_id[ADS_BODY_EVENTS_MAX];
    struct ads_uuid            click_id[ADS_BODY_EVENTS_MAX];
    u_char                     written[ADS_BODY_EVENTS_MAX];
} ngx_http_ads_events_t;


/* a literal, copied with the length that the compiler knows */

#define ngx_http_ads_event_put(p, text)                                       \
    ngx_cpymem(p, text, sizeof(text) - 1)

/* the longest result of an item, constant texts of core included */

#define NGX_HTTP_ADS_EVENT_RESULT_LEN  512


static void ngx_http_ads_event_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ads_event_process(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_event_append(ngx_http_request_t *r,
    ngx_http_ads_events_t *events);
static enum ads_problem ngx_http_ads_event_item(
    ngx_http_ads_events_t *events, ngx_uint_t i, struct ads_event *event);
static void ngx_http_ads_event_impression(ngx_http_ads_events_t *events,
    ngx_uint_t i, const struct ads_ring_key *key, struct ads_event *event);
static void ngx_http_ads_event_click(ngx_http_ads_events_t *events,
    ngx_uint_t i, const struct ads_ring_key *key, struct ads_event *event);
static uint64_t ngx_http_ads_event_session(ngx_http_ads_events_t *events,
    struct ads_event_item *item);
static void ngx_http_ads_event_written(ngx_http_request_t *r, void *data);
static ngx_int_t ngx_http_ads_event_answer(ngx_http_request_t *r,
    ngx_http_ads_events_t *events);
static ngx_int_t ngx_http_ads_event_answer_batch(ngx_http_request_t *r,
    ngx_http_ads_events_t *events);
static u_char *ngx_http_ads_event_result(u_char *p,
    ngx_http_ads_events_t *events, ngx_uint_t i);
static u_char *ngx_http_ads_event_rejected(u_char *p,
    ngx_http_ads_events_t *events, ngx_uint_t i);
static u_char *ngx_http_ads_event_text(u_char *p, const char *text);
static ngx_int_t ngx_http_ads_event_refuse(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, enum ads_problem problem,
    const char *detail, const struct ads_body_errors *errors);


ngx_int_t
ngx_http_ads_event_handler(ngx_http_request_t *r)
{
    ngx_http_ads_ctx_t  *ctx;

    static const ngx_str_t  allow = ngx_string("POST");

    if (r != r->main) {
        return NGX_HTTP_FORBIDDEN;
    }

    ctx = ngx_http_ads_request_begin(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (r->method != NGX_HTTP_POST) {
        return ngx_http_ads_reply_method(r, &allow);
    }

    if (ngx_http_ads_key_check(r, ctx) != NGX_OK) {
        return ngx_http_ads_event_refuse(r, ctx, ctx->problem, ctx->detail,
                                         NULL);
    }

    return ngx_http_ads_body_begin(r, NGX_HTTP_ADS_EVENT_BODY_MAX,
                                   ngx_http_ads_event_body_handler);
}


static void
ngx_http_ads_event_body_handler(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_http_ads_ctx_t  *ctx;

    ctx = ngx_http_ads_request_find(r);

    rc = ngx_http_ads_event_process(r, ctx);

    if (rc == NGX_DONE) {

        /* the journal will finish it */

        return;
    }

    ngx_http_finalize_request(r, rc);
}


/* NGX_DONE: the answer waits for the journal. */

static ngx_int_t
ngx_http_ads_event_process(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_str_t                 text;
    ngx_http_ads_events_t    *events;
    struct ads_body_errors    errors;
    ngx_http_ads_loc_conf_t  *alcf;

    rc = ngx_http_ads_body_take(r, NGX_HTTP_ADS_EVENT_BODY_MAX, &text);

    if (rc == NGX_HTTP_REQUEST_ENTITY_TOO_LARGE) {
        return ngx_http_ads_event_refuse(r, ctx, ADS_PROBLEM_BODY_TOO_LARGE,
                                         NULL, NULL);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* without tables nobody knows whose key it is */

    if (!ctx->has_publisher) {
        return ngx_http_ads_event_refuse(r, ctx, ADS_PROBLEM_UNAVAILABLE,
                                         NULL, NULL);
    }

    events = ngx_palloc(r->pool, sizeof(ngx_http_ads_events_t));
    if (events == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    events->ctx = ctx;
    events->kind = alcf->kind;

    if (ads_body_event_read(&events->body, &errors, (char *) text.data,
                            text.len, ngx_http_ads_request_now_ms())
        != ADS_OK)
    {
        if (errors.malformed != NULL) {
            return ngx_http_ads_event_refuse(r, ctx,
                                             ADS_PROBLEM_MALFORMED_JSON,
                                             errors.malformed, NULL);
        }

        return ngx_http_ads_event_refuse(r, ctx, ADS_PROBLEM_INVALID_FIELDS,
                                         NULL, &errors);
    }

    return ngx_http_ads_event_append(r, events);
}


static ngx_int_t
ngx_http_ads_event_append(ngx_http_request_t *r, ngx_http_ads_events_t *events)
{
    ngx_uint_t            i, n;
    struct ads_event      event;
    ngx_http_ads_wait_t  *wait;

    n = 0;
    wait = NULL;

    for (i = 0; i < events->body.n; i++) {

        events->written[i] = 0;
        events->problem[i] = ngx_http_ads_event_item(events, i, &event);

        if (events->problem[i] != ADS_PROBLEM_END) {
            continue;
        }

        if (n++ == 0) {
            wait = ngx_http_ads_journal_begin(r, events->ctx->worker,
                                              ngx_http_ads_event_written,
                                              events);
            if (wait == NULL) {
                return NGX_HTTP_INTERNAL_SERVER_ERROR;
            }
        }

        ngx_http_ads_journal_append(wait, &event, &events->written[i]);
    }

    if (n == 0) {
        return ngx_http_ads_event_answer(r, events);
    }

    ngx_http_ads_journal_end(wait);

    return NGX_DONE;
}


/* Judges an item and makes its record; ADS_PROBLEM_END: it is good. */

static enum ads_problem
ngx_http_ads_event_item(ngx_http_ads_events_t *events, ngx_uint_t i,
    struct ads_event *event)
{
    uint64_t                    now_ms, age_ms;
    ngx_http_ads_ctx_t         *ctx;
    struct ads_event_item      *item;
    const struct ads_ring_key  *key;

    ctx = events->ctx;
    item = &events->body.items[i];

    if (!item->ok) {
        return ADS_PROBLEM_INVALID_FIELDS;
    }

    key = ads_request_id_check(ctx->conf->ring, &item->request_id,
                               &ctx->publisher);
    if (key == NULL) {
        return ADS_PROBLEM_REQUEST_NOT_FOUND;
    }

    now_ms = ngx_http_ads_request_now_ms();
    age_ms = ads_id_ms(&item->request_id);
    age_ms = now_ms > age_ms ? now_ms - age_ms : 0;

    event->flags = ctx->test ? ADS_EVENT_TEST : 0;

    if (events->kind == NGX_HTTP_ADS_IMPRESSION) {

        if (age_ms > NGX_HTTP_ADS_DAY_MS) {
            return ADS_PROBLEM_TOO_LATE;
        }

        ngx_http_ads_event_impression(events, i, key, event);

    } else {

        if (age_ms > NGX_HTTP_ADS_LINK_MS) {
            return ADS_PROBLEM_TOO_LATE;
        }

        ngx_http_ads_event_click(events, i, key, event);

        if (!ctx->test && age_ms > NGX_HTTP_ADS_BILLABLE_MS) {
            event->click.class = ADS_CLICK_LATE;
        }
    }

    return ADS_PROBLEM_END;
}


static void
ngx_http_ads_event_impression(ngx_http_ads_events_t *events, ngx_uint_t i,
    const struct ads_ring_key *key, struct ads_event *event)
{
    struct ads_event_item  *item;

    item = &events->body.items[i];

    events->event_id[i] = ads_event_id_make(key, 'i', &item->request_id,
                                            &item->ad_id);

    event->type = ADS_EVENT_IMPRESSION;

    event->impression.request_id = item->request_id;
    event->impression.ad_id = item->ad_id;
    event->impression.publisher = events->ctx->publisher;
    event->impression.session_hash = ngx_http_ads_event_session(events, item);
    event->impression.occurred_ms = item->occurred_ms == ADS_BODY_TIME_NONE
                                    ? 0 : item->occurred_ms;
}


/* Price, place and campaign are not said: the stored SHOW decision has them. */

static void
ngx_http_ads_event_click(ngx_http_ads_events_t *events, ngx_uint_t i,
    const struct ads_ring_key *key, struct ads_event *event)
{
    struct ads_event_item  *item;

    item = &events->body.items[i];

    events->event_id[i] = ads_event_id_make(key, 'c', &item->request_id,
                                            &item->ad_id);
    events->click_id[i] = ads_click_id_make(key, &item->request_id,
                                            &item->ad_id);

    event->type = ADS_EVENT_CLICK;
    event->flags |= ADS_EVENT_MANUAL;

    ngx_memzero(&event->click, sizeof(struct ads_click));

    event->click.click_id = events->click_id[i];
    event->click.request_id = item->request_id;
    event->click.ad_id = item->ad_id;
    event->click.publisher = events->ctx->publisher;
    event->click.session_hash = ngx_http_ads_event_session(events, item);
    event->click.class = events->ctx->test ? ADS_CLICK_TEST : ADS_CLICK_VALID;
}


static uint64_t
ngx_http_ads_event_session(ngx_http_ads_events_t *events,
    struct ads_event_item *item)
{
    if (item->session_id.len == 0) {
        return 0;
    }

    return ads_ring_hash(ads_ring_seal(events->ctx->conf->ring)->hash,
                         item->session_id.ptr, item->session_id.len);
}


static void
ngx_http_ads_event_written(ngx_http_request_t *r, void *data)
{
    ngx_http_ads_events_t *events = data;

    ngx_uint_t  i;

    for (i = 0; i < events->body.n; i++) {

        if (events->problem[i] == ADS_PROBLEM_END && !events->written[i]) {
            events->problem[i] = ADS_PROBLEM_JOURNAL_UNAVAILABLE;
        }
    }

    ngx_http_finalize_request(r, ngx_http_ads_event_answer(r, events));
}


static ngx_int_t
ngx_http_ads_event_answer(ngx_http_request_t *r, ngx_http_ads_events_t *events)
{
    u_char              *p;
    ngx_str_t            answer;
    ngx_http_ads_ctx_t  *ctx;

    ctx = events->ctx;

    if (events->body.batch) {
        return ngx_http_ads_event_answer_batch(r, events);
    }

    if (events->problem[0] != ADS_PROBLEM_END) {
        return ngx_http_ads_event_refuse(r, ctx, events->problem[0], NULL,
                                         NULL);
    }

    answer.data = ngx_pnalloc(r->pool, NGX_HTTP_ADS_EVENT_RESULT_LEN);
    if (answer.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    p = ngx_http_ads_event_result(answer.data, events, 0);
    answer.len = p - answer.data;

    ctx->ad_id = events->body.items[0].ad_id;
    ctx->has_ad = 1;

    if (events->kind == NGX_HTTP_ADS_CLICK) {
        ctx->click_id = events->click_id[0];
        ctx->has_click = 1;
    }

    ngx_http_ads_live_count(ctx->worker, ADS_COUNT_EVENT, 1);

    return ngx_http_ads_reply_json(r, ctx, NGX_HTTP_ACCEPTED, &answer);
}


static ngx_int_t
ngx_http_ads_event_answer_batch(ngx_http_request_t *r,
    ngx_http_ads_events_t *events)
{
    u_char      *p;
    ngx_str_t    answer;
    ngx_uint_t   i;

    answer.data = ngx_pnalloc(r->pool, sizeof("{\"results\":[]}")
                                       + (NGX_HTTP_ADS_EVENT_RESULT_LEN + 1)
                                         * events->body.n);
    if (answer.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    p = ngx_http_ads_event_put(answer.data, "{\"results\":[");

    for (i = 0; i < events->body.n; i++) {

        if (i > 0) {
            *p++ = ',';
        }

        if (events->problem[i] == ADS_PROBLEM_END) {
            p = ngx_http_ads_event_result(p, events, i);
            ngx_http_ads_live_count(events->ctx->worker, ADS_COUNT_EVENT, 1);

        } else {
            p = ngx_http_ads_event_rejected(p, events, i);
            ngx_http_ads_live_count(events->ctx->worker, ADS_COUNT_REFUSED, 1);
        }
    }

    p = ngx_http_ads_event_put(p, "]}");
    answer.len = p - answer.data;

    return ngx_http_ads_reply_json(r, events->ctx, NGX_HTTP_OK, &answer);
}


static u_char *
ngx_http_ads_event_result(u_char *p, ngx_http_ads_events_t *events,
    ngx_uint_t i)
{
    p = ngx_http_ads_event_put(p, "{\"event_id\":\"");
    p = (u_char *) ads_uuid_write((char *) p, &events->event_id[i]);

    if (events->kind == NGX_HTTP_ADS_IMPRESSION) {
        p = ngx_http_ads_event_put(p, "\",\"type\":\"impression");

    } else {
        p = ngx_http_ads_event_put(p, "\",\"type\":\"click\",\"click_id\":\"");
        p = (u_char *) ads_uuid_write((char *) p, &events->click_id[i]);
    }

    return ngx_http_ads_event_put(p, "\",\"status\":\"accepted\"}");
}


/* An item of a batch: the code its own request would have been refused with. */

static u_char *
ngx_http_ads_event_rejected(u_char *p, ngx_http_ads_events_t *events,
    ngx_uint_t i)
{
    const struct ads_field_error   *error;
    const struct ads_problem_info  *info;

    info = ads_problem_find(events->problem[i]);

    p = ngx_http_ads_event_put(p, "{\"status\":\"rejected\",\"code\":\"");
    p = ngx_http_ads_event_text(p, info->code);
    *p++ = '"';

    if (events->problem[i] == ADS_PROBLEM_INVALID_FIELDS) {
        error = &events->body.items[i].error;

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


static ngx_int_t
ngx_http_ads_event_refuse(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    enum ads_problem problem, const char *detail,
    const struct ads_body_errors *errors)
{
    ngx_http_ads_live_count(ctx->worker, ADS_COUNT_REFUSED, 1);

    return ngx_http_ads_reply_problem(r, problem, detail, errors);
}
