/*
 * Sends a batch of products to the database: one statement for all rows.
 */
#include "catalog/product_batch.h"

static const struct db_stmt STMT_PUT = {
    .name = "products_put",
    .sql = "select u.product_id, u.ad_id, u.outcome "
           "from ads.products_put($1, $2, $3) u order by u.ord",
    .n_params = 3,
};

enum put_column { PUT_PRODUCT, PUT_AD, PUT_OUTCOME };

static const char *const outcomes[PRODUCT_OUTCOMES] = {
    [PRODUCT_CREATED] = "created",         [PRODUCT_UPDATED] = "updated",
    [PRODUCT_UNCHANGED] = "unchanged",     [PRODUCT_REPEATED] = "repeated",
    [PRODUCT_NO_CAMPAIGN] = "no_campaign",
};


enum ads_err
product_args(struct db_args *args, struct db_tx *tx,
             const struct product *products, size_t n)
{
    return fields_arg(&product_fields, args, tx, "ads.product_in", products, n,
                      sizeof(*products));
}


static void
campaigns_arg(struct db_args *args, const struct product *products, size_t n)
{
    struct ads_uuid *ids = pool_array(args->pool, n, sizeof(*ids));

    for (size_t i = 0; i < n; i++) {
        ids[i] = products[i].campaign;
    }
    db_arg_uuids(args, ids, NULL, n);
}


static enum product_outcome
outcome_of(struct ads_str text)
{
    int i = 0;

    while (i < PRODUCT_NO_CAMPAIGN && !ads_str_is(text, outcomes[i])) {
        i++;
    }
    return (enum product_outcome)i;
}


enum ads_err
product_batch_put(struct product_result *results,
                  const struct product *products, size_t n, struct db_tx *tx,
                  const struct ads_uuid *account, struct pool *pool)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, pool);
    db_arg_uuid(&args, account);
    campaigns_arg(&args, products, n);
    err = product_args(&args, tx, products, n);
    if (err == ADS_OK) {
        err = db_run(tx, &STMT_PUT, &args, &rows);
    }
    if (err != ADS_OK) {
        return err;
    }
    for (int i = 0; i < db_n_rows(rows) && (size_t)i < n; i++) {
        results[i].outcome = outcome_of(db_text(rows, i, PUT_OUTCOME));
        results[i].has_ids = !db_is_null(rows, i, PUT_PRODUCT);
        if (results[i].has_ids) {
            results[i].product = db_uuid(rows, i, PUT_PRODUCT);
            results[i].ad = db_uuid(rows, i, PUT_AD);
        }
    }
    return ADS_OK;
}
