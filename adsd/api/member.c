/*
 * Endpoints of members.  No one is added without consent: an invitation goes by
 * mail to the address, whether it has an account or not, and its reader
 * accepts.  That an account keeps an owner is a rule of the database
 * (members_keep_owner).
 */
#include "api/handlers.h"

#include <stdio.h>

#include "auth/code.h"
#include "auth/email.h"
#include "http/body.h"
#include "http/etag.h"
#include "http/list.h"

static const char *const roles[] = {"owner", "editor", "viewer", NULL};
static const char *const states[] = {"active", "invited", NULL};

#define ROWS                                                            \
    "select x.id, x.created_at, x.email, x.name, x.role, x.status,"     \
    " x.email_verified, x.expires_at,"                                  \
    " hashtextextended(x::text, 0) as etag from ("                      \
    "     select m.user_id as id, m.created_at, u.email, u.name,"       \
    "         m.role, 'active' as status,"                              \
    "         u.email_verified_at is not null as email_verified,"       \
    "         null::timestamptz as expires_at"                          \
    "     from ads.members m"                                           \
    "     join ads.users u on u.id = m.user_id"                         \
    "     where m.account_id = $1"                                      \
    "     union all"                                                    \
    "     select i.id, i.created_at, i.email, null, i.role, 'invited'," \
    "         false, i.expires_at"                                      \
    "     from ads.invitations i"                                       \
    "     where i.account_id = $1 and i.expires_at > now()"             \
    " ) x"

static const struct db_stmt STMT_LIST = {
    .name = "member_list",
    .sql = ROWS " where ($2::text is null or x.status = $2)"
                " and ($3::timestamptz is null"
                "     or (x.created_at, x.id) < ($3, $4::uuid))"
                " order by x.created_at desc, x.id desc limit $5",
    .n_params = 5,
};

static const struct db_stmt STMT_FIND = {
    .name = "member_find",
    .sql = ROWS " where x.id = $2",
    .n_params = 2,
};

/*
 * Its ETag stands for what is answered of it, and it stays as it is until the
 * end of the transaction.
 */
static const struct db_stmt STMT_LOCK = {
    .name = "member_lock",
    .sql = "select from ads.members m"
           " where m.account_id = $1 and m.user_id = $2 for update",
    .n_params = 2,
};

static const struct db_stmt STMT_KNOWN = {
    .name = "member_known",
    .sql = "select exists (select from ads.members m"
           " join ads.users u on u.id = m.user_id"
           " where m.account_id = $1 and lower(u.email) = lower($2))",
    .n_params = 2,
};

static const struct db_stmt STMT_INVITE = {
    .name = "invitation_send",
    .sql = "select ads.invitation_send($1, $2, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_ROLE = {
    .name = "member_role",
    .sql = "update ads.members set role = $3"
           " where account_id = $1 and user_id = $2",
    .n_params = 3,
};

static const struct db_stmt STMT_REMOVE = {
    .name = "member_remove",
    .sql = "delete from ads.members where account_id = $1 and user_id = $2",
    .n_params = 2,
};

static const struct db_stmt STMT_WITHDRAW = {
    .name = "invitation_withdraw",
    .sql = "delete from ads.invitations where account_id = $1 and id = $2",
    .n_params = 2,
};

static const struct db_stmt STMT_ACCEPT = {
    .name = "invitation_accept",
    .sql = "select ads.invitation_accept($1, $2)",
    .n_params = 2,
};

static const struct field list_fields[] = {
    {"id", .type = FIELD_UUID},         {"email", .type = FIELD_TEXT},
    {"name", .type = FIELD_TEXT},       {"role", .type = FIELD_TEXT},
    {"status", .type = FIELD_TEXT},     {"email_verified", .type = FIELD_BOOL},
    {"created_at", .type = FIELD_TIME}, {"expires_at", .type = FIELD_TIME},
};
static const struct fields fields = FIELDS(list_fields);
static const struct list_of LIST = {.fields = &fields};


/* ---- looking ---- */

enum ads_err
api_member_list(struct request *request)
{
    struct list *list = pool_alloc(request->pool, sizeof(*list));
    struct db_args args;

    if (list_begin(list, request, "members") != ADS_OK) {
        return ADS_ANSWERED;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    list_word(list, &args, "status", states);
    return list_run(list, &STMT_LIST, &args, &LIST);
}


static enum ads_err
row_answer(struct request *request, const struct ads_uuid *id, unsigned status)
{
    struct db_rows *rows;
    struct json json;
    enum ads_err err;

    err = request_row_find(request, &STMT_FIND, id, &rows);
    if (err == ADS_OK) {
        json_init(&json, request->pool);
        fields_row_write(&fields, &json, rows, 0);
        etag_put(request, db_int(rows, 0, db_column(rows, "etag")));
        request_answer_json(request, status, &json);
    }
    return err;
}


enum ads_err
api_member_get(struct request *request)
{
    struct ads_uuid id;

    return request_id_read(request, &id) == ADS_OK
               ? row_answer(request, &id, 200)
               : ADS_ANSWERED;
}


/* ---- inviting ---- */

static enum ads_err
invite(struct request *request, struct ads_str email, struct ads_str role)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_text(&args, email);
    db_arg_text(&args, role);
    db_arg_uuid(&args, request->actor.method == ACTOR_SESSION
                           ? &request->actor.user
                           : NULL);
    err = db_run(request->tx, &STMT_INVITE, &args, &rows);
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "ADO02") == 0) {
        return request_answer_problem(request, ADS_PROBLEM_EMAIL_UNVERIFIED,
                                      "confirm your own address first");
    }
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "23505") == 0) {
        return request_answer_problem(request, ADS_PROBLEM_CONFLICT,
                                      "this address is invited already");
    }
    if (err != ADS_OK) {
        return err;
    }
    if (db_is_null(rows, 0, DB_ONLY)) {
        return request_answer_problem(request, ADS_PROBLEM_CONFLICT,
                                      "a hundred invitations wait already");
    }
    id = db_uuid(rows, 0, DB_ONLY);
    return row_answer(request, &id, 201);
}


enum ads_err
api_member_invite(struct request *request)
{
    struct ads_str email;
    struct db_args args;
    struct db_rows *rows;
    struct form form;
    enum ads_err err;
    int role;

    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    email = auth_email_field(&form, "email");
    role = form_choice(&form, "role", FORM_REQUIRED, roles);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_text(&args, email);
    err = db_run(request->tx, &STMT_KNOWN, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_bool(rows, 0, DB_ONLY)) {
        return request_answer_problem(request, ADS_PROBLEM_CONFLICT,
                                      "this address is a member already");
    }
    return invite(request, email,
                  (struct ads_str){roles[role], strlen(roles[role])});
}


enum ads_err
api_member_accept(struct request *request)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid code, account;
    struct form form;
    struct json json;
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
        db_arg_uuid(&args, &request->actor.user);
        err = db_run(request->tx, &STMT_ACCEPT, &args, &rows);
        if (err != ADS_OK) {
            return err;
        }
        ours = !db_is_null(rows, 0, DB_ONLY);
    }
    if (!ours) {
        return request_answer_problem(
            request, ADS_PROBLEM_CODE_INVALID,
            "sign in with the address that was invited");
    }
    account = db_uuid(rows, 0, DB_ONLY);
    json_init(&json, request->pool);
    json_object_begin(&json, NULL);
    json_uuid(&json, "account_id", &account);
    json_object_end(&json);
    request_answer_json(request, 200, &json);
    return ADS_OK;
}


/* ---- changing ---- */

/* What a refusal of the last owner's going becomes. */
static enum ads_err
refused(struct request *request, enum ads_err err)
{
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(request->db), "ADO01") == 0) {
        return request_answer_problem(request, ADS_PROBLEM_LAST_OWNER, NULL);
    }
    return err;
}


enum ads_err
api_member_patch(struct request *request)
{
    struct db_args args;
    struct db_rows *rows = NULL;
    struct ads_uuid id;
    struct form form;
    enum ads_err err;
    int role;

    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }
    err = body_begin(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    role = form_choice(&form, "role", FORM_REQUIRED, roles);
    err = body_end(&form, request);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &request->actor.account);
    db_arg_uuid(&args, &id);
    err = db_run(request->tx, &STMT_LOCK, &args, NULL);
    if (err == ADS_OK) {
        err = request_row_find(request, &STMT_FIND, &id, &rows);
    }
    if (err == ADS_OK) {
        err = etag_check(request, db_int(rows, 0, db_column(rows, "etag")));
    }
    if (err != ADS_OK) {
        return err;
    }
    if (!db_is_null(rows, 0, db_column(rows, "expires_at"))) {
        return request_answer_problem(request, ADS_PROBLEM_CONFLICT,
                                      "not a member yet: invite again");
    }
    db_arg_text(&args, (struct ads_str){roles[role], strlen(roles[role])});
    err = db_run(request->tx, &STMT_ROLE, &args, NULL);
    return err == ADS_OK ? row_answer(request, &id, 200)
                         : refused(request, err);
}


enum ads_err
api_member_delete(struct request *request)
{
    const struct actor *actor = &request->actor;
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    enum ads_err err;

    if (!ads_uuid_read(&id, request->args[0])) {
        return ADS_ABSENT;
    }
    if (actor->role < ROLE_OWNER
        && !(actor->method == ACTOR_SESSION
             && ads_uuid_equal(&id, &actor->user)))
    {
        return request_answer_problem(request, ADS_PROBLEM_WRONG_SCOPE,
                                      "only an owner removes others");
    }
    err = request_row_find(request, &STMT_FIND, &id, &rows);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, request->pool);
    db_arg_uuid(&args, &actor->account);
    db_arg_uuid(&args, &id);
    err = db_run(request->tx,
                 db_is_null(rows, 0, db_column(rows, "expires_at"))
                     ? &STMT_REMOVE
                     : &STMT_WITHDRAW,
                 &args, NULL);
    if (err != ADS_OK) {
        return refused(request, err);
    }
    request_answer_empty(request, 204);
    return ADS_OK;
}
