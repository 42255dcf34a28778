/*
 * Writes the JSON answer of a recommendation, straight from the ready-made
 * texts of the ad tables: the members of an ad, the disclosure, the signed
 * link.  Everything else in the answer is a number, a UUID or a constant, so
 * nothing needs escaping here.
 */


#include "ngx_http_ads_module.h"


/* a literal, copied with the length that the compiler knows */

#define ngx_http_ads_answer_put(p, text)                                      \
    ngx_cpymem(p, text, sizeof(text) - 1)

/* room for names, punctuation, ids and times: of an answer and of an ad */

#define NGX_HTTP_ADS_ANSWER_LEN     (512 + ADS_WARNING_LEN_MAX)
#define NGX_HTTP_ADS_ANSWER_AD_LEN  512


static size_t ngx_http_ads_answer_measure(ngx_http_ads_ctx_t *ctx,
    const ngx_str_t *label, struct ads_decision *decision);
static u_char *ngx_http_ads_answer_begin(u_char *p, ngx_http_ads_ctx_t *ctx);
static u_char *ngx_http_ads_answer_ad(u_char *p, ngx_http_ads_ctx_t *ctx,
    const ngx_str_t *label, struct ads_pick *pick);
static u_char *ngx_http_ads_answer_end(u_char *p, ngx_http_ads_ctx_t *ctx);
static u_char *ngx_http_ads_answer_links(u_char *p, ngx_http_ads_ctx_t *ctx,
    struct ads_token *token);
static void ngx_http_ads_answer_token(ngx_http_ads_ctx_t *ctx,
    struct ads_token *token, struct ads_show *show,
    struct ads_decision *decision, ngx_uint_t i);
static u_char *ngx_http_ads_answer_time(u_char *p, uint64_t ms);
static u_char *ngx_http_ads_answer_two(u_char *p, ngx_uint_t number);
static u_char *ngx_http_ads_answer_str(u_char *p, struct ads_str text);


/* The answer with the ads of a decision, their links sealed. */

ngx_int_t
ngx_http_ads_answer_show(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_str_t *answer, struct ads_str language, struct ads_show *show,
    struct ads_decision *decision)
{
    u_char             *p, expires[sizeof("2000-01-01T00:00:00Z") - 1];
    ngx_uint_t          i;
    const ngx_str_t    *label;
    struct ads_token    token;

    label = ngx_http_ads_disclosure_find(ctx->conf, language);

    answer->data = ngx_pnalloc(r->pool,
                               ngx_http_ads_answer_measure(ctx, label,
                                                           decision));
    if (answer->data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_http_ads_answer_time(expires, ads_id_ms(&ctx->id)
                                             + NGX_HTTP_ADS_BILLABLE_MS);

    p = ngx_http_ads_answer_begin(answer->data, ctx);
    p = ngx_http_ads_answer_put(p, "\"SHOW\",\"ads\":[");

    for (i = 0; i < decision->n; i++) {

        if (i > 0) {
            *p++ = ',';
        }

        p = ngx_http_ads_answer_ad(p, ctx, label, &decision->picks[i]);
        p = ngx_http_ads_answer_put(p, ",\"position\":");

        if (i < 9) {
            *p++ = (u_char) ('1' + i);

        } else {
            p = ngx_http_ads_answer_two(p, i + 1);
        }

        p = ngx_http_ads_answer_put(p, ",\"expires_at\":\"");
        p = ngx_cpymem(p, expires, sizeof(expires));
        *p++ = '"';

        ngx_http_ads_answer_token(ctx, &token, show, decision, i);

        p = ngx_http_ads_answer_links(p, ctx, &token);
        *p++ = '}';
    }

    p = ngx_http_ads_answer_put(p, "]");
    p = ngx_http_ads_answer_end(p, ctx);

    answer->len = p - answer->data;

    return NGX_OK;
}


ngx_int_t
ngx_http_ads_answer_no_ad(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_str_t *answer, enum ads_reason reason)
{
    u_char      *p;
    const char  *name;

    answer->data = ngx_pnalloc(r->pool, NGX_HTTP_ADS_ANSWER_LEN
                                        + ctx->explain.len);
    if (answer->data == NULL) {
        return NGX_ERROR;
    }

    name = ads_reason_name(reason);

    p = ngx_http_ads_answer_begin(answer->data, ctx);
    p = ngx_http_ads_answer_put(p, "\"NO_AD\",\"ads\":[],\"reason\":\"");
    p = ngx_cpymem(p, name, ngx_strlen(name));
    p = ngx_http_ads_answer_put(p, "\"");
    p = ngx_http_ads_answer_end(p, ctx);

    answer->len = p - answer->data;

    return NGX_OK;
}


/* At least as long as the answer will be. */

static size_t
ngx_http_ads_answer_measure(ngx_http_ads_ctx_t *ctx, const ngx_str_t *label,
    struct ads_decision *decision)
{
    size_t              len;
    ngx_uint_t          i;
    struct ads_pick    *pick;
    struct ads_tables  *tables;

    tables = &ctx->snapshot->tables;
    len = NGX_HTTP_ADS_ANSWER_LEN + ctx->explain.len;

    for (i = 0; i < decision->n; i++) {
        pick = &decision->picks[i];

        len += NGX_HTTP_ADS_ANSWER_AD_LEN + label->len
               + 2 * (ctx->conf->base_url.len + ADS_TOKEN_TEXT_LEN)
               + ads_base_json(pick->from, pick->ad).len
               + ads_head_account_name(&tables->head, pick->account).len;
    }

    return len;
}


static u_char *
ngx_http_ads_answer_begin(u_char *p, ngx_http_ads_ctx_t *ctx)
{
    p = ngx_http_ads_answer_put(p, "{\"request_id\":\"");
    p = (u_char *) ads_uuid_write((char *) p, &ctx->id);

    return ngx_http_ads_answer_put(p, "\",\"decision\":");
}


static u_char *
ngx_http_ads_answer_end(u_char *p, ngx_http_ads_ctx_t *ctx)
{
    if (ctx->warnings != 0) {
        *p++ = ',';
        p += ads_warning_write((char *) p, ctx->warnings);
    }

    if (ctx->explain.len > 0) {
        p = ngx_http_ads_answer_put(p, ",\"explain\":");
        p = ngx_cpymem(p, ctx->explain.data, ctx->explain.len);
    }

    *p++ = '}';

    return p;
}


/* What the tables say of an ad, and that it is one. */

static u_char *
ngx_http_ads_answer_ad(u_char *p, ngx_http_ads_ctx_t *ctx,
    const ngx_str_t *label, struct ads_pick *pick)
{
    struct ads_tables  *tables;

    tables = &ctx->snapshot->tables;

    *p++ = '{';
    p = ngx_http_ads_answer_str(p, ads_base_json(pick->from, pick->ad));
    p = ngx_http_ads_answer_put(p, ",\"advertiser\":\"");
    p = ngx_http_ads_answer_str(p, ads_head_account_name(&tables->head,
                                                         pick->account));
    p = ngx_http_ads_answer_put(p, "\",\"sponsored\":true,\"disclosure\":\"");
    p = ngx_cpymem(p, label->data, label->len);
    *p++ = '"';

    return p;
}


/* One token; the path says what for. */

static u_char *
ngx_http_ads_answer_links(u_char *p, ngx_http_ads_ctx_t *ctx,
    struct ads_token *token)
{
    u_char     *text;
    ngx_str_t  *base;

    base = &ctx->conf->base_url;

    p = ngx_http_ads_answer_put(p, ",\"click_url\":\"");
    p = ngx_cpymem(p, base->data, base->len);
    p = ngx_http_ads_answer_put(p, "/v1/click/");

    text = p;

    p = (u_char *) ads_token_write((char *) p, &ctx->worker->sealer, token);
    p = ngx_http_ads_answer_put(p, "\",\"impression_url\":\"");
    p = ngx_cpymem(p, base->data, base->len);
    p = ngx_http_ads_answer_put(p, "/v1/i/");
    p = ngx_cpymem(p, text, ADS_TOKEN_TEXT_LEN);
    *p++ = '"';

    return p;
}


static void
ngx_http_ads_answer_token(ngx_http_ads_ctx_t *ctx, struct ads_token *token,
    struct ads_show *show, struct ads_decision *decision, ngx_uint_t i)
{
    struct ads_pick  *pick;

    pick = &decision->picks[i];

    token->request_id = ctx->id;
    token->ad_id = pick->ad->id;
    token->publisher = ctx->publisher;
    token->price_micros = ctx->test ? NGX_HTTP_ADS_TEST_PRICE
                                    : pick->price_micros;
    token->session_hash = show->session_hash;
    token->campaign_version = pick->campaign->version;
    ngx_memcpy(token->country, show->country, sizeof(token->country));
    token->placement = ctx->placement;
    token->words_len = decision->words_len[i];
    ngx_memcpy(token->words, decision->words[i], sizeof(token->words));
}


/* RFC 3339, UTC, whole seconds: without ngx_sprintf(), which takes a while */

static u_char *
ngx_http_ads_answer_time(u_char *p, uint64_t ms)
{
    ngx_tm_t  tm;

    ngx_gmtime((time_t) (ms / 1000), &tm);

    p = ngx_http_ads_answer_two(p, tm.ngx_tm_year / 100);
    p = ngx_http_ads_answer_two(p, tm.ngx_tm_year % 100);
    *p++ = '-';
    p = ngx_http_ads_answer_two(p, tm.ngx_tm_mon);
    *p++ = '-';
    p = ngx_http_ads_answer_two(p, tm.ngx_tm_mday);
    *p++ = 'T';
    p = ngx_http_ads_answer_two(p, tm.ngx_tm_hour);
    *p++ = ':';
    p = ngx_http_ads_answer_two(p, tm.ngx_tm_min);
    *p++ = ':';
    p = ngx_http_ads_answer_two(p, tm.ngx_tm_sec);
    *p++ = 'Z';

    return p;
}


static u_char *
ngx_http_ads_answer_two(u_char *p, ngx_uint_t number)
{
    *p++ = (u_char) ('0' + number / 10 % 10);
    *p++ = (u_char) ('0' + number % 10);

    return p;
}


static u_char *
ngx_http_ads_answer_str(u_char *p, struct ads_str text)
{
    return ngx_cpymem(p, text.ptr, text.len);
}
