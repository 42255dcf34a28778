/*
 * Endpoints that change a person's e-mail address.  Whether another person has
 * the new address is said when it is confirmed, to the reader of its mailbox,
 * and not when it is requested.
 */
#include "api/handlers.h"

#include "auth/code.h"
#include "auth/email.h"
#include "auth/login.h"
#include "http/body.h"
#include "http/frame.h"

static const struct db_stmt STMT_PERSON = {
    .name = "email_person",
    .sql = "select u.email from ads.users u where u.id = $1",
    .n_params = 1,
};

static const struct db_stmt STMT_CHANGE = {
    .name = "email_change_send",
    .sql = "select ads.email_change_send($1, $2)"
           " where ads.password_holds($1, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_VERIFY = {
    .name = "email_verify",
    .sql = "select ads.email_verify($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_RESEND = {
    .name = "verify_send",
    .sql = "select ads.verify_send($1)",
    .n_params = 1,
};


static void
accepted_answer(struct request *request)
{
    struct json json;

    adsd_mail_soon(request->adsd);
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_constant(&json, "status", "accepted");
    json_object_end(&json);
    request_answer_json(request, 202, &json);
}


/* ---- another address ---- */

static enum ads_err
current_find(struct request *request, struct ads_str *email)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    err = api_run_alone(request, &request->actor.account, &STMT_PERSON, &args,
                        &rows);
    if (err == ADS_OK && db_n_rows(rows) != 1) {
        err = ADS_IO;
    }
    if (err == ADS_OK) {
        *email = db_text(rows, 0, DB_ONLY);
    }
    return err;
}


static enum ads_err
change(struct request *request, struct ads_str email, struct ads_str password)
{
    struct ads_str current;
    struct auth_login login = {.code = NULL};
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    err = current_find(request, &current);
    if (err == ADS_OK) {
        err = auth_login_check(request, current, password,
                               ADS_PROBLEM_PASSWORD_WRONG, &login);
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    db_arg_text(&args, email);
    db_arg_text(&args, login.hash);
    err = db_run_alone(request->db, &STMT_CHANGE, &args, &rows);
    if (err != ADS_OK || db_n_rows(rows) != 1) {
        return err != ADS_OK ? err : ADS_BUSY;
    }
    if (db_int(rows, 0, DB_ONLY) > 0) {
        return request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED,
                                   db_int(rows, 0, DB_ONLY));
    }
    accepted_answer(request);
    return ADS_OK;
}


enum ads_err
api_email_change(struct request *request)
{
    struct ads_str email, password;
    struct form form;
    enum ads_err err;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    email = auth_email_field(&form, "email");
    password = auth_login_password_field(&form, "password");
    err = body_end(&form, request);
    if (err == ADS_OK) {
        err = change(request, email, password);
    }
    auth_login_wipe(request, password);
    return err;
}


/* ---- proof ---- */

enum ads_err
api_email_verify(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid code;
    struct form form;
    enum ads_err err;
    bool ours;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    ours = auth_code_field(&form, request->adsd->auth_keys, &code);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    if (ours) {
        db_args_init(&args, request->pool);
        db_arg_uuid(&args, &code);
        err = api_run_alone(request, NULL, &STMT_VERIFY, &args, &rows);
        if (err == ADS_CONFLICT) {
            return request_answer_problem(request, ADS_PROBLEM_EMAIL_TAKEN,
                                          NULL);
        }
        if (err != ADS_OK) {
            return err;
        }
        ours = db_bool(rows, 0, DB_ONLY);
    }
    if (!ours) {
        return request_answer_problem(request, ADS_PROBLEM_CODE_INVALID, NULL);
    }
    adsd_mail_soon(request->adsd);
    request_answer_empty(request, 204);
    return ADS_OK;
}


enum ads_err
api_email_resend(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct form form;
    enum ads_err err;

    if (body_begin(&form, request) != ADS_OK
        || body_end(&form, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.user);
    err = db_run_alone(request->db, &STMT_RESEND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_is_null(rows, 0, DB_ONLY)) {
        return request_answer_problem(request, ADS_PROBLEM_CONFLICT,
                                      "the address is confirmed already");
    }
    if (db_int(rows, 0, DB_ONLY) > 0) {
        return request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED,
                                   db_int(rows, 0, DB_ONLY));
    }
    accepted_answer(request);
    return ADS_OK;
}
