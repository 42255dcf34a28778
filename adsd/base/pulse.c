/*
 * Signs of life are single words: who looks may see them change one by one.
 */
#include "base/pulse.h"

#include <stddef.h>

#include "base/clock.h"


void
pulse_beat(struct pulse *pulse)
{
    if (pulse != NULL) {
        pulse->beat_ms = clock_monotonic_ms();
        pulse->idle_ms = 0;
    }
}


void
pulse_idle(struct pulse *pulse)
{
    if (pulse != NULL) {
        pulse->idle_ms = clock_monotonic_ms();
    }
}


void
pulse_asked(struct pulse *pulse)
{
    if (pulse != NULL) {
        pulse->beat_ms = clock_monotonic_ms();
        if (pulse->asked_ms == 0) {
            pulse->asked_ms = pulse->beat_ms;
        }
    }
}


void
pulse_answered(struct pulse *pulse)
{
    if (pulse != NULL) {
        pulse->beat_ms = clock_monotonic_ms();
        pulse->asked_ms = 0;
    }
}


/* Since a time that another thread may just be setting. */
static int64_t
since_ms(int64_t at_ms)
{
    int64_t now_ms = clock_monotonic_ms();

    return at_ms != 0 && now_ms > at_ms ? now_ms - at_ms : 0;
}


int64_t
pulse_silent_ms(const struct pulse *pulse)
{
    return pulse->idle_ms != 0 ? 0 : since_ms(pulse->beat_ms);
}


int64_t
pulse_asks_ms(const struct pulse *pulse)
{
    return since_ms(pulse->asked_ms);
}
