/*
 * POST /v1/events/conversion: a sale or sign-up after a click, reported by the
 * advertiser of the click or by the publisher that sent it.
 *
 * Safe to repeat: the same conversion gets the same event_id and the status
 * `duplicate`.  Nothing here ever charges anybody.
 */
#ifndef ADSD_API_CONVERSION_H
#define ADSD_API_CONVERSION_H

#include "http/request.h"

/*
 * One conversion: 200 recorded, duplicate or unattributed; 202 accepted while
 * its click is not committed yet; 404 for a click_id that we never made or that
 * is another tenant's.  A batch: 200 with a result for each, in order. 503 at
 * any time: repeat the whole request.  A test key gets the same answers, marked
 * by X-Ads-Test, and nothing is stored.
 */
ADS_MUST enum ads_err
api_conversion_post(struct request *request);

#endif
