/*
 * The signature first, then every claim; a token that fails says why by a
 * constant text, never by its own bytes.
 */
#include "auth/id_token.h"

#include "ads_id.h"

/* the claims as they stand; ptr NULL: absent */
struct claims {
    struct ads_str iss, sub, azp, nonce, tid, email, name;
    bool audience; /* it is us, and nobody besides */
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


/* `aud`: our client id, or a list of it alone. */
static void
audience_read(struct reader *reader, struct ads_json *json,
              const struct ads_json_value *value)
{
    struct ads_json_value item;
    size_t n = 0, n_ours = 0;

    if (value->type == ADS_JSON_STRING) {
        reader->claims.audience =
            jws_same(value->text, reader->wanted->client_id);
    } else if (value->type == ADS_JSON_ARRAY) {
        while (ads_json_element(json)) {
            ads_json_read(json, &item);
            n_ours += item.type == ADS_JSON_STRING
                      && jws_same(item.text, reader->wanted->client_id);
            n++;
            ads_json_skip(json, &item);
        }
        reader->claims.audience = n == 1 && n_ours == 1;
    }
}


static void
claim_read(struct reader *reader, struct ads_str name,
           const struct ads_json_value *value)
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
    const struct {
        const char *name;
        int64_t *to;
    } times[] = {
        {"exp", &claims->exp}, {"iat", &claims->iat}, {"nbf", &claims->nbf}};
    const struct {
        const char *name;
        bool *to;
    } truths[] = {{"email_verified", &claims->email_verified},
                  {"xms_edov", &claims->xms_edov}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (ads_str_is(name, texts[i].name)) {
            *texts[i].to = value->text;
            if (value->type != ADS_JSON_STRING || value->has_nul) {
                wrong(reader, "a claim of the wrong type");
            }
        }
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        if (ads_str_is(name, times[i].name)
            && !jws_time_read(times[i].to, value)) {
            wrong(reader, "a time that is none");
        }
    }
    /* "true", 1 and the like are not true */
    for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
        if (ads_str_is(name, truths[i].name)) {
            *truths[i].to = value->type == ADS_JSON_BOOL && value->truth;
        }
    }
}


static void
claims_read(struct reader *reader, char *text, size_t len)
{
    struct ads_json_value value;
    struct ads_json json;
    struct ads_str name;

    ads_json_init(&json, text, len);
    ads_json_read(&json, &value);
    if (value.type != ADS_JSON_OBJECT) {
        wrong(reader, "claims that are no object");
        return;
    }
    while (ads_json_member(&json, &name)) {
        ads_json_read(&json, &value);
        if (ads_str_is(name, "aud")) {
            audience_read(reader, &json, &value);
        } else {
            claim_read(reader, name, &value);
        }
        ads_json_skip(&json, &value);
    }
    if (ads_json_end(&json) != ADS_OK) {
        wrong(reader, "claims that are no JSON");
    }
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


/* The tenant, if it is a UUID: nothing else may stand in an address. */
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
        wrong(reader, "of nobody (sub)");
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

    claims_read(&reader, jws.payload, jws.payload_len);
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
