/*
 * A compact token comes apart in one way or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/auth/jws.c"

#include <stdio.h>

#define GOOD_HEAD "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImsxIn0"


/* A token of this header, with the payload "{}" and a signature of 3 bytes. */
static enum ads_err
read_header(struct jws *jws, struct pool *pool, const char *header)
{
    size_t len = strlen(header);
    char *text = pool_alloc(pool, ADS_BASE64URL_LEN(len) + 16);
    char *end = ads_base64url_write(text, header, len);

    end = stpcpy(end, ".e30.AAAA");
    return jws_read(jws, pool, (struct ads_str){text, (size_t)(end - text)});
}


static void
test_a_token_comes_apart(void **state)
{
    struct pool *pool = pool_new();
    struct ads_str text = ADS_STR(GOOD_HEAD ".eyJhIjoxfQ.AQID");
    struct jws jws;

    (void)state;
    assert_int_equal(jws_read(&jws, pool, text), ADS_OK);
    assert_true(ads_str_is(jws.alg, "EdDSA"));
    assert_true(ads_str_is(jws.kid, "k1"));
    assert_true(jws_has_type(&jws, "at+jwt"));
    assert_false(jws_has_type(&jws, "at+jw"));
    assert_int_equal(jws.payload_len, 7);
    assert_memory_equal(jws.payload, "{\"a\":1}", 7);
    assert_int_equal(jws.signature_len, 3);
    assert_memory_equal(jws.signature, "\1\2\3", 3);
    assert_ptr_equal(jws.signed_part.ptr, text.ptr);
    assert_int_equal(jws.signed_part.len, text.len - strlen(".AQID"));
    pool_free(pool);
}


static void
test_what_is_no_token(void **state)
{
    static const char *const bad[] = {
        "",
        ".",
        "..",
        "...",
        GOOD_HEAD,
        GOOD_HEAD ".e30",
        GOOD_HEAD ".e30.",
        ".e30.AQID",
        GOOD_HEAD ".e30.AQID.",
        GOOD_HEAD ".e30.AQID.AQID",
        " " GOOD_HEAD ".e30.AQID",
        GOOD_HEAD ".e30.AQID\n",
        GOOD_HEAD ".e30.AQID=",
        GOOD_HEAD ".e31.AQI",       /* surplus bits in the payload */
        GOOD_HEAD ".e30.AQJ",       /* and in the signature */
        GOOD_HEAD ".e30.A",         /* a length that nothing has */
        GOOD_HEAD ".e30.+/+/",      /* the other alphabet */
        "W10.e30.AQID",             /* [] */
        "bnVsbA.e30.AQID",          /* null */
        "e30.e30.AQID",             /* {}: no alg */
        "eyJhbGciOjF9.e30.AQID",    /* {"alg":1} */
        "eyJhbGciOiIifQ.e30.AQID",  /* {"alg":""} */
        "eyJhbGciOiJ4In0K8.e30.AQ", /* {"alg":"x"} and more */
    };
    struct pool *pool = pool_new();
    struct jws jws;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(
            jws_read(&jws, pool, (struct ads_str){bad[i], strlen(bad[i])}),
            ADS_INVALID);
    }
    pool_free(pool);
}


static void
test_headers(void **state)
{
    static const struct {
        const char *header;
        enum ads_err err;
    } cases[] = {
        {"{\"alg\":\"x\"}", ADS_OK},
        {" {\"alg\" : \"x\" } ", ADS_OK},
        {"{\"alg\":\"x\",\"kid\":\"\"}", ADS_OK},
        {"{\"alg\":\"x\",\"jku\":\"http://127.0.0.1/\",\"x5u\":1}", ADS_OK},
        {"{\"alg\":\"x\",\"jwk\":{\"kty\":\"oct\",\"k\":\"AA\"}}", ADS_OK},
        {"{\"alg\":\"x\",\"crit\":[\"b64\"],\"b64\":false}", ADS_INVALID},
        {"{\"alg\":\"x\",\"crit\":[]}", ADS_INVALID},
        {"{\"alg\":\"x\",\"alg\":\"x\"}", ADS_INVALID},
        {"{\"alg\":\"x\",\"\\u0061lg\":\"y\"}", ADS_INVALID},
        {"{\"alg\":\"x\",\"kid\":1}", ADS_INVALID},
        {"{\"alg\":\"x\",\"kid\":null}", ADS_INVALID},
        {"{\"alg\":\"x\",\"typ\":5}", ADS_INVALID},
        {"{\"alg\":null}", ADS_INVALID},
        {"{\"alg\":\"x\"", ADS_INVALID},
        {"{\"alg\":\"x\"}{}", ADS_INVALID},
        {"{\"alg\":\"x\xff\"}", ADS_INVALID},
        {"{\"alg\":\"x\",\"a\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}",
         ADS_INVALID},
    };
    struct pool *pool = pool_new();
    struct jws jws;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_header(&jws, pool, cases[i].header),
                         cases[i].err);
    }
    pool_free(pool);
}


static void
test_texts_are_compared_whole(void **state)
{
    struct pool *pool = pool_new();
    struct jws jws;

    (void)state;
    assert_int_equal(read_header(&jws, pool, "{\"alg\":\"HS256\\u0000\"}"),
                     ADS_INVALID);
    assert_int_equal(read_header(&jws, pool, "{\"alg\":\"HS2561\"}"), ADS_OK);
    assert_false(ads_str_is(jws.alg, "HS256"));
    assert_false(jws_same(jws.kid, ADS_STR("")));
    assert_false(jws_has_type(&jws, ""));

    assert_int_equal(
        read_header(&jws, pool,
                    "{\"alg\":\"x\",\"typ\":\"Application/AT+JWT\"}"),
        ADS_OK);
    assert_true(jws_has_type(&jws, "at+jwt"));
    assert_false(jws_has_type(&jws, "jwt"));
    pool_free(pool);
}


static void
test_sizes_have_limits(void **state)
{
    struct pool *pool = pool_new();
    char *text = pool_alloc(pool, JWS_LEN_MAX + 2);
    const size_t head = sizeof(GOOD_HEAD) - 1;
    char header[JWS_KID_MAX + 64];
    struct jws jws;

    (void)state;
    memset(text, 'A', JWS_LEN_MAX + 1);
    memcpy(text, GOOD_HEAD, head);
    text[head] = '.';
    text[head + 5] = '.';
    assert_int_equal(jws_read(&jws, pool, (struct ads_str){text, JWS_LEN_MAX}),
                     ADS_OK);
    assert_int_equal(
        jws_read(&jws, pool, (struct ads_str){text, JWS_LEN_MAX + 1}),
        ADS_TOO_LARGE);

    (void)snprintf(header, sizeof(header), "{\"alg\":\"x\",\"kid\":\"%0*d\"}",
                   JWS_KID_MAX, 0);
    assert_int_equal(read_header(&jws, pool, header), ADS_OK);
    (void)snprintf(header, sizeof(header), "{\"alg\":\"x\",\"kid\":\"%0*d\"}",
                   JWS_KID_MAX + 1, 0);
    assert_int_equal(read_header(&jws, pool, header), ADS_TOO_LARGE);
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_token_comes_apart),
        cmocka_unit_test(test_what_is_no_token),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_texts_are_compared_whole),
        cmocka_unit_test(test_sizes_have_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
