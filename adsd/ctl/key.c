/*
 * adsctl key: API keys.  A key is shown once, when it is made; the database
 * holds its hash.
 */
#include <stdio.h>
#include <string.h>

#include "ads_ip.h"
#include "ads_key.h"
#include "ads_time.h"
#include "auth/key.h"
#include "ctl/verbs.h"

static const struct db_stmt STMT_CREATE = {
    .name = "ctl_key_create",
    .sql = "insert into ads.api_keys "
           "    (account_id, type, mode, hash, last_four, name, explain,"
           "    cidrs, expires_at) "
           "values ($1, $2, $3, $4, $5, $6, $7, $8::text[]::cidr[], $9) "
           "returning id",
    .n_params = 9,
};

static const struct db_stmt STMT_LIST = {
    .name = "ctl_key_list",
    .sql = "select k.id, k.type::text, k.mode, k.last_four, k.name,"
           "    k.revoked_at is not null,"
           "    coalesce(k.expires_at < now(), false) "
           "from ads.api_keys k "
           "where k.account_id = $1 "
           "order by k.created_at, k.id",
    .n_params = 1,
};

enum key_column {
    KEY_ID,
    KEY_TYPE,
    KEY_MODE,
    KEY_LAST_FOUR,
    KEY_NAME,
    KEY_REVOKED,
    KEY_EXPIRED
};

static const struct db_stmt STMT_REVOKE = {
    .name = "ctl_key_revoke",
    .sql = "update ads.api_keys "
           "set revoked_at = coalesce(revoked_at, now()) "
           "where id = $1 "
           "returning id",
    .n_params = 1,
};


static const struct db_stmt STMT_LOOK = {
    .name = "ctl_key_look",
    .sql = "select k.type::text, k.mode from ads.api_keys k where k.id = $1",
    .n_params = 1,
};

enum found_column { FOUND_TYPE, FOUND_MODE };

/* No row: the key is not usable any more. */
static const struct db_stmt STMT_ROTATE = {
    .name = "ctl_key_rotate",
    .sql = "insert into ads.api_keys "
           "    (account_id, type, mode, hash, last_four, name, explain,"
           "    cidrs) "
           "select o.account_id, o.type, o.mode, $3, $4, o.name, o.explain,"
           "    o.cidrs "
           "from ads.api_keys k "
           "cross join lateral ads.key_retire(k.account_id, k.id, $2) o "
           "where k.id = $1 "
           "returning id",
    .n_params = 4,
};

#define GRACE_MAX_S 604800
#define GRACE_DEFAULT_S 86400


/* What was asked for of a new key. */
struct wish {
    struct ads_uuid account;
    const char *name;
    bool test;
    bool explain;
    struct ads_str *cidrs;
    size_t n_cidrs;
    int64_t expires_ms; /* 0: never */
};


/* Shows a key that was stored, once, and waits until it is served. */
static int
key_show(struct ctl *ctl, const struct db_rows *rows, struct ads_str text)
{
    struct ads_uuid id = db_uuid(rows, 0, DB_ONLY);

    if (ctl->json) {
        ctl_made(ctl, &id);
        ctl_json_text(ctl, "key", text);

    } else {
        printf("%.*s\n", (int)text.len, text.ptr);
    }
    return ctl_served(ctl);
}


static int
key_store(struct ctl *ctl, const struct wish *wish,
          const char text[ADS_KEY_TEXT_LEN])
{
    struct ads_str whole = {text, ADS_KEY_TEXT_LEN};
    struct ads_key key;
    struct db_args args;
    struct db_rows *rows;
    int rc = ctl_exit_of(ads_key_read(&key, NULL, whole));

    if (rc != CTL_OK) {
        return rc;
    }

    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &wish->account);
    db_arg_text(&args, (struct ads_str){text + 9, 1});
    db_arg_text(&args, ctl_text(key.test ? "test" : "live"));
    db_arg_bytea(&args, key.hash, sizeof(key.hash));
    db_arg_text(&args, (struct ads_str){text + ADS_KEY_TEXT_LEN - 4, 4});
    db_arg_text(&args, ctl_text(wish->name));
    db_arg_bool(&args, wish->explain);
    db_arg_texts(&args, wish->cidrs, wish->n_cidrs);
    if (wish->expires_ms == 0) {
        db_arg_null(&args);
    } else {
        db_arg_time(&args, 1000 * wish->expires_ms);
    }
    rc = ctl_ask(ctl, &STMT_CREATE, &args, &rows);
    return rc == CTL_OK ? key_show(ctl, rows, whole) : rc;
}


static int
cidrs_read(struct ctl *ctl, struct wish *wish, const char *text)
{
    struct ads_ip_range range;

    wish->cidrs = ctl_list(ctl, text, &wish->n_cidrs);
    for (size_t i = 0; i < wish->n_cidrs; i++) {
        if (!ads_ip_range_read(&range, wish->cidrs[i])) {
            return ctl_refuse("--cidrs: not a range such as 192.0.2.0/24: %.*s",
                              (int)wish->cidrs[i].len, wish->cidrs[i].ptr);
        }
    }
    return wish->n_cidrs > 0 ? CTL_OK : ctl_refuse("--cidrs: no range");
}


static int
wish_read(struct ctl *ctl, struct wish *wish, int argc, char **argv)
{
    const char *account = NULL, *cidrs = NULL, *expires = NULL;
    const struct ctl_option options[] = {
        {"account", true, NULL, &account},
        {"name", false, NULL, &wish->name},
        {"test", false, &wish->test, NULL},
        {"explain", false, &wish->explain, NULL},
        {"cidrs", false, NULL, &cidrs},
        {"expires", false, NULL, &expires},
    };
    int n, rc;

    *wish = (struct wish){.name = ""};
    rc = ctl_options(argc, argv, options, 6, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&wish->account, "--account", account);
    }
    if (rc == CTL_OK) {
        rc = ctl_text_check("--name", wish->name, 0, 200);
    }
    if (rc == CTL_OK && cidrs != NULL) {
        rc = cidrs_read(ctl, wish, cidrs);
    }
    if (rc == CTL_OK && expires != NULL
        && !ads_time_read(&wish->expires_ms, ctl_text(expires)))
    {
        rc = ctl_refuse("--expires: not a time such as 2027-01-31T00:00:00Z:"
                        " %s",
                        expires);
    }
    return rc;
}


static int
create(struct ctl *ctl, int argc, char **argv)
{
    char text[ADS_KEY_TEXT_LEN];
    enum ads_key_type type;
    struct wish wish;
    int rc;

    rc = wish_read(ctl, &wish, argc, argv);
    if (rc == CTL_OK) {
        rc = ctl_account_type(ctl, &wish.account, &type);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    rc = auth_key_draw(text, type, wish.test) == ADS_OK
             ? key_store(ctl, &wish, text)
             : ctl_refuse("no random bytes");
    explicit_bzero(text, sizeof(text));
    return rc;
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, KEY_ID);
    struct ads_str mode = db_text(rows, i, KEY_MODE);
    struct ads_str last_four = db_text(rows, i, KEY_LAST_FOUR);
    struct ads_str name = db_text(rows, i, KEY_NAME);
    const char *state = db_bool(rows, i, KEY_REVOKED)   ? "revoked"
                        : db_bool(rows, i, KEY_EXPIRED) ? "expired"
                                                        : "active";
    char text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_text(ctl, "type", db_text(rows, i, KEY_TYPE));
        ctl_json_text(ctl, "mode", mode);
        ctl_json_text(ctl, "last_four", last_four);
        ctl_json_text(ctl, "name", name);
        ctl_json_text(ctl, "state", ctl_text(state));
        ctl_json_end(ctl);
        return;
    }
    ads_uuid_write(text, &id);
    printf("%.*s  %.*s  ...%.*s  %-7s  %.*s\n", (int)sizeof(text), text,
           (int)mode.len, mode.ptr, (int)last_four.len, last_four.ptr, state,
           (int)name.len, name.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL;
    const struct ctl_option options[] = {{"account", true, NULL, &account}};
    enum ads_key_type type;
    struct ads_uuid id;
    struct db_args args;
    int n, rc;

    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&id, "--account", account);
    }
    if (rc == CTL_OK) {
        rc = ctl_account_type(ctl, &id, &type);
    }
    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &id);
    return ctl_rows(ctl, &STMT_LIST, &args, row_print);
}


static int
revoke_it(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_REVOKE, "key", NULL};

    return ctl_set_state(ctl, argc, argv, &state);
}


/* Draws a key like the old one and stores it in its place. */
static int
key_replace(struct ctl *ctl, const struct ads_uuid *id, uint32_t grace_s,
            char text[ADS_KEY_TEXT_LEN])
{
    struct ads_str whole = {text, ADS_KEY_TEXT_LEN};
    struct ads_key key;
    struct db_args args;
    struct db_rows *rows;
    int rc = ctl_ask_id(ctl, &STMT_LOOK, id, &rows, "key");

    if (rc != CTL_OK) {
        return rc;
    }
    if (auth_key_draw(text,
                      (enum ads_key_type) * db_text(rows, 0, FOUND_TYPE).ptr,
                      *db_text(rows, 0, FOUND_MODE).ptr == 't')
            != ADS_OK
        || ads_key_read(&key, NULL, whole) != ADS_OK)
    {
        return ctl_refuse("no random bytes");
    }

    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, id);
    db_arg_int4(&args, (int32_t)grace_s);
    db_arg_bytea(&args, key.hash, sizeof(key.hash));
    db_arg_text(&args, (struct ads_str){text + ADS_KEY_TEXT_LEN - 4, 4});
    rc = ctl_ask(ctl, &STMT_ROTATE, &args, &rows);
    if (rc != CTL_OK) {
        return rc;
    }
    return db_n_rows(rows) == 0 ? ctl_refuse("the key has ended already")
                                : key_show(ctl, rows, whole);
}


static int
rotate(struct ctl *ctl, int argc, char **argv)
{
    const char *grace = NULL;
    const struct ctl_option options[] = {{"grace", false, NULL, &grace}};
    char text[ADS_KEY_TEXT_LEN];
    uint32_t grace_s = GRACE_DEFAULT_S;
    struct ads_uuid id;
    int n, rc;

    rc = ctl_options(argc, argv, options, 1, 1, 1, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&id, "key", argv[0]);
    }
    if (rc == CTL_OK && grace != NULL
        && !ctl_read_number(&grace_s, grace, GRACE_MAX_S))
    {
        rc = ctl_refuse("--grace: not a number of seconds up to %d: %s",
                        GRACE_MAX_S, grace);
    }
    if (rc == CTL_OK) {
        rc = key_replace(ctl, &id, grace_s, text);
        explicit_bzero(text, sizeof(text));
    }
    return rc;
}


int
ctl_key(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"create", create},
        {"list", list},
        {"revoke", revoke_it},
        {"rotate", rotate},
    };

    return ctl_act(ctl, argc, argv, actions, 4);
}
