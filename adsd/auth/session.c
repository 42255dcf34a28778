/*
 * Sessions of people in PostgreSQL (sql/code/65_sign_in.sql).
 */
#include "auth/session.h"

#include <sodium.h>
#include <stdio.h>

#include "auth/cookie.h"
#include "auth/jwt.h"
#include "base/clock.h"
#include "http/rate.h"

#define REFRESH_BYTES 32
#define USER_AGENT_MAX 256

static const struct db_stmt STMT_FIND = {
    .name = "session_find",
    .sql = "select account_id, type, role from ads.session_find($1, $2, $3)",
    .n_params = 3,
};

enum found_column { FOUND_ACCOUNT, FOUND_TYPE, FOUND_ROLE };

static const struct db_stmt STMT_BEGIN = {
    .name = "session_begin",
    .sql = "select ads.session_begin($1, $2, $3, $4, $5)"
           " where $6::text is null or ads.password_holds($1, $6)",
    .n_params = 6,
};

static const struct db_stmt STMT_REFRESH = {
    .name = "session_refresh",
    .sql = "select outcome, session_id from ads.session_refresh($1, $2)",
    .n_params = 2,
};

enum refresh_column { REFRESH_OUTCOME, REFRESH_SESSION };

static const struct db_stmt STMT_VIEW = {
    .name = "session_view",
    .sql = "select session_id, expires_at, user_id, email, name, verified_at,"
           " user_created_at, account_id, account_type, account_name, status,"
           " currency, timezone, role, has_password"
           " from ads.session_view($1)",
    .n_params = 1,
};

enum view_column {
    VIEW_SESSION,
    VIEW_EXPIRES_AT,
    VIEW_USER,
    VIEW_EMAIL,
    VIEW_NAME,
    VIEW_VERIFIED_AT,
    VIEW_CREATED_AT,
    VIEW_ACCOUNT,
    VIEW_ACCOUNT_TYPE,
    VIEW_ACCOUNT_NAME,
    VIEW_ACCOUNT_STATUS,
    VIEW_CURRENCY,
    VIEW_TIMEZONE,
    VIEW_ROLE,
    VIEW_HAS_PASSWORD
};


/* ---- who asks ---- */

static enum actor_role
role_of(struct ads_str role)
{
    switch (role.len == 0 ? 0 : role.ptr[0]) {
    case 'o':
        return ROLE_OWNER;
    case 'e':
        return ROLE_EDITOR;
    case 'v':
        return ROLE_VIEWER;
    default:
        return ROLE_NONE;
    }
}


static enum ads_err
actor_look_up(struct request *request, const struct ads_uuid *user,
              const struct ads_uuid *session)
{
    struct ads_str header = request_find(request, "HTTP_X_ADS_ACCOUNT");
    struct actor *actor = &request->actor;
    struct ads_uuid wanted;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    bool named = header.ptr != NULL && ads_uuid_read(&wanted, header);

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, session);
    db_arg_uuid(&args, user);
    db_arg_uuid(&args, named ? &wanted : NULL);
    err = db_run_alone(request->db, &STMT_FIND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) != 1) {
        return ADS_DENIED;
    }
    actor->method = ACTOR_SESSION;
    actor->account = db_uuid(rows, 0, FOUND_ACCOUNT);
    actor->type = ads_key_type_of(db_text(rows, 0, FOUND_TYPE));
    actor->role = role_of(db_text(rows, 0, FOUND_ROLE));
    actor->user = *user;
    actor->session = *session;
    return ADS_OK;
}


enum ads_err
auth_session_find(struct request *request, struct ads_str token)
{
    const struct auth_jwt_rules rules = {
        .keys = request->adsd->auth_keys,
        .issuer = request->adsd->conf.base_url,
        .audience = AUTH_JWT_AUDIENCE,
        .life_max_s = AUTH_JWT_LIFE_S,
        .now_s = clock_realtime_us() / 1000000,
    };
    struct ads_uuid user, session;
    struct auth_jwt jwt;
    int64_t wait_s;
    enum ads_err err;

    err = auth_jwt_check(&jwt, request->pool, &rules, token);
    if (err != ADS_OK) {
        return err;
    }
    if (jwt.session.ptr == NULL || !ads_uuid_read(&user, jwt.subject)
        || !ads_uuid_read(&session, jwt.session))
    {
        return ADS_DENIED;
    }
    if (!rate_take(request->adsd->people, &user, clock_monotonic_ms(), &wait_s))
    {
        return request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED, wait_s);
    }
    request->actor.expires_us = jwt.expires_s * 1000000;
    return actor_look_up(request, &user, &session);
}


/* ---- sessions ---- */

/* What the client calls itself, for people to recognise: printable ASCII. */
static struct ads_str
user_agent(struct request *request)
{
    struct ads_str agent = request_find(request, "HTTP_USER_AGENT");
    char *text;

    if (agent.ptr == NULL) {
        return ADS_STR("");
    }
    if (agent.len > USER_AGENT_MAX) {
        agent.len = USER_AGENT_MAX;
    }
    text = pool_text(request->pool, agent);
    for (size_t i = 0; i < agent.len; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            text[i] = '?';
        }
    }
    return (struct ads_str){text, agent.len};
}


static struct ads_str
refresh_draw(struct request *request)
{
    uint8_t random[REFRESH_BYTES];
    struct ads_str token = {.len = ADS_BASE64URL_LEN(REFRESH_BYTES)};
    char *text = pool_alloc(request->pool, token.len + 1);

    randombytes_buf(random, sizeof(random));
    (void)ads_base64url_write(text, random, sizeof(random));
    sodium_memzero(random, sizeof(random));
    token.ptr = text;
    return token;
}


void
auth_session_refresh_hash(uint8_t hash[AUTH_REFRESH_HASH_LEN],
                          struct ads_str refresh)
{
    (void)crypto_generichash(hash, AUTH_REFRESH_HASH_LEN,
                             (const unsigned char *)refresh.ptr, refresh.len,
                             NULL, 0);
}


/* The row of a session that lives; ADS_DENIED when it does not. */
static enum ads_err
session_view(struct request *request, struct db_tx *tx,
             struct auth_session *session)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &session->id);
    err = db_run(tx, &STMT_VIEW, &args, &session->view);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(session->view) != 1) {
        return ADS_DENIED;
    }
    session->life_s =
        (db_time(session->view, 0, VIEW_EXPIRES_AT) - clock_realtime_us())
        / 1000000;
    session->user = db_uuid(session->view, 0, VIEW_USER);
    session->account = db_uuid(session->view, 0, VIEW_ACCOUNT);
    return ADS_OK;
}


enum ads_err
auth_session_begin(struct request *request, struct db_tx *tx,
                   const struct auth_session_start *start,
                   struct auth_session *session)
{
    uint8_t hash[AUTH_REFRESH_HASH_LEN];
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    session->refresh = refresh_draw(request);
    auth_session_refresh_hash(hash, session->refresh);
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &start->user);
    db_arg_uuid(&args, start->account);
    db_arg_text(&args, (struct ads_str){start->method, strlen(start->method)});
    db_arg_text(&args, user_agent(request));
    db_arg_bytea(&args, hash, sizeof(hash));
    db_arg_text(&args, start->password_hash);
    err = db_run(tx, &STMT_BEGIN, &args, &rows);
    if (err != ADS_OK || db_n_rows(rows) != 1) {
        return err != ADS_OK ? err : ADS_BUSY;
    }
    if (db_is_null(rows, 0, DB_ONLY)) {
        return ADS_DENIED;
    }
    session->id = db_uuid(rows, 0, DB_ONLY);
    return session_view(request, tx, session);
}


enum ads_err
auth_session_refresh(struct request *request, struct db_tx *tx,
                     struct ads_str refresh, struct auth_session *session)
{
    uint8_t old[AUTH_REFRESH_HASH_LEN], new[AUTH_REFRESH_HASH_LEN];
    struct db_args args;
    struct db_rows *rows;
    struct ads_str outcome;
    enum ads_err err;

    session->refresh = refresh_draw(request);
    auth_session_refresh_hash(old, refresh);
    auth_session_refresh_hash(new, session->refresh);
    db_args_init(&args, request->pool);
    db_arg_bytea(&args, old, sizeof(old));
    db_arg_bytea(&args, new, sizeof(new));
    err = db_run(tx, &STMT_REFRESH, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    outcome = db_text(rows, 0, REFRESH_OUTCOME);
    if (outcome.len > 0 && outcome.ptr[0] == 'r') {
        log_warn(request->adsd->log, "auth",
                 "a refresh token was used twice: its session was ended");
    }
    if (outcome.len == 0 || outcome.ptr[0] != 'o') {
        return ADS_DENIED;
    }
    session->id = db_uuid(rows, 0, REFRESH_SESSION);
    return session_view(request, tx, session);
}


/* ---- the answer ---- */

void
auth_session_write(struct json *json, const struct db_rows *view)
{
    struct ads_uuid user = db_uuid(view, 0, VIEW_USER),
                    account = db_uuid(view, 0, VIEW_ACCOUNT);

    json_object_begin(json, "user");
    json_uuid(json, "id", &user);
    json_string(json, "email", db_text(view, 0, VIEW_EMAIL));
    json_string(json, "name", db_text(view, 0, VIEW_NAME));
    json_bool(json, "email_verified", !db_is_null(view, 0, VIEW_VERIFIED_AT));
    json_bool(json, "has_password", db_bool(view, 0, VIEW_HAS_PASSWORD));
    json_time(json, "created_at", db_time(view, 0, VIEW_CREATED_AT));
    json_object_end(json);
    json_object_begin(json, "account");
    json_uuid(json, "id", &account);
    json_string(json, "type", db_text(view, 0, VIEW_ACCOUNT_TYPE));
    json_string(json, "name", db_text(view, 0, VIEW_ACCOUNT_NAME));
    json_string(json, "status", db_text(view, 0, VIEW_ACCOUNT_STATUS));
    json_string(json, "currency", db_text(view, 0, VIEW_CURRENCY));
    json_string(json, "timezone", db_text(view, 0, VIEW_TIMEZONE));
    json_string(json, "role", db_text(view, 0, VIEW_ROLE));
    json_object_end(json);
}


void
auth_session_cookie(struct request *request, const struct auth_session *session)
{
    auth_cookie_set(request, session->refresh, session->life_s);
}


void
auth_session_answer(struct request *request, unsigned status,
                    const struct auth_session *session)
{
    struct json json;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_string(&json, "access_token",
                auth_jwt_make(request->pool, request->adsd->auth_keys,
                              &(struct auth_jwt_claims){
                                  .issuer = request->adsd->conf.base_url,
                                  .now_s = clock_realtime_us() / 1000000,
                                  .user = &session->user,
                                  .session = &session->id,
                                  .account = &session->account,
                              }));
    json_constant(&json, "token_type", "Bearer");
    json_int(&json, "expires_in", AUTH_JWT_LIFE_S);
    auth_session_write(&json, session->view);
    json_object_end(&json);
    auth_session_cookie(request, session);
    request_answer_json(request, status, &json);
}
