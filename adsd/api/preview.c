/*
 * Endpoint of previews: two decisions a query; nothing is written anywhere.
 */
#include "api/handlers.h"

#include <stdlib.h>

#include "ads_decide.h"
#include "ads_money.h"
#include "base/clock.h"
#include "base/language.h"
#include "http/body.h"
#include "tables/served.h"

#define QUERIES_MAX 50
#define QUERY_CHARS 1000
#define SCRATCH_ALIGN 64

/* Archived?  What keeps all of its ads out of the tables, if anything does. */
static const struct db_stmt STMT_CAMPAIGN = {
    .name = "preview_campaign",
    .sql = "select c.status = 'archived', (select r.reason"
           "  from unnest(s.reasons) with ordinality r (reason, n)"
           "  where r.reason in ('account_suspended', 'pricing_not_sold',"
           "   'in_review', 'no_products') order by r.n limit 1)"
           " from ads.campaigns c"
           " join ads.campaign_states_of(array[$2]) s on s.campaign_id = c.id"
           " where c.account_id = $1 and c.id = $2",
    .n_params = 2,
};

enum campaign_column { CAMPAIGN_ARCHIVED, CAMPAIGN_REASON };

struct wish {
    struct ads_uuid campaign;
    struct ads_str *queries;
    size_t n_queries;
    int64_t max;
    struct ads_ask ask; /* but the query */
};

struct preview {
    struct served_tables tables;
    struct ads_text text;
    void *scratch;
    const struct wish *wish;
    struct ads_str nothing; /* why none of its ads is served, if so */
    struct ads_decision alone;
    struct ads_decision market;
};


/* ---- what is asked ---- */

static void
context_read(struct wish *wish, struct form *form)
{
    struct form inner;
    struct ads_str location, language, currency;

    if (!form_object(form, "context", 0, &inner)) {
        return;
    }
    location = form_text(&inner, "location", 0, 1, 128);
    if (location.ptr != NULL && !ads_place_guess(&wish->ask.place, location)) {
        form_error(&inner, "location", "invalid_format",
                   "must be a country or region of ISO 3166, as DE or US-CA");
    }
    language = form_text(&inner, "language", 0, 1, 35);
    if (language.ptr != NULL && !language_check(language)) {
        form_error(&inner, "language", "invalid_format",
                   "must be a language tag such as en or pt-BR");
    }
    wish->ask.language = language;
    currency = form_text(&inner, "currency", 0, 1, 3);
    if (currency.ptr == NULL) {
        return;
    }
    if (ads_currency_check(currency)) {
        memcpy(wish->ask.currency, currency.ptr, 3);
    } else {
        form_error(&inner, "currency", "invalid_format",
                   "must be three letters A to Z");
    }
}


static void
wish_read(struct wish *wish, struct form *form)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
    struct ads_str placement = ADS_STR("inline"), given;

    if (form_texts(form, "queries", FORM_REQUIRED, QUERIES_MAX, QUERY_CHARS,
                   &wish->queries, &wish->n_queries)
        && wish->n_queries == 0)
    {
        form_error(form, "queries", "empty", "must not be empty");
    }
    (void)form_int(form, "max_results", 0, 1, ADS_DECIDE_MAX, &wish->max);
    given = form_text(form, "placement", 0, 1, 64);
    for (size_t i = 0; i < given.len; i++) {
        if (memchr(allowed, given.ptr[i], sizeof(allowed) - 1) == NULL) {
            form_error(form, "placement", "invalid_format",
                       "must be of a to z, 0 to 9, underscore, dot and dash");
            given.len = 0;
        }
    }
    context_read(wish, form);
    wish->ask.placement = ads_placement_make(given.len > 0 ? given : placement);
    wish->ask.max = ADS_DECIDE_MAX;
    wish->ask.now_ms = (uint64_t)clock_realtime_us() / 1000;
    wish->ask.as_if = &wish->campaign;
}


/* ---- what is decided ---- */

static void
tables_close(void *tables)
{
    served_close(tables);
}


static void
stemmer_delete(void *stemmer)
{
    sb_stemmer_delete(stemmer);
}


/* The publisher may put another pair in place between head and base: then once
 * more. */
static enum ads_err
preview_open(struct preview *preview, const struct request *request)
{
    struct pool *pool = request->pool;
    enum ads_err err = ADS_UNAVAILABLE;
    size_t len;

    for (int i = 0; i < 3 && err != ADS_OK; i++) {
        err = served_open(&preview->tables, &request->adsd->conf,
                          request->adsd->log);
        pool_defer(pool, tables_close,
                   memcpy(pool_alloc(pool, sizeof(preview->tables)),
                          &preview->tables, sizeof(preview->tables)));
    }
    if (err != ADS_OK) {
        return ADS_UNAVAILABLE;
    }
    preview->text.stemmer = sb_stemmer_new("english", NULL);
    len = ads_decide_scratch_len(&preview->tables.tables);
    len = (len + SCRATCH_ALIGN - 1) & ~(size_t)(SCRATCH_ALIGN - 1);
    preview->scratch = aligned_alloc(SCRATCH_ALIGN, len);
    pool_defer(pool, stemmer_delete, preview->text.stemmer);
    pool_defer(pool, free, preview->scratch);
    return preview->scratch != NULL && preview->text.stemmer != NULL
               ? ADS_OK
               : ADS_UNAVAILABLE;
}


static void
decide(struct preview *preview, struct ads_decision *decision,
       struct ads_str query, bool alone)
{
    struct ads_ask ask = preview->wish->ask;

    ask.query = query;
    ask.alone = alone;
    ads_decide(decision, &preview->tables.tables,
               preview->tables.has_live ? &preview->tables.live : NULL, &ask,
               &preview->text, preview->scratch);
}


/* The campaign's best place among all, from 0; the number of ads when it has
 * none of them. */
static uint32_t
place_find(const struct preview *preview)
{
    const struct ads_decision *market = &preview->market;
    uint32_t i = 0;

    while (i < market->n
           && !ads_uuid_equal(&market->picks[i].campaign->id,
                              &preview->wish->campaign))
    {
        i++;
    }
    return i;
}


/* ---- what is answered ---- */

/* What a product is taken for, as the ontology's shown name; it has no quotes.
 * Empty: for nothing. */
static struct ads_str
kind_of(const struct preview *preview, uint32_t doc)
{
    const struct ads_tables *tables = &preview->tables.tables;
    const struct ads_snap_offer *offer = ads_tables_offer(tables, doc);

    return offer == NULL ? (struct ads_str){"", 0}
                         : ads_goods_shown(&tables->goods, offer->kind);
}


static void
ads_write(struct json *json, const struct preview *preview)
{
    const struct ads_decision *alone = &preview->alone;

    json_array_begin(json, "ads");
    for (uint32_t i = 0; i < alone->n && i < preview->wish->max; i++) {
        struct ads_str members =
            ads_base_json(alone->picks[i].from, alone->picks[i].ad);
        struct ads_str object;

        struct ads_str kind = kind_of(preview, alone->picks[i].doc);

        object.ptr = pool_format(
            json->pool, &object.len, "{%.*s,\"taken_for\":%s%.*s%s}",
            (int)members.len, members.ptr, kind.len > 0 ? "\"" : "null",
            (int)kind.len, kind.ptr, kind.len > 0 ? "\"" : "");
        json_raw(json, NULL, object);
    }
    json_array_end(json);
}


/* Why the campaign would not be shown. */
static struct ads_str
reason_of(const struct preview *preview)
{
    const char *name;

    if (preview->alone.n > 0) {
        return ADS_STR("outranked");
    }
    if (preview->alone.reason == ADS_REASON_NO_MATCH
        && preview->nothing.len > 0) {
        return preview->nothing;
    }
    name = ads_reason_name(preview->alone.reason);
    return (struct ads_str){name, strlen(name)};
}


static void
result_write(struct json *json, const struct preview *preview,
             struct ads_str query)
{
    uint32_t place = place_find(preview);
    bool ranked = place < preview->market.n;
    bool shown = ranked && place < preview->wish->max;

    json_object_begin(json, NULL);
    json_string(json, "query", query);
    json_constant(json, "decision", shown ? "SHOW" : "NO_AD");
    if (shown) {
        json_null(json, "reason");
    } else {
        json_string(json, "reason", reason_of(preview));
    }
    if (ranked) {
        json_int(json, "rank", place + 1);
        json_money(json, "price", preview->market.picks[place].price_micros);
    } else {
        json_null(json, "rank");
        json_null(json, "price");
        json_null(json, "price_micros");
    }
    ads_write(json, preview);
    json_object_end(json);
}


static void
answer(struct request *request, struct preview *preview)
{
    const struct wish *wish = preview->wish;
    struct json json;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_int(&json, "generation",
             (int64_t)preview->tables.tables.head.generation);
    json_array_begin(&json, "results");
    for (size_t i = 0; i < wish->n_queries; i++) {
        decide(preview, &preview->alone, wish->queries[i], true);
        decide(preview, &preview->market, wish->queries[i], false);
        result_write(&json, preview, wish->queries[i]);
    }
    json_array_end(&json);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
}


/* Is it one of theirs, and not archived? */
static enum ads_err
campaign_check(struct request *request, const struct ads_uuid *id,
               struct ads_str *nothing)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, id);
    err = db_run(request->tx, &STMT_CAMPAIGN, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) == 0 || db_bool(rows, 0, CAMPAIGN_ARCHIVED)) {
        return request_answer_problem(request,
                                      db_n_rows(rows) == 0
                                          ? ADS_PROBLEM_NOT_FOUND
                                          : ADS_PROBLEM_INVALID_TRANSITION,
                                      NULL);
    }
    *nothing = db_text(rows, 0, CAMPAIGN_REASON);
    return ADS_OK;
}


enum ads_err
api_preview_post(struct request *request)
{
    struct wish *wish = pool_alloc(request->pool, sizeof(*wish));
    struct preview *preview = pool_alloc(request->pool, sizeof(*preview));
    struct form form;
    enum ads_err err;

    wish->max = 3;
    if (!ads_uuid_read(&wish->campaign, request->args[0])) {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
    }
    err = campaign_check(request, &wish->campaign, &preview->nothing);
    if (err == ADS_OK) {
        err = body_begin(&form, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    wish_read(wish, &form);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    preview->wish = wish;
    err = preview_open(preview, request);
    if (err == ADS_OK) {
        answer(request, preview);
    }
    return err;
}
