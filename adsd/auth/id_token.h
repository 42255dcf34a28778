/*
 * ID tokens (OpenID Connect Core 3.1.3.7): what an identity provider says about
 * the person who has signed in, trusted once signature and claims were checked.
 *
 * Taken is a token for us alone: signed by one of the provider's keys, `iss`
 * exactly the issuer, `aud` our client id and no other, `azp` ours when it is
 * there, `nonce` the one of this sign-in, `exp` not over, `iat` and `nbf` not
 * ahead, a `sub` of 1 to 255 bytes.  An issuer may hold "{tenantid}", as
 * Microsoft's does for all tenants: the token's `tid`, a UUID, stands there,
 * and the key's own issuer, if it has one, must be the same.
 */
#ifndef ADSD_ID_TOKEN_H
#define ADSD_ID_TOKEN_H

#include "auth/jose.h"

#define ID_TOKEN_LEEWAY_S 60
#define ID_TOKEN_SUBJECT_MAX 255
#define ID_TOKEN_TENANT "{tenantid}"

/* what this sign-in wants to see */
struct id_token_wanted {
    struct ads_str issuer; /* may hold ID_TOKEN_TENANT */
    struct ads_str client_id;
    struct ads_str nonce;
    int64_t now_s;
};

struct id_token {
    struct ads_str issuer; /* with the tenant filled in */
    struct ads_str subject;
    struct ads_str email; /* ptr NULL: none */
    struct ads_str name;  /* ptr NULL: none */
    bool email_verified;  /* Google: true, and nothing else that means it */
    bool xms_edov;        /* Microsoft: the owner of the domain vouches */
};

/*
 * Verifies and reads.  ADS_OK; ADS_ABSENT: signed by a key that is not in the
 * set; ADS_FORGED, ADS_EXPIRED or ADS_INVALID, with a constant text in *why.
 * What the token says lives in the pool.
 */
ADS_MUST enum ads_err
id_token_read(struct id_token *token, struct pool *pool,
              const struct jose_keys *keys, struct ads_str text,
              const struct id_token_wanted *wanted, const char **why);

/* "{tenantid}" replaced, ptr NULL without a tenant; the issuer itself when it
 * has none. */
struct ads_str
id_token_issuer(struct pool *pool, struct ads_str issuer,
                struct ads_str tenant);

#endif
