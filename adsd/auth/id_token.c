/*
 * Validates ID tokens: the signature first, then every claim; a token that
 * fails says why by a constant text, never by its own bytes.
 */
#include "auth/id_token.h"

#include "ads_id.h"
#include "base/foreign.h"

/* the claims as they stand; ptr NULL: absent */
struct claims {
    struct ads_str iss, sub, azp, nonce, tid, email, name;
    bool audience; /* it is this service, and no other */
    bool email_verified, xms_edov;
    int64_t exp, iat, nbf; /* -1: absent */
};

struct reader {
    struct claims claims;
    const struct id_token_wanted *wanted;
    const char *why; /* the first thing that is wrong */
};


static void
wrong(struct reader *reader, const char *why)
{
    if (reader->why == NULL) {
        reader->why = why;
    }
}


/* Is `aud` our client id, or a list of it alone? */
static bool
audience_check(const struct json_t *aud, struct ads_str client_id)
{
    if (foreign_is_array(aud)) {
        return foreign_at(aud, 1) == NULL
               && jws_same(foreign_text(foreign_at(aud, 0)), client_id);
    }
    return jws_same(foreign_text(aud), client_id);
}


static void
times_read(struct reader *reader, const struct json_t *document)
{
    struct claims *claims = &reader->claims;
    const struct {
        const char *name;
        int64_t *to;
    } times[] = {
        {"exp", &claims->exp}, {"iat", &claims->iat}, {"nbf", &claims->nbf}};

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        const struct json_t *time = foreign_find(document, times[i].name);

        if (time != NULL && !foreign_whole(times[i].to, time)) {
            wrong(reader, "a time that is none");
        }
    }
}


static void
claims_read(struct reader *reader, const struct json_t *document)
{
    struct claims *claims = &reader->claims;
    const struct {
        const char *name;
        struct ads_str *to;
    } texts[] = {
        {"iss", &claims->iss},   {"sub", &claims->sub},
        {"azp", &claims->azp},   {"nonce", &claims->nonce},
        {"tid", &claims->tid},   {"email", &claims->email},
        {"name", &claims->name},
    };

    if (document == NULL) {
        wrong(reader, "claims that are no JSON");
    } else if (!foreign_is_object(document)) {
        wrong(reader, "claims that are no object");
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (!foreign_text_find(texts[i].to, document, texts[i].name)) {
            wrong(reader, "a claim of the wrong type");
        }
    }
    times_read(reader, document);
    claims->audience = audience_check(foreign_find(document, "aud"),
                                      reader->wanted->client_id);
    /* "true", 1 and the like are not true */
    claims->email_verified =
        foreign_is_true(foreign_find(document, "email_verified"));
    claims->xms_edov = foreign_is_true(foreign_find(document, "xms_edov"));
}


struct ads_str
id_token_issuer(struct pool *pool, struct ads_str issuer, struct ads_str tenant)
{
    const size_t len = sizeof(ID_TOKEN_TENANT) - 1;
    struct ads_str filled;
    const char *text, *at;

    if (issuer.ptr == NULL) {
        return issuer;
    }
    text = pool_text(pool, issuer);
    at = strstr(text, ID_TOKEN_TENANT);
    if (at == NULL) {
        return issuer;
    }
    if (tenant.ptr == NULL) {
        return tenant; /* of no tenant: no issuer */
    }
    filled.ptr = pool_format(pool, &filled.len, "%.*s%.*s%s", (int)(at - text),
                             text, (int)tenant.len, tenant.ptr, at + len);
    return filled;
}


/* The tenant, if it is a UUID: nothing else may be part of an address. */
static struct ads_str
tenant_of(const struct claims *claims)
{
    struct ads_uuid uuid;

    if (claims->tid.ptr == NULL || !ads_uuid_read(&uuid, claims->tid)) {
        return (struct ads_str){NULL, 0};
    }
    return claims->tid;
}


static enum ads_err
claims_check(struct reader *reader)
{
    const struct claims *claims = &reader->claims;
    const struct id_token_wanted *wanted = reader->wanted;

    if (!claims->audience) {
        wrong(reader, "not for us alone (aud)");
    }
    if (claims->azp.ptr != NULL && !jws_same(claims->azp, wanted->client_id)) {
        wrong(reader, "given to another client (azp)");
    }
    if (!jws_same(claims->nonce, wanted->nonce)) {
        wrong(reader, "of another sign-in (nonce)");
    }
    if (claims->sub.len == 0 || claims->sub.len > ID_TOKEN_SUBJECT_MAX) {
        wrong(reader, "without a subject (sub)");
    }
    if (claims->exp < 0 || claims->iat < 0) {
        wrong(reader, "without its time (exp, iat)");
    }
    if (claims->iat > wanted->now_s + ID_TOKEN_LEEWAY_S
        || claims->nbf > wanted->now_s + ID_TOKEN_LEEWAY_S)
    {
        wrong(reader, "of the future (iat, nbf)");
    }
    if (reader->why != NULL) {
        return ADS_INVALID;
    }
    if (claims->exp + ID_TOKEN_LEEWAY_S <= wanted->now_s) {
        wrong(reader, "expired");
        return ADS_EXPIRED;
    }
    return ADS_OK;
}


enum ads_err
id_token_read(struct id_token *token, struct pool *pool,
              const struct jose_keys *keys, struct ads_str text,
              const struct id_token_wanted *wanted, const char **why)
{
    struct reader reader = {.wanted = wanted,
                            .claims = {.exp = -1, .iat = -1, .nbf = -1}};
    const struct claims *claims = &reader.claims;
    struct ads_str key_issuer, issuer;
    bool bound; /* the key is one issuer's */
    struct jws jws;
    enum ads_err err;

    *why = "no compact JWS";
    if (jws_read(&jws, pool, text) != ADS_OK) {
        return ADS_INVALID;
    }
    *why = "not signed by a key of the provider";
    err = jose_verify(keys, &jws, &key_issuer);
    if (err != ADS_OK) {
        return err == ADS_ABSENT ? ADS_ABSENT : ADS_FORGED;
    }

    claims_read(&reader, foreign_read(pool, jws.payload, jws.payload_len));
    bound = key_issuer.ptr != NULL;
    issuer = id_token_issuer(pool, wanted->issuer, tenant_of(claims));
    key_issuer = id_token_issuer(pool, key_issuer, tenant_of(claims));
    if (!jws_same(claims->iss, issuer)
        || (bound && !jws_same(claims->iss, key_issuer)))
    {
        wrong(&reader, "of another issuer (iss)");
    }
    err = claims_check(&reader);
    *why = reader.why;
    if (err == ADS_OK) {
        *token = (struct id_token){
            .issuer = issuer,
            .subject = claims->sub,
            .email = claims->email,
            .name = claims->name,
            .email_verified = claims->email_verified,
            .xms_edov = claims->xms_edov,
        };
    }
    return err;
}
