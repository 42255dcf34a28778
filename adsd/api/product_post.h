/*
 * POST /v1/products takes one product, an array of up to 1,000, or as many
 * lines of JSON (application/x-ndjson); with many, one that is refused never
 * loses the others.  The sku is the key: what comes again is changed, and what
 * was archived comes back with its ads under their old ids.
 */
#ifndef ADSD_API_PRODUCT_POST_H
#define ADSD_API_PRODUCT_POST_H

#include "http/request.h"

ADS_MUST enum ads_err
api_product_post(struct request *request);

#endif
