/*
 * adsctl balance: the operator's side of prepaid money.
 *
 * A top-up changes nothing in the ad tables, but takes a change number: new
 * tables are served only once the allowances behind them are set, so when it
 * is served, the money can be spent.
 */
#include <stdio.h>

#include "ads_money.h"
#include "ctl.h"

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

static const struct db_stmt STMT_SHOW = {
    .name = "ctl_balance",
    .sql = "select b.balance_micros, b.currency::text "
           "from ads.balances b "
           "where b.account_id = $1",
    .n_params = 1,
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

    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &id);
    db_arg_int8(&args, micros);
    db_arg_text(&args, ctl_text(reference));
    rc = ctl_ask(ctl, &STMT_TOPUP, &args, &rows);
    if (rc != CTL_OK) {
        return rc;
    }

    topup_id = db_uuid(rows, 0, 0);
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "transaction_id", &topup_id);
        ctl_json_text(ctl, "status", db_text(rows, 0, 1));
        ctl_json_money(ctl, "balance", db_int(rows, 0, 2));
        ctl_json_bool(ctl, "created", db_bool(rows, 0, 3));

    } else {
        *ads_money_write(balance, db_int(rows, 0, 2)) = '\0';
        printf("%s; balance %s\n",
               db_bool(rows, 0, 3) ? "booked" : "was booked before", balance);
    }
    return ctl_served(ctl);
}


static int
show(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL;
    const struct ctl_option options[] = {{"account", true, NULL, &account}};
    char balance[ADS_MONEY_TEXT_MAX + 1];
    struct ads_str currency;
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

    currency = db_text(rows, 0, 1);
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_money(ctl, "balance", db_int(rows, 0, 0));
        ctl_json_text(ctl, "currency", currency);
        ctl_json_end(ctl);

    } else {
        *ads_money_write(balance, db_int(rows, 0, 0)) = '\0';
        printf("%s %.*s\n", balance, (int)currency.len, currency.ptr);
    }
    return CTL_OK;
}


int
ctl_balance(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"topup", topup},
        {"show", show},
    };

    return ctl_act(ctl, argc, argv, actions, 2);
}
