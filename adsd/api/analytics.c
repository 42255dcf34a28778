/*
 * Endpoints of reports.  A report is two statements: its totals with as_of,
 * then a page of its rows, in the order of time and then of the dimensions.
 * Both are calls of one function (sql/code/86_report_answers.sql): totals are a
 * report without steps and dimensions.
 */
#include "api/handlers.h"

#include <stdio.h>
#include <time.h>

#include "ads_accept.h"
#include "ads_auction.h"
#include "ads_money.h"
#include "ads_reason.h"
#include "api/report.h"
#include "base/clock.h"
#include "db/row.h"
#include "http/frame.h"
#include "http/list.h"

#define COLUMN_DIMS 2 /* those before it: the step and its offset */
#define DIM_CAMPAIGN 1U
#define LOST_MAX (ADS_REASON_END + 2) /* outbid and other */

static const struct db_stmt STMT_ALLOWED = {
    .name = "report_allowed",
    .sql = "select ads.report_allowed($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_TOOK = {
    .name = "report_took",
    .sql = "select ads.report_took($1, $2)::text",
    .n_params = 2,
};

#define ADVERTISER_SUMS                                               \
    " r.impressions, r.clicks, r.invalid_clicks, r.duplicate_clicks," \
    " r.free_clicks, r.spend_micros, r.conversions, r.value_micros,"  \
    " r.auctions, r.won, ads.outcomes_json($19, r.outcomes),"         \
    " r.publisher_conversions, r.publisher_value_micros,"             \
    " r.held_conversions"

#define ADVERTISER_CALL                                                    \
    " ads.report_advertiser($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11," \
    "  $12, $13, $14, $15, $16, $17, $18) r"

#define PUBLISHER_SUMS                                         \
    " r.requests, r.shows, r.no_ads, r.impressions, r.clicks," \
    " r.gross_micros, r.revenue_micros"

#define PUBLISHER_CALL                                                    \
    " ads.report_publisher($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11," \
    "  $12, $13, $14, $15, $16) r"

/* Of nothing there is no row: sums that are null, read as 0. */
#define TOTALS_OF(sums, call)                                          \
    "select o.as_of," sums                                             \
    " from (select nullif(ads.report_as_of(), '-infinity')) o (as_of)" \
    " left join" call " on true"

static const struct db_stmt STMT_ADVERTISER = {
    .name = "analytics_advertiser",
    .sql = "select r.at, r.east_minutes, r.campaign_id, r.product_id,"
           " r.placement, r.country, r.campaign_name, "
           "r.product_title," ADVERTISER_SUMS " from" ADVERTISER_CALL,
    .n_params = 19,
};

static const struct db_stmt STMT_ADVERTISER_TOTALS = {
    .name = "analytics_advertiser_totals",
    .sql = TOTALS_OF(ADVERTISER_SUMS, ADVERTISER_CALL),
    .n_params = 19,
};

static const struct db_stmt STMT_PUBLISHER = {
    .name = "analytics_publisher",
    .sql = "select r.at, r.east_minutes, r.placement, r.country, "
           "r.reason," PUBLISHER_SUMS " from" PUBLISHER_CALL,
    .n_params = 16,
};

enum row_column { ROW_AT, ROW_EAST_MINUTES };

static const struct db_stmt STMT_PUBLISHER_TOTALS = {
    .name = "analytics_publisher_totals",
    .sql = TOTALS_OF(PUBLISHER_SUMS, PUBLISHER_CALL),
    .n_params = 16,
};

enum totals_column { TOTALS_AS_OF };

/* ---- what is shown ---- */

enum metric_kind {
    COUNT,
    MONEY,
    RATIO, /* scale * num / den, six decimals, null without den */
    PRICE, /* likewise, of money */
    LOST   /* auctions lost, by reason */
};

struct metric {
    const char *name;
    enum metric_kind kind;
    int num; /* columns of sums */
    int den;
    int scale;
    bool auction; /* told by campaign and time alone, else null */
};

static const struct metric advertiser_metrics[] = {
    {"impressions", COUNT, 0, 0, 0, false},
    {"clicks", COUNT, 1, 0, 0, false},
    {"invalid_clicks", COUNT, 2, 0, 0, false},
    {"duplicate_clicks", COUNT, 3, 0, 0, false},
    {"free_clicks", COUNT, 4, 0, 0, false},
    {"ctr", RATIO, 1, 0, 1, false},
    {"spend", MONEY, 5, 0, 0, false},
    {"cpc", PRICE, 5, 1, 1, false},
    {"cpm", PRICE, 5, 0, 1000, false},
    {"conversions", COUNT, 6, 0, 0, false},
    {"conversion_value", MONEY, 7, 0, 0, false},
    {"cvr", RATIO, 6, 1, 1, false},
    {"cpa", PRICE, 5, 6, 1, false},
    {"roas", RATIO, 7, 5, 1, false},
    {"publisher_conversions", COUNT, 11, 0, 0, false},
    {"publisher_conversion_value", MONEY, 12, 0, 0, false},
    {"held_conversions", COUNT, 13, 0, 0, false},
    {"auctions", COUNT, 8, 0, 0, true},
    {"wins", COUNT, 9, 0, 0, true},
    {"win_rate", RATIO, 9, 8, 1, true},
    {"lost_reason", LOST, 10, 0, 0, true},
};

static const struct metric publisher_metrics[] = {
    {"requests", COUNT, 0, 0, 0, false},
    {"show", COUNT, 1, 0, 0, false},
    {"no_ad", COUNT, 2, 0, 0, false},
    {"fill_rate", RATIO, 1, 0, 1, false},
    {"impressions", COUNT, 3, 0, 0, false},
    {"clicks", COUNT, 4, 0, 0, false},
    {"ctr", RATIO, 4, 3, 1, false},
    {"gross", MONEY, 5, 0, 0, false},
    {"revenue", MONEY, 6, 0, 0, false},
    {"ecpm", PRICE, 6, 3, 1000, false},
};

static const struct report_dim advertiser_dims[] = {
    {"campaign", true, DIM_CAMPAIGN},
    {"product", true, 15},
    {"placement", false, 12},
    {"country", false, 12},
};

static const struct report_dim publisher_dims[] = {
    {"placement", false, 1},
    {"country", false, 1},
    {"reason", false, 1},
};

struct analytics {
    const struct db_stmt *rows;
    const struct db_stmt *totals;
    const struct report_dim *dims;
    size_t n_dims;
    const char *const *names;  /* of the dimensions in a row */
    const char *const *titles; /* of what a dimension is called; NULL: itself */
    const struct metric *metrics;
    size_t n_metrics;
    int column;         /* of the first sum */
    bool of_advertiser; /* its rows take how many of a segment are enough, and
                           what auctions are lost for */
    unsigned (*level)(unsigned bits);
};


/* The least level of ads.reports that knows these dimensions. */
static unsigned
advertiser_level(unsigned bits)
{
    return bits == 0 || bits == 1 || bits == 12 ? bits : 15;
}


static unsigned
publisher_level(unsigned bits)
{
    return bits;
}


static const char *const advertiser_names[] = {"campaign_id", "product_id",
                                               "placement", "country"};
static const char *const advertiser_titles[] = {"campaign_name",
                                                "product_title", NULL, NULL};
static const char *const publisher_names[] = {"placement", "country", "reason"};
static const char *const publisher_titles[] = {NULL, NULL, NULL};

static const struct analytics advertiser = {
    .rows = &STMT_ADVERTISER,
    .totals = &STMT_ADVERTISER_TOTALS,
    .dims = advertiser_dims,
    .n_dims = 4,
    .names = advertiser_names,
    .titles = advertiser_titles,
    .metrics = advertiser_metrics,
    .n_metrics = sizeof(advertiser_metrics) / sizeof(advertiser_metrics[0]),
    .column = COLUMN_DIMS + 6,
    .of_advertiser = true,
    .level = advertiser_level,
};

static const struct analytics publisher = {
    .rows = &STMT_PUBLISHER,
    .totals = &STMT_PUBLISHER_TOTALS,
    .dims = publisher_dims,
    .n_dims = 3,
    .names = publisher_names,
    .titles = publisher_titles,
    .metrics = publisher_metrics,
    .n_metrics = sizeof(publisher_metrics) / sizeof(publisher_metrics[0]),
    .column = COLUMN_DIMS + 3,
    .level = publisher_level,
};


static struct ads_str
name_of(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


/* What an auction is lost for, as reports list it; behind them comes what this
 * version does not know. */
static size_t
lost_reasons(struct ads_str reasons[LOST_MAX])
{
    size_t n = 0;

    reasons[n++] = name_of(ads_outcome_name(ADS_OUTCOME_OUTBID));
    for (uint32_t i = 1; i < ADS_REASON_END; i++) {
        if (ads_reason_is_of_campaign(i)) {
            reasons[n++] = name_of(ads_reason_name(i));
        }
    }
    return n;
}


/* ---- rows ---- */

/* scale * num / den in millionths, rounded half up; num may be below zero only
 * where den is 0. */
static int64_t
divide(int64_t num, int64_t den, int64_t scale)
{
    __int128 whole = ((__int128)num * scale + den / 2) / den;

    return whole > INT64_MAX    ? INT64_MAX
           : whole < -INT64_MAX ? -INT64_MAX
                                : (int64_t)whole;
}


static void
metric_write(struct json *json, const struct metric *metric,
             const struct db_rows *rows, int i, int column)
{
    char text[ADS_MONEY_TEXT_MAX], name[48];
    int64_t num, den;

    if (metric->kind == LOST) {
        json_raw(json, metric->name, db_text(rows, i, column + metric->num));
        return;
    }
    num = db_int(rows, i, column + metric->num);
    den = db_int(rows, i, column + metric->den);
    switch (metric->kind) {
    case COUNT:
        json_int(json, metric->name, num);
        return;
    case MONEY:
        json_money(json, metric->name, num);
        return;
    case RATIO:
        if (den > 0) {
            /* a ratio has its six decimals as money has */
            num = divide(num, den, metric->scale * ADS_MONEY_UNIT);
            json_raw(json, metric->name,
                     (struct ads_str){
                         text, (size_t)(ads_money_write(text, num) - text)});
            return;
        }
        json_null(json, metric->name);
        return;
    case PRICE:
        if (den > 0) {
            json_money(json, metric->name, divide(num, den, metric->scale));
            return;
        }
        (void)snprintf(name, sizeof(name), "%s_micros", metric->name);
        json_null(json, metric->name);
        json_null(json, name);
        return;
    case LOST:
        return; /* above */
    }
}


/* What a row calls its step; NULL: it has none. */
static const char *
step_title(const struct report *report)
{
    return report->step == REPORT_NONE   ? NULL
           : report->step == REPORT_HOUR ? "hour"
                                         : "date";
}


/* "2026-11-20", or "2026-11-20T13:00:00+05:30". */
static void
step_write(struct json *json, const struct report *report, int64_t us,
           int east_min)
{
    const char *name = step_title(report);
    time_t s = (time_t)(us / 1000000 + east_min * INT64_C(60));
    int east = east_min < 0 ? -east_min : east_min;
    char text[40];
    struct tm tm;
    size_t len;

    if (name == NULL) {
        return;
    }
    (void)gmtime_r(&s, &tm);
    len = strftime(text, sizeof(text), "%Y-%m-%d", &tm);
    if (report->step == REPORT_HOUR) {
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "T%02d:00:00%c%02d:%02d", tm.tm_hour,
                                east_min < 0 ? '-' : '+', east / 60, east % 60);
    }
    json_string(json, name, (struct ads_str){text, len});
}


/* Auctions are known by campaign and time; `bits`: of the dimensions asked. */
static void
metrics_write(struct json *json, const struct analytics *analytics,
              unsigned bits, const struct db_rows *rows, int i, int column)
{
    for (size_t k = 0; k < analytics->n_metrics; k++) {
        if (analytics->metrics[k].auction && bits > DIM_CAMPAIGN) {
            json_null(json, analytics->metrics[k].name);
        } else {
            metric_write(json, &analytics->metrics[k], rows, i, column);
        }
    }
}


static void
row_write(struct json *json, const struct analytics *analytics,
          const struct report *report, const struct db_rows *rows, int i)
{
    int titles = COLUMN_DIMS + (int)analytics->n_dims;

    json_object_begin(json, NULL);
    step_write(json, report, db_time(rows, i, ROW_AT),
               (int)db_int(rows, i, ROW_EAST_MINUTES));
    for (size_t d = 0; d < analytics->n_dims; d++) {
        struct ads_str value = db_text(rows, i, COLUMN_DIMS + (int)d);

        if (!report->group[d]) {
            continue;
        }
        if (value.len == 0) {
            json_null(json, analytics->names[d]); /* not known */
        } else {
            json_string(json, analytics->names[d], value);
        }
        if (analytics->titles[d] != NULL) {
            json_string(json, analytics->titles[d],
                        db_text(rows, i, titles + (int)d));
        }
    }
    metrics_write(json, analytics, report_level(report, true), rows, i,
                  analytics->column);
    json_object_end(json);
}


/* ---- columns: what row_write writes for this question, and in its order ----
 */

static void
column_add(struct pool *pool, const char **columns, const char *name,
           const char *suffix)
{
    size_t len;

    *columns = pool_format(pool, &len, "%s%s%s%s", *columns,
                           **columns != '\0' ? "," : "", name, suffix);
}


static void
metric_columns(struct pool *pool, const struct metric *metric,
               const char **columns)
{
    struct ads_str reasons[LOST_MAX];
    size_t len, n;

    if (metric->kind == LOST) {
        n = lost_reasons(reasons);
        reasons[n++] = ADS_STR("other");
        for (size_t k = 0; k < n; k++) {
            column_add(pool, columns, metric->name,
                       pool_format(pool, &len, ".%s", reasons[k].ptr));
        }
        return;
    }
    column_add(pool, columns, metric->name, "");
    if (metric->kind == MONEY || metric->kind == PRICE) {
        column_add(pool, columns, metric->name, "_micros");
    }
}


static const char *
columns_of(const struct analytics *analytics, const struct report *report)
{
    struct pool *pool = report->request->pool;
    const char *columns = "";

    if (step_title(report) != NULL) {
        column_add(pool, &columns, step_title(report), "");
    }
    for (size_t d = 0; d < analytics->n_dims; d++) {
        if (report->group[d]) {
            column_add(pool, &columns, analytics->names[d], "");
            if (analytics->titles[d] != NULL) {
                column_add(pool, &columns, analytics->titles[d], "");
            }
        }
    }
    for (size_t k = 0; k < analytics->n_metrics; k++) {
        metric_columns(pool, &analytics->metrics[k], &columns);
    }
    return columns;
}


/* ---- pages ---- */

/* Where the next page begins; ptr NULL: there is none. */
static struct ads_str
cursor_of(const struct analytics *analytics, const struct report *report,
          const struct db_rows *rows)
{
    struct ads_str values[REPORT_DIMS_MAX];
    int last = (int)report->limit - 1;

    if (db_n_rows(rows) <= report->limit) {
        return (struct ads_str){NULL, 0};
    }
    for (size_t d = 0; d < analytics->n_dims; d++) {
        values[d] = db_text(rows, last, COLUMN_DIMS + (int)d);
    }
    return report_cursor(report, db_time(rows, last, ROW_AT), values);
}


static int
rows_shown(const struct report *report, const struct db_rows *rows)
{
    int n = db_n_rows(rows);

    return n > report->limit ? (int)report->limit : n;
}


/* ---- answers ---- */

static void
range_write(struct json *json, const struct report *report)
{
    json_object_begin(json, "range");
    if (report->has_times) {
        json_time(json, "from", report->from_us);
        json_time(json, "to", report->to_us);
    } else {
        char text[11] = "";
        int32_t ends[] = {report->from_day, report->to_day};

        for (int i = 0; i < 2; i++) {
            time_t s = (time_t)ends[i] * 86400;
            struct tm tm;

            (void)gmtime_r(&s, &tm);
            json_string(json, i == 0 ? "from" : "to",
                        (struct ads_str){text, strftime(text, sizeof(text),
                                                        "%Y-%m-%d", &tm)});
        }
    }
    json_object_end(json);
}


static void
answer_json(struct request *request, const struct analytics *analytics,
            const struct report *report, const struct db_rows *totals,
            const struct db_rows *rows)
{
    struct json json;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    range_write(&json, report);
    json_string(&json, "timezone", report->timezone);
    json_string(&json, "granularity", report_step_name(report));
    row_time(&json, "as_of", totals, 0, TOTALS_AS_OF);
    json_string(&json, "currency", report->currency);
    json_object_begin(&json, "totals");
    metrics_write(&json, analytics, report_level(report, false), totals, 0, 1);
    json_object_end(&json);
    json_array_begin(&json, "rows");
    for (int i = 0; i < rows_shown(report, rows); i++) {
        row_write(&json, analytics, report, rows, i);
    }
    json_array_end(&json);
    json_string(&json, "next_cursor", cursor_of(analytics, report, rows));
    json_object_end(&json);
    request_answer_json(request, 200, &json);
}


static void
header_cursor(struct request *request, struct ads_str cursor)
{
    if (cursor.ptr != NULL) {
        request_header(request, "X-Next-Cursor", cursor);
    }
}


static void
answer_csv(struct request *request, const struct analytics *analytics,
           const struct report *report, const struct db_rows *rows)
{
    struct json json;

    json_init(&json, request->pool);
    json_array_begin(&json, NULL);
    for (int i = 0; i < rows_shown(report, rows); i++) {
        row_write(&json, analytics, report, rows, i);
    }
    json_array_end(&json);
    header_cursor(request, cursor_of(analytics, report, rows));
    list_answer_csv(request, columns_of(analytics, report), &json);
}


/* One object a line. */
static void
answer_ndjson(struct request *request, const struct analytics *analytics,
              const struct report *report, const struct db_rows *rows)
{
    int n = rows_shown(report, rows);
    struct ads_str *lines =
        pool_array(request->pool, (size_t)n + 1, sizeof(*lines));
    struct json json;
    size_t len = 0;
    char *text, *at;

    for (int i = 0; i < n; i++) {
        json_init(&json, request->pool);
        row_write(&json, analytics, report, rows, i);
        lines[i] = json_text(&json);
        len += lines[i].len + 1;
    }
    text = at = pool_alloc(request->pool, len + 1);
    for (int i = 0; i < n; i++) {
        memcpy(at, lines[i].ptr, lines[i].len);
        at += lines[i].len;
        *at++ = '\n';
    }
    header_cursor(request, cursor_of(analytics, report, rows));
    request_answer_text(request, 200, "application/x-ndjson",
                        (struct ads_str){text, len});
}


/* Are the first campaigns of each day and month enough?  Where rows are of
 * several steps, the cursor is in the middle of one alone. */
static bool
is_cut(const struct report *report)
{
    return report->group[0] && report_level(report, true) == DIM_CAMPAIGN
           && report_has_moments(report)
           && (report->step == REPORT_NONE || !report->paged);
}


/* The dimensions of a row, by name. */
static void
group_args(const struct report *report, struct db_args *args)
{
    struct ads_str names[REPORT_DIMS_MAX];
    size_t n = 0;

    for (size_t d = 0; d < report->n_dims; d++) {
        if (report->group[d]) {
            names[n++] = (struct ads_str){report->dims[d].name,
                                          strlen(report->dims[d].name)};
        }
    }
    db_arg_texts(args, names, n);
}


static void
filter_args(const struct report *report, struct db_args *args)
{
    for (size_t d = 0; d < report->n_dims; d++) {
        report_filter_arg(report, d, args);
    }
}


static void
outcome_args(struct db_args *args)
{
    struct ads_str reasons[LOST_MAX];

    db_arg_texts(args, reasons, lost_reasons(reasons));
}


static enum ads_err
totals_find(const struct analytics *analytics, const struct report *report,
            struct db_rows **totals)
{
    unsigned bits = report_level(report, false);
    struct db_args args;

    db_args_init(&args, report->request->pool);
    db_arg_uuid(&args, &report->request->actor.account);
    report_total_args(report, &args);
    db_arg_int2(&args, (int16_t)analytics->level(bits));
    db_arg_text(&args, ADS_STR("none"));
    db_arg_text(&args, report->timezone);
    db_arg_time(&args, 0); /* its one step is 1970 */
    db_arg_time(&args, 1);
    db_arg_texts(&args, NULL, 0);
    filter_args(report, &args);
    db_arg_null(&args);
    db_arg_null(&args);
    db_arg_int8(&args, 1);
    if (analytics->of_advertiser) {
        db_arg_null(&args);
        outcome_args(&args);
    }
    return db_run(report->request->tx, analytics->totals, &args, totals);
}


static void
rows_args(const struct analytics *analytics, const struct report *report,
          const struct report_window *window, struct db_args *args)
{
    unsigned bits = report_level(report, true);
    bool cut = analytics->of_advertiser && is_cut(report);

    db_args_init(args, report->request->pool);
    db_arg_uuid(args, &report->request->actor.account);
    report_segment_args(report, window, cut, args);
    db_arg_int2(args, (int16_t)analytics->level(bits));
    db_arg_text(args, report_step_name(report));
    db_arg_text(args, report->timezone);
    db_arg_time(args, window->lo_us);
    db_arg_time(args, window->hi_us);
    group_args(report, args);
    filter_args(report, args);
    if (report->paged) {
        db_arg_time(args, report->after_us);
        db_arg_texts(args, report->after, report->n_dims);
    } else {
        db_arg_null(args);
        db_arg_null(args);
    }
    db_arg_int8(args, report->limit + 1);
    if (cut) {
        db_arg_int8(args, report->limit + 1);
    } else if (analytics->of_advertiser) {
        db_arg_null(args);
    }
    if (analytics->of_advertiser) {
        outcome_args(args);
    }
}


/* Grows the window until the page is full, or all of it was seen. */
static enum ads_err
rows_find(const struct analytics *analytics, const struct report *report,
          struct db_rows **rows)
{
    struct report_window window;
    struct db_args args;
    enum ads_err err;

    report_window_init(report, &window);
    do {
        rows_args(analytics, report, &window, &args);
        err = db_run(report->request->tx, analytics->rows, &args, rows);
    } while (err == ADS_OK && db_n_rows(*rows) <= report->limit
             && report_window_grow(&window));
    return err;
}


/* What the report took, instead of what was taken before. */
static enum ads_err
took(struct request *request, int64_t began_ms)
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_int4(&args, (int32_t)(clock_monotonic_ms() - began_ms));
    return db_run(request->tx, &STMT_TOOK, &args, NULL);
}


static enum ads_err
answer(struct request *request, const struct analytics *analytics)
{
    struct report *report = pool_alloc(request->pool, sizeof(*report));
    static const char *const types[] = {"application/json", "text/csv",
                                        "application/x-ndjson", NULL};
    struct db_rows *totals, *rows;
    enum ads_err err;

    err = report_begin(report, request, analytics->dims, analytics->n_dims);
    if (err != ADS_OK) {
        return err;
    }
    err = report_range(report);
    if (err == ADS_OK) {
        err = totals_find(analytics, report, &totals);
    }
    if (err == ADS_OK) {
        err = rows_find(analytics, report, &rows);
    }
    if (err != ADS_OK) {
        return err;
    }
    switch (ads_accept_choose(request_find(request, "HTTP_ACCEPT"), types)) {
    case 1:
        answer_csv(request, analytics, report, rows);
        break;
    case 2:
        answer_ndjson(request, analytics, report, rows);
        break;
    default: /* also to who takes none of them */
        answer_json(request, analytics, report, totals, rows);
    }
    return ADS_OK;
}


/* A mistake in the question is answered, 400, and committed, so that it costs
 * what it took; what failed costs all that was taken for it. */
static enum ads_err
run(struct request *request, const struct analytics *analytics)
{
    const int64_t began_ms = clock_monotonic_ms();
    enum ads_err err = answer(request, analytics);

    return err == ADS_OK || err == ADS_ANSWERED ? took(request, began_ms) : err;
}


enum ads_err
api_analytics_allow(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = api_run_alone(request, &request->actor.account, &STMT_ALLOWED, &args,
                        &rows);
    if (err == ADS_OK && db_int(rows, 0, DB_ONLY) > 0) {
        return request_answer_quota(request,
                                    ADS_STR("report_seconds_per_hour is "
                                            "used up"),
                                    db_int(rows, 0, DB_ONLY));
    }
    return err;
}


enum ads_err
api_analytics_advertiser(struct request *request)
{
    return run(request, &advertiser);
}


enum ads_err
api_analytics_publisher(struct request *request)
{
    return run(request, &publisher);
}
