/*
 * Endpoints of product reviews.  Products are other accounts' rows, so both
 * statements are functions that answer to the platform only.
 */
#include "api/handlers.h"

#include "http/body.h"
#include "http/list.h"

static const struct db_stmt STMT_LIST = {
    .name = "review_list",
    .sql = "select r.* from ads.reviews_list(coalesce($1, 'pending'), $2, $3, "
           "$4, $5)"
           " r",
    .n_params = 5,
};

static const struct db_stmt STMT_PUT = {
    .name = "review_put",
    .sql = "select ads.review_put($1, $2, $3, $4)",
    .n_params = 4,
};

static const struct field list_fields[] = {
    {"product_id", .type = FIELD_UUID},
    {"account_id", .type = FIELD_UUID},
    {"account", .type = FIELD_TEXT, .column = "account_name"},
    {"status", .type = FIELD_TEXT, .column = "review_status"},
    {"reason", .type = FIELD_TEXT, .column = "review_reason"},
    {"title", .type = FIELD_TEXT},
    {"description", .type = FIELD_TEXT},
    {"brand", .type = FIELD_TEXT},
    {"url", .type = FIELD_TEXT},
    {"image_url", .type = FIELD_TEXT},
    {"created_at", .type = FIELD_TIME},
    {"updated_at", .type = FIELD_TIME},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {.fields = &fields, .by_id = "product_id"};


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
                   "must be absent where the decision is to approve");
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
    if (err == ADS_OK && db_is_null(rows, 0, DB_ONLY)) {
        return request_answer_problem(
            request, ADS_PROBLEM_CONFLICT,
            "the product was changed after updated_at");
    }
    if (err == ADS_OK) {
        answer_write(request, &product, status, reason);
    }
    return err;
}
