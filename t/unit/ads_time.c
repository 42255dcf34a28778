/*
 * RFC 3339 times are read as timegm() counts them, and only those.
 */
#include "core/ads_time.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <time.h>


static bool
read_text(const char *text, int64_t *ms)
{
    size_t len = strlen(text);
    char *copy = malloc(len + (len == 0));
    bool ok;

    memcpy(copy, text, len);
    ok = ads_time_read(ms, (struct ads_str){copy, len});
    free(copy);
    return ok;
}


static void
every_day_is_read_as_by_timegm(void **state)
{
    (void)state;
    for (int year = 1970; year <= 2500; year++) {
        for (int month = 1; month <= 12; month++) {
            for (int day = 1; day <= 31; day++) {
                struct tm tm = {.tm_year = year - 1900,
                                .tm_mon = month - 1,
                                .tm_mday = day,
                                .tm_hour = 12,
                                .tm_min = 34,
                                .tm_sec = 56};
                time_t expected = timegm(&tm);
                char text[32];
                int64_t ms;
                bool ok;

                snprintf(text, sizeof(text), "%04d-%02d-%02dT12:34:56Z", year,
                         month, day);
                ok = read_text(text, &ms);
                assert_int_equal(ok, tm.tm_mon == month - 1);
                if (ok) {
                    assert_int_equal(ms, expected * 1000);
                }
            }
        }
    }
}


static void
fractions_zones_and_leap_seconds_count(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01t00:00:00z", 0},
        {"1970-01-01T00:00:00.5Z", 500},
        {"1970-01-01T00:00:00.123456789Z", 123},
        {"1970-01-01T00:00:00.0009Z", 0},
        {"1970-01-01T01:30:00+01:30", 0},
        {"1970-01-01T00:00:00-00:01", 60000},
        {"1970-01-01T00:00:00+00:01", -60000},
        {"2016-12-31T23:59:60Z", INT64_C(1483228800000)},
        {"2016-12-31T23:59:60.9Z", INT64_C(1483228800000)},
        {"9999-12-31T23:59:59Z", INT64_C(253402300799000)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ms;

        if (!read_text(cases[i].text, &ms) || ms != cases[i].ms) {
            fail_msg("%s", cases[i].text);
        }
    }
}


static void
other_forms_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "2024",
        "2024-05-01",
        "2024-05-01T10:20Z",
        "2024-05-01T10:20:30",
        "2024-05-01 10:20:30Z",
        "2024-05-01T10:20:30 Z",
        "2024-05-01T10:20:30Zx",
        "2024-05-01T10:20:30.Z",
        "2024-05-01T10:20:30,5Z",
        "2024-05-01T24:00:00Z",
        "2024-05-01T10:60:30Z",
        "2024-05-01T10:20:61Z",
        "2024-00-01T10:20:30Z",
        "2024-13-01T10:20:30Z",
        "2024-05-00T10:20:30Z",
        "2023-02-29T10:20:30Z",
        "1969-12-31T23:59:59Z",
        "2024-05-01T10:20:30+1:00",
        "2024-05-01T10:20:30+0100",
        "2024-05-01T10:20:30+24:00",
        "2024-05-01T10:20:30+",
        "2024-5-1T10:20:30Z",
        "24-05-01T10:20:30Z",
        "+024-05-01T10:20:30Z",
        "1714558830",
    };
    int64_t ms;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (read_text(bad[i], &ms)) {
            fail_msg("%s", bad[i]);
        }
    }
}


static void
a_cut_time_is_refused(void **state)
{
    const char text[] = "2024-05-01T10:20:30.123+01:00";
    int64_t ms;

    (void)state;
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        char *cut = strndup(text, len);

        assert_false(read_text(cut, &ms));
        free(cut);
    }
    assert_true(read_text(text, &ms));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_is_read_as_by_timegm),
        cmocka_unit_test(fractions_zones_and_leap_seconds_count),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(a_cut_time_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
