/*
 * Report query: which days of which zone, in which steps, by which dimensions,
 * filtered by what, from which row on.  Read from the query string;
 * api/analytics.c asks it.
 *
 *     from, to       days (2026-11-20, `to` included) or times on a quarter of
 *                    an hour (`to` excluded); at most 400 days; the last 7
 *     timezone       the account's
 *     granularity    none, hour, day, week (from Monday), month
 *     group_by       up to three of the report's dimensions, date and hour
 *     filter[dim]    one value or several, with commas between
 *     limit, cursor
 *
 * The rows it reads are chosen by grain: months and days where the account's
 * own zone is asked for, quarters of an hour where another is or hours are
 * (sql/migrations/0007_reports.sql).
 */
#ifndef ADSD_REPORT_H
#define ADSD_REPORT_H

#include "db/db.h"
#include "http/query.h"

#define REPORT_DIMS_MAX 4
#define REPORT_FILTER_MAX 50
#define REPORT_CURSOR_TEXT_MAX 64
#define REPORT_SEGMENTS_MAX 3

struct report_dim {
    const char *name; /* in group_by and filter[] */
    bool is_id;       /* a uuid, else a text */
    unsigned level;   /* bits that a row's level must have (1 campaign, ...) */
};

struct report_filter {
    size_t n; /* 0: none */
    struct ads_uuid ids[REPORT_FILTER_MAX];
    struct ads_str texts[REPORT_FILTER_MAX];
};

/* Which rows to read, by grain and time. */
struct report_segments {
    size_t n;
    struct ads_str grains[REPORT_SEGMENTS_MAX];
    int64_t froms_us[REPORT_SEGMENTS_MAX];
    int64_t tos_us[REPORT_SEGMENTS_MAX];
};

enum report_step {
    REPORT_NONE,
    REPORT_HOUR,
    REPORT_DAY,
    REPORT_WEEK,
    REPORT_MONTH
};

struct report {
    struct request *request;
    struct query query;
    const struct report_dim *dims;
    size_t n_dims;

    enum report_step step;
    bool group[REPORT_DIMS_MAX];
    struct report_filter filters[REPORT_DIMS_MAX];
    int64_t limit;

    bool paged; /* behind this row: */
    int64_t after_us;
    struct ads_str after[REPORT_DIMS_MAX];

    bool has_days, has_times; /* how the range was said, if it was */
    int32_t from_day, to_day;
    int64_t from_us, to_us;
    struct ads_str timezone; /* ptr NULL: not said */
    bool own;                /* the zone the account's days are in */
    struct ads_str currency;

    struct report_segments rows;   /* fine enough for the step */
    struct report_segments totals; /* as coarse as the range allows */
};

/*
 * Steps from lo to before hi, as the statement names them: the instant of an
 * hour, a day as if it were of UTC.  Rows come by time, so a page is looked for
 * in a window that grows until it is full: the first of many is found without
 * reading the rest.
 */
struct report_window {
    int64_t lo_us;
    int64_t hi_us;
    int64_t end_us; /* there is nothing behind it */
};

/* Reads the query string; ADS_ANSWERED, 400, when it cannot. */
ADS_MUST enum ads_err
report_begin(struct report *report, struct request *request,
             const struct report_dim *dims, size_t n_dims);

/* Finds zone and range in the request's transaction; ADS_ANSWERED, 400, when
 * they do not fit. */
ADS_MUST enum ads_err
report_range(struct report *report);

/* The bits of all dimensions it filters by, and with `groups` groups by. */
unsigned
report_level(const struct report *report, bool groups);

/* none, hour, day, week or month */
struct ads_str
report_step_name(const struct report *report);

/* Where to look for the page first, and where next when it was not full; false
 * when there is no more. */
void
report_window_init(const struct report *report, struct report_window *window);
ADS_MUST bool
report_window_grow(struct report_window *window);

/* Its rows are of days and months, which none reads a part of. */
bool
report_has_moments(const struct report *report);

/* Parameters: grains, froms, tos, for the totals or for the rows of a window;
 * with `moments` each day and month is a segment of its own.
 */
void
report_total_args(const struct report *report, struct db_args *args);
void
report_segment_args(const struct report *report,
                    const struct report_window *window, bool moments,
                    struct db_args *args);

/* The filter of a dimension as uuid[] or text[], or null. */
void
report_filter_arg(const struct report *report, size_t dim,
                  struct db_args *args);

/* A cursor behind a row of that time and those values. */
struct ads_str
report_cursor(const struct report *report, int64_t us,
              const struct ads_str *values);

#endif
