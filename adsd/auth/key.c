/*
 * Authenticates API keys.  The key's hash is looked up by ads.key_find, which
 * shows usable keys only:
 * unknown, revoked and expired look the same, here and to the client.
 */
#include "auth/key.h"

#include <sodium.h>
#include <unistd.h>

#include "ads_ip.h"

static const struct db_stmt STMT_KEY_FIND = {
    .name = "key_find",
    .sql = "select key_id, account_id, type, mode, expires_at,"
           " ads.key_used(key_id)"
           " from ads.key_find($1)"
           " where cardinality(cidrs) = 0 or $2::inet <<= any (cidrs)",
    .n_params = 2,
};

enum key_column { KEY_ID, KEY_ACCOUNT, KEY_TYPE, KEY_MODE, KEY_EXPIRES_AT };


bool
auth_key_init(void)
{
    return sodium_init() >= 0;
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
    type = db_text(rows, 0, KEY_TYPE);
    mode = db_text(rows, 0, KEY_MODE);
    request->actor = (struct actor){
        .method = ACTOR_KEY,
        .role = ROLE_EDITOR,
        .key = db_uuid(rows, 0, KEY_ID),
        .account = db_uuid(rows, 0, KEY_ACCOUNT),
        .type = (enum ads_key_type)(type.len == 1 ? type.ptr[0] : 0),
        .test = ads_str_is(mode, "test"),
        .expires_us = db_time(rows, 0, KEY_EXPIRES_AT),
    };
    return ADS_OK;
}


enum ads_err
auth_key_find(struct request *request, struct ads_str text)
{
    struct ads_key key;

    if (ads_key_read(&key, NULL, text) != ADS_OK) {
        return ADS_DENIED;
    }
    return key_look_up(request, &key);
}


enum ads_err
auth_key_draw(char text[ADS_KEY_TEXT_LEN], enum ads_key_type type, bool test)
{
    uint8_t random[ADS_KEY_RANDOM_LEN];

    do {
        if (getentropy(random, sizeof(random)) != 0) {
            return ADS_IO;
        }
    } while (ads_key_make(text, type, test, random) != ADS_OK);
    sodium_memzero(random, sizeof(random));
    return ADS_OK;
}
