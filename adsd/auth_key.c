/*
 * The key's hash is looked up by ads.key_find, which shows usable keys only:
 * unknown, revoked and expired look the same, here and to the client.
 */
#include "auth_key.h"

#include <sodium.h>
#include <strings.h>

#include "ads_ip.h"

static const struct db_stmt STMT_KEY_FIND = {
    .name = "key_find",
    .sql = "select account_id, type, mode from ads.key_find($1)"
           " where cardinality(cidrs) = 0 or $2::inet <<= any (cidrs)",
    .n_params = 2,
};


bool
auth_key_init(void)
{
    return sodium_init() >= 0;
}


/* A key in a URL ends up in logs and histories: refused even when it would not
 * be the one in use. */
static bool
key_in_url(const struct request *request)
{
    struct ads_str query = scgi_find(&request->head, "QUERY_STRING");

    for (size_t i = 0; i + 9 <= query.len; i++) {
        if (strncasecmp(query.ptr + i, "ads_live_", 9) == 0
            || strncasecmp(query.ptr + i, "ads_test_", 9) == 0)
        {
            return true;
        }
    }
    return false;
}


/* The credential's text; false when the answer is there. */
static bool
credential_find(struct request *request, struct ads_key *key)
{
    struct ads_str credential;

    if (key_in_url(request)) {
        request_answer_problem(request, ADS_PROBLEM_KEY_IN_URL,
                               "send the key in a header");
        return false;
    }
    switch (ads_key_credential(&credential,
                               scgi_find(&request->head, "HTTP_AUTHORIZATION"),
                               scgi_find(&request->head, "HTTP_X_API_KEY")))
    {
    case ADS_OK:
        break;
    case ADS_ABSENT:
        request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_MISSING, NULL);
        return false;
    case ADS_CONFLICT:
        request_answer_problem(request, ADS_PROBLEM_CREDENTIALS_CONFLICT, NULL);
        return false;
    default:
        request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID, NULL);
        return false;
    }
    if (ads_key_read(key, credential) != ADS_OK) {
        request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID, NULL);
        return false;
    }
    return true;
}


/* As workers compare it: IPv4 that a socket of both families calls
 * ::ffff:192.0.2.1 is 192.0.2.1, and "unix:" is in no range of addresses. */
static struct ads_str
address_find(struct request *request)
{
    struct ads_str text = scgi_find(&request->head, "REMOTE_ADDR");
    uint8_t ip[16];
    size_t len = ads_ip_read(ip, text);

    if (len == 0) {
        text.ptr = NULL;

    } else if (ads_ip_unmap(ip, len) != len) {
        text.ptr = pool_format(request->pool, &text.len, "%u.%u.%u.%u", ip[0],
                               ip[1], ip[2], ip[3]);
    }
    return text;
}


static enum ads_err
key_look_up(struct request *request, const struct ads_key *key)
{
    struct ads_str type, mode;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, request->pool);
    db_arg_bytea(&args, key->hash, sizeof(key->hash));
    db_arg_text(&args, address_find(request));
    err = db_run_alone(request->db, &STMT_KEY_FIND, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (db_n_rows(rows) != 1) {
        return ADS_DENIED;
    }
    type = db_text(rows, 0, 1);
    mode = db_text(rows, 0, 2);
    request->actor.account = db_uuid(rows, 0, 0);
    request->actor.type = (enum ads_key_type)(type.len == 1 ? type.ptr[0] : 0);
    request->actor.test = mode.len == 4 && memcmp(mode.ptr, "test", 4) == 0;
    return ADS_OK;
}


bool
auth_key_check(struct request *request, const char *types)
{
    struct ads_key key;
    enum ads_err err;

    if (!credential_find(request, &key)) {
        return false;
    }
    err = key_look_up(request, &key);
    if (err == ADS_DENIED) {
        request_answer_problem(request, ADS_PROBLEM_CREDENTIAL_INVALID, NULL);
        return false;
    }
    if (err != ADS_OK) {
        request_answer_err(request, err);
        return false;
    }
    if (request->actor.type == 0
        || strchr(types, (int)request->actor.type) == NULL) {
        request_answer_problem(request, ADS_PROBLEM_WRONG_SCOPE, NULL);
        return false;
    }
    return true;
}
