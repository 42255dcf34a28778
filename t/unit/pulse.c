/*
 * Signs of life: a thread that waits with a deadline does not hang, one that
 * works without a beat does.
 */
#include "adsd/base/pulse.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>


/* Long enough for a clock of milliseconds to move. */
static void
pass_time(void)
{
    int64_t until_ms = clock_monotonic_ms() + 3;

    while (clock_monotonic_ms() < until_ms) {
    }
}


static void
work_without_a_beat_is_silence(void **state)
{
    struct pulse pulse = {0};

    (void)state;
    assert_int_equal(pulse_silent_ms(&pulse), 0); /* it has not begun */
    pulse_beat(&pulse);
    pass_time();
    assert_true(pulse_silent_ms(&pulse) >= 2);
    pulse_idle(&pulse);
    assert_int_equal(pulse_silent_ms(&pulse), 0);
    pulse_beat(&pulse);
    pass_time();
    assert_true(pulse_silent_ms(&pulse) >= 2);
}


static void
waiting_for_the_database_is_told_apart(void **state)
{
    struct pulse pulse = {0};
    int64_t asks_ms;

    (void)state;
    assert_int_equal(pulse_asks_ms(&pulse), 0);
    pulse_asked(&pulse);
    pass_time();
    asks_ms = pulse_asks_ms(&pulse);
    assert_true(asks_ms >= 2);
    pulse_asked(&pulse); /* it beats, and asks still */
    pass_time();
    assert_true(pulse_asks_ms(&pulse) > asks_ms);
    pulse_answered(&pulse);
    assert_int_equal(pulse_asks_ms(&pulse), 0);
}


static void
a_thread_need_not_be_looked_after(void **state)
{
    (void)state;
    pulse_beat(NULL);
    pulse_idle(NULL);
    pulse_asked(NULL);
    pulse_answered(NULL);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_without_a_beat_is_silence),
        cmocka_unit_test(waiting_for_the_database_is_told_apart),
        cmocka_unit_test(a_thread_need_not_be_looked_after),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
