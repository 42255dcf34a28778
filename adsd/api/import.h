/*
 * /v1/products/import: feeds over HTTP.
 *
 * POST keeps the feed and what is asked of it, and answers 202: reading it
 * takes as long as it takes, and goes on in import_work.h, also after a
 * restart.  The others tell how far it is and what came of it; imports of the
 * operator are told as well.
 */
#ifndef ADSD_API_IMPORT_H
#define ADSD_API_IMPORT_H

#include "http/request.h"

#define API_IMPORT_BODY_MAX (32 * 1024 * 1024)

ADS_MUST enum ads_err
api_import_post(struct request *request);
ADS_MUST enum ads_err
api_import_list(struct request *request);
ADS_MUST enum ads_err
api_import_get(struct request *request);
ADS_MUST enum ads_err
api_import_errors(struct request *request);

#endif
