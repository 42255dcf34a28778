/*
 * Functions shared by the two files of /v1/products.
 */
#ifndef ADSD_API_PRODUCT_H
#define ADSD_API_PRODUCT_H

#include "http/request.h"

/* Answers with the product of that id, or 404. */
ADS_MUST enum ads_err
api_product_answer(struct request *request, const struct ads_uuid *id,
                   unsigned status);

#endif
