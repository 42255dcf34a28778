/*
 * Product as management sees it: read from a body, read from its row, written
 * as JSON.
 *
 * Creating and changing read the same form over what the struct holds; null
 * takes an optional value away.
 */
#ifndef ADSD_PRODUCT_H
#define ADSD_PRODUCT_H

#include "base/form.h"
#include "base/json.h"
#include "db/db.h"

#define PRODUCT_NO_PRICE INT64_C(-1)

struct product {
    struct ads_uuid campaign; /* that it is put into, when created */
    struct ads_str sku;       /* ptr NULL: none; so are those below */
    struct ads_str title;
    struct ads_str description;
    struct ads_str brand;
    struct ads_str gtin;
    struct ads_str category; /* a JSON array of texts, as are keywords */
    struct ads_str keywords;
    struct ads_str url;
    struct ads_str image_url;
    int64_t price_micros;
    struct ads_str currency;
    struct ads_str availability;
    int64_t sale_price_micros;    /* PRODUCT_NO_PRICE: none */
    int64_t price_valid_until_us; /* 0: none */
    struct ads_str language;
    struct ads_str attributes; /* a JSON object */
};

enum product_form {
    PRODUCT_CREATE, /* *product is set to what is standard */
    PRODUCT_IMPORT, /* the same for a feed: the campaign is no field, and the
                     * sku must be there */
    PRODUCT_CHANGE  /* over what is there; the campaign is no field then */
};

/* Every fault is noted in the form: use the values after form_check(). */
void
product_form_read(struct product *product, struct form *form,
                  enum product_form kind);

/* The columns that the two below expect first in a row, and their table p. */
#define PRODUCT_COLUMNS                                                \
    "p.id, p.sku, p.title, p.description, p.brand, p.gtin,"            \
    " to_jsonb(p.category)::text, to_jsonb(p.keywords)::text, p.url,"  \
    " p.image_url, p.price_micros, p.currency::text, p.availability,"  \
    " p.sale_price_micros, p.price_valid_until, p.language,"           \
    " p.attributes::text, p.status, p.review_status, p.review_reason," \
    " p.changed_n, p.created_at, p.updated_at, p.archived_at"

enum product_column {
    P_ID,
    P_SKU,
    P_TITLE,
    P_DESCRIPTION,
    P_BRAND,
    P_GTIN,
    P_CATEGORY,
    P_KEYWORDS,
    P_URL,
    P_IMAGE_URL,
    P_PRICE,
    P_CURRENCY,
    P_AVAILABILITY,
    P_SALE_PRICE,
    P_VALID_UNTIL,
    P_LANGUAGE,
    P_ATTRIBUTES,
    P_STATUS,
    P_REVIEW_STATUS,
    P_REVIEW_REASON,
    P_CHANGED_N,
    P_CREATED_AT,
    P_UPDATED_AT,
    P_ARCHIVED_AT,
    P_ADS /* behind the columns above: a JSON array */
};

void
product_row_read(struct product *product, const struct db_rows *rows, int i);

/* With what stands at P_ADS. */
void
product_row_write(struct json *json, const struct db_rows *rows, int i);

#endif
