/*
 * Authenticates a request.  The credential is found, then the account to act
 * for, then the route's own conditions; each step answers by itself when it
 * refuses.
 */
#include "auth/auth.h"

#include <strings.h>

#include "auth/key.h"
#include "auth/session.h"

static const struct db_stmt STMT_ACCOUNT_FIND = {
    .name = "account_find",
    .sql = "select ads.account_find($1)",
    .n_params = 1,
};


/* A key in a URL ends up in logs and histories: refused even when it would not
 * be the one in use. */
static bool
key_in_url(const struct request *request)
{
    struct ads_str query = request_find(request, "QUERY_STRING");

    for (size_t i = 0; i + 9 <= query.len; i++) {
        if (strncasecmp(query.ptr + i, "ads_live_", 9) == 0
            || strncasecmp(query.ptr + i, "ads_test_", 9) == 0)
        {
            return true;
        }
    }
    return false;
}


/* The credential's text, or ADS_ANSWERED. */
static enum ads_err
credential_find(struct request *request, struct ads_str *credential)
{
    if (key_in_url(request)) {
        return request_answer_problem(request, ADS_PROBLEM_KEY_IN_URL,
                                      "send the key in a header");
    }
    switch (ads_key_credential(credential,
                               request_find(request, "HTTP_AUTHORIZATION"),
                               request_find(request, "HTTP_X_API_KEY")))
    {
    case ADS_OK:
        return ADS_OK;
    case ADS_ABSENT:
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_MISSING,
                                      NULL);
    case ADS_CONFLICT:
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIALS_CONFLICT,
                                      NULL);
    default:
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID,
                                      NULL);
    }
}


/* The platform's key acts for the account the header names. */
static enum ads_err
account_take(struct request *request, const struct ads_uuid *account)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, account);
    err = db_run_alone(request->db, &STMT_ACCOUNT_FIND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) != 1 || db_is_null(rows, 0, DB_ONLY)) {
        return ADS_ABSENT;
    }
    request->actor.account = *account;
    request->actor.type = ads_key_type_of(db_text(rows, 0, DB_ONLY));
    request->actor.other = true;
    return ADS_OK;
}


/* Which account is acted for? */
static enum ads_err
account_choose(struct request *request)
{
    struct ads_str text = request_find(request, "HTTP_X_ADS_ACCOUNT");
    struct actor *actor = &request->actor;
    struct ads_uuid account;
    enum ads_err err = ADS_ABSENT;

    if (actor->method == ACTOR_KEY && actor->type == ADS_KEY_PLATFORM) {
        actor->role = ROLE_OWNER;
    }
    if (text.ptr == NULL) {
        return ADS_OK;
    }
    if (ads_uuid_read(&account, text)) {
        if (ads_uuid_equal(&account, &actor->account)) {
            return ADS_OK;
        }
        if (actor->method == ACTOR_KEY && actor->type == ADS_KEY_PLATFORM) {
            err = account_take(request, &account);
        }
    }
    if (err == ADS_ABSENT) {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND,
                                      "no such account, or not yours");
    }
    return err;
}


/* Is the route for this actor? */
static bool
route_allows(const struct route *route, const struct actor *actor)
{
    bool platform_key = actor->method == ACTOR_KEY && actor->role == ROLE_OWNER;

    if ((route->flags & ROUTE_ANY_USER) == 0
        && (actor->type == 0 || strchr(route->types, (int)actor->type) == NULL))
    {
        return false;
    }
    /* nothing would roll back what a test key wrote there */
    if (actor->test && (route->flags & ROUTE_OWN_TX) != 0
        && (route->flags & ROUTE_TEST_KEY) == 0 && route->method[0] != 'G')
    {
        return false;
    }
    if (actor->method == ACTOR_KEY && (route->flags & ROUTE_PERSON) != 0) {
        return false;
    }
    if (actor->method == ACTOR_KEY) {
        return platform_key
               || ((route->flags & ROUTE_NO_KEY) == 0
                   && route->role <= ROLE_EDITOR);
    }
    return route->role != ROLE_NONE && actor->role >= route->role;
}


enum ads_err
auth_check(struct request *request, const struct route *route)
{
    struct ads_str credential = {.ptr = "", .len = 0};
    enum ads_err err;

    err = credential_find(request, &credential);
    if (err != ADS_OK) {
        return err;
    }
    if (ads_str_starts(credential, "ads_")) {
        err = auth_key_find(request, credential);
    } else {
        err = auth_session_find(request, credential);
    }
    if (err == ADS_EXPIRED) {
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID,
                                      "the access token has expired");
    }
    if (err == ADS_DENIED) {
        return request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID,
                                      NULL);
    }
    if (err == ADS_OK) {
        err = account_choose(request);
    }
    if (err == ADS_OK && !route_allows(route, &request->actor)) {
        err = request_answer_problem(request, ADS_PROBLEM_WRONG_SCOPE, NULL);
    }
    return err;
}
