/*
 * Endpoint of the audit log.  The log is written by triggers
 * (sql/code/18_audit.sql); here it is only read.
 */
#include "api/handlers.h"

#include "http/list.h"

static const struct db_stmt STMT_LIST = {
    .name = "audit_list",
    .sql = "select l.at, lpad(to_hex(l.id), 32, '0')::uuid as place, l.actor, "
           "l.action,"
           " l.object, l.object_id, l.before, l.after,"
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

static const struct field list_fields[] = {
    {"at", .type = FIELD_TIME},        {"actor", .type = FIELD_TEXT},
    {"action", .type = FIELD_TEXT},    {"object", .type = FIELD_TEXT},
    {"object_id", .type = FIELD_TEXT}, {"before", .type = FIELD_JSON},
    {"after", .type = FIELD_JSON},     {"request_id", .type = FIELD_UUID},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {
    .fields = &fields, .by_id = "place", .by_time = "at"};


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
