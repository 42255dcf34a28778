/*
 * Statements of adsctl's verbs, one at a time, and what is printed when
 * PostgreSQL refuses.
 */
#include "ctl/ctl.h"

#define TIMEZONE_MAX 64


int
ctl_failed(struct ctl *ctl, enum ads_err err)
{
    if (err == ADS_CONFLICT) {
        ctl_refuse("%s", db_message(ctl->db));
    } else if (err == ADS_DENIED) {
        ctl_refuse("the database login has not this duty: name one that has,"
                   " adsctl -d DATABASE ...");
    }
    return ctl_exit_of(err);
}


void
ctl_pay(struct ctl *ctl)
{
    const struct db_options options = {.duty = DB_PAY,
                                       .conninfo = ctl->conf.database,
                                       .log = ctl->log,
                                       .actor = ctl->actor};

    db_free(ctl->db);
    ctl->db = db_new(&options);
}


int
ctl_arg_id(struct db_args *args, const char *what, const char *text)
{
    struct ads_uuid id;
    int rc;

    if (text == NULL) {
        db_arg_uuid(args, NULL);
        return CTL_OK;
    }
    rc = ctl_read_id(&id, what, text);
    if (rc == CTL_OK) {
        db_arg_uuid(args, &id);
    }
    return rc;
}


int
ctl_arg_day(struct db_args *args, const char *what, const char *text)
{
    int32_t day;
    int rc;

    if (text == NULL) {
        db_arg_null(args);
        return CTL_OK;
    }
    rc = ctl_read_day(&day, what, text);
    if (rc == CTL_OK) {
        db_arg_date(args, day);
    }
    return rc;
}


int
ctl_arg_month(struct db_args *args, const char *what, const char *text)
{
    int32_t day;
    int rc;

    if (text == NULL) {
        db_arg_null(args);
        return CTL_OK;
    }
    rc = ctl_read_month(&day, what, text);
    if (rc == CTL_OK) {
        db_arg_date(args, day);
    }
    return rc;
}


int
ctl_ask(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
        struct db_rows **rows)
{
    enum ads_err err = db_run_alone(ctl->db, stmt, args, rows);

    return err == ADS_OK ? CTL_OK : ctl_failed(ctl, err);
}


int
ctl_ask_one(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
            struct db_rows **rows, const char *noun)
{
    int rc = ctl_ask(ctl, stmt, args, rows);

    return rc == CTL_OK && db_n_rows(*rows) == 0
               ? ctl_refuse("no %s has this id", noun)
               : rc;
}


int
ctl_ask_id(struct ctl *ctl, const struct db_stmt *stmt,
           const struct ads_uuid *id, struct db_rows **rows, const char *noun)
{
    struct db_args args;

    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, id);
    return ctl_ask_one(ctl, stmt, &args, rows, noun);
}


int
ctl_rows(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
         void (*print)(struct ctl *ctl, const struct db_rows *rows, int i))
{
    struct db_rows *rows;
    int rc = ctl_ask(ctl, stmt, args, &rows);

    for (int i = 0; rc == CTL_OK && i < db_n_rows(rows); i++) {
        print(ctl, rows, i);
    }
    return rc;
}


static const struct db_stmt STMT_TIMEZONE = {
    .name = "ctl_timezone",
    .sql = "select z.name from ads.timezones z where z.name = $1",
    .n_params = 1,
};


int
ctl_timezone_check(struct ctl *ctl, const char *text)
{
    struct db_args args;
    struct db_rows *rows;
    int rc;

    if (text == NULL) {
        return CTL_OK;
    }
    rc = ctl_text_check("--timezone", text, 1, TIMEZONE_MAX);
    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_text(&args, ctl_text(text));
    rc = ctl_ask(ctl, &STMT_TIMEZONE, &args, &rows);
    return rc == CTL_OK && db_n_rows(rows) == 0 ? ctl_refuse(
               "--timezone: not one such as Europe/Berlin: %s", text)
                                                : rc;
}


static const struct db_stmt STMT_ACCOUNT_TYPE = {
    .name = "ctl_account_type",
    .sql = "select a.type from ads.accounts a where a.id = $1",
    .n_params = 1,
};


int
ctl_account_type(struct ctl *ctl, const struct ads_uuid *account,
                 enum ads_key_type *type)
{
    struct db_rows *rows;
    int rc = ctl_ask_id(ctl, &STMT_ACCOUNT_TYPE, account, &rows, "account");

    if (rc == CTL_OK) {
        *type = ads_key_type_of(db_text(rows, 0, DB_ONLY));
    }
    return rc;
}


int
ctl_account_check(struct ctl *ctl, const char *text)
{
    enum ads_key_type type;
    struct ads_uuid id;
    int rc;

    if (text == NULL) {
        return CTL_OK;
    }
    rc = ctl_read_id(&id, "--account", text);
    return rc == CTL_OK ? ctl_account_type(ctl, &id, &type) : rc;
}
