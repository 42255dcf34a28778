/*
 * Access tokens and the keys behind them: what we make we take, anything else
 * is refused, and a key file is read again when it changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adsd/auth/jwt.c"
#include "adsd/daemon/auth_keys.c"
#include "base/doc.h"

#define SEED_A \
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define SEED_B \
    "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define NOW_S 1893456000

static const struct ads_uuid user = {{1}};
static const struct ads_uuid session = {{2}};
static const struct ads_uuid account = {{3}};


static struct auth_keys *
keys_of(const char *text)
{
    struct auth_keys *keys;

    assert_int_equal(
        auth_keys_parse(&keys, (struct ads_str){text, strlen(text)}), ADS_OK);
    return keys;
}


static struct ads_str
token_make(struct pool *pool, struct auth_keys *keys, int64_t now_s)
{
    return auth_jwt_make(pool, keys,
                         &(struct auth_jwt_claims){
                             .issuer = "https://ads.test",
                             .now_s = now_s,
                             .user = &user,
                             .session = &session,
                             .account = &account,
                         });
}


static enum ads_err
token_check(struct auth_jwt *jwt, struct pool *pool, struct auth_keys *keys,
            struct ads_str token)
{
    return auth_jwt_check(jwt, pool,
                          &(struct auth_jwt_rules){
                              .keys = keys,
                              .issuer = "https://ads.test",
                              .audience = AUTH_JWT_AUDIENCE,
                              .life_max_s = AUTH_JWT_LIFE_S,
                              .now_s = NOW_S,
                          },
                          token);
}


static void
what_we_make_we_take(void **state)
{
    struct auth_keys *keys = keys_of("k1 " SEED_A " sign\n");
    struct pool *pool = pool_new();
    struct auth_jwt jwt;
    struct ads_uuid id;

    (void)state;
    assert_int_equal(
        token_check(&jwt, pool, keys, token_make(pool, keys, NOW_S)), ADS_OK);
    assert_true(ads_uuid_read(&id, jwt.subject));
    assert_true(ads_uuid_equal(&id, &user));
    assert_true(ads_uuid_read(&id, jwt.session));
    assert_true(ads_uuid_equal(&id, &session));
    assert_true(ads_uuid_read(&id, jwt.account));
    assert_true(ads_uuid_equal(&id, &account));
    assert_int_equal(jwt.expires_s, NOW_S + AUTH_JWT_LIFE_S);
    pool_free(pool);
    auth_keys_free(keys);
}


static void
its_time_runs_out(void **state)
{
    static const struct {
        int64_t made_s;
        enum ads_err err;
    } cases[] = {
        {NOW_S + 60, ADS_OK},
        {NOW_S + 61, ADS_DENIED},
        {NOW_S - AUTH_JWT_LIFE_S - 59, ADS_OK},
        {NOW_S - AUTH_JWT_LIFE_S - 60, ADS_EXPIRED},
    };
    struct auth_keys *keys = keys_of("k1 " SEED_A " sign\n");
    struct pool *pool = pool_new();
    struct auth_jwt jwt;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(token_check(&jwt, pool, keys,
                                     token_make(pool, keys, cases[i].made_s)),
                         cases[i].err);
    }
    pool_free(pool);
    auth_keys_free(keys);
}


static void
two_keys_overlap(void **state)
{
    struct auth_keys *old = keys_of("k1 " SEED_A " sign\n");
    struct auth_keys *both =
        keys_of("k1 " SEED_A " verify\nk2 " SEED_B " sign # new\n");
    struct auth_keys *new = keys_of("\n# a comment\n  k2\t" SEED_B " sign");
    struct pool *pool = pool_new();
    struct ads_str first = token_make(pool, old, NOW_S);
    struct ads_str second = token_make(pool, both, NOW_S);
    struct auth_jwt jwt;

    (void)state;
    assert_int_equal(token_check(&jwt, pool, both, first), ADS_OK);
    assert_int_equal(token_check(&jwt, pool, both, second), ADS_OK);
    assert_int_equal(token_check(&jwt, pool, new, second), ADS_OK);
    assert_int_equal(token_check(&jwt, pool, new, first), ADS_DENIED);
    assert_int_equal(token_check(&jwt, pool, old, second), ADS_DENIED);
    pool_free(pool);
    auth_keys_free(old);
    auth_keys_free(both);
    auth_keys_free(new);
}


static void
every_changed_byte_is_seen(void **state)
{
    struct auth_keys *keys = keys_of("k1 " SEED_A " sign\n");
    struct pool *pool = pool_new();
    struct ads_str token = token_make(pool, keys, NOW_S);
    struct auth_jwt jwt;

    (void)state;
    for (size_t i = 0; i < token.len; i++) {
        char *text = pool_text(pool, token);

        text[i] = text[i] == 'A' ? 'B' : 'A';
        assert_int_equal(
            token_check(&jwt, pool, keys, (struct ads_str){text, token.len}),
            ADS_DENIED);
        assert_int_not_equal(
            token_check(&jwt, pool, keys, (struct ads_str){token.ptr, i}),
            ADS_OK);
    }
    pool_free(pool);
    auth_keys_free(keys);
}


static void
a_bad_file_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "k1 " SEED_A " verify\n",
        "k1 " SEED_A " sign\nk2 " SEED_B " sign\n",
        "k1 " SEED_A " sign\nk1 " SEED_B " verify\n",
        "k1 0011 sign\n",
        "k1 " SEED_A "\n",
        "k1 " SEED_A " sign more\n",
        "k/1 " SEED_A " sign\n",
        "k23456789012345678901234567890123 " SEED_A " sign\n",
        "1 " SEED_A " sign\n2 " SEED_A " verify\n3 " SEED_A " verify\n4 " SEED_A
        " verify\n5 " SEED_A " verify\n6 " SEED_A " verify\n7 " SEED_A
        " verify\n8 " SEED_A " verify\n9 " SEED_A " verify\n",
    };
    struct auth_keys *keys;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(
            auth_keys_parse(&keys,
                            (struct ads_str){texts[i], strlen(texts[i])}),
            ADS_INVALID);
        assert_null(keys);
    }
}


static void
a_mac_serves_one_purpose(void **state)
{
    struct auth_keys *both =
        keys_of("k1 " SEED_A " verify\nk2 " SEED_B " sign\n");
    struct auth_keys *old = keys_of("k1 " SEED_A " sign\n");
    struct ads_str bytes = ADS_STR("page 2");
    uint8_t mac[AUTH_KEYS_MAC_LEN];

    (void)state;
    auth_keys_mac(old, "cursor", bytes, mac);
    assert_true(auth_keys_mac_check(old, "cursor", bytes, mac, sizeof(mac)));
    assert_true(auth_keys_mac_check(both, "cursor", bytes, mac, 16));
    assert_false(auth_keys_mac_check(both, "cursor", bytes, mac, 15));
    assert_false(auth_keys_mac_check(both, "mail", bytes, mac, 16));
    assert_false(
        auth_keys_mac_check(both, "cursor", ADS_STR("page 3"), mac, 16));
    mac[15] ^= 1;
    assert_false(auth_keys_mac_check(both, "cursor", bytes, mac, 16));
    auth_keys_mac(both, "cursor", bytes, mac);
    assert_false(auth_keys_mac_check(old, "cursor", bytes, mac, 16));
    auth_keys_free(both);
    auth_keys_free(old);
}


/* ---- the file ---- */

static void
file_write(const char *path, const char *text, mode_t mode)
{
    char tmp[128];
    FILE *file;

    (void)snprintf(tmp, sizeof(tmp), "%s.tmp", path);
    file = fopen(tmp, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fchmod(fileno(file), mode), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(tmp, path), 0);
}


static void
the_file_is_made_and_read_again(void **state)
{
    char folder[] = "/tmp/ads-keys-XXXXXX", path[64];
    char kid[AUTH_KID_MAX + 1];
    struct log *log;
    struct auth_keys *keys;
    struct stat st;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/jwt.keys", folder);
    assert_int_equal(log_open(&log, "/dev/null", LOG_ERROR), ADS_OK);

    assert_int_equal(auth_keys_open(&keys, path, log), ADS_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    auth_keys_kid(keys, kid);
    assert_int_equal(kid[0], 'k');

    file_write(path, "new " SEED_A " sign\n", 0600);
    auth_keys_kid(keys, kid);
    assert_string_equal(kid, "new");

    file_write(path, "bad " SEED_A " sing\n", 0600);
    auth_keys_kid(keys, kid);
    assert_string_equal(kid, "new");
    file_write(path, "open " SEED_A " sign\n", 0640);
    auth_keys_kid(keys, kid);
    assert_string_equal(kid, "new");
    auth_keys_free(keys);

    assert_int_equal(auth_keys_open(&keys, path, log), ADS_INVALID);
    (void)unlink(path);
    (void)rmdir(folder);
    log_close(log);
}


/* ---- vectors ---- */

/* Keys that hold one public half. */
static struct auth_keys *
keys_public(const char *kid, const uint8_t *public)
{
    struct auth_keys *keys = keys_new();

    keys->set.n = 1;
    (void)snprintf(keys->set.keys[0].kid, sizeof(keys->set.keys[0].kid), "%s",
                   kid);
    memcpy(keys->set.keys[0].public, public, AUTH_PUBLIC_LEN);
    return keys;
}


/* A file of evaluation data as a tree; NULL, said, where it is not there. */
static struct doc *
vectors_read(struct pool *pool, const char *name)
{
    const char *shared = getenv("ADS_SHARED"), *why = NULL;
    char path[512], *text;
    struct doc *document;
    struct stat st;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/vectors/%s",
                   shared != NULL ? shared : "../shared", name);
    file = fopen(path, "rb");
    if (file == NULL) {
        print_message("# skipped: %s is not there\n", path);
        return NULL;
    }
    assert_int_equal(fstat(fileno(file), &st), 0);
    text = pool_alloc(pool, (size_t)st.st_size);
    assert_int_equal(fread(text, 1, (size_t)st.st_size, file), st.st_size);
    (void)fclose(file);
    document = doc_read(pool, text, (size_t)st.st_size, &why);
    if (document == NULL) {
        fail_msg("%s: %s", path, why);
    }
    return document;
}


/* A member's text with a NUL behind it. */
static const char *
text_of(struct pool *pool, const struct doc *object, const char *name)
{
    return pool_text(pool, doc_find(object, name)->text);
}


static void
attacks_fail(void **state)
{
    struct pool *pool = pool_new();
    struct doc *document = vectors_read(pool, "jwt_attacks.json");
    struct doc *head = doc_find(document, "session-eddsa");
    uint8_t public[AUTH_PUBLIC_LEN];
    struct auth_jwt_rules rules;
    unsigned n = 0;

    (void)state;
    if (document == NULL) {
        pool_free(pool);
        return;
    }
    assert_true(ads_base64url_read(public, sizeof(public),
                                   doc_find(doc_find(head, "jwk"), "x")->text));
    rules = (struct auth_jwt_rules){
        .keys = keys_public(text_of(pool, head, "kid"), public),
        .issuer = text_of(pool, head, "iss"),
        .audience = text_of(pool, head, "aud"),
        .life_max_s = atoll(text_of(pool, head, "max_life_s")),
        .now_s = atoll(text_of(pool, document, "now")),
    };
    for (struct doc *test = doc_find(document, "cases")->first; test != NULL;
         test = test->next)
    {
        const char *result = text_of(pool, test, "result");
        struct auth_jwt jwt;
        enum ads_err err;

        if (strcmp(text_of(pool, test, "verifier"), "session-eddsa") == 0) {
            err =
                auth_jwt_check(&jwt, pool, &rules, doc_find(test, "jwt")->text);
            if (strcmp(result, "either") != 0
                && (err == ADS_OK) != (strcmp(result, "accept") == 0))
            {
                fail_msg("%s: %d", text_of(pool, test, "id"), (int)err);
            }
            n++;
        }
    }
    assert_true(n > 20);
    auth_keys_free(rules.keys);
    pool_free(pool);
}


static void
signature_check(struct pool *pool, struct auth_keys *keys,
                const struct doc *test)
{
    struct ads_str sig = doc_find(test, "sig")->text;
    struct ads_str msg = doc_find(test, "msg")->text;
    uint8_t signature[AUTH_SIGNATURE_LEN];
    uint8_t *bytes = pool_alloc(pool, msg.len);
    bool good;

    assert_true(ads_hex_read(bytes, msg.len / 2, msg));
    good = ads_hex_read(signature, sizeof(signature), sig)
           && auth_keys_verify(keys, (struct ads_str){NULL, 0}, signature,
                               (struct ads_str){(char *)bytes, msg.len / 2});
    if (good != (strcmp(text_of(pool, test, "result"), "valid") == 0)) {
        fail_msg("tcId %s", text_of(pool, test, "tcId"));
    }
}


static void
signatures_are_read_as_wycheproof_does(void **state)
{
    struct pool *pool = pool_new();
    struct doc *document = vectors_read(pool, "public/wycheproof_ed25519.json");
    struct doc *groups = doc_find(document, "testGroups");
    unsigned n = 0;

    (void)state;
    for (struct doc *group = groups != NULL ? groups->first : NULL;
         group != NULL; group = group->next)
    {
        uint8_t public[AUTH_PUBLIC_LEN];
        struct auth_keys *keys;

        assert_true(
            ads_hex_read(public, sizeof(public),
                         doc_find(doc_find(group, "publicKey"), "pk")->text));
        keys = keys_public("w", public);
        for (struct doc *test = doc_find(group, "tests")->first; test != NULL;
             test = test->next)
        {
            signature_check(pool, keys, test);
            n++;
        }
        auth_keys_free(keys);
    }
    assert_true(document == NULL || n > 50);
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_we_make_we_take),
        cmocka_unit_test(its_time_runs_out),
        cmocka_unit_test(two_keys_overlap),
        cmocka_unit_test(every_changed_byte_is_seen),
        cmocka_unit_test(a_bad_file_is_refused),
        cmocka_unit_test(a_mac_serves_one_purpose),
        cmocka_unit_test(the_file_is_made_and_read_again),
        cmocka_unit_test(attacks_fail),
        cmocka_unit_test(signatures_are_read_as_wycheproof_does),
    };

    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
