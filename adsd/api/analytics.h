/*
 * What ads did and what pages earned, in steps of time and by dimensions.
 * docs/analytics.md defines each metric; adsd/api/report.h the question.
 */
#ifndef ADSD_API_ANALYTICS_H
#define ADSD_API_ANALYTICS_H

#include "http/request.h"

/* GET /v1/analytics/advertiser */
ADS_MUST enum ads_err
api_analytics_advertiser(struct request *request);

/* GET /v1/analytics/publisher */
ADS_MUST enum ads_err
api_analytics_publisher(struct request *request);

#endif
