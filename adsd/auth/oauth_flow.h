/*
 * Secrets of one sign-in with a provider, from the redirect there to the
 * callback.
 *
 * Two random secrets: `state` goes through the provider and comes back,
 * `browser` waits in a cookie.  PostgreSQL keeps only their SHA-256; the PKCE
 * verifier (RFC 7636) and the nonce are made of both, so they are stored
 * nowhere and only the browser that began can end the sign-in.
 *
 * The cookie is HttpOnly and SameSite=Lax, for the callback is a link followed
 * from another site.  On https its name begins with __Host-, so no other host
 * and no plain http can set it; a plain-http loopback has it without.
 */
#ifndef ADSD_OAUTH_FLOW_H
#define ADSD_OAUTH_FLOW_H

#include "ads_bytes.h"
#include "auth/jose.h"
#include "http/request.h"

#define OAUTH_SECRET_LEN 43 /* 32 bytes as base64url */
#define OAUTH_FLOW_S 600

struct oauth_flow {
    char state[OAUTH_SECRET_LEN + 1];
    char browser[OAUTH_SECRET_LEN + 1];
    char verifier[OAUTH_SECRET_LEN + 1];
    char challenge[OAUTH_SECRET_LEN + 1]; /* S256 of the verifier */
    char nonce[OAUTH_SECRET_LEN + 1];
    uint8_t state_hash[JOSE_SHA256_LEN];
    uint8_t browser_hash[JOSE_SHA256_LEN];
};

/* A new one, with new secrets. */
void
oauth_flow_make(struct oauth_flow *flow);

/*
 * The one that comes back; false when the texts are not the secrets of this
 * sign-in.
 */
ADS_MUST bool
oauth_flow_read(struct oauth_flow *flow, struct ads_str state,
                struct ads_str browser);

/* Sets the cookie, or takes it away. */
void
oauth_cookie_set(struct request *request, const struct oauth_flow *flow);
void
oauth_cookie_clear(struct request *request);

/* What the browser sent; ptr NULL: nothing, or more than one. */
struct ads_str
oauth_cookie_find(const struct request *request);

#endif
