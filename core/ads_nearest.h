/*
 * Which of a few known names was meant by one that is not known?  For the words
 * of an error, so it may be slow: a name is short, and there are few.
 *
 * Upper and lower case, "_" and "-" do not matter: requestId is request_id.
 * Else a name is near when at most one letter in three is wrong, missing, too
 * many or has changed places with its neighbour.
 */
#ifndef ADS_NEAREST_H
#define ADS_NEAREST_H

#include "ads_bytes.h"

#define ADS_NEAREST_NAME_MAX 40

struct ads_nearest {
    struct ads_str wrong; /* the caller's, and stays as it is */
    const char *name;     /* the nearest of those that were tried, or NULL */
    uint32_t distance;
};

/* Begins to look for the nearest name of `wrong`. */
void
ads_nearest_init(struct ads_nearest *nearest, struct ads_str wrong);

/* Tries one more; `name` must live as long as the answer is used. */
void
ads_nearest_try(struct ads_nearest *nearest, const char *name);

/* May the name be repeated to who sent it, and to logs?  It is made of 1 to
 * ADS_NEAREST_NAME_MAX letters, "_" and "-", so it is no key, number or
 * address, and needs no escapes. */
bool
ads_nearest_may_show(struct ads_str name);

#endif
