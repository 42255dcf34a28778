/*
 * Authentication of requests.  Each request that comes to adsd is checked
 * against PostgreSQL by its own headers, and nothing that nginx might have
 * found out is trusted; so a revoked key or session is refused at once.
 *
 * X-Ads-Account names the account to act for: any one for the platform's key,
 * one they are a member of for a person, their own for all others.
 */
#ifndef ADSD_AUTH_H
#define ADSD_AUTH_H

#include "http/dispatch.h"

/*
 * Fills request->actor and holds it against the route.  ADS_ANSWERED: with 400,
 * 401, 403, 404 or 429; else what failed.
 */
ADS_MUST enum ads_err
auth_check(struct request *request, const struct route *route);

#endif
