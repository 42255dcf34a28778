/*
 * The account acted for.
 *
 *     GET   /v1/account
 *     PATCH /v1/account   name, timezone; obeys If-Match
 */
#ifndef ADSD_API_ACCOUNT_H
#define ADSD_API_ACCOUNT_H

#include "http/request.h"

enum ads_err
api_account_get(struct request *request);
enum ads_err
api_account_patch(struct request *request);

#endif
