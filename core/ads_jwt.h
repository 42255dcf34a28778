/*
 * Access tokens as a worker sees them.  Their keys are adsd's, which alone
 * verifies them (adsd/auth/jwt.h); a worker can tell what is no such token, or
 * one that is over, before it reads a body for it.
 */
#ifndef ADS_JWT_H
#define ADS_JWT_H

#include "ads_bytes.h"
#include "ads_err.h"

#define ADS_JWT_TEXT_MAX 2048
#define ADS_JWT_LIFE_S 900
#define ADS_JWT_LEEWAY_S 60

/*
 * ADS_OK: it has the form of an access token that is not over; whether it is
 * one, adsd knows.  ADS_EXPIRED: over.  ADS_INVALID: adsd would refuse it under
 * any signature: not three parts of base64url, another algorithm, no signature
 * of 64 bytes, no expiry, or one later than that of a new token.
 */
ADS_MUST enum ads_err
ads_jwt_peek(struct ads_str text, int64_t now_s);

#endif
