/*
 * adsctl statement: an advertiser's month, like GET /v1/balance/statement.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ads_money.h"
#include "ads_time.h"
#include "api/handlers.h"
#include "base/csv.h"
#include "base/json.h"
#include "ctl/verbs.h"

static const struct db_stmt STMT_STATEMENT = {
    .name = "ctl_statement",
    .sql = "select s.month, s.timezone, s.currency, s.opening_micros,"
           " s.closing_micros, s.kind, s.campaign_id, s.campaign_name,"
           " s.transactions, s.amount_micros"
           " from ads.balance_statement($1, $2) s",
    .n_params = 2,
};

enum column {
    S_MONTH,
    S_TIMEZONE,
    S_CURRENCY,
    S_OPENING,
    S_CLOSING,
    S_KIND,
    S_CAMPAIGN,
    S_NAME,
    S_TRANSACTIONS,
    S_AMOUNT
};

/* A line: opening, a movement, or closing. */
struct line {
    struct ads_str kind;
    const struct ads_uuid *campaign; /* or NULL */
    struct ads_str name;
    int64_t transactions; /* -1: it is no movement */
    int64_t micros;
};


static void
line_text(const struct line *line)
{
    char amount[ADS_MONEY_TEXT_MAX + 1], n[24] = "";

    *ads_money_write(amount, line->micros) = '\0';
    if (line->transactions >= 0) {
        (void)snprintf(n, sizeof(n), "%" PRId64, line->transactions);
    }
    printf("%-10.*s  %16s  %12s  %.*s\n", (int)line->kind.len, line->kind.ptr,
           amount, n, (int)line->name.len,
           line->name.len > 0 ? line->name.ptr : "");
}


static void
line_json(struct ctl *ctl, const struct line *line)
{
    ctl_json_begin(ctl);
    ctl_json_text(ctl, "kind", line->kind);
    if (line->campaign == NULL) {
        ctl_json_text(ctl, "campaign_id", (struct ads_str){NULL, 0});
    } else {
        ctl_json_id(ctl, "campaign_id", line->campaign);
    }
    ctl_json_text(ctl, "campaign_name", line->name);
    if (line->transactions < 0) {
        ctl_json_raw(ctl, "transactions", (struct ads_str){NULL, 0});
    } else {
        ctl_json_int(ctl, "transactions", line->transactions);
    }
    ctl_json_money(ctl, "amount", line->micros);
    ctl_json_end(ctl);
}


static void
line_csv(struct json *json, const struct line *line)
{
    json_object_begin(json, NULL);
    json_string(json, "kind", line->kind);
    json_uuid(json, "campaign_id", line->campaign);
    json_string(json, "campaign_name", line->name);
    if (line->transactions < 0) {
        json_null(json, "transactions");
    } else {
        json_int(json, "transactions", line->transactions);
    }
    json_money(json, "amount", line->micros);
    json_object_end(json);
}


static void
line_put(struct ctl *ctl, struct json *json, const struct line *line)
{
    if (json != NULL) {
        line_csv(json, line);
    } else if (ctl->json) {
        line_json(ctl, line);
    } else {
        line_text(line);
    }
}


static void
lines_put(struct ctl *ctl, struct json *json, const struct db_rows *rows)
{
    struct line line = {.kind = ADS_STR("opening"),
                        .transactions = -1,
                        .micros = db_int(rows, 0, S_OPENING)};

    line_put(ctl, json, &line);
    for (int i = 0; i < db_n_rows(rows); i++) {
        struct ads_uuid campaign = db_uuid(rows, i, S_CAMPAIGN);

        if (db_is_null(rows, i, S_KIND)) {
            continue;
        }
        line = (struct line){
            .kind = db_text(rows, i, S_KIND),
            .campaign = db_is_null(rows, i, S_CAMPAIGN) ? NULL : &campaign,
            .name = db_text(rows, i, S_NAME),
            .transactions = db_int(rows, i, S_TRANSACTIONS),
            .micros = db_int(rows, i, S_AMOUNT),
        };
        line_put(ctl, json, &line);
    }
    line = (struct line){.kind = ADS_STR("closing"),
                         .transactions = -1,
                         .micros = db_int(rows, 0, S_CLOSING)};
    line_put(ctl, json, &line);
}


static void
csv_print(struct ctl *ctl, const struct db_rows *rows)
{
    struct json json;
    struct ads_str text;
    const char *why;

    json_init(&json, ctl->pool);
    json_array_begin(&json, NULL);
    lines_put(ctl, &json, rows);
    json_array_end(&json);
    text = json_text(&json);
    text = csv_write(ctl->pool, API_BALANCE_STATEMENT_COLUMNS,
                     doc_read(ctl->pool, (char *)text.ptr, text.len, &why));
    (void)fwrite(text.ptr, 1, text.len, stdout);
}


static int
statement(struct ctl *ctl, struct db_args *args, bool csv)
{
    struct ads_str month, zone, currency;
    struct db_rows *rows;
    int rc = ctl_ask_one(ctl, &STMT_STATEMENT, args, &rows, "advertiser");

    if (rc != CTL_OK) {
        return rc;
    }
    if (csv) {
        csv_print(ctl, rows);
        return CTL_OK;
    }
    if (!ctl->json) {
        month = db_text(rows, 0, S_MONTH);
        zone = db_text(rows, 0, S_TIMEZONE);
        currency = db_text(rows, 0, S_CURRENCY);
        printf("%.*s, %.*s, %.*s\n%-10s  %16s  %12s  %s\n", (int)month.len,
               month.ptr, (int)zone.len, zone.ptr, (int)currency.len,
               currency.ptr, "kind", "amount", "transactions", "campaign");
    }
    lines_put(ctl, NULL, rows);
    return CTL_OK;
}


int
ctl_statement(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL, *month = NULL;
    bool csv = false;
    const struct ctl_option options[] = {
        {"account", true, NULL, &account},
        {"month", false, NULL, &month},
        {"csv", false, &csv, NULL},
    };
    struct db_args args;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 3, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_arg_id(&args, "--account", account);
    }
    if (rc == CTL_OK) {
        rc = ctl_arg_month(&args, "--month", month);
    }
    return rc == CTL_OK ? statement(ctl, &args, csv) : rc;
}
