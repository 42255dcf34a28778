/*
 * Signatures of identity providers: only by a key of theirs that may sign, only
 * with that key's algorithm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/auth/jose.c"

#include "signer.h"
#include "vectors.h"


static enum ads_err
read_set(struct jose_keys **keys, struct pool *pool, const char *text)
{
    return jose_keys_read(keys, pool, text, strlen(text));
}


static enum ads_err
verify(const struct jose_keys *keys, struct pool *pool, const char *token)
{
    struct ads_str issuer;
    struct jws jws;
    enum ads_err err;

    err = jws_read(&jws, pool, (struct ads_str){token, strlen(token)});
    return err == ADS_OK ? jose_verify(keys, &jws, &issuer) : err;
}


static void
test_both_algorithms(void **state)
{
    struct pool *pool = pool_new();
    struct t_signer rsa = t_signer_rsa(2048, "r"), ec = t_signer_ec("e");
    const char *set = pool_format(pool, NULL, "{\"keys\":[%s,%s]}",
                                  t_jwk(&rsa, pool, ""), t_jwk(&ec, pool, ""));
    struct jose_keys *keys;
    char *token;

    (void)state;
    assert_int_equal(read_set(&keys, pool, set), ADS_OK);
    assert_int_equal(keys->n, 2);
    token = t_sign(&rsa, pool, "{\"alg\":\"RS256\",\"kid\":\"r\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_OK);
    token[strlen(token) - 10] = token[strlen(token) - 10] == 'A' ? 'B' : 'A';
    assert_int_equal(verify(keys, pool, token), ADS_FORGED);
    token = t_sign(&ec, pool, "{\"alg\":\"ES256\",\"kid\":\"e\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_OK);

    /* the key says the algorithm, not the token */
    token = t_sign(&rsa, pool, "{\"alg\":\"ES256\",\"kid\":\"r\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_ABSENT);
    token = t_sign(&rsa, pool, "{\"alg\":\"HS256\",\"kid\":\"r\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_UNSUPPORTED);
    token = t_sign(&rsa, pool, "{\"alg\":\"none\",\"kid\":\"r\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_UNSUPPORTED);

    /* without kid: one key alone has the algorithm */
    token = t_sign(&rsa, pool, "{\"alg\":\"RS256\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_OK);
    token = t_sign(&rsa, pool, "{\"alg\":\"RS256\",\"kid\":\"R\"}", "{}");
    assert_int_equal(verify(keys, pool, token), ADS_ABSENT);

    /* a key in the token is no provider's key */
    token = t_sign(&ec, pool,
                   pool_format(pool, NULL,
                               "{\"alg\":\"ES256\",\"kid\":\"x\",\"jwk\":%s}",
                               t_jwk(&ec, pool, "")),
                   "{}");
    assert_int_equal(verify(keys, pool, token), ADS_ABSENT);
    t_signer_free(&rsa);
    t_signer_free(&ec);
    pool_free(pool);
}


static void
test_two_keys_of_one_name(void **state)
{
    struct pool *pool = pool_new();
    struct t_signer one = t_signer_ec("k"), two = t_signer_ec("k");
    struct jose_keys *keys;

    (void)state;
    assert_int_equal(
        read_set(&keys, pool,
                 pool_format(pool, NULL, "{\"keys\":[%s,%s]}",
                             t_jwk(&one, pool, ""), t_jwk(&two, pool, ""))),
        ADS_OK);
    assert_int_equal(
        verify(keys, pool,
               t_sign(&two, pool, "{\"alg\":\"ES256\",\"kid\":\"k\"}", "{}")),
        ADS_OK);
    assert_int_equal(
        verify(keys, pool, t_sign(&two, pool, "{\"alg\":\"ES256\"}", "{}")),
        ADS_ABSENT);
    t_signer_free(&one);
    t_signer_free(&two);
    pool_free(pool);
}


static void
test_keys_that_may_not_verify(void **state)
{
    static const struct {
        const char *more; /* members added to the key */
        enum ads_err err;
    } cases[] = {
        {",\"use\":\"sig\"", ADS_OK},
        {",\"alg\":\"ES256\"", ADS_OK},
        {",\"key_ops\":[\"verify\"]", ADS_OK},
        {",\"key_ops\":[\"sign\",\"verify\"]", ADS_OK},
        {",\"x5c\":[\"AAAA\"],\"x5t\":1", ADS_OK},
        {",\"use\":\"enc\"", ADS_ABSENT},
        {",\"use\":1", ADS_ABSENT},
        {",\"alg\":\"ES384\"", ADS_ABSENT},
        {",\"alg\":\"RS256\"", ADS_ABSENT},
        {",\"alg\":null", ADS_ABSENT},
        {",\"key_ops\":[\"encrypt\"]", ADS_ABSENT},
        {",\"key_ops\":[]", ADS_ABSENT},
        {",\"key_ops\":\"verify\"", ADS_ABSENT},
        {",\"kty\":\"EC\"", ADS_INVALID}, /* twice */
        {",\"use\":\"sig\",\"u\\u0073e\":\"sig\"", ADS_INVALID},
    };
    struct pool *pool = pool_new();
    struct t_signer ec = t_signer_ec("e");
    struct jose_keys *keys;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *set = pool_format(pool, NULL, "{\"keys\":[%s]}",
                                      t_jwk(&ec, pool, cases[i].more));

        if (read_set(&keys, pool, set) != cases[i].err) {
            fail_msg("%s", cases[i].more);
        }
    }
    t_signer_free(&ec);
    pool_free(pool);
}


static void
test_weak_and_broken_keys(void **state)
{
    static const char *const bad[] = {
        "{\"kty\":\"RSA\",\"n\":\"\",\"e\":\"AQAB\"}",
        "{\"kty\":\"RSA\",\"e\":\"AQAB\"}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}",
        /* not on the curve: (1, 1), and 0, 0 */
        ("{\"kty\":\"EC\",\"crv\":\"P-256\","
         "\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE\","
         "\"y\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE\"}"),
        ("{\"kty\":\"EC\",\"crv\":\"P-256\","
         "\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\","
         "\"y\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}"),
        "{\"kty\":\"oct\",\"k\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}",
        ("{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
         "\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}"),
        "{}",
        "1",
    };
    struct pool *pool = pool_new();
    struct t_signer small = t_signer_rsa(1024, "s");
    struct jose_keys *keys;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *set = pool_format(pool, NULL, "{\"keys\":[%s]}", bad[i]);

        if (read_set(&keys, pool, set) != ADS_ABSENT) {
            fail_msg("%s", bad[i]);
        }
    }
    assert_int_equal(read_set(&keys, pool,
                              pool_format(pool, NULL, "{\"keys\":[%s]}",
                                          t_jwk(&small, pool, ""))),
                     ADS_ABSENT);
    t_signer_free(&small);
    pool_free(pool);
}


static void
test_what_is_no_key_set(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "null",
        "{}",
        "{\"keys\":{}}",
        "{\"keys\":null}",
        "{\"keys\":[",
        "{\"keys\":[]}x",
        "{\"keys\":[],\"keys\":[]}",
    };
    struct pool *pool = pool_new();
    struct t_signer ec = t_signer_ec("e");
    const char *jwk = t_jwk(&ec, pool, ""), *many;
    struct jose_keys *keys;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_set(&keys, pool, bad[i]), ADS_INVALID);
    }
    assert_int_equal(read_set(&keys, pool, "{\"keys\":[]}"), ADS_ABSENT);

    many = jwk;
    for (int i = 1; i < JOSE_KEYS_MAX; i++) {
        many = pool_format(pool, NULL, "%s,%s", many, jwk);
    }
    assert_int_equal(
        read_set(&keys, pool, pool_format(pool, NULL, "{\"keys\":[%s]}", many)),
        ADS_OK);
    assert_int_equal(keys->n, JOSE_KEYS_MAX);
    assert_int_equal(
        read_set(&keys, pool,
                 pool_format(pool, NULL, "{\"keys\":[%s,1]}", many)),
        ADS_TOO_LARGE);
    t_signer_free(&ec);
    pool_free(pool);
}


static void
test_sha256(void **state)
{
    static const uint8_t abc[4] = {0xba, 0x78, 0x16, 0xbf};
    const struct ads_str texts[] = {ADS_STR("a"), ADS_STR(""), ADS_STR("bc")};
    uint8_t hash[JOSE_SHA256_LEN];

    (void)state;
    jose_sha256(hash, texts, 3);
    assert_memory_equal(hash, abc, sizeof(abc));
}


/* A verifier pinned to RS256 and ES256 refuses the other algorithms' valid
 * vectors too; and base64url that is not canonical. */
static bool
is_ours(const json_t *group, const json_t *test)
{
    const char *alg = json_string_value(
        json_object_get(json_object_get(group, "public"), "alg"));

    return alg != NULL
           && (strcmp(alg, "RS256") == 0 || strcmp(alg, "ES256") == 0)
           && strcmp(json_string_value(json_object_get(test, "result")),
                     "valid")
                  == 0;
}


static void
test_wycheproof(void **state)
{
    json_t *document =
        vectors_load("public/wycheproof_json_web_signature.json");
    const json_t *group, *test, *jwk;
    size_t i, k, n = 0, n_valid = 0;

    (void)state;
    json_array_foreach(json_object_get(document, "testGroups"), i, group)
    {
        jwk = json_object_get(group, "public");
        jwk = jwk != NULL ? jwk : json_object_get(group, "private");
        json_array_foreach(json_object_get(group, "tests"), k, test)
        {
            const char *token = json_string_value(json_object_get(test, "jws"));
            char *text = json_dumps(jwk, JSON_COMPACT);
            struct pool *pool = pool_new();
            struct jose_keys *keys;
            enum ads_err err;

            err = read_set(&keys, pool,
                           pool_format(pool, NULL, "{\"keys\":[%s]}", text));
            if (token != NULL && err == ADS_OK) {
                err = verify(keys, pool, token);
            }
            if ((err == ADS_OK) != is_ours(group, test)) {
                fail_msg("tcId %d: %s",
                         (int)json_integer_value(json_object_get(test, "tcId")),
                         ads_strerror(err));
            }
            n++;
            n_valid += err == ADS_OK;
            pool_free(pool);
            free(text);
        }
    }
    assert_true(document == NULL || (n > 100 && n_valid > 3));
    json_decref(document);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_algorithms),
        cmocka_unit_test(test_two_keys_of_one_name),
        cmocka_unit_test(test_keys_that_may_not_verify),
        cmocka_unit_test(test_weak_and_broken_keys),
        cmocka_unit_test(test_what_is_no_key_set),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_wycheproof),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
