/*
 * The fields of a product: the table, and before it what is odd about some.
 */
#include "catalog/product.h"

#include <stddef.h>

#include "ads_money.h"
#include "ads_url.h"
#include "base/language.h"

#define AMOUNT_MAX INT64_C(1000000000000000)
#define ATTRIBUTES_MAX 100
#define ATTRIBUTE_NAME_MAX 64
#define ATTRIBUTE_CHARS 500
#define NUMBER_MAX 40

static const char *const availabilities[] = {"in_stock", "out_of_stock",
                                             "preorder", "backorder", NULL};


/* A text or an array of texts. */
static void
category_read(const struct field *field, struct form *form, void *record,
              bool create)
{
    const struct doc *member = doc_find(form->object, field->name);
    struct ads_str text;

    if (member == NULL || member->type != ADS_JSON_STRING) {
        field_form(field, form, record, create);
        return;
    }
    text = form_text(form, field->name, 0, 1, field->each);
    if (text.ptr != NULL) {
        *field_text(field, record) = field_texts_json(form->pool, &text, 1);
    }
}


static void
link_check(const struct field *field, struct form *form, struct ads_str url,
           enum ads_url_use use)
{
    const char *why;

    if (form_has(form, field->name) && url.ptr != NULL
        && ads_url_check(url, use, &why) != ADS_OK)
    {
        form_error(form, field->name, "invalid_format", why);
    }
}


static void
url_check(const struct field *field, struct form *form, const void *record)
{
    link_check(field, form, *field_text(field, record), ADS_URL_DESTINATION);
}


static void
image_check(const struct field *field, struct form *form, const void *record)
{
    link_check(field, form, *field_text(field, record), ADS_URL_IMAGE);
}


static void
tag_check(const struct field *field, struct form *form, const void *record)
{
    struct ads_str language = *field_text(field, record);

    if (form_has(form, field->name) && language.ptr != NULL
        && !language_check(language))
    {
        form_error(form, field->name, "invalid_format",
                   "must be a language tag such as en or pt-BR");
    }
}


static void
currency_check(const struct field *field, struct form *form, const void *record)
{
    struct ads_str currency = *field_text(field, record);

    if (form_has(form, field->name) && currency.ptr != NULL
        && !ads_currency_known(currency))
    {
        form_error(form, field->name, "invalid_format",
                   "must be a code of ISO 4217, as USD");
    }
}


/* What a sale asks and until when; it is no dearer than the price. */
static void
price_read(const struct field *field, struct form *form, void *record,
           bool create)
{
    const struct product *product = record;

    field_form(field, form, record, create);
    field_form(fields_find(&product_fields, "sale_price"), form, record,
               create);
    field_form(fields_find(&product_fields, "price_valid_until"), form, record,
               create);
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
        form_error(form, name, "out_of_range",
                   "must have at most six decimals, and be at most a billion");
        break;
    default:
        form_error(form, name, "wrong_type",
                   "must be a string, a number or a boolean");
    }
}


static void
attributes_read(const struct field *field, struct form *form, void *record,
                bool create)
{
    struct ads_str *attributes = field_text(field, record);
    struct pool *pool = form->pool;
    struct form inner;
    struct json json;

    (void)create;
    if (form_is_null(form, "attributes")) {
        *attributes = ADS_STR("{}");
    }
    if (!form_object(form, "attributes", FORM_OPTIONAL, &inner)) {
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


/* ---- the table ---- */

#define AT(member) offsetof(struct product, member)
#define OPTIONAL (FIELD_GIVEN | FIELD_NULL)
#define EMPTY (OPTIONAL | FIELD_EMPTY)
#define REQUIRED (FIELD_GIVEN | FIELD_REQUIRED)

static const struct field list[] = {
    {"id", .type = FIELD_UUID},
    {"sku", FIELD_TEXT, OPTIONAL, AT(sku), .most = 200},
    {"title", FIELD_TEXT, REQUIRED, AT(title), .least = 1, .most = 1000},
    {"description", FIELD_TEXT, EMPTY | FIELD_LINES, AT(description),
     .most = 5000},
    {"brand", FIELD_TEXT, EMPTY, AT(brand), .most = 200},
    {"gtin", FIELD_TEXT, EMPTY, AT(gtin), .most = 50},
    {"category", FIELD_TEXTS, OPTIONAL, AT(category), .most = 50, .each = 200,
     .read = category_read},
    {"keywords", FIELD_TEXTS, OPTIONAL, AT(keywords), .most = 50, .each = 80},
    {"url", FIELD_TEXT, REQUIRED, AT(url), .least = 1, .most = ADS_URL_MAX,
     .check = url_check},
    {"image_url", FIELD_TEXT, OPTIONAL, AT(image_url), .most = ADS_URL_MAX,
     .check = image_check},
    {"price", FIELD_MONEY, REQUIRED, AT(price_micros), .most = AMOUNT_MAX,
     .read = price_read},
    {"currency", FIELD_TEXT, REQUIRED, AT(currency), .least = 1, .most = 3,
     .check = currency_check},
    {"sale_price", FIELD_MONEY, OPTIONAL | FIELD_WITH, AT(sale_price_micros),
     .most = AMOUNT_MAX, .none = PRODUCT_NO_PRICE},
    {"price_valid_until", FIELD_TIME, OPTIONAL | FIELD_WITH,
     AT(price_valid_until_us), .none = 0},
    {"availability", FIELD_TEXT, OPTIONAL, AT(availability),
     .choices = availabilities},
    {"language", FIELD_TEXT, OPTIONAL, AT(language), .most = 35,
     .check = tag_check},
    {"attributes", FIELD_JSON, OPTIONAL, AT(attributes),
     .read = attributes_read},
    {"status", .type = FIELD_TEXT},
    {"review.status", FIELD_TEXT, .column = "review_status"},
    {"review.reason", FIELD_TEXT, .column = "review_reason"},
    {"ads", .type = FIELD_JSON},
    {"created_at", .type = FIELD_TIME},
    {"updated_at", .type = FIELD_TIME},
    {"archived_at", .type = FIELD_TIME},
};
const struct fields product_fields = FIELDS(list);


struct product
product_new(void)
{
    return (struct product){
        .category = ADS_STR("[]"),
        .keywords = ADS_STR("[]"),
        .attributes = ADS_STR("{}"),
        .sale_price_micros = PRODUCT_NO_PRICE,
    };
}


void
product_form_read(struct product *product, struct form *form,
                  enum product_form kind)
{
    if (kind != PRODUCT_CHANGE) {
        *product = product_new();
    }
    if (kind == PRODUCT_CREATE) {
        (void)form_uuid(form, "campaign_id", FORM_REQUIRED, &product->campaign);
    }
    if (kind == PRODUCT_IMPORT) {
        (void)form_text(form, "sku", FORM_REQUIRED, 1, 200);
    }
    fields_form(&product_fields, form, product, kind != PRODUCT_CHANGE);
}
