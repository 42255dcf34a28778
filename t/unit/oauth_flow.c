/*
 * The secrets of a sign-in: none can be had from another, and the cookie is
 * read as it was set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/auth/oauth_flow.c"

static struct adsd adsd;


/* A request with this Cookie header (NULL: none), on an installation at
 * base_url. */
static struct request
asks(struct pool *pool, char *base_url, const char *cookie)
{
    struct request request = {.adsd = &adsd, .pool = pool};

    adsd.conf.base_url = base_url;
    if (cookie != NULL) {
        request.head.n = 1;
        request.head.params[0] = (struct scgi_param){
            .name = ADS_STR("HTTP_COOKIE"),
            .value = {cookie, strlen(cookie)},
        };
    }
    return request;
}


static void
test_secrets_are_of_their_own(void **state)
{
    struct oauth_flow one, two;
    const char *const texts[] = {
        one.state, one.browser, one.verifier, one.challenge, one.nonce,
        two.state, two.browser, two.verifier, two.challenge, two.nonce};

    (void)state;
    oauth_flow_make(&one);
    oauth_flow_make(&two);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(strlen(texts[i]), OAUTH_SECRET_LEN);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(texts[i], texts[k]);
        }
    }
}


static void
test_it_comes_back_the_same(void **state)
{
    struct oauth_flow flow, back;

    (void)state;
    oauth_flow_make(&flow);
    assert_true(
        oauth_flow_read(&back, text_of(flow.state), text_of(flow.browser)));
    assert_memory_equal(&back, &flow, sizeof(flow));

    /* another browser, or another state, makes other secrets */
    assert_true(
        oauth_flow_read(&back, text_of(flow.state), text_of(flow.nonce)));
    assert_string_not_equal(back.verifier, flow.verifier);
    assert_string_not_equal(back.nonce, flow.nonce);
    assert_true(
        oauth_flow_read(&back, text_of(flow.browser), text_of(flow.state)));
    assert_string_not_equal(back.verifier, flow.verifier);
}


static void
test_what_is_no_secret(void **state)
{
    static const char *const bad[] = {
        "",
        "A",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+A",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="};
    const struct ads_str none = {NULL, 0};
    struct oauth_flow flow, back;

    (void)state;
    oauth_flow_make(&flow);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct ads_str text = {bad[i], strlen(bad[i])};

        assert_false(oauth_flow_read(&back, text, text_of(flow.browser)));
        assert_false(oauth_flow_read(&back, text_of(flow.state), text));
    }
    assert_false(oauth_flow_read(&back, none, text_of(flow.browser)));
    assert_false(oauth_flow_read(&back, text_of(flow.state), none));
}


static void
test_pkce_is_that_of_the_rfc(void **state)
{
    /* RFC 7636, appendix B */
    struct ads_str verifier =
        ADS_STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    uint8_t hash[JOSE_SHA256_LEN];
    char challenge[OAUTH_SECRET_LEN + 1];

    (void)state;
    jose_sha256(hash, &verifier, 1);
    secret_write(challenge, hash);
    assert_string_equal(challenge,
                        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}


static void
test_cookies(void **state)
{
    static const struct {
        const char *header;
        const char *found; /* NULL: none */
    } cases[] = {
        {"ads_oauth=x", "x"},
        {"a=b; ads_oauth=x; c=d", "x"},
        {"a=b;ads_oauth=x", "x"},
        {"ads_oauth=", ""},
        {"xads_oauth=x", NULL},
        {"ads_oauth_=x", NULL},
        {"ads_oauth", NULL},
        {"a=ads_oauth=x", NULL},
        {"__Host-ads_oauth=x", NULL},
        {"ads_oauth=x; ads_oauth=y", NULL},
        {";;; ;", NULL},
        {"", NULL},
        {NULL, NULL},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct request request =
            asks(pool, (char *)"http://127.0.0.1:1", cases[i].header);
        struct ads_str found = oauth_cookie_find(&request);

        if (cases[i].found == NULL) {
            assert_null(found.ptr);
        } else {
            assert_true(ads_str_is(found, cases[i].found));
        }
    }
    pool_free(pool);
}


static void
test_on_https_the_cookie_is_bound_to_the_host(void **state)
{
    struct pool *pool = pool_new();
    struct request request = asks(pool, (char *)"https://ads.example",
                                  "ads_oauth=planted; __Host-ads_oauth=ours");
    struct oauth_flow flow;
    struct ads_str set;

    (void)state;
    assert_true(ads_str_is(oauth_cookie_find(&request), "ours"));
    oauth_flow_make(&flow);
    oauth_cookie_set(&request, &flow);
    set = request.answer.headers[0].value;
    assert_string_equal(set.ptr,
                        pool_format(pool, NULL,
                                    "__Host-ads_oauth=%s; Path=/; Max-Age=600; "
                                    "HttpOnly; SameSite=Lax; Secure",
                                    flow.browser));
    oauth_cookie_clear(&request);
    assert_string_equal(request.answer.headers[1].value.ptr,
                        "__Host-ads_oauth=; Path=/; Max-Age=0; HttpOnly; "
                        "SameSite=Lax; Secure");
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secrets_are_of_their_own),
        cmocka_unit_test(test_it_comes_back_the_same),
        cmocka_unit_test(test_what_is_no_secret),
        cmocka_unit_test(test_pkce_is_that_of_the_rfc),
        cmocka_unit_test(test_cookies),
        cmocka_unit_test(test_on_https_the_cookie_is_bound_to_the_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
