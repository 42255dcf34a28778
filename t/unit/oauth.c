/*
 * Providers: what of their words is taken, and which secret files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/auth/oauth_provider.c"

#include "adsd/auth/oauth.c"

#include <stdio.h>

#define TENANT "9188040d-6c67-4c5b-b112-36a304b66dad"


static void
test_which_iss_fits(void **state)
{
    static const struct {
        const char *issuer;
        const char *iss;
        bool fits;
    } cases[] = {
        {"https://a.example", "https://a.example", true},
        {"https://a.example", "https://a.example/", false},
        {"https://a.example", "https://a.exampl", false},
        {"https://a.example", "", false},
        {"https://a.example/{tenantid}/v2.0",
         "https://a.example/" TENANT "/v2.0", true},
        {"https://a.example/{tenantid}/v2.0", "https://a.example/" TENANT,
         false},
        {"https://a.example/{tenantid}/v2.0",
         "https://a.example/" TENANT "/v2.0x", false},
        {"https://a.example/{tenantid}/v2.0",
         "https://b.example/" TENANT "/v2.0", false},
        {"https://a.example/{tenantid}/v2.0",
         "https://a.example/{tenantid}/v2.0", false},
        {"https://a.example/{tenantid}/v2.0", "https://a.example/common/v2.0",
         false},
        {"https://a.example/{tenantid}/v2.0", "https://a.example/", false},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (issuer_fits(pool, constant(cases[i].issuer), constant(cases[i].iss))
            != cases[i].fits)
        {
            fail_msg("%s %s", cases[i].issuer, cases[i].iss);
        }
    }
    pool_free(pool);
}


static void
test_which_e_mails_are_taken(void **state)
{
    static const struct {
        const char *text;
        bool taken;
    } cases[] = {
        {"ada@shop.example", true},
        {"a.b+c@shop.example", true},
        {"", false},
        {"ada", false},
        {"@shop.example", false},
        {"ada@", false},
        {"a@b@shop.example", false},
        {"a b@shop.example", false},
        {"a\r\nb@shop.example", false},
        {"\xe2\x84\xaa@shop.example", false}, /* the Kelvin sign folds to k */
        {"ada@sh\xc3\xb6p.example", false},
        {"\"a b\"@shop.example", false},
        {"ada@[127.0.0.1]", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if ((oauth_email(constant(cases[i].text)).ptr != NULL)
            != cases[i].taken) {
            fail_msg("%s", cases[i].text);
        }
    }
    assert_null(oauth_email((struct ads_str){NULL, 0}).ptr);
}


#define DOCUMENT(issuer, authorize)                                    \
    "{\"issuer\":\"" issuer "\",\"authorization_endpoint\":" authorize \
    ",\"token_endpoint\":\"https://a.example/t\",\"jwks_uri\":"        \
    "\"https://a.example/k\""


static void
test_discovery_documents(void **state)
{
    static const struct {
        const char *text;
        bool taken;
    } cases[] = {
        {DOCUMENT("https://a.example", "\"https://a.example/a\"") "}", true},
        {DOCUMENT("https://a.example", "\"https://a.example/a?p=1\"") "}",
         true},
        {DOCUMENT("https://b.example", "\"https://a.example/a\"") "}", false},
        {DOCUMENT("https://a.example/", "\"https://a.example/a\"") "}", false},
        {DOCUMENT("https://a.example", "null") "}", false},
        {DOCUMENT("https://a.example", "\"javascript:alert(1)\"") "}", false},
        {DOCUMENT("https://a.example", "\"https://a.example/\\r\\nX: y\"") "}",
         false},
        {DOCUMENT("https://a.example", "\"https://a.example/a#b\"") "}", false},
        {DOCUMENT("https://a.example", "\"https://a.example/\\u0000\"") "}",
         false},
        {DOCUMENT(
             "https://a.example",
             "\"https://a.example/a\"") ",\"issuer\":\"https://a.example\"}",
         false},
        {DOCUMENT("https://a.example", "\"https://a.example/a\""), false},
        {"{}", false},
        {"[]", false},
        {"", false},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct discovered found;
        const char *why = document_read(
            &found, pool, pool_text(pool, constant(cases[i].text)),
            strlen(cases[i].text), ADS_STR("https://a.example"));

        if ((why == NULL) != cases[i].taken) {
            fail_msg("%s: %s", cases[i].text, why == NULL ? "taken" : why);
        }
    }
    pool_free(pool);
}


static void
test_what_discovery_promises(void **state)
{
    static const struct {
        const char *member;
        bool sends_iss;
    } cases[] = {
        {"", false},
        {",\"authorization_response_iss_parameter_supported\":true", true},
        {",\"authorization_response_iss_parameter_supported\":false", false},
        {",\"authorization_response_iss_parameter_supported\":\"true\"", false},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct discovered found;
        char *text = pool_format(
            pool, NULL, "%s%s}",
            DOCUMENT("https://a.example", "\"https://a.example/a\""),
            cases[i].member);

        assert_null(document_read(&found, pool, text, strlen(text),
                                  ADS_STR("https://a.example")));
        assert_int_equal(found.sends_iss, cases[i].sends_iss);
        assert_string_equal(found.token, "https://a.example/t");
        assert_string_equal(found.keys_url, "https://a.example/k");
    }
    pool_free(pool);
}


static void
test_the_primary_address_alone(void **state)
{
    static const struct {
        const char *list;
        const char *email; /* NULL: none */
        bool verified;
    } cases[] = {
        {"[{\"email\":\"a@b.example\",\"primary\":true,\"verified\":true}]",
         "a@b.example", true},
        {"[{\"email\":\"a@b.example\",\"primary\":true,\"verified\":false}]",
         "a@b.example", false},
        {"[{\"email\":\"a@b.example\",\"primary\":true,\"verified\":\"true\"}]",
         "a@b.example", false},
        {"[{\"email\":\"a@b.example\",\"primary\":1,\"verified\":true}]", NULL,
         false},
        {"[{\"email\":\"x@b.example\",\"primary\":false,\"verified\":true},"
         "{\"email\":\"a@b.example\",\"primary\":true,\"verified\":true}]",
         "a@b.example", true},
        {"[7,null,[]]", NULL, false},
        {"[]", NULL, false},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct oauth_identity identity = {.verified = false};

        email_choose(&identity,
                     foreign_read(pool, cases[i].list, strlen(cases[i].list)));
        if (cases[i].email == NULL) {
            assert_null(identity.email.ptr);
        } else {
            assert_true(ads_str_is(identity.email, cases[i].email));
        }
        assert_int_equal(identity.verified, cases[i].verified);
    }
    pool_free(pool);
}


/* Google as it is configured below. */
static void
opened_must(struct oauth *oauth)
{
    const struct oauth_about *about =
        oauth_about(oauth_find(oauth, ADS_STR("google")));
    const struct https_rules *rules = &about->rules;

    assert_string_equal(about->secret, "s3cret");
    assert_string_equal(about->redirect_uri,
                        "https://ads.example/v1/auth/oauth/google/callback");
    assert_true(https_allowed(rules, "https://accounts.google.com/x"));
    assert_true(https_allowed(rules, "https://oauth2.googleapis.com/t"));
    assert_false(https_allowed(rules, "http://accounts.google.com/x"));
    assert_false(https_allowed(rules, "https://google.com/x"));
    assert_null(oauth_find(oauth, ADS_STR("github")));
    assert_null(oauth_find(oauth, ADS_STR("myspace")));
    assert_string_equal(oauth_name_find(ADS_STR("github")), "github");
    assert_null(oauth_name_find(ADS_STR("myspace")));
}


/* What oauth_open says when Google's secret is in that file. */
static enum ads_err
open_with_file(struct pool *pool, const char *path)
{
    const char *text = pool_format(pool, NULL,
                                   "database = x\n"
                                   "base_url = https://ads.example\n"
                                   "oauth_google_client_id = us\n"
                                   "oauth_google_client_secret_file = %s\n",
                                   path);
    struct log *log = log_open_plain("test", LOG_ERROR + 1);
    struct conf conf;
    struct oauth *oauth;
    enum ads_err err;

    assert_int_equal(conf_parse(&conf, constant(text), "test", stderr), ADS_OK);
    err = oauth_open(&oauth, &conf, log, NULL);
    if (err == ADS_OK) {
        opened_must(oauth);
    }
    oauth_close(oauth);
    conf_free(&conf);
    log_close(log);
    return err;
}


/* The same with this text in a file of that mode; text NULL: there is none. */
static enum ads_err
open_with(const char *text, mode_t mode)
{
    char folder[] = "/tmp/ads-oauth-XXXXXX";
    struct pool *pool = pool_new();
    enum ads_err err;
    char *path;
    FILE *file;

    assert_non_null(mkdtemp(folder));
    path = pool_format(pool, NULL, "%s/secret", folder);
    if (text != NULL) {
        file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fchmod(fileno(file), mode), 0);
        (void)fclose(file);
    }
    err = open_with_file(pool, path);
    (void)unlink(path);
    (void)rmdir(folder);
    pool_free(pool);
    return err;
}


static void
test_secret_files(void **state)
{
    char *long_one = malloc(1024);

    (void)state;
    memset(long_one, 'x', 1023);
    long_one[1023] = '\0';
    assert_int_equal(open_with("s3cret", 0600), ADS_OK);
    assert_int_equal(open_with("s3cret\r\n\n", 0400), ADS_OK);
    assert_int_equal(open_with("s3cret", 0640), ADS_INVALID);
    assert_int_equal(open_with("s3cret", 0604), ADS_INVALID);
    assert_int_equal(open_with("", 0600), ADS_INVALID);
    assert_int_equal(open_with("\n", 0600), ADS_INVALID);
    assert_int_equal(open_with(long_one, 0600), ADS_INVALID);
    assert_int_equal(open_with(NULL, 0), ADS_INVALID);
    free(long_one);
}


/* A provider that is down, with what was learnt from it `age_ms` ago. */
static void
provider_make(struct oauth_provider *provider, struct log *log, int64_t age_ms)
{
    static char keys[] =
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"e\","
        "\"x\":\"EHJnhuw0kYhpt7ECkyG1nLiFlGuF987z5axa2wmvd9w\","
        "\"y\":\"uwNZReppzphq9BRUwb2B3BeZSKx0MQvB4FPrWj_V-gU\"}]}";

    *provider = (struct oauth_provider){
        .about = {.name = "google",
                  .oidc = true,
                  .issuer = ADS_STR("http://127.0.0.1:1"),
                  .rules = {.hosts = "127.0.0.1", .allow_private = true},
                  .log = log},
        .authorize = (char *)"http://127.0.0.1:1/a",
        .token = (char *)"http://127.0.0.1:1/t",
        .keys_url = (char *)"http://127.0.0.1:1/k",
        .asked_ms = clock_monotonic_ms() - age_ms,
        .keys = keys,
        .keys_len = sizeof(keys) - 1,
        .keys_ms = clock_monotonic_ms() - age_ms,
    };
    (void)pthread_mutex_init(&provider->lock, NULL);
}


static void
test_what_was_learnt_is_kept_while_a_provider_is_down(void **state)
{
    static const struct {
        int64_t age_ms;
        enum ads_err err;
    } cases[] = {
        {0, ADS_OK},
        {OAUTH_KEEP_MS - 10000, ADS_OK},
        {OAUTH_KEEP_MS, ADS_OK}, /* asks, and goes on with the old */
        {OAUTH_STALE_MS - 10000, ADS_OK},
        {OAUTH_STALE_MS, ADS_UNAVAILABLE},
    };
    struct log *log = log_open_plain("test", LOG_ERROR + 1);
    struct oauth_endpoints endpoints;
    struct oauth_provider provider;
    struct jose_keys *keys;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pool *pool = pool_new();

        provider_make(&provider, log, cases[i].age_ms);
        assert_int_equal(oauth_endpoints_find(&endpoints, &provider, pool),
                         cases[i].err);
        assert_int_equal(oauth_keys_find(&keys, &provider, pool, false),
                         cases[i].err);
        pool_free(pool);
    }
    log_close(log);
}


static void
test_unknown_keys_make_us_ask_once_a_minute(void **state)
{
    struct log *log = log_open_plain("test", LOG_ERROR + 1);
    struct pool *pool = pool_new();
    struct oauth_provider provider;
    struct jose_keys *keys;

    (void)state;
    provider_make(&provider, log, 0);
    assert_int_equal(oauth_keys_find(&keys, &provider, pool, true),
                     ADS_UNAVAILABLE); /* it asked: the provider is down */
    assert_int_equal(oauth_keys_find(&keys, &provider, pool, true), ADS_ABSENT);
    provider.renewed_ms -= OAUTH_RENEW_MS;
    assert_int_equal(oauth_keys_find(&keys, &provider, pool, true),
                     ADS_UNAVAILABLE);
    assert_int_equal(oauth_keys_find(&keys, &provider, pool, false), ADS_OK);
    pool_free(pool);
    log_close(log);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_iss_fits),
        cmocka_unit_test(test_which_e_mails_are_taken),
        cmocka_unit_test(test_discovery_documents),
        cmocka_unit_test(test_what_discovery_promises),
        cmocka_unit_test(test_the_primary_address_alone),
        cmocka_unit_test(test_secret_files),
        cmocka_unit_test(test_what_was_learnt_is_kept_while_a_provider_is_down),
        cmocka_unit_test(test_unknown_keys_make_us_ask_once_a_minute),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
