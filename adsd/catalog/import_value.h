/*
 * Prices and times as shops write them, converted to the forms that the API
 * takes.  Pure.
 */
#ifndef ADSD_IMPORT_VALUE_H
#define ADSD_IMPORT_VALUE_H

#include "base/pool.h"

/* Without ASCII white space at its ends. */
struct ads_str
import_value_trim(struct ads_str text);

/*
 * "12.99", "12,99", "1,299.00 USD", "usd 12.99": the amount as a JSON number,
 * and the currency in upper case, ptr NULL when none is said.  False: it is
 * none.
 */
bool
import_price_read(struct ads_str text, struct ads_str *number,
                  struct ads_str *currency, struct pool *pool);

/*
 * "2026-11-24", "2026-11-24T11:07", with seconds or not, with a zone (Z,
 * +01:00, +0100) or not: UTC.  Of a day alone its begin, or its end.
 */
bool
import_time_read(int64_t *ms, struct ads_str text, bool day_end);

#endif
