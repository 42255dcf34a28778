/*
 * Endpoints of sessions.  A session belongs to a person, whichever account they
 * act for.
 */
#include "api/handlers.h"

#include "http/list.h"

#define COLUMNS                                                   \
    "s.id, s.created_at, s.last_used_at, s.expires_at, s.method," \
    " s.user_agent, s.account_id, s.id = $2"                      \
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

/* Of the list as CSV. */
static const char csv_columns[] =
    "id,current,method,user_agent,account_id,created_at,last_used_at,"
    "expires_at";


static void
row_write(struct json *json, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, 0), account = db_uuid(rows, i, 6);

    json_object_begin(json, NULL);
    json_uuid(json, "id", &id);
    json_bool(json, "current", db_bool(rows, i, 7));
    json_string(json, "method", db_text(rows, i, 4));
    json_string(json, "user_agent", db_text(rows, i, 5));
    json_uuid(json, "account_id", &account);
    json_time(json, "created_at", db_time(rows, i, 1));
    json_time(json, "last_used_at", db_time(rows, i, 2));
    json_time(json, "expires_at", db_time(rows, i, 3));
    json_object_end(json);
}


static const struct list_of LIST = {
    .id = 0,
    .created_at = 1,
    .write = row_write,
    .csv = csv_columns,
};


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
    row_write(&json, rows, 0);
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
    if (err == ADS_OK && db_int(rows, 0, 0) == 0) {
        err = ADS_ABSENT;
    }
    if (err == ADS_OK) {
        request_answer_empty(request, 204);
    }
    return err;
}
