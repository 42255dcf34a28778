/*
 * Look-alike letters: letters of other scripts that look like a Latin one, as
 * used to get past word lists.  Compatibility forms (full-width, mathematical,
 * circled) are not here: ads_fold.h folds those.
 */
#ifndef ADS_CONFUSABLE_H
#define ADS_CONFUSABLE_H

#include <stdint.h>

/* The lower-case Latin letter that the code point looks like; 0: none. */
char
ads_confusable(int32_t code);

#endif
