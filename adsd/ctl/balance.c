/*
 * adsctl balance: the operator's side of prepaid money.
 *
 * A top-up changes nothing in the ad tables, but takes a change number: new
 * tables are served only once the allowances behind them are set, so when it
 * is served, the money can be spent.
 */
#include <stdio.h>

#include "ads_money.h"
#include "ctl/verbs.h"

/* what one top-up may be (ads.topups) */
#define AMOUNT_LEAST ADS_MONEY_UNIT
#define AMOUNT_MOST (1000000 * ADS_MONEY_UNIT)

static const struct db_stmt STMT_TOPUP = {
    .name = "ctl_topup",
    .sql = "select t.topup_id, t.status, t.balance_micros, t.created,"
           "    ads.change_bump() "
           "from ads.topup($1, $2, $3) t",
    .n_params = 3,
};

enum topup_column { TOPUP_ID, TOPUP_STATUS, TOPUP_BALANCE, TOPUP_CREATED };

static const struct db_stmt STMT_REVERSE = {
    .name = "ctl_reverse",
    .sql = "select r.state, r.reversal_id, r.account_id, r.amount_micros,"
           "    r.balance_micros, to_char(r.created_at at time zone 'UTC',"
           "        'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') "
           "from ads.reversal($1, $2, $3, $4, $5) r",
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

static const struct db_stmt STMT_SHOW = {
    .name = "ctl_balance",
    .sql = "select b.balance_micros, b.currency::text,"
           "    e.held_micros, e.payable_micros "
           "from ads.balances b "
           "left join ads.publisher_earnings($1) e on true "
           "where b.account_id = $1",
    .n_params = 1,
};

enum balance_column {
    BALANCE_MICROS,
    BALANCE_CURRENCY,
    BALANCE_HELD,
    BALANCE_PAYABLE
};


static int
topup(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL, *amount = NULL, *reference = NULL;
    const struct ctl_option options[] = {
        {"account", true, NULL, &account},
        {"amount", true, NULL, &amount},
        {"reference", true, NULL, &reference},
    };
    char balance[ADS_MONEY_TEXT_MAX + 1];
    struct ads_uuid id, topup_id;
    struct db_args args;
    struct db_rows *rows;
    int64_t micros;
    int n, rc;

    rc = ctl_options(argc, argv, options, 3, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&id, "--account", account);
    }
    if (rc == CTL_OK) {
        rc = ctl_read_money(&micros, "--amount", amount);
    }
    if (rc == CTL_OK && (micros < AMOUNT_LEAST || micros > AMOUNT_MOST)) {
        rc = ctl_refuse("--amount: from 1 to 1000000: %s", amount);
    }
    if (rc == CTL_OK) {
        rc = ctl_text_check("--reference", reference, 1, 200);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    ctl_pay(ctl);
    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &id);
    db_arg_int8(&args, micros);
    db_arg_text(&args, ctl_text(reference));
    rc = ctl_ask(ctl, &STMT_TOPUP, &args, &rows);
    if (rc != CTL_OK) {
        return rc;
    }

    topup_id = db_uuid(rows, 0, TOPUP_ID);
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "transaction_id", &topup_id);
        ctl_json_text(ctl, "status", db_text(rows, 0, TOPUP_STATUS));
        ctl_json_money(ctl, "balance", db_int(rows, 0, TOPUP_BALANCE));
        ctl_json_bool(ctl, "created", db_bool(rows, 0, TOPUP_CREATED));

    } else {
        *ads_money_write(balance, db_int(rows, 0, TOPUP_BALANCE)) = '\0';
        printf("%s; balance %s\n",
               db_bool(rows, 0, TOPUP_CREATED) ? "booked" : "was booked before",
               balance);
    }
    return ctl_served(ctl);
}


/* ---- reversals ---- */

/* What PostgreSQL says instead of doing it. */
static const struct {
    const char *state;
    const char *text;
} refusals[] = {
    {"not_found", "no top-up or click has this id"},
    {"not_settled", "the top-up was not settled"},
    {"not_billed", "the click was not billed"},
    {"reversed", "it was reversed before, by another reference"},
    {"too_much", "--amount: a click goes back as a whole, and of a top-up no"
                 " more than is left"},
    {"no_funds", "the balance does not hold it"},
    {"reference_reused", "--reference: something else was reversed by it"},
};


/* Parameters 1 to 5. */
static int
reverse_args(struct db_args *args, const char *topup_id, const char *click,
             const char *amount)
{
    int64_t micros = 0;
    int rc;

    if ((topup_id == NULL) == (click == NULL)) {
        ctl_refuse("give either --topup or --click");
        return CTL_USAGE;
    }
    rc = ctl_arg_id(args, "--topup", topup_id);
    if (rc == CTL_OK) {
        rc = ctl_arg_id(args, "--click", click);
    }
    if (rc != CTL_OK || amount == NULL) {
        db_arg_null(args);
        return rc;
    }
    rc = ctl_read_money(&micros, "--amount", amount);
    if (rc == CTL_OK && (micros < 1 || micros > AMOUNT_MOST)) {
        rc = ctl_refuse("--amount: more than 0, at most 1000000: %s", amount);
    }
    db_arg_int8(args, micros);
    return rc;
}


static int
reverse_told(struct ctl *ctl, const struct db_rows *rows)
{
    struct ads_str state = db_text(rows, 0, REVERSAL_STATE);
    struct ads_uuid id = db_uuid(rows, 0, REVERSAL_ID),
                    account = db_uuid(rows, 0, REVERSAL_ACCOUNT);
    bool created = ads_str_is(state, "created");
    char amount[ADS_MONEY_TEXT_MAX + 1], balance[ADS_MONEY_TEXT_MAX + 1];

    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (ads_str_is(state, refusals[i].state)) {
            return ctl_refuse("%s", refusals[i].text);
        }
    }
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_id(ctl, "account_id", &account);
        ctl_json_money(ctl, "amount", db_int(rows, 0, REVERSAL_AMOUNT));
        ctl_json_money(ctl, "balance", db_int(rows, 0, REVERSAL_BALANCE));
        ctl_json_text(ctl, "created_at", db_text(rows, 0, REVERSAL_CREATED_AT));
        ctl_json_bool(ctl, "created", created);
    } else {
        *ads_money_write(amount, db_int(rows, 0, REVERSAL_AMOUNT)) = '\0';
        *ads_money_write(balance, db_int(rows, 0, REVERSAL_BALANCE)) = '\0';
        printf("%s %s; balance %s\n",
               created ? "reversed" : "reversed before:", amount, balance);
    }
    return CTL_OK;
}


static int
reverse(struct ctl *ctl, int argc, char **argv)
{
    const char *topup_id = NULL, *click = NULL, *amount = NULL;
    const char *reason = NULL, *reference = NULL;
    const struct ctl_option options[] = {
        {"topup", false, NULL, &topup_id},     {"click", false, NULL, &click},
        {"amount", false, NULL, &amount},      {"reason", true, NULL, &reason},
        {"reference", true, NULL, &reference},
    };
    struct db_args args;
    struct db_rows *rows;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 5, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = reverse_args(&args, topup_id, click, amount);
    }
    if (rc == CTL_OK) {
        rc = ctl_text_check("--reason", reason, 1, 500);
    }
    if (rc == CTL_OK) {
        rc = ctl_text_check("--reference", reference, 1, 200);
    }
    if (rc == CTL_OK) {
        ctl_pay(ctl);
        db_arg_text(&args, ctl_text(reason));
        db_arg_text(&args, ctl_text(reference));
        rc = ctl_ask(ctl, &STMT_REVERSE, &args, &rows);
    }
    if (rc == CTL_OK) {
        rc = reverse_told(ctl, rows);
    }
    return rc == CTL_OK ? ctl_served(ctl) : rc;
}


/* ---- looking ---- */

/* A publisher's has two parts. */
static void
balance_print(struct ctl *ctl, const struct db_rows *rows)
{
    struct ads_str currency = db_text(rows, 0, BALANCE_CURRENCY);
    bool earned = !db_is_null(rows, 0, BALANCE_HELD);
    char balance[ADS_MONEY_TEXT_MAX + 1], held[ADS_MONEY_TEXT_MAX + 1];
    char payable[ADS_MONEY_TEXT_MAX + 1];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_money(ctl, "balance", db_int(rows, 0, BALANCE_MICROS));
        if (earned) {
            ctl_json_money(ctl, "held", db_int(rows, 0, BALANCE_HELD));
            ctl_json_money(ctl, "payable", db_int(rows, 0, BALANCE_PAYABLE));
        }
        ctl_json_text(ctl, "currency", currency);
        ctl_json_end(ctl);
        return;
    }
    *ads_money_write(balance, db_int(rows, 0, BALANCE_MICROS)) = '\0';
    printf("%s %.*s", balance, (int)currency.len, currency.ptr);
    if (earned) {
        *ads_money_write(held, db_int(rows, 0, BALANCE_HELD)) = '\0';
        *ads_money_write(payable, db_int(rows, 0, BALANCE_PAYABLE)) = '\0';
        printf("; held %s, payable %s", held, payable);
    }
    printf("\n");
}


static int
show(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL;
    const struct ctl_option options[] = {{"account", true, NULL, &account}};
    struct db_args args;
    struct db_rows *rows;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_arg_id(&args, "--account", account);
    }
    if (rc == CTL_OK) {
        rc = ctl_ask(ctl, &STMT_SHOW, &args, &rows);
    }
    if (rc != CTL_OK) {
        return rc;
    }
    if (db_n_rows(rows) == 0) {
        return ctl_refuse("this account has no balance");
    }

    balance_print(ctl, rows);
    return CTL_OK;
}


int
ctl_balance(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"topup", topup},
        {"reverse", reverse},
        {"show", show},
    };

    return ctl_act(ctl, argc, argv, actions, 3);
}
