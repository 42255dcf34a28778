/*
 * Endpoints of campaigns.  A change reads the row under the lock that all
 * changes take first (ads.change_bump), lays the body over it and writes all
 * columns.
 */
#include "api/handlers.h"

#include "catalog/campaign.h"
#include "db/row.h"
#include "http/body.h"
#include "http/etag.h"
#include "http/list.h"

#define ROW                                                                   \
    "c.id, c.name, c.status, c.pricing, c.bid_micros, c.daily_budget_micros," \
    " c.lifetime_budget_micros, c.start_at, c.end_at, c.timezone, c.pacing,"  \
    " c.targeting::text, c.frequency_count, c.frequency_window_s,"            \
    " c.attribution_window_days, c.external_id, c.version, c.changed_n,"      \
    " c.created_at, c.updated_at, c.archived_at"
#define COLUMNS                               \
    ROW ", a.currency::text, s.spent_micros," \
        " s.spent_today_micros, s.serving_status, s.reasons"

enum column {
    C_ID,
    C_NAME,
    C_STATUS,
    C_PRICING,
    C_BID,
    C_DAILY,
    C_LIFETIME,
    C_START_AT,
    C_END_AT,
    C_TIMEZONE,
    C_PACING,
    C_TARGETING,
    C_FREQUENCY_COUNT,
    C_FREQUENCY_WINDOW,
    C_CLICK_WINDOW,
    C_EXTERNAL_ID,
    C_VERSION,
    C_CHANGED_N,
    C_CREATED_AT,
    C_UPDATED_AT,
    C_ARCHIVED_AT,
    C_CURRENCY, /* behind ROW */
    C_SPENT,
    C_SPENT_TODAY,
    C_SERVING_STATUS,
    C_REASONS
};

static const struct db_stmt STMT_LOCK = {
    .name = "campaign_lock",
    .sql = "select ads.change_bump()",
    .n_params = 0,
};

static const struct db_stmt STMT_ROW = {
    .name = "campaign_row",
    .sql = "select " ROW " from ads.campaigns c"
           " where c.account_id = $1 and c.id = $2",
    .n_params = 2,
};

static const struct db_stmt STMT_GET = {
    .name = "campaign_get",
    .sql = "select " COLUMNS " from ads.campaigns c"
           " join ads.accounts a on a.id = c.account_id"
           " join ads.campaign_states_of(array[$2]) s on s.campaign_id = c.id"
           " where c.account_id = $1 and c.id = $2",
    .n_params = 2,
};

#define NAMED LIST_HOLDS("c.name", "$3")

static const struct db_stmt STMT_LIST = {
    .name = "campaign_list",
    .sql = "with c as materialized (select c.* from ads.campaigns c"
           "     where c.account_id = $1"
           "     and ($2::text is null or c.status = $2)"
           "     and " NAMED
           "     and ($4::timestamptz is null or c.updated_at >= $4)"
           "     and ($5::text is null or c.external_id = $5)"
           "     and ($6::timestamptz is null or (c.created_at, c.id) <"
           "         ($6, $7::uuid))"
           "     order by c.created_at desc, c.id desc limit $8)"
           " select " COLUMNS " from c"
           " join ads.accounts a on a.id = c.account_id"
           " join ads.campaign_states_of(array(select c.id from c)) s"
           "  on s.campaign_id = c.id"
           " order by c.created_at desc, c.id desc",
    .n_params = 8,
};

static const struct db_stmt STMT_TIMEZONE = {
    .name = "campaign_timezone",
    .sql = "select ads.timezone_known($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_INSERT = {
    .name = "campaign_insert",
    .sql = "insert into ads.campaigns (account_id, name, status, pricing,"
           "    bid_micros, daily_budget_micros, lifetime_budget_micros,"
           "    start_at, end_at, timezone, pacing, targeting,"
           "    frequency_count, frequency_window_s,"
           "    attribution_window_days, external_id) "
           "select a.id, $2, $3, $4, $5, $6, $7, $8, $9,"
           "    coalesce($10, a.timezone), $11, $12, $13, $14, $15, $16 "
           "from ads.accounts a where a.id = $1 returning id",
    .n_params = 16,
};

static const struct db_stmt STMT_UPDATE = {
    .name = "campaign_update",
    .sql = "update ads.campaigns c set name = $2, status = $3, pricing = $4,"
           "    bid_micros = $5, daily_budget_micros = $6,"
           "    lifetime_budget_micros = $7, start_at = $8, end_at = $9,"
           "    timezone = $10, pacing = $11, targeting = $12,"
           "    frequency_count = $13, frequency_window_s = $14,"
           "    attribution_window_days = $15, external_id = $16 "
           "where c.account_id = $1 and c.id = $17"
           " and (c.name, c.status, c.pricing, c.bid_micros,"
           "    c.daily_budget_micros, c.lifetime_budget_micros, c.start_at,"
           "    c.end_at, c.timezone, c.pacing, c.targeting,"
           "    c.frequency_count, c.frequency_window_s,"
           "    c.attribution_window_days, c.external_id)"
           " is distinct from ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,"
           "    $13, $14, $15, $16)",
    .n_params = 17,
};

/* Of the list as CSV. */
static const char csv_columns[] =
    "id,name,status,serving_status,reasons,pricing,bid,bid_micros,currency,"
    "budget.daily,budget.daily_micros,budget.lifetime,budget.lifetime_micros,"
    "start_at,end_at,timezone,pacing,targeting.locations,"
    "targeting.not_locations,targeting.placements,targeting.publishers,"
    "targeting.keywords,targeting.negative_keywords,targeting.categories,"
    "targeting.languages,frequency_cap.count,frequency_cap.window_s,"
    "attribution.click_window_days,external_id,spent,spent_micros,"
    "spent_today,spent_today_micros,version,created_at,updated_at,archived_at";


/* ---- answers ---- */

static void
terms_write(struct json *json, const struct db_rows *rows, int i)
{
    json_string(json, "pricing", db_text(rows, i, C_PRICING));
    json_money(json, "bid", db_int(rows, i, C_BID));
    json_string(json, "currency", db_text(rows, i, C_CURRENCY));
    json_object_begin(json, "budget");
    row_money(json, "daily", rows, i, C_DAILY);
    row_money(json, "lifetime", rows, i, C_LIFETIME);
    json_object_end(json);
    row_time(json, "start_at", rows, i, C_START_AT);
    row_time(json, "end_at", rows, i, C_END_AT);
    json_string(json, "timezone", db_text(rows, i, C_TIMEZONE));
    json_string(json, "pacing", db_text(rows, i, C_PACING));
    json_raw(json, "targeting", db_text(rows, i, C_TARGETING));
    if (db_is_null(rows, i, C_FREQUENCY_COUNT)) {
        json_null(json, "frequency_cap");
    } else {
        json_object_begin(json, "frequency_cap");
        json_int(json, "count", db_int(rows, i, C_FREQUENCY_COUNT));
        json_int(json, "window_s", db_int(rows, i, C_FREQUENCY_WINDOW));
        json_object_end(json);
    }
    json_object_begin(json, "attribution");
    json_int(json, "click_window_days", db_int(rows, i, C_CLICK_WINDOW));
    json_object_end(json);
    json_string(json, "external_id", db_text(rows, i, C_EXTERNAL_ID));
}


static void
campaign_write(struct json *json, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, C_ID);

    json_object_begin(json, NULL);
    json_uuid(json, "id", &id);
    json_string(json, "name", db_text(rows, i, C_NAME));
    json_string(json, "status", db_text(rows, i, C_STATUS));
    json_string(json, "serving_status", db_text(rows, i, C_SERVING_STATUS));
    row_texts(json, "reasons", rows, i, C_REASONS);
    terms_write(json, rows, i);
    json_money(json, "spent", db_int(rows, i, C_SPENT));
    json_money(json, "spent_today", db_int(rows, i, C_SPENT_TODAY));
    json_int(json, "version", db_int(rows, i, C_VERSION));
    json_time(json, "created_at", db_time(rows, i, C_CREATED_AT));
    json_time(json, "updated_at", db_time(rows, i, C_UPDATED_AT));
    row_time(json, "archived_at", rows, i, C_ARCHIVED_AT);
    json_object_end(json);
}


static enum ads_err
answer_row(struct request *request, const struct ads_uuid *id, unsigned status)
{
    struct db_rows *rows;
    struct json json;
    enum ads_err err = request_row_find(request, &STMT_GET, id, &rows);

    if (err != ADS_OK) {
        return err;
    }
    etag_put(request, db_int(rows, 0, C_CHANGED_N));
    json_init(&json, request->pool);
    campaign_write(&json, rows, 0);
    request_answer_json(request, status, &json);
    return ADS_OK;
}


/* ---- reading and writing ---- */

static void
row_read(struct campaign *campaign, struct pool *pool,
         const struct db_rows *rows)
{
    *campaign = (struct campaign){
        .name = db_text(rows, 0, C_NAME),
        .pricing = db_text(rows, 0, C_PRICING),
        .status = db_text(rows, 0, C_STATUS),
        .timezone = db_text(rows, 0, C_TIMEZONE),
        .pacing = db_text(rows, 0, C_PACING),
        .external_id = db_text(rows, 0, C_EXTERNAL_ID),
        .bid_micros = db_int(rows, 0, C_BID),
        .daily_micros = db_int(rows, 0, C_DAILY),
        .lifetime_micros = db_int(rows, 0, C_LIFETIME),
        .start_us = db_time(rows, 0, C_START_AT),
        .end_us = db_time(rows, 0, C_END_AT),
        .frequency_count = db_int(rows, 0, C_FREQUENCY_COUNT),
        .frequency_window_s = db_int(rows, 0, C_FREQUENCY_WINDOW),
        .click_window_days = db_int(rows, 0, C_CLICK_WINDOW),
    };
    campaign_targets_read(campaign, pool, db_text(rows, 0, C_TARGETING));
}


static void
number_arg(struct db_args *args, int64_t value)
{
    if (value == 0) {
        db_arg_null(args);
    } else {
        db_arg_int8(args, value);
    }
}


static void
time_arg(struct db_args *args, int64_t unix_us)
{
    if (unix_us == 0) {
        db_arg_null(args);
    } else {
        db_arg_time(args, unix_us);
    }
}


/* Parameters 1 to 16 of both statements. */
static void
campaign_args(struct db_args *args, struct request *request,
              const struct campaign *campaign)
{
    db_args_init(args, request->pool);
    db_arg_uuid(args, &request->actor.account);
    db_arg_text(args, campaign->name);
    db_arg_text(args, campaign->status);
    db_arg_text(args, campaign->pricing);
    db_arg_int8(args, campaign->bid_micros);
    number_arg(args, campaign->daily_micros);
    number_arg(args, campaign->lifetime_micros);
    time_arg(args, campaign->start_us);
    time_arg(args, campaign->end_us);
    db_arg_text(args, campaign->timezone);
    db_arg_text(args, campaign->pacing);
    db_arg_json(args, campaign_targets_write(campaign, request->pool));
    number_arg(args, campaign->frequency_count);
    number_arg(args, campaign->frequency_window_s);
    db_arg_int8(args, campaign->click_window_days);
    db_arg_text(args, campaign->external_id);
}


/* Notes a time zone that PostgreSQL does not know. */
static enum ads_err
timezone_judge(struct request *request, struct form *form,
               struct ads_str timezone)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (!form_has(form, "timezone") || timezone.ptr == NULL) {
        return ADS_OK;
    }
    db_args_init(&args, request->pool);
    db_arg_text(&args, timezone);
    err = db_run(request->tx, &STMT_TIMEZONE, &args, &rows);
    if (err == ADS_OK && !db_bool(rows, 0, 0)) {
        form_error(form, "timezone", "not_allowed", "is no time zone's name");
    }
    return err;
}


/* An illegal move is the database's verdict. */
static enum ads_err
answer_refused(struct request *request, enum ads_err err)
{
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "ADT01") == 0) {
        return request_answer_problem(request, ADS_PROBLEM_INVALID_TRANSITION,
                                      NULL);
    }
    return err;
}


/* ---- handlers ---- */

enum ads_err
api_campaign_post(struct request *request)
{
    struct campaign campaign;
    struct form form;
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    struct ads_str location;
    char text[ADS_UUID_TEXT_LEN];
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    campaign_form_read(&campaign, &form, true);
    err = timezone_judge(request, &form, campaign.timezone);
    if (err == ADS_OK) {
        err = body_end(&form, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    campaign_args(&args, request, &campaign);
    err = db_run(request->tx, &STMT_INSERT, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    id = db_uuid(rows, 0, 0);
    (void)ads_uuid_write(text, &id);
    location.ptr = pool_format(request->pool, &location.len,
                               "/v1/campaigns/%.*s", (int)sizeof(text), text);
    request_header(request, "Location", location);
    return answer_row(request, &id, 201);
}


static const struct list_of LIST = {
    .id = C_ID,
    .created_at = C_CREATED_AT,
    .write = campaign_write,
    .csv = csv_columns,
};


enum ads_err
api_campaign_list(struct request *request)
{
    static const char *const states[] = {"draft", "paused", "active",
                                         "archived", NULL};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "campaigns") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    list_word(list, &args, "status", states);
    db_arg_text(&args, query_words(&list->query, "q", 200));
    list_time(list, &args, "updated_since");
    db_arg_text(&args, query_words(&list->query, "external_id", 200));
    return list_run(list, &STMT_LIST, &args, &LIST);
}


enum ads_err
api_campaign_get(struct request *request)
{
    struct ads_uuid id;

    return request_id_read(request, &id) == ADS_OK
               ? answer_row(request, &id, 200)
               : ADS_ANSWERED;
}


/* The row to change, locked, when If-Match allows it. */
static enum ads_err
row_lock(struct request *request, const struct ads_uuid *id,
         struct db_rows **rows)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    err = db_queue(request->tx, &STMT_LOCK, &args);
    if (err == ADS_OK) {
        err = request_row_find(request, &STMT_ROW, id, rows);
    }
    if (err == ADS_OK) {
        err = etag_check(request, db_int(*rows, 0, C_CHANGED_N));
    }
    return err;
}


static enum ads_err
row_update(struct request *request, const struct ads_uuid *id,
           const struct campaign *campaign)
{
    struct db_args args;
    enum ads_err err;

    campaign_args(&args, request, campaign);
    db_arg_uuid(&args, id);
    err = db_queue(request->tx, &STMT_UPDATE, &args);
    if (err == ADS_OK) {
        err = answer_row(request, id, 200);
    }
    return answer_refused(request, err);
}


enum ads_err
api_campaign_patch(struct request *request)
{
    struct campaign campaign;
    struct db_rows *rows;
    struct form form;
    struct ads_uuid id;
    enum ads_err err;

    if (request_id_read(request, &id) != ADS_OK
        || body_begin(&form, request) != ADS_OK)
    {
        return ADS_ANSWERED;
    }
    err = row_lock(request, &id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    row_read(&campaign, request->pool, rows);
    campaign_form_read(&campaign, &form, false);
    err = timezone_judge(request, &form, campaign.timezone);
    if (err == ADS_OK) {
        err = body_end(&form, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    return row_update(request, &id, &campaign);
}


enum ads_err
api_campaign_delete(struct request *request)
{
    struct campaign campaign;
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;

    err = request_id_read(request, &id);
    if (err != ADS_OK) {
        return err;
    }
    err = row_lock(request, &id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    row_read(&campaign, request->pool, rows);
    campaign.status = ADS_STR("archived");
    return row_update(request, &id, &campaign);
}
