/*
 * Endpoints of product reviews.  Products are other accounts' rows, so both
 * statements are functions that answer to the platform only.
 */
#include "api/handlers.h"

#include "http/body.h"
#include "http/list.h"

static const struct db_stmt STMT_LIST = {
    .name = "review_list",
    .sql = "select r.product_id, r.account_id, r.account_name,"
           "    r.review_status, r.review_reason, r.title, r.description,"
           "    r.brand, r.url, r.image_url, r.created_at, r.updated_at "
           "from ads.reviews_list(coalesce($1, 'pending'), $2, $3, $4, $5)"
           " r",
    .n_params = 5,
};

static const struct db_stmt STMT_PUT = {
    .name = "review_put",
    .sql = "select ads.review_put($1, $2, $3, $4)",
    .n_params = 4,
};

/* Of the list as CSV. */
static const char csv_columns[] =
    "product_id,account_id,account,status,reason,title,description,brand,url,"
    "image_url,created_at,updated_at";


static void
row_write(struct json *json, const struct db_rows *rows, int i)
{
    struct ads_uuid product = db_uuid(rows, i, 0);
    struct ads_uuid account = db_uuid(rows, i, 1);

    json_object_begin(json, NULL);
    json_uuid(json, "product_id", &product);
    json_uuid(json, "account_id", &account);
    json_string(json, "account", db_text(rows, i, 2));
    json_string(json, "status", db_text(rows, i, 3));
    json_string(json, "reason", db_text(rows, i, 4));
    json_string(json, "title", db_text(rows, i, 5));
    json_string(json, "description", db_text(rows, i, 6));
    json_string(json, "brand", db_text(rows, i, 7));
    json_string(json, "url", db_text(rows, i, 8));
    json_string(json, "image_url", db_text(rows, i, 9));
    json_time(json, "created_at", db_time(rows, i, 10));
    json_time(json, "updated_at", db_time(rows, i, 11));
    json_object_end(json);
}


static const struct list_of LIST = {
    .id = 0,
    .created_at = 10,
    .write = row_write,
    .csv = csv_columns,
};


enum ads_err
api_review_list(struct request *request)
{
    static const char *const states[] = {"pending", "approved", "rejected",
                                         NULL};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "reviews") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    list_word(list, &args, "status", states);
    list_uuid(list, &args, "account_id");
    return list_run(list, &STMT_LIST, &args, &LIST);
}


static void
answer_write(struct request *request, const struct ads_uuid *product,
             struct ads_str status, struct ads_str reason)
{
    struct json json;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_uuid(&json, "product_id", product);
    json_string(&json, "status", status);
    json_string(&json, "reason", reason);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
}


enum ads_err
api_review_post(struct request *request)
{
    static const char *const decisions[] = {"approve", "reject", NULL};
    struct ads_str status, reason;
    struct ads_uuid product;
    struct db_args args;
    struct db_rows *rows;
    struct form form;
    int64_t updated_us;
    enum ads_err err;
    int decision;
    bool seen;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    (void)form_uuid(&form, "product_id", FORM_REQUIRED, &product);
    decision = form_choice(&form, "decision", FORM_REQUIRED, decisions);
    reason =
        form_text(&form, "reason", decision == 1 ? FORM_REQUIRED : 0, 1, 500);
    seen = form_time(&form, "updated_at", 0, &updated_us);
    if (decision == 0 && reason.ptr != NULL) {
        form_error(&form, "reason", "not_allowed",
                   "what is approved has no reason");
    }
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    status = decision == 0 ? ADS_STR("approved") : ADS_STR("rejected");

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &product);
    db_arg_text(&args, status);
    db_arg_text(&args, reason);
    if (seen) {
        db_arg_time(&args, updated_us);
    } else {
        db_arg_null(&args);
    }
    err = db_run(request->tx, &STMT_PUT, &args, &rows);
    if (err == ADS_OK && db_n_rows(rows) == 0) {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
    }
    if (err == ADS_OK && db_is_null(rows, 0, 0)) {
        return request_answer_problem(
            request, ADS_PROBLEM_CONFLICT,
            "the product was changed after updated_at");
    }
    if (err == ADS_OK) {
        answer_write(request, &product, status, reason);
    }
    return err;
}
