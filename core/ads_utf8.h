/*
 * UTF-8, one character at a time: validate, count and encode.
 */
#ifndef ADS_UTF8_H
#define ADS_UTF8_H

#include "ads_str.h"

#include <stdint.h>

#define ADS_UTF8_MAX 4 /* bytes of a character */

/* Does a character go on with this byte? */
static inline bool
ads_utf8_is_inner(char c)
{
    return ((uint8_t)c & 0xc0) == 0x80;
}


/* Bytes of the well-formed character that the text begins with: no overlong
 * form, no surrogate, not past U+10FFFF.  0 when it begins with none. */
size_t
ads_utf8_len(struct ads_str text);

/* Is all of the text well formed? */
bool
ads_utf8_check(struct ads_str text);

/* Characters of a text that is well formed. */
size_t
ads_utf8_count(struct ads_str text);

/* Writes a code point, ADS_UTF8_MAX bytes at most, no NUL.  Returns the end. */
char *
ads_utf8_write(char *dst, uint32_t code);

#endif
