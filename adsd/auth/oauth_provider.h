/*
 * Identity providers Google, GitHub and Microsoft: which of them are
 * configured, their addresses, and the keys with which they sign.
 *
 * Google and Microsoft are asked for both (OpenID Connect Discovery), GitHub's
 * addresses are configuration.  What was learnt is kept for an hour, and used
 * for a day while the provider cannot be asked; keys are asked for again at
 * once when a token names an unknown one, but at most once a minute.
 *
 * One struct oauth for the whole daemon; its caches look after themselves, any
 * thread may ask.
 */
#ifndef ADSD_OAUTH_PROVIDER_H
#define ADSD_OAUTH_PROVIDER_H

#include "auth/https.h"
#include "auth/jose.h"
#include "base/conf.h"
#include "base/log.h"

#define OAUTH_DUTY "oauth"
#define OAUTH_KEEP_MS (60 * 60 * 1000)
#define OAUTH_STALE_MS (24 * 60 * 60 * 1000)
#define OAUTH_RENEW_MS (60 * 1000)
#define OAUTH_PATIENCE_MS 1000

struct oauth;
struct oauth_provider;

/* What is known of a provider without asking it. */
struct oauth_about {
    const char *name;  /* in paths: "google" */
    const char *scope; /* what a sign-in asks for */
    bool oidc;         /* gives ID tokens */
    const char *client_id;
    const char *secret;
    struct ads_str issuer; /* may hold ID_TOKEN_TENANT */
    const char *api_url;   /* of GitHub */
    const char *redirect_uri;
    struct https_rules rules;
    struct log *log;
};

struct oauth_endpoints {
    const char *authorize;
    const char *token;
    bool sends_iss; /* promised to name itself in its answer (RFC 9207) */
};

/* Reads the secrets.  ADS_INVALID, logged, when one that is configured cannot
 * be had.  Free with oauth_close() in either case.  Once *stop is true no
 * provider is waited for. */
ADS_MUST enum ads_err
oauth_open(struct oauth **oauth, const struct conf *conf, struct log *log,
           const _Atomic bool *stop);
void
oauth_close(struct oauth *oauth);

/* The provider of that name, borrowed; NULL when there is none such, or none
 * configured. */
struct oauth_provider *
oauth_find(struct oauth *oauth, struct ads_str name);

/* That provider; NULL when it is not configured. */
struct oauth_provider *
oauth_at(struct oauth *oauth, enum conf_provider which);

/* A provider's name as in the tables; NULL when it is none, configured or
 * not. */
const char *
oauth_name_find(struct ads_str name);

const struct oauth_about *
oauth_about(const struct oauth_provider *provider);

/*
 * As https_ask, of this provider.  One that is slow is asked by one thread at a
 * time, so that it holds up no other: ADS_BUSY at once for the next.  Slow is
 * one that let a request time out, until it answers again, or that sent nothing
 * for OAUTH_PATIENCE_MS while a request waits.
 */
ADS_MUST enum ads_err
oauth_ask(struct https_answer *answer, struct oauth_provider *provider,
          struct pool *pool, const struct https_request *request);

/* Asks when it has to.  ADS_UNAVAILABLE: down or slow; ADS_INVALID: what it
 * answered is no use.  Both are logged. */
ADS_MUST enum ads_err
oauth_endpoints_find(struct oauth_endpoints *endpoints,
                     struct oauth_provider *provider, struct pool *pool);

/*
 * The keys, in the pool.  `newer`: those at hand lack one; ADS_ABSENT when
 * they were asked for a moment ago.
 */
ADS_MUST enum ads_err
oauth_keys_find(struct jose_keys **keys, struct oauth_provider *provider,
                struct pool *pool, bool newer);

/* Logs that something did not work with a provider, and sorts the error:
 * ADS_UNAVAILABLE or ADS_INVALID. */
ADS_MUST enum ads_err
oauth_failed(const struct oauth_provider *provider, enum ads_err err,
             const char *what, const char *why);

#endif
