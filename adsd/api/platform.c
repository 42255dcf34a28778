/*
 * GET /v1/platform/accounts: accounts of all.  They are other tenants' rows, so
 * the statement is a function that answers to the platform only.
 */
#include "api/handlers.h"

#include "http/list.h"

static const struct db_stmt STMT_LIST = {
    .name = "platform_accounts",
    .sql = "select a.* from ads.platform_accounts($1, $2, $3, $4, $5, $6) a",
    .n_params = 6,
};

static const struct field list_fields[] = {
    {"id", .type = FIELD_UUID},          {"type", .type = FIELD_TEXT},
    {"name", .type = FIELD_TEXT},        {"status", .type = FIELD_TEXT},
    {"currency", .type = FIELD_TEXT},    {"timezone", .type = FIELD_TEXT},
    {"site", .type = FIELD_TEXT},        {"approved_at", .type = FIELD_TIME},
    {"earns_since", .type = FIELD_TIME}, {"suspended_at", .type = FIELD_TIME},
    {"created_at", .type = FIELD_TIME},  {"updated_at", .type = FIELD_TIME},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {.fields = &fields};


enum ads_err
api_account_list(struct request *request)
{
    static const char *const types[] = {"publisher", "advertiser", "platform",
                                        NULL};
    static const char *const states[] = {"active", "suspended", NULL};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "accounts") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    list_word(list, &args, "type", types);
    list_word(list, &args, "status", states);
    db_arg_text(&args, query_words(&list->query, "q", 200));
    return list_run(list, &STMT_LIST, &args, &LIST);
}
