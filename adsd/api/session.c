/*
 * Endpoints of sessions.  A session belongs to a person, whichever account they
 * act for.
 */
#include "api/handlers.h"

#include "http/list.h"

#define COLUMNS                                                   \
    "s.id, s.created_at, s.last_used_at, s.expires_at, s.method," \
    " s.user_agent, s.account_id, s.id = $2 as current"           \
    " from ads.sessions_of($1) s"

static const struct db_stmt STMT_LIST = {
    .name = "session_list",
    .sql = "select " COLUMNS
           " where $3::timestamptz is null or (s.created_at, s.id) < ($3, $4)"
           " order by s.created_at desc, s.id desc limit $5",
    .n_params = 5,
};

static const struct db_stmt STMT_GET = {
    .name = "session_get",
    .sql = "select " COLUMNS " where s.id = $3",
    .n_params = 3,
};

static const struct db_stmt STMT_END = {
    .name = "session_end_one",
    .sql = "select ads.session_end($1, $2, null)",
    .n_params = 2,
};

static const struct db_stmt STMT_END_OTHERS = {
    .name = "session_end_others",
    .sql = "select ads.session_end($1, null, $2)",
    .n_params = 2,
};

static const struct field list_fields[] = {
    {"id", .type = FIELD_UUID},           {"current", .type = FIELD_BOOL},
    {"method", .type = FIELD_TEXT},       {"user_agent", .type = FIELD_TEXT},
    {"account_id", .type = FIELD_UUID},   {"created_at", .type = FIELD_TIME},
    {"last_used_at", .type = FIELD_TIME}, {"expires_at", .type = FIELD_TIME},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {.fields = &fields};


enum ads_err
api_session_list(struct request *request)
{
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "sessions") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_uuid(&args, &request->actor.session);
    return list_run(list, &STMT_LIST, &args, &LIST);
}


enum ads_err
api_session_end_others(struct request *request)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_uuid(&args, &request->actor.session);
    err = db_run(request->tx, &STMT_END_OTHERS, &args, NULL);
    if (err == ADS_OK) {
        request_answer_empty(request, 204);
    }
    return err;
}


enum ads_err
api_session_get(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    struct json json;
    enum ads_err err;

    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_uuid(&args, &request->actor.session);
    db_arg_uuid(&args, &id);
    err = db_run(request->tx, &STMT_GET, &args, &rows);
    if (err != ADS_OK || db_n_rows(rows) != 1) {
        return err != ADS_OK ? err : ADS_ABSENT;
    }
    json_init(&json, request->pool);
    fields_row_write(&fields, &json, rows, 0);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


enum ads_err
api_session_end(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;

    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_uuid(&args, &id);
    err = db_run(request->tx, &STMT_END, &args, &rows);
    if (err == ADS_OK && db_int(rows, 0, DB_ONLY) == 0) {
        err = ADS_ABSENT;
    }
    if (err == ADS_OK) {
        request_answer_empty(request, 204);
    }
    return err;
}
