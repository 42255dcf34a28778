/*
 * Signs of life of a thread, for another one to check.
 *
 * A thread beats wherever it passes by, and says when it waits with a deadline
 * of its own: then it does not hang, however long that takes.
 */
#ifndef ADSD_PULSE_H
#define ADSD_PULSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed is ready.  Times are monotonic, 0 is never. */
struct pulse {
    _Atomic int64_t beat_ms;  /* it was seen to move */
    _Atomic int64_t idle_ms;  /* since then it waits for something to do */
    _Atomic int64_t asked_ms; /* since then it waits for the database */
};

/* All of these take NULL: none looks. */
void
pulse_beat(struct pulse *pulse);

/* Waits from now on, until the next pulse_beat(). */
void
pulse_idle(struct pulse *pulse);

/* Waits for the database, from the first call on until pulse_answered(). */
void
pulse_asked(struct pulse *pulse);
void
pulse_answered(struct pulse *pulse);

/* For how long it has not moved though it had work; 0 while it waits. */
int64_t
pulse_silent_ms(const struct pulse *pulse);

/* For how long it waits for the database; 0: it does not. */
int64_t
pulse_asks_ms(const struct pulse *pulse);

#endif
