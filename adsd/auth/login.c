/*
 * Checks a person's password and counts failures, by a MAC of the e-mail and
 * one of the client's address, whether an account has the e-mail or not; so
 * neither the counts nor the tables tell who is a customer.  How long the next
 * try has to wait is in sql/code/65_sign_in.sql.
 */
#include "auth/login.h"

#include <string.h>

#include "ads_ip.h"
#include "auth/email.h"
#include "auth/password.h"
#include "daemon/auth_keys.h"

#define MAC_LEN AUTH_KEYS_MAC_LEN

static const struct db_stmt STMT_LOGIN_FIND = {
    .name = "login_find",
    .sql = "select case when $4::uuid is null then ads.login_try($1, $2)"
           " when not ads.login_code_of($4, $3) then -1 end,"
           " f.user_id, f.password_hash"
           " from (values (1)) one (n)"
           " left join ads.login_find($3) f on true",
    .n_params = 4,
};

/* WAIT_S: seconds; 0, a code's null: none; -1: the code is not good */
enum login_column { LOGIN_WAIT_S, LOGIN_USER, LOGIN_HASH };

static const struct db_stmt STMT_LOGIN_UNTRY = {
    .name = "login_untry",
    .sql = "select ads.login_untry($1, $2, $3)",
    .n_params = 3,
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


/* What failures are counted by: for whom, and where they come from. */
struct counted {
    uint8_t whom[MAC_LEN];
    uint8_t from[MAC_LEN];
};


/*
 * A person who is signed in and repeats a password is counted apart, so that
 * what strangers get wrong for their e-mail does not make them wait.  Of IPv6 a
 * client has a whole network of 64 bits; what nginx calls no address is one.
 */
static void
counted_init(struct counted *counted, struct request *request,
             struct ads_str email)
{
    struct auth_keys *keys = request->adsd->auth_keys;
    const struct ads_uuid *user = &request->actor.user;
    uint8_t ip[16];
    size_t len = ads_ip_read(ip, scgi_find(&request->head, "REMOTE_ADDR"));

    if (request->actor.method == ACTOR_SESSION) {
        auth_keys_mac(keys, "login failures of a person",
                      (struct ads_str){(const char *)user->b, sizeof(user->b)},
                      counted->whom);
    } else {
        auth_email_mac(request, email, counted->whom);
    }
    len = ads_ip_unmap(ip, len);
    auth_keys_mac(keys, "login failures from",
                  (struct ads_str){(const char *)ip, len == 16 ? 8 : len},
                  counted->from);
}


/* The try that login_find counted was no failure. */
static enum ads_err
try_take_back(struct request *request, const struct counted *counted,
              bool right)
{
    struct db_args args;

    db_args_init(&args, request->pool);
    db_arg_bytea(&args, counted->whom, MAC_LEN);
    db_arg_bytea(&args, counted->from, MAC_LEN);
    db_arg_bool(&args, right);
    return db_run_alone(request->db, &STMT_LOGIN_UNTRY, &args, NULL);
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


/* Counts a try and finds whom it is for. */
static enum ads_err
login_find(struct request *request, const struct counted *counted,
           struct ads_str email, struct auth_login *login)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_bytea(&args, counted->whom, MAC_LEN);
    db_arg_bytea(&args, counted->from, MAC_LEN);
    db_arg_text(&args, address_known(email));
    db_arg_uuid(&args, login->code);
    err = db_run_alone(request->db, &STMT_LOGIN_FIND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_int(rows, 0, LOGIN_WAIT_S) < 0) {
        return request_answer_problem(request, ADS_PROBLEM_CODE_INVALID, NULL);
    }
    if (db_int(rows, 0, LOGIN_WAIT_S) > 0) {
        return request_answer_wait(request, ADS_PROBLEM_LOGIN_BLOCKED,
                                   db_int(rows, 0, LOGIN_WAIT_S));
    }
    login->user = db_uuid(rows, 0, LOGIN_USER);
    login->hash = db_text(rows, 0, LOGIN_HASH);
    return ADS_OK;
}


enum ads_err
auth_login_check(struct request *request, struct ads_str email,
                 struct ads_str password, enum ads_problem wrong,
                 struct auth_login *login)
{
    struct counted counted;
    enum ads_err err, noted;
    bool outdated;

    counted_init(&counted, request, email);
    err = login_find(request, &counted, email, login);
    if (err != ADS_OK) {
        return err;
    }
    err = auth_password_check(request->adsd->hasher, login->hash, password,
                              &outdated);
    if (err == ADS_DENIED) {
        return request_answer_problem(request, wrong, NULL);
    }
    if (login->code == NULL) {
        noted = try_take_back(request, &counted, err == ADS_OK);
        err = noted != ADS_OK ? noted : err;
    }
    if (err == ADS_BUSY) {
        return request_answer_wait(request, ADS_PROBLEM_RATE_LIMITED, 2);
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
