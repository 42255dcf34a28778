/*
 * Detects text that shows nothing.
 *
 * By the general category of each character (utf8proc), and a short list of
 * those that are letters or symbols by category but invisible.  Code points
 * that are not assigned yet count as visible: a newer Unicode may make them
 * letters.
 */
#include "ads_blank.h"

#include <utf8proc.h>

#define TAGS_FIRST 0xe0000 /* a plane of characters without a width */
#define TAGS_LAST 0xe0fff


static bool
shows(utf8proc_int32_t code)
{
    switch (code) {
    case '\t':
    case '\n':
    case '\r':
    case 0x115f: /* fillers of Hangul */
    case 0x1160:
    case 0x3164:
    case 0xffa0:
    case 0x2800: /* Braille without a dot */
        return false;
    default:
        break;
    }
    if (code >= TAGS_FIRST && code <= TAGS_LAST) {
        return false;
    }
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_MN: /* sits on what is not there */
        return false;
    default:
        return true;
    }
}


struct ads_str
ads_blank_skip(struct ads_str text)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t len;

    while (text.len > 0) {
        len = utf8proc_iterate((const utf8proc_uint8_t *)text.ptr,
                               (utf8proc_ssize_t)text.len, &code);
        if (len <= 0 || shows(code)) {
            break;
        }
        text = ads_str_tail(text, (size_t)len);
    }
    return text;
}


bool
ads_blank_is(struct ads_str text)
{
    return ads_blank_skip(text).len == 0;
}
