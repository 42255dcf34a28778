/*
 * Which column of a shop's feed is which field.
 *
 * Names are compared without case, with space, dash and underscore alike, and
 * without the prefix "g:".  Which names a field has, in English, German, French
 * and Spanish, is a table in the .c file and in docs/feeds.md.  A map by the
 * caller comes first: "Preis netto:price,Farbton:color,Notiz:ignore".
 *
 * Custom labels order a merchant's own campaigns elsewhere: they are nothing
 * here, as is all else.
 */
#ifndef ADSD_IMPORT_COLUMNS_H
#define ADSD_IMPORT_COLUMNS_H

#include "ads_bytes.h"
#include "ads_err.h"

#define IMPORT_MAP_MAX 4000 /* bytes */

enum import_column {
    COLUMN_IGNORED,
    COLUMN_SKU,
    COLUMN_ID, /* the sku, where there is no column for it */
    COLUMN_TITLE,
    COLUMN_DESCRIPTION,
    COLUMN_SHORT_DESCRIPTION, /* where there is no longer one */
    COLUMN_HIGHLIGHT,
    COLUMN_URL,
    COLUMN_LINK_TEMPLATE, /* Google Local's, with {store_code} */
    COLUMN_STORE,
    COLUMN_IMAGE,
    COLUMN_PRICE,
    COLUMN_REGULAR_PRICE, /* WooCommerce's */
    COLUMN_COMPARE_PRICE,
    COLUMN_SALE_PRICE,
    COLUMN_SALE_DATES,
    COLUMN_VALID_UNTIL,
    COLUMN_CURRENCY,
    COLUMN_BRAND,
    COLUMN_GTIN,
    COLUMN_CATEGORY,
    COLUMN_TYPE, /* Shopify's category, WooCommerce's kind of row */
    COLUMN_AVAILABILITY,
    COLUMN_IN_STOCK, /* WooCommerce's: 1, 0 or "backorder" */
    COLUMN_STOCK,    /* how many */
    COLUMN_TRACKER,  /* Shopify's: empty where stock is not counted */
    COLUMN_OVERSELL, /* whether it is sold when there are none */
    COLUMN_KEYWORDS,
    COLUMN_TAGS,
    COLUMN_LANGUAGE,
    COLUMN_ATTRIBUTE,
    COLUMN_GROUP,  /* what variants of a product share */
    COLUMN_HANDLE, /* Shopify's */
    COLUMN_OPTION_NAME,
    COLUMN_OPTION,
    COLUMN_PARENT, /* WooCommerce's */
    COLUMN_STATUS,
    COLUMN_PUBLISHED,
    COLUMNS
};

/* The field that a column of that name is read into; COLUMN_IGNORED: none. */
enum import_column
import_column_of(struct ads_str map, struct ads_str name);

/* Its name in our API, "" for COLUMN_IGNORED. */
const char *
import_column_name(enum import_column column);

/* What naming the column says about a whole feed: enum import_said. */
unsigned
import_column_says(enum import_column column);

/* The attribute that a column of COLUMN_ATTRIBUTE, or an option of that name,
 * is: "Farbe" is "color".  ptr NULL: none that is known. */
struct ads_str
import_attribute_of(struct ads_str map, struct ads_str name);

/* ADS_INVALID: it is no map, and *why says so. */
ADS_MUST enum ads_err
import_map_check(struct ads_str map, const char **why);

#endif
