/*
 * Access tokens: a JWT (RFC 7519, 9068) signed with Ed25519, 15 minutes long.
 *
 *     {"alg":"EdDSA","typ":"at+jwt","kid":"k1"}
 *     {"iss":"https://ads.example.org","aud":"ads-api","sub":"<user>",
 *      "sid":"<session>","acc":"<account>","jti":"...","iat":1,"exp":901}
 *
 * Checked after RFC 8725: the algorithm is ours and never the token's choice,
 * the type is said, issuer and audience are ours, the time is given, and no key
 * comes out of a token.  A token without a kid is tried with every key.  The
 * clocks of two nodes may differ by AUTH_JWT_LEEWAY_S.
 *
 * A good token only says that we made it: whether its session still lives is
 * for auth_session to find out.
 */
#ifndef ADSD_AUTH_JWT_H
#define ADSD_AUTH_JWT_H

#include "ads_id.h"
#include "ads_jwt.h"
#include "base/pool.h"
#include "daemon/auth_keys.h"

#define AUTH_JWT_AUDIENCE "ads-api"
#define AUTH_JWT_LIFE_S ADS_JWT_LIFE_S
#define AUTH_JWT_LEEWAY_S ADS_JWT_LEEWAY_S

/* What a verifier expects.  `issuer` and `audience` have no NUL inside. */
struct auth_jwt_rules {
    struct auth_keys *keys;
    const char *issuer;
    const char *audience;
    int64_t life_max_s; /* exp - iat is at most this */
    int64_t now_s;
};

struct auth_jwt {
    struct ads_str subject; /* never empty; borrowed from the pool */
    struct ads_str session; /* ptr NULL: not said */
    struct ads_str account;
    int64_t issued_s;
    int64_t expires_s;
};

/* Verifies a token.  ADS_DENIED whatever is wrong with it; ADS_EXPIRED when it
 * was good once. */
ADS_MUST enum ads_err
auth_jwt_check(struct auth_jwt *jwt, struct pool *pool,
               const struct auth_jwt_rules *rules, struct ads_str token);

struct auth_jwt_claims {
    const char *issuer;
    int64_t now_s;
    const struct ads_uuid *user;
    const struct ads_uuid *session;
    const struct ads_uuid *account;
};

/* A new token, in the pool. */
struct ads_str
auth_jwt_make(struct pool *pool, struct auth_keys *keys,
              const struct auth_jwt_claims *claims);

/* Does the text look like a JWT rather than an API key?  Says nothing about
 * its worth. */
bool
auth_jwt_looks_like(struct ads_str credential);

#endif
