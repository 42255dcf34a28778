/*
 * POST /v1/platform/accounts/{id}/approve: the platform lets a publisher earn.
 *
 * The publisher is another account's row, so the statement is a function that
 * answers to the platform only.
 */
#include "api/handlers.h"

#include "auth/name.h"
#include "db/row.h"
#include "http/body.h"

static const struct db_stmt STMT_APPROVE = {
    .name = "publisher_approve",
    .sql = "select a.site, a.approved_at, a.earns_since"
           " from ads.publisher_approve($1, $2) a",
    .n_params = 2,
};

enum approval_column {
    APPROVAL_SITE,
    APPROVAL_APPROVED_AT,
    APPROVAL_EARNS_SINCE
};


enum ads_err
api_publisher_approve(struct request *request)
{
    struct ads_uuid id;
    struct ads_str site;
    struct db_args args;
    struct db_rows *rows;
    struct form form;
    struct json json;
    enum ads_err err;

    if (body_begin(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    err = auth_name_field(request, &form, "site", FORM_OPTIONAL, &site);
    if (err == ADS_OK) {
        err = body_end(&form, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &id);
    db_arg_text(&args, site);
    err = db_run(request->tx, &STMT_APPROVE, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) == 0) {
        return ADS_ABSENT;
    }
    if (db_is_null(rows, 0, APPROVAL_APPROVED_AT)) {
        return request_answer_problem(
            request, ADS_PROBLEM_CONFLICT,
            "the publisher has not named a site or app; send site");
    }

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_uuid(&json, "account_id", &id);
    json_string(&json, "site", db_text(rows, 0, APPROVAL_SITE));
    row_time(&json, "approved_at", rows, 0, APPROVAL_APPROVED_AT);
    row_time(&json, "earns_since", rows, 0, APPROVAL_EARNS_SINCE);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}
