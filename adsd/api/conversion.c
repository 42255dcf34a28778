/*
 * Endpoint of conversions.  The body is validated before PostgreSQL is asked;
 * what belongs to whom, and what was there before, only PostgreSQL knows.
 */
#include "api/handlers.h"

#include <stdio.h>

#include "api/conversion_body.h"
#include "base/clock.h"
#include "daemon/click_keys.h"

static const struct db_stmt STMT_RECORD = {
    .name = "conversion_record",
    .sql = "select status, event_id, campaign_id, ad_id, click_at, reason"
           " from ads.conversion_record($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    .n_params = 9,
};

enum record_column {
    RECORD_STATUS,
    RECORD_EVENT,
    RECORD_CAMPAIGN,
    RECORD_AD,
    RECORD_CLICK_AT,
    RECORD_REASON
};

enum outcome {
    OUTCOME_STORED, /* recorded, duplicate, unattributed */
    OUTCOME_ACCEPTED,
    OUTCOME_BAD_FIELD, /* the item's error says which */
    OUTCOME_NOT_FOUND
};

struct job {
    const struct request *request;
    struct conversion *conversion;
    bool batch;
    uint32_t index; /* in the batch */
    enum outcome outcome;
    struct db_rows *rows; /* what PostgreSQL said, when stored or accepted */
};


/* `name` is the field; the item's own pointer goes before it. */
static void
field_error(const struct job *job, const char *name, const char *code,
            const char *detail)
{
    struct ads_field_error *error = &job->conversion->error;

    if (job->batch) {
        (void)snprintf(error->pointer, sizeof(error->pointer), "/events/%u/%s",
                       job->index, name);
    } else {
        (void)snprintf(error->pointer, sizeof(error->pointer), "/%s", name);
    }
    error->code = code;
    (void)snprintf(error->detail, sizeof(error->detail), "%s", detail);
}


static void
mismatch(const struct job *job)
{
    field_error(job, job->conversion->has_request_id ? "request_id" : "ad_id",
                "mismatch", "does not belong to click_id");
}


/* A click_id is a function of request and ad: with both given a mismatch needs
 * no look-up. */
static bool
ids_fit(const struct ads_ring *ring, const struct conversion *conversion)
{
    struct ads_uuid click;

    if (!conversion->has_request_id || !conversion->has_ad_id) {
        return true;
    }
    for (uint32_t i = 0; i < ring->n; i++) {
        click = ads_click_id_make(&ring->keys[i], &conversion->request_id,
                                  &conversion->ad_id);
        if (ads_uuid_equal(&click, &conversion->click_id)) {
            return true;
        }
    }
    return false;
}


static enum ads_err
record_work(struct db_tx *tx, void *arg)
{
    struct job *job = arg;
    const struct conversion *c = job->conversion;
    const struct ads_uuid *actor = &job->request->actor.account;
    int64_t occurred_us = c->occurred_ms == CONVERSION_TIME_NONE
                              ? clock_realtime_us()
                              : c->occurred_ms * 1000;
    struct db_args args;
    enum ads_err err;

    err = db_act_for(tx, actor, job->request->pool);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, job->request->pool);
    db_arg_uuid(&args, actor);
    db_arg_uuid(&args, &c->click_id);
    db_arg_int8(&args, c->value_micros);
    db_arg_text(&args, (struct ads_str){c->currency, 3});
    db_arg_text(&args, c->order_id);
    db_arg_uuid(&args, c->has_adjusts ? &c->adjusts : NULL);
    db_arg_uuid(&args, c->has_request_id ? &c->request_id : NULL);
    db_arg_uuid(&args, c->has_ad_id ? &c->ad_id : NULL);
    db_arg_time(&args, occurred_us);
    return db_run(tx, &STMT_RECORD, &args, &job->rows);
}


/* With a test key: what would come of it, and nothing stays. */
static enum ads_err
rehearse(struct db *db, struct job *job)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(db, &tx);
    if (err == ADS_OK) {
        err = record_work(tx, job);
    }
    db_end(tx); /* rolls back */
    return err;
}


static void
outcome_read(struct job *job)
{
    struct ads_str status = db_text(job->rows, 0, RECORD_STATUS);

    job->outcome = OUTCOME_STORED;
    if (ads_str_is(status, "click_not_found")) {
        job->outcome = OUTCOME_NOT_FOUND;

    } else if (ads_str_is(status, "mismatch")) {
        job->outcome = OUTCOME_BAD_FIELD;
        mismatch(job);

    } else if (ads_str_is(status, "adjusts_not_found")) {
        job->outcome = OUTCOME_BAD_FIELD;
        field_error(job, "adjusts", "not_found",
                    "is no earlier event of this click");

    } else if (ads_str_is(status, "accepted")) {
        job->outcome = OUTCOME_ACCEPTED;
    }
}


static enum ads_err
record(struct job *job)
{
    const struct ads_ring *ring =
        click_keys_ring(job->request->adsd->click_keys);
    enum ads_err err;

    if (!ads_click_id_check(ring, &job->conversion->click_id)) {
        job->outcome = OUTCOME_NOT_FOUND;
        return ADS_OK;
    }
    if (!ids_fit(ring, job->conversion)) {
        job->outcome = OUTCOME_BAD_FIELD;
        mismatch(job);
        return ADS_OK;
    }
    err = job->request->actor.test
              ? rehearse(job->request->db, job)
              : db_transact(job->request->db, record_work, job);
    if (err == ADS_OK && db_n_rows(job->rows) != 1) {
        err = ADS_IO;
    }
    if (err == ADS_OK) {
        outcome_read(job);
    }
    return err;
}


/* ---- answers ---- */

static void
stored_write(struct json *json, const struct db_rows *rows)
{
    struct ads_uuid id = db_uuid(rows, 0, RECORD_EVENT);

    json_object_begin(json, NULL);
    json_uuid(json, "event_id", &id);
    json_string(json, "status", db_text(rows, 0, RECORD_STATUS));
    if (db_is_null(rows, 0, RECORD_CAMPAIGN)) {
        json_null(json, "attributed");
    } else {
        json_object_begin(json, "attributed");
        id = db_uuid(rows, 0, RECORD_CAMPAIGN);
        json_uuid(json, "campaign_id", &id);
        id = db_uuid(rows, 0, RECORD_AD);
        json_uuid(json, "ad_id", &id);
        json_time(json, "click_at", db_time(rows, 0, RECORD_CLICK_AT));
        json_object_end(json);
    }
    if (!db_is_null(rows, 0, RECORD_REASON)) {
        json_string(json, "reason", db_text(rows, 0, RECORD_REASON));
    }
    json_object_end(json);
}


/* An item of a batch that was not taken; `error` NULL: its click is not
 * there. */
static void
rejected_write(struct json *json, const struct ads_field_error *error)
{
    enum ads_problem problem = error != NULL ? ADS_PROBLEM_INVALID_FIELDS
                                             : ADS_PROBLEM_CLICK_NOT_FOUND;

    json_object_begin(json, NULL);
    json_constant(json, "status", "rejected");
    json_constant(json, "code", ads_problem_find(problem)->code);
    if (error != NULL) {
        json_array_begin(json, "errors");
        json_object_begin(json, NULL);
        json_constant(json, "pointer", error->pointer);
        json_constant(json, "code", error->code);
        json_constant(json, "detail", error->detail);
        json_object_end(json);
        json_array_end(json);
    }
    json_object_end(json);
}


static enum ads_err
answer_one(struct request *request, struct conversion *conversion)
{
    struct job job = {.request = request, .conversion = conversion};
    struct json json;
    enum ads_err err;

    err = record(&job);
    if (err != ADS_OK) {
        return err;
    }
    if (job.outcome == OUTCOME_NOT_FOUND) {
        return request_answer_problem(request, ADS_PROBLEM_CLICK_NOT_FOUND,
                                      NULL);
    }
    if (job.outcome == OUTCOME_BAD_FIELD) {
        return request_answer_fields(request, &conversion->error, 1);
    }
    json_init(&json, request->pool);
    stored_write(&json, job.rows);
    request_answer_json(request, job.outcome == OUTCOME_ACCEPTED ? 202 : 200,
                        &json);
    return ADS_OK;
}


/* Each in its own transaction: one that fails loses no other.  When the
 * database goes away in between, the whole request is to be repeated: what is
 * recorded already will be a duplicate then. */
static enum ads_err
answer_batch(struct request *request, struct conversion_body *body)
{
    struct job job = {.request = request, .batch = true};
    struct json json;
    enum ads_err err;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_array_begin(&json, "results");
    for (job.index = 0; job.index < body->n; job.index++) {
        job.conversion = &body->items[job.index];
        job.outcome = OUTCOME_BAD_FIELD;
        if (job.conversion->ok) {
            err = record(&job);
            if (err != ADS_OK) {
                return err;
            }
        }
        if (job.outcome == OUTCOME_BAD_FIELD) {
            rejected_write(&json, &job.conversion->error);
        } else if (job.outcome == OUTCOME_NOT_FOUND) {
            rejected_write(&json, NULL);
        } else {
            stored_write(&json, job.rows);
        }
    }
    json_array_end(&json);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


enum ads_err
api_conversion_post(struct request *request)
{
    struct conversion_body *body = pool_alloc(request->pool, sizeof(*body));
    struct ads_body_errors errors;
    enum ads_err err;

    if (request->actor.test) {
        request_header(request, "X-Ads-Test", ADS_STR("1"));
    }
    err = conversion_body_read(
        body, &errors, (struct ads_str){request->body, request->body_len},
        clock_realtime_us() / 1000);
    if (err != ADS_OK && errors.malformed != NULL) {
        return request_answer_problem(request, ADS_PROBLEM_MALFORMED_JSON,
                                      errors.malformed);
    }
    if (err != ADS_OK) {
        return request_answer_fields(request, errors.list, errors.n);
    }
    return body->batch ? answer_batch(request, body)
                       : answer_one(request, &body->items[0]);
}
