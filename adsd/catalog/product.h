/*
 * A product as management sees it: the struct, and the table of its fields.
 *
 * Creating and changing read the same form over what the struct holds; null
 * takes an optional value away.
 */
#ifndef ADSD_PRODUCT_H
#define ADSD_PRODUCT_H

#include "catalog/field.h"

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

/* One without anything. */
struct product
product_new(void);

/* Every fault is noted in the form: use the values after form_check(). */
void
product_form_read(struct product *product, struct form *form,
                  enum product_form kind);

extern const struct fields product_fields;

/* Columns of ads.products, p: those that are shown, and its version. */
#define PRODUCT_COLUMNS                                            \
    "p.id, (ads.product_fields(p)).*, p.status, p.review_status,"  \
    " p.review_reason, p.created_at, p.updated_at, p.archived_at," \
    " p.changed_n"

#endif
