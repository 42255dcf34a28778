/*
 * Does a text show anything?  Unicode has many ways to write nothing: spaces
 * of all widths, characters without one, fillers that are letters.  What names
 * an advertiser, a product or a person must not be made of these alone.
 */
#ifndef ADS_BLANK_H
#define ADS_BLANK_H

#include "ads_str.h"

/*
 * True for a text in which no character shows, so also for an empty one.  The
 * text is UTF-8.  Control characters other than tabs and ends of lines are no
 * blanks: who allows none of them says so by another rule.
 */
bool
ads_blank_is(struct ads_str text);

#endif
