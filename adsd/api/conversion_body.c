/*
 * Parses the body of a conversion: the fields as a table
 * (core/ads_body_field.h), and the readers of fields that have a form of their
 * own.
 */
#include "api/conversion_body.h"

#include <stddef.h>

#include "ads_money.h"
#include "ads_pii.h"
#include "ads_time.h"
#include "ads_utf8.h"

#define PAST_MS (7 * INT64_C(86400000))
#define AHEAD_MS INT64_C(600000)
#define ORDER_ID_MAX 128

/* The bits of ads_body_object_read, in the order of the table. */
enum field {
    FIELD_CLICK_ID,
    FIELD_VALUE,
    FIELD_CURRENCY,
    FIELDS_REQUIRED,
    FIELD_REQUEST_ID = FIELDS_REQUIRED,
    FIELD_AD_ID,
    FIELD_ORDER_ID,
    FIELD_OCCURRED_AT,
    FIELD_ADJUSTS,
    FIELD_SESSION_ID,
    FIELDS_OF_ONE,
    FIELD_EVENTS = FIELDS_OF_ONE,
    FIELDS
};

_Static_assert(offsetof(struct conversion_body, items) == 0,
               "one table serves an item and the whole body");


static void
value_read(struct ads_body_reader *reader, const struct ads_body_field *field,
           const struct ads_json_value *value, void *out)
{
    struct conversion *conversion = out;
    enum ads_err err;

    (void)field;
    if (!ads_body_type_check(reader, value, ADS_JSON_NUMBER)) {
        return;
    }
    err = ads_money_round(&conversion->value_micros, value->text,
                          ADS_MONEY_UNSIGNED);
    if (err != ADS_OK) {
        ads_body_note(reader, "out_of_range", "must be 0 to 1000000000");
    }
}


static void
currency_read(struct ads_body_reader *reader,
              const struct ads_body_field *field,
              const struct ads_json_value *value, void *out)
{
    struct conversion *conversion = out;

    (void)field;
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (!ads_currency_check(value->text)) {
        ads_body_note(reader, "invalid_format",
                      "must be a code of ISO 4217, as USD");
        return;
    }
    memcpy(conversion->currency, value->text.ptr, 3);
}


static bool
has_control(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f) {
            return true;
        }
    }
    return false;
}


static void
order_id_read(struct ads_body_reader *reader,
              const struct ads_body_field *field,
              const struct ads_json_value *value, void *out)
{
    struct conversion *conversion = out;

    (void)field;
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (value->text.len == 0) {
        ads_body_note(reader, "empty", "must not be empty");
    } else if (ads_utf8_count(value->text) > ORDER_ID_MAX) {
        ads_body_note(reader, "too_long", "has more characters than allowed");
    } else if (ads_pii_find(value->text)) {
        ads_body_note(reader, "pii_not_allowed",
                      "looks like an e-mail, phone, card, IBAN or IP address");
    } else if (has_control(value->text)) {
        ads_body_note(reader, "invalid_format",
                      "must not hold control characters");
    } else {
        conversion->order_id = value->text;
    }
}


static void
occurred_at_read(struct ads_body_reader *reader,
                 const struct ads_body_field *field,
                 const struct ads_json_value *value, void *out)
{
    struct conversion *conversion = out;
    int64_t ms;

    (void)field;
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (!ads_time_read(&ms, value->text)) {
        ads_body_note(reader, "invalid_format", "must be a time of RFC 3339");
    } else if (ms < reader->now_ms - PAST_MS || ms > reader->now_ms + AHEAD_MS)
    {
        ads_body_note(reader, "out_of_range",
                      "must be at most 7 days old and 10 minutes ahead");
    } else {
        conversion->occurred_ms = ms;
    }
}


static void
events_read(struct ads_body_reader *reader, const struct ads_body_field *field,
            const struct ads_json_value *value, void *out);

#define MEMBER(name) offsetof(struct conversion, name)

static const struct ads_body_field fields[FIELDS] = {
    [FIELD_CLICK_ID] = {.name = ADS_STR("click_id"),
                        .read = ads_body_uuid_read,
                        .offset = MEMBER(click_id)},
    [FIELD_VALUE] = {.name = ADS_STR("value"), .read = value_read},
    [FIELD_CURRENCY] = {.name = ADS_STR("currency"), .read = currency_read},
    [FIELD_REQUEST_ID] = {.name = ADS_STR("request_id"),
                          .read = ads_body_uuid_read,
                          .offset = MEMBER(request_id)},
    [FIELD_AD_ID] = {.name = ADS_STR("ad_id"),
                     .read = ads_body_uuid_read,
                     .offset = MEMBER(ad_id)},
    [FIELD_ORDER_ID] = {.name = ADS_STR("order_id"), .read = order_id_read},
    [FIELD_OCCURRED_AT] = {.name = ADS_STR("occurred_at"),
                           .read = occurred_at_read},
    [FIELD_ADJUSTS] = {.name = ADS_STR("adjusts"),
                       .read = ads_body_uuid_read,
                       .offset = MEMBER(adjusts)},
    [FIELD_SESSION_ID] = {.name = ADS_STR("session_id"),
                          .read = ads_body_session_read,
                          .offset = MEMBER(session_id)},
    [FIELD_EVENTS] = {.name = ADS_STR("events"), .read = events_read},
};

static const struct ads_body_table one_table = {fields, FIELDS_OF_ONE, true};
static const struct ads_body_table body_table = {fields, FIELDS, true};


static void
conversion_init(struct conversion *conversion)
{
    memset(conversion, 0, sizeof(*conversion));
    conversion->occurred_ms = CONVERSION_TIME_NONE;
    conversion->ok = true;
}


static void
conversion_end(struct ads_body_reader *reader, struct conversion *conversion,
               uint32_t seen)
{
    ads_body_require(reader, &one_table, seen, FIELDS_REQUIRED);
    conversion->has_request_id = (seen >> FIELD_REQUEST_ID & 1) != 0;
    conversion->has_ad_id = (seen >> FIELD_AD_ID & 1) != 0;
    conversion->has_adjusts = (seen >> FIELD_ADJUSTS & 1) != 0;
}


static void
item_read(struct ads_body_reader *reader, const struct ads_json_value *value,
          struct conversion *item)
{
    conversion_init(item);
    reader->item_error = &item->error;
    reader->item_ok = true;
    if (ads_body_type_check(reader, value, ADS_JSON_OBJECT)) {
        conversion_end(reader, item,
                       ads_body_object_read(reader, &one_table, item));
    }
    reader->item_error = NULL;
    item->ok = reader->item_ok;
}


static void
events_read(struct ads_body_reader *reader, const struct ads_body_field *field,
            const struct ads_json_value *value, void *out)
{
    struct conversion_body *body = out;
    struct ads_json_value element;
    size_t before;

    (void)field;
    body->n = 0;
    if (!ads_body_type_check(reader, value, ADS_JSON_ARRAY)) {
        return;
    }
    for (uint32_t i = 0; ads_json_element(&reader->json); i++) {
        ads_json_read(&reader->json, &element);
        if (i < CONVERSION_EVENTS_MAX) {
            before = ads_body_push_index(reader, i);
            item_read(reader, &element, &body->items[body->n++]);
            ads_body_pop(reader, before);
        } else if (i == CONVERSION_EVENTS_MAX) {
            ads_body_note(reader, "too_many", "has more elements than allowed");
        }
        ads_json_skip(&reader->json, &element);
    }
}


enum ads_err
conversion_body_read(struct conversion_body *body,
                     struct ads_body_errors *errors, struct ads_str text,
                     int64_t now_ms)
{
    struct ads_body_reader reader;
    uint32_t seen;

    body->n = 1;
    body->batch = false;
    conversion_init(&body->items[0]);
    if (!ads_body_begin(&reader, errors, (char *)text.ptr, text.len)) {
        return ADS_INVALID;
    }
    reader.now_ms = now_ms;
    seen = ads_body_object_read(&reader, &body_table, body);
    body->batch = (seen >> FIELD_EVENTS & 1) != 0;
    if (!body->batch) {
        conversion_end(&reader, &body->items[0], seen);
    } else if (seen != UINT32_C(1) << FIELD_EVENTS) {
        ads_body_note(&reader, "unknown_field",
                      "a batch has no field but events");
    }
    return ads_body_end(&reader);
}
