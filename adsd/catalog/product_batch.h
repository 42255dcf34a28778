/*
 * Products on their way into the database: rows of ads.product_in.
 */
#ifndef ADSD_PRODUCT_BATCH_H
#define ADSD_PRODUCT_BATCH_H

#include "catalog/product.h"
#include "db/db.h"

#define PRODUCT_BATCH_MAX 1000

enum product_outcome {
    PRODUCT_CREATED,
    PRODUCT_UPDATED,
    PRODUCT_UNCHANGED,
    PRODUCT_REPEATED,    /* a later row of the batch has the same sku */
    PRODUCT_NO_CAMPAIGN, /* none of this account that is not archived */
    PRODUCT_OUTCOMES
};

struct product_result {
    enum product_outcome outcome;
    bool has_ids; /* with PRODUCT_CREATED, _UPDATED and _UNCHANGED: */
    struct ads_uuid product;
    struct ads_uuid ad;
};

/* The products as the next parameter, an array of ads.product_in. */
ADS_MUST enum ads_err
product_args(struct db_args *args, struct db_tx *tx,
             const struct product *products, size_t n);

/* Writes n products (1 to PRODUCT_BATCH_MAX) of the account; results[i] says
 * what became of products[i]. */
ADS_MUST enum ads_err
product_batch_put(struct product_result *results,
                  const struct product *products, size_t n, struct db_tx *tx,
                  const struct ads_uuid *account, struct pool *pool);

#endif
