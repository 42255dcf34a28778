/*
 * Endpoints of passwords.  A request for a mail writes one row whatever address
 * it names, and only the thread that sends mails finds out whether an account
 * exists: the answer can reveal it neither by its words nor by its time.
 */
#include "api/handlers.h"

#include <stdio.h>
#include <string.h>

#include "auth/code.h"
#include "auth/email.h"
#include "auth/login.h"
#include "auth/password.h"
#include "http/body.h"
#include "http/frame.h"

static const struct db_stmt STMT_PERSON = {
    .name = "password_person",
    .sql = "select u.email, u.name, ads.password_of(u.id) is not null"
           " from ads.users u where u.id = $1",
    .n_params = 1,
};

enum person_column { PERSON_EMAIL, PERSON_NAME, PERSON_HAS_PASSWORD };

static const struct db_stmt STMT_SET = {
    .name = "password_set",
    .sql = "select ads.password_set($1, $2, $3)"
           " where ads.password_holds($1, $4)",
    .n_params = 4,
};

static const struct db_stmt STMT_RESET = {
    .name = "reset_send",
    .sql = "select ads.reset_send($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_LOGIN_CODE = {
    .name = "login_code_send",
    .sql = "select ads.login_code_send($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_CODE = {
    .name = "code_person",
    .sql = "select email, name from ads.code_person($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_CONFIRM = {
    .name = "password_reset",
    .sql = "select ads.password_reset($1, $2)",
    .n_params = 2,
};


static enum ads_err
weak_answer(struct request *request, const char *why)
{
    struct ads_field_error error = {
        .pointer = "/password",
        .code = "weak_password",
    };

    (void)snprintf(error.detail, sizeof(error.detail), "%s", why);
    return request_answer_fields(request, &error, 1);
}


/* Checks and hashes the new one. */
static enum ads_err
password_make(struct request *request, char *hash, struct ads_str password,
              const struct db_rows *person)
{
    const char *why =
        auth_password_fault(password, db_text(person, 0, PERSON_EMAIL),
                            db_text(person, 0, PERSON_NAME));
    enum ads_err err;

    if (why != NULL) {
        return weak_answer(request, why);
    }
    err = auth_password_hash(request->adsd->hasher, hash, password);
    return err == ADS_BUSY
               ? request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED, 2)
               : err;
}


/* ---- by who knows the old one ---- */

static enum ads_err
person_find(struct request *request, struct db_rows **rows)
{
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    err = api_run_alone(request, &request->actor.account, &STMT_PERSON, &args,
                        rows);
    return err == ADS_OK && db_n_rows(*rows) != 1 ? ADS_IO : err;
}


static enum ads_err
password_set(struct request *request, struct ads_str old, const char *hash)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_text(&args, (struct ads_str){hash, strlen(hash)});
    db_arg_uuid(&args, &request->actor.session);
    db_arg_text(&args, old);
    err = api_run_alone(request, &request->actor.account, &STMT_SET, &args,
                        &rows);
    return err == ADS_OK && db_n_rows(rows) != 1 ? ADS_BUSY : err;
}


/* The old one is right and the new one is set. */
static enum ads_err
change(struct request *request, struct ads_str current, struct ads_str password)
{
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct db_rows *person;
    struct auth_login login = {.code = NULL};
    enum ads_err err;

    err = person_find(request, &person);
    if (err != ADS_OK) {
        return err;
    }
    if (!db_bool(person, 0, PERSON_HAS_PASSWORD)) {
        return request_answer_problem(
            request, ADS_PROBLEM_CONFLICT,
            "there is no password yet: set the first one"
            " by way of password/reset");
    }
    err = auth_login_check(request, db_text(person, 0, PERSON_EMAIL), current,
                           ADS_PROBLEM_PASSWORD_WRONG, &login);
    if (err == ADS_OK) {
        err = password_make(request, hash, password, person);
    }
    if (err == ADS_OK) {
        err = password_set(request, login.hash, hash);
    }
    if (err == ADS_OK) {
        adsd_mail_soon(request->adsd);
        request_answer_empty(request, 204);
    }
    return err;
}


enum ads_err
api_password_change(struct request *request)
{
    struct ads_str current, password;
    struct form form;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    current = auth_login_password_field(&form, "current_password");
    password = auth_login_password_field(&form, "password");
    err = body_end(&form, request);
    if (err == ADS_OK) {
        err = change(request, current, password);
    }
    auth_login_wipe(request, current);
    auth_login_wipe(request, password);
    return err;
}


/* ---- by who reads the mailbox ---- */

/* {email}: 202, whether anybody has it or not. */
static enum ads_err
mail_request(struct request *request, const struct db_stmt *stmt)
{
    struct db_args args;
    struct ads_str email;
    struct form form;
    struct json json;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    email = auth_email_field(&form, "email");
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_text(&args, email);
    err = db_run_alone(request->db, stmt, &args, NULL);
    if (err != ADS_OK) {
        return err;
    }
    adsd_mail_soon(request->adsd);
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_constant(&json, "status", "accepted");
    json_object_end(&json);
    request_answer_json(request, 202, &json);
    return ADS_OK;
}


enum ads_err
api_password_reset(struct request *request)
{
    return mail_request(request, &STMT_RESET);
}


enum ads_err
api_password_login_code(struct request *request)
{
    return mail_request(request, &STMT_LOGIN_CODE);
}


static enum ads_err
confirm(struct request *request, const struct ads_uuid *code,
        struct ads_str password)
{
    char hash[AUTH_PASSWORD_HASH_MAX];
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, code);
    err = db_run_alone(request->db, &STMT_CODE, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) != 1) {
        return request_answer_problem(request, ADS_PROBLEM_CODE_INVALID, NULL);
    }
    err = password_make(request, hash, password, rows);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, code);
    db_arg_text(&args, (struct ads_str){hash, strlen(hash)});
    err = api_run_alone(request, NULL, &STMT_CONFIRM, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (!db_bool(rows, 0, DB_ONLY)) {
        return request_answer_problem(request, ADS_PROBLEM_CODE_INVALID, NULL);
    }
    adsd_mail_soon(request->adsd);
    request_answer_empty(request, 204);
    return ADS_OK;
}


enum ads_err
api_password_confirm(struct request *request)
{
    struct ads_uuid code;
    struct ads_str password;
    struct form form;
    enum ads_err err;
    bool ours;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    ours = auth_code_field(&form, request->adsd->auth_keys, &code);
    password = auth_login_password_field(&form, "password");
    err = body_end(&form, request);
    if (err == ADS_OK) {
        err = ours ? confirm(request, &code, password)
                   : request_answer_problem(request, ADS_PROBLEM_CODE_INVALID,
                                            NULL);
    }
    auth_login_wipe(request, password);
    return err;
}
