/*
 * OAuth and OpenID Connect: where a browser is sent, whether the answer that
 * comes back is the asked provider's, and who it is that signed in.
 *
 * OAuth 2.0 with RFC 9700's rules: code flow only, PKCE S256 always, one
 * redirect address a provider, `iss` held against the provider when it is sent
 * or was promised (RFC 9207).  Google and Microsoft say who it is in an ID
 * token, GitHub through its API.
 */
#ifndef ADSD_OAUTH_H
#define ADSD_OAUTH_H

#include "auth/oauth_flow.h"
#include "auth/oauth_provider.h"

#define OAUTH_CODE_MAX 4096

struct oauth_identity {
    struct ads_str issuer;
    struct ads_str subject;
    struct ads_str email; /* ptr NULL: none that can be used */
    struct ads_str name;  /* ptr NULL: none */
    bool verified;        /* the provider vouches for the e-mail */
};

/* Where to send the browser, in the pool. */
ADS_MUST enum ads_err
oauth_authorize_url(struct ads_str *url, struct oauth_provider *provider,
                    struct pool *pool, const struct oauth_flow *flow);

/* Is this `iss` of an answer (ptr NULL: not sent) the provider's?  ADS_FORGED
 * when it is not; else as oauth_endpoints_find. */
ADS_MUST enum ads_err
oauth_issuer_check(struct oauth_provider *provider, struct pool *pool,
                   struct ads_str iss);

/*
 * Exchanges the code, and says who signed in.  ADS_UNAVAILABLE: the provider is
 * down or slow; ADS_INVALID: what it answered is no use, or not for us.  Both
 * are logged.
 */
ADS_MUST enum ads_err
oauth_identify(struct oauth_identity *identity, struct oauth_provider *provider,
               struct pool *pool, struct ads_str code,
               const struct oauth_flow *flow);

/* An e-mail as providers may hand it on: ASCII, so that no two spellings of it
 * look or fold alike; ptr NULL when it is none. */
struct ads_str
oauth_email(struct ads_str text);

#endif
