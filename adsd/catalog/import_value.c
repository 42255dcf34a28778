/*
 * Converts prices and times of feeds.
 */
#include "catalog/import_value.h"

#include <ctype.h>
#include <stdio.h>

#include "ads_time.h"

#define DAY_MS INT64_C(86400000)
#define AMOUNT_MAX 32


struct ads_str
import_value_trim(struct ads_str text)
{
    return ads_str_trim(text, " \t\n\r");
}


/* ---- prices ---- */

static bool
is_code(const char *p)
{
    return ads_char_is_letter(p[0]) && ads_char_is_letter(p[1])
           && ads_char_is_letter(p[2]);
}


/* Cuts a currency of three letters off either end of a price. */
static struct ads_str
currency_cut(struct ads_str *price)
{
    struct ads_str code = {NULL, 0};
    const char *p = price->ptr;
    size_t n = price->len;

    if (n > 3 && is_code(p + n - 3)) {
        code = (struct ads_str){p + n - 3, 3};
        price->len -= 3;
    } else if (n > 3 && is_code(p)) {
        code = (struct ads_str){p, 3};
        price->ptr += 3;
        price->len -= 3;
    }
    *price = import_value_trim(*price);
    return code;
}


/* Digits with a point, or a comma where only cents can follow; commas between
 * groups of three are left out.  False when it is neither. */
static bool
amount_plain(struct ads_str price, char *plain)
{
    const char *point = memchr(price.ptr, '.', price.len);
    const char *comma = memchr(price.ptr, ',', price.len);
    size_t len = 0;

    if (price.len == 0 || price.len >= AMOUNT_MAX) {
        return false;
    }
    for (size_t i = 0; i < price.len; i++) {
        char c = price.ptr[i];
        size_t behind = price.len - i - 1;

        if (c == ',' && point == NULL && behind == 2 && comma == price.ptr + i)
        {
            c = '.';
        } else if (c == ',') {
            size_t to = point == NULL ? price.len : (size_t)(point - price.ptr);

            if (i == 0 || i > to || (to - i) % 4 != 0) {
                return false;
            }
            continue;
        } else if (c != '.' && !ads_char_is_digit(c)) {
            return false;
        }
        plain[len++] = c;
    }
    plain[len] = '\0';
    return ads_char_is_digit(plain[0]) && ads_char_is_digit(plain[len - 1])
           && strchr(plain, '.') == strrchr(plain, '.');
}


bool
import_price_read(struct ads_str text, struct ads_str *number,
                  struct ads_str *currency, struct pool *pool)
{
    struct ads_str code;
    char plain[AMOUNT_MAX];
    char *p = plain;

    *currency = (struct ads_str){NULL, 0};
    code = currency_cut(&text);
    if (!amount_plain(text, plain)) {
        return false;
    }
    while (p[0] == '0' && ads_char_is_digit(p[1])) {
        p++; /* JSON knows no 007 */
    }
    number->len = strlen(p);
    number->ptr = pool_text(pool, (struct ads_str){p, number->len});
    if (code.len == 3) {
        char *upper = pool_text(pool, code);

        for (int i = 0; i < 3; i++) {
            upper[i] = (char)toupper((unsigned char)upper[i]);
        }
        *currency = (struct ads_str){upper, 3};
    }
    return true;
}


/* ---- times ---- */

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
