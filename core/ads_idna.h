/*
 * Internationalised host names: is an xn-- label one that every browser reads
 * as the same name?
 *
 * A careful part of UTS 46, smaller than the whole: what passes here is valid
 * there and maps to itself; a few odd but valid labels are refused.
 */
#ifndef ADS_IDNA_H
#define ADS_IDNA_H

#include "ads_bytes.h"
#include "ads_err.h"

enum ads_idna {
    ADS_IDNA_BAD,  /* not a label to be trusted */
    ADS_IDNA_LTR,  /* written from left to right */
    ADS_IDNA_RTL,  /* from right to left, and obeys the rule for it */
    ADS_IDNA_WEAK, /* good, but not in a name that has an RTL label */
};

/*
 * Validates a label of lower-case letters, digits and dashes that begins with
 * "xn--".  It must be canonical Punycode of at least one character beyond
 * ASCII, in folded NFKC, of letters, marks and digits only, not beginning with
 * a mark.  The result also tells the Bidi rule (RFC 5893) about it.
 */
ADS_MUST enum ads_idna
ads_idna_label_check(struct ads_str label);

#endif
