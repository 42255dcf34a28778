/*
 * Times as RFC 3339 text, the only form that clients may send.
 */
#ifndef ADS_TIME_H
#define ADS_TIME_H

#include "ads_bytes.h"
#include "ads_err.h"

/*
 * Reads a time of the years 1970 to 9999, in any zone, into unix milliseconds.
 * What is finer is cut off; a leap second is the next one's begin.  False when
 * it is not a time, or not of a day that the calendar has.
 */
ADS_MUST bool
ads_time_read(int64_t *ms, struct ads_str text);

#endif
