/*
 * Reading times.  No libc: its functions depend on the zone of the process.
 */
#include "ads_time.h"


static bool
digit_is(char c)
{
    return c >= '0' && c <= '9';
}


/* Reads `n` digits at text.ptr[*at] as a number of low to high. */
static bool
number_read(int *number, struct ads_str text, size_t *at, size_t n, int low,
            int high)
{
    *number = 0;
    if (text.len - *at < n) {
        return false;
    }
    for (; n > 0; n--) {
        if (!digit_is(text.ptr[*at])) {
            return false;
        }
        *number = *number * 10 + (text.ptr[(*at)++] - '0');
    }
    return *number >= low && *number <= high;
}


static bool
one_of(struct ads_str text, size_t *at, const char *either)
{
    return *at < text.len && text.ptr[*at] != '\0'
           && strchr(either, text.ptr[(*at)++]) != NULL;
}


/* Days from 1970-01-01 to a date of the Gregorian calendar; -1 when the month
 * has no such day. */
static int64_t
days_of(int year, int month, int day)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30,
                                      31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int64_t days = 365 * (int64_t)(year - 1970) + (year - 1969) / 4
                   - (year - 1901) / 100 + (year - 1601) / 400;

    if (day > lengths[month - 1] + (month == 2 && leap)) {
        return -1;
    }
    for (int i = 0; i < month - 1; i++) {
        days += lengths[i];
    }
    return days + (month > 2 && leap) + day - 1;
}


/* Reads ".123" into milliseconds; true and 0 when there is none. */
static bool
fraction_read(int *ms, struct ads_str text, size_t *at)
{
    int scale = 100;

    *ms = 0;
    if (*at >= text.len || text.ptr[*at] != '.') {
        return true;
    }
    (*at)++;
    if (*at >= text.len || !digit_is(text.ptr[*at])) {
        return false;
    }
    for (; *at < text.len && digit_is(text.ptr[*at]); (*at)++) {
        *ms += (text.ptr[*at] - '0') * scale;
        scale /= 10;
    }
    return true;
}


/* Reads "Z" or "+01:30" into minutes east. */
static bool
zone_read(int *east, struct ads_str text, size_t *at)
{
    int hours;
    int minutes;
    bool west;

    *east = 0;
    if (*at >= text.len) {
        return false;
    }
    if ((text.ptr[*at] | 0x20) == 'z') {
        (*at)++;
        return true;
    }
    west = text.ptr[*at] == '-';
    if (!one_of(text, at, "+-") || !number_read(&hours, text, at, 2, 0, 23)
        || !one_of(text, at, ":") || !number_read(&minutes, text, at, 2, 0, 59))
    {
        return false;
    }
    *east = (hours * 60 + minutes) * (west ? -1 : 1);
    return true;
}


bool
ads_time_read(int64_t *ms, struct ads_str text)
{
    size_t at = 0;
    int year, month, day, hour, minute, second, fraction, east;
    int64_t days;

    if (!number_read(&year, text, &at, 4, 1970, 9999) || !one_of(text, &at, "-")
        || !number_read(&month, text, &at, 2, 1, 12) || !one_of(text, &at, "-")
        || !number_read(&day, text, &at, 2, 1, 31) || !one_of(text, &at, "Tt")
        || !number_read(&hour, text, &at, 2, 0, 23) || !one_of(text, &at, ":")
        || !number_read(&minute, text, &at, 2, 0, 59) || !one_of(text, &at, ":")
        || !number_read(&second, text, &at, 2, 0, 60)
        || !fraction_read(&fraction, text, &at) || !zone_read(&east, text, &at)
        || at != text.len)
    {
        return false;
    }
    days = days_of(year, month, day);
    if (days < 0) {
        return false;
    }
    if (second == 60) {
        fraction = 0;
    }
    *ms = (((days * 24 + hour) * 60 + minute - east) * 60 + second) * 1000
          + fraction;
    return true;
}
