/*
 * Endpoints of an account: read and change.  Type, currency and status are not
 * an account's own to change.
 */
#include "api/handlers.h"

#include "auth/name.h"
#include "catalog/field.h"
#include "http/body.h"
#include "http/etag.h"

static const struct db_stmt STMT_LOCK = {
    .name = "account_lock",
    .sql = "select ads.change_bump()",
    .n_params = 0,
};

static const struct db_stmt STMT_GET = {
    .name = "account_get",
    .sql =
        "select a.id, a.type, a.name, a.status, a.currency::text, a.timezone,"
        " a.created_at, a.updated_at, a.changed_n,"
        " a.site, a.approved_at, a.earns_since"
        " from ads.accounts a where a.id = $1",
    .n_params = 1,
};

static const struct field list[] = {
    {"id", .type = FIELD_UUID},          {"type", .type = FIELD_TEXT},
    {"name", .type = FIELD_TEXT},        {"status", .type = FIELD_TEXT},
    {"currency", .type = FIELD_TEXT},    {"timezone", .type = FIELD_TEXT},
    {"created_at", .type = FIELD_TIME},  {"updated_at", .type = FIELD_TIME},
    {"site", .type = FIELD_TEXT}, /* from here on a publisher's */
    {"approved_at", .type = FIELD_TIME}, {"earns_since", .type = FIELD_TIME},
};
static const struct fields publisher_fields = FIELDS(list);
#define N_OF_ALL 8
static const struct fields other_fields = {list, N_OF_ALL};

static const struct db_stmt STMT_UPDATE = {
    .name = "account_update",
    .sql = "update ads.accounts a"
           " set name = coalesce($2, a.name),"
           " timezone = coalesce($3, a.timezone),"
           " site = coalesce($4, a.site)"
           " where a.id = $1",
    .n_params = 4,
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
    fields_row_write(
        ads_str_is(db_text(rows, 0, db_column(rows, "type")), "publisher")
            ? &publisher_fields
            : &other_fields,
        &json, rows, 0);
    etag_put(request, db_int(rows, 0, db_column(rows, "changed_n")));
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* Notes an error when there is no such zone. */
static enum ads_err
timezone_check(struct request *request, struct form *form, struct ads_str name)
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
                   "must be the name of a time zone, as Europe/Berlin");
    }
    return err;
}


enum ads_err
api_account_patch(struct request *request)
{
    struct ads_str name, timezone, site;
    struct db_args args;
    struct db_rows *rows = NULL;
    struct form form;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    timezone = form_text(&form, "timezone", FORM_KEPT, 1, 64);
    err = auth_name_field(request, &form, "name", FORM_KEPT, &name);
    if (err == ADS_OK) {
        err = auth_name_field(request, &form, "site", FORM_KEPT, &site);
    }
    if (err == ADS_OK) {
        err = timezone_check(request, &form, timezone);
    }
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
        err =
            etag_check(request, db_int(rows, 0, db_column(rows, "changed_n")));
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, name);
    db_arg_text(&args, timezone);
    db_arg_text(&args, site);
    err = db_run(request->tx, &STMT_UPDATE, &args, NULL);
    return err == ADS_OK ? api_account_get(request) : err;
}
