/*
 * adsd.conf: what is taken, what is refused, and that every mistake is reported
 * with its line and a hint.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/base/conf.c"

#define NEEDED "database = dbname=ads\nbase_url = http://127.0.0.1:8080\n"


/* Parses, and keeps what was said about it in *said; free() it. */
static enum ads_err
parse(struct conf *conf, const char *text, char **said)
{
    enum ads_err err;
    size_t len;
    FILE *errors;

    *said = NULL;
    errors = open_memstream(said, &len);
    assert_non_null(errors);
    err = conf_parse(conf, (struct ads_str){text, strlen(text)}, "f", errors);
    (void)fclose(errors);
    return err;
}


static void
expect_ok(struct conf *conf, const char *text)
{
    char *said;

    assert_int_equal(parse(conf, text, &said), ADS_OK);
    assert_string_equal(said, "");
    free(said);
}


static void
expect_refused(const char *text, const char *what)
{
    struct conf conf;
    char *said;

    assert_int_equal(parse(&conf, text, &said), ADS_INVALID);
    if (strstr(said, what) == NULL) {
        print_error("\"%s\" is not in: %s", what, said);
        fail();
    }
    free(said);
    conf_free(&conf);
}


static void
test_defaults_fill_what_is_not_said(void **state)
{
    struct conf conf;

    (void)state;
    expect_ok(&conf, NEEDED);
    assert_string_equal(conf.database, "dbname=ads");
    assert_string_equal(conf.state_path, "/var/lib/ads");
    assert_string_equal(conf.currency, "USD");
    assert_string_equal(conf.log_file, "");
    assert_int_equal(conf.publisher_share_bps, 7000);
    assert_int_equal(conf.relevance_floor_bps, 4000);
    assert_int_equal(conf.api_threads, 8);
    assert_int_equal(conf.log_level, LOG_INFO);
    assert_false(conf.review_manual);
    assert_int_equal(conf.topup_settlement, CONF_TOPUP_MANUAL);
    conf_free(&conf);
}


static void
test_values_comments_and_spaces(void **state)
{
    struct conf conf;

    (void)state;
    expect_ok(&conf, "# all of it\n\n  \t\r\n"
                     "database=host=/run password=a#b # its comment\r\n"
                     "\tbase_url =  https://ads.example.org\t\n"
                     "state_path = /srv/ads  # here\nlog_file =#none\n"
                     "log_level = debug\nreview = manual\n"
                     "topup_settlement = instant\njournal_sync_ms = 0\n"
                     "publisher_share_bps = 10000");
    assert_string_equal(conf.database, "host=/run password=a#b");
    assert_string_equal(conf.base_url, "https://ads.example.org");
    assert_string_equal(conf.state_path, "/srv/ads");
    assert_string_equal(conf.log_file, "");
    assert_int_equal(conf.log_level, LOG_DEBUG);
    assert_true(conf.review_manual);
    assert_int_equal(conf.topup_settlement, CONF_TOPUP_INSTANT);
    assert_int_equal(conf.journal_sync_ms, 0);
    assert_int_equal(conf.publisher_share_bps, 10000);
    conf_free(&conf);
}


static void
test_every_mistake_is_told_at_once(void **state)
{
    static const char text[] = "databse = x\nnot a line\napi_threads = 0\n"
                               "currency = usd\ncurrency = EUR\n";
    struct conf conf;
    char *said;

    (void)state;
    assert_int_equal(parse(&conf, text, &said), ADS_INVALID);
    assert_non_null(strstr(said, "f:1: unknown key \"databse\""));
    assert_non_null(strstr(said, "f:2: no \"=\" in"));
    assert_non_null(strstr(said, "f:3: not a value of \"api_threads\" (1 to"));
    assert_non_null(strstr(said, "f:4: not a value of \"currency\" (three"));
    assert_non_null(strstr(said, "f:5: said twice: \"currency\""));
    assert_non_null(strstr(said, "missing: \"database\" (a libpq"));
    assert_non_null(strstr(said, "missing: \"base_url\""));
    free(said);
    conf_free(&conf);
}


static void
test_bounds_of_each_type(void **state)
{
    static const char *const bad[] = {
        "api_threads =",
        "api_threads = 257",
        "api_threads = -1",
        "api_threads = 8x",
        "api_threads = 99999999999999999999",
        "relevance_floor_bps = 0",
        "publisher_share_bps = 10001",
        "api_timeout_s = 0",
        "log_level = loud",
        "review = Auto",
        "state_path = relative/folder",
        "state_path =",
        ("run_path = /"
         "01234567890123456789012345678901234567890123456789012345678901234567"
         "89"
         "0123456789012345678901234567890123456789"),
        "currency = US",
        "currency = US1",
        "base_url = ftp://ads.example.org",
        "base_url = https://ads.example.org/",
        "base_url = https://",
        "base_url = https:///path",
        "base_url = https://a b",
        "base_url = https://a\"b",
        "database =",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        expect_refused(bad[i], "f:1: not a value of");
    }
}


/* What is wrong only together. */
static void
test_segments_outlast_the_lag_of_a_replica(void **state)
{
    static const char wrong[] = NEEDED "journal_retain_h = 0\n";
    struct conf conf;
    char *said;

    (void)state;
    assert_int_equal(parse(&conf, wrong, &said), ADS_INVALID);
    assert_non_null(strstr(said, ": shorter than replica_lag_max_s: "
                                 "\"journal_retain_h\" (a database"));
    free(said);
    conf_free(&conf);
    expect_refused(NEEDED "replica_lag_max_s = 86401\n",
                   ": shorter than replica_lag_max_s: ");

    expect_ok(&conf, NEEDED "replica_lag_max_s = 86400\n");
    assert_int_equal(conf.replica_lag_max_s, 86400);
    conf_free(&conf);
    expect_ok(&conf, NEEDED "journal_retain_h = 0\nreplica_lag_max_s = 0\n");
    conf_free(&conf);
}


/* One fact, two tables: here and in core, which metrics use. */
static void
test_quotas_have_the_names_of_their_keys(void **state)
{
    struct conf conf;

    (void)state;
    for (unsigned i = 0; i < ADS_QUOTAS; i++) {
        const char *name = ads_quota_name(i);
        char text[200];

        (void)snprintf(text, sizeof(text), NEEDED "%s = 7\n", name);
        expect_ok(&conf, text);
        assert_int_equal(conf.quotas[i], 7);
        conf_free(&conf);
        (void)snprintf(text, sizeof(text), "%s is 7", name);
        assert_int_equal(ads_quota_find((struct ads_str){text, strlen(text)}),
                         i);
    }
    assert_int_equal(ads_quota_find(ADS_STR("quota")), ADS_QUOTAS);
    assert_int_equal(ads_quota_find(ADS_STR("")), ADS_QUOTAS);
    expect_refused(NEEDED "keys_max = 0\n", "not a value of");
}


static void
test_hostile_bytes_are_not_repeated(void **state)
{
    (void)state;
    expect_refused("\x1b[31m\xff = 1\n", "f:1: unknown key \"?[31m?\"");
    expect_refused("\x01\n", "f:1: no \"=\" in");
}


static void
test_an_absent_file_is_told(void **state)
{
    struct conf conf;
    char *said = NULL;
    size_t len;
    FILE *errors = open_memstream(&said, &len);

    (void)state;
    assert_int_equal(conf_read(&conf, "/nowhere/adsd.conf", errors), ADS_IO);
    (void)fclose(errors);
    assert_non_null(strstr(said, "/nowhere/adsd.conf: could not read"));
    free(said);
    conf_free(&conf);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_fill_what_is_not_said),
        cmocka_unit_test(test_values_comments_and_spaces),
        cmocka_unit_test(test_every_mistake_is_told_at_once),
        cmocka_unit_test(test_bounds_of_each_type),
        cmocka_unit_test(test_segments_outlast_the_lag_of_a_replica),
        cmocka_unit_test(test_quotas_have_the_names_of_their_keys),
        cmocka_unit_test(test_hostile_bytes_are_not_repeated),
        cmocka_unit_test(test_an_absent_file_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
