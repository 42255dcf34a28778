/*
 * An advertiser's money: what there is, what came and went, and a statement of
 * each month.  docs/balance.md says what the fields mean.
 */
#ifndef ADSD_API_BALANCE_H
#define ADSD_API_BALANCE_H

#include "http/request.h"

/* A statement's lines as CSV, here and by adsctl. */
#define API_BALANCE_STATEMENT_COLUMNS \
    "kind,campaign_id,campaign_name,transactions,amount,amount_micros"

/* GET /v1/balance */
ADS_MUST enum ads_err
api_balance_get(struct request *request);

/* GET /v1/balance/transactions */
ADS_MUST enum ads_err
api_balance_list(struct request *request);

/* GET /v1/balance/statement */
ADS_MUST enum ads_err
api_balance_statement(struct request *request);

#endif
