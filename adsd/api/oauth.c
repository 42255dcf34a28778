/*
 * Endpoints of signing in with a provider.  No transaction is open while a
 * provider is asked.  Which person an identity is, is decided in
 * sql/code/66_oauth.sql.
 */
#include "api/handlers.h"

#include "ads_accept.h"
#include "auth/oauth.h"
#include "auth/session.h"
#include "http/frame.h"
#include "http/list.h"

#define DASHBOARD "/dashboard/"
#define TRIES 5
#define ISS_MAX 512
#define ERROR_MAX 256

static const struct db_stmt STMT_BEGIN = {
    .name = "oauth_begin",
    .sql = "select ads.oauth_begin($1, $2, $3, $4, $5)",
    .n_params = 5,
};

static const struct db_stmt STMT_TAKE = {
    .name = "oauth_take",
    .sql = "select user_id, session_id from ads.oauth_take($1, $2, $3)",
    .n_params = 3,
};

enum take_column { TAKE_USER, TAKE_SESSION };

static const struct db_stmt STMT_SIGN_IN = {
    .name = "oauth_sign_in",
    .sql = "select outcome, user_id"
           " from ads.oauth_sign_in($1, $2, $3, $4, $5, $6)",
    .n_params = 6,
};

enum outcome_column { OUTCOME_WHAT, OUTCOME_USER };

static const struct db_stmt STMT_LINK = {
    .name = "oauth_link",
    .sql = "select ads.oauth_link($1, $2, $3, $4, $5)"
           " where ads.session_holds($1, $6)",
    .n_params = 6,
};

static const struct db_stmt STMT_LINKS = {
    .name = "oauth_links",
    .sql = "select provider, email, created_at, last_used_at"
           " from ads.oauth_links($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_UNLINK = {
    .name = "oauth_unlink",
    .sql = "select ads.oauth_unlink($1, $2)",
    .n_params = 2,
};

/* what PostgreSQL says no with */
static const struct {
    const char *outcome;
    enum ads_problem problem;
    const char *detail;
} refusals[] = {
    {"email_missing", ADS_PROBLEM_EMAIL_MISSING,
     "the provider gave no e-mail: allow it there, and try again"},
    {"email_unverified", ADS_PROBLEM_EMAIL_UNVERIFIED,
     "there is an account with this e-mail: sign in with its password, confirm"
     " its address, and link the provider in the profile"},
    {"already_linked", ADS_PROBLEM_PROVIDER_ALREADY_LINKED,
     "another identity of this provider is linked to that account"},
    {"identity_taken", ADS_PROBLEM_IDENTITY_TAKEN,
     "this identity signs somebody else in"},
    {"signed_out", ADS_PROBLEM_STATE_INVALID,
     "you were signed out meanwhile: sign in, and begin again"},
};


/* ---- answers ---- */

static bool
wants_json(const struct request *request)
{
    static const char *const types[] = {"text/html", "application/problem+json",
                                        "application/json", NULL};

    return ads_accept_choose(request_find(request, "HTTP_ACCEPT"), types) > 0;
}


/* Nothing of a sign-in is to be kept by caches or told to other sites. */
static void
redirect(struct request *request, struct ads_str location)
{
    request_header(request, "Location", location);
    request_header(request, "Referrer-Policy", ADS_STR("no-referrer"));
    request_answer_empty(request, 302);
}


static enum ads_err
refuse(struct request *request, enum ads_problem problem, const char *detail)
{
    struct ads_str location;

    if (wants_json(request)) {
        return request_answer_problem(request, problem, detail);
    }
    location.ptr =
        pool_format(request->pool, &location.len, DASHBOARD "#error=%s",
                    ads_problem_find(problem)->code);
    redirect(request, location);
    return ADS_ANSWERED;
}


/* What a provider did not do; it is in the log already. */
static enum ads_err
refuse_provider(struct request *request, enum ads_err err)
{
    if (err == ADS_UNAVAILABLE) {
        return refuse(request, ADS_PROBLEM_PROVIDER_UNAVAILABLE,
                      "the provider does not answer: try again, or another"
                      " way in");
    }
    return refuse(request, ADS_PROBLEM_PROVIDER_ERROR,
                  "the provider's answer is no use: try again later");
}


/* A refusal here is one for programs and people alike. */
static enum ads_err
provider_find(struct oauth_provider **found, struct request *request)
{
    *found = oauth_find(request->adsd->oauth, request->args[0]);
    return *found != NULL
               ? ADS_OK
               : request_answer_problem(
                   request, ADS_PROBLEM_PROVIDER_NOT_CONFIGURED, NULL);
}


static struct ads_str
constant(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


/* ---- beginning ---- */

enum ads_err
api_oauth_list(struct request *request)
{
    struct json json;
    const char *name;

    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_array_begin(&json, "data");
    for (size_t i = 0; i < CONF_PROVIDERS; i++) {
        struct oauth_provider *provider =
            oauth_at(request->adsd->oauth, (enum conf_provider)i);

        if (provider != NULL) {
            name = oauth_about(provider)->name;
            json_object_begin(&json, NULL);
            json_constant(&json, "provider", name);
            json_constant(
                &json, "url",
                pool_format(request->pool, NULL, "/v1/auth/oauth/%s", name));
            json_object_end(&json);
        }
    }
    json_array_end(&json);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* Notes a sign-in, or a link when somebody is signed in, and sets its cookie.
 * *url is where the browser goes. */
static enum ads_err
begin(struct request *request, struct oauth_provider *provider,
      struct ads_str *url)
{
    const struct actor *actor = &request->actor;
    bool links = actor->method == ACTOR_SESSION;
    struct oauth_flow flow;
    struct db_args args;
    enum ads_err err;

    oauth_flow_make(&flow);
    err = oauth_authorize_url(url, provider, request->pool, &flow);
    if (err != ADS_OK) {
        return refuse_provider(request, err);
    }
    db_args_init(&args, request->pool);
    db_arg_bytea(&args, flow.state_hash, sizeof(flow.state_hash));
    db_arg_bytea(&args, flow.browser_hash, sizeof(flow.browser_hash));
    db_arg_text(&args, constant(oauth_about(provider)->name));
    db_arg_uuid(&args, links ? &actor->user : NULL);
    db_arg_uuid(&args, links ? &actor->session : NULL);
    err = db_run_alone(request->db, &STMT_BEGIN, &args, NULL);
    if (err == ADS_OK) {
        oauth_cookie_set(request, &flow);
    }
    return err;
}


enum ads_err
api_oauth_start(struct request *request)
{
    struct oauth_provider *provider;
    struct ads_str url;
    enum ads_err err;

    err = provider_find(&provider, request);
    if (err == ADS_OK) {
        err = begin(request, provider, &url);
    }
    if (err == ADS_OK) {
        redirect(request, url);
    }
    return err;
}


/* ---- coming back ---- */

/* One sign-in that comes back. */
struct arrival {
    struct request *request;
    struct oauth_provider *provider;
    const char *name;                       /* of the provider */
    struct ads_str state, code, iss, error; /* ptr NULL: not sent */
    struct oauth_flow flow;
    bool links; /* `user` adds a provider, signed in by `in` */
    struct ads_uuid user, in;
    struct oauth_identity identity;
    struct ads_str outcome; /* of refusals[], or another: it is done */
    struct auth_session session;
};


/* Takes the sign-in that this browser began. */
static enum ads_err
arrival_take(struct arrival *arrival)
{
    struct request *request = arrival->request;
    struct db_args args;
    struct db_rows *rows = NULL;
    bool known = oauth_flow_read(&arrival->flow, arrival->state,
                                 oauth_cookie_find(request));
    enum ads_err err;

    if (known) {
        db_args_init(&args, request->pool);
        db_arg_bytea(&args, arrival->flow.state_hash, JOSE_SHA256_LEN);
        db_arg_bytea(&args, arrival->flow.browser_hash, JOSE_SHA256_LEN);
        db_arg_text(&args, constant(arrival->name));
        err = db_run_alone(request->db, &STMT_TAKE, &args, &rows);
        if (err != ADS_OK) {
            return err;
        }
        known = db_n_rows(rows) == 1;
    }
    if (!known) {
        log_info(request->adsd->log, OAUTH_DUTY,
                 "sign-in with %s: its state is not known here", arrival->name);
        return refuse(request, ADS_PROBLEM_STATE_INVALID,
                      "this sign-in was not begun here, is used or over:"
                      " begin again");
    }
    arrival->links = !db_is_null(rows, 0, TAKE_USER);
    arrival->user = db_uuid(rows, 0, TAKE_USER);
    arrival->in = db_uuid(rows, 0, TAKE_SESSION);
    oauth_cookie_clear(request);
    return ADS_OK;
}


static enum ads_err
refuse_issuer(const struct arrival *arrival)
{
    log_warn(arrival->request->adsd->log, OAUTH_DUTY,
             "sign-in with %s: the answer names another issuer, or none",
             arrival->name);
    return refuse(arrival->request, ADS_PROBLEM_PROVIDER_MISMATCH,
                  "the answer is not of the provider that was asked");
}


/* Is it the asked provider's yes? */
static enum ads_err
arrival_check(const struct arrival *arrival)
{
    struct request *request = arrival->request;
    enum ads_err err;

    err = oauth_issuer_check(arrival->provider, request->pool, arrival->iss);
    if (err == ADS_FORGED) {
        return refuse_issuer(arrival);
    }
    if (err != ADS_OK) {
        return refuse_provider(request, err);
    }
    if (ads_str_is(arrival->error, "access_denied")) {
        return refuse(request, ADS_PROBLEM_SIGN_IN_DENIED,
                      "you, or the provider, said no");
    }
    if (arrival->error.ptr != NULL || arrival->code.len == 0) {
        err = oauth_failed(arrival->provider, ADS_INVALID, "its answer",
                           "it is an error, or without a code");
        return refuse_provider(request, err);
    }
    return ADS_OK;
}


/* Asks the provider who it is. */
static enum ads_err
arrival_identify(struct arrival *arrival)
{
    const struct oauth_identity *identity = &arrival->identity;
    enum ads_err err;

    err = oauth_identify(&arrival->identity, arrival->provider,
                         arrival->request->pool, arrival->code, &arrival->flow);
    if (err != ADS_OK) {
        return refuse_provider(arrival->request, err);
    }
    if (arrival->iss.ptr != NULL
        && !ads_str_equal(arrival->iss, identity->issuer)) {
        return refuse_issuer(arrival); /* of another tenant */
    }
    return ADS_OK;
}


/* Who it is to us, and the session, in the caller's transaction. */
static enum ads_err
settle(struct arrival *arrival, struct db_tx *tx)
{
    const struct db_stmt *stmt = arrival->links ? &STMT_LINK : &STMT_SIGN_IN;
    const struct oauth_identity *identity = &arrival->identity;
    struct auth_session_start start = {.method = arrival->name};
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    err = api_act(arrival->request, tx, NULL);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, arrival->request->pool);
    if (arrival->links) {
        db_arg_uuid(&args, &arrival->user);
    }
    db_arg_text(&args, constant(arrival->name));
    db_arg_text(&args, identity->issuer);
    db_arg_text(&args, identity->subject);
    db_arg_text(&args, identity->email);
    if (arrival->links) {
        db_arg_uuid(&args, &arrival->in);
    } else {
        db_arg_bool(&args, identity->verified);
        db_arg_text(&args, identity->name);
    }
    err = db_run(tx, stmt, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    arrival->outcome = db_n_rows(rows) == 1 ? db_text(rows, 0, OUTCOME_WHAT)
                                            : ADS_STR("signed_out");
    if (!arrival->links && !db_is_null(rows, 0, OUTCOME_USER)) {
        start.user = db_uuid(rows, 0, OUTCOME_USER);
        err =
            auth_session_begin(arrival->request, tx, &start, &arrival->session);
    }
    return err;
}


static enum ads_err
arrival_answer(const struct arrival *arrival)
{
    struct request *request = arrival->request;
    struct ads_str location = ADS_STR(DASHBOARD);

    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (ads_str_is(arrival->outcome, refusals[i].outcome)) {
            log_info(request->adsd->log, OAUTH_DUTY, "sign-in with %s: %s",
                     arrival->name, refusals[i].outcome);
            return refuse(request, refusals[i].problem, refusals[i].detail);
        }
    }
    if (arrival->links) {
        location.ptr = pool_format(request->pool, &location.len,
                                   DASHBOARD "#linked=%s", arrival->name);
    } else {
        auth_session_cookie(request, &arrival->session);
    }
    redirect(request, location);
    return ADS_OK;
}


static enum ads_err
arrival_finish(struct arrival *arrival)
{
    enum ads_err err = ADS_CONFLICT;
    struct db_tx *tx;

    /* ADS_CONFLICT: another sign-in of theirs was faster */
    for (int i = 0; i < TRIES && (err == ADS_CONFLICT || err == ADS_BUSY); i++)
    {
        err = db_begin(arrival->request->db, &tx);
        if (err == ADS_OK) {
            err = settle(arrival, tx);
        }
        if (err == ADS_OK) {
            err = db_commit(tx);
        }
        db_end(tx);
    }
    if (err == ADS_DENIED) {
        return refuse(arrival->request, ADS_PROBLEM_FORBIDDEN,
                      "no account of yours is active");
    }
    return err == ADS_OK ? arrival_answer(arrival) : err;
}


static enum ads_err
arrival_read(struct arrival *arrival, struct request *request)
{
    struct query *query = pool_alloc(request->pool, sizeof(*query));
    enum ads_err err;

    arrival->request = request;
    err = provider_find(&arrival->provider, request);
    if (err == ADS_OK) {
        err = query_begin(query, request);
    }
    if (err != ADS_OK) {
        return err;
    }
    arrival->name = oauth_about(arrival->provider)->name;
    arrival->state = query_text(query, "state", OAUTH_SECRET_LEN);
    arrival->code = query_text(query, "code", OAUTH_CODE_MAX);
    arrival->iss = query_text(query, "iss", ISS_MAX);
    arrival->error = query_text(query, "error", ERROR_MAX);
    return ADS_OK;
}


enum ads_err
api_oauth_callback(struct request *request)
{
    struct arrival *arrival = pool_alloc(request->pool, sizeof(*arrival));
    enum ads_err err;

    err = arrival_read(arrival, request);
    if (err == ADS_OK) {
        err = arrival_take(arrival);
    }
    if (err == ADS_OK) {
        err = arrival_check(arrival);
    }
    if (err == ADS_OK) {
        err = arrival_identify(arrival);
    }
    if (err == ADS_OK) {
        err = arrival_finish(arrival);
    }
    return err;
}


/* ---- links of who is signed in ---- */

static const struct field link_list[] = {
    {"provider", .type = FIELD_TEXT},
    {"email", .type = FIELD_TEXT},
    {"created_at", .type = FIELD_TIME},
    {"last_used_at", .type = FIELD_TIME},
};
static const struct fields link_fields = FIELDS(link_list);


enum ads_err
api_links_list(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct json json, links;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    err = db_run(request->tx, &STMT_LINKS, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    json_init(&links, request->pool);
    json_array_begin(&links, NULL);
    for (int i = 0; i < db_n_rows(rows); i++) {
        fields_row_write(&link_fields, &links, rows, i);
    }
    json_array_end(&links);
    if (list_wants_csv(request)) {
        list_answer_csv(request, fields_csv(&link_fields, request->pool),
                        &links);
        return ADS_OK;
    }
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_raw(&json, "data", json_text(&links));
    json_bool(&json, "has_more", false);
    json_null(&json, "next_cursor");
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


enum ads_err
api_links_start(struct request *request)
{
    struct oauth_provider *provider;
    struct ads_str url;
    struct json json;
    enum ads_err err;

    err = provider_find(&provider, request);
    if (err == ADS_OK) {
        err = begin(request, provider, &url);
    }
    if (err == ADS_OK) {
        json_init(&json, request->pool);
        json_object_begin(&json, NULL);
        json_string(&json, "url", url);
        json_object_end(&json);
        request_answer_json(request, 200, &json);
    }
    return err;
}


enum ads_err
api_links_remove(struct request *request)
{
    const char *name = oauth_name_find(request->args[0]);
    struct ads_str outcome = ADS_STR("absent");
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (name != NULL) {
        db_args_init(&args, request->pool);
        db_arg_uuid(&args, &request->actor.user);
        db_arg_text(&args, constant(name));
        err = db_run(request->tx, &STMT_UNLINK, &args, &rows);
        if (err != ADS_OK) {
            return err;
        }
        outcome = db_text(rows, 0, DB_ONLY);
    }
    if (ads_str_is(outcome, "last")) {
        return request_answer_problem(request, ADS_PROBLEM_LAST_WAY_IN,
                                      "set a password, or link another"
                                      " provider, first");
    }
    if (!ads_str_is(outcome, "ok")) {
        return request_answer_problem(request, ADS_PROBLEM_NOT_FOUND,
                                      "this provider is not linked");
    }
    request_answer_empty(request, 204);
    return ADS_OK;
}
