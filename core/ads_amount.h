/*
 * Amounts in a query: "80", "1.500", "2k", "a hundred and fifty",
 * "zweihundert", "quatre-vingts", "treinta y cinco".
 */
#ifndef ADS_AMOUNT_H
#define ADS_AMOUNT_H

#include "ads_scan.h"

#define ADS_AMOUNT_MOST INT64_C(9999999) /* of a number that is said in words */

/* Reads the number that begins at word i; returns how many words it takes, 0:
 * none begins there.  A number in words below 10 is none: "one", "two" count
 * things. */
uint32_t
ads_amount_read(const struct ads_scan *scan, uint32_t i, int64_t *micros);

/* Is the word the name of a currency: "dollars", "quid", "euros"? */
bool
ads_amount_is_currency(struct ads_str word);

#endif
