/*
 * /v1/auth/api-key: the keys of an account, for its people and the platform.
 * A key itself is in the answer that made it and nowhere else.
 */
#ifndef ADSD_API_KEY_H
#define ADSD_API_KEY_H

#include "http/request.h"

/* Usable keys an account may have; one that is being replaced is not counted.
 */
#define API_KEY_ACTIVE_MAX 10

ADS_MUST enum ads_err
api_key_create(struct request *request);
ADS_MUST enum ads_err
api_key_list(struct request *request);
ADS_MUST enum ads_err
api_key_show(struct request *request);
ADS_MUST enum ads_err
api_key_revoke(struct request *request);

#endif
