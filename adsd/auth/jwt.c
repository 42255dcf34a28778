/*
 * Making and judging access tokens; taking them apart is jws.h.
 */
#include "auth/jwt.h"

#include <sodium.h>

#include "auth/jws.h"
#include "base/json.h"

#define TYPE "at+jwt"
#define ALGORITHM "EdDSA"
#define JTI_LEN 16

struct claims {
    struct ads_str issuer;
    bool has_audience; /* ours is among them */
    bool has_expiry;
    bool has_start; /* nbf */
    bool has_issue;
    bool has_jti;
    int64_t start_s;
    struct auth_jwt *jwt;
};


/* `aud` is a text or a list of texts; ours must be there. */
static bool
audience_read(struct claims *claims, struct ads_json *json,
              const struct ads_json_value *value, const char *wanted)
{
    struct ads_json_value one;
    bool texts = true;

    if (value->type == ADS_JSON_STRING) {
        claims->has_audience = ads_str_is(value->text, wanted);
        return true;
    }
    if (value->type != ADS_JSON_ARRAY) {
        return false;
    }
    while (ads_json_element(json)) {
        ads_json_read(json, &one);
        texts = texts && one.type == ADS_JSON_STRING;
        claims->has_audience =
            claims->has_audience
            || (one.type == ADS_JSON_STRING && ads_str_is(one.text, wanted));
        ads_json_skip(json, &one);
    }
    return texts;
}


/* One claim; false when it has the wrong type, which spoils the token. */
static bool
claim_read(struct claims *claims, struct ads_str key, struct ads_json *json,
           const struct ads_json_value *value, const char *audience)
{
    struct auth_jwt *jwt = claims->jwt;
    struct ads_str jti = {NULL, 0};
    const struct {
        const char *name;
        struct ads_str *text;
        int64_t *time;
        bool *has;
    } known[] = {
        {"iss", &claims->issuer, NULL, NULL},
        {"sub", &jwt->subject, NULL, NULL},
        {"sid", &jwt->session, NULL, NULL},
        {"acc", &jwt->account, NULL, NULL},
        {"jti", &jti, NULL, &claims->has_jti},
        {"exp", NULL, &jwt->expires_s, &claims->has_expiry},
        {"nbf", NULL, &claims->start_s, &claims->has_start},
        {"iat", NULL, &jwt->issued_s, &claims->has_issue},
    };

    if (ads_str_is(key, "aud")) {
        return audience_read(claims, json, value, audience);
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!ads_str_is(key, known[i].name)) {
            continue;
        }
        if (known[i].has != NULL) {
            *known[i].has = true;
        }
        if (known[i].time != NULL) {
            return jws_time_read(known[i].time, value);
        }
        *known[i].text = value->text;
        return value->type == ADS_JSON_STRING && value->text.len > 0
               && !value->has_nul;
    }
    return true;
}


static bool
claims_read(struct claims *claims, struct jws *jws, const char *audience)
{
    struct ads_json_value value;
    struct ads_json json;
    struct ads_str key;
    bool usable = true;

    ads_json_init(&json, jws->payload, jws->payload_len);
    ads_json_read(&json, &value);
    if (value.type != ADS_JSON_OBJECT) {
        return false;
    }
    while (ads_json_member(&json, &key)) {
        ads_json_read(&json, &value);
        usable = claim_read(claims, key, &json, &value, audience) && usable;
        ads_json_skip(&json, &value);
    }
    return ads_json_end(&json) == ADS_OK && usable;
}


/* Of a token whose signature is ours. */
static enum ads_err
claims_judge(const struct claims *claims, const struct auth_jwt_rules *rules)
{
    const struct auth_jwt *jwt = claims->jwt;
    int64_t latest_s = rules->now_s + AUTH_JWT_LEEWAY_S;

    if (claims->issuer.ptr == NULL || !ads_str_is(claims->issuer, rules->issuer)
        || !claims->has_audience || jwt->subject.len == 0 || !claims->has_expiry
        || !claims->has_issue || !claims->has_jti)
    {
        return ADS_DENIED;
    }
    if (jwt->issued_s > latest_s
        || (claims->has_start && claims->start_s > latest_s)
        || jwt->expires_s - jwt->issued_s > rules->life_max_s)
    {
        return ADS_DENIED;
    }
    return jwt->expires_s + AUTH_JWT_LEEWAY_S <= rules->now_s ? ADS_EXPIRED
                                                              : ADS_OK;
}


enum ads_err
auth_jwt_check(struct auth_jwt *jwt, struct pool *pool,
               const struct auth_jwt_rules *rules, struct ads_str token)
{
    struct claims claims = {.jwt = jwt};
    struct jws jws;

    memset(jwt, 0, sizeof(*jwt));
    if (jws_read(&jws, pool, token) != ADS_OK || !ads_str_is(jws.alg, ALGORITHM)
        || !jws_has_type(&jws, TYPE) || jws.signature_len != AUTH_SIGNATURE_LEN
        || !auth_keys_verify(rules->keys, jws.kid, jws.signature,
                             jws.signed_part))
    {
        return ADS_DENIED;
    }
    if (!claims_read(&claims, &jws, rules->audience)) {
        return ADS_DENIED;
    }
    return claims_judge(&claims, rules);
}


static struct ads_str
part_write(struct pool *pool, struct ads_str bytes)
{
    struct ads_str part = {.len = ADS_BASE64URL_LEN(bytes.len)};
    char *text = pool_alloc(pool, part.len + 1);

    (void)ads_base64url_write(text, bytes.ptr, bytes.len);
    part.ptr = text;
    return part;
}


static struct ads_str
header_write(struct pool *pool, const char *kid)
{
    struct json json;

    json_init(&json, pool);
    json_object_begin(&json, NULL);
    json_constant(&json, "alg", ALGORITHM);
    json_constant(&json, "typ", TYPE);
    json_constant(&json, "kid", kid);
    json_object_end(&json);
    return part_write(pool, json_text(&json));
}


static struct ads_str
payload_write(struct pool *pool, const struct auth_jwt_claims *claims)
{
    uint8_t random[JTI_LEN];
    char jti[2 * JTI_LEN + 1];
    struct json json;

    randombytes_buf(random, sizeof(random));
    *ads_hex_write(jti, random, sizeof(random)) = '\0';
    json_init(&json, pool);
    json_object_begin(&json, NULL);
    json_constant(&json, "iss", claims->issuer);
    json_constant(&json, "aud", AUTH_JWT_AUDIENCE);
    json_uuid(&json, "sub", claims->user);
    json_uuid(&json, "sid", claims->session);
    json_uuid(&json, "acc", claims->account);
    json_constant(&json, "jti", jti);
    json_int(&json, "iat", claims->now_s);
    json_int(&json, "exp", claims->now_s + AUTH_JWT_LIFE_S);
    json_object_end(&json);
    return part_write(pool, json_text(&json));
}


struct ads_str
auth_jwt_make(struct pool *pool, struct auth_keys *keys,
              const struct auth_jwt_claims *claims)
{
    uint8_t signature[AUTH_SIGNATURE_LEN];
    char kid[AUTH_KID_MAX + 1];
    struct ads_str payload = payload_write(pool, claims);
    struct ads_str head, body, tail, whole;

    do { /* again when the key was changed in between */
        auth_keys_kid(keys, kid);
        head = header_write(pool, kid);
        body.ptr = pool_format(pool, &body.len, "%.*s.%.*s", (int)head.len,
                               head.ptr, (int)payload.len, payload.ptr);
    } while (!auth_keys_sign(keys, kid, signature, body));

    tail = part_write(
        pool, (struct ads_str){(const char *)signature, sizeof(signature)});
    whole.ptr = pool_format(pool, &whole.len, "%.*s.%.*s", (int)body.len,
                            body.ptr, (int)tail.len, tail.ptr);
    return whole;
}


bool
auth_jwt_looks_like(struct ads_str credential)
{
    return credential.len > 0
           && memchr(credential.ptr, '.', credential.len) != NULL;
}
