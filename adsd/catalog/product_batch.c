/*
 * Sends a batch of products to the database: one statement for all rows.
 */
#include "catalog/product_batch.h"

#include <stddef.h>

static const struct db_stmt STMT_PUT = {
    .name = "products_put",
    .sql = "select u.product_id, u.ad_id, u.outcome "
           "from ads.products_put($1, $2, $3, $4, $5, $6, $7,"
           "    $8::jsonb[], $9, $10, $11, $12, $13::jsonb[], $14,"
           "    $15::jsonb[], $16, $17, $18) u "
           "order by u.ord",
    .n_params = 18,
};

static const char *const outcomes[PRODUCT_OUTCOMES] = {
    [PRODUCT_CREATED] = "created",         [PRODUCT_UPDATED] = "updated",
    [PRODUCT_UNCHANGED] = "unchanged",     [PRODUCT_REPEATED] = "repeated",
    [PRODUCT_NO_CAMPAIGN] = "no_campaign",
};

struct batch {
    const struct product *products;
    size_t n;
    struct db_args *args;
};


/* The texts at `offset` of each product. */
static void
texts_arg(const struct batch *batch, size_t offset)
{
    struct ads_str *texts =
        pool_array(batch->args->pool, batch->n, sizeof(*texts));

    for (size_t i = 0; i < batch->n; i++) {
        const char *product = (const char *)&batch->products[i];

        texts[i] = *(const struct ads_str *)(const void *)(product + offset);
    }
    db_arg_texts(batch->args, texts, batch->n);
}


static void
numbers_arg(const struct batch *batch, size_t offset)
{
    int64_t *numbers =
        pool_array(batch->args->pool, batch->n, sizeof(*numbers));

    for (size_t i = 0; i < batch->n; i++) {
        const char *product = (const char *)&batch->products[i];

        numbers[i] = *(const int64_t *)(const void *)(product + offset);
    }
    db_arg_int8s(batch->args, numbers, batch->n);
}


static void
campaigns_arg(const struct batch *batch)
{
    struct ads_uuid *ids =
        pool_array(batch->args->pool, batch->n, sizeof(*ids));

    for (size_t i = 0; i < batch->n; i++) {
        ids[i] = batch->products[i].campaign;
    }
    db_arg_uuids(batch->args, ids, NULL, batch->n);
}


static void
times_arg(const struct batch *batch)
{
    int64_t *times = pool_array(batch->args->pool, batch->n, sizeof(*times));
    bool *nulls = pool_array(batch->args->pool, batch->n, sizeof(*nulls));

    for (size_t i = 0; i < batch->n; i++) {
        times[i] = batch->products[i].price_valid_until_us;
        nulls[i] = times[i] == 0;
    }
    db_arg_times(batch->args, times, nulls, batch->n);
}


static void
batch_args(const struct batch *batch, const struct ads_uuid *account)
{
    db_arg_uuid(batch->args, account);
    campaigns_arg(batch);
    texts_arg(batch, offsetof(struct product, sku));
    texts_arg(batch, offsetof(struct product, title));
    texts_arg(batch, offsetof(struct product, description));
    texts_arg(batch, offsetof(struct product, brand));
    texts_arg(batch, offsetof(struct product, gtin));
    texts_arg(batch, offsetof(struct product, category));
    texts_arg(batch, offsetof(struct product, url));
    texts_arg(batch, offsetof(struct product, image_url));
    numbers_arg(batch, offsetof(struct product, price_micros));
    texts_arg(batch, offsetof(struct product, currency));
    texts_arg(batch, offsetof(struct product, keywords));
    texts_arg(batch, offsetof(struct product, availability));
    texts_arg(batch, offsetof(struct product, attributes));
    numbers_arg(batch, offsetof(struct product, sale_price_micros));
    times_arg(batch);
    texts_arg(batch, offsetof(struct product, language));
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
    const struct batch batch = {products, n, &args};
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, pool);
    batch_args(&batch, account);
    err = db_run(tx, &STMT_PUT, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    for (int i = 0; i < db_n_rows(rows) && (size_t)i < n; i++) {
        results[i].outcome = outcome_of(db_text(rows, i, 2));
        results[i].has_ids = !db_is_null(rows, i, 0);
        if (results[i].has_ids) {
            results[i].product = db_uuid(rows, i, 0);
            results[i].ad = db_uuid(rows, i, 1);
        }
    }
    return ADS_OK;
}
