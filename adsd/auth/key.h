/*
 * API keys of requests that come to adsd.  nginx passes the headers on and
 * adsd trusts nothing but them: each request is checked against PostgreSQL, so
 * a revoked key is refused at once.
 */
#ifndef ADSD_AUTH_KEY_H
#define ADSD_AUTH_KEY_H

#include "http/request.h"

/* Starts libsodium, before anything of core/ that needs it; false when it
 * cannot. */
bool
auth_key_init(void);

/*
 * Finds the account behind the key and fills request->actor.  ADS_DENIED: not a
 * known key, or not usable from here; else what the database said.
 */
ADS_MUST enum ads_err
auth_key_find(struct request *request, struct ads_str text);

/* Draws a new key's text.  ADS_IO: the kernel has no random bytes. */
ADS_MUST enum ads_err
auth_key_draw(char text[ADS_KEY_TEXT_LEN], enum ads_key_type type, bool test);

#endif
