/*
 * The scanner.  Three things make it quick: runs of plain characters are
 * stepped over eight bytes at a time, strings without escapes are not copied,
 * and keys are compared by length before their bytes.
 *
 * Invariant: start <= pos <= last, and keys [first_key of the innermost
 * object, n_keys) are that object's, with order[] of the same range sorted.
 */
#include "ads_json.h"
#include "ads_utf8.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* Marks bytes of x that are zero.  What is borrowed may mark bytes above one
 * that is: the lowest mark is exact. */
#define HAS_ZERO(x) (((x)-ONES) & ~(x)&HIGHS)


static void
fail(struct ads_json *json, enum ads_json_fault fault, const char *at)
{
    if (json->fault == ADS_JSON_FINE) {
        json->fault = fault;
        json->offset = (size_t)(at - json->start);
    }
    json->pos = json->last; /* so that every loop ends */
}


/* A character that is not what must stand here, or the end. */
static void
fail_here(struct ads_json *json)
{
    fail(json, json->pos == json->last ? ADS_JSON_TRUNCATED : ADS_JSON_SYNTAX,
         json->pos);
}


void
ads_json_init(struct ads_json *json, char *text, size_t len)
{
    json->pos = text;
    json->start = text;
    json->line_start = text;
    json->line = 1;
    json->last = text + len;
    json->fault = ADS_JSON_FINE;
    json->offset = 0;
    json->fresh = false;
    json->depth = 0;
    json->n_keys = 0;
}


static void
skip_space(struct ads_json *json)
{
    char *pos = json->pos;

    while (pos < json->last
           && (*pos == ' ' || *pos == '\n' || *pos == '\t' || *pos == '\r'))
    {
        if (*pos == '\n') { /* one in a string is no end of a line */
            json->line++;
            json->line_start = pos + 1;
        }
        pos++;
    }
    json->pos = pos;
}


static bool
take(struct ads_json *json, char c)
{
    if (json->pos < json->last && *json->pos == c) {
        json->pos++;
        return true;
    }
    return false;
}


/* Steps over characters that mean nothing special in a string: not a quote,
 * backslash or control character, and ASCII. */
static const char *
plain_end(const char *pos, const char *last)
{
    uint64_t word;

    while (last - pos >= 8) {
        uint64_t special;

        memcpy(&word, pos, sizeof(word));
        special = (word | HAS_ZERO(word ^ ONES * '"')
                   | HAS_ZERO(word ^ ONES * '\\') | (word - ONES * 0x20))
                  & HIGHS;
        if (special != 0) {
            return pos + __builtin_ctzll(special) / 8;
        }
        pos += 8;
    }

    while (pos < last && (uint8_t)*pos >= 0x20 && (uint8_t)*pos < 0x80
           && *pos != '"' && *pos != '\\')
    {
        pos++;
    }
    return pos;
}


/* Reads "uXXXX" at pos; -1 when it is not that. */
static int32_t
hex4_read(const char *pos, const char *last)
{
    uint8_t pair[2];

    if (last - pos < 5 || *pos != 'u'
        || !ads_hex_read(pair, sizeof(pair), (struct ads_str){pos + 1, 4}))
    {
        return -1;
    }
    return pair[0] << 8 | pair[1];
}


/*
 * Reads the escape whose backslash is at json->pos and appends what it stands
 * for to *dst, which is never past the backslash: an escape is longer than
 * its character.
 */
static bool
escape_read(struct ads_json *json, char **dst, bool *has_nul)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *at = json->pos + 1;
    const char *simple;
    int32_t c;
    int32_t low;

    if (at == json->last) {
        fail(json, ADS_JSON_TRUNCATED, at);
        return false;
    }

    simple = memchr(from, *at, sizeof(from) - 1);
    if (simple != NULL) {
        *(*dst)++ = to[simple - from];
        json->pos += 2;
        return true;
    }

    c = hex4_read(at, json->last);
    if (c >= 0xd800 && c <= 0xdbff && json->last - at >= 11 && at[5] == '\\') {
        low = hex4_read(at + 6, json->last);
        c = low >= 0xdc00 && low <= 0xdfff
                ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
                : -1;
    } else if (c >= 0xd800 && c <= 0xdfff) {
        c = -1; /* a half alone */
    }
    if (c < 0) {
        fail(json, ADS_JSON_BAD_ESCAPE, json->pos);
        return false;
    }

    json->pos += c < 0x10000 ? 6 : 12;
    *has_nul = *has_nul || c == 0;
    *dst = ads_utf8_write(*dst, (uint32_t)c);
    return true;
}


/* Reads the string whose opening quote is already behind. */
static bool
string_read(struct ads_json *json, struct ads_str *text, bool *has_nul)
{
    char *const begin = json->pos;
    char *dst = NULL; /* where unescaped text goes; NULL: nothing moved */

    *has_nul = false;
    for (;;) {
        char *from = json->pos;
        size_t run;

        json->pos += plain_end(from, json->last) - from;
        if (dst == NULL && json->pos < json->last && *json->pos == '"') {
            *text = (struct ads_str){begin, (size_t)(json->pos - begin)};
            json->pos++;
            return true;
        }
        while (json->pos < json->last && (*json->pos & 0x80) != 0) {
            run = ads_utf8_len(
                (struct ads_str){json->pos, (size_t)(json->last - json->pos)});
            if (run == 0) {
                fail(json, ADS_JSON_BAD_UTF8, json->pos);
                return false;
            }
            json->pos += run;
        }

        run = (size_t)(json->pos - from);
        if (dst != NULL) {
            memmove(dst, from, run);
            dst += run;
        }

        if (json->pos == json->last) {
            fail(json, ADS_JSON_TRUNCATED, json->pos);
            return false;
        }
        if (*json->pos == '"') {
            *text = (struct ads_str){
                begin, (size_t)((dst != NULL ? dst : json->pos) - begin)};
            json->pos++;
            return true;
        }
        if (*json->pos == '\\') {
            dst = dst != NULL ? dst : json->pos;
            if (!escape_read(json, &dst, has_nul)) {
                return false;
            }
        } else if ((uint8_t)*json->pos < 0x20) {
            fail(json, ADS_JSON_CONTROL, json->pos);
            return false;
        }
    }
}


static const char *
digits_end(const char *pos, const char *last)
{
    while (pos < last && *pos >= '0' && *pos <= '9') {
        pos++;
    }
    return pos;
}


/* Reads a number; the character at pos is a digit or a minus. */
static bool
number_read(struct ads_json *json, struct ads_str *text)
{
    const char *const last = json->last;
    const char *pos = json->pos;
    const char *digits;
    bool ok;

    pos += *pos == '-';
    digits = pos;
    pos = digits_end(pos, last);
    ok = pos > digits && (*digits != '0' || pos - digits == 1);

    if (ok && pos < last && *pos == '.') {
        digits = pos + 1;
        pos = digits_end(digits, last);
        ok = pos > digits;
    }
    if (ok && pos < last && (*pos | 0x20) == 'e') {
        digits = pos + 1;
        digits += digits < last && (*digits == '+' || *digits == '-');
        pos = digits_end(digits, last);
        ok = pos > digits;
    }
    if (!ok) {
        fail(json, ADS_JSON_BAD_NUMBER, json->pos);
        return false;
    }

    *text = (struct ads_str){json->pos, (size_t)(pos - json->pos)};
    json->pos += text->len;
    return true;
}


static bool
literal_read(struct ads_json *json, struct ads_str literal)
{
    if ((size_t)(json->last - json->pos) < literal.len
        || memcmp(json->pos, literal.ptr, literal.len) != 0)
    {
        fail(json, ADS_JSON_SYNTAX, json->pos);
        return false;
    }
    json->pos += literal.len;
    return true;
}


static bool
level_open(struct ads_json *json, bool object)
{
    if (json->depth == ADS_JSON_DEPTH) {
        fail(json, ADS_JSON_TOO_DEEP, json->pos);
        return false;
    }
    json->levels[json->depth++] = (struct ads_json_level){
        .object = object,
        .first_key = json->n_keys,
    };
    json->fresh = true;
    json->pos++;
    return true;
}


static void
level_close(struct ads_json *json)
{
    json->n_keys = json->levels[--json->depth].first_key;
    json->fresh = false;
}


void
ads_json_read(struct ads_json *json, struct ads_json_value *value)
{
    enum ads_json_type type = ADS_JSON_NONE;

    *value = (struct ads_json_value){.type = ADS_JSON_NONE};
    skip_space(json);
    if (json->pos == json->last) {
        fail(json, ADS_JSON_TRUNCATED, json->pos);
        return;
    }

    json->fresh = false;
    switch (*json->pos) {
    case '"':
        json->pos++;
        if (string_read(json, &value->text, &value->has_nul)) {
            type = ADS_JSON_STRING;
        }
        break;
    case '{':
        if (level_open(json, true)) {
            type = ADS_JSON_OBJECT;
        }
        break;
    case '[':
        if (level_open(json, false)) {
            type = ADS_JSON_ARRAY;
        }
        break;
    case 't':
        if (literal_read(json, ADS_STR("true"))) {
            value->truth = true;
            type = ADS_JSON_BOOL;
        }
        break;
    case 'f':
        if (literal_read(json, ADS_STR("false"))) {
            type = ADS_JSON_BOOL;
        }
        break;
    case 'n':
        if (literal_read(json, ADS_STR("null"))) {
            type = ADS_JSON_NULL;
        }
        break;
    default:
        if (*json->pos != '-' && (*json->pos < '0' || *json->pos > '9')) {
            fail_here(json);
        } else if (number_read(json, &value->text)) {
            type = ADS_JSON_NUMBER;
        }
    }
    value->type = type;
    value->depth = json->depth;
}


/*
 * Adds a key to those of the innermost object; false when it is there already
 * or there is no room.  order[] is kept sorted by length, then bytes: a binary
 * search and a short move per key, so n keys never cost n * n comparisons.
 */
static bool
key_add(struct ads_json *json, struct ads_str key, const char *at)
{
    uint16_t *order = json->order + json->levels[json->depth - 1].first_key;
    size_t n = (size_t)(json->order + json->n_keys - order);
    size_t low = 0;
    size_t high = n;

    if (json->n_keys == ADS_JSON_KEYS) {
        fail(json, ADS_JSON_TOO_MANY_KEYS, at);
        return false;
    }

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct ads_json_key *other = &json->keys[order[middle]];
        int side;

        if (other->len != key.len) {
            side = other->len < key.len ? -1 : 1;
        } else {
            side = memcmp(other->ptr, key.ptr, key.len);
        }
        if (side == 0) {
            fail(json, ADS_JSON_DUPLICATE_KEY, at);
            return false;
        }
        if (side < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    memmove(order + low + 1, order + low, (n - low) * sizeof(*order));
    order[low] = json->n_keys;
    json->keys[json->n_keys++] = (struct ads_json_key){key.ptr, key.len};
    return true;
}


/* Steps over the comma before the next item of the innermost container;
 * false at its end, or at a fault. */
static bool
next(struct ads_json *json, char closing)
{
    bool fresh = json->fresh;

    if (json->fault != ADS_JSON_FINE) {
        return false;
    }

    skip_space(json);
    if (take(json, closing)) {
        level_close(json);
        return false;
    }
    json->fresh = false;
    if (!fresh && !take(json, ',')) {
        fail_here(json);
        return false;
    }
    return true;
}


bool
ads_json_member(struct ads_json *json, struct ads_str *key)
{
    const char *at;
    bool has_nul;

    if (!next(json, '}')) {
        return false;
    }

    skip_space(json);
    at = json->pos;
    if (!take(json, '"')) {
        fail_here(json);
        return false;
    }
    if (!string_read(json, key, &has_nul) || !key_add(json, *key, at)) {
        return false;
    }

    skip_space(json);
    if (!take(json, ':')) {
        fail_here(json);
        return false;
    }
    return true;
}


bool
ads_json_element(struct ads_json *json)
{
    return next(json, ']');
}


void
ads_json_skip(struct ads_json *json, const struct ads_json_value *value)
{
    struct ads_json_value inner;
    struct ads_str key;

    if (value->type != ADS_JSON_ARRAY && value->type != ADS_JSON_OBJECT) {
        return;
    }

    while (json->fault == ADS_JSON_FINE && json->depth >= value->depth) {
        bool more = json->levels[json->depth - 1].object
                        ? ads_json_member(json, &key)
                        : ads_json_element(json);

        if (more) {
            ads_json_read(json, &inner);
        }
    }
}


enum ads_err
ads_json_end(struct ads_json *json)
{
    if (json->fault == ADS_JSON_FINE) {
        skip_space(json);
        if (json->pos != json->last) {
            fail(json, ADS_JSON_TRAILING, json->pos);
        }
    }
    return json->fault == ADS_JSON_FINE ? ADS_OK : ADS_INVALID;
}


const char *
ads_json_fault_text(enum ads_json_fault fault)
{
    switch (fault) {
    case ADS_JSON_FINE:
        return "no fault";
    case ADS_JSON_TRUNCATED:
        return "the text ends too early";
    case ADS_JSON_SYNTAX:
        return "a character that cannot stand here";
    case ADS_JSON_BAD_NUMBER:
        return "not a number of JSON";
    case ADS_JSON_BAD_ESCAPE:
        return "not an escape of JSON, or half a surrogate pair";
    case ADS_JSON_BAD_UTF8:
        return "not UTF-8";
    case ADS_JSON_CONTROL:
        return "a raw control character in a string";
    case ADS_JSON_TOO_DEEP:
        return "nested too deep";
    case ADS_JSON_DUPLICATE_KEY:
        return "the same key twice in one object";
    case ADS_JSON_TOO_MANY_KEYS:
        return "too many keys";
    case ADS_JSON_TRAILING:
        return "something follows the value";
    }
    return "unknown fault";
}


static char *
number_write(char *dst, size_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(dst, digits + at, sizeof(digits) - at);
    return dst + sizeof(digits) - at;
}


void
ads_json_fault_write(char *dst, const struct ads_json *json)
{
    const char *text = ads_json_fault_text(json->fault);

    memcpy(dst, "line ", 5);
    dst = number_write(dst + 5, json->line);
    memcpy(dst, ", column ", 9);
    dst = number_write(
        dst + 9, (size_t)(json->start + json->offset - json->line_start) + 1);
    memcpy(dst, ": ", 2);
    memcpy(dst + 2, text, strlen(text) + 1);
}
