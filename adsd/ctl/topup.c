/*
 * adsctl topup: lists top-ups that wait to be settled, and settles or refuses
 * them.
 */
#include <stdio.h>

#include "ads_money.h"
#include "ctl/verbs.h"

#define LIST_MOST 1000

static const struct db_stmt STMT_LIST = {
    .name = "ctl_topup_list",
    .sql = "select t.id, t.account_id, a.name, t.amount_micros, t.reference,"
           "    t.status, to_char(t.created_at at time zone 'UTC',"
           "        'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') "
           "from ads.topups t "
           "join ads.accounts a on a.id = t.account_id "
           "where ($1::text is null or t.status = $1)"
           "    and ($2::uuid is null or t.account_id = $2) "
           "order by t.created_at desc, t.id desc "
           "limit $3",
    .n_params = 3,
};

enum topup_column {
    TOPUP_ID,
    TOPUP_ACCOUNT,
    TOPUP_NAME,
    TOPUP_AMOUNT,
    TOPUP_REFERENCE,
    TOPUP_STATUS,
    TOPUP_CREATED_AT
};

static const struct db_stmt STMT_SETTLE = {
    .name = "ctl_topup_settle",
    .sql = "select t.status, t.balance_micros, t.created "
           "from ads.topup_settle($1) t",
    .n_params = 1,
};

static const struct db_stmt STMT_REJECT = {
    .name = "ctl_topup_reject",
    .sql = "select t.status, t.balance_micros, t.created "
           "from ads.topup_reject($1, $2) t",
    .n_params = 2,
};

enum decided_column { DECIDED_STATUS, DECIDED_BALANCE, DECIDED_CHANGED };


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, TOPUP_ID),
                    account = db_uuid(rows, i, TOPUP_ACCOUNT);
    struct ads_str name = db_text(rows, i, TOPUP_NAME),
                   reference = db_text(rows, i, TOPUP_REFERENCE);
    struct ads_str status = db_text(rows, i, TOPUP_STATUS),
                   at = db_text(rows, i, TOPUP_CREATED_AT);
    char amount[ADS_MONEY_TEXT_MAX + 1], text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_id(ctl, "account_id", &account);
        ctl_json_text(ctl, "account_name", name);
        ctl_json_money(ctl, "amount", db_int(rows, i, TOPUP_AMOUNT));
        ctl_json_text(ctl, "reference", reference);
        ctl_json_text(ctl, "status", status);
        ctl_json_text(ctl, "created_at", at);
        ctl_json_end(ctl);
        return;
    }
    (void)ads_uuid_write(text, &id);
    *ads_money_write(amount, db_int(rows, i, TOPUP_AMOUNT)) = '\0';
    printf("%.*s  %.*s  %-8.*s  %14s  %.*s (%.*s)\n", (int)sizeof(text), text,
           (int)at.len, at.ptr, (int)status.len, status.ptr, amount,
           (int)reference.len, reference.ptr, (int)name.len, name.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    static const char *const statuses[] = {"pending", "settled", "rejected",
                                           NULL};
    const char *status = NULL, *account = NULL;
    const struct ctl_option options[] = {
        {"status", false, NULL, &status},
        {"account", false, NULL, &account},
    };
    struct db_args args;
    int n, rc;

    rc = ctl_options(argc, argv, options, 2, 0, 0, &n);
    if (rc == CTL_OK && status != NULL) {
        rc = ctl_read_choice("--status", status, statuses);
    }
    if (rc == CTL_OK) {
        rc = ctl_account_check(ctl, account);
    }
    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_text(&args, ctl_text(status));
    rc = ctl_arg_id(&args, "--account", account);
    db_arg_int8(&args, LIST_MOST);
    return rc == CTL_OK ? ctl_rows(ctl, &STMT_LIST, &args, row_print) : rc;
}


/* Says what became of the top-up; the opposite of what was wanted is refused.
 */
static int
told(struct ctl *ctl, const struct db_rows *rows, const char *wanted)
{
    struct ads_str status = db_text(rows, 0, DECIDED_STATUS);
    char balance[ADS_MONEY_TEXT_MAX + 1];

    if (!ads_str_is(status, wanted)) {
        return ctl_refuse("it was %.*s before", (int)status.len, status.ptr);
    }
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "status", status);
        ctl_json_money(ctl, "balance", db_int(rows, 0, DECIDED_BALANCE));
        ctl_json_bool(ctl, "changed", db_bool(rows, 0, DECIDED_CHANGED));
    } else {
        *ads_money_write(balance, db_int(rows, 0, DECIDED_BALANCE)) = '\0';
        printf("%s%s; balance %s\n", wanted,
               db_bool(rows, 0, DECIDED_CHANGED) ? "" : " before", balance);
    }
    return CTL_OK;
}


static int
settle(struct ctl *ctl, int argc, char **argv)
{
    struct ads_uuid id;
    struct db_rows *rows;
    int rc = ctl_only_id(&id, "ID", argc, argv);

    if (rc == CTL_OK) {
        ctl_pay(ctl);
        rc = ctl_ask_id(ctl, &STMT_SETTLE, &id, &rows, "top-up");
    }
    if (rc == CTL_OK) {
        rc = told(ctl, rows, "settled");
    }
    return rc == CTL_OK ? ctl_served(ctl) : rc;
}


static int
reject(struct ctl *ctl, int argc, char **argv)
{
    const char *reason = NULL;
    const struct ctl_option options[] = {{"reason", true, NULL, &reason}};
    struct db_args args;
    struct db_rows *rows;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 1, 1, 1, &n);
    if (rc == CTL_OK) {
        rc = ctl_text_check("--reason", reason, 1, 500);
    }
    if (rc == CTL_OK) {
        rc = ctl_arg_id(&args, "ID", argv[0]);
    }
    if (rc == CTL_OK) {
        ctl_pay(ctl);
        db_arg_text(&args, ctl_text(reason));
        rc = ctl_ask_one(ctl, &STMT_REJECT, &args, &rows, "top-up");
    }
    return rc == CTL_OK ? told(ctl, rows, "rejected") : rc;
}


int
ctl_topup(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"list", list},
        {"settle", settle},
        {"reject", reject},
    };

    return ctl_act(ctl, argc, argv, actions, 3);
}
