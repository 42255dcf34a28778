/*
 * Is an xn-- label of a host name one that every browser reads as itself?
 *
 * A careful part of UTS 46, smaller than the whole: what passes here is valid
 * there and maps to itself; a few odd but valid labels are refused.
 */
#ifndef ADS_IDNA_H
#define ADS_IDNA_H

#include "ads_bytes.h"
#include "ads_err.h"

/*
 * Judges a label that begins with "xn--", at most 63 lower-case letters, digits
 * and dashes.  It must be canonical Punycode of at least one character beyond
 * ASCII, in NFKC, without upper case, of letters, marks and digits only, not
 * beginning with a mark.  *rtl says whether it is written from right to left;
 * then it also obeys the Bidi rule of RFC 5893.
 */
ADS_MUST bool
ads_idna_label_check(struct ads_str label, bool *rtl);

#endif
