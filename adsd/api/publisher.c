/*
 * Endpoints of a publisher's settings.  A publisher without a row has no
 * settings; the first PATCH makes one.
 */
#include "api/handlers.h"

#include "ads_money.h"
#include "db/row.h"
#include "http/body.h"
#include "http/etag.h"
#include "http/query.h"

#define FLOOR_MOST (1000000 * ADS_MONEY_UNIT)
#define ADVERTISERS_MAX 500
#define CATEGORIES_MAX 200
#define CATEGORY_LEN_MAX 200

static const struct db_stmt STMT_GET = {
    .name = "publisher_settings_get",
    .sql = "select coalesce(s.floor_micros, 0), s.blocked_advertisers,"
           " s.blocked_categories, s.updated_at, coalesce(s.changed_n, 0)"
           " from ads.accounts a"
           " left join ads.publisher_settings s on s.account_id = a.id"
           " where a.id = $1",
    .n_params = 1,
};

enum settings_column {
    SETTINGS_FLOOR,
    SETTINGS_ADVERTISERS,
    SETTINGS_CATEGORIES,
    SETTINGS_UPDATED_AT,
    SETTINGS_CHANGED_N
};

/* What is written takes that number; who asks for it first has it alone. */
static const struct db_stmt STMT_LOCK = {
    .name = "publisher_settings_lock",
    .sql = "select ads.change_bump()",
    .n_params = 0,
};

static const struct db_stmt STMT_PUT = {
    .name = "publisher_settings_put",
    .sql = "insert into ads.publisher_settings as s (account_id, floor_micros,"
           " blocked_advertisers, blocked_categories)"
           " values ($1, coalesce($2::bigint, 0), coalesce($3::uuid[], '{}'),"
           " coalesce($4::text[], '{}'))"
           " on conflict (account_id) do update"
           " set floor_micros = coalesce($2::bigint, s.floor_micros),"
           " blocked_advertisers ="
           "  coalesce($3::uuid[], s.blocked_advertisers),"
           " blocked_categories = coalesce($4::text[], s.blocked_categories)",
    .n_params = 4,
};


static enum ads_err
row_read(struct request *request, struct db_rows **rows)
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    return db_run(request->tx, &STMT_GET, &args, rows);
}


static enum ads_err
answer(struct request *request)
{
    struct ads_uuid *advertisers;
    struct db_rows *rows;
    struct json json;
    enum ads_err err = row_read(request, &rows);
    size_t n;

    if (err != ADS_OK) {
        return err;
    }
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_money(&json, "floor", db_int(rows, 0, SETTINGS_FLOOR));
    json_array_begin(&json, "blocked_advertisers");
    advertisers = db_uuids(rows, 0, SETTINGS_ADVERTISERS, request->pool, &n);
    for (size_t i = 0; i < n; i++) {
        json_uuid(&json, NULL, &advertisers[i]);
    }
    json_array_end(&json);
    row_texts(&json, "blocked_categories", rows, 0, SETTINGS_CATEGORIES);
    row_time(&json, "updated_at", rows, 0, SETTINGS_UPDATED_AT);
    json_object_end(&json);
    etag_put(request, db_int(rows, 0, SETTINGS_CHANGED_N));
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* No other transaction changes them until the end of the transaction. */
static enum ads_err
row_lock(struct request *request)
{
    struct db_args args;
    struct db_rows *rows = NULL;
    enum ads_err err;

    db_args_init(&args, request->pool);
    err = db_run(request->tx, &STMT_LOCK, &args, NULL);
    if (err == ADS_OK) {
        err = row_read(request, &rows);
    }
    return err == ADS_OK
               ? etag_check(request, db_int(rows, 0, SETTINGS_CHANGED_N))
               : err;
}


enum ads_err
api_publisher_settings_get(struct request *request)
{
    struct query query;

    if (query_begin(&query, request) != ADS_OK || query_end(&query) != ADS_OK) {
        return ADS_ANSWERED;
    }
    return answer(request);
}


/* Ids of the named array into `args`, or null when it is not there. */
static void
advertisers_arg(struct form *form, struct db_args *args)
{
    struct ads_uuid *ids;
    struct ads_str *texts;
    size_t n;

    if (!form_texts(form, "blocked_advertisers", FORM_KEPT, ADVERTISERS_MAX,
                    ADS_UUID_TEXT_LEN, &texts, &n))
    {
        db_arg_null(args);
        return;
    }
    ids = pool_array(form->pool, n, sizeof(*ids));
    for (size_t i = 0; i < n; i++) {
        if (!ads_uuid_read(&ids[i], texts[i])) {
            form_error(form, "blocked_advertisers", "invalid_format",
                       "must hold ids of accounts");
            break;
        }
    }
    db_arg_uuids(args, ids, NULL, n);
}


enum ads_err
api_publisher_settings_patch(struct request *request)
{
    struct form form;
    struct ads_str *categories;
    struct db_args args;
    int64_t floor_micros;
    enum ads_err err;
    size_t n;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    if (form_money(&form, "floor", FORM_KEPT, 0, FLOOR_MOST, &floor_micros)) {
        db_arg_int8(&args, floor_micros);
    } else {
        db_arg_null(&args);
    }
    advertisers_arg(&form, &args);
    if (form_texts(&form, "blocked_categories", FORM_KEPT, CATEGORIES_MAX,
                   CATEGORY_LEN_MAX, &categories, &n))
    {
        db_arg_texts(&args, categories, n);
    } else {
        db_arg_null(&args);
    }
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    err = row_lock(request);
    if (err == ADS_OK) {
        err = db_run(request->tx, &STMT_PUT, &args, NULL);
    }
    return err == ADS_OK ? answer(request) : err;
}
