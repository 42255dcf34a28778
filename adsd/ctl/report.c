/*
 * adsctl report: what an advertiser's ads did or a publisher's pages earned, by
 * days of the account's own zone.  The API has more ways to ask
 * (docs/analytics.md); these are the ones an operator needs first.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ads_money.h"
#include "ads_time.h"
#include "ctl/verbs.h"

static const struct db_stmt STMT_ADVERTISER = {
    .name = "ctl_report_advertiser",
    .sql = "select r.line, r.impressions, r.clicks, r.invalid_clicks,"
           " r.free_clicks, r.spend_micros, r.conversions, r.value_micros"
           " from ads.report_advertiser_lines($1, $2, $3, $4) r",
    .n_params = 4,
};

static const struct db_stmt STMT_PUBLISHER = {
    .name = "ctl_report_publisher",
    .sql = "select r.line, r.requests, r.shows, r.no_ads, r.impressions,"
           " r.clicks, r.gross_micros, r.revenue_micros"
           " from ads.report_publisher_lines($1, $2, $3, $4) r",
    .n_params = 4,
};

#define COLUMNS 7
#define LINE 0 /* the column that names a line; the figures follow it */

struct column {
    bool is_money;
    const char *name;
};

static const struct column advertiser_columns[COLUMNS] = {
    {false, "impressions"},     {false, "clicks"}, {false, "invalid_clicks"},
    {false, "free_clicks"},     {true, "spend"},   {false, "conversions"},
    {true, "conversion_value"},
};

static const struct column publisher_columns[COLUMNS] = {
    {false, "requests"},    {false, "show"},   {false, "no_ad"},
    {false, "impressions"}, {false, "clicks"}, {true, "gross"},
    {true, "revenue"},
};

static const char *const advertiser_ways[] = {
    "total", "day", "month", "campaign", "placement", "country", NULL};
static const char *const publisher_ways[] = {
    "total", "day", "month", "placement", "country", "reason", NULL};


static void
cell_print(const struct column *column, const struct db_rows *rows, int i,
           int k)
{
    char text[ADS_MONEY_TEXT_MAX + 1];

    if (column->is_money) {
        *ads_money_write(text, db_int(rows, i, k)) = '\0';
        printf("  %16s", text);
    } else {
        printf("  %16" PRId64, db_int(rows, i, k));
    }
}


static void
text_print(const struct column *columns, const char *way,
           const struct db_rows *rows)
{
    printf("%-24s", way);
    for (int k = 0; k < COLUMNS; k++) {
        printf("  %16s", columns[k].name);
    }
    putchar('\n');
    for (int i = 0; i < db_n_rows(rows); i++) {
        struct ads_str line = db_text(rows, i, LINE);

        printf("%-24.*s", (int)line.len, line.len > 0 ? line.ptr : "");
        for (int k = 0; k < COLUMNS; k++) {
            cell_print(&columns[k], rows, i, k + 1);
        }
        putchar('\n');
    }
}


static void
json_print(struct ctl *ctl, const struct column *columns, const char *way,
           const struct db_rows *rows)
{
    for (int i = 0; i < db_n_rows(rows); i++) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, way, db_text(rows, i, LINE));
        for (int k = 0; k < COLUMNS; k++) {
            if (columns[k].is_money) {
                ctl_json_money(ctl, columns[k].name, db_int(rows, i, k + 1));
            } else {
                ctl_json_int(ctl, columns[k].name, db_int(rows, i, k + 1));
            }
        }
        ctl_json_end(ctl);
    }
}


/* Does the account advertise?  CTL_REFUSED, told, when it is of no kind that
 * has a report. */
static int
kind_find(struct ctl *ctl, const struct ads_uuid *account, bool *advertises)
{
    enum ads_key_type type = 0;
    int rc = ctl_account_type(ctl, account, &type);

    *advertises = type == ADS_KEY_ADVERTISER;
    if (rc == CTL_OK && !*advertises && type != ADS_KEY_PUBLISHER) {
        rc = ctl_refuse("a platform has no report of its own");
    }
    return rc;
}


static int
report(struct ctl *ctl, const struct db_stmt *stmt,
       const struct column *columns, struct db_args *args, const char *way)
{
    struct db_rows *rows;
    int rc = ctl_ask(ctl, stmt, args, &rows);

    if (rc != CTL_OK) {
        return rc;
    }
    if (ctl->json) {
        json_print(ctl, columns, way, rows);
    } else {
        text_print(columns, way, rows);
    }
    return CTL_OK;
}


int
ctl_report(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL, *from = NULL, *to = NULL, *way = "total";
    const struct ctl_option options[] = {
        {"account", true, NULL, &account},
        {"from", false, NULL, &from},
        {"to", false, NULL, &to},
        {"by", false, NULL, &way},
    };
    bool advertises = false;
    struct ads_uuid id;
    struct db_args args;
    int n, rc;

    rc = ctl_options(argc, argv, options, 4, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&id, "--account", account);
    }
    if (rc == CTL_OK) {
        rc = ctl_days_check(from, to);
    }
    if (rc == CTL_OK) {
        rc = kind_find(ctl, &id, &advertises);
    }
    if (rc == CTL_OK) {
        rc = ctl_read_choice("--by", way,
                             advertises ? advertiser_ways : publisher_ways);
    }
    if (rc == CTL_OK) {
        db_args_init(&args, ctl->pool);
        db_arg_uuid(&args, &id);
        rc = ctl_arg_day(&args, "--from", from);
    }
    if (rc == CTL_OK) {
        rc = ctl_arg_day(&args, "--to", to);
    }
    if (rc != CTL_OK) {
        return rc;
    }
    db_arg_text(&args, ctl_text(way));
    return advertises
               ? report(ctl, &STMT_ADVERTISER, advertiser_columns, &args, way)
               : report(ctl, &STMT_PUBLISHER, publisher_columns, &args, way);
}
