/*
 * The log is filled by triggers (sql/code/18_audit.sql); here it is only read.
 */
#include "api_audit.h"

#include "list.h"
#include "row.h"

static const struct db_stmt STMT_LIST = {
    .name = "audit_list",
    .sql = "select l.at, lpad(to_hex(l.id), 32, '0')::uuid, l.actor, l.action,"
           " l.object, l.object_id, l.before::text, l.after::text,"
           " l.request_id"
           " from ads.audit_log l"
           " where l.account_id = $1"
           " and ($2::text is null or l.object = $2)"
           " and ($3::text is null or l.object_id = $3)"
           " and ($4::timestamptz is null or (l.at, lpad(to_hex(l.id), 32,"
           " '0')::uuid) < ($4, $5::uuid))"
           " order by l.at desc, l.id desc limit $6",
    .n_params = 6,
};

/* Of the list as CSV. */
static const char csv_columns[] =
    "at,actor,action,object,object_id,before,after,request_id";


static void
row_write(struct json *json, const struct db_rows *rows, int i)
{
    json_object_begin(json, NULL);
    json_time(json, "at", db_time(rows, i, 0));
    json_string(json, "actor", db_text(rows, i, 2));
    json_string(json, "action", db_text(rows, i, 3));
    json_string(json, "object", db_text(rows, i, 4));
    json_string(json, "object_id", db_text(rows, i, 5));
    json_raw(json, "before", db_text(rows, i, 6));
    json_raw(json, "after", db_text(rows, i, 7));
    row_uuid(json, "request_id", rows, i, 8);
    json_object_end(json);
}


enum ads_err
api_audit_list(struct request *request)
{
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct ads_str object, object_id;
    struct ads_uuid id;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (!list_begin(list, request, "audit")) {
        return ADS_OK;
    }
    object = query_text(&list->query, "object", 64);
    object_id = query_text(&list->query, "object_id", 64);
    if (!list_ready(list)) {
        return ADS_OK;
    }

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, object);
    db_arg_text(&args, object_id);
    list_args(list, &args);
    err = db_run(request->tx, &STMT_LIST, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    for (int i = 0; i < db_n_rows(rows); i++) {
        id = db_uuid(rows, i, 1);
        if (list_row(list, db_time(rows, i, 0), &id)) {
            row_write(&list->json, rows, i);
        }
    }
    list_answer(list, csv_columns);
    return ADS_OK;
}
