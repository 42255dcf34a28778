/*
 * Clocks of the daemon: read here and nowhere else.
 */
#ifndef ADSD_CLOCK_H
#define ADSD_CLOCK_H

#include <stdint.h>

/* How long something takes and until when one waits: never set back. */
int64_t
clock_monotonic_ms(void);
int64_t
clock_monotonic_us(void);

/* Since 1970, as the machine has it. */
int64_t
clock_realtime_us(void);

#endif
