/*
 * Endpoints of an account: read and change.  Type, currency and status are not
 * an account's own to change.
 */
#include "api/handlers.h"

#include "http/body.h"
#include "http/etag.h"

static const struct db_stmt STMT_LOCK = {
    .name = "account_lock",
    .sql = "select ads.change_bump()",
    .n_params = 0,
};

static const struct db_stmt STMT_GET = {
    .name = "account_get",
    .sql = "select a.type, a.name, a.status, a.currency::text, a.timezone,"
           " a.created_at, a.updated_at, a.changed_n"
           " from ads.accounts a where a.id = $1",
    .n_params = 1,
};

enum account_column {
    ACCOUNT_TYPE,
    ACCOUNT_NAME,
    ACCOUNT_STATUS,
    ACCOUNT_CURRENCY,
    ACCOUNT_TIMEZONE,
    ACCOUNT_CREATED_AT,
    ACCOUNT_UPDATED_AT,
    ACCOUNT_CHANGED_N
};

static const struct db_stmt STMT_UPDATE = {
    .name = "account_update",
    .sql = "update ads.accounts a"
           " set name = coalesce($2, a.name),"
           " timezone = coalesce($3, a.timezone)"
           " where a.id = $1",
    .n_params = 3,
};

static const struct db_stmt STMT_TIMEZONE = {
    .name = "account_timezone",
    .sql = "select ads.timezone_known($1)",
    .n_params = 1,
};


static enum ads_err
row_find(struct request *request, struct db_rows **rows)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = db_run(request->tx, &STMT_GET, &args, rows);
    return err == ADS_OK && db_n_rows(*rows) != 1 ? ADS_IO : err;
}


enum ads_err
api_account_get(struct request *request)
{
    struct db_rows *rows;
    struct json json;
    enum ads_err err;

    err = row_find(request, &rows);
    if (err != ADS_OK) {
        return err;
    }
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_uuid(&json, "id", &request->actor.account);
    json_string(&json, "type", db_text(rows, 0, ACCOUNT_TYPE));
    json_string(&json, "name", db_text(rows, 0, ACCOUNT_NAME));
    json_string(&json, "status", db_text(rows, 0, ACCOUNT_STATUS));
    json_string(&json, "currency", db_text(rows, 0, ACCOUNT_CURRENCY));
    json_string(&json, "timezone", db_text(rows, 0, ACCOUNT_TIMEZONE));
    json_time(&json, "created_at", db_time(rows, 0, ACCOUNT_CREATED_AT));
    json_time(&json, "updated_at", db_time(rows, 0, ACCOUNT_UPDATED_AT));
    json_object_end(&json);
    etag_put(request, db_int(rows, 0, ACCOUNT_CHANGED_N));
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* Notes an error when there is no such zone. */
static enum ads_err
timezone_judge(struct request *request, struct form *form, struct ads_str name)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (name.ptr == NULL) {
        return ADS_OK;
    }
    db_args_init(&args, request->pool);
    db_arg_text(&args, name);
    err = db_run(request->tx, &STMT_TIMEZONE, &args, &rows);
    if (err == ADS_OK && !db_bool(rows, 0, DB_ONLY)) {
        form_error(form, "timezone", "not_allowed",
                   "is no time zone that is known here");
    }
    return err;
}


enum ads_err
api_account_patch(struct request *request)
{
    struct ads_str name, timezone;
    struct db_args args;
    struct db_rows *rows = NULL;
    struct form form;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    name = form_text(&form, "name", 0, 1, 200);
    timezone = form_text(&form, "timezone", 0, 1, 64);
    err = timezone_judge(request, &form, timezone);
    if (err == ADS_OK) {
        err = body_end(&form, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    err = db_run(request->tx, &STMT_LOCK, &args, NULL);
    if (err == ADS_OK) {
        err = row_find(request, &rows);
    }
    if (err == ADS_OK) {
        err = etag_check(request, db_int(rows, 0, ACCOUNT_CHANGED_N));
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, name);
    db_arg_text(&args, timezone);
    err = db_run(request->tx, &STMT_UPDATE, &args, NULL);
    return err == ADS_OK ? api_account_get(request) : err;
}
