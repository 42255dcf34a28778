/*
 * Detects text that shows nothing on a screen.  Unicode has many ways to write
 * nothing: spaces of all widths, characters of no width, fillers that are
 * letters.  Names of advertisers, products and people must not consist of these
 * alone.
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

/* The text from its first character that shows, or from its first byte that
 * is not UTF-8; empty when there is neither. */
struct ads_str
ads_blank_skip(struct ads_str text);

#endif
