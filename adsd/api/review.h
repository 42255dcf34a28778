/*
 * /v1/platform/reviews: the platform looks at products before they are shown.
 */
#ifndef ADSD_API_REVIEW_H
#define ADSD_API_REVIEW_H

#include "http/request.h"

ADS_MUST enum ads_err
api_review_list(struct request *request);
ADS_MUST enum ads_err
api_review_post(struct request *request);

#endif
