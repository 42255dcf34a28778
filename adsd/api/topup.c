/*
 * Endpoints of top-ups.  PostgreSQL says what happened by a word or an error
 * code; here it becomes a status.
 */
#include "api/handlers.h"

#include "ads_money.h"
#include "auth/webhook.h"
#include "base/clock.h"
#include "db/row.h"
#include "http/body.h"
#include "http/list.h"

#define REFERENCE_MAX 200
#define REASON_MAX 500
#define TOPUP_LEAST ADS_MONEY_UNIT
#define TOPUP_MOST (1000000 * ADS_MONEY_UNIT)

static const struct db_stmt STMT_CREATE = {
    .name = "topup_request",
    .sql = "select t.topup_id, t.status, t.balance_micros, t.created"
           " from ads.topup_request($1, $2, $3) t",
    .n_params = 3,
};

static const struct db_stmt STMT_DECIDE = {
    .name = "platform_topup",
    .sql = "select t.topup_id, t.status, t.balance_micros, t.created"
           " from ads.platform_topup($1, $2, $3) t",
    .n_params = 3,
};

enum topup_column { TOPUP_ID, TOPUP_STATUS, TOPUP_BALANCE, TOPUP_CREATED };

static const struct db_stmt STMT_LIST = {
    .name = "platform_topups",
    .sql = "select t.id, t.account_id, t.name, t.amount_micros,"
           " t.reversed_micros, t.reference, t.status, t.reject_reason,"
           " t.created_at, t.decided_at"
           " from ads.platform_topups($1, $2, $3, $4, $5) t",
    .n_params = 5,
};

static const struct db_stmt STMT_WEBHOOK = {
    .name = "topup_webhook",
    .sql = "select t.state, t.created, t.balance_micros"
           " from ads.topup_webhook($1, $2, $3, $4, $5) t",
    .n_params = 5,
};

enum webhook_column { WEBHOOK_STATE, WEBHOOK_CREATED };

static const struct db_stmt STMT_REVERSE = {
    .name = "platform_reversal",
    .sql = "select r.state, r.reversal_id, r.account_id, r.amount_micros,"
           " r.balance_micros, r.created_at"
           " from ads.platform_reversal($1, $2, $3, $4, $5) r",
    .n_params = 5,
};

enum reversal_column {
    REVERSAL_STATE,
    REVERSAL_ID,
    REVERSAL_ACCOUNT,
    REVERSAL_AMOUNT,
    REVERSAL_BALANCE,
    REVERSAL_CREATED_AT
};

static const struct field list_fields[] = {
    {"id", .type = FIELD_UUID},
    {"account_id", .type = FIELD_UUID},
    {"account_name", .type = FIELD_TEXT, .column = "name"},
    {"amount", .type = FIELD_MONEY},
    {"reversed", .type = FIELD_MONEY},
    {"reference", .type = FIELD_TEXT},
    {"status", .type = FIELD_TEXT},
    {"reject_reason", .type = FIELD_TEXT},
    {"created_at", .type = FIELD_TIME},
    {"decided_at", .type = FIELD_TIME},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {.fields = &fields};

static const struct field topup_list[] = {
    {"transaction_id", .type = FIELD_UUID, .column = "topup_id"},
    {"status", .type = FIELD_TEXT},
    {"balance", .type = FIELD_MONEY},
};
static const struct fields topup_fields = FIELDS(topup_list);


static void
topup_answer(struct request *request, unsigned status,
             const struct db_rows *rows)
{
    struct json json;

    json_init(&json, request->pool);
    fields_row_write(&topup_fields, &json, rows, 0);
    request_answer_json(request, status, &json);
}


/*
 * The one currency of the installation, said so that no client pays in another.
 */
static struct ads_str
currency_read(const struct request *request, struct form *form)
{
    struct ads_str text = form_text(form, "currency", FORM_REQUIRED, 3, 3);

    if (text.ptr != NULL && !ads_str_is(text, request->adsd->conf.currency)) {
        form_error(form, "currency", "currency_unsupported",
                   "is not the currency of this installation");
    }
    return text;
}


/* ---- the advertiser ---- */

enum ads_err
api_topup_create(struct request *request)
{
    struct form form;
    struct ads_str reference;
    struct db_args args;
    struct db_rows *rows;
    int64_t micros = 0;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    (void)form_money(&form, "amount", FORM_REQUIRED, TOPUP_LEAST, TOPUP_MOST,
                     &micros);
    (void)currency_read(request, &form);
    reference = form_text(&form, "reference", FORM_REQUIRED, 1, REFERENCE_MAX);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_int8(&args, micros);
    db_arg_text(&args, reference);
    err = db_run(request->tx, &STMT_CREATE, &args, &rows);
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "ADB01") == 0) {
        return request_answer_problem(
            request, ADS_PROBLEM_REFERENCE_REUSED,
            "a top-up of another amount has this reference");
    }
    if (err != ADS_OK) {
        return err;
    }
    topup_answer(request, db_bool(rows, 0, TOPUP_CREATED) ? 201 : 200, rows);
    return ADS_OK;
}


/* ---- the platform ---- */

enum ads_err
api_topup_list(struct request *request)
{
    static const char *const statuses[] = {"pending", "settled", "rejected",
                                           NULL};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "topups") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    list_word(list, &args, "status", statuses);
    list_uuid(list, &args, "account_id");
    return list_run(list, &STMT_LIST, &args, &LIST);
}


/* Settles or rejects the top-up of the path. */
static enum ads_err
decide(struct request *request, bool settle, struct ads_str reason)
{
    const char *wanted = settle ? "settled" : "rejected";
    struct ads_uuid id;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &id);
    db_arg_bool(&args, settle);
    db_arg_text(&args, reason);
    err = db_run(request->tx, &STMT_DECIDE, &args, &rows);
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "ADN01") == 0) {
        return ADS_ABSENT;
    }
    if (err != ADS_OK) {
        return err;
    }
    if (!ads_str_is(db_text(rows, 0, TOPUP_STATUS), wanted)) {
        return request_answer_problem(request, ADS_PROBLEM_INVALID_TRANSITION,
                                      settle ? "the top-up was rejected"
                                             : "the top-up was settled");
    }
    topup_answer(request, 200, rows);
    return ADS_OK;
}


enum ads_err
api_topup_settle(struct request *request)
{
    struct form form;

    if (body_begin(&form, request) != ADS_OK
        || body_end(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    return decide(request, true, (struct ads_str){NULL, 0});
}


enum ads_err
api_topup_reject(struct request *request)
{
    struct form form;
    struct ads_str reason;

    if (body_begin(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    reason = form_text(&form, "reason", FORM_REQUIRED, 1, REASON_MAX);
    if (body_end(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    return decide(request, false, reason);
}


/* ---- the payment provider ---- */

static enum ads_err
webhook_answer(struct request *request, const struct db_rows *rows)
{
    struct ads_str state = db_text(rows, 0, WEBHOOK_STATE);
    struct json json;

    if (ads_str_is(state, "not_found") || ads_str_is(state, "off")) {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND,
                                      "no such top-up");
    }
    if (ads_str_is(state, "mismatch")) {
        return request_answer_problem(
            request, ADS_PROBLEM_CONFLICT,
            "the top-up has another amount or currency");
    }
    if (ads_str_is(state, "conflict")) {
        return request_answer_problem(request, ADS_PROBLEM_INVALID_TRANSITION,
                                      "the opposite was decided before");
    }
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_string(&json, "status", state);
    json_bool(&json, "repeated", !db_bool(rows, 0, WEBHOOK_CREATED));
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* Is it signed by the payment provider? */
static enum ads_err
webhook_check(struct request *request)
{
    if (request->adsd->webhook == NULL) {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND,
                                      "topup_settlement is not webhook");
    }
    if (!auth_webhook_check(request->adsd->webhook,
                            request_find(request, "HTTP_ADS_SIGNATURE"),
                            (struct ads_str){request->body, request->body_len},
                            clock_realtime_us() / 1000000))
    {
        return request_answer_problem(
            request, ADS_PROBLEM_CREDENTIAL_INVALID,
            "Ads-Signature does not fit, or is too old");
    }
    return ADS_OK;
}


enum ads_err
api_topup_webhook(struct request *request)
{
    static const char *const statuses[] = {"settled", "rejected", NULL};
    struct form form;
    struct ads_uuid id = {{0}};
    struct ads_str currency, reason;
    struct db_args args;
    struct db_rows *rows;
    int64_t micros = 0;
    enum ads_err err;
    int status;

    if (webhook_check(request) != ADS_OK
        || body_begin(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    (void)form_uuid(&form, "transaction_id", FORM_REQUIRED, &id);
    (void)form_money(&form, "amount", FORM_REQUIRED, TOPUP_LEAST, TOPUP_MOST,
                     &micros);
    currency = form_text(&form, "currency", FORM_REQUIRED, 3, 3);
    status = form_choice(&form, "status", FORM_REQUIRED, statuses);
    reason = form_text(&form, "reason", FORM_OPTIONAL, 1, REASON_MAX);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &id);
    db_arg_int8(&args, micros);
    db_arg_text(&args, currency);
    db_arg_bool(&args, status == 0);
    db_arg_text(&args,
                reason.ptr != NULL ? reason : ADS_STR("payment provider"));
    err = db_run(request->tx, &STMT_WEBHOOK, &args, &rows);
    return err == ADS_OK ? webhook_answer(request, rows) : err;
}


/* ---- reversals ---- */

/* What PostgreSQL says instead of doing it. */
static const struct {
    const char *state;
    enum ads_problem problem;
    const char *detail;
} refusals[] = {
    {"not_found", ADS_PROBLEM_NOT_FOUND, "no such top-up or click"},
    {"not_settled", ADS_PROBLEM_INVALID_TRANSITION,
     "the top-up was not settled"},
    {"not_billed", ADS_PROBLEM_CONFLICT, "the click was not billed"},
    {"reversed", ADS_PROBLEM_CONFLICT,
     "it was reversed before, by another reference"},
    {"too_much", ADS_PROBLEM_CONFLICT,
     "a click goes back as a whole, and of a top-up no more than is left"},
    {"no_funds", ADS_PROBLEM_INSUFFICIENT_BALANCE,
     "the money was spent meanwhile"},
    {"reference_reused", ADS_PROBLEM_REFERENCE_REUSED, NULL},
};


static enum ads_err
reversal_answer(struct request *request, const struct db_rows *rows)
{
    struct ads_uuid id = db_uuid(rows, 0, REVERSAL_ID),
                    account = db_uuid(rows, 0, REVERSAL_ACCOUNT);
    struct ads_str state = db_text(rows, 0, REVERSAL_STATE);
    struct json json;

    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (ads_str_is(state, refusals[i].state)) {
            return request_answer_problem(request, refusals[i].problem,
                                          refusals[i].detail);
        }
    }
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_uuid(&json, "id", &id);
    json_uuid(&json, "account_id", &account);
    json_money(&json, "amount", db_int(rows, 0, REVERSAL_AMOUNT));
    json_money(&json, "balance", db_int(rows, 0, REVERSAL_BALANCE));
    json_time(&json, "created_at", db_time(rows, 0, REVERSAL_CREATED_AT));
    json_object_end(&json);
    request_answer_json(request, ads_str_is(state, "created") ? 201 : 200,
                        &json);
    return ADS_OK;
}


enum ads_err
api_reversal_create(struct request *request)
{
    struct form form;
    struct ads_uuid topup, click;
    struct ads_str reason, reference;
    struct db_args args;
    struct db_rows *rows;
    int64_t micros;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    if (form_has(&form, "transaction_id") == form_has(&form, "click_id")) {
        form_error(&form, NULL, "required",
                   "must name one of transaction_id and click_id");
    }
    db_arg_uuid(&args, form_uuid(&form, "transaction_id", FORM_OPTIONAL, &topup)
                           ? &topup
                           : NULL);
    db_arg_uuid(&args, form_uuid(&form, "click_id", FORM_OPTIONAL, &click)
                           ? &click
                           : NULL);
    if (form_money(&form, "amount", FORM_OPTIONAL, 1, TOPUP_MOST, &micros)) {
        db_arg_int8(&args, micros);
    } else {
        db_arg_null(&args);
    }
    reason = form_text(&form, "reason", FORM_REQUIRED, 1, REASON_MAX);
    reference = form_text(&form, "reference", FORM_REQUIRED, 1, REFERENCE_MAX);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    db_arg_text(&args, reason);
    db_arg_text(&args, reference);
    err = db_run(request->tx, &STMT_REVERSE, &args, &rows);
    return err == ADS_OK ? reversal_answer(request, rows) : err;
}
