/*
 * Money as text.  Inside it is int64 micros; outside a JSON number in currency
 * units.  No floating point anywhere: what is written is what is billed.
 *
 * A number is taken by its value, not its spelling: 1.5, 1.50, 15e-1 and
 * 1.5000000 are the same.  What binary arithmetic leaves behind the micros is
 * no part of it: 0.30000000000000004 and 139.92999999999998 are within a
 * billionth of a unit of 0.3 and 139.93, and are those.  What is farther from a
 * whole number of micros (0.0000001, 1.9999995) is refused, never rounded, but
 * by ads_money_round; so is more than a billion units.  What is not zero is
 * never read as zero; "-0" is zero.
 */
#ifndef ADS_MONEY_H
#define ADS_MONEY_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_MONEY_UNIT INT64_C(1000000) /* micros in one unit */
#define ADS_MONEY_MAX (INT64_C(1000000000) * ADS_MONEY_UNIT)
#define ADS_MONEY_TEXT_MAX 21

enum ads_money_sign { ADS_MONEY_UNSIGNED, ADS_MONEY_SIGNED };

/*
 * Reads the text of a JSON number into micros.  ADS_INVALID: no JSON number,
 * finer than a micro, or below zero with ADS_MONEY_UNSIGNED.  ADS_TOO_LARGE:
 * more than ADS_MONEY_MAX either way.
 */
ADS_MUST enum ads_err
ads_money_read(int64_t *micros, struct ads_str text, enum ads_money_sign sign);

/* The same, but what is finer than a micro is rounded to the nearest one, half
 * a micro away from zero: for values that are reported and move no money. */
ADS_MUST enum ads_err
ads_money_round(int64_t *micros, struct ads_str text, enum ads_money_sign sign);

/*
 * Reads the text of a JSON number that must be whole (3, 3.0, 30e-1).
 * ADS_INVALID: no JSON number, or not whole.  ADS_TOO_LARGE: past 1e18 either
 * way.
 */
ADS_MUST enum ads_err
ads_money_integer_read(int64_t *value, struct ads_str text);

/* Is it a currency as ISO 4217 writes them, three letters A to Z? */
bool
ads_currency_check(struct ads_str text);

/* Is it one that ISO 4217 lists, or did until 2023?  XXX (none) and XTS (for
 * tests) are no currencies. */
bool
ads_currency_known(struct ads_str text);

/* Writes the shortest decimal text, such as 12.5, 0.000001 or 12, at most
 * ADS_MONEY_TEXT_MAX characters, no NUL.  Returns the end. */
char *
ads_money_write(char *dst, int64_t micros);

#endif
