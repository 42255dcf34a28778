/*
 * Letters of other scripts that look like a Latin one: what somebody writes who
 * wants to be read by people and not by us.  Compatibility forms (full-width,
 * mathematical, circled) are not here: ads_fold.h takes those off.
 */
#ifndef ADS_CONFUSABLE_H
#define ADS_CONFUSABLE_H

#include <stdint.h>

/* The lower-case Latin letter that the code point looks like; 0: none. */
char
ads_confusable(int32_t code);

#endif
