/*
 * GET /v1/account/quotas: what an account may have and do, and what it used.
 * Only the operator changes that (adsctl tenant quota).
 */
#include "api/handlers.h"

#include "db/db.h"

static const struct db_stmt STMT_QUOTAS = {
    .name = "account_quotas",
    .sql = "select q.name, q.most, q.used, q.per_s, q.counts"
           " from ads.quotas_of($1) q",
    .n_params = 1,
};

enum quota_column {
    QUOTA_NAME,
    QUOTA_MOST,
    QUOTA_USED,
    QUOTA_PER_S,
    QUOTA_COUNTS
};


enum ads_err
api_account_quotas(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct json json;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = db_run(request->tx, &STMT_QUOTAS, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_array_begin(&json, "data");
    for (int i = 0; i < db_n_rows(rows); i++) {
        json_object_begin(&json, NULL);
        json_string(&json, "name", db_text(rows, i, QUOTA_NAME));
        json_int(&json, "limit", db_int(rows, i, QUOTA_MOST));
        json_int(&json, "used", db_int(rows, i, QUOTA_USED));
        if (db_is_null(rows, i, QUOTA_PER_S)) {
            json_null(&json, "per_s");
        } else {
            json_int(&json, "per_s", db_int(rows, i, QUOTA_PER_S));
        }
        json_string(&json, "counts", db_text(rows, i, QUOTA_COUNTS));
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}
