/*
 * Parses report queries and their cursors.  A cursor is, as base64url: MAC
 * (16), time in microseconds (8), and for each dimension a length (1) and its
 * text.  The MAC is over all of that and the account.
 */
#include "api/report.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

#include "ads_time.h"
#include "daemon/auth_keys.h"

#define LIMIT_MAX 500
#define DAYS_MAX 400
#define MOMENTS_MAX (DAYS_MAX + 20) /* days, and months instead of some */
#define GROUPS_MAX 3
#define QUARTER_US (INT64_C(15) * 60 * 1000000)
#define DAY_US (INT64_C(86400) * 1000000)
#define MAC_LEN 16
#define CURSOR_MAX \
    (MAC_LEN + 8 + REPORT_DIMS_MAX * (1 + REPORT_CURSOR_TEXT_MAX))
#define CURSOR_PURPOSE "analytics"

static const char *const steps[] = {"none", "hour",  "day",
                                    "week", "month", NULL};

static const struct db_stmt STMT_RANGE = {
    .name = "report_range",
    .sql = "select r.timezone, r.own, r.from_day, r.to_day, r.from_at,"
           " r.to_at, r.currency, r.from_month, r.to_month,"
           " set_config('work_mem', '32MB', true)"
           " from ads.report_range($1, $2, $3, $4) r",
    .n_params = 4,
};

enum range_column {
    RANGE_TIMEZONE,
    RANGE_OWN,
    RANGE_FROM_DAY,
    RANGE_TO_DAY,
    RANGE_FROM_AT,
    RANGE_TO_AT,
    RANGE_CURRENCY,
    RANGE_FROM_MONTH,
    RANGE_TO_MONTH
};


/* ---- range ---- */

/* "2026-11-20" into days since 1970. */
static bool
day_read(int32_t *day, struct ads_str text)
{
    char whole[] = "0000-00-00T00:00:00Z";
    int64_t ms;

    if (text.len != 10) {
        return false;
    }
    memcpy(whole, text.ptr, 10);
    if (!ads_time_read(&ms, (struct ads_str){whole, sizeof(whole) - 1})) {
        return false;
    }
    *day = (int32_t)(ms / 86400000);
    return true;
}


/* One end; true when it was said and is fine. */
static bool
end_read(struct report *report, const char *name, int32_t *day, int64_t *us)
{
    struct ads_str text = query_text(&report->query, name, 40);
    int64_t ms;

    if (text.ptr == NULL) {
        return false;
    }
    if (day_read(day, text)) {
        report->has_days = true;
        return true;
    }
    if (!ads_time_read(&ms, text) || ms * 1000 % QUARTER_US != 0) {
        query_error(&report->query, name, "invalid_format",
                    "must be a day such as 2026-11-20, or a time on a quarter"
                    " of an hour");
        return false;
    }
    *us = ms * 1000;
    report->has_times = true;
    return true;
}


static void
range_read(struct report *report)
{
    bool from = end_read(report, "from", &report->from_day, &report->from_us);
    bool to = end_read(report, "to", &report->to_day, &report->to_us);

    if (report->has_days && report->has_times) {
        query_error(&report->query, "from", "invalid_format",
                    "must be a day when `to` is, and a time when `to` is");
    } else if (report->has_times && !(from && to)) {
        query_error(&report->query, from ? "to" : "from", "required",
                    "must be there when the other end is a time");
    }
    if (!from) {
        report->from_day = INT32_MIN;
    }
    if (!to) {
        report->to_day = INT32_MIN;
    }
}


static void
arg_day(struct db_args *args, bool said, int32_t day)
{
    if (said && day != INT32_MIN) {
        db_arg_date(args, day);
    } else {
        db_arg_null(args);
    }
}


static void
segment_add(struct report_segments *set, const char *grain, int64_t from_us,
            int64_t to_us)
{
    if (from_us < to_us) {
        set->grains[set->n] = (struct ads_str){grain, 1};
        set->froms_us[set->n] = from_us;
        set->tos_us[set->n++] = to_us;
    }
}


/* Whole months and the days at both ends where nothing finer is asked for. */
static void
segments_choose(const struct report *report, struct report_segments *set,
                enum report_step step, const struct db_rows *rows)
{
    int64_t from_us = report->from_day * DAY_US;
    int64_t to_us = (report->to_day + 1) * DAY_US;
    int64_t from_month_us = db_date(rows, 0, RANGE_FROM_MONTH) * DAY_US;
    int64_t to_month_us = db_date(rows, 0, RANGE_TO_MONTH) * DAY_US;

    if (!report->own || report->has_times || step == REPORT_HOUR) {
        segment_add(set, "q", report->from_us, report->to_us);
    } else if (step == REPORT_DAY || step == REPORT_WEEK
               || from_month_us >= to_month_us)
    {
        segment_add(set, "d", from_us, to_us);
    } else {
        segment_add(set, "d", from_us, from_month_us);
        segment_add(set, "m", from_month_us, to_month_us);
        segment_add(set, "d", to_month_us, to_us);
    }
}


/* Notes what is wrong with the range, once the defaults are known. */
static void
range_check(struct report *report)
{
    if (report->from_us >= report->to_us) {
        query_error(&report->query, "to", "out_of_range",
                    "must not be before `from`");
    } else if (report->has_times
                   ? report->to_us - report->from_us > DAYS_MAX * DAY_US
                   : report->to_day - report->from_day >= DAYS_MAX)
    {
        query_error(&report->query, "from", "out_of_range",
                    "must be at most 400 days before `to`");
    }
}


enum ads_err
report_range(struct report *report)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, report->request->pool);
    db_arg_uuid(&args, &report->request->actor.account);
    db_arg_text(&args, report->timezone);
    arg_day(&args, report->has_days, report->from_day);
    arg_day(&args, report->has_days, report->to_day);
    err = db_run(report->request->tx, &STMT_RANGE, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) == 0) {
        query_error(&report->query, "timezone", "not_allowed",
                    "is no time zone such as Europe/Berlin");
    } else {
        report->timezone = db_text(rows, 0, RANGE_TIMEZONE);
        report->own = db_bool(rows, 0, RANGE_OWN);
        report->currency = db_text(rows, 0, RANGE_CURRENCY);
        if (!report->has_times) {
            report->from_day = (int32_t)db_date(rows, 0, RANGE_FROM_DAY);
            report->to_day = (int32_t)db_date(rows, 0, RANGE_TO_DAY);
            report->from_us = db_time(rows, 0, RANGE_FROM_AT);
            report->to_us = db_time(rows, 0, RANGE_TO_AT);
        }
        range_check(report);
        segments_choose(report, &report->rows, report->step, rows);
        segments_choose(report, &report->totals, REPORT_NONE, rows);
    }
    return query_end(&report->query);
}


/* ---- steps, dimensions, filters ---- */

/* Takes the next of some values with commas between; false at the end. */
static bool
value_next(struct ads_str *text, struct ads_str *value)
{
    const char *comma;

    if (text->ptr == NULL) {
        return false;
    }
    comma = memchr(text->ptr, ',', text->len);
    value->ptr = text->ptr;
    value->len = comma == NULL ? text->len : (size_t)(comma - text->ptr);
    if (comma == NULL) {
        text->ptr = NULL;
    } else {
        text->ptr += value->len + 1;
        text->len -= value->len + 1;
    }
    return true;
}


/* date and hour are steps said another way. */
static bool
step_take(struct report *report, int said, struct ads_str name)
{
    enum report_step step = ads_str_is(name, "hour") ? REPORT_HOUR : REPORT_DAY;

    if (!ads_str_is(name, "date") && !ads_str_is(name, "hour")) {
        return false;
    }
    if (said < 0) {
        report->step = step;
    } else if (said == REPORT_NONE
               || (said == REPORT_HOUR) != (step == REPORT_HOUR))
    {
        query_error(&report->query, "group_by", "mismatch",
                    "is by another time than granularity");
    }
    return true;
}


static void
groups_read(struct report *report)
{
    int said = query_choice(&report->query, "granularity", steps);
    struct ads_str text = query_text(&report->query, "group_by", 100);
    struct ads_str name;
    size_t n = 0, i;

    if (said >= 0) {
        report->step = (enum report_step)said;
    }
    while (value_next(&text, &name)) {
        n++;
        if (step_take(report, said, name)) {
            continue;
        }
        for (i = 0;
             i < report->n_dims && !ads_str_is(name, report->dims[i].name); i++)
        {
        }
        if (i == report->n_dims) {
            query_error(&report->query, "group_by", "not_allowed",
                        "holds what this report has no dimension for");
            return;
        }
        report->group[i] = true;
    }
    if (n > GROUPS_MAX) {
        query_error(&report->query, "group_by", "too_many",
                    "holds more than three dimensions");
    }
}


static void
filter_read(struct report *report, size_t dim)
{
    struct report_filter *filter = &report->filters[dim];
    char name[32];
    struct ads_str text, value;

    (void)snprintf(name, sizeof(name), "filter[%s]", report->dims[dim].name);
    text = query_text(&report->query, name, 4000);
    while (value_next(&text, &value)) {
        if (filter->n == REPORT_FILTER_MAX) {
            query_error(&report->query, name, "too_many",
                        "holds more than 50 values");
            return;
        }
        if (report->dims[dim].is_id
            && !ads_uuid_read(&filter->ids[filter->n], value)) {
            query_error(&report->query, name, "invalid_format",
                        "must be a UUID, or several with commas between");
            return;
        }
        filter->texts[filter->n++] = value;
    }
}


unsigned
report_level(const struct report *report, bool groups)
{
    unsigned level = 0;

    for (size_t i = 0; i < report->n_dims; i++) {
        if ((groups && report->group[i]) || report->filters[i].n > 0) {
            level |= report->dims[i].level;
        }
    }
    return level;
}


struct ads_str
report_step_name(const struct report *report)
{
    return (struct ads_str){steps[report->step], strlen(steps[report->step])};
}


void
report_filter_arg(const struct report *report, size_t dim, struct db_args *args)
{
    const struct report_filter *filter = &report->filters[dim];

    if (filter->n == 0) {
        db_arg_null(args);
    } else if (report->dims[dim].is_id) {
        db_arg_uuids(args, filter->ids, NULL, filter->n);
    } else {
        db_arg_texts(args, filter->texts, filter->n);
    }
}


/* ---- windows ---- */

static int64_t
step_us(const struct report *report)
{
    switch (report->step) {
    case REPORT_HOUR:
        return DAY_US / 24;
    case REPORT_WEEK:
        return 7 * DAY_US;
    case REPORT_MONTH:
        return 31 * DAY_US;
    default:
        return DAY_US;
    }
}


/* A step may begin that much before the first moment of the range, in another
 * zone's date and as a part of a longer step. */
static int64_t
slack_us(const struct report *report)
{
    return DAY_US + step_us(report);
}


void
report_window_init(const struct report *report, struct report_window *window)
{
    if (report->step == REPORT_NONE) { /* one step, which is 1970 */
        *window = (struct report_window){-DAY_US, DAY_US, DAY_US};
        return;
    }
    window->end_us = report->to_us + slack_us(report);
    window->lo_us =
        report->paged ? report->after_us : report->from_us - slack_us(report);
    window->hi_us = window->lo_us + step_us(report)
                    + (report->paged ? step_us(report) : 2 * slack_us(report));
}


bool
report_window_grow(struct report_window *window)
{
    if (window->hi_us >= window->end_us) {
        return false;
    }
    window->hi_us += 2 * (window->hi_us - window->lo_us);
    return true;
}


/* Up to there one day, or month, begins at most. */
static int64_t
moment_end(char grain, int64_t us)
{
    time_t s = (time_t)(us / 1000000);
    struct tm tm;

    if (grain == 'd') {
        return us + DAY_US;
    }
    (void)gmtime_r(&s, &tm);
    tm = (struct tm){
        .tm_year = tm.tm_year, .tm_mon = tm.tm_mon + 1, .tm_mday = 1};
    return (int64_t)timegm(&tm) * 1000000;
}


/* Each day and month as a segment of its own. */
static void
moment_args(const struct report_segments *set, struct db_args *args)
{
    struct ads_str *grains =
        pool_array(args->pool, MOMENTS_MAX, sizeof(*grains));
    int64_t *froms = pool_array(args->pool, MOMENTS_MAX, sizeof(*froms));
    int64_t *tos = pool_array(args->pool, MOMENTS_MAX, sizeof(*tos));
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        int64_t us = set->froms_us[i];

        while (us < set->tos_us[i]) {
            assert(n < MOMENTS_MAX);
            grains[n] = set->grains[i];
            froms[n] = us;
            us = moment_end(set->grains[i].ptr[0], us);
            tos[n++] = us < set->tos_us[i] ? us : set->tos_us[i];
        }
    }
    db_arg_texts(args, grains, n);
    db_arg_times(args, froms, NULL, n);
    db_arg_times(args, tos, NULL, n);
}


static void
segment_args(const struct report_segments *set, struct db_args *args)
{
    db_arg_texts(args, set->grains, set->n);
    db_arg_times(args, set->froms_us, NULL, set->n);
    db_arg_times(args, set->tos_us, NULL, set->n);
}


void
report_total_args(const struct report *report, struct db_args *args)
{
    segment_args(&report->totals, args);
}


bool
report_has_moments(const struct report *report)
{
    return report->rows.grains[0].ptr[0] != 'q';
}


void
report_segment_args(const struct report *report,
                    const struct report_window *window, bool moments,
                    struct db_args *args)
{
    void (*put)(const struct report_segments *set, struct db_args *args) =
        moments ? moment_args : segment_args;
    const struct report_segments *all = &report->rows;
    int64_t slack = slack_us(report);
    struct report_segments some = {.n = 0};

    if (report->step == REPORT_NONE) {
        put(all, args);
        return;
    }
    for (size_t i = 0; i < all->n; i++) {
        int64_t from = window->lo_us - slack, to = window->hi_us + slack;

        segment_add(&some, all->grains[i].ptr,
                    from > all->froms_us[i] ? from : all->froms_us[i],
                    to < all->tos_us[i] ? to : all->tos_us[i]);
    }
    put(&some, args);
}


/* ---- cursor ---- */

/* Behind the bytes go the account they are for, and the step and groups by
 * which rows have their order. */
static void
cursor_mac(const struct report *report, const uint8_t *bytes, size_t len,
           struct ads_str *signed_bytes)
{
    const struct ads_uuid *account = &report->request->actor.account;
    char *whole = pool_alloc(report->request->pool,
                             len + sizeof(account->b) + 1 + report->n_dims);
    char *at = whole + len;

    memcpy(whole, bytes, len);
    memcpy(at, account->b, sizeof(account->b));
    at += sizeof(account->b);
    *at++ = (char)report->step;
    for (size_t i = 0; i < report->n_dims; i++) {
        *at++ = (char)report->group[i];
    }
    *signed_bytes = (struct ads_str){whole, (size_t)(at - whole)};
}


struct ads_str
report_cursor(const struct report *report, int64_t us,
              const struct ads_str *values)
{
    uint8_t bytes[CURSOR_MAX], mac[AUTH_KEYS_MAC_LEN];
    char text[ADS_BASE64URL_LEN(CURSOR_MAX)], *end;
    struct ads_str signed_bytes;
    size_t len = MAC_LEN;

    for (int i = 0; i < 8; i++) {
        bytes[len++] = (uint8_t)((uint64_t)us >> (8 * i));
    }
    for (size_t i = 0; i < report->n_dims; i++) {
        size_t n = values[i].len < REPORT_CURSOR_TEXT_MAX
                       ? values[i].len
                       : REPORT_CURSOR_TEXT_MAX;

        bytes[len++] = (uint8_t)n;
        if (n > 0) {
            memcpy(bytes + len, values[i].ptr, n);
        }
        len += n;
    }
    cursor_mac(report, bytes + MAC_LEN, len - MAC_LEN, &signed_bytes);
    auth_keys_mac(report->request->adsd->auth_keys, CURSOR_PURPOSE,
                  signed_bytes, mac);
    memcpy(bytes, mac, MAC_LEN);
    end = ads_base64url_write(text, bytes, len);
    signed_bytes = (struct ads_str){text, (size_t)(end - text)};
    return (struct ads_str){pool_text(report->request->pool, signed_bytes),
                            signed_bytes.len};
}


/* What a cursor that is ours holds; false when its parts do not fit. */
static bool
cursor_parts(struct report *report, const uint8_t *bytes, size_t len)
{
    size_t at = 8;
    uint64_t us = 0;

    if (len < at) {
        return false;
    }
    for (int i = 7; i >= 0; i--) {
        us = us << 8 | bytes[i];
    }
    report->after_us = (int64_t)us;
    for (size_t i = 0; i < report->n_dims; i++) {
        if (at == len || bytes[at] > len - at - 1) {
            return false;
        }
        report->after[i] =
            (struct ads_str){(const char *)bytes + at + 1, bytes[at]};
        at += 1 + (size_t)bytes[at];
    }
    return at == len;
}


static bool
cursor_read(struct report *report, struct ads_str text)
{
    size_t len = text.len * 3 / 4;
    uint8_t *bytes = pool_alloc(report->request->pool, CURSOR_MAX);
    struct ads_str signed_bytes;

    if (len <= MAC_LEN || len > CURSOR_MAX
        || !ads_base64url_read(bytes, len, text)) {
        return false;
    }
    cursor_mac(report, bytes + MAC_LEN, len - MAC_LEN, &signed_bytes);
    return auth_keys_mac_check(report->request->adsd->auth_keys, CURSOR_PURPOSE,
                               signed_bytes, bytes, MAC_LEN)
           && cursor_parts(report, bytes + MAC_LEN, len - MAC_LEN);
}


/* ---- all of it ---- */

enum ads_err
report_begin(struct report *report, struct request *request,
             const struct report_dim *dims, size_t n_dims)
{
    struct ads_str cursor;

    memset(report, 0, sizeof(*report));
    report->request = request;
    report->dims = dims;
    report->n_dims = n_dims;
    report->limit = LIMIT_MAX;
    if (query_begin(&report->query, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    range_read(report);
    report->timezone = query_text(&report->query, "timezone", 64);
    groups_read(report);
    for (size_t i = 0; i < n_dims; i++) {
        filter_read(report, i);
    }
    (void)query_int(&report->query, "limit", 1, LIMIT_MAX, &report->limit);
    cursor = query_text(&report->query, "cursor", 500);
    if (cursor.ptr != NULL) {
        report->paged = cursor_read(report, cursor);
        if (!report->paged) {
            query_error(&report->query, "cursor", "invalid_format",
                        "is not a cursor of this report");
        }
    }
    return query_end(&report->query);
}
