/*
 * Endpoints of imports: feeds in, and their state and refused rows out.
 */
#include "api/handlers.h"

#include <stdio.h>
#include <strings.h>

#include "ads_money.h"
#include "ads_url.h"
#include "base/csv.h"
#include "catalog/import.h"
#include "db/row.h"
#include "http/frame.h"
#include "http/list.h"

#define ERRORS_SHOWN 100

#define ERROR_COLUMNS "line,column,field,rule,sku,value" /* as CSV */
#define COLUMNS                                                           \
    "i.id, i.campaign_id, i.source, i.status, i.dry_run, i.archive_gone," \
    " i.gone_max, i.format, i.phase, i.percent, i.n_rows, i.n_added,"     \
    " i.n_changed, i.n_unchanged, i.n_repeated, i.n_gone, i.n_archived,"  \
    " i.n_bad, i.fault_code, i.fault_detail, i.created_at, i.started_at," \
    " i.finished_at, i.mapping::text, i.prices::text, i.decimal_mark,"    \
    " i.column_map,"                                                      \
    " (extract(epoch from coalesce(i.finished_at, clock_timestamp())"     \
    "     - i.started_at) * 1000)::bigint"

enum column {
    I_ID,
    I_CAMPAIGN,
    I_SOURCE,
    I_STATUS,
    I_DRY_RUN,
    I_ARCHIVE_GONE,
    I_GONE_MAX,
    I_FORMAT,
    I_PHASE,
    I_PERCENT,
    I_ROWS,
    I_ADDED,
    I_CHANGED,
    I_UNCHANGED,
    I_REPEATED,
    I_GONE,
    I_ARCHIVED,
    I_BAD,
    I_FAULT_CODE,
    I_FAULT_DETAIL,
    I_CREATED_AT,
    I_STARTED_AT,
    I_FINISHED_AT,
    I_MAPPING,
    I_PRICES,
    I_DECIMAL,
    I_MAP,
    I_PASSED_MS
};

static const struct db_stmt STMT_PUT = {
    .name = "import_put",
    .sql = "select p.state, p.id"
           " from ads.import_put($1, $2, $3, $4, $5, $6, $7, $8, $9,"
           " $10, $11) p",
    .n_params = 11,
};

enum put_column { PUT_STATE, PUT_ID };

static const struct db_stmt STMT_ALLOWED = {
    .name = "import_allowed",
    .sql = "select a.state, a.wait_s from ads.import_allowed($1, $2, $3) a",
    .n_params = 3,
};

enum allowed_column { ALLOWED_STATE, ALLOWED_WAIT };

static const struct db_stmt STMT_GET = {
    .name = "import_get",
    .sql = "select " COLUMNS " from ads.imports i"
           " where i.account_id = $1 and i.id = $2",
    .n_params = 2,
};

static const struct db_stmt STMT_LIST = {
    .name = "import_list",
    .sql = "select " COLUMNS " from ads.imports i"
           " where i.account_id = $1"
           " and ($2::text is null or i.status = $2)"
           " and ($3::uuid is null or i.campaign_id = $3)"
           " and ($4::timestamptz is null or (i.created_at, i.id) <"
           "     ($4, $5::uuid))"
           " order by i.created_at desc, i.id desc limit $6",
    .n_params = 6,
};

static const struct db_stmt STMT_ERRORS = {
    .name = "import_errors",
    .sql = "select e.n, e.line, e.col, e.field, e.rule, e.sku, e.value"
           " from ads.import_errors e"
           " where e.account_id = $1 and e.import_id = $2 and e.n > $3"
           " order by e.n limit $4",
    .n_params = 4,
};

enum error_column {
    ERROR_N,
    ERROR_LINE,
    ERROR_COLUMN,
    ERROR_FIELD,
    ERROR_RULE,
    ERROR_SKU,
    ERROR_VALUE
};

static const struct field error_list[] = {
    {"line", .type = FIELD_INT},
    {"column", .type = FIELD_INT, .column = "col"},
    {"field", .type = FIELD_TEXT},
    {"rule", .type = FIELD_TEXT},
    {"sku", .type = FIELD_TEXT},
    {"value", .type = FIELD_TEXT},
};
static const struct fields error_fields = FIELDS(error_list);

/* Of the list as CSV. */
static const char csv_columns[] =
    "id,campaign_id,status,source,format,dry_run,gone,gone_max,"
    "progress.phase,progress.percent,progress.rows,progress.rows_per_second,"
    "progress.seconds_left,counts.rows,counts.added,counts.changed,"
    "counts.unchanged,counts.repeated,counts.gone,counts.archived,counts.bad,"
    "failure.code,failure.detail,created_at,started_at,finished_at";


/* ---- answers ---- */

static void
number_write(struct json *json, const char *name, const struct db_rows *rows,
             int i, enum column column)
{
    json_int(json, name, db_int(rows, i, (int)column));
}


static void
progress_write(struct json *json, const struct db_rows *rows, int i)
{
    int64_t percent = db_int(rows, i, I_PERCENT);
    int64_t passed_ms = db_int(rows, i, I_PASSED_MS);
    bool running = ads_str_is(db_text(rows, i, I_STATUS), "running");

    json_object_begin(json, "progress");
    json_string(json, "phase", db_text(rows, i, I_PHASE));
    json_int(json, "percent", percent);
    number_write(json, "rows", rows, i, I_ROWS);
    json_int(json, "rows_per_second",
             passed_ms > 0 ? db_int(rows, i, I_ROWS) * 1000 / passed_ms : 0);
    if (running && percent > 0) {
        json_int(json, "seconds_left",
                 passed_ms * (100 - percent) / percent / 1000);
    } else {
        json_null(json, "seconds_left");
    }
    json_object_end(json);
}


/* Opens the object and leaves it open. */
static void
import_write(struct json *json, const struct db_rows *rows, int i)
{
    static const struct {
        const char *name;
        enum column column;
    } counts[] = {
        {"rows", I_ROWS},         {"added", I_ADDED},
        {"changed", I_CHANGED},   {"unchanged", I_UNCHANGED},
        {"repeated", I_REPEATED}, {"gone", I_GONE},
        {"archived", I_ARCHIVED}, {"bad", I_BAD},
    };
    struct ads_uuid id = db_uuid(rows, i, I_ID);
    struct ads_uuid campaign = db_uuid(rows, i, I_CAMPAIGN);

    json_object_begin(json, NULL);
    json_uuid(json, "id", &id);
    json_uuid(json, "campaign_id", &campaign);
    json_string(json, "status", db_text(rows, i, I_STATUS));
    json_string(json, "source", db_text(rows, i, I_SOURCE));
    json_string(json, "format", db_text(rows, i, I_FORMAT));
    json_bool(json, "dry_run", db_bool(rows, i, I_DRY_RUN));
    json_constant(json, "gone",
                  db_bool(rows, i, I_ARCHIVE_GONE) ? "archive" : "keep");
    number_write(json, "gone_max", rows, i, I_GONE_MAX);
    progress_write(json, rows, i);
    json_object_begin(json, "counts");
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        number_write(json, counts[k].name, rows, i, counts[k].column);
    }
    json_object_end(json);
    if (db_is_null(rows, i, I_FAULT_CODE)) {
        json_null(json, "failure");
    } else {
        json_object_begin(json, "failure");
        json_string(json, "code", db_text(rows, i, I_FAULT_CODE));
        json_string(json, "detail", db_text(rows, i, I_FAULT_DETAIL));
        json_object_end(json);
    }
    row_time(json, "created_at", rows, i, I_CREATED_AT);
    row_time(json, "started_at", rows, i, I_STARTED_AT);
    row_time(json, "finished_at", rows, i, I_FINISHED_AT);
}


static enum ads_err
errors_find(struct request *request, const struct ads_uuid *id, int64_t from,
            int64_t most, struct db_rows **rows)
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, id);
    db_arg_int8(&args, from);
    db_arg_int8(&args, most);
    return db_run(request->tx, &STMT_ERRORS, &args, rows);
}


/* All of one: its mapping and its first errors too. */
static enum ads_err
import_answer(struct request *request, const struct ads_uuid *id,
              unsigned status)
{
    struct db_rows *rows, *errors;
    struct json json;
    enum ads_err err = request_row_find(request, &STMT_GET, id, &rows);

    if (err == ADS_OK) {
        err = errors_find(request, id, 0, ERRORS_SHOWN, &errors);
    }
    if (err != ADS_OK) {
        return err;
    }
    json_init(&json, request->pool);
    import_write(&json, rows, 0);
    json_string(&json, "decimal", db_text(rows, 0, I_DECIMAL));
    json_string(&json, "map", db_text(rows, 0, I_MAP));
    json_raw(&json, "mapping", db_text(rows, 0, I_MAPPING));
    json_raw(&json, "prices", db_text(rows, 0, I_PRICES));
    json_array_begin(&json, "errors");
    for (int i = 0; i < db_n_rows(errors); i++) {
        fields_row_write(&error_fields, &json, errors, i);
    }
    json_array_end(&json);
    json_object_end(&json);
    request_answer_json(request, status, &json);
    return ADS_OK;
}


enum ads_err
api_import_get(struct request *request)
{
    struct ads_uuid id;

    return request_id_read(request, &id) == ADS_OK
               ? import_answer(request, &id, 200)
               : ADS_ANSWERED;
}


static void
listed_write(struct json *json, const struct db_rows *rows, int i)
{
    import_write(json, rows, i);
    json_object_end(json);
}


static const struct list_of LIST = {
    .id = I_ID,
    .created_at = I_CREATED_AT,
    .write = listed_write,
    .csv = csv_columns,
};


enum ads_err
api_import_list(struct request *request)
{
    static const char *const states[] = {"queued", "running", "done", "failed",
                                         NULL};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "imports") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    list_word(list, &args, "status", states);
    list_uuid(list, &args, "campaign_id");
    return list_run(list, &STMT_LIST, &args, &LIST);
}


/* ---- the report ---- */

/* Line, column, field and rule are our own words: none needs a quote but the
 * rule, which may hold a comma; sku and value are the shop's. */
static enum ads_err
report_answer(struct request *request, const struct ads_uuid *id)
{
    static const char head[] = ERROR_COLUMNS "\r\n";
    struct db_rows *rows;
    struct ads_str text;
    size_t room = sizeof(head), len = sizeof(head) - 1;
    enum ads_err err = errors_find(request, id, 0, IMPORT_FAULTS_MAX, &rows);
    char *csv;

    if (err != ADS_OK) {
        return err;
    }
    for (int i = 0; i < db_n_rows(rows); i++) {
        room += 80 + db_text(rows, i, ERROR_FIELD).len
                + db_text(rows, i, ERROR_RULE).len
                + 2 * db_text(rows, i, ERROR_SKU).len
                + 2 * db_text(rows, i, ERROR_VALUE).len;
    }
    csv = pool_alloc(request->pool, room);
    memcpy(csv, head, len);
    for (int i = 0; i < db_n_rows(rows); i++) {
        struct ads_str field = db_text(rows, i, ERROR_FIELD),
                       rule = db_text(rows, i, ERROR_RULE),
                       sku =
                           csv_cell(request->pool, db_text(rows, i, ERROR_SKU)),
                       value = csv_cell(request->pool,
                                        db_text(rows, i, ERROR_VALUE));

        len += (size_t)snprintf(
            csv + len, room - len, "%lld,%lld,%.*s,\"%.*s\",%.*s,%.*s\r\n",
            (long long)db_int(rows, i, ERROR_LINE),
            (long long)db_int(rows, i, ERROR_COLUMN), (int)field.len, field.ptr,
            (int)rule.len, rule.ptr, (int)sku.len, sku.ptr, (int)value.len,
            value.ptr);
    }
    text = (struct ads_str){csv, len};
    request_answer_text(request, 200, "text/csv; charset=utf-8", text);
    return ADS_OK;
}


/* A page of errors in the order of the feed: the list's place is their number
 * instead of a time. */
static enum ads_err
errors_page(struct request *request, struct list *list,
            const struct ads_uuid *id)
{
    struct db_rows *rows;
    enum ads_err err = errors_find(
        request, id, list->paged ? list->before_us : 0, list->limit + 1, &rows);

    if (err != ADS_OK) {
        return err;
    }
    for (int i = 0; i < db_n_rows(rows); i++) {
        if (list_row(list, db_int(rows, i, ERROR_N), id)) {
            fields_row_write(&error_fields, &list->json, rows, i);
        }
    }
    list_answer(list, ERROR_COLUMNS);
    return ADS_OK;
}


enum ads_err
api_import_errors(struct request *request)
{
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;

    err = request_id_read(request, &id);
    if (err != ADS_OK) {
        return err;
    }
    if (list_begin(list, request, "import errors") != ADS_OK
        || list_ready(list) != ADS_OK)
    {
        return ADS_ANSWERED;
    }
    err = request_row_find(request, &STMT_GET, &id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    return list->csv ? report_answer(request, &id)
                     : errors_page(request, list, &id);
}


/* ---- a feed comes ---- */

struct asked {
    struct ads_uuid campaign;
    bool dry_run;
    bool archive_gone;
    int64_t gone_max;
    struct ads_str base_url;
    struct ads_str currency;
    struct ads_str format;
    struct ads_str decimal;
    struct ads_str map;
};


/* Where relative links lead, without a slash at its end. */
static struct ads_str
base_url_read(struct query *query)
{
    struct ads_str url = query_text(query, "base_url", ADS_URL_MAX);
    const char *why;

    if (url.ptr == NULL) {
        return url;
    }
    if (ads_url_check(url, ADS_URL_DESTINATION, &why) != ADS_OK) {
        query_error(query, "base_url", "invalid_format", why);
    }
    while (url.len > 0 && url.ptr[url.len - 1] == '/') {
        url.len--;
    }
    return url;
}


static struct ads_str
map_read(struct query *query)
{
    struct ads_str map = query_text(query, "map", IMPORT_MAP_MAX);
    const char *why;

    if (map.ptr != NULL && import_map_check(map, &why) != ADS_OK) {
        query_error(query, "map", "invalid_format", why);
    }
    return map;
}


static enum ads_err
asked_read(struct asked *asked, struct request *request)
{
    static const char *const flags[] = {"false", "true", NULL};
    static const char *const gone[] = {"keep", "archive", NULL};
    static const char *const formats[] = {"jsonl", "json", "xml", "table",
                                          NULL};
    static const char *const decimals[] = {"point", "comma", NULL};
    struct query *query = pool_alloc(request->pool, sizeof(*query));
    int format, decimal;

    if (query_begin(query, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    *asked = (struct asked){.gone_max = IMPORT_GONE_MAX};
    if (!query_uuid(query, "campaign_id", &asked->campaign)
        && query_text(query, "campaign_id", 36).ptr == NULL)
    {
        query_error(query, "campaign_id", "required", "must be there");
    }
    asked->dry_run = query_choice(query, "dry_run", flags) == 1;
    asked->archive_gone = query_choice(query, "gone", gone) == 1;
    (void)query_int(query, "gone_max", 0, 100, &asked->gone_max);
    format = query_choice(query, "format", formats);
    if (format >= 0) {
        asked->format =
            (struct ads_str){formats[format], strlen(formats[format])};
    }
    decimal = query_choice(query, "decimal", decimals);
    if (decimal >= 0) {
        asked->decimal =
            (struct ads_str){decimals[decimal], strlen(decimals[decimal])};
    }
    asked->map = map_read(query);
    asked->base_url = base_url_read(query);
    asked->currency = query_text(query, "currency", 3);
    if (asked->currency.ptr != NULL && !ads_currency_known(asked->currency)) {
        query_error(query, "currency", "invalid_format",
                    "must be a code of ISO 4217, as USD");
    }
    return query_end(query);
}


/*
 * The first bytes say whether it is packed; the header may say so too, but only
 * a packing that is read here.
 */
static enum ads_err
body_check(struct request *request)
{
    static const char *const packed[] = {"gzip", "x-gzip", "zstd", "identity"};
    struct ads_str coding = request_find(request, "HTTP_CONTENT_ENCODING");
    struct ads_str type = scgi_find(&request->head, "CONTENT_TYPE");
    bool known = coding.len == 0;

    for (size_t i = 0; !known && i < sizeof(packed) / sizeof(packed[0]); i++) {
        known = coding.len == strlen(packed[i])
                && strncasecmp(coding.ptr, packed[i], coding.len) == 0;
    }
    if (!known
        || (type.len >= 10 && strncasecmp(type.ptr, "multipart/", 10) == 0)) {
        return request_answer_problem(
            request, ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
            "the body must be the feed itself, not a form:"
            " text/csv, text/tab-separated-values,"
            " application/x-ndjson or application/xml,"
            " plain or packed by gzip or zstd");
    }
    if (request->body_len == 0) {
        return request_answer_problem(request, ADS_PROBLEM_BAD_REQUEST,
                                      "the body must be a feed of products");
    }
    return ADS_OK;
}


static enum ads_err
asked_put(struct request *request, const struct asked *asked,
          struct db_rows **rows)
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, &asked->campaign);
    db_arg_bool(&args, asked->dry_run);
    db_arg_bool(&args, asked->archive_gone);
    db_arg_int4(&args, (int32_t)asked->gone_max);
    db_arg_text(&args, asked->base_url);
    db_arg_text(&args, asked->currency);
    db_arg_text(&args, asked->format);
    db_arg_text(&args, asked->decimal);
    db_arg_text(&args, asked->map);
    db_arg_bytea(&args, request->body, request->body_len);
    return db_run(request->tx, &STMT_PUT, &args, rows);
}


static enum ads_err
refusal_answer(struct request *request, struct ads_str state)
{
    static const struct ads_field_error error = {
        .pointer = "?campaign_id",
        .code = "not_found",
        .detail = "is no campaign of this account that is not archived",
    };

    if (ads_str_is(state, "no_campaign")) {
        return request_answer_fields(request, &error, 1);
    }
    return ads_str_is(state, "too_many")
               ? request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED, 10)
               : request_answer_wait(request, ADS_PROBLEM_UNAVAILABLE, 30);
}


enum ads_err
api_import_allow(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_str state;
    int64_t wait_s;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_int8(&args, (int64_t)request->head.content_length);
    db_arg_text(&args, request_find(request, "HTTP_IDEMPOTENCY_KEY"));
    err = api_run_alone(request, &request->actor.account, &STMT_ALLOWED, &args,
                        &rows);
    if (err != ADS_OK) {
        return err;
    }
    state = db_text(rows, 0, ALLOWED_STATE);
    wait_s = db_int(rows, 0, ALLOWED_WAIT);
    if (wait_s > 0) {
        return request_answer_quota(request, state, wait_s);
    }
    return ads_str_is(state, "allowed") ? ADS_OK
                                        : refusal_answer(request, state);
}


enum ads_err
api_import_post(struct request *request)
{
    char text[ADS_UUID_TEXT_LEN];
    struct ads_str location;
    struct db_rows *rows;
    struct asked asked;
    struct ads_uuid id;
    enum ads_err err;

    err = asked_read(&asked, request);
    if (err == ADS_OK) {
        err = body_check(request);
    }
    if (err == ADS_OK) {
        err = asked_put(request, &asked, &rows);
    }
    if (err != ADS_OK) {
        return err;
    }
    if (!ads_str_is(db_text(rows, 0, PUT_STATE), "queued")) {
        return refusal_answer(request, db_text(rows, 0, PUT_STATE));
    }
    id = db_uuid(rows, 0, PUT_ID);
    (void)ads_uuid_write(text, &id);
    location.ptr =
        pool_format(request->pool, &location.len, "/v1/products/import/%.*s",
                    (int)sizeof(text), text);
    request_header(request, "Location", location);
    return import_answer(request, &id, 202);
}
