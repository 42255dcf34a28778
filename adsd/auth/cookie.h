/*
 * Refresh cookie, the only one that signs in.  Behind https it is
 * `__Host-ads_refresh`: HttpOnly, Secure, SameSite=Strict, for this host alone.
 * An installation on plain http, which is one for trying out on loopback, has
 * `ads_refresh` without Secure, because browsers would drop it.
 *
 * Browsers say where a POST comes from; one that names another origin than
 * base_url is refused before a cookie counts.  Where base_url is a loopback
 * address, all names of loopback with its port are one origin.
 */
#ifndef ADSD_AUTH_COOKIE_H
#define ADSD_AUTH_COOKIE_H

#include "http/request.h"

/* The token in the request's cookie; ptr NULL when there is none. */
struct ads_str
auth_cookie_find(const struct request *request);

/* Sets it for `life_s` seconds, or takes it away with an empty token. */
void
auth_cookie_set(struct request *request, struct ads_str token, int64_t life_s);

/* May a request from this Origin use the cookie?  One that says none is no
 * browser's.  ADS_ANSWERED, 403, when it may not. */
ADS_MUST enum ads_err
auth_cookie_origin_check(struct request *request);

#endif
