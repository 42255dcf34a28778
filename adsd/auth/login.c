/*
 * Checks a person's password and counts failures.  Failures are counted by a
 * MAC of the address, whether an account has it or not; so neither the count
 * nor the table tells who is a customer.
 */
#include "auth/login.h"

#include <string.h>

#include "auth/email.h"
#include "auth/password.h"

static const struct db_stmt STMT_LOGIN_FIND = {
    .name = "login_find",
    .sql = "select ads.login_wait($1), f.user_id, f.password_hash"
           " from (values (1)) one (n)"
           " left join ads.login_find($2) f on true",
    .n_params = 2,
};

enum login_column { LOGIN_WAIT_S, LOGIN_USER, LOGIN_HASH };

static const struct db_stmt STMT_LOGIN_FAILED = {
    .name = "login_failed",
    .sql = "select ads.login_failed($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_REHASH = {
    .name = "password_rehash",
    .sql = "select ads.password_rehash($1, $2, $3)",
    .n_params = 3,
};


struct ads_str
auth_login_password_field(struct form *form, const char *name)
{
    struct doc *field = form_any(form, name, FORM_REQUIRED);

    if (field == NULL) {
        return (struct ads_str){NULL, 0};
    }
    if (field->type != ADS_JSON_STRING) {
        form_error(form, name, "wrong_type", "must be a text");
        return (struct ads_str){NULL, 0};
    }
    if (field->text.len == 0) {
        form_error(form, name, "empty", "must not be empty");
        return (struct ads_str){NULL, 0};
    }
    if (field->has_nul || field->text.len > 4 * AUTH_PASSWORD_BYTES_MAX) {
        form_error(form, name, "too_long", "is longer than 128 characters");
        return (struct ads_str){NULL, 0};
    }
    return field->text;
}


static enum ads_err
failure_note(struct request *request, const uint8_t mac[32])
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_bytea(&args, mac, 32);
    return db_run_alone(request->db, &STMT_LOGIN_FAILED, &args, NULL);
}


/* The address to look for; ptr NULL: no one has it.  Addresses are ASCII, but
 * a locale may know other letters that are one of theirs in another case, such
 * as the Kelvin sign, and failures are counted by ASCII's cases only. */
static struct ads_str
address_known(struct ads_str email)
{
    return auth_email_check(email) ? email : (struct ads_str){NULL, 0};
}


/* Better parameters came since the password was set.  A login goes on without
 * them when this fails. */
static void
rehash(struct request *request, struct auth_login *login,
       struct ads_str password)
{
    char *hash = pool_alloc(request->pool, AUTH_PASSWORD_HASH_MAX);
    struct ads_str new;
    struct db_args args;

    if (auth_password_hash(request->adsd->hasher, hash, password) != ADS_OK) {
        return;
    }
    new = (struct ads_str){hash, strlen(hash)};
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &login->user);
    db_arg_text(&args, login->hash);
    db_arg_text(&args, new);
    if (db_run_alone(request->db, &STMT_REHASH, &args, NULL) == ADS_OK) {
        login->hash = new;
    } else {
        log_warn(request->adsd->log, "auth", "a password was not rehashed");
    }
}


enum ads_err
auth_login_check(struct request *request, struct ads_str email,
                 struct ads_str password, enum ads_problem wrong,
                 struct auth_login *login)
{
    uint8_t mac[32];
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    bool outdated;

    auth_email_mac(request, email, mac);
    db_args_init(&args, request->pool);
    db_arg_bytea(&args, mac, sizeof(mac));
    db_arg_text(&args, address_known(email));
    err = db_run_alone(request->db, &STMT_LOGIN_FIND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_int(rows, 0, LOGIN_WAIT_S) > 0) {
        return request_answer_wait(request, ADS_PROBLEM_LOGIN_BLOCKED,
                                   db_int(rows, 0, LOGIN_WAIT_S));
    }
    login->user = db_uuid(rows, 0, LOGIN_USER);
    login->hash = db_text(rows, 0, LOGIN_HASH);
    err = auth_password_check(request->adsd->hasher, login->hash, password,
                              &outdated);
    if (err == ADS_BUSY) {
        return request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED, 2);
    }
    if (err == ADS_DENIED) {
        err = failure_note(request, mac);
        if (err == ADS_OK) {
            err = request_answer_problem(request, wrong, NULL);
        }
        return err;
    }
    if (err == ADS_OK && outdated) {
        rehash(request, login, password);
    }
    return err;
}


void
auth_login_wipe(struct request *request, struct ads_str password)
{
    if (password.ptr != NULL) {
        explicit_bzero((char *)password.ptr, password.len);
    }
    if (request->body != NULL) {
        explicit_bzero(request->body, request->body_len);
    }
}
