/*
 * Text only: the parts of a token, none of them believed.
 */
#include "auth/jws.h"

#include <strings.h>

#define MEDIA_PREFIX "application/"
#define TIME_DIGITS_MAX 15


uint8_t *
jws_base64url(size_t *len, struct pool *pool, struct ads_str text)
{
    uint8_t *bytes;

    if (text.len % 4 == 1) {
        return NULL; /* no number of bytes has this length */
    }
    *len = text.len / 4 * 3 + (text.len % 4 == 0 ? 0 : text.len % 4 - 1);
    bytes = pool_alloc(pool, *len + 1);
    return ads_base64url_read(bytes, *len, text) ? bytes : NULL;
}


/* The three parts; false when there are not three, none but the payload
 * empty. */
static bool
split(struct ads_str parts[3], struct ads_str text)
{
    const char *last = text.ptr + text.len;
    const char *first_dot = memchr(text.ptr, '.', text.len);
    const char *second_dot;

    if (first_dot == NULL) {
        return false;
    }
    second_dot = memchr(first_dot + 1, '.', (size_t)(last - first_dot - 1));
    if (second_dot == NULL) {
        return false;
    }

    parts[0] = (struct ads_str){text.ptr, (size_t)(first_dot - text.ptr)};
    parts[1] =
        (struct ads_str){first_dot + 1, (size_t)(second_dot - first_dot - 1)};
    parts[2] =
        (struct ads_str){second_dot + 1, (size_t)(last - second_dot - 1)};
    /* a third dot is no digit of base64url */
    return parts[0].len > 0 && parts[2].len > 0;
}


/* One member of the header; false when it makes the token useless. */
static bool
member_read(struct jws *jws, struct ads_str key,
            const struct ads_json_value *value)
{
    const struct {
        const char *name;
        struct ads_str *to;
    } wanted[] = {{"alg", &jws->alg}, {"typ", &jws->typ}, {"kid", &jws->kid}};

    if (ads_str_is(key, "crit")) {
        return false;
    }
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (ads_str_is(key, wanted[i].name)) {
            *wanted[i].to = value->text;
            return value->type == ADS_JSON_STRING;
        }
    }
    return true;
}


static enum ads_err
header_read(struct jws *jws, struct pool *pool, struct ads_str part)
{
    struct ads_json_value value;
    struct ads_json json;
    struct ads_str key;
    bool usable = true;
    size_t len;
    char *text = (char *)jws_base64url(&len, pool, part);

    if (text == NULL) {
        return ADS_INVALID;
    }
    ads_json_init(&json, text, len);
    ads_json_read(&json, &value);
    if (value.type != ADS_JSON_OBJECT) {
        return ADS_INVALID;
    }
    while (ads_json_member(&json, &key)) {
        ads_json_read(&json, &value);
        usable = usable && member_read(jws, key, &value);
        ads_json_skip(&json, &value);
    }
    if (ads_json_end(&json) != ADS_OK || !usable || jws->alg.len == 0) {
        return ADS_INVALID;
    }
    return jws->kid.len > JWS_KID_MAX ? ADS_TOO_LARGE : ADS_OK;
}


enum ads_err
jws_read(struct jws *jws, struct pool *pool, struct ads_str text)
{
    struct ads_str parts[3];
    enum ads_err err;

    *jws = (struct jws){.payload_len = 0};
    if (text.len > JWS_LEN_MAX) {
        return ADS_TOO_LARGE;
    }
    if (text.len == 0 || !split(parts, text)) {
        return ADS_INVALID;
    }
    err = header_read(jws, pool, parts[0]);
    if (err != ADS_OK) {
        return err;
    }
    jws->payload = (char *)jws_base64url(&jws->payload_len, pool, parts[1]);
    jws->signature = jws_base64url(&jws->signature_len, pool, parts[2]);
    if (jws->payload == NULL || jws->signature == NULL) {
        return ADS_INVALID;
    }
    jws->signed_part =
        (struct ads_str){text.ptr, parts[0].len + 1 + parts[1].len};
    return ADS_OK;
}


bool
jws_same(struct ads_str a, struct ads_str b)
{
    return a.ptr != NULL && b.ptr != NULL && ads_str_equal(a, b);
}


bool
jws_has_type(const struct jws *jws, const char *type)
{
    const size_t prefix = sizeof(MEDIA_PREFIX) - 1;
    struct ads_str typ = jws->typ;

    if (typ.ptr == NULL) {
        return false;
    }
    if (typ.len > prefix && strncasecmp(typ.ptr, MEDIA_PREFIX, prefix) == 0) {
        typ.ptr += prefix;
        typ.len -= prefix;
    }
    return typ.len == strlen(type) && strncasecmp(typ.ptr, type, typ.len) == 0;
}


bool
jws_time_read(int64_t *unix_s, const struct ads_json_value *value)
{
    int64_t number = 0;

    if (value->type != ADS_JSON_NUMBER || value->text.len > TIME_DIGITS_MAX) {
        return false;
    }
    for (size_t i = 0; i < value->text.len; i++) {
        char digit = value->text.ptr[i];

        if (!ads_char_is_digit(digit)) {
            return false;
        }
        number = number * 10 + (digit - '0');
    }
    *unix_s = number;
    return true;
}
