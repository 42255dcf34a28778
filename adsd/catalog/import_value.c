/*
 * Trims texts of feeds and converts their times.
 */
#include "catalog/import_value.h"

#include <stdio.h>

#include "ads_time.h"
#include "ads_utf8.h"

#define DAY_MS INT64_C(86400000)


struct ads_str
import_value_trim(struct ads_str text)
{
    return ads_str_trim(text, " \t\n\r");
}


/* "Z", "+01:00", "+0100" or nothing into the first or second form. */
static bool
zone_plain(struct ads_str zone, char plain[7])
{
    if (zone.len == 0 || (zone.len == 1 && zone.ptr[0] == 'Z')) {
        (void)snprintf(plain, 7, "Z");
        return true;
    }
    if (zone.len == 5) {
        (void)snprintf(plain, 7, "%.3s:%.2s", zone.ptr, zone.ptr + 3);
        return true;
    }
    (void)snprintf(plain, 7, "%.*s", (int)zone.len, zone.ptr);
    return zone.len == 6;
}


bool
import_time_read(int64_t *ms, struct ads_str text, bool day_end)
{
    char whole[40], zone[7];
    const char *seconds = ":00";
    struct ads_str rest;
    int n;

    text = import_value_trim(text);
    if (text.len == 10) {
        n = snprintf(whole, sizeof(whole), "%.10sT00:00:00Z", text.ptr);
        if (!ads_time_read(ms, (struct ads_str){whole, (size_t)n})) {
            return false;
        }
        *ms += day_end ? DAY_MS : 0;
        return true;
    }
    if (text.len < 16 || (text.ptr[10] != 'T' && text.ptr[10] != ' ')) {
        return false;
    }
    rest = (struct ads_str){text.ptr + 16, text.len - 16};
    if (rest.len >= 3 && rest.ptr[0] == ':') {
        seconds = rest.ptr;
        rest.ptr += 3;
        rest.len -= 3;
    }
    if (!zone_plain(rest, zone)) {
        return false;
    }
    n = snprintf(whole, sizeof(whole), "%.10sT%.5s%.3s%s", text.ptr,
                 text.ptr + 11, seconds, zone);
    return ads_time_read(ms, (struct ads_str){whole, (size_t)n});
}


void
import_text_show(char *shown, size_t room, struct ads_str text)
{
    size_t len = 0, step;

    for (size_t i = 0; i < text.len; i += step) {
        const struct ads_str rest = {text.ptr + i, text.len - i};
        const uint8_t c = (uint8_t)text.ptr[i];

        step = ads_utf8_len(rest);
        if (len + (step > 0 ? step : 1) >= room) {
            break;
        }
        if (step > 1) {
            memcpy(shown + len, rest.ptr, step);
            len += step;
        } else {
            step = 1;
            shown[len++] = c < 0x20 || c >= 0x7f ? '?' : (char)c;
        }
    }
    shown[len] = '\0';
}
