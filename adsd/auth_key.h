/*
 * API keys of requests that come to adsd.  nginx passes the headers on and
 * adsd trusts nothing but them: each request is checked against PostgreSQL, so
 * a revoked key is refused at once.
 */
#ifndef ADSD_AUTH_KEY_H
#define ADSD_AUTH_KEY_H

#include "request.h"

/* Starts libsodium, before anything of core/ that needs it; false when it
 * cannot. */
bool
auth_key_init(void);

/*
 * Finds the account behind the credential and fills request->actor.  `types`
 * are the key types that may go on, such as "ap".  False: the answer, 400, 401,
 * 403 or 503, is already there.
 */
bool
auth_key_check(struct request *request, const char *types);

#endif
