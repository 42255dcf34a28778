/*
 * Case-insensitive names: is a text one of the few names that a request gives?
 *
 * Names are kept as 64-bit hashes of their lower case, so that a text is read
 * once however many names there are, and however much alike they look.
 */
#ifndef ADS_NAMES_H
#define ADS_NAMES_H

#include <stdint.h>

#include "ads_str.h"

#define ADS_NAMES_MAX 64

struct ads_names {
    uint32_t n;
    uint64_t hash[ADS_NAMES_MAX];
};

/* The first ADS_NAMES_MAX of n texts; none of them is borrowed. */
void
ads_names_read(struct ads_names *names, const struct ads_str *texts,
               uint32_t n);

/* Is the text one of them? */
bool
ads_names_hold(const struct ads_names *names, struct ads_str text);

/* The same of a text that stands between the quotes of a JSON string, as the
 * tables have it: with \", \\ and \u00XX. */
bool
ads_names_hold_escaped(const struct ads_names *names, struct ads_str text);

#endif
