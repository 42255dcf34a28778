/*
 * Signing in with another provider.
 *
 *     GET /v1/auth/oauth                      the providers there are
 *     GET /v1/auth/oauth/{provider}           302 to it
 *     GET /v1/auth/oauth/{provider}/callback  302 to /dashboard/, signed in
 *
 * and, for who is signed in:
 *
 *     GET    /v1/auth/links             the providers they can sign in with
 *     POST   /v1/auth/links/{provider}  begins to link one: {"url": ...}
 *     DELETE /v1/auth/links/{provider}  but never the last way in
 *
 * People come here by browser, so what goes wrong is a 302 to
 * /dashboard/#error=CODE; a client that asks for JSON gets the problem.
 */
#ifndef ADSD_API_OAUTH_H
#define ADSD_API_OAUTH_H

#include "http/request.h"

ADS_MUST enum ads_err
api_oauth_list(struct request *request);
ADS_MUST enum ads_err
api_oauth_start(struct request *request);
ADS_MUST enum ads_err
api_oauth_callback(struct request *request);

ADS_MUST enum ads_err
api_links_list(struct request *request);
ADS_MUST enum ads_err
api_links_start(struct request *request);
ADS_MUST enum ads_err
api_links_remove(struct request *request);

#endif
