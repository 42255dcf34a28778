/*
 * What a publisher wants on its pages: the least bid, advertisers and
 * categories that are never shown there.  They hold for every request beside
 * what the request itself says.
 */
#ifndef ADSD_API_PUBLISHER_H
#define ADSD_API_PUBLISHER_H

#include "http/request.h"

/* GET /v1/publisher/settings */
ADS_MUST enum ads_err
api_publisher_settings_get(struct request *request);

/* PATCH /v1/publisher/settings: only what the body names changes. */
ADS_MUST enum ads_err
api_publisher_settings_patch(struct request *request);

#endif
