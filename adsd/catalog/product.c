/*
 * Reads products from rows, and writes them as JSON.
 */
#include "catalog/product.h"

#include "db/row.h"


void
product_row_read(struct product *product, const struct db_rows *rows, int i)
{
    *product = (struct product){
        .sku = db_text(rows, i, P_SKU),
        .title = db_text(rows, i, P_TITLE),
        .description = db_text(rows, i, P_DESCRIPTION),
        .brand = db_text(rows, i, P_BRAND),
        .gtin = db_text(rows, i, P_GTIN),
        .category = db_text(rows, i, P_CATEGORY),
        .keywords = db_text(rows, i, P_KEYWORDS),
        .url = db_text(rows, i, P_URL),
        .image_url = db_text(rows, i, P_IMAGE_URL),
        .price_micros = db_int(rows, i, P_PRICE),
        .currency = db_text(rows, i, P_CURRENCY),
        .availability = db_text(rows, i, P_AVAILABILITY),
        .sale_price_micros = db_is_null(rows, i, P_SALE_PRICE)
                                 ? PRODUCT_NO_PRICE
                                 : db_int(rows, i, P_SALE_PRICE),
        .price_valid_until_us = db_time(rows, i, P_VALID_UNTIL),
        .language = db_text(rows, i, P_LANGUAGE),
        .attributes = db_text(rows, i, P_ATTRIBUTES),
    };
}


static void
offer_write(struct json *json, const struct db_rows *rows, int i)
{
    json_money(json, "price", db_int(rows, i, P_PRICE));
    json_string(json, "currency", db_text(rows, i, P_CURRENCY));
    row_money(json, "sale_price", rows, i, P_SALE_PRICE);
    row_time(json, "price_valid_until", rows, i, P_VALID_UNTIL);
    json_string(json, "availability", db_text(rows, i, P_AVAILABILITY));
}


void
product_row_write(struct json *json, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, P_ID);

    json_object_begin(json, NULL);
    json_uuid(json, "id", &id);
    json_string(json, "sku", db_text(rows, i, P_SKU));
    json_string(json, "title", db_text(rows, i, P_TITLE));
    json_string(json, "description", db_text(rows, i, P_DESCRIPTION));
    json_string(json, "brand", db_text(rows, i, P_BRAND));
    json_string(json, "gtin", db_text(rows, i, P_GTIN));
    json_raw(json, "category", db_text(rows, i, P_CATEGORY));
    json_raw(json, "keywords", db_text(rows, i, P_KEYWORDS));
    json_string(json, "url", db_text(rows, i, P_URL));
    json_string(json, "image_url", db_text(rows, i, P_IMAGE_URL));
    offer_write(json, rows, i);
    json_string(json, "language", db_text(rows, i, P_LANGUAGE));
    json_raw(json, "attributes", db_text(rows, i, P_ATTRIBUTES));
    json_string(json, "status", db_text(rows, i, P_STATUS));
    json_object_begin(json, "review");
    json_string(json, "status", db_text(rows, i, P_REVIEW_STATUS));
    json_string(json, "reason", db_text(rows, i, P_REVIEW_REASON));
    json_object_end(json);
    json_raw(json, "ads", db_text(rows, i, P_ADS));
    json_time(json, "created_at", db_time(rows, i, P_CREATED_AT));
    json_time(json, "updated_at", db_time(rows, i, P_UPDATED_AT));
    row_time(json, "archived_at", rows, i, P_ARCHIVED_AT);
    json_object_end(json);
}
