/*
 * What a worker can tell of an access token without its key.
 */
#include "core/ads_jwt.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOW INT64_C(1893456000)
#define HEAD "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k1\"}"
#define CLAIMS "{\"iss\":\"x\",\"aud\":[\"a\",\"b\"],\"exp\":%lld}"


static enum ads_err
peek(const char *head, const char *claims, size_t signature)
{
    char text[8192], *at = text, *copy;
    uint8_t zero[128] = {0};
    enum ads_err err;
    size_t len;

    at = ads_base64url_write(at, head, strlen(head));
    *at++ = '.';
    at = ads_base64url_write(at, claims, strlen(claims));
    *at++ = '.';
    at = ads_base64url_write(at, zero, signature);
    len = (size_t)(at - text);
    copy = malloc(len); /* for a sanitizer to see what is read */
    memcpy(copy, text, len);
    err = ads_jwt_peek((struct ads_str){copy, len}, NOW);
    free(copy);
    return err;
}


static enum ads_err
expiring(int64_t after_s)
{
    char claims[256];

    snprintf(claims, sizeof(claims), CLAIMS, (long long)(NOW + after_s));
    return peek(HEAD, claims, 64);
}


static void
a_token_has_its_time(void **state)
{
    (void)state;
    assert_int_equal(expiring(900), ADS_OK);
    assert_int_equal(expiring(960), ADS_OK);
    assert_int_equal(expiring(1), ADS_OK);
    assert_int_equal(expiring(-59), ADS_OK);
    assert_int_equal(expiring(-60), ADS_EXPIRED);
    assert_int_equal(expiring(-86400), ADS_EXPIRED);
    assert_int_equal(expiring(961), ADS_INVALID);
}


static void
another_form_is_none(void **state)
{
    static const char *const heads[] = {
        "{}",          "[]", "{\"alg\":\"none\"}",    "{\"alg\":\"HS256\"}",
        "{\"alg\":1}", "",   "{\"alg\":\"EdDSA\"",    "{\"alg\":\"EdDSA\"} x",
        "null",        "x",  "{\"alg\":[\"EdDSA\"]}",
    };
    static const char *const claims[] = {
        "{}",
        "{\"exp\":\"1893456900\"}",
        "{\"exp\":1893456000.5}",
        "{\"exp\":null}",
        "{\"exp\":1893456000,\"exp\":1893456001}",
        "{\"exp\":99999999999999999999}",
        "[1893456000]",
        "",
    };
    static const char *const texts[] = {
        "", ".", "..", "...", "x.y.z", "eyJhbGciOiJFZERTQSJ9.e30.made-up"};

    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        assert_int_equal(peek(heads[i], "{\"exp\":1893456900}", 64),
                         ADS_INVALID);
    }
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        assert_int_equal(peek(HEAD, claims[i], 64), ADS_INVALID);
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(
            ads_jwt_peek((struct ads_str){texts[i], strlen(texts[i])}, NOW),
            ADS_INVALID);
    }
    assert_int_equal(ads_jwt_peek((struct ads_str){NULL, 0}, NOW), ADS_INVALID);
}


static void
the_signature_has_its_length(void **state)
{
    (void)state;
    assert_int_equal(peek(HEAD, "{\"exp\":1893456900}", 63), ADS_INVALID);
    assert_int_equal(peek(HEAD, "{\"exp\":1893456900}", 64), ADS_OK);
    assert_int_equal(peek(HEAD, "{\"exp\":1893456900}", 65), ADS_INVALID);
    assert_int_equal(peek(HEAD, "{\"exp\":1893456900}", 0), ADS_INVALID);
}


static void
a_long_one_is_none(void **state)
{
    char claims[4096];
    size_t len;

    (void)state;
    memset(claims, ' ', sizeof(claims));
    len = (size_t)sprintf(claims, "{\"exp\":1893456900}");
    claims[len] = ' ';
    claims[1000] = '\0';
    assert_int_equal(peek(HEAD, claims, 64), ADS_OK);
    claims[1000] = ' ';
    claims[1800] = '\0';
    assert_int_equal(peek(HEAD, claims, 64), ADS_INVALID);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_has_its_time),
        cmocka_unit_test(another_form_is_none),
        cmocka_unit_test(the_signature_has_its_length),
        cmocka_unit_test(a_long_one_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
