/*
 * /v1/products: what is shown, and where a click leads.
 * POST is in api/product_post.h.
 */
#ifndef ADSD_API_PRODUCT_H
#define ADSD_API_PRODUCT_H

#include "http/request.h"

ADS_MUST enum ads_err
api_product_list(struct request *request);
ADS_MUST enum ads_err
api_product_get(struct request *request);
ADS_MUST enum ads_err
api_product_patch(struct request *request);
ADS_MUST enum ads_err
api_product_delete(struct request *request);

/* Answers with the product of that id, or 404. */
ADS_MUST enum ads_err
api_product_answer(struct request *request, const struct ads_uuid *id,
                   unsigned status);

#endif
