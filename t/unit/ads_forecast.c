/*
 * Forecasts: what links will cost is learned, and what was not followed is
 * expected less and less.
 */
#include "ads_forecast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define BID INT64_C(70001)

struct told {
    struct ads_delays delays;
    struct ads_forecast forecast;
};

static int64_t
coming(const struct told *told)
{
    return ads_forecast_coming(&told->forecast, &told->delays, BID);
}


static void
pass(struct told *told, double seconds, int64_t links, int64_t clicks)
{
    ads_delays_learn(&told->delays, seconds);
    ads_forecast_step(&told->forecast, &told->delays, seconds, links * BID,
                      clicks * BID, BID);
}


static void
begin(struct told *told)
{
    memset(told, 0, sizeof(*told));
    ads_delays_init(&told->delays);
}


static void
links_are_expected_less_and_less(void **state)
{
    struct told told;
    int64_t before, now;

    (void)state;
    begin(&told);
    assert_int_equal(coming(&told), 0);
    pass(&told, 0.2, 100, 0);
    before = coming(&told);
    assert_in_range(before, 5 * BID, 12 * BID);
    for (int s = 1; s < 200000; s *= 2) {
        pass(&told, (double)s, 0, 0);
        now = coming(&told);
        assert_true(now < before);
        before = now;
    }
    assert_true(before < BID / 100);
}


/* One link in four is followed, two in three of them within a second. */
static void
rate_and_delay_are_learned(void **state)
{
    struct told told;
    uint32_t rate;

    (void)state;
    begin(&told);
    for (int i = 0; i < 3000; i++) {
        ads_delays_note(&told.delays, i % 3 == 0 ? 3000 : 500);
        pass(&told, 1, 4, 1);
    }
    rate = ads_forecast_rate(&told.forecast, BID);
    assert_in_range(rate, ADS_FORECAST_RATE_UNIT * 22 / 100,
                    ADS_FORECAST_RATE_UNIT * 30 / 100);
    assert_true(told.delays.share[0] > 0.5 && told.delays.share[2] > 0.25);
    assert_true(told.delays.ahead[3] < 0.2); /* no hour has passed yet */
    assert_in_range((int64_t)(told.forecast.pace * 1000), (int64_t)(BID * 900),
                    (int64_t)(BID * 1200));
}


static void
what_was_followed_is_not_expected_again(void **state)
{
    struct told told, other;

    (void)state;
    begin(&told);
    for (int i = 0; i < 200; i++) {
        ads_delays_note(&told.delays, 10);
        pass(&told, 1, 1, 1);
    }
    assert_true(coming(&told) < 2 * BID);
    assert_true(ads_forecast_rate(&told.forecast, BID)
                > ADS_FORECAST_RATE_UNIT / 2);

    /* more clicks than links: another node's */
    other = told;
    pass(&other, 1, 0, 1000);
    assert_true(coming(&other) >= 0 && coming(&other) <= BID);
    assert_true(ads_forecast_rate(&other.forecast, BID)
                <= ADS_FORECAST_RATE_UNIT);
}


static void
links_of_before_a_restart_are_expected(void **state)
{
    struct told told;

    (void)state;
    begin(&told);
    ads_forecast_recall(&told.forecast, &told.delays, 50 * BID);
    assert_in_range(coming(&told), 45 * BID, 105 * BID);
    for (int i = 0; i < 3600; i++) {
        pass(&told, 24, 0, 0);
    }
    assert_true(coming(&told) < BID);
}


static void
long_absences_and_wild_numbers_do_no_harm(void **state)
{
    struct told told;

    (void)state;
    begin(&told);
    ads_delays_note(&told.delays, INT64_MIN);
    ads_delays_note(&told.delays, INT64_MAX);
    ads_forecast_step(&told.forecast, &told.delays, 1e9, INT64_MAX, INT64_MAX,
                      1);
    ads_forecast_step(&told.forecast, &told.delays, 0, INT64_MIN, INT64_MIN, 1);
    ads_delays_learn(&told.delays, 1e9);
    assert_true(ads_forecast_coming(&told.forecast, &told.delays, 1) >= 0);
    assert_in_range(ads_forecast_rate(&told.forecast, 1), 1,
                    ADS_FORECAST_RATE_UNIT);
    assert_in_range((int64_t)(told.delays.ahead[0] * 1000), 999, 1001);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_expected_less_and_less),
        cmocka_unit_test(rate_and_delay_are_learned),
        cmocka_unit_test(what_was_followed_is_not_expected_again),
        cmocka_unit_test(links_of_before_a_restart_are_expected),
        cmocka_unit_test(long_absences_and_wild_numbers_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
