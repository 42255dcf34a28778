/*
 * adsctl member: which person may act for which account, and as what.  The
 * first is an owner, and the last owner is neither removed nor made less.
 */
#include <stdio.h>

#include "ctl/verbs.h"

static const struct db_stmt STMT_USER = {
    .name = "ctl_member_user",
    .sql = "select u.id from ads.users u where u.id = $1",
    .n_params = 1,
};

/* The account's row is the lock, so that two owners cannot remove each other
 * at the same time. */
static const struct db_stmt STMT_LOCK = {
    .name = "ctl_member_lock",
    .sql = "select a.id from ads.accounts a where a.id = $1 for update",
    .n_params = 1,
};

static const struct db_stmt STMT_PUT = {
    .name = "ctl_member_put",
    .sql = "insert into ads.members (account_id, user_id, role) "
           "values ($1, $2, $3) "
           "on conflict (account_id, user_id) do update set role = $3 "
           "returning user_id",
    .n_params = 3,
};

static const struct db_stmt STMT_REMOVE = {
    .name = "ctl_member_remove",
    .sql = "delete from ads.members "
           "where account_id = $1 and user_id = $2 "
           "returning user_id",
    .n_params = 2,
};

static const struct db_stmt STMT_OWNERS = {
    .name = "ctl_member_owners",
    .sql = "select count(*) "
           "from ads.members m "
           "where m.account_id = $1 and m.role = 'owner'",
    .n_params = 1,
};

static const struct db_stmt STMT_LIST = {
    .name = "ctl_member_list",
    .sql = "select u.id, u.email, m.role "
           "from ads.members m "
           "join ads.users u on u.id = m.user_id "
           "where m.account_id = $1 "
           "order by m.created_at, u.id",
    .n_params = 1,
};

enum member_column { MEMBER_ID, MEMBER_EMAIL, MEMBER_ROLE };

struct change {
    struct ctl *ctl;
    struct ads_uuid account;
    struct ads_uuid user;
    const char *role; /* NULL: remove */
    const char *why;  /* it was refused */
};


static enum ads_err
owner_check(struct change *change, struct db_tx *tx)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, change->ctl->pool);
    db_arg_uuid(&args, &change->account);
    err = db_run(tx, &STMT_OWNERS, &args, &rows);
    if (err == ADS_OK && db_int(rows, 0, DB_ONLY) == 0) {
        change->why = "the account would be left without an owner";
        return ADS_DENIED;
    }
    return err;
}


static enum ads_err
change_work(struct db_tx *tx, void *arg)
{
    struct change *change = arg;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, change->ctl->pool);
    db_arg_uuid(&args, &change->account);
    err = db_run(tx, &STMT_LOCK, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) == 0) {
        change->why = "no account has this id";
        return ADS_ABSENT;
    }

    db_arg_uuid(&args, &change->user);
    if (change->role != NULL) {
        db_arg_text(&args, ctl_text(change->role));
    }
    err = db_run(tx, change->role == NULL ? &STMT_REMOVE : &STMT_PUT, &args,
                 &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) == 0) {
        change->why = "the user is no member of this account";
        return ADS_ABSENT;
    }
    return owner_check(change, tx);
}


static int
change_run(struct ctl *ctl, const char *account, const char *user,
           const char *role)
{
    struct change change = {.ctl = ctl, .role = role};
    struct db_rows *rows;
    enum ads_err err;
    int rc;

    rc = ctl_read_id(&change.account, "--account", account);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&change.user, "--user", user);
    }
    if (rc == CTL_OK) {
        rc = ctl_ask_id(ctl, &STMT_USER, &change.user, &rows, "user");
    }
    if (rc != CTL_OK) {
        return rc;
    }

    err = db_transact(ctl->db, change_work, &change);
    if (change.why != NULL && (err == ADS_DENIED || err == ADS_ABSENT)) {
        return ctl_refuse("%s", change.why);
    }
    if (err != ADS_OK) {
        return ctl_failed(ctl, err);
    }

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "account", &change.account);
        ctl_json_id(ctl, "user", &change.user);
        ctl_json_text(ctl, "role", ctl_text(role));
    }
    return CTL_OK;
}


static int
add(struct ctl *ctl, int argc, char **argv)
{
    static const char *const roles[] = {"owner", "editor", "viewer", NULL};
    const char *account = NULL, *user = NULL, *role = NULL;
    const struct ctl_option options[] = {
        {"account", true, NULL, &account},
        {"user", true, NULL, &user},
        {"role", true, NULL, &role},
    };
    int n, rc;

    rc = ctl_options(argc, argv, options, 3, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_choice("--role", role, roles);
    }
    return rc == CTL_OK ? change_run(ctl, account, user, role) : rc;
}


static int
remove_it(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL, *user = NULL;
    const struct ctl_option options[] = {
        {"account", true, NULL, &account},
        {"user", true, NULL, &user},
    };
    int n, rc;

    rc = ctl_options(argc, argv, options, 2, 0, 0, &n);
    return rc == CTL_OK ? change_run(ctl, account, user, NULL) : rc;
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, MEMBER_ID);
    struct ads_str email = db_text(rows, i, MEMBER_EMAIL);
    struct ads_str role = db_text(rows, i, MEMBER_ROLE);
    char text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "user", &id);
        ctl_json_text(ctl, "email", email);
        ctl_json_text(ctl, "role", role);
        ctl_json_end(ctl);
        return;
    }
    ads_uuid_write(text, &id);
    printf("%.*s  %-6.*s  %.*s\n", (int)sizeof(text), text, (int)role.len,
           role.ptr, (int)email.len, email.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL;
    const struct ctl_option options[] = {{"account", true, NULL, &account}};
    struct db_args args;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_account_check(ctl, account);
    }
    if (rc == CTL_OK) {
        rc = ctl_arg_id(&args, "--account", account);
    }
    return rc == CTL_OK ? ctl_rows(ctl, &STMT_LIST, &args, row_print) : rc;
}


int
ctl_member(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"add", add},
        {"list", list},
        {"remove", remove_it},
    };

    return ctl_act(ctl, argc, argv, actions, 3);
}
