/*
 * The table of well-formed sequences (Unicode, table 3-7), as comparisons.
 */
#include "utf8.h"


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
utf8_len(struct ads_str text)
{
    const uint8_t *b = (const uint8_t *)text.ptr;
    size_t n = text.len > 0 ? announced(b[0]) : 0;

    if (n == 0 || n > text.len) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((b[i] & 0xc0) != 0x80) {
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
