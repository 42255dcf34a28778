/*
 * Times as shops write them, converted to the form that the API takes.  Pure;
 * prices have their own file (import_price.h).
 */
#ifndef ADSD_IMPORT_VALUE_H
#define ADSD_IMPORT_VALUE_H

#include "base/pool.h"

/* Without ASCII white space at its ends. */
struct ads_str
import_value_trim(struct ads_str text);

/* The begin of a text, NUL at its end, with a question mark for each byte that
 * is no character or a control character. */
void
import_text_show(char *shown, size_t room, struct ads_str text);

/*
 * "2026-11-24", "2026-11-24T11:07", with seconds or not, with a zone (Z,
 * +01:00, +0100) or not: UTC.  Of a day alone its begin, or its end.
 */
bool
import_time_read(int64_t *ms, struct ads_str text, bool day_end);

#endif
