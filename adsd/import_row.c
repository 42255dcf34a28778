/*
 * A line of JSON, member by member.
 */
#include "import_row.h"

#include "ads_json.h"
#include "ads_money.h"
#include "import_rule.h"

struct reader {
    struct ads_json json;
    struct import_row *row;
    struct import_fault *fault;
    struct pool *pool;
    bool has_price;
};


static void
price_take(struct reader *reader, const struct ads_json_value *value)
{
    if (value->type != ADS_JSON_NUMBER
        || ads_money_read(&reader->row->price_micros, value->text,
                          ADS_MONEY_UNSIGNED)
               != ADS_OK)
    {
        import_rule_fault(
            reader->fault, "price",
            "must be a number from 0 to 1e9, of at most 6 decimals");
        return;
    }
    reader->has_price = true;
}


static void
category_put(struct reader *reader, struct import_category *category,
             const struct ads_json_value *value)
{
    if (value->type != ADS_JSON_STRING || value->has_nul) {
        import_rule_fault(reader->fault, "category",
                          "must be a text or an array of texts");
        return;
    }
    import_rule_category_add(category, reader->fault, value->text);
}


static void
category_take(struct reader *reader, const struct ads_json_value *value)
{
    struct import_category category = {0};
    struct ads_json_value element;

    if (value->type == ADS_JSON_ARRAY) {
        while (ads_json_element(&reader->json)) {
            ads_json_read(&reader->json, &element);
            category_put(reader, &category, &element);
            ads_json_skip(&reader->json, &element);
        }

    } else if (value->type != ADS_JSON_NULL) {
        category_put(reader, &category, value);
    }
    import_rule_category_end(&category, reader->row, reader->pool);
}


static void
text_take(struct reader *reader, struct ads_str key,
          const struct ads_json_value *value)
{
    const char *field = import_rule_name(key);

    if (field == NULL || value->type == ADS_JSON_NULL) {
        return;
    }
    if (value->type != ADS_JSON_STRING) {
        import_rule_fault(reader->fault, field, "must be a text");
    } else if (value->has_nul) {
        import_rule_fault(reader->fault, field, "holds a control character");
    } else {
        import_rule_text(reader->row, reader->fault, field, value->text,
                         reader->pool);
    }
}


static bool
key_is(struct ads_str key, const char *name)
{
    return key.len == strlen(name) && memcmp(key.ptr, name, key.len) == 0;
}


static void
member_take(struct reader *reader, struct ads_str key)
{
    struct ads_json_value value;

    ads_json_read(&reader->json, &value);
    if (key_is(key, "price")) {
        price_take(reader, &value);

    } else if (key_is(key, "category")) {
        category_take(reader, &value);
        if (value.type == ADS_JSON_ARRAY) {
            return;
        }

    } else {
        text_take(reader, key, &value);
    }
    ads_json_skip(&reader->json, &value);
}


enum ads_err
import_row_read(struct import_row *row, struct import_fault *fault, char *line,
                size_t len, struct pool *pool)
{
    struct reader reader = {.row = row, .fault = fault, .pool = pool};
    struct ads_json_value value;
    struct ads_str key;

    *row = (struct import_row){.category = ADS_STR("[]")};
    fault->field = "";
    fault->why = NULL;

    ads_json_init(&reader.json, line, len);
    ads_json_read(&reader.json, &value);
    if (value.type == ADS_JSON_OBJECT) {
        while (ads_json_member(&reader.json, &key)) {
            member_take(&reader, key);
        }

    } else {
        ads_json_skip(&reader.json, &value);
    }

    if (ads_json_end(&reader.json) != ADS_OK) {
        fault->field = "";
        fault->why = ads_json_fault_text(reader.json.fault);

    } else if (value.type != ADS_JSON_OBJECT) {
        fault->why = "not a JSON object";

    } else {
        return import_rule_check(row, fault, reader.has_price);
    }
    return ADS_INVALID;
}
