/*
 * Looks into an access token without a key.  It is laxer than adsd's reader and
 * never stricter: what it refuses, adsd would refuse in the same words.
 */
#include "ads_jwt.h"
#include "ads_json.h"
#include "ads_money.h"

#include <string.h>

#define SIGNATURE_LEN 64
#define PART_MAX (ADS_JWT_TEXT_MAX * 3 / 4)


/* Decodes the part that ends at the next dot and moves behind it.  False: no
 * dot, or no base64url. */
static bool
part_read(char dst[PART_MAX], struct ads_str *text, size_t *len)
{
    const char *dot = text->len == 0 ? NULL : memchr(text->ptr, '.', text->len);
    struct ads_str part;

    if (dot == NULL) {
        return false;
    }
    part = (struct ads_str){text->ptr, (size_t)(dot - text->ptr)};
    *text = ads_str_tail(*text, part.len + 1);
    *len = part.len * 3 / 4;
    return *len > 0 && ads_base64url_read((uint8_t *)dst, *len, part);
}


/* A member of an object that is nothing else; false: no object, or not there.
 * The bytes are no JSON any more afterwards. */
static bool
member_find(char *bytes, size_t len, struct ads_str name,
            struct ads_json_value *found)
{
    struct ads_json json;
    struct ads_json_value value;
    struct ads_str key;

    found->type = ADS_JSON_NONE;
    ads_json_init(&json, bytes, len);
    ads_json_read(&json, &value);
    if (value.type != ADS_JSON_OBJECT) {
        return false;
    }
    while (ads_json_member(&json, &key)) {
        ads_json_read(&json, &value);
        if (ads_str_equal(key, name)) {
            *found = value;
        }
        ads_json_skip(&json, &value);
    }
    return ads_json_end(&json) == ADS_OK && found->type != ADS_JSON_NONE;
}


enum ads_err
ads_jwt_peek(struct ads_str text, int64_t now_s)
{
    uint8_t signature[SIGNATURE_LEN];
    char bytes[PART_MAX];
    struct ads_json_value value;
    int64_t expires_s;
    size_t len;

    if (text.len > ADS_JWT_TEXT_MAX || !part_read(bytes, &text, &len)
        || !member_find(bytes, len, ADS_STR("alg"), &value)
        || value.type != ADS_JSON_STRING || !ads_str_is(value.text, "EdDSA")
        || !part_read(bytes, &text, &len)
        || !member_find(bytes, len, ADS_STR("exp"), &value)
        || value.type != ADS_JSON_NUMBER
        || ads_money_integer_read(&expires_s, value.text) != ADS_OK
        || !ads_base64url_read(signature, sizeof(signature), text))
    {
        return ADS_INVALID;
    }
    if (expires_s > now_s + ADS_JWT_LIFE_S + ADS_JWT_LEEWAY_S) {
        return ADS_INVALID;
    }
    return expires_s + ADS_JWT_LEEWAY_S <= now_s ? ADS_EXPIRED : ADS_OK;
}
