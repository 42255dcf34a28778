/*
 * Parses RFC 3339 times.  No libc: its functions depend on the zone of the
 * process.
 */
#include "ads_time.h"


/* Reads `n` digits as a number of low to high. */
static bool
number_read(int *number, struct ads_cursor *cursor, size_t n, int low, int high)
{
    *number = 0;
    for (; n > 0; n--) {
        uint8_t c = ads_cursor_u8(cursor);

        if (!ads_char_is_digit(c)) {
            return false;
        }
        *number = *number * 10 + (c - '0');
    }
    return *number >= low && *number <= high;
}


/* Reads one of two characters. */
static bool
either_read(struct ads_cursor *cursor, uint8_t a, uint8_t b)
{
    uint8_t c = ads_cursor_u8(cursor);

    return cursor->ok && (c == a || c == b);
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
fraction_read(int *ms, struct ads_cursor *cursor)
{
    int scale = 100;

    *ms = 0;
    if (cursor->pos == cursor->last || *cursor->pos != '.') {
        return true;
    }

    cursor->pos++;
    if (cursor->pos == cursor->last || !ads_char_is_digit(*cursor->pos)) {
        return false;
    }
    while (cursor->pos < cursor->last && ads_char_is_digit(*cursor->pos)) {
        *ms += (*cursor->pos++ - '0') * scale;
        scale /= 10;
    }
    return true;
}


/* Reads "Z" or "+01:30" into minutes east. */
static bool
zone_read(int *east, struct ads_cursor *cursor)
{
    uint8_t sign = ads_cursor_u8(cursor);
    int hours;
    int minutes;

    *east = 0;
    if (sign == 'Z' || sign == 'z') {
        return true;
    }
    if ((sign != '+' && sign != '-') || !number_read(&hours, cursor, 2, 0, 23)
        || !either_read(cursor, ':', ':')
        || !number_read(&minutes, cursor, 2, 0, 59))
    {
        return false;
    }
    *east = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
    return true;
}


bool
ads_time_read(int64_t *ms, struct ads_str text)
{
    struct ads_cursor cursor = ads_cursor_init(text.ptr, text.len);
    int year, month, day, hour, minute, second, fraction, east;
    int64_t days;

    if (!number_read(&year, &cursor, 4, 1970, 9999)
        || !either_read(&cursor, '-', '-')
        || !number_read(&month, &cursor, 2, 1, 12)
        || !either_read(&cursor, '-', '-')
        || !number_read(&day, &cursor, 2, 1, 31)
        || !either_read(&cursor, 'T', 't')
        || !number_read(&hour, &cursor, 2, 0, 23)
        || !either_read(&cursor, ':', ':')
        || !number_read(&minute, &cursor, 2, 0, 59)
        || !either_read(&cursor, ':', ':')
        || !number_read(&second, &cursor, 2, 0, 60)
        || !fraction_read(&fraction, &cursor) || !zone_read(&east, &cursor)
        || cursor.pos != cursor.last)
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
