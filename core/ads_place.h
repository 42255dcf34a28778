/*
 * Places: where the user is, as a publisher says, and where a campaign is
 * targeted.
 */
#ifndef ADS_PLACE_H
#define ADS_PLACE_H

#include "ads_bytes.h"
#include "ads_err.h"

/* Upper-case ASCII, zero padded.  All zeros: unknown.  Region all zeros: the
 * whole country. */
struct ads_place {
    char country[2]; /* ISO 3166-1 alpha-2 */
    char region[3];  /* the part of ISO 3166-2 after the dash */
};

/*
 * Recognises, in any case of ASCII letters and with white space around it:
 *
 *     DE, US              a country's code, all 249 of ISO 3166-1
 *     US-CA, GB-ENG       a known country and one to three letters or digits
 *     Germany, USA        a country's English name, and a few other names
 *     California, Bayern  a state, province or nation of US, CA, AU, DE, GB
 *     California, US      region and country, each by name or code
 *
 * Where a name is both (Georgia), the country is meant.  False, and `place` all
 * zeros, when it is none of these.
 */
ADS_MUST bool
ads_place_read(struct ads_place *place, struct ads_str text);

/*
 * The same for what a user's client says in its own words, where a wrong guess
 * costs less than none: also
 *
 *     DEU, en-US          a country's three letters, a language and country
 *     Munich, Paris       a large city whose name means one place
 *     Austin, TX          parts, of which the last that is known decides; the
 *                         city where it lies within it
 *
 * "Smallville, CA" may be in California or Canada: neither.
 */
ADS_MUST bool
ads_place_guess(struct ads_place *place, struct ads_str text);

/* Is `place` inside `target`?  A country covers its regions; an unknown place
 * is inside nothing. */
bool
ads_place_covers(const struct ads_place *target, const struct ads_place *place);

#endif
