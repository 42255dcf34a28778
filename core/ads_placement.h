/*
 * Placement names, in the short canonical form of links, records and reports.
 *
 * A name of up to 24 characters is its own canonical form.  A longer one (up
 * to 64 are allowed) becomes its first 15 characters, '~' and 8 hex digits of
 * its CRC-32C; '~' is not allowed in names, so that the two never collide.
 */
#ifndef ADS_PLACEMENT_H
#define ADS_PLACEMENT_H

#include "ads_bytes.h"

#define ADS_PLACEMENT_MAX 24

struct ads_placement {
    uint8_t len;
    char text[ADS_PLACEMENT_MAX]; /* zero padded */
};

/* `name` is 1 to 64 characters of [a-z0-9_.-] (the body parser saw to it). */
struct ads_placement
ads_placement_make(struct ads_str name);

bool
ads_placement_equal(const struct ads_placement *a,
                    const struct ads_placement *b);

/* 1 to 7 for the known names (inline, card, sidebar, search_results, followup,
 * citation, voice), 0 for any other. */
uint8_t
ads_placement_code(const struct ads_placement *placement);

/* The known placement of that code; len 0 when there is none. */
struct ads_placement
ads_placement_known(uint8_t code);

#endif
