/*
 * Money that comes and goes back: an advertiser announces a top-up; the
 * platform, or the payment provider's signed message, settles or rejects it;
 * the platform moves the money of a click or a top-up back.
 * sql/code/32_topups.sql has the rules.
 */
#ifndef ADSD_API_TOPUP_H
#define ADSD_API_TOPUP_H

#include "http/request.h"

/* POST /v1/balance/topup */
ADS_MUST enum ads_err
api_topup_create(struct request *request);

/* GET /v1/platform/topups */
ADS_MUST enum ads_err
api_topup_list(struct request *request);

/* POST /v1/platform/topups/{id}/settle and /reject */
ADS_MUST enum ads_err
api_topup_settle(struct request *request);
ADS_MUST enum ads_err
api_topup_reject(struct request *request);

/* POST /v1/platform/topups/webhook; its credential is the signature. */
ADS_MUST enum ads_err
api_topup_webhook(struct request *request);

/* POST /v1/platform/reversals */
ADS_MUST enum ads_err
api_reversal_create(struct request *request);

#endif
