/*
 * Normalises text to NFKC with utf8proc, on the stack.
 */
#include "ads_nfkc.h"

#include <utf8proc.h>

#define OPTIONS (UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE)


enum ads_err
ads_nfkc_write(char *dst, size_t cap, struct ads_str text, size_t *len,
               size_t *points)
{
    utf8proc_int32_t codes[ADS_NFKC_POINTS_MAX];
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t n, n_bytes;

    *len = 0;
    *points = 0;
    n = utf8proc_decompose((const utf8proc_uint8_t *)text.ptr,
                           (utf8proc_ssize_t)text.len, codes,
                           ADS_NFKC_POINTS_MAX, OPTIONS);
    if (n < 0) {
        return ADS_INVALID;
    }
    if (n > ADS_NFKC_POINTS_MAX) {
        return ADS_TOO_LARGE; /* only counted, not written */
    }
    n = utf8proc_normalize_utf32(codes, n, OPTIONS);
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        n_bytes = utf8proc_encode_char(codes[i], bytes);
        if ((size_t)n_bytes > cap - *len) {
            return ADS_TOO_LARGE;
        }
        memcpy(dst + *len, bytes, (size_t)n_bytes);
        *len += (size_t)n_bytes;
        ++*points;
    }
    explicit_bzero(codes, sizeof(codes)); /* it may be a password */
    return ADS_OK;
}
