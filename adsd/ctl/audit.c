/*
 * adsctl audit: who changed what.  The database writes the log itself, in the
 * transaction of each change; here it is only read, latest first.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ads_time.h"
#include "ctl/verbs.h"

#define MAX_DEFAULT 50
#define MAX_MOST 10000

static const struct db_stmt STMT_LIST = {
    .name = "ctl_audit",
    .sql = "select l.id,"
           "    to_char(l.at at time zone 'UTC',"
           "        'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),"
           "    l.account_id, l.actor, l.action, l.object, l.object_id,"
           "    l.before::text, l.after::text, l.request_id "
           "from ads.audit_log l "
           "where ($1::uuid is null or l.account_id = $1)"
           "    and ($2::text is null or l.actor = $2)"
           "    and ($3::timestamptz is null or l.at >= $3) "
           "order by l.id desc "
           "limit $4",
    .n_params = 4,
};

enum audit_column {
    AUDIT_ID,
    AUDIT_AT,
    AUDIT_ACCOUNT,
    AUDIT_ACTOR,
    AUDIT_ACTION,
    AUDIT_OBJECT,
    AUDIT_OBJECT_ID,
    AUDIT_BEFORE,
    AUDIT_AFTER,
    AUDIT_REQUEST
};


static void
json_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id;

    ctl_json_begin(ctl);
    ctl_json_int(ctl, "id", db_int(rows, i, AUDIT_ID));
    ctl_json_text(ctl, "at", db_text(rows, i, AUDIT_AT));
    if (!db_is_null(rows, i, AUDIT_ACCOUNT)) {
        id = db_uuid(rows, i, AUDIT_ACCOUNT);
        ctl_json_id(ctl, "account", &id);
    }
    ctl_json_text(ctl, "actor", db_text(rows, i, AUDIT_ACTOR));
    ctl_json_text(ctl, "action", db_text(rows, i, AUDIT_ACTION));
    ctl_json_text(ctl, "object", db_text(rows, i, AUDIT_OBJECT));
    ctl_json_text(ctl, "object_id", db_text(rows, i, AUDIT_OBJECT_ID));
    ctl_json_text(ctl, "before", db_text(rows, i, AUDIT_BEFORE));
    ctl_json_text(ctl, "after", db_text(rows, i, AUDIT_AFTER));
    if (!db_is_null(rows, i, AUDIT_REQUEST)) {
        id = db_uuid(rows, i, AUDIT_REQUEST);
        ctl_json_id(ctl, "request_id", &id);
    }
    ctl_json_end(ctl);
}


static void
text_print(const struct db_rows *rows, int i)
{
    struct ads_str at = db_text(rows, i, AUDIT_AT);
    struct ads_str actor = db_text(rows, i, AUDIT_ACTOR);
    struct ads_str action = db_text(rows, i, AUDIT_ACTION);
    struct ads_str object = db_text(rows, i, AUDIT_OBJECT);
    struct ads_str object_id = db_text(rows, i, AUDIT_OBJECT_ID);
    struct ads_str before = db_text(rows, i, AUDIT_BEFORE);
    struct ads_str after = db_text(rows, i, AUDIT_AFTER);

    printf("%.*s  %.*s  %.*s %.*s %.*s\n", (int)at.len, at.ptr, (int)actor.len,
           actor.ptr, (int)action.len, action.ptr, (int)object.len, object.ptr,
           (int)object_id.len, object_id.ptr);
    if (before.ptr != NULL) {
        printf("    was %.*s\n", (int)before.len, before.ptr);
    }
    if (after.ptr != NULL) {
        printf("    is  %.*s\n", (int)after.len, after.ptr);
    }
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    if (ctl->json) {
        json_print(ctl, rows, i);
    } else {
        text_print(rows, i);
    }
}


struct wanted {
    const char *account;
    const char *actor;
    const char *since;
    const char *max;
};


static int
wanted_read(struct db_args *args, const struct wanted *wanted)
{
    uint32_t max = MAX_DEFAULT;
    int64_t since_ms;
    int rc = ctl_arg_id(args, "--account", wanted->account);

    if (rc != CTL_OK) {
        return rc;
    }
    db_arg_text(args, ctl_text(wanted->actor));
    if (wanted->since == NULL) {
        db_arg_null(args);
    } else if (ads_time_read(&since_ms, ctl_text(wanted->since))) {
        db_arg_time(args, 1000 * since_ms);
    } else {
        return ctl_refuse("--since: not a time such as 2027-01-31T00:00:00Z:"
                          " %s",
                          wanted->since);
    }
    if (wanted->max != NULL
        && (!ctl_read_number(&max, wanted->max, MAX_MOST) || max == 0))
    {
        return ctl_refuse("--max: not a number from 1 to %d: %s", MAX_MOST,
                          wanted->max);
    }
    db_arg_int4(args, (int32_t)max);
    return CTL_OK;
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    struct wanted wanted = {0};
    const struct ctl_option options[] = {
        {"account", false, NULL, &wanted.account},
        {"actor", false, NULL, &wanted.actor},
        {"since", false, NULL, &wanted.since},
        {"max", false, NULL, &wanted.max},
    };
    struct db_args args;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 4, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = wanted_read(&args, &wanted);
    }
    return rc == CTL_OK ? ctl_rows(ctl, &STMT_LIST, &args, row_print) : rc;
}


int
ctl_audit(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {{"list", list}};

    return ctl_act(ctl, argc, argv, actions, 1);
}
