/*
 * adsctl user: people who sign in.  A person made here has no password: the
 * first one is set by `user password`, by way of a mail, or never, with a
 * social sign-in.  A password is read from standard input: arguments show in
 * the list of processes.
 */
#include <stdio.h>
#include <string.h>

#include "auth/email.h"
#include "auth/password.h"
#include "ctl/verbs.h"

static const struct db_stmt STMT_CREATE = {
    .name = "ctl_user_create",
    .sql = "insert into ads.users (email, name, email_verified_at) "
           "values ($1, $2, case when $3 then now() end) "
           "returning id",
    .n_params = 3,
};

static const struct db_stmt STMT_LIST = {
    .name = "ctl_user_list",
    .sql = "select u.id, u.email, u.name, u.email_verified_at is not null,"
           "    (select count(*) from ads.members m where m.user_id = u.id) "
           "from ads.users u "
           "where $1::text is null or lower(u.email) = lower($1) "
           "order by u.created_at, u.id",
    .n_params = 1,
};

enum user_column {
    USER_ID,
    USER_EMAIL,
    USER_NAME,
    USER_VERIFIED,
    USER_ACCOUNTS
};

static const struct db_stmt STMT_VERIFY = {
    .name = "ctl_user_verify",
    .sql = "update ads.users "
           "set email_verified_at = coalesce(email_verified_at, now()) "
           "where id = $1 "
           "returning id",
    .n_params = 1,
};


static const struct db_stmt STMT_FIND = {
    .name = "ctl_user_find",
    .sql = "select email, name from ads.users where id = $1",
    .n_params = 1,
};

enum found_column { FOUND_EMAIL, FOUND_NAME };

static const struct db_stmt STMT_PASSWORD = {
    .name = "ctl_user_password",
    .sql = "select ads.password_set($1, $2, null)",
    .n_params = 2,
};


static int
create(struct ctl *ctl, int argc, char **argv)
{
    const char *email = NULL, *name = NULL;
    bool verified = false;
    const struct ctl_option options[] = {
        {"email", true, NULL, &email},
        {"name", false, NULL, &name},
        {"verified", false, &verified, NULL},
    };
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;
    int n, rc;

    rc = ctl_options(argc, argv, options, 3, 0, 0, &n);
    if (rc == CTL_OK && !auth_email_check(ctl_text(email))) {
        rc = ctl_refuse("--email: not an address such as ann@shop.example");
    }
    if (rc == CTL_OK && name != NULL) {
        rc = ctl_text_check("--name", name, 1, 200);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    db_args_init(&args, ctl->pool);
    db_arg_text(&args, ctl_text(email));
    db_arg_text(&args, ctl_text(name));
    db_arg_bool(&args, verified);
    err = db_run_alone(ctl->db, &STMT_CREATE, &args, &rows);
    if (err == ADS_CONFLICT) {
        return ctl_refuse("somebody has this address already: %s", email);
    }
    if (err != ADS_OK) {
        return ctl_failed(ctl, err);
    }

    id = db_uuid(rows, 0, DB_ONLY);
    ctl_made(ctl, &id);
    if (ctl->json) {
        ctl_json_text(ctl, "email", ctl_text(email));
    }
    return CTL_OK;
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, USER_ID);
    struct ads_str address = db_text(rows, i, USER_EMAIL);
    struct ads_str name = db_text(rows, i, USER_NAME);
    bool verified = db_bool(rows, i, USER_VERIFIED);
    char text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_text(ctl, "email", address);
        ctl_json_text(ctl, "name", name);
        ctl_json_bool(ctl, "verified", verified);
        ctl_json_int(ctl, "accounts", db_int(rows, i, USER_ACCOUNTS));
        ctl_json_end(ctl);
        return;
    }
    ads_uuid_write(text, &id);
    printf("%.*s  %-10s  %.*s  %.*s\n", (int)sizeof(text), text,
           verified ? "verified" : "unverified", (int)address.len, address.ptr,
           (int)name.len, name.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    const char *email = NULL;
    const struct ctl_option options[] = {{"email", false, NULL, &email}};
    struct db_args args;
    int n, rc;

    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc != CTL_OK) {
        return rc;
    }

    db_args_init(&args, ctl->pool);
    db_arg_text(&args, ctl_text(email));
    return ctl_rows(ctl, &STMT_LIST, &args, row_print);
}


static int
verify(struct ctl *ctl, int argc, char **argv)
{
    struct ads_uuid id;
    struct db_rows *rows;
    int rc = ctl_only_id(&id, "user", argc, argv);

    if (rc == CTL_OK) {
        rc = ctl_ask_id(ctl, &STMT_VERIFY, &id, &rows, "user");
    }
    if (rc == CTL_OK && ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_bool(ctl, "verified", true);
    }
    return rc;
}


/* The first line of standard input, without its end. */
static struct ads_str
line_read(char *line, int room)
{
    struct ads_str text = {line, 0};

    if (fgets(line, room, stdin) != NULL) {
        text.len = strcspn(line, "\r\n");
    }
    return text;
}


static int
password_put(struct ctl *ctl, const struct ads_uuid *id, struct ads_str text)
{
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct db_args args;
    enum ads_err err;

    err = auth_password_hash_now(hash, text);
    if (err == ADS_OK) {
        db_args_init(&args, ctl->pool);
        db_arg_uuid(&args, id);
        db_arg_text(&args, ctl_text(hash));
        err = db_run_alone(ctl->db, &STMT_PASSWORD, &args, NULL);
    }
    return err == ADS_OK ? CTL_OK : ctl_failed(ctl, err);
}


static int
password(struct ctl *ctl, int argc, char **argv)
{
    char line[AUTH_PASSWORD_BYTES_MAX + 2];
    struct ads_str text;
    struct ads_uuid id;
    struct db_rows *rows;
    const char *why;
    int rc = ctl_only_id(&id, "user", argc, argv);

    if (rc == CTL_OK) {
        rc = ctl_ask_id(ctl, &STMT_FIND, &id, &rows, "user");
    }
    if (rc != CTL_OK) {
        return rc;
    }

    text = line_read(line, (int)sizeof(line));
    why = auth_password_fault(text, db_text(rows, 0, FOUND_EMAIL),
                              db_text(rows, 0, FOUND_NAME));
    rc = why != NULL ? ctl_refuse("the password %s", why)
                     : password_put(ctl, &id, text);
    explicit_bzero(line, sizeof(line));
    if (rc == CTL_OK && ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_end(ctl);
    }
    return rc;
}


int
ctl_user(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"create", create},
        {"list", list},
        {"verify", verify},
        {"password", password},
    };

    return ctl_act(ctl, argc, argv, actions, 4);
}
