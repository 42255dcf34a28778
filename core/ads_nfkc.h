/*
 * Unicode normalisation (NFKC): one spelling for one text, for what people type
 * on different keyboards and must get right each time, which is passwords.
 * Nothing is folded, trimmed or cut.
 */
#ifndef ADS_NFKC_H
#define ADS_NFKC_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_NFKC_POINTS_MAX 512

/*
 * Writes the normal form of `text` into `dst`, of `cap` bytes; *len is how many
 * were written and *points how many code points they are.  ADS_INVALID: not
 * UTF-8.  ADS_TOO_LARGE: over `cap` or ADS_NFKC_POINTS_MAX.
 */
ADS_MUST enum ads_err
ads_nfkc_write(char *dst, size_t cap, struct ads_str text, size_t *len,
               size_t *points);

#endif
