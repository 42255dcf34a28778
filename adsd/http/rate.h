/*
 * Rate limit by id: each has a bucket that fills at `per_minute` and holds as
 * many.
 *
 * For ids that somebody has proven, such as the person of a token whose
 * signature is right: nginx, which cannot check one, would count whatever
 * anybody makes up.  The table has a fixed size.  When too many people ask at
 * once, the one who has the most left is forgotten and begins with a full
 * bucket: the limit errs on the generous side.
 */
#ifndef ADSD_RATE_H
#define ADSD_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ads_id.h"

struct rate;

struct rate *
rate_new(int64_t per_minute);
void
rate_free(struct rate *rate);

/* Takes one at this (monotonic) time, from any thread.  False when there is
 * none left; *wait_s, at least 1, is when to come again. */
bool
rate_take(struct rate *rate, const struct ads_uuid *id, int64_t now_ms,
          int64_t *wait_s);

#endif
