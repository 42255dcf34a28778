/*
 * Endpoints of API keys: create, show, replace and revoke.
 */
#include "api/handlers.h"

#include <string.h>

#include "ads_ip.h"
#include "auth/key.h"
#include "base/clock.h"
#include "daemon/live_file.h"
#include "db/row.h"
#include "http/body.h"
#include "http/list.h"

#define NAME_CHARS 200
#define CIDRS_MAX 100
#define CIDR_CHARS 49 /* an address of 45, a slash and three digits */
#define GRACE_MAX_S 604800
#define GRACE_DEFAULT_S 86400

enum count_column { COUNT_MOST, COUNT_N };

/* The account's row is the lock, so that two requests cannot both make the
 * last key. */
static const struct db_stmt STMT_LOCK = {
    .name = "key_lock",
    .sql = "select a.id from ads.accounts a where a.id = $1"
           " for no key update",
    .n_params = 1,
};

static const struct db_stmt STMT_COUNT = {
    .name = "key_count",
    .sql = "select ads.quota_of($1, 'keys_max'), count(*)"
           " from ads.key_states k"
           " where k.account_id = $1 and k.status = 'active'"
           " and k.id is distinct from $2",
    .n_params = 2,
};

static const struct db_stmt STMT_RETIRE = {
    .name = "key_retire",
    .sql = "select k.name, k.mode, k.explain, k.cidrs::text[]"
           " from ads.key_retire($1, $2, $3) k",
    .n_params = 3,
};

enum retired_column {
    RETIRED_NAME,
    RETIRED_MODE,
    RETIRED_EXPLAIN,
    RETIRED_CIDRS
};

static const struct db_stmt STMT_CREATE = {
    .name = "key_create",
    .sql = "insert into ads.api_keys (account_id, type, mode, hash, last_four,"
           " name, explain, cidrs, expires_at)"
           " values ($1, $2, $3, $4, $5, $6, $7, $8::text[]::cidr[], $9)"
           " returning id",
    .n_params = 9,
};

#define NAMED LIST_HOLDS("k.name", "$3")

static const struct db_stmt STMT_LIST = {
    .name = "key_list",
    .sql = "select k.id, k.type, k.mode, k.last_four, k.name, k.explain,"
           " k.cidrs, k.status, k.created_at, k.expires_at, k.revoked_at,"
           " k.last_used_at"
           " from ads.key_states k"
           " where k.account_id = $1"
           " and ($2::text is null or k.status = $2)"
           " and " NAMED " and ($4::timestamptz is null"
           "     or (k.created_at, k.id) < ($4, $5::uuid))"
           " order by k.created_at desc, k.id desc limit $6",
    .n_params = 6,
};

static const struct db_stmt STMT_SHOW = {
    .name = "key_show",
    .sql = "select k.id, k.type, k.mode, k.last_four, k.name, k.explain,"
           " k.cidrs, k.status, k.created_at, k.expires_at, k.revoked_at,"
           " k.last_used_at"
           " from ads.key_states k"
           " where k.account_id = $1 and k.id = $2",
    .n_params = 2,
};

enum key_column {
    KEY_ID,
    KEY_TYPE,
    KEY_MODE,
    KEY_LAST_FOUR,
    KEY_NAME,
    KEY_EXPLAIN,
    KEY_CIDRS,
    KEY_STATUS,
    KEY_CREATED_AT,
    KEY_EXPIRES_AT,
    KEY_REVOKED_AT,
    KEY_LAST_USED_AT
};

static const struct db_stmt STMT_REVOKE = {
    .name = "key_revoke",
    .sql = "update ads.api_keys"
           " set revoked_at = coalesce(revoked_at, now())"
           " where account_id = $1 and id = $2"
           " returning id",
    .n_params = 2,
};

/* What is asked for; of a key that takes another's place also what that one
 * was, where the request does not say. */
struct wish {
    struct ads_str name;
    bool has_test, test;
    bool has_explain, explain;
    bool granted; /* the key that is replaced explains */
    bool has_cidrs;
    struct ads_str *cidrs;
    size_t n_cidrs;
    int64_t expires_us; /* 0: never */
    bool rotates;
    struct ads_uuid rotate;
    int64_t grace_s;
};


/* ---- the body ---- */

static void
cidrs_check(struct form *form, struct wish *wish)
{
    struct ads_ip_range range;

    wish->has_cidrs = form_texts(form, "cidrs", FORM_OPTIONAL, CIDRS_MAX,
                                 CIDR_CHARS, &wish->cidrs, &wish->n_cidrs);
    for (size_t i = 0; wish->has_cidrs && i < wish->n_cidrs; i++) {
        if (!ads_ip_range_read(&range, wish->cidrs[i])) {
            form_error(form, "cidrs", "invalid_format",
                       "must be ranges such as 192.0.2.0/24");
            return;
        }
    }
}


static enum ads_err
wish_read(struct request *request, struct wish *wish)
{
    struct form form;

    *wish = (struct wish){.grace_s = GRACE_DEFAULT_S};
    if (body_begin(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    wish->rotates = form_uuid(&form, "rotate", FORM_OPTIONAL, &wish->rotate);
    wish->name =
        form_text(&form, "name",
                  form_has(&form, "rotate") ? FORM_OPTIONAL : FORM_REQUIRED, 1,
                  NAME_CHARS);
    wish->has_test = form_bool(&form, "test", FORM_OPTIONAL, &wish->test);
    wish->has_explain =
        form_bool(&form, "explain", FORM_OPTIONAL, &wish->explain);
    cidrs_check(&form, wish);
    if (form_time(&form, "expires_at", FORM_OPTIONAL, &wish->expires_us)
        && wish->expires_us <= clock_realtime_us())
    {
        form_error(&form, "expires_at", "out_of_range",
                   "must be in the future");
    }
    if (form_int(&form, "grace_s", FORM_OPTIONAL, 0, GRACE_MAX_S,
                 &wish->grace_s)
        && !form_has(&form, "rotate"))
    {
        form_error(&form, "grace_s", "not_allowed", "goes with rotate only");
    }
    return body_end(&form, request);
}


/* ---- making ---- */

/* Is there room for one more? */
static enum ads_err
room_check(struct request *request, const struct wish *wish)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = db_run(request->tx, &STMT_LOCK, &args, NULL);
    if (err == ADS_OK) {
        db_arg_uuid(&args, wish->rotates ? &wish->rotate : NULL);
        err = db_run(request->tx, &STMT_COUNT, &args, &rows);
    }
    if (err != ADS_OK) {
        return err;
    }

    if (db_int(rows, 0, COUNT_N) < db_int(rows, 0, COUNT_MOST)) {
        return ADS_OK;
    }
    live_file_add(request->adsd->live, ADS_LIVE_QUOTA_REFUSED + ADS_QUOTA_KEYS,
                  1);
    return request_answer_problem(
        request, ADS_PROBLEM_TOO_MANY_KEYS,
        pool_format(request->pool, NULL,
                    "keys_max is %lld: revoke one, or replace it with rotate",
                    (long long)db_int(rows, 0, COUNT_MOST)));
}


/* Ends the key that is replaced, and takes over what was not said.  ADS_ABSENT
 * when there is no such key, or it is ended. */
static enum ads_err
old_retire(struct request *request, struct wish *wish)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, &wish->rotate);
    db_arg_int4(&args, (int32_t)wish->grace_s);
    err = db_run(request->tx, &STMT_RETIRE, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) == 0) {
        return ADS_ABSENT;
    }

    if (wish->name.ptr == NULL) {
        wish->name = db_text(rows, 0, RETIRED_NAME);
    }
    if (!wish->has_test) {
        wish->test = db_text(rows, 0, RETIRED_MODE).ptr[0] == 't';
    }
    wish->granted = db_bool(rows, 0, RETIRED_EXPLAIN);
    if (!wish->has_explain) {
        wish->explain = wish->granted;
    }
    if (!wish->has_cidrs) {
        wish->cidrs =
            db_texts(rows, 0, RETIRED_CIDRS, request->pool, &wish->n_cidrs);
    }
    return ADS_OK;
}


static enum ads_err
key_store(struct request *request, const struct wish *wish, struct ads_str text,
          struct ads_uuid *id)
{
    const char type = (char)request->actor.type;
    struct ads_key key;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    err = ads_key_read(&key, NULL, text);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, (struct ads_str){&type, 1});
    db_arg_text(&args, wish->test ? ADS_STR("test") : ADS_STR("live"));
    db_arg_bytea(&args, key.hash, sizeof(key.hash));
    db_arg_text(&args, (struct ads_str){text.ptr + text.len - 4, 4});
    db_arg_text(&args, wish->name);
    db_arg_bool(&args, wish->explain);
    db_arg_texts(&args, wish->cidrs, wish->n_cidrs);
    if (wish->expires_us == 0) {
        db_arg_null(&args);
    } else {
        db_arg_time(&args, wish->expires_us);
    }
    err = db_run(request->tx, &STMT_CREATE, &args, &rows);
    if (err == ADS_OK) {
        *id = db_uuid(rows, 0, DB_ONLY);
    }
    return err;
}


/* ---- answers ---- */

/* Of the list as CSV. */
static const char csv_columns[] =
    "id,name,type,mode,last_four,explain,cidrs,status,created_at,expires_at,"
    "revoked_at,last_used_at";


/* A row of STMT_LIST or STMT_SHOW; `key` only where it was just made. */
static void
key_write(struct json *json, const struct db_rows *rows, int row,
          struct ads_str key)
{
    struct ads_uuid id = db_uuid(rows, row, KEY_ID);

    json_object_begin(json, NULL);
    json_uuid(json, "id", &id);
    if (key.ptr != NULL) {
        json_string(json, "key", key);
    }
    json_string(json, "name", db_text(rows, row, KEY_NAME));
    json_string(json, "type", db_text(rows, row, KEY_TYPE));
    json_string(json, "mode", db_text(rows, row, KEY_MODE));
    json_string(json, "last_four", db_text(rows, row, KEY_LAST_FOUR));
    json_bool(json, "explain", db_bool(rows, row, KEY_EXPLAIN));
    row_texts(json, "cidrs", rows, row, KEY_CIDRS);
    json_string(json, "status", db_text(rows, row, KEY_STATUS));
    row_time(json, "created_at", rows, row, KEY_CREATED_AT);
    row_time(json, "expires_at", rows, row, KEY_EXPIRES_AT);
    row_time(json, "revoked_at", rows, row, KEY_REVOKED_AT);
    row_time(json, "last_used_at", rows, row, KEY_LAST_USED_AT);
    json_object_end(json);
}


static enum ads_err
answer_one(struct request *request, const struct ads_uuid *id, unsigned status,
           struct ads_str key)
{
    struct db_rows *rows;
    struct json json;
    enum ads_err err;

    err = request_row_find(request, &STMT_SHOW, id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    json_init(&json, request->pool);
    key_write(&json, rows, 0, key);
    request_answer_json(request, status, &json);
    return ADS_OK;
}


static void
location_set(struct request *request, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];
    struct ads_str location;

    (void)ads_uuid_write(text, id);
    location.ptr =
        pool_format(request->pool, &location.len, "/v1/auth/api-key/%.*s",
                    (int)sizeof(text), text);
    request_header(request, "Location", location);
}


/* The platform's key acts as an owner of every account, the platform's too: no
 * editor makes themselves one. */
static bool
may_create(const struct actor *actor)
{
    return actor->type != ADS_KEY_PLATFORM || actor->role == ROLE_OWNER;
}


/* Explanations show how others are ranked: the operator grants them, with a
 * key or a session of the platform, and a key that replaces one keeps them. */
static enum ads_err
explain_check(struct request *request, const struct wish *wish)
{
    const struct actor *actor = &request->actor;

    if (!wish->explain || wish->granted || actor->other
        || actor->type == ADS_KEY_PLATFORM)
    {
        return ADS_OK;
    }
    return request_answer_problem(request, ADS_PROBLEM_WRONG_SCOPE,
                                  "only the operator grants explain");
}


enum ads_err
api_key_create(struct request *request)
{
    char *text = pool_alloc(request->pool, ADS_KEY_TEXT_LEN);
    struct ads_str key = {text, ADS_KEY_TEXT_LEN};
    struct ads_uuid id;
    struct wish wish;
    enum ads_err err;

    if (!may_create(&request->actor)) {
        return request_answer_problem(
            request, ADS_PROBLEM_WRONG_SCOPE,
            "only an owner makes keys of the platform");
    }
    err = wish_read(request, &wish);
    if (err == ADS_OK) {
        err = room_check(request, &wish);
    }
    if (err == ADS_OK && wish.rotates) {
        err = old_retire(request, &wish);
    }
    if (err == ADS_OK) {
        err = explain_check(request, &wish);
    }
    if (err == ADS_OK) {
        err = auth_key_draw(text, request->actor.type, wish.test);
    }
    if (err == ADS_OK) {
        err = key_store(request, &wish, key, &id);
    }
    if (err == ADS_OK) {
        err = answer_one(request, &id, 201, key);
    }
    if (err == ADS_OK) {
        location_set(request, &id);
        request->answer.secret = true;
        request->answer.object = id;
    }
    return err;
}


static void
listed_write(struct json *json, const struct db_rows *rows, int row)
{
    key_write(json, rows, row, (struct ads_str){NULL, 0});
}


static const struct list_of LIST = {
    .id = 0,
    .created_at = 8,
    .write = listed_write,
    .csv = csv_columns,
};


enum ads_err
api_key_list(struct request *request)
{
    static const char *const states[] = {"active", "expired", "revoked", NULL};
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "api-key") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    list_word(list, &args, "status", states);
    db_arg_text(&args, query_words(&list->query, "q", NAME_CHARS));
    return list_run(list, &STMT_LIST, &args, &LIST);
}


enum ads_err
api_key_show(struct request *request)
{
    struct ads_uuid id;

    return ads_uuid_read(&id, request->args[0])
               ? answer_one(request, &id, 200, (struct ads_str){NULL, 0})
               : ADS_ABSENT;
}


enum ads_err
api_key_revoke(struct request *request)
{
    struct ads_uuid id;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, &id);
    err = db_run(request->tx, &STMT_REVOKE, &args, &rows);
    if (err == ADS_OK && db_n_rows(rows) == 0) {
        err = ADS_ABSENT;
    }
    if (err == ADS_OK) {
        request_answer_empty(request, 204);
    }
    return err;
}
