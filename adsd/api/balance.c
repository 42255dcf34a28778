/*
 * Endpoints of the balance, its transactions and statements.  Everything is
 * read in one statement each, so that the parts of an answer belong together
 * while clicks are being billed.
 */
#include "api/handlers.h"

#include "ads_time.h"
#include "db/row.h"
#include "http/list.h"

#define MONTH_LEN 7

static const struct db_stmt STMT_BALANCE = {
    .name = "balance_get",
    .sql =
        "select la.currency, la.balance_micros as available_micros,"
        " case when a.status <> 'active' then 'suspended'"
        "  when la.balance_micros > 0 then 'active' else 'no_funds' end"
        "  as status, a.timezone, now() as as_of,"
        " (select coalesce(sum(t.amount_micros), 0)::bigint from ads.topups t"
        "  where t.account_id = a.id and t.status = 'pending') as "
        "pending_micros,"
        " ads.report_spent_since(a.id, date_trunc('day', now(), a.timezone))"
        "  as spent_today_micros,"
        " (select coalesce(sum(s.spent_micros), 0)::bigint"
        "  from ads.campaign_spend s where s.account_id = a.id)"
        "  as spent_total_micros,"
        " (select coalesce(sum(case when v.click_id is null"
        "   then -v.amount_micros else v.amount_micros end), 0)::bigint"
        "  from ads.reversals v where v.account_id = a.id)"
        "  as reversed_total_micros"
        " from ads.accounts a"
        " join ads.ledger_accounts la on la.kind = 'advertiser_balance'"
        "  and la.account_id = a.id"
        " where a.id = $1",
    .n_params = 1,
};

static const struct field balance_list[] = {
    {"currency", .type = FIELD_TEXT},
    {"available", .type = FIELD_MONEY},
    {"pending", .type = FIELD_MONEY},
    {"spent_today", .type = FIELD_MONEY},
    {"spent_total", .type = FIELD_MONEY},
    {"reversed_total", .type = FIELD_MONEY},
    {"status", .type = FIELD_TEXT},
    {"timezone", .type = FIELD_TEXT},
    {"as_of", .type = FIELD_TIME},
};
static const struct fields balance_fields = FIELDS(balance_list);

/* A page begins behind (at, id); id is hidden in a uuid, as lists want it. */
static const struct db_stmt STMT_LIST = {
    .name = "balance_list",
    .sql = "select t.at, lpad(to_hex(t.id), 32, '0')::uuid as place,"
           " coalesce(p.id, v.id, lpad(to_hex(t.id), 32, '0')::uuid) as id,"
           " t.kind,"
           " t.amount_micros, t.balance_after_micros, t.reference,"
           " t.campaign_id, v.reason"
           " from ads.ledger_transactions t"
           " left join ads.topups p on p.ledger_tx = t.id"
           " left join ads.reversals v on v.ledger_tx = t.id"
           " where t.account_id = $1"
           " and ($2::text is null or t.kind = $2)"
           " and ($3::uuid is null or t.campaign_id = $3)"
           " and ($4::timestamptz is null or t.at >= $4)"
           " and ($5::timestamptz is null or t.at < $5)"
           " and ($6::timestamptz is null or (t.at, t.id) < ($6,"
           "  ('x' || right(replace($7::uuid::text, '-', ''), 16))"
           "  ::bit(64)::bigint))"
           " order by t.at desc, t.id desc limit $8",
    .n_params = 8,
};

/* The head of the statement is in every row; a month without movements has
 * one row that is nothing but head. */
static const struct db_stmt STMT_STATEMENT = {
    .name = "balance_statement",
    .sql = "select s.month, s.timezone, s.currency, s.from_at, s.to_at, now(),"
           " s.opening_micros, s.closing_micros, s.kind, s.campaign_id,"
           " s.campaign_name, s.transactions, s.amount_micros"
           " from ads.balance_statement($1, $2) s",
    .n_params = 2,
};

enum statement_column {
    STATEMENT_MONTH,
    STATEMENT_TIMEZONE,
    STATEMENT_CURRENCY,
    STATEMENT_FROM,
    STATEMENT_TO,
    STATEMENT_AS_OF,
    STATEMENT_OPENING,
    STATEMENT_CLOSING,
    STATEMENT_KIND,
    STATEMENT_CAMPAIGN_ID,
    STATEMENT_CAMPAIGN_NAME,
    STATEMENT_TRANSACTIONS,
    STATEMENT_AMOUNT
};

static const char *const kinds[] = {"topup", "spend", "reversal", NULL};

static const struct field list_fields[] = {
    {"id", .type = FIELD_UUID},
    {"at", .type = FIELD_TIME},
    {"kind", .type = FIELD_TEXT},
    {"amount", .type = FIELD_MONEY},
    {"balance_after", .type = FIELD_MONEY},
    {"reference", .type = FIELD_TEXT},
    {"campaign_id", .type = FIELD_UUID},
    {"reason", .type = FIELD_TEXT},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {
    .fields = &fields, .by_id = "place", .by_time = "at"};


enum ads_err
api_balance_get(struct request *request)
{
    struct query query;
    struct db_args args;
    struct db_rows *rows;
    struct json json;
    enum ads_err err;

    if (query_begin(&query, request) != ADS_OK || query_end(&query) != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = db_run(request->tx, &STMT_BALANCE, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }

    json_init(&json, request->pool);
    fields_row_write(&balance_fields, &json, rows, 0);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* ---- transactions ---- */

enum ads_err
api_balance_list(struct request *request)
{
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "balance_transactions") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    list_word(list, &args, "kind", kinds);
    list_uuid(list, &args, "campaign_id");
    list_time(list, &args, "from");
    list_time(list, &args, "to");
    return list_run(list, &STMT_LIST, &args, &LIST);
}


/* ---- statement ---- */

/* Days from 1970 to the first of "2026-11"; false when it is none. */
static bool
month_read(int32_t *unix_days, struct ads_str text)
{
    char whole[] = "0000-00-01T00:00:00Z";
    int64_t ms;

    if (text.len != MONTH_LEN) {
        return false;
    }
    memcpy(whole, text.ptr, MONTH_LEN);
    if (!ads_time_read(&ms, (struct ads_str){whole, sizeof(whole) - 1})) {
        return false;
    }
    *unix_days = (int32_t)(ms / 86400000);
    return true;
}


static void
movement_write(struct json *json, const struct db_rows *rows, int i)
{
    json_object_begin(json, NULL);
    json_string(json, "kind", db_text(rows, i, STATEMENT_KIND));
    row_uuid(json, "campaign_id", rows, i, STATEMENT_CAMPAIGN_ID);
    json_string(json, "campaign_name",
                db_text(rows, i, STATEMENT_CAMPAIGN_NAME));
    json_int(json, "transactions", db_int(rows, i, STATEMENT_TRANSACTIONS));
    json_money(json, "amount", db_int(rows, i, STATEMENT_AMOUNT));
    json_object_end(json);
}


static void
movements_write(struct json *json, const struct db_rows *rows)
{
    for (int i = 0; i < db_n_rows(rows); i++) {
        if (!db_is_null(rows, i, STATEMENT_KIND)) {
            movement_write(json, rows, i);
        }
    }
}


/* A line of the table that is no movement. */
static void
line_write(struct json *json, const char *kind, int64_t micros)
{
    json_object_begin(json, NULL);
    json_constant(json, "kind", kind);
    json_null(json, "campaign_id");
    json_null(json, "campaign_name");
    json_null(json, "transactions");
    json_money(json, "amount", micros);
    json_object_end(json);
}


static void
statement_answer_csv(struct request *request, const struct db_rows *rows)
{
    struct json json;

    json_init(&json, request->pool);
    json_array_begin(&json, NULL);
    line_write(&json, "opening", db_int(rows, 0, STATEMENT_OPENING));
    movements_write(&json, rows);
    line_write(&json, "closing", db_int(rows, 0, STATEMENT_CLOSING));
    json_array_end(&json);
    list_answer_csv(request, API_BALANCE_STATEMENT_COLUMNS, &json);
}


static void
statement_answer(struct request *request, const struct db_rows *rows)
{
    struct json json;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_string(&json, "month", db_text(rows, 0, STATEMENT_MONTH));
    json_string(&json, "timezone", db_text(rows, 0, STATEMENT_TIMEZONE));
    json_time(&json, "from", db_time(rows, 0, STATEMENT_FROM));
    json_time(&json, "to", db_time(rows, 0, STATEMENT_TO));
    json_time(&json, "as_of", db_time(rows, 0, STATEMENT_AS_OF));
    json_string(&json, "currency", db_text(rows, 0, STATEMENT_CURRENCY));
    json_money(&json, "opening", db_int(rows, 0, STATEMENT_OPENING));
    json_array_begin(&json, "movements");
    movements_write(&json, rows);
    json_array_end(&json);
    json_money(&json, "closing", db_int(rows, 0, STATEMENT_CLOSING));
    json_object_end(&json);
    request_answer_json(request, 200, &json);
}


enum ads_err
api_balance_statement(struct request *request)
{
    struct query query;
    struct ads_str month;
    int32_t unix_days = 0;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    err = query_begin(&query, request);
    if (err != ADS_OK) {
        return err;
    }
    month = query_text(&query, "month", 20);
    if (month.ptr != NULL && !month_read(&unix_days, month)) {
        query_error(&query, "month", "invalid_format",
                    "must be a month such as 2026-11");
    }
    err = query_end(&query);
    if (err != ADS_OK) {
        return err;
    }

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    if (month.ptr != NULL) {
        db_arg_date(&args, unix_days);
    } else {
        db_arg_null(&args);
    }
    err = db_run(request->tx, &STMT_STATEMENT, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (list_wants_csv(request)) {
        statement_answer_csv(request, rows);
    } else {
        statement_answer(request, rows);
    }
    return ADS_OK;
}
