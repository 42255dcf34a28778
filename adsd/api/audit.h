/*
 * GET /v1/account/audit: every change of the account's own objects, newest
 * first: who, what, before, after, request id.
 */
#ifndef ADSD_API_AUDIT_H
#define ADSD_API_AUDIT_H

#include "http/request.h"

ADS_MUST enum ads_err
api_audit_list(struct request *request);

#endif
