/*
 * Parses the fields of a product.
 */
#include "catalog/product.h"

#include <stdio.h>

#include "ads_money.h"
#include "ads_url.h"
#include "base/language.h"

#define AMOUNT_MAX INT64_C(1000000000000000)
#define CATEGORIES_MAX 50
#define CATEGORY_CHARS 200
#define KEYWORDS_MAX 50
#define KEYWORD_CHARS 80
#define ATTRIBUTES_MAX 100
#define ATTRIBUTE_NAME_MAX 64
#define ATTRIBUTE_CHARS 500
#define NUMBER_MAX 40

static const char *const availabilities[] = {"in_stock", "out_of_stock",
                                             "preorder", "backorder", NULL};


static struct ads_str
texts_write(struct pool *pool, const struct ads_str *texts, size_t n)
{
    struct json json;

    json_init(&json, pool);
    json_array_begin(&json, NULL);
    for (size_t i = 0; i < n; i++) {
        json_string(&json, NULL, texts[i]);
    }
    json_array_end(&json);
    return json_text(&json);
}


/* What is optional: given, taken away by null, or left alone. */
static void
text_read(struct form *form, const char *name, unsigned flags, uint32_t most,
          struct ads_str *text)
{
    struct ads_str given = form_text(form, name, flags | FORM_NULL, 0, most);

    if (given.ptr != NULL || form_is_null(form, name)) {
        *text = given.len > 0 ? given : (struct ads_str){NULL, 0};
    }
}


static void
needed_text_read(struct form *form, const char *name, unsigned flags,
                 uint32_t most, struct ads_str *text)
{
    struct ads_str given = form_text(form, name, flags, 1, most);

    if (given.ptr != NULL) {
        *text = given;
    }
}


static void
texts_read(struct form *form, const char *name, uint32_t n_max, uint32_t each,
           struct ads_str *json)
{
    struct ads_str *texts;
    size_t n;

    if (form_is_null(form, name)) {
        *json = ADS_STR("[]");
    }
    if (form_texts(form, name, FORM_NULL, n_max, each, &texts, &n)) {
        *json = texts_write(form->pool, texts, n);
    }
}


/* A text or an array of texts. */
static void
category_read(struct form *form, struct ads_str *json)
{
    const struct doc *member = doc_find(form->object, "category");
    struct ads_str text;

    if (member == NULL || member->type != ADS_JSON_STRING) {
        texts_read(form, "category", CATEGORIES_MAX, CATEGORY_CHARS, json);
        return;
    }
    text = form_text(form, "category", 0, 1, CATEGORY_CHARS);
    if (text.ptr != NULL) {
        *json = texts_write(form->pool, &text, 1);
    }
}


static void
url_judge(struct form *form, const char *name, struct ads_str url,
          enum ads_url_use use)
{
    const char *why;

    if (form_has(form, name) && url.ptr != NULL
        && ads_url_check(url, use, &why) != ADS_OK)
    {
        form_error(form, name, "invalid_format", why);
    }
}


static void
currency_read(struct form *form, unsigned flags, struct ads_str *currency)
{
    struct ads_str given = form_text(form, "currency", flags, 1, 3);

    if (given.ptr == NULL) {
        return;
    }
    if (!ads_currency_known(given)) {
        form_error(form, "currency", "invalid_format",
                   "must be a code of ISO 4217, as USD");
    }
    *currency = given;
}


static void
prices_read(struct product *product, struct form *form, unsigned flags)
{
    if (form_is_null(form, "sale_price")) {
        product->sale_price_micros = PRODUCT_NO_PRICE;
    }
    if (form_is_null(form, "price_valid_until")) {
        product->price_valid_until_us = 0;
    }
    (void)form_money(form, "price", flags, 0, AMOUNT_MAX,
                     &product->price_micros);
    (void)form_money(form, "sale_price", FORM_NULL, 0, AMOUNT_MAX,
                     &product->sale_price_micros);
    (void)form_time(form, "price_valid_until", FORM_NULL,
                    &product->price_valid_until_us);
    if (product->sale_price_micros > product->price_micros) {
        form_error(form, "sale_price", "out_of_range",
                   "must not be above the price");
    }
}


/* ---- attributes: names and scalars ---- */

static bool
name_fits(struct ads_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (!ads_char_is_alnum(c) && c != '_' && c != '-' && c != '.') {
            return false;
        }
    }
    return name.len >= 1 && name.len <= ATTRIBUTE_NAME_MAX;
}


/* Digits, a sign and a point, so that no exponent makes a huge one of it. */
static bool
number_fits(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == 'e' || text.ptr[i] == 'E') {
            return false;
        }
    }
    return text.len <= NUMBER_MAX;
}


static void
attribute_write(struct json *json, struct form *form, struct doc *member,
                const char *name)
{
    struct ads_str text;

    switch (member->type) {
    case ADS_JSON_STRING:
        text = form_text(form, name, FORM_LINES, 0, ATTRIBUTE_CHARS);
        json_string(json, name, text.ptr != NULL ? text : ADS_STR(""));
        break;
    case ADS_JSON_BOOL:
        json_bool(json, name, member->truth);
        break;
    case ADS_JSON_NUMBER:
        if (number_fits(member->text)) {
            json_raw(json, name, member->text);
            break;
        }
        form_error(form, name, "out_of_range", "is too large or too exact");
        break;
    default:
        form_error(form, name, "wrong_type",
                   "must be a string, a number or a boolean");
    }
}


static void
attributes_read(struct form *form, struct ads_str *attributes)
{
    struct pool *pool = form->pool;
    struct form inner;
    struct json json;

    if (form_is_null(form, "attributes")) {
        *attributes = ADS_STR("{}");
    }
    if (!form_object(form, "attributes", FORM_NULL, &inner)) {
        return;
    }
    json_init(&json, pool);
    json_object_begin(&json, NULL);
    if (inner.object->n > ATTRIBUTES_MAX) {
        form_error(form, "attributes", "too_many", "has more than 100 members");
    }
    for (struct doc *member = inner.object->first; member != NULL;
         member = member->next)
    {
        member->seen = true;
        if (!name_fits(member->key)) {
            form_error(form, "attributes", "invalid_format",
                       "names are 1 to 64 letters, digits, underscores, dots"
                       " and dashes");
            return;
        }
        attribute_write(&json, &inner, member, pool_text(pool, member->key));
    }
    json_object_end(&json);
    *attributes = json_text(&json);
}


void
product_form_read(struct product *product, struct form *form,
                  enum product_form kind)
{
    unsigned need = kind == PRODUCT_CHANGE ? 0 : FORM_REQUIRED;
    int i;

    if (kind != PRODUCT_CHANGE) {
        *product = (struct product){
            .category = ADS_STR("[]"),
            .keywords = ADS_STR("[]"),
            .attributes = ADS_STR("{}"),
            .sale_price_micros = PRODUCT_NO_PRICE,
        };
    }
    if (kind == PRODUCT_CREATE) {
        (void)form_uuid(form, "campaign_id", FORM_REQUIRED, &product->campaign);
    }
    if (kind == PRODUCT_IMPORT) {
        needed_text_read(form, "sku", FORM_REQUIRED, 200, &product->sku);
    } else {
        text_read(form, "sku", 0, 200, &product->sku);
    }
    needed_text_read(form, "title", need, 1000, &product->title);
    text_read(form, "description", FORM_LINES, 5000, &product->description);
    text_read(form, "brand", 0, 200, &product->brand);
    text_read(form, "gtin", 0, 50, &product->gtin);
    category_read(form, &product->category);
    texts_read(form, "keywords", KEYWORDS_MAX, KEYWORD_CHARS,
               &product->keywords);
    needed_text_read(form, "url", need, ADS_URL_MAX, &product->url);
    url_judge(form, "url", product->url, ADS_URL_DESTINATION);
    text_read(form, "image_url", 0, ADS_URL_MAX, &product->image_url);
    url_judge(form, "image_url", product->image_url, ADS_URL_IMAGE);
    prices_read(product, form, need);
    currency_read(form, need, &product->currency);
    if (form_is_null(form, "availability")) {
        product->availability = (struct ads_str){NULL, 0};
    }
    i = form_choice(form, "availability", FORM_NULL, availabilities);
    if (i >= 0) {
        product->availability =
            (struct ads_str){availabilities[i], strlen(availabilities[i])};
    }
    text_read(form, "language", 0, 35, &product->language);
    if (form_has(form, "language") && product->language.ptr != NULL
        && !language_check(product->language))
    {
        form_error(form, "language", "invalid_format",
                   "must be a language tag such as en or pt-BR");
    }
    attributes_read(form, &product->attributes);
}
