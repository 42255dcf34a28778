/*
 * ID tokens: only one made for us, by this issuer, for this sign-in, now.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/auth/id_token.c"

#include "signer.h"
#include "vectors.h"

#define NOW_S 1893456000
#define TENANT "9188040d-6c67-4c5b-b112-36a304b66dad"
#define MICROSOFT "https://login.microsoftonline.com/{tenantid}/v2.0"
#define GOOD                                                               \
    "\"iss\":\"https://idp.test\",\"aud\":\"us\",\"sub\":\"u\",\"nonce\":" \
    "\"n\",\"iat\":1893456000,\"exp\":1893456300"

struct fixture {
    struct pool *pool;
    struct t_signer signer;
    struct jose_keys *keys;
    struct id_token_wanted wanted;
    struct id_token token;
    const char *why;
};


static void
begin(struct fixture *f, const char *key_more)
{
    char *set;

    *f = (struct fixture){.pool = pool_new(),
                          .signer = t_signer_ec("e"),
                          .wanted = {.issuer = ADS_STR("https://idp.test"),
                                     .client_id = ADS_STR("us"),
                                     .nonce = ADS_STR("n"),
                                     .now_s = NOW_S}};
    set = pool_format(f->pool, NULL, "{\"keys\":[%s]}",
                      t_jwk(&f->signer, f->pool, key_more));
    assert_int_equal(jose_keys_read(&f->keys, f->pool, set, strlen(set)),
                     ADS_OK);
}


static void
end(struct fixture *f)
{
    t_signer_free(&f->signer);
    pool_free(f->pool);
}


static enum ads_err
read_claims(struct fixture *f, const char *claims)
{
    const char *token =
        t_sign(&f->signer, f->pool, "{\"alg\":\"ES256\",\"kid\":\"e\"}",
               pool_format(f->pool, NULL, "{%s}", claims));

    return id_token_read(&f->token, f->pool, f->keys,
                         (struct ads_str){token, strlen(token)}, &f->wanted,
                         &f->why);
}


static void
test_what_a_token_says(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, "");
    assert_int_equal(read_claims(&f, GOOD
                                 ",\"azp\":\"us\",\"email\":\"a@b.example\","
                                 "\"email_verified\":true,\"name\":\"N\""),
                     ADS_OK);
    assert_null(f.why);
    assert_true(ads_str_is(f.token.issuer, "https://idp.test"));
    assert_true(ads_str_is(f.token.subject, "u"));
    assert_true(ads_str_is(f.token.email, "a@b.example"));
    assert_true(ads_str_is(f.token.name, "N"));
    assert_true(f.token.email_verified);
    assert_false(f.token.xms_edov);

    assert_int_equal(read_claims(&f, GOOD), ADS_OK);
    assert_null(f.token.email.ptr);
    assert_false(f.token.email_verified);
    end(&f);
}


static void
test_only_true_is_true(void **state)
{
    static const char *const no[] = {"false", "\"true\"", "1", "\"1\"",
                                     "null",  "[true]",   "{}"};
    struct fixture f;

    (void)state;
    begin(&f, "");
    assert_int_equal(read_claims(&f, GOOD ",\"xms_edov\":true"), ADS_OK);
    assert_true(f.token.xms_edov);
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        assert_int_equal(
            read_claims(&f, pool_format(f.pool, NULL,
                                        GOOD ",\"email_verified\":%s,"
                                             "\"xms_edov\":%s",
                                        no[i], no[i])),
            ADS_OK);
        assert_false(f.token.email_verified);
        assert_false(f.token.xms_edov);
    }
    end(&f);
}


/* each replaces one claim of a good token */
static const struct {
    const char *claims;
    enum ads_err err;
} cases[] = {
#define WITHOUT_ISS                                                    \
    "\"sub\":\"u\",\"nonce\":\"n\",\"aud\":\"us\",\"iat\":1893456000," \
    "\"exp\":1893456300"
#define WITHOUT_AUD                                               \
    "\"iss\":\"https://idp.test\",\"sub\":\"u\",\"nonce\":\"n\"," \
    "\"iat\":1893456000,\"exp\":1893456300"
#define WITHOUT_SUB                                                \
    "\"iss\":\"https://idp.test\",\"aud\":\"us\",\"nonce\":\"n\"," \
    "\"iat\":1893456000,\"exp\":1893456300"
#define WITHOUT_TIMES    \
    "\"iss\":\"https://" \
    "idp.test\",\"aud\":\"us\",\"nonce\":\"n\",\"sub\":\"u\""
    {WITHOUT_ISS, ADS_INVALID},
    {WITHOUT_ISS ",\"iss\":\"https://idp.test/\"", ADS_INVALID},
    {WITHOUT_ISS ",\"iss\":\"https://IDP.test\"", ADS_INVALID},
    {WITHOUT_ISS ",\"iss\":[\"https://idp.test\"]", ADS_INVALID},
    {WITHOUT_AUD, ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":\"them\"", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":\"us2\"", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":[]", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":[\"us\"]", ADS_OK},
    {WITHOUT_AUD ",\"aud\":[\"us\",\"them\"]", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":[\"us\",\"them\"],\"azp\":\"us\"", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":[\"us\",\"us\"]", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":[[\"us\"]]", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":\"us\",\"azp\":\"them\"", ADS_INVALID},
    {WITHOUT_AUD ",\"aud\":\"us\",\"azp\":null", ADS_INVALID},
    {WITHOUT_SUB, ADS_INVALID},
    {WITHOUT_SUB ",\"sub\":\"\"", ADS_INVALID},
    {WITHOUT_SUB ",\"sub\":1", ADS_INVALID},
    {WITHOUT_SUB ",\"sub\":\"a\\u0000b\"", ADS_INVALID},
    {WITHOUT_TIMES, ADS_INVALID},
    {WITHOUT_TIMES ",\"exp\":1893456300", ADS_INVALID},
    {WITHOUT_TIMES ",\"iat\":1893456000", ADS_INVALID},
    {WITHOUT_TIMES ",\"iat\":1893456060,\"exp\":1893456300", ADS_OK},
    {WITHOUT_TIMES ",\"iat\":1893456061,\"exp\":1893456300", ADS_INVALID},
    {WITHOUT_TIMES ",\"iat\":1893455000,\"exp\":1893455941", ADS_OK},
    {WITHOUT_TIMES ",\"iat\":1893455000,\"exp\":1893455940", ADS_EXPIRED},
    {WITHOUT_TIMES ",\"iat\":1893456000,\"exp\":\"1893456300\"", ADS_INVALID},
    {WITHOUT_TIMES ",\"iat\":1893456000,\"exp\":1e12", ADS_INVALID},
    {GOOD ",\"nbf\":1893456061", ADS_INVALID},
    {GOOD ",\"nbf\":1893456060", ADS_OK},
    {GOOD ",\"sub\":\"u\"", ADS_INVALID}, /* twice */
    {GOOD ",\"email\":1", ADS_INVALID},
    {GOOD ",\"email\":\"a\\u0000@b\"", ADS_INVALID},
};


static void
test_every_claim_is_checked(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (read_claims(&f, cases[i].claims) != cases[i].err) {
            fail_msg("%s: %s", cases[i].claims, f.why);
        }
        assert_int_equal(f.why == NULL, cases[i].err == ADS_OK);
    }
    f.wanted.nonce = ADS_STR("other");
    assert_int_equal(read_claims(&f, GOOD), ADS_INVALID);
    f.wanted.nonce = (struct ads_str){NULL, 0};
    assert_int_equal(read_claims(&f, GOOD), ADS_INVALID);
    end(&f);
}


#define MS(iss, tid)                                                    \
    "\"iss\":\"" iss "\",\"tid\":" tid ",\"aud\":\"us\",\"sub\":\"u\"," \
    "\"nonce\":\"n\",\"iat\":1893456000,\"exp\":1893456300"
#define MS_ISS "https://login.microsoftonline.com/" TENANT "/v2.0"
#define MS_OTHER                                                             \
    "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555" \
    "/v2.0"


static void
test_the_tenant_stands_in_the_issuer(void **state)
{
    static const struct {
        const char *claims;
        enum ads_err err;
    } tenants[] = {
        {MS(MS_ISS, "\"" TENANT "\""), ADS_OK},
        {MS(MS_OTHER, "\"" TENANT "\""), ADS_INVALID},
        {MS(MS_ISS, "null"), ADS_INVALID},
        {MS(MICROSOFT, "\"" ID_TOKEN_TENANT "\""), ADS_INVALID},
        {MS("https://login.microsoftonline.com/x/v2.0", "\"x\""), ADS_INVALID},
    };
    struct fixture f;

    (void)state;
    begin(&f, ",\"issuer\":\"" MICROSOFT "\"");
    f.wanted.issuer = ADS_STR(MICROSOFT);
    for (size_t i = 0; i < sizeof(tenants) / sizeof(tenants[0]); i++) {
        if (read_claims(&f, tenants[i].claims) != tenants[i].err) {
            fail_msg("%s: %s", tenants[i].claims, f.why);
        }
    }
    assert_int_equal(read_claims(&f, tenants[0].claims), ADS_OK);
    assert_true(ads_str_is(f.token.issuer, MS_ISS));
    end(&f);

    /* a key of one tenant does not sign for another */
    begin(&f, ",\"issuer\":\"" MS_OTHER "\"");
    f.wanted.issuer = ADS_STR(MICROSOFT);
    assert_int_equal(read_claims(&f, tenants[0].claims), ADS_INVALID);
    end(&f);
}


static void
test_an_unknown_key_is_told_apart(void **state)
{
    struct t_signer other = t_signer_ec("new");
    struct fixture f;
    const char *token;

    (void)state;
    begin(&f, "");
    token = t_sign(&other, f.pool, "{\"alg\":\"ES256\",\"kid\":\"new\"}",
                   "{" GOOD "}");
    assert_int_equal(id_token_read(&f.token, f.pool, f.keys,
                                   (struct ads_str){token, strlen(token)},
                                   &f.wanted, &f.why),
                     ADS_ABSENT);
    token = t_sign(&other, f.pool, "{\"alg\":\"ES256\",\"kid\":\"e\"}",
                   "{" GOOD "}");
    assert_int_equal(id_token_read(&f.token, f.pool, f.keys,
                                   (struct ads_str){token, strlen(token)},
                                   &f.wanted, &f.why),
                     ADS_FORGED);
    t_signer_free(&other);
    end(&f);
}


static void
test_the_attacks_of_the_vectors(void **state)
{
    json_t *document = vectors_load("jwt_attacks.json");
    const json_t *settings = json_object_get(document, "id-token"), *item;
    struct id_token_wanted wanted = {
        .issuer = ADS_STR("https://idp.test"),
        .client_id = ADS_STR("client-1"),
        .nonce = ADS_STR("n-0S6_WzA2Mj"),
        .now_s = json_integer_value(json_object_get(document, "now")),
    };
    size_t i, n = 0;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        const char *id = json_string_value(json_object_get(item, "id"));
        const char *jwt = json_string_value(json_object_get(item, "jwt"));
        const char *result = json_string_value(json_object_get(item, "result"));
        struct pool *pool = pool_new();
        struct jose_keys *keys;
        struct id_token token;
        enum ads_err err;
        const char *why;
        char *set;

        set = json_dumps(json_object_get(settings, "jwks"), 0);
        assert_int_equal(jose_keys_read(&keys, pool, set, strlen(set)), ADS_OK);
        err = id_token_read(&token, pool, keys,
                            (struct ads_str){jwt, strlen(jwt)}, &wanted, &why);
        /* what is for another verifier is an attack on this one */
        if (strncmp(id, "id-token:", 9) != 0) {
            result = "reject";
        } else {
            n++;
        }
        if (strcmp(result, "either") != 0
            && (err == ADS_OK) != (strcmp(result, "accept") == 0))
        {
            fail_msg("%s: %s", id, err == ADS_OK ? "taken" : why);
        }
        free(set);
        pool_free(pool);
    }
    assert_true(document == NULL || n > 10);
    json_decref(document);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_token_says),
        cmocka_unit_test(test_only_true_is_true),
        cmocka_unit_test(test_every_claim_is_checked),
        cmocka_unit_test(test_the_tenant_stands_in_the_issuer),
        cmocka_unit_test(test_an_unknown_key_is_told_apart),
        cmocka_unit_test(test_the_attacks_of_the_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
