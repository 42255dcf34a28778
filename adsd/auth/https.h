/*
 * HTTPS client, the only user of libcurl for what adsd asks of other servers: a
 * GET, or a POST of a form, to an identity provider that the operator has
 * named.
 *
 *   - only hosts in the rules, only https; a redirect is never followed
 *   - an address that is not public is refused when the socket to it is made,
 *     after the name was resolved, so no name server can lead us inside
 *   - 2 s to connect, 5 s in all, 64 KiB of headers and of body
 *   - TLS 1.2 or newer, certificate and name verified
 *   - no cookies, no proxy from the environment, no .netrc, no compression
 *
 * Blocks the calling thread for at most HTTPS_TOTAL_MS.
 */
#ifndef ADSD_HTTPS_H
#define ADSD_HTTPS_H

#include <stdatomic.h>

#include "ads_err.h"
#include "base/pool.h"

#define HTTPS_CONNECT_MS 2000
#define HTTPS_TOTAL_MS 5000
#define HTTPS_LEN_MAX 65536

struct https_rules {
    const char *hosts;   /* names in lower case, a space between two */
    const char *ca_file; /* PEM; NULL or empty: the system's */

    /* for tests: any address, and http to a loopback one */
    bool allow_private;

    const _Atomic bool *stop; /* once true, nothing is waited for; or NULL */
};

struct https_request {
    const char *url;
    const char *form;   /* made by https_param(); NULL: GET */
    const char *bearer; /* a token for Authorization; NULL: none */
};

struct https_answer {
    unsigned status; /* 0: there was no answer */
    char *body;      /* in the pool, a NUL behind; never NULL */
    size_t len;
    const char *why; /* what failed, a constant text; NULL on ADS_OK */
};

/* Once, before there are threads. */
ADS_MUST bool
https_init(void);

/*
 * Asks and waits.  ADS_OK for a status of 2xx, else what failed, which
 * answer->why says in words:
 *
 *     ADS_CONFLICT     another status; the body is there
 *     ADS_UNAVAILABLE  down: no such name, no connection, answer broken off;
 *                      or we are to stop
 *     ADS_BUSY         slow: a limit of time was reached
 *     ADS_TOO_LARGE    more than HTTPS_LEN_MAX
 *     ADS_FORGED       TLS: certificate, name or handshake not good
 *     ADS_DENIED       not to be asked: host, scheme or address against rules
 */
ADS_MUST enum ads_err
https_ask(struct https_answer *answer, struct pool *pool,
          const struct https_rules *rules, const struct https_request *request);

/* Do the rules allow to ask there, as far as an address's text can tell? */
ADS_MUST bool
https_allowed(const struct https_rules *rules, const char *url);

/*
 * Adds name=value, percent-encoded, to a form or query in the pool and returns
 * it; `text` NULL begins one.
 */
char *
https_param(struct pool *pool, const char *text, const char *name,
            struct ads_str value);

/* May a socket be made to this address (4 or 16 bytes) of the public
 * internet?  Loopback, private, link-local, multicast and reserved ones, also
 * inside an IPv6 address, are not public. */
bool
https_is_public(const uint8_t *ip, size_t len);

#endif
