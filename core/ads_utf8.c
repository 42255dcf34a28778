/*
 * Validates UTF-8 by the table of well-formed sequences (Unicode, table 3-7),
 * as comparisons.
 */
#include "ads_utf8.h"


static size_t
announced(uint8_t first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2) {
        return 0;
    }
    if (first < 0xe0) {
        return 2;
    }
    if (first < 0xf0) {
        return 3;
    }
    return first < 0xf5 ? 4 : 0;
}


size_t
ads_utf8_len(struct ads_str text)
{
    const uint8_t *b = (const uint8_t *)text.ptr;
    size_t n = text.len > 0 ? announced(b[0]) : 0;

    if (n == 0 || n > text.len) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if (!ads_utf8_is_inner(text.ptr[i])) {
            return 0;
        }
    }
    if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f)
        || (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
    {
        return 0;
    }
    return n;
}


bool
ads_utf8_check(struct ads_str text)
{
    while (text.len > 0) {
        size_t n = ads_utf8_len(text);

        if (n == 0) {
            return false;
        }
        text = ads_str_tail(text, n);
    }
    return true;
}


size_t
ads_utf8_count(struct ads_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += !ads_utf8_is_inner(text.ptr[i]);
    }
    return n;
}


char *
ads_utf8_write(char *dst, uint32_t code)
{
    if (code < 0x80) {
        *dst++ = (char)code;
        return dst;
    }
    if (code < 0x800) {
        *dst++ = (char)(0xc0 | code >> 6);

    } else {
        if (code < 0x10000) {
            *dst++ = (char)(0xe0 | code >> 12);

        } else {
            *dst++ = (char)(0xf0 | code >> 18);
            *dst++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *dst++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *dst++ = (char)(0x80 | (code & 0x3f));
    return dst;
}
