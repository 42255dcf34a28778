/*
 * Personal data in free text: does a text look like it?  Checked for every
 * value that a client may choose freely and that is stored, such as a session
 * id.
 *
 * The rule, on ASCII text (other bytes are letters to it):
 *
 *     e-mail  something@domain.tld, the last label of two letters or more;
 *             "%40" counts as the sign, and so do "(at)" and, when its dots are
 *             spelt too, " at ": name at host dot com
 *     card    13 to 19 digits that pass Luhn, in one run or in groups of three
 *             and more split by up to three spaces, dots, dashes, slashes and
 *             underscores, beginning with 2 to 9; with 1 only 15 digits are a
 *             card, so that times in milliseconds are not
 *     IBAN    a country of the IBAN registry with its length, in one run or
 *             in groups of four, that passes mod 97
 *     phone   7 to 15 digits after a plus; or in groups that are written as
 *             phone numbers: 555-123-4567, 1-800-555-1234, (020) 7946 0958,
 *             0171 1234567, 00 49 171 1234567, 06 12 34 56 78
 *     IP      four numbers up to 255 with dots; IPv6 of RFC 4291 but "::"
 *
 * Each must stand free: no letter or digit right before or after it, so that
 * random ids do not match.  A UUID or a bare run of digits that is no card is
 * never personal data.
 */
#ifndef ADS_PII_H
#define ADS_PII_H

#include "ads_bytes.h"

#define ADS_PII_FOLD_MAX 4096

/*
 * True when the text holds one of them.  Time is linear in the text.  A text
 * beyond ASCII of up to ADS_PII_FOLD_MAX / 4 bytes, which is longer than any
 * field, is checked a second time in its folded form: letters and digits of
 * full width, digits of other scripts, other dashes and spaces, nothing unseen.
 */
bool
ads_pii_find(struct ads_str text);

#endif
