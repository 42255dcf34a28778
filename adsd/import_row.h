/*
 * One product as a line of JSON, read and judged by the rules that the API has
 * for products.
 */
#ifndef ADSD_IMPORT_ROW_H
#define ADSD_IMPORT_ROW_H

#include "import.h"
#include "pool.h"

struct import_row {
    bool none; /* the row was read well and is no product */
    struct ads_str id;
    struct ads_str sku; /* or else the id */
    struct ads_str title;
    struct ads_str description;
    struct ads_str brand;
    struct ads_str gtin;
    struct ads_str category; /* a JSON array of texts */
    struct ads_str url;
    struct ads_str image_url; /* ptr NULL: none */
    int64_t price_micros;
    struct ads_str currency;
    struct ads_str availability; /* ptr NULL: not said */
};

/*
 * Reads a line; texts are copied into the pool, without space around them.
 * ADS_INVALID: fault->field and
 * fault->why say why.
 */
ADS_MUST enum ads_err
import_row_read(struct import_row *row, struct import_fault *fault, char *line,
                size_t len, struct pool *pool);

#endif
