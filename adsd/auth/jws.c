/*
 * Splits a compact JWS. Text only: the parts of a token, none of them trusted.
 */
#include "auth/jws.h"

#include <strings.h>

#include "base/foreign.h"

#define MEDIA_PREFIX "application/"


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


static enum ads_err
header_read(struct jws *jws, struct pool *pool, struct ads_str part)
{
    const struct json_t *header;
    size_t len;
    uint8_t *text = jws_base64url(&len, pool, part);

    if (text == NULL) {
        return ADS_INVALID;
    }
    header = foreign_read(pool, (const char *)text, len);
    if (!foreign_is_object(header) || foreign_find(header, "crit") != NULL
        || !foreign_text_find(&jws->alg, header, "alg")
        || !foreign_text_find(&jws->typ, header, "typ")
        || !foreign_text_find(&jws->kid, header, "kid") || jws->alg.len == 0)
    {
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
    jws->payload =
        (const char *)jws_base64url(&jws->payload_len, pool, parts[1]);
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
