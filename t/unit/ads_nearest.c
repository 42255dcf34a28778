/*
 * The name that was meant: what is near, what is not, and which names may be
 * repeated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/ads_nearest.c"

static const char *
nearest_of(const char *wrong)
{
    static const char *const known[] = {"request_id", "ad_id", "session_id",
                                        "budget",     "bid",   "color"};
    struct ads_nearest nearest;

    ads_nearest_init(&nearest, (struct ads_str){wrong, strlen(wrong)});
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        ads_nearest_try(&nearest, known[i]);
    }
    return nearest.name != NULL ? nearest.name : "-";
}


static void
a_slip_finds_the_name(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("requestId"), "request_id");
    assert_string_equal(nearest_of("REQUEST-ID"), "request_id");
    assert_string_equal(nearest_of("bugdet"), "budget");
    assert_string_equal(nearest_of("budgets"), "budget");
    assert_string_equal(nearest_of("colour"), "color");
    assert_string_equal(nearest_of("sesion_id"), "session_id");
    assert_string_equal(nearest_of("bit"), "bid");
}


static void
what_is_far_finds_none(void **state)
{
    char text[200];

    (void)state;
    assert_string_equal(nearest_of("user"), "-");
    assert_string_equal(nearest_of("x"), "-");
    assert_string_equal(nearest_of(""), "-");
    assert_string_equal(nearest_of("identity"), "-");
    memset(text, 'b', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_string_equal(nearest_of(text), "-");
}


static void
only_plain_names_are_shown(void **state)
{
    static const char *const hidden[] = {
        "",           "a@b",      "4111",
        "ads_live_9", "a b",      "\"",
        "\\",         "\xc3\xa9", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

    (void)state;
    assert_true(ads_nearest_may_show(ADS_STR("requestId")));
    assert_true(ads_nearest_may_show(ADS_STR("request-id")));
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        assert_false(ads_nearest_may_show(
            (struct ads_str){hidden[i], strlen(hidden[i])}));
    }
}


int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_finds_the_name),
        cmocka_unit_test(what_is_far_finds_none),
        cmocka_unit_test(only_plain_names_are_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
