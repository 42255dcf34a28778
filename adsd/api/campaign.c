/*
 * Endpoints of campaigns.  A change reads the row under the lock that all
 * changes take first (ads.change_bump), lays the body over it and writes all
 * columns.
 */
#include "api/handlers.h"

#include "catalog/campaign.h"
#include "http/body.h"
#include "http/etag.h"
#include "http/list.h"

/* Columns of ads.campaigns, c, of its states, s, and its account, a. */
#define ROW                                                     \
    "c.id, (ads.campaign_fields(c)).*, c.version, c.changed_n," \
    " c.created_at, c.updated_at, c.archived_at"
#define COLUMNS                                               \
    ROW ", a.currency, s.spent_micros, s.spent_today_micros," \
        " s.serving_status, array_to_json(s.reasons)::text as reasons"

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
    .sql = "with page as materialized (select c.id from ads.campaigns c"
           "     where c.account_id = $1"
           "     and ($2::text is null or c.status = $2)"
           "     and " NAMED
           "     and ($4::timestamptz is null or c.updated_at >= $4)"
           "     and ($5::text is null or c.external_id = $5)"
           "     and ($6::timestamptz is null or (c.created_at, c.id) <"
           "         ($6, $7::uuid))"
           "     order by c.created_at desc, c.id desc limit $8)"
           " select " COLUMNS " from ads.campaigns c"
           " join ads.accounts a on a.id = c.account_id"
           " join ads.campaign_states_of(array(select page.id from page)) s"
           "  on s.campaign_id = c.id"
           " where c.account_id = $1"
           " and c.id = any (array(select page.id from page))"
           " order by c.created_at desc, c.id desc",
    .n_params = 8,
};

static const struct db_stmt STMT_TIMEZONE = {
    .name = "campaign_timezone",
    .sql = "select ads.timezone_known($1) as known",
    .n_params = 1,
};

static const struct db_stmt STMT_INSERT = {
    .name = "campaign_insert",
    .sql = "select ads.campaign_insert($1, $2) as id",
    .n_params = 2,
};

static const struct db_stmt STMT_UPDATE = {
    .name = "campaign_update",
    .sql = "select ads.campaign_update($1, $2, $3)",
    .n_params = 3,
};


/* ---- answers ---- */

static enum ads_err
answer_row(struct request *request, const struct ads_uuid *id, unsigned status)
{
    struct db_rows *rows;
    struct json json;
    enum ads_err err = request_row_find(request, &STMT_GET, id, &rows);

    if (err != ADS_OK) {
        return err;
    }
    etag_put(request, db_int(rows, 0, db_column(rows, "changed_n")));
    json_init(&json, request->pool);
    fields_row_write(&campaign_fields, &json, rows, 0);
    request_answer_json(request, status, &json);
    return ADS_OK;
}


/* ---- reading and writing ---- */

static enum ads_err
campaign_arg(struct db_args *args, struct request *request,
             const struct campaign *campaign)
{
    return fields_arg(&campaign_fields, args, request->tx, "ads.campaign_in",
                      campaign, 1, sizeof(*campaign));
}


/* Notes a time zone that PostgreSQL does not know. */
static enum ads_err
timezone_check(struct request *request, struct form *form,
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
    if (err == ADS_OK && !db_bool(rows, 0, db_column(rows, "known"))) {
        form_error(form, "timezone", "not_allowed",
                   "must be the name of a time zone, as Europe/Berlin");
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
    err = timezone_check(request, &form, campaign.timezone);
    if (err == ADS_OK) {
        err = body_end(&form, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = campaign_arg(&args, request, &campaign);
    if (err == ADS_OK) {
        err = db_run(request->tx, &STMT_INSERT, &args, &rows);
    }
    if (err != ADS_OK) {
        return err;
    }
    id = db_uuid(rows, 0, db_column(rows, "id"));
    (void)ads_uuid_write(text, &id);
    location.ptr = pool_format(request->pool, &location.len,
                               "/v1/campaigns/%.*s", (int)sizeof(text), text);
    request_header(request, "Location", location);
    return answer_row(request, &id, 201);
}


enum ads_err
api_campaign_list(struct request *request)
{
    static const char *const states[] = {"draft", "paused", "active",
                                         "archived", NULL};
    static const struct list_of of = {.fields = &campaign_fields};
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
    return list_run(list, &STMT_LIST, &args, &of);
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
        err = etag_check(request,
                         db_int(*rows, 0, db_column(*rows, "changed_n")));
    }
    return err;
}


static enum ads_err
row_update(struct request *request, const struct ads_uuid *id,
           const struct campaign *campaign)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, id);
    err = campaign_arg(&args, request, campaign);
    if (err == ADS_OK) {
        err = db_queue(request->tx, &STMT_UPDATE, &args);
    }
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
    fields_row_read(&campaign_fields, &campaign, rows, 0, request->pool);
    campaign_form_read(&campaign, &form, false);
    err = timezone_check(request, &form, campaign.timezone);
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
    fields_row_read(&campaign_fields, &campaign, rows, 0, request->pool);
    campaign.status = ADS_STR("archived");
    return row_update(request, &id, &campaign);
}
