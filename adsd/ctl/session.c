/*
 * adsctl session: where people are signed in.  Each request with an access
 * token asks for its session, so one that was ended is refused at once.
 */
#include <stdio.h>

#include "ctl/verbs.h"

static const struct db_stmt STMT_LIST = {
    .name = "ctl_session_list",
    .sql = "select s.id, s.user_id, u.email, s.account_id, s.method,"
           "    s.user_agent,"
           "    to_char(s.created_at at time zone 'UTC',"
           "        'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),"
           "    to_char(s.last_used_at at time zone 'UTC',"
           "        'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') "
           "from ads.sessions s "
           "join ads.users u on u.id = s.user_id "
           "where s.revoked_at is null and s.expires_at > now()"
           "    and ($1::uuid is null or s.user_id = $1) "
           "order by s.last_used_at desc, s.id",
    .n_params = 1,
};

enum session_column {
    SESSION_ID,
    SESSION_PERSON,
    SESSION_EMAIL,
    SESSION_ACCOUNT,
    SESSION_METHOD,
    SESSION_USER_AGENT,
    SESSION_CREATED_AT,
    SESSION_USED_AT
};

static const struct db_stmt STMT_END = {
    .name = "ctl_session_end",
    .sql = "update ads.sessions "
           "set revoked_at = coalesce(revoked_at, now()) "
           "where id = $1 "
           "returning id",
    .n_params = 1,
};

static const struct db_stmt STMT_END_USER = {
    .name = "ctl_session_end_user",
    .sql = "update ads.sessions "
           "set revoked_at = now() "
           "where user_id = $1 and revoked_at is null and expires_at > now() "
           "returning id",
    .n_params = 1,
};


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, SESSION_ID);
    struct ads_uuid person = db_uuid(rows, i, SESSION_PERSON);
    struct ads_uuid account = db_uuid(rows, i, SESSION_ACCOUNT);
    struct ads_str email = db_text(rows, i, SESSION_EMAIL);
    struct ads_str method = db_text(rows, i, SESSION_METHOD);
    struct ads_str used = db_text(rows, i, SESSION_USED_AT);
    char text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_id(ctl, "user", &person);
        ctl_json_text(ctl, "email", email);
        ctl_json_id(ctl, "account", &account);
        ctl_json_text(ctl, "method", method);
        ctl_json_text(ctl, "user_agent", db_text(rows, i, SESSION_USER_AGENT));
        ctl_json_text(ctl, "created_at", db_text(rows, i, SESSION_CREATED_AT));
        ctl_json_text(ctl, "last_used_at", used);
        ctl_json_end(ctl);
        return;
    }
    ads_uuid_write(text, &id);
    printf("%.*s  %.*s  %-8.*s  %.*s\n", (int)sizeof(text), text, (int)used.len,
           used.ptr, (int)method.len, method.ptr, (int)email.len, email.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    const char *user = NULL;
    const struct ctl_option options[] = {{"user", false, NULL, &user}};
    struct db_args args;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_arg_id(&args, "--user", user);
    }
    return rc == CTL_OK ? ctl_rows(ctl, &STMT_LIST, &args, row_print) : rc;
}


static int
end(struct ctl *ctl, int argc, char **argv)
{
    const char *user = NULL;
    const struct ctl_option options[] = {{"user", false, NULL, &user}};
    struct db_args args;
    struct db_rows *rows;
    int n, rc;

    rc = ctl_options(argc, argv, options, 1, 0, 1, &n);
    if (rc == CTL_OK && (user == NULL) == (n == 0)) {
        ctl_refuse("say a session or --user");
        return CTL_USAGE;
    }
    if (rc != CTL_OK) {
        return rc;
    }

    db_args_init(&args, ctl->pool);
    if (user != NULL) {
        rc = ctl_arg_id(&args, "--user", user);
        if (rc == CTL_OK) {
            rc = ctl_ask(ctl, &STMT_END_USER, &args, &rows);
        }
    } else {
        rc = ctl_arg_id(&args, "session", argv[0]);
        if (rc == CTL_OK) {
            rc = ctl_ask_one(ctl, &STMT_END, &args, &rows, "session");
        }
    }
    if (rc != CTL_OK) {
        return rc;
    }

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_int(ctl, "ended", db_n_rows(rows));

    } else {
        printf("ended: %d\n", db_n_rows(rows));
    }
    return CTL_OK;
}


int
ctl_session(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"list", list},
        {"end", end},
    };

    return ctl_act(ctl, argc, argv, actions, 2);
}
