/*
 * Makes and verifies access tokens; jws.h splits them.
 */
#include "auth/jwt.h"

#include <sodium.h>

#include "auth/jws.h"
#include "base/foreign.h"

#define TYPE "at+jwt"
#define ALGORITHM "EdDSA"
#define JTI_LEN 16

struct claims {
    struct ads_str issuer;
    struct ads_str jti;
    bool has_audience; /* ours is among them */
    bool has_expiry;
    bool has_issue;
    int64_t start_s; /* nbf; 0: not said */
    struct auth_jwt *jwt;
};


/* `aud` is a text or a list of texts; ours must be there. */
static bool
audience_check(const struct json_t *aud, const char *wanted)
{
    const struct json_t *one;
    bool found = false;

    if (!foreign_is_array(aud)) {
        return ads_str_is(foreign_text(aud), wanted);
    }
    for (size_t i = 0; (one = foreign_at(aud, i)) != NULL; i++) {
        if (foreign_text(one).ptr == NULL) {
            return false;
        }
        found = found || ads_str_is(foreign_text(one), wanted);
    }
    return found;
}


/* False when a claim has the wrong type, which spoils the token. */
static bool
claims_read(struct claims *claims, const struct json_t *document)
{
    struct auth_jwt *jwt = claims->jwt;
    const struct {
        const char *name;
        struct ads_str *to;
    } texts[] = {
        {"iss", &claims->issuer}, {"sub", &jwt->subject},
        {"sid", &jwt->session},   {"acc", &jwt->account},
        {"jti", &claims->jti},
    };
    const struct {
        const char *name;
        int64_t *to;
    } times[] = {{"exp", &jwt->expires_s},
                 {"nbf", &claims->start_s},
                 {"iat", &jwt->issued_s}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (!foreign_text_find(texts[i].to, document, texts[i].name)
            || (texts[i].to->ptr != NULL && texts[i].to->len == 0))
        {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        const struct json_t *time = foreign_find(document, times[i].name);

        if (time != NULL && !foreign_whole(times[i].to, time)) {
            return false;
        }
    }
    claims->has_expiry = foreign_find(document, "exp") != NULL;
    claims->has_issue = foreign_find(document, "iat") != NULL;
    return true;
}


/* Of a token whose signature is ours. */
static enum ads_err
claims_check(const struct claims *claims, const struct auth_jwt_rules *rules)
{
    const struct auth_jwt *jwt = claims->jwt;
    int64_t latest_s = rules->now_s + AUTH_JWT_LEEWAY_S;

    if (claims->issuer.ptr == NULL || !ads_str_is(claims->issuer, rules->issuer)
        || !claims->has_audience || jwt->subject.len == 0 || !claims->has_expiry
        || !claims->has_issue || claims->jti.ptr == NULL)
    {
        return ADS_DENIED;
    }
    if (jwt->issued_s > latest_s || claims->start_s > latest_s
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
    const struct json_t *document;
    struct jws jws;

    memset(jwt, 0, sizeof(*jwt));
    if (jws_read(&jws, pool, token) != ADS_OK || !ads_str_is(jws.alg, ALGORITHM)
        || !jws_has_type(&jws, TYPE) || jws.signature_len != AUTH_SIGNATURE_LEN
        || !auth_keys_verify(rules->keys, jws.kid, jws.signature,
                             jws.signed_part))
    {
        return ADS_DENIED;
    }
    document = foreign_read(pool, jws.payload, jws.payload_len);
    if (!foreign_is_object(document) || !claims_read(&claims, document)) {
        return ADS_DENIED;
    }
    claims.has_audience =
        audience_check(foreign_find(document, "aud"), rules->audience);
    return claims_check(&claims, rules);
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


/* With a NUL behind it. */
static const char *
uuid_text(struct pool *pool, const struct ads_uuid *id)
{
    char *text = pool_alloc(pool, ADS_UUID_TEXT_LEN + 1);

    (void)ads_uuid_write(text, id);
    return text;
}


static struct ads_str
payload_write(struct pool *pool, const struct auth_jwt_claims *claims)
{
    uint8_t random[JTI_LEN];
    char jti[2 * JTI_LEN + 1];

    randombytes_buf(random, sizeof(random));
    *ads_hex_write(jti, random, sizeof(random)) = '\0';
    return part_write(
        pool, foreign_write(pool, "{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I}",
                            "iss", claims->issuer, "aud", AUTH_JWT_AUDIENCE,
                            "sub", uuid_text(pool, claims->user), "sid",
                            uuid_text(pool, claims->session), "acc",
                            uuid_text(pool, claims->account), "jti", jti, "iat",
                            (long long)claims->now_s, "exp",
                            (long long)claims->now_s + AUTH_JWT_LIFE_S));
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
        head =
            part_write(pool, foreign_write(pool, "{s:s, s:s, s:s}", "alg",
                                           ALGORITHM, "typ", TYPE, "kid", kid));
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
