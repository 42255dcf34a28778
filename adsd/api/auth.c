/*
 * Endpoints of signing up, in and out.  A password is hashed between two
 * transactions, never inside one.
 */
#include "api/handlers.h"

#include <stdio.h>

#include "auth/code.h"
#include "auth/cookie.h"
#include "auth/email.h"
#include "auth/login.h"
#include "auth/name.h"
#include "auth/password.h"
#include "auth/session.h"
#include "daemon/auth_keys.h"
#include "http/body.h"
#include "http/frame.h"

static const char *const account_types[] = {"advertiser", "publisher", NULL};

static const struct db_stmt STMT_SIGNUP_CHECK = {
    .name = "signup_check",
    .sql = "select exists (select from ads.login_find($1)),"
           " ads.timezone_known($2)",
    .n_params = 2,
};

enum check_column { CHECK_EMAIL_TAKEN, CHECK_TIMEZONE_KNOWN };

static const struct db_stmt STMT_SIGNUP = {
    .name = "signup",
    .sql = "select user_id, account_id"
           " from ads.signup($1, $2, $3, $4, $5, $6, $7)",
    .n_params = 7,
};

enum signup_column { SIGNUP_USER };

static const struct db_stmt STMT_CODE_USE = {
    .name = "login_code_use",
    .sql = "select ads.login_code_use($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_SESSION_END = {
    .name = "session_end",
    .sql = "select ads.session_end($1, $2, null)",
    .n_params = 2,
};

static const struct db_stmt STMT_SESSION_OF_REFRESH = {
    .name = "session_of_refresh",
    .sql = "select user_id, session_id from ads.session_of_refresh($1)",
    .n_params = 1,
};

enum refresh_column { REFRESH_USER, REFRESH_SESSION };

static const struct db_stmt STMT_PERSON = {
    .name = "me_person",
    .sql = "select u.email, u.name, u.email_verified_at, u.created_at,"
           " ads.password_of(u.id) is not null"
           " from ads.users u where u.id = $1",
    .n_params = 1,
};

enum person_column {
    PERSON_EMAIL,
    PERSON_NAME,
    PERSON_VERIFIED_AT,
    PERSON_CREATED_AT,
    PERSON_HAS_PASSWORD
};

static const struct db_stmt STMT_ACCOUNT = {
    .name = "me_account",
    .sql = "select a.type, a.name, a.status, a.currency::text, a.timezone"
           " from ads.accounts a where a.id = $1",
    .n_params = 1,
};

enum account_column {
    ACCOUNT_TYPE,
    ACCOUNT_NAME,
    ACCOUNT_STATUS,
    ACCOUNT_CURRENCY,
    ACCOUNT_TIMEZONE
};


/* ---- signing up ---- */

struct signup {
    struct ads_str email;
    struct ads_str password;
    struct ads_str name;
    struct ads_str company;
    struct ads_str currency;
    struct ads_str timezone;
    int type;
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct auth_session session;
    int64_t change;
};


static bool
currency_fits(const struct request *request, struct ads_str currency)
{
    const char *ours = request->adsd->conf.currency;

    return currency.ptr == NULL || ads_str_is(currency, ours);
}


static enum ads_err
signup_read(struct signup *signup, struct request *request)
{
    struct form form;
    const char *why;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    signup->email = auth_email_field(&form, "email");
    signup->password = auth_login_password_field(&form, "password");
    signup->name = form_text(&form, "name", FORM_OPTIONAL, 1, AUTH_NAME_MAX);
    err = auth_name_field(request, &form, "company", FORM_OPTIONAL,
                          &signup->company);
    if (err != ADS_OK) {
        return err;
    }
    signup->currency = form_text(&form, "currency", FORM_OPTIONAL, 3, 3);
    signup->timezone = form_text(&form, "timezone", FORM_OPTIONAL, 1, 64);
    signup->type = form_choice(&form, "account_type", 0, account_types);
    if (signup->password.ptr != NULL) {
        why =
            auth_password_fault(signup->password, signup->email, signup->name);
        if (why != NULL) {
            form_error(&form, "password", "weak_password", why);
        }
    }
    err = body_end(&form, request);
    if (err == ADS_OK && !currency_fits(request, signup->currency)) {
        err = request_answer_problem(request, ADS_PROBLEM_CURRENCY_UNSUPPORTED,
                                     NULL);
    }
    return err;
}


/* What costs no hash: is the address free, does the zone exist? */
static enum ads_err
signup_check(struct request *request, const struct signup *signup)
{
    struct ads_field_error error = {
        .pointer = "/timezone",
        .code = "not_allowed",
        .detail = "must be the name of a time zone, as Europe/Berlin",
    };
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_text(&args, signup->email);
    db_arg_text(&args, signup->timezone);
    err = db_run_alone(request->db, &STMT_SIGNUP_CHECK, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (signup->timezone.ptr != NULL && !db_bool(rows, 0, CHECK_TIMEZONE_KNOWN))
    {
        return request_answer_fields(request, &error, 1);
    }
    return db_bool(rows, 0, CHECK_EMAIL_TAKEN)
               ? request_answer_problem(request, ADS_PROBLEM_EMAIL_TAKEN, NULL)
               : ADS_OK;
}


static enum ads_err
signup_work(struct request *request, struct db_tx *tx, struct signup *signup)
{
    struct auth_session_start start = {.method = "password"};
    const char *type = account_types[signup->type < 0 ? 0 : signup->type];
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_text(&args, signup->email);
    db_arg_text(&args, signup->name);
    db_arg_text(&args, (struct ads_str){signup->hash, strlen(signup->hash)});
    db_arg_text(&args, (struct ads_str){type, strlen(type)});
    db_arg_text(&args, signup->company);
    db_arg_text(&args, signup->currency);
    db_arg_text(&args, signup->timezone);
    err = db_run(tx, &STMT_SIGNUP, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    start.user = db_uuid(rows, 0, SIGNUP_USER);
    return auth_session_begin(request, tx, &start, &signup->session);
}


static enum ads_err
signup_commit(struct request *request, struct signup *signup)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(request->db, &tx);
    if (err != ADS_OK) {
        return err;
    }
    err = api_act(request, tx, NULL);
    if (err == ADS_OK) {
        err = signup_work(request, tx, signup);
    }
    if (err == ADS_OK) {
        err = api_commit(request, tx, &signup->change);
    }
    db_end(tx);
    return err;
}


enum ads_err
api_auth_signup(struct request *request)
{
    struct signup *signup = pool_alloc(request->pool, sizeof(*signup));
    enum ads_err err;

    err = signup_read(signup, request);
    if (err == ADS_OK) {
        err = signup_check(request, signup);
    }
    if (err == ADS_OK) {
        err = auth_password_hash(request->adsd->hasher, signup->hash,
                                 signup->password);
    }
    auth_login_wipe(request, signup->password);
    if (err == ADS_BUSY) {
        return request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED, 2);
    }
    if (err != ADS_OK) {
        return err;
    }
    err = signup_commit(request, signup);
    if (err == ADS_CONFLICT) {
        return request_answer_problem(request, ADS_PROBLEM_EMAIL_TAKEN, NULL);
    }
    if (err == ADS_OK) {
        adsd_mail_soon(request->adsd);
        auth_session_answer(request, 201, &signup->session);
        api_publish_wait(request, signup->change);
    }
    return err;
}


/* ---- signing in ---- */

struct login {
    struct ads_str email;
    struct ads_str password;
    struct ads_uuid account;
    struct ads_uuid code;
    struct auth_login who;
    struct auth_session_start start;
    struct auth_session session;
};


/* A code with a wrong MAC is answered like one that is used: it becomes the
 * null id, which no code has. */
static enum ads_err
login_read(struct login *login, struct request *request)
{
    struct ads_str code;
    struct form form;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    login->email = form_text(&form, "email", FORM_REQUIRED, 1, 320);
    login->password = auth_login_password_field(&form, "password");
    if (form_uuid(&form, "account_id", FORM_OPTIONAL, &login->account)) {
        login->start.account = &login->account;
    }
    code = form_text(&form, "code", FORM_OPTIONAL, 1, 200);
    if (code.ptr != NULL) {
        login->who.code = &login->code;
        if (!auth_code_read(&login->code, request->adsd->auth_keys, code)) {
            login->code = (struct ads_uuid){{0}};
        }
    }
    return body_end(&form, request);
}


/* ADS_ANSWERED: somebody else used the code just now. */
static enum ads_err
login_code_use(struct request *request, struct db_tx *tx,
               const struct ads_uuid *code)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (code == NULL) {
        return ADS_OK;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, code);
    err = db_run(tx, &STMT_CODE_USE, &args, &rows);
    if (err == ADS_OK && !db_bool(rows, 0, DB_ONLY)) {
        err = request_answer_problem(request, ADS_PROBLEM_CODE_INVALID, NULL);
    }
    return err;
}


static enum ads_err
login_begin(struct request *request, struct login *login)
{
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(request->db, &tx);
    if (err != ADS_OK) {
        return err;
    }
    err = api_act(request, tx, NULL);
    if (err == ADS_OK) {
        err = auth_session_begin(request, tx, &login->start, &login->session);
    }
    if (err == ADS_OK) {
        err = login_code_use(request, tx, login->who.code);
    }
    if (err == ADS_OK) {
        err = db_commit(tx);
    }
    db_end(tx);
    return err;
}


enum ads_err
api_auth_login(struct request *request)
{
    struct login *login = pool_alloc(request->pool, sizeof(*login));
    enum ads_err err;

    login->start.method = "password";
    err = login_read(login, request);
    if (err == ADS_OK) {
        err = auth_login_check(request, login->email, login->password,
                               ADS_PROBLEM_LOGIN_FAILED, &login->who);
    }
    auth_login_wipe(request, login->password);
    if (err != ADS_OK) {
        return err;
    }
    login->start.user = login->who.user;
    login->start.password_hash = login->who.hash;
    err = login_begin(request, login);
    if (err == ADS_DENIED) {
        return request_answer_problem(
            request, ADS_PROBLEM_FORBIDDEN,
            "not a member of an account that is active");
    }
    if (err == ADS_OK) {
        auth_session_answer(request, 200, &login->session);
    }
    return err;
}


/* ---- the next pair ---- */

enum ads_err
api_auth_refresh(struct request *request)
{
    struct auth_session session = {.view = NULL};
    struct ads_str refresh = auth_cookie_find(request);
    enum ads_err err, committed;
    struct form form;
    struct db_tx *tx;

    if (auth_cookie_origin_check(request) != ADS_OK
        || body_begin(&form, request) != ADS_OK
        || body_end(&form, request) != ADS_OK)
    {
        return ADS_ANSWERED;
    }
    if (refresh.ptr == NULL) {
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_MISSING,
                                      "there is no refresh cookie");
    }
    err = db_begin(request->db, &tx);
    if (err != ADS_OK) {
        return err;
    }
    err = api_act(request, tx, NULL);
    if (err == ADS_OK) {
        err = auth_session_refresh(request, tx, refresh, &session);
    }
    if (err == ADS_OK || err == ADS_DENIED) {
        committed = db_commit(tx);
        err = committed != ADS_OK ? committed : err;
    }
    db_end(tx);
    if (err == ADS_DENIED) {
        auth_cookie_set(request, ADS_STR(""), 0);
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID,
                                      "signed out: sign in again");
    }
    if (err == ADS_OK) {
        auth_session_answer(request, 200, &session);
    }
    return err;
}


/* ---- signing out ---- */

/* Whose session the cookie is of; ADS_DENIED when of none. */
static enum ads_err
cookie_owner(struct request *request)
{
    struct ads_str refresh = auth_cookie_find(request);
    uint8_t hash[AUTH_REFRESH_HASH_LEN];
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (refresh.ptr == NULL) {
        return ADS_ABSENT;
    }
    auth_session_refresh_hash(hash, refresh);
    db_args_init(&args, request->pool);
    db_arg_bytea(&args, hash, sizeof(hash));
    err = db_run_alone(request->db, &STMT_SESSION_OF_REFRESH, &args, &rows);
    if (err == ADS_OK && db_n_rows(rows) != 1) {
        err = ADS_DENIED;
    }
    if (err == ADS_OK) {
        request->actor.user = db_uuid(rows, 0, REFRESH_USER);
        request->actor.session = db_uuid(rows, 0, REFRESH_SESSION);
        request->actor.method = ACTOR_SESSION;
    }
    return err;
}


/* By token or, when that has run out already, by cookie. */
static enum ads_err
logout_owner(struct request *request)
{
    struct ads_str authorization = request_find(request, "HTTP_AUTHORIZATION");
    struct ads_str none = {NULL, 0}, token;
    enum ads_err err = ADS_EXPIRED;

    if (authorization.ptr != NULL) {
        err = ads_key_credential(&token, authorization, none) == ADS_OK
                  ? auth_session_find(request, token)
                  : ADS_DENIED;
    }
    if (err == ADS_EXPIRED) {
        err = cookie_owner(request);
    }
    return err;
}


enum ads_err
api_auth_logout(struct request *request)
{
    struct db_args args;
    struct form form;
    bool all = false;
    enum ads_err err;

    if (auth_cookie_origin_check(request) != ADS_OK
        || body_begin(&form, request) != ADS_OK)
    {
        return ADS_ANSWERED;
    }
    (void)form_bool(&form, "all", 0, &all);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    err = logout_owner(request);
    if (err == ADS_ABSENT || err == ADS_DENIED) {
        return request_answer_problem(request,
                                      err == ADS_ABSENT
                                          ? ADS_PROBLEM_CREDENTIAL_MISSING
                                          : ADS_PROBLEM_CREDENTIAL_INVALID,
                                      NULL);
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_uuid(&args, all ? NULL : &request->actor.session);
    err = api_run_alone(request, NULL, &STMT_SESSION_END, &args, NULL);
    if (err == ADS_OK) {
        auth_cookie_set(request, ADS_STR(""), 0);
        request_answer_empty(request, 204);
    }
    return err;
}


/* ---- who am I ---- */

static const char *const *
scopes_of(enum ads_key_type type)
{
    static const char *const publisher[] = {
        "recommend",   "impressions",         "clicks",
        "conversions", "analytics:publisher", NULL};
    static const char *const advertiser[] = {"campaigns",
                                             "products",
                                             "balance",
                                             "conversions",
                                             "analytics:advertiser",
                                             NULL};
    static const char *const platform[] = {"platform", NULL};

    return type == ADS_KEY_PUBLISHER    ? publisher
           : type == ADS_KEY_ADVERTISER ? advertiser
                                        : platform;
}


static const char *
role_name(enum actor_role role)
{
    static const char *const names[] = {
        [ROLE_NONE] = "none",
        [ROLE_VIEWER] = "viewer",
        [ROLE_EDITOR] = "editor",
        [ROLE_OWNER] = "owner",
    };

    return names[role];
}


static enum ads_err
person_write(struct request *request, struct json *json)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (request->actor.method != ACTOR_SESSION) {
        json_null(json, "user");
        return ADS_OK;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    err = db_run(request->tx, &STMT_PERSON, &args, &rows);
    if (err != ADS_OK || db_n_rows(rows) != 1) {
        return err != ADS_OK ? err : ADS_IO;
    }
    json_object_begin(json, "user");
    json_uuid(json, "id", &request->actor.user);
    json_string(json, "email", db_text(rows, 0, PERSON_EMAIL));
    json_string(json, "name", db_text(rows, 0, PERSON_NAME));
    json_bool(json, "email_verified", !db_is_null(rows, 0, PERSON_VERIFIED_AT));
    json_bool(json, "has_password", db_bool(rows, 0, PERSON_HAS_PASSWORD));
    json_time(json, "created_at", db_time(rows, 0, PERSON_CREATED_AT));
    json_object_end(json);
    return ADS_OK;
}


static enum ads_err
account_write(struct request *request, struct json *json)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    err = db_run(request->tx, &STMT_ACCOUNT, &args, &rows);
    if (err != ADS_OK || db_n_rows(rows) != 1) {
        return err != ADS_OK ? err : ADS_IO;
    }
    json_object_begin(json, "account");
    json_uuid(json, "id", &request->actor.account);
    json_string(json, "type", db_text(rows, 0, ACCOUNT_TYPE));
    json_string(json, "name", db_text(rows, 0, ACCOUNT_NAME));
    json_string(json, "status", db_text(rows, 0, ACCOUNT_STATUS));
    json_string(json, "currency", db_text(rows, 0, ACCOUNT_CURRENCY));
    json_string(json, "timezone", db_text(rows, 0, ACCOUNT_TIMEZONE));
    json_constant(json, "role", role_name(request->actor.role));
    json_object_end(json);
    return ADS_OK;
}


enum ads_err
api_auth_me(struct request *request)
{
    const struct actor *actor = &request->actor;
    bool key = actor->method == ACTOR_KEY;
    struct json json;
    enum ads_err err;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    err = person_write(request, &json);
    if (err == ADS_OK) {
        err = account_write(request, &json);
    }
    if (err != ADS_OK) {
        return err;
    }
    json_object_begin(&json, "auth");
    json_constant(&json, "method", key ? "api_key" : "session");
    json_uuid(&json, key ? "key_id" : "session_id",
              key ? &actor->key : &actor->session);
    if (key) {
        json_constant(&json, "mode", actor->test ? "test" : "live");
    }
    json_array_begin(&json, "scopes");
    for (const char *const *scope = scopes_of(actor->type); *scope != NULL;
         scope++) {
        json_constant(&json, NULL, *scope);
    }
    json_array_end(&json);
    if (actor->expires_us > 0) {
        json_time(&json, "expires_at", actor->expires_us);
    } else {
        json_null(&json, "expires_at");
    }
    json_object_end(&json);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* ---- public keys ---- */

enum ads_err
api_auth_jwks(struct request *request)
{
    struct auth_public keys[AUTH_KEYS_MAX];
    char x[ADS_BASE64URL_LEN(AUTH_PUBLIC_LEN)];
    struct json json;
    size_t n = auth_keys_public(request->adsd->auth_keys, keys);

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_array_begin(&json, "keys");
    for (size_t i = 0; i < n; i++) {
        (void)ads_base64url_write(x, keys[i].key, sizeof(keys[i].key));
        json_object_begin(&json, NULL);
        json_constant(&json, "kty", "OKP");
        json_constant(&json, "crv", "Ed25519");
        json_constant(&json, "alg", "EdDSA");
        json_constant(&json, "use", "sig");
        json_constant(&json, "kid", keys[i].kid);
        json_string(&json, "x", (struct ads_str){x, sizeof(x)});
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    request_header(request, "Cache-Control", ADS_STR("max-age=300"));
    request_answer_json(request, 200, &json);
    return ADS_OK;
}
