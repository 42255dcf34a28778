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
url_judge(const struct field *field, struct form *form, struct ads_str url,
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
    url_judge(field, form, *field_text(field, record), ADS_URL_DESTINATION);
}


static void
image_check(const struct field *field, struct form *form, const void *record)
{
    url_judge(field, form, *field_text(field, record), ADS_URL_IMAGE);
}


static void
language_judge(const struct field *field, struct form *form, const void *record)
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
        form_error(form, name, "out_of_range", "is too large or too exact");
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


/* ---- the table ---- */

#define AT(member) offsetof(struct product, member)
#define OPTIONAL (FIELD_GIVEN | FIELD_NULL)
#define REQUIRED (FIELD_GIVEN | FIELD_REQUIRED)

static const struct field list[] = {
    {.name = "id", .type = FIELD_UUID},
    {.name = "sku",
     .type = FIELD_TEXT,
     .flags = OPTIONAL,
     .most = 200,
     .offset = AT(sku)},
    {.name = "title",
     .type = FIELD_TEXT,
     .flags = REQUIRED,
     .least = 1,
     .most = 1000,
     .offset = AT(title)},
    {.name = "description",
     .type = FIELD_TEXT,
     .flags = OPTIONAL | FIELD_EMPTY | FIELD_LINES,
     .most = 5000,
     .offset = AT(description)},
    {.name = "brand",
     .type = FIELD_TEXT,
     .flags = OPTIONAL | FIELD_EMPTY,
     .most = 200,
     .offset = AT(brand)},
    {.name = "gtin",
     .type = FIELD_TEXT,
     .flags = OPTIONAL | FIELD_EMPTY,
     .most = 50,
     .offset = AT(gtin)},
    {.name = "category",
     .type = FIELD_TEXTS,
     .flags = OPTIONAL,
     .most = 50,
     .each = 200,
     .offset = AT(category),
     .read = category_read},
    {.name = "keywords",
     .type = FIELD_TEXTS,
     .flags = OPTIONAL,
     .most = 50,
     .each = 80,
     .offset = AT(keywords)},
    {.name = "url",
     .type = FIELD_TEXT,
     .flags = REQUIRED,
     .least = 1,
     .most = ADS_URL_MAX,
     .offset = AT(url),
     .check = url_check},
    {.name = "image_url",
     .type = FIELD_TEXT,
     .flags = OPTIONAL,
     .most = ADS_URL_MAX,
     .offset = AT(image_url),
     .check = image_check},
    {.name = "price",
     .type = FIELD_MONEY,
     .flags = REQUIRED,
     .most = AMOUNT_MAX,
     .offset = AT(price_micros),
     .read = price_read},
    {.name = "currency",
     .type = FIELD_TEXT,
     .flags = REQUIRED,
     .least = 1,
     .most = 3,
     .offset = AT(currency),
     .check = currency_check},
    {.name = "sale_price",
     .type = FIELD_MONEY,
     .flags = OPTIONAL | FIELD_WITH,
     .most = AMOUNT_MAX,
     .none = PRODUCT_NO_PRICE,
     .offset = AT(sale_price_micros)},
    {.name = "price_valid_until",
     .type = FIELD_TIME,
     .flags = OPTIONAL | FIELD_WITH,
     .offset = AT(price_valid_until_us)},
    {.name = "availability",
     .type = FIELD_TEXT,
     .flags = OPTIONAL,
     .choices = availabilities,
     .offset = AT(availability)},
    {.name = "language",
     .type = FIELD_TEXT,
     .flags = OPTIONAL,
     .most = 35,
     .offset = AT(language),
     .check = language_judge},
    {.name = "attributes",
     .type = FIELD_JSON,
     .flags = OPTIONAL,
     .offset = AT(attributes),
     .read = attributes_read},
    {.name = "status", .type = FIELD_TEXT},
    {.name = "review.status", .column = "review_status", .type = FIELD_TEXT},
    {.name = "review.reason", .column = "review_reason", .type = FIELD_TEXT},
    {.name = "ads", .type = FIELD_JSON},
    {.name = "created_at", .type = FIELD_TIME},
    {.name = "updated_at", .type = FIELD_TIME},
    {.name = "archived_at", .type = FIELD_TIME},
};

const struct fields product_fields = {list, sizeof(list) / sizeof(list[0])};


void
product_form_read(struct product *product, struct form *form,
                  enum product_form kind)
{
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
        (void)form_text(form, "sku", FORM_REQUIRED, 1, 200);
    }
    fields_form(&product_fields, form, product, kind != PRODUCT_CHANGE);
}
