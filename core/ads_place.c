/*
 * Recognises countries and regions: codes by binary search in a string of
 * pairs, names by binary search in a sorted table.
 */
#include "ads_place.h"
#include "ads_place_table.h"

#define N_CODES ((sizeof(place_codes) - 1) / 2)
#define N_NAMES (sizeof(place_names) / sizeof(place_names[0]))
#define TEXT_MAX 128 /* two names and what is between them */


static bool
space_is(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}


static struct ads_str
trim(struct ads_str text)
{
    while (text.len > 0 && space_is(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && space_is(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}


/* Lower case of ASCII letters, and "and" for "&".  False when it does not
 * fit. */
static bool
fold(struct ads_str *folded, char buffer[TEXT_MAX], struct ads_str text)
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (len + 3 > TEXT_MAX) {
            return false;
        }
        if (c == '&') {
            memcpy(buffer + len, "and", 3);
            len += 3;
        } else {
            buffer[len++] = ads_char_lower(c);
        }
    }
    *folded = (struct ads_str){buffer, len};
    return true;
}


static char
upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c;
}


static bool
alnum_is(char c)
{
    return ads_char_is_lower(c) || ads_char_is_digit(c);
}


/* Reads a folded alpha-2 code. */
static bool
code_read(char country[2], struct ads_str text)
{
    size_t low = 0;
    size_t high = N_CODES;
    char code[2];

    if (text.len != 2) {
        return false;
    }
    code[0] = upper(text.ptr[0]);
    code[1] = upper(text.ptr[1]);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int side = memcmp(place_codes + 2 * middle, code, sizeof(code));

        if (side == 0) {
            memcpy(country, code, sizeof(code));
            return true;
        }
        if (side < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}


static int
name_compare(const struct place_name *name, struct ads_str text)
{
    size_t len = name->len < text.len ? name->len : text.len;
    int side = memcmp(name->name, text.ptr, len);

    if (side != 0) {
        return side;
    }
    return name->len < text.len ? -1 : name->len > text.len;
}


/* The first row of that folded name, or N_NAMES. */
static size_t
name_find(struct ads_str text)
{
    size_t low = 0;
    size_t high = N_NAMES;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (name_compare(&place_names[middle], text) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < N_NAMES && name_compare(&place_names[low], text) == 0
               ? low
               : N_NAMES;
}


static void
fill(struct ads_place *place, const struct place_name *name)
{
    memcpy(place->country, name->country, sizeof(place->country));
    memcpy(place->region, name->region, sizeof(place->region));
}


/* "us-ca" */
static bool
subdivision_read(struct ads_place *place, struct ads_str text)
{
    struct ads_place found = {{0}, {0}};

    if (text.len < 4 || text.len > 6 || text.ptr[2] != '-'
        || !code_read(found.country, (struct ads_str){text.ptr, 2}))
    {
        return false;
    }
    for (size_t i = 3; i < text.len; i++) {
        if (!alnum_is(text.ptr[i])) {
            return false;
        }
        found.region[i - 3] = upper(text.ptr[i]);
    }
    *place = found;
    return true;
}


static bool
country_read(char country[2], struct ads_str text)
{
    size_t at;

    if (code_read(country, text)) {
        return true;
    }
    at = name_find(text);
    if (at == N_NAMES || place_names[at].region[0] != '\0') {
        return false;
    }
    memcpy(country, place_names[at].country, 2);
    return true;
}


/* Does that row tell a region of the country, by its name or its code? */
static bool
region_is(const struct place_name *name, const char country[2],
          struct ads_str text)
{
    char code[3] = {0};

    if (name->region[0] == '\0' || memcmp(name->country, country, 2) != 0) {
        return false;
    }
    if (text.len <= sizeof(code)) {
        for (size_t i = 0; i < text.len; i++) {
            if (!alnum_is(text.ptr[i])) {
                return false;
            }
            code[i] = upper(text.ptr[i]);
        }
        return memcmp(name->region, code, sizeof(code)) == 0;
    }
    return name_compare(name, text) == 0;
}


/* "california, usa"; a city before the comma is not known and tells nothing,
 * so that "San Francisco, CA" does not become Canada. */
static bool
pair_read(struct ads_place *place, struct ads_str text)
{
    const char *comma = text.ptr + text.len;
    struct ads_str left;
    struct ads_str right;
    char country[2];

    while (comma > text.ptr && comma[-1] != ',') {
        comma--;
    }
    if (comma == text.ptr) {
        return false;
    }

    left = (struct ads_str){text.ptr, (size_t)(comma - 1 - text.ptr)};
    right = (struct ads_str){comma, text.len - (size_t)(comma - text.ptr)};
    left = trim(left);
    if (left.len == 0 || !country_read(country, trim(right))) {
        return false;
    }
    for (size_t i = 0; i < N_NAMES; i++) {
        if (region_is(&place_names[i], country, left)) {
            fill(place, &place_names[i]);
            return true;
        }
    }
    return false;
}


bool
ads_place_read(struct ads_place *place, struct ads_str text)
{
    char buffer[TEXT_MAX];
    size_t at;

    memset(place, 0, sizeof(*place));
    if (!fold(&text, buffer, trim(text))) {
        return false;
    }
    if (code_read(place->country, text) || subdivision_read(place, text)) {
        return true;
    }

    at = name_find(text);
    if (at < N_NAMES) {
        fill(place, &place_names[at]);
        return true;
    }
    return pair_read(place, text);
}


bool
ads_place_covers(const struct ads_place *target, const struct ads_place *place)
{
    static const char nothing[3] = {0};

    return target->country[0] != '\0'
           && memcmp(target->country, place->country, 2) == 0
           && (memcmp(target->region, nothing, sizeof(nothing)) == 0
               || memcmp(target->region, place->region, sizeof(nothing)) == 0);
}
