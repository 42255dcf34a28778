/*
 * Endpoint of the audit log.  The log is written by triggers
 * (sql/code/18_audit.sql); here it is only read.
 */
#include "api/handlers.h"

#include "db/row.h"
#include "http/list.h"

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


static const struct list_of LIST = {
    .id = 1,
    .created_at = 0,
    .write = row_write,
    .csv = csv_columns,
};


enum ads_err
api_audit_list(struct request *request)
{
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "audit") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, query_text(&list->query, "object", 64));
    db_arg_text(&args, query_text(&list->query, "object_id", 64));
    return list_run(list, &STMT_LIST, &args, &LIST);
}
