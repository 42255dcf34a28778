/*
 * Is it UTF-8?  One character at a time, for those who write text out and
 * must not write out what is not.
 */
#ifndef ADSD_UTF8_H
#define ADSD_UTF8_H

#include "ads_bytes.h"

/* Bytes of the well-formed character that the text begins with: no overlong
 * form, no surrogate, not past U+10FFFF.  0 when it begins with none. */
size_t
utf8_len(struct ads_str text);

#endif
