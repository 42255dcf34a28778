/*
 * /v1/campaigns: what an advertiser pays for a click, how much, when, where.
 *
 * The ETag is the number of the campaign's last change; PATCH and DELETE obey
 * If-Match.  Which moves from status to status are legal, the database alone
 * says.
 */
#ifndef ADSD_API_CAMPAIGN_H
#define ADSD_API_CAMPAIGN_H

#include "http/request.h"

ADS_MUST enum ads_err
api_campaign_post(struct request *request);
ADS_MUST enum ads_err
api_campaign_list(struct request *request);
ADS_MUST enum ads_err
api_campaign_get(struct request *request);
ADS_MUST enum ads_err
api_campaign_patch(struct request *request);
ADS_MUST enum ads_err
api_campaign_delete(struct request *request);

#endif
