/*
 * adsctl tenant: lists, creates and changes accounts and their quotas.
 */
#include <stdio.h>
#include <string.h>

#include "ctl/verbs.h"

#define QUOTA_MAX 1000000000

static const struct db_stmt STMT_CREATE = {
    .name = "ctl_tenant_create",
    .sql = "insert into ads.accounts (type, name, currency, timezone) "
           "select $1, $2, s.currency, $3 from ads.settings s "
           "returning id",
    .n_params = 3,
};

static const struct db_stmt STMT_NAME = {
    .name = "ctl_tenant_name",
    .sql = "select ads.name_public($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_LIST = {
    .name = "ctl_tenant_list",
    .sql = "select a.id, a.type, a.name, a.status, a.timezone "
           "from ads.accounts a "
           "order by a.created_at, a.id",
    .n_params = 0,
};

enum tenant_column {
    TENANT_ID,
    TENANT_TYPE,
    TENANT_NAME,
    TENANT_STATUS,
    TENANT_TIMEZONE
};

static const struct db_stmt STMT_STATUS = {
    .name = "ctl_tenant_status",
    .sql = "update ads.accounts set status = $2 where id = $1 returning id",
    .n_params = 2,
};

/* For operators, who know whom they approve: an account without a site has its
 * name for one. */
static const struct db_stmt STMT_APPROVE = {
    .name = "ctl_tenant_approve",
    .sql = "update ads.accounts set approved_at = coalesce(approved_at, now()),"
           " site = coalesce(site, name) "
           "where id = $1 and type = 'publisher' returning id",
    .n_params = 1,
};

static const struct db_stmt STMT_QUOTAS = {
    .name = "ctl_tenant_quotas",
    .sql = "select q.name, q.most, q.used, q.per_s, q.counts"
           " from ads.accounts a, ads.quotas_of(a.id) q where a.id = $1",
    .n_params = 1,
};

enum quota_column {
    QUOTA_NAME,
    QUOTA_MOST,
    QUOTA_USED,
    QUOTA_PER_S,
    QUOTA_COUNTS
};

static const struct db_stmt STMT_QUOTA_PUT = {
    .name = "ctl_tenant_quota_put",
    .sql = "select ads.account_quota_put($1, $2, $3)",
    .n_params = 3,
};


static int
name_check(struct ctl *ctl, const char *name)
{
    struct db_args args;
    struct db_rows *rows;
    int rc = ctl_text_check("--name", name, 1, 200);

    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_text(&args, ctl_text(name));
    rc = ctl_ask(ctl, &STMT_NAME, &args, &rows);
    return rc == CTL_OK && !db_bool(rows, 0, DB_ONLY)
               ? ctl_refuse("--name: ads show it, so it may hold no e-mail "
                            "address: %s",
                            name)
               : rc;
}


static int
create(struct ctl *ctl, int argc, char **argv)
{
    static const char *const types[] = {"publisher", "advertiser", "platform",
                                        NULL};
    const char *type = NULL, *name = NULL, *timezone = "UTC";
    const struct ctl_option options[] = {
        {"type", true, NULL, &type},
        {"name", true, NULL, &name},
        {"timezone", false, NULL, &timezone},
    };
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    int n, rc;

    rc = ctl_options(argc, argv, options, 3, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_choice("--type", type, types);
    }
    if (rc == CTL_OK) {
        rc = name_check(ctl, name);
    }
    if (rc == CTL_OK) {
        rc = ctl_timezone_check(ctl, timezone);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    db_args_init(&args, ctl->pool);
    db_arg_text(&args, ctl_text(type));
    db_arg_text(&args, ctl_text(name));
    db_arg_text(&args, ctl_text(timezone));
    rc = ctl_ask(ctl, &STMT_CREATE, &args, &rows);
    if (rc != CTL_OK) {
        return rc;
    }

    id = db_uuid(rows, 0, DB_ONLY);
    ctl_made(ctl, &id);
    if (ctl->json) {
        ctl_json_text(ctl, "type", ctl_text(type));
        ctl_json_text(ctl, "name", ctl_text(name));
    }
    return ctl_served(ctl);
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, TENANT_ID);
    struct ads_str type = db_text(rows, i, TENANT_TYPE);
    struct ads_str name = db_text(rows, i, TENANT_NAME);
    struct ads_str status = db_text(rows, i, TENANT_STATUS);
    char text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_text(ctl, "type", type);
        ctl_json_text(ctl, "name", name);
        ctl_json_text(ctl, "status", status);
        ctl_json_text(ctl, "timezone", db_text(rows, i, TENANT_TIMEZONE));
        ctl_json_end(ctl);
        return;
    }
    ads_uuid_write(text, &id);
    printf("%.*s  %-10.*s  %-9.*s  %.*s\n", (int)sizeof(text), text,
           (int)type.len, type.ptr, (int)status.len, status.ptr, (int)name.len,
           name.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    struct db_args args;
    int n;
    int rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);

    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    return ctl_rows(ctl, &STMT_LIST, &args, row_print);
}


static int
suspend(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_STATUS, "account",
                                           "suspended"};

    return ctl_set_state(ctl, argc, argv, &state);
}


static int
activate(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_STATUS, "account", "active"};

    return ctl_set_state(ctl, argc, argv, &state);
}


static int
approve(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_APPROVE, "publisher", NULL};

    return ctl_set_state(ctl, argc, argv, &state);
}


static void
quota_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_str name = db_text(rows, i, QUOTA_NAME);
    struct ads_str counts = db_text(rows, i, QUOTA_COUNTS);
    int64_t most = db_int(rows, i, QUOTA_MOST);
    int64_t used = db_int(rows, i, QUOTA_USED);

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "name", name);
        ctl_json_int(ctl, "limit", most);
        ctl_json_int(ctl, "used", used);
        if (!db_is_null(rows, i, QUOTA_PER_S)) {
            ctl_json_int(ctl, "per_s", db_int(rows, i, QUOTA_PER_S));
        }
        ctl_json_text(ctl, "counts", counts);
        ctl_json_end(ctl);
        return;
    }
    printf("%-24.*s  %lld of %lld  %.*s\n", (int)name.len, name.ptr,
           (long long)used, (long long)most, (int)counts.len, counts.ptr);
}


/* ID: shows all; ID NAME NUMBER|default: changes one. */
static int
quota(struct ctl *ctl, int argc, char **argv)
{
    struct ads_uuid id;
    struct db_args args;
    struct db_rows *rows;
    uint32_t most = 0;
    int n, rc;

    rc = ctl_options(argc, argv, NULL, 0, 1, 3, &n);
    if (rc == CTL_OK && n == 2) {
        rc = CTL_USAGE;
    }
    if (rc == CTL_OK) {
        rc = ctl_read_id(&id, "ID", argv[0]);
    }
    if (rc == CTL_OK) {
        rc = ctl_account_check(ctl, argv[0]);
    }
    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &id);
    if (n == 1) {
        return ctl_rows(ctl, &STMT_QUOTAS, &args, quota_print);
    }
    db_arg_text(&args, ctl_text(argv[1]));
    if (strcmp(argv[2], "default") == 0) {
        db_arg_null(&args);
    } else if (ctl_read_number(&most, argv[2], QUOTA_MAX) && most > 0) {
        db_arg_int8(&args, most);
    } else {
        return ctl_refuse("\"%s\" is neither a number of 1 to %d nor default",
                          argv[2], QUOTA_MAX);
    }
    rc = ctl_ask(ctl, &STMT_QUOTA_PUT, &args, &rows);
    return rc != CTL_OK || db_bool(rows, 0, DB_ONLY)
               ? rc
               : ctl_refuse("no quota has this name");
}


int
ctl_tenant(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"create", create},     {"list", list},       {"suspend", suspend},
        {"activate", activate}, {"approve", approve}, {"quota", quota},
    };

    return ctl_act(ctl, argc, argv, actions, 6);
}
