/*
 * Parses recommend requests and events: the tables of their fields, and the
 * readers of fields that have a form of their own.
 */
#include "ads_body.h"
#include "ads_ip.h"
#include "ads_money.h"
#include "ads_pii.h"
#include "ads_time.h"
#include "ads_warning.h"

#include <stddef.h>

#define CONSENT_MAX 2048
#define FLOOR_MAX INT64_C(1000000000000000)
#define PAST_MS (7 * INT64_C(86400000))
#define AHEAD_MS INT64_C(600000)
#define N_FIELDS(table) (sizeof(table) / sizeof((table)[0]))


static char
upper(char c)
{
    return ads_char_is_lower(c) ? (char)(c & ~0x20) : c;
}


static bool
placement_fits(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (!ads_char_is_lower(c) && !ads_char_is_digit(c)
            && memchr("_.-", c, 3) == NULL)
        {
            return false;
        }
    }
    return text.len >= 1;
}


static bool
language_fits(struct ads_str text)
{
    size_t run = 0;
    bool first = true;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '-' && run > 0) {
            run = 0;
            first = false;
        } else if ((ads_char_is_letter(c) || (ads_char_is_digit(c) && !first))
                   && run < 8)
        {
            run++;
        } else {
            return false;
        }
    }
    return run > 0;
}


static bool
printable_fits(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 0x20 || text.ptr[i] > 0x7e) {
            return false;
        }
    }
    return true;
}


static void
query_read(struct ads_body_reader *reader, const struct ads_body_field *field,
           const struct ads_json_value *value, void *out)
{
    struct ads_str *query = (struct ads_str *)((char *)out + field->offset);

    if (!ads_body_string_check(reader, value)) {
        return;
    }
    *query = ads_body_trim(value->text);
    if (query->len == 0) {
        ads_body_note(reader, "empty", "must not be empty");
    } else if (query->len > field->max) {
        ads_body_note(reader, "too_long", "must not be longer than 8192 bytes");
    }
}


static void
currency_read(struct ads_body_reader *reader,
              const struct ads_body_field *field,
              const struct ads_json_value *value, void *out)
{
    struct ads_recommend_body *body = out;
    char code[sizeof(body->currency)];
    struct ads_str text;

    (void)field;
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    text = ads_body_trim(value->text);
    if (text.len == sizeof(code)) {
        for (size_t i = 0; i < text.len; i++) {
            code[i] = upper(text.ptr[i]);
        }
        text.ptr = code;
    }
    if (text.len == 0) {
        return;
    }
    if (!ads_currency_check(text)) {
        ads_body_note(reader, "invalid_format",
                      "must be a code of ISO 4217, as USD");
        return;
    }
    memcpy(body->currency, text.ptr, sizeof(code));
    if (value->text.len != text.len
        || memcmp(value->text.ptr, code, sizeof(code)) != 0)
    {
        body->warnings |= ADS_WARNING_BIT(CURRENCY);
    }
}


static void
consent_read(struct ads_body_reader *reader, const struct ads_body_field *field,
             const struct ads_json_value *value, void *out)
{
    struct ads_recommend_body *body = out;

    (void)field;
    if (value->type == ADS_JSON_BOOL) {
        body->consent = value->truth ? ADS_CONSENT_GIVEN : ADS_CONSENT_REFUSED;
        return;
    }
    if (value->type != ADS_JSON_STRING) {
        ads_body_note(reader, "wrong_type", "must be a boolean or a string");
        return;
    }
    if (value->text.len > CONSENT_MAX) {
        ads_body_note(reader, "too_long", "has more characters than allowed");
    } else if (!printable_fits(value->text)) {
        ads_body_note(reader, "invalid_format", "must be printable ASCII");
    } else if (value->text.len > 0) {
        body->consent = ADS_CONSENT_TEXT;
        body->consent_text = value->text;
    }
}


static void
ip_read(struct ads_body_reader *reader, const struct ads_body_field *field,
        const struct ads_json_value *value, void *out)
{
    struct ads_recommend_body *body = out;

    (void)field;
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (value->text.len == 0) {
        return;
    }
    body->ip_len = (uint8_t)ads_ip_read(body->ip, value->text);
    if (body->ip_len == 0) {
        ads_body_note(reader, "invalid_format",
                      "must be an IPv4 or IPv6 address");
        return;
    }
    ads_ip_mask(body->ip, body->ip_len);
}


static void
results_read(struct ads_body_reader *reader, const struct ads_body_field *field,
             const struct ads_json_value *value, void *out)
{
    struct ads_recommend_body *body = out;
    int64_t number;

    if (!ads_body_integer_read(reader, value, 1, INT64_MAX, &number)) {
        return;
    }
    if (number > field->max) {
        body->warnings |= ADS_WARNING_BIT(RESULTS);
        number = field->max;
    }
    body->max_results = (uint32_t)number;
}


static void
floor_read(struct ads_body_reader *reader, const struct ads_body_field *field,
           const struct ads_json_value *value, void *out)
{
    int64_t number;

    (void)field;
    if (ads_body_integer_read(reader, value, 0, FLOOR_MAX, &number)) {
        ((struct ads_recommend_body *)out)->floor_micros = number;
    }
}


/* The placement in lower case with _ for each space, in place of one that says
 * the same in another way. */
static void
placement_fold(struct ads_recommend_body *body, struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        body->folded[i] =
            text.ptr[i] == ' ' ? '_' : ads_char_lower(text.ptr[i]);
    }
    body->placement = (struct ads_str){body->folded, text.len};
    body->warnings |= ADS_WARNING_BIT(PLACEMENT);
}


/* Reports keep a placement, known or not. */
static void
placement_read(struct ads_body_reader *reader,
               const struct ads_body_field *field,
               const struct ads_json_value *value, void *out)
{
    struct ads_recommend_body *body = out;
    struct ads_str text;

    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (ads_pii_find(value->text)) {
        ads_body_note(reader, "pii_not_allowed",
                      "looks like an e-mail, phone, card, IBAN or IP address");
        return;
    }
    text = ads_body_trim(value->text);
    if (text.len > field->max) {
        ads_body_note(reader, "too_long", "must be at most 64 characters");
        return;
    }
    if (text.len == value->text.len && placement_fits(text)) {
        body->placement = text;
    } else if (text.len > 0) {
        placement_fold(body, text);
    }
    if (!placement_fits(body->placement)) {
        ads_body_note(reader, "invalid_format",
                      "must be of a-z 0-9 _ . -, as chat_inline");
    }
}


/* ----- recommend ----- */

#define MEMBER(name) offsetof(struct ads_recommend_body, name)

static const struct ads_body_field context_fields[] = {
    {.name = ADS_STR("currency"), .read = currency_read},
    {.name = ADS_STR("location"),
     .read = ads_body_text_read,
     .offset = MEMBER(location),
     .max = 128},
    {.name = ADS_STR("session_id"),
     .read = ads_body_session_read,
     .offset = MEMBER(session_id)},
    {.name = ADS_STR("language"),
     .read = ads_body_form_read,
     .offset = MEMBER(language),
     .max = 35,
     .fits = language_fits},
    {.name = ADS_STR("consent"), .read = consent_read},
    {.name = ADS_STR("user_agent"),
     .read = ads_body_text_read,
     .offset = MEMBER(user_agent),
     .max = 1024},
    {.name = ADS_STR("ip"), .read = ip_read},
};

static const struct ads_body_field exclude_fields[] = {
    {.name = ADS_STR("ad_ids"),
     .read = ads_body_ids_read,
     .offset = MEMBER(not_ads),
     .max = ADS_BODY_EXCLUDE_MAX},
    {.name = ADS_STR("advertisers"),
     .read = ads_body_list_read,
     .offset = MEMBER(not_advertisers),
     .max = ADS_BODY_EXCLUDE_MAX,
     .each = 200},
    {.name = ADS_STR("categories"),
     .read = ads_body_list_read,
     .offset = MEMBER(not_categories),
     .max = ADS_BODY_EXCLUDE_MAX,
     .each = 200},
};

static void
context_read(struct ads_body_reader *reader, const struct ads_body_field *field,
             const struct ads_json_value *value, void *out)
{
    static const struct ads_body_table table = {
        context_fields, N_FIELDS(context_fields), false};

    (void)field;
    if (ads_body_type_check(reader, value, ADS_JSON_OBJECT)) {
        ads_body_object_read(reader, &table, out);
    }
}


static void
exclude_read(struct ads_body_reader *reader, const struct ads_body_field *field,
             const struct ads_json_value *value, void *out)
{
    static const struct ads_body_table table = {
        exclude_fields, N_FIELDS(exclude_fields), false};

    (void)field;
    if (ads_body_type_check(reader, value, ADS_JSON_OBJECT)) {
        ads_body_object_read(reader, &table, out);
    }
}


static const struct ads_body_field recommend_fields[] = {
    {.name = ADS_STR("query"),
     .read = query_read,
     .offset = MEMBER(query),
     .max = ADS_BODY_QUERY_MAX},
    {.name = ADS_STR("context"), .read = context_read},
    {.name = ADS_STR("placement"),
     .read = placement_read,
     .max = ADS_BODY_PLACEMENT_MAX},
    {.name = ADS_STR("max_results"),
     .read = results_read,
     .max = ADS_BODY_RESULTS_MAX},
    {.name = ADS_STR("keywords"),
     .read = ads_body_list_read,
     .offset = MEMBER(keywords),
     .max = ADS_BODY_KEYWORDS_MAX,
     .each = 128},
    {.name = ADS_STR("exclude"), .read = exclude_read},
    {.name = ADS_STR("floor_micros"), .read = floor_read},
};

#undef MEMBER


/* Everything as if absent; the lists' items need no zeros. */
static void
recommend_init(struct ads_recommend_body *body)
{
    static const struct ads_str nothing = {"", 0};

    body->query = nothing;
    memset(body->currency, 0, sizeof(body->currency));
    body->location = nothing;
    body->session_id = nothing;
    body->language = nothing;
    body->consent = ADS_CONSENT_UNSAID;
    body->consent_text = nothing;
    body->user_agent = nothing;
    body->ip_len = 0;
    body->placement = ADS_STR("inline");
    body->warnings = 0;
    body->max_results = 3;
    body->floor_micros = 0;
    body->keywords.n = 0;
    body->not_ads.n = 0;
    body->not_advertisers.n = 0;
    body->not_categories.n = 0;
}


enum ads_err
ads_body_recommend_read(struct ads_recommend_body *body,
                        struct ads_body_errors *errors, char *text, size_t len)
{
    static const struct ads_body_table table = {
        recommend_fields, N_FIELDS(recommend_fields), false};
    struct ads_body_reader reader;

    recommend_init(body);
    if (!ads_body_begin(&reader, errors, text, len)) {
        return ADS_INVALID;
    }
    ads_body_require(&reader, &table,
                     ads_body_object_read(&reader, &table, body), 1);
    return ads_body_end(&reader);
}


/* ----- events ----- */

static void
occurred_read(struct ads_body_reader *reader,
              const struct ads_body_field *field,
              const struct ads_json_value *value, void *out)
{
    int64_t ms;

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
        *(int64_t *)((char *)out + field->offset) = ms;
    }
}


static void
events_read(struct ads_body_reader *, const struct ads_body_field *,
            const struct ads_json_value *, void *);

#define MEMBER(name) offsetof(struct ads_event_item, name)

/* What a body of one event may hold, or of a batch.  The items come first in
 * struct ads_event_body, so that the same rows serve both. */
static const struct ads_body_field event_fields[] = {
    {.name = ADS_STR("request_id"),
     .read = ads_body_uuid_read,
     .offset = MEMBER(request_id)},
    {.name = ADS_STR("ad_id"),
     .read = ads_body_uuid_read,
     .offset = MEMBER(ad_id)},
    {.name = ADS_STR("session_id"),
     .read = ads_body_session_read,
     .offset = MEMBER(session_id)},
    {.name = ADS_STR("occurred_at"),
     .read = occurred_read,
     .offset = MEMBER(occurred_ms)},
    {.name = ADS_STR("events"),
     .read = events_read,
     .max = ADS_BODY_EVENTS_MAX},
};

#undef MEMBER

_Static_assert(offsetof(struct ads_event_body, items) == 0, "items come first");

#define N_REQUIRED 2 /* request_id and ad_id */
#define N_EVENT 4    /* all but events */

static const struct ads_body_table event_table = {event_fields, N_EVENT, true};
static const struct ads_body_table event_body_table = {event_fields,
                                                       N_EVENT + 1, true};


static void
item_init(struct ads_event_item *item)
{
    item->session_id = (struct ads_str){"", 0};
    item->occurred_ms = ADS_BODY_TIME_NONE;
    item->ok = true;
}


static void
item_read(struct ads_body_reader *reader, const struct ads_json_value *value,
          struct ads_event_item *item)
{
    item_init(item);
    reader->item_error = &item->error;
    reader->item_ok = true;
    if (ads_body_type_check(reader, value, ADS_JSON_OBJECT)) {
        ads_body_require(reader, &event_table,
                         ads_body_object_read(reader, &event_table, item),
                         N_REQUIRED);
    }
    reader->item_error = NULL;
    item->ok = reader->item_ok;
}


static void
events_read(struct ads_body_reader *reader, const struct ads_body_field *field,
            const struct ads_json_value *value, void *out)
{
    struct ads_event_body *body = out;
    struct ads_json_value element;

    body->n = 0;
    if (!ads_body_type_check(reader, value, ADS_JSON_ARRAY)) {
        return;
    }
    for (uint32_t i = 0; ads_json_element(&reader->json); i++) {
        ads_json_read(&reader->json, &element);
        if (i == field->max) {
            ads_body_note(reader, "too_many", "has more elements than allowed");
        }
        if (i < field->max) {
            size_t before = ads_body_push_index(reader, i);

            item_read(reader, &element, &body->items[body->n++]);
            ads_body_pop(reader, before);
        }
        ads_json_skip(&reader->json, &element);
    }
}


enum ads_err
ads_body_event_read(struct ads_event_body *body, struct ads_body_errors *errors,
                    char *text, size_t len, int64_t now_ms)
{
    struct ads_body_reader reader;
    uint32_t seen;

    body->batch = false;
    body->n = 1;
    item_init(&body->items[0]);
    if (!ads_body_begin(&reader, errors, text, len)) {
        return ADS_INVALID;
    }

    reader.now_ms = now_ms;
    seen = ads_body_object_read(&reader, &event_body_table, body);
    body->batch = (seen & UINT32_C(1) << N_EVENT) != 0;
    if (!body->batch) {
        ads_body_require(&reader, &event_body_table, seen, N_REQUIRED);
    } else if ((seen & ~(UINT32_C(1) << N_EVENT)) != 0) {
        ads_body_note(&reader, "unknown_field",
                      "a batch has no field but events");
    }
    return ads_body_end(&reader);
}


/* The elements of an array whose begin was read. */
static uint32_t
elements_count(struct ads_json *json)
{
    struct ads_json_value value;
    uint32_t n = 0;

    while (ads_json_element(json)) {
        ads_json_read(json, &value);
        ads_json_skip(json, &value);
        n++;
    }
    return n;
}


uint32_t
ads_body_events_count(char *text, size_t len)
{
    struct ads_json json;
    struct ads_json_value value;
    struct ads_str key;
    uint32_t n = 1;

    ads_json_init(&json, text, len);
    ads_json_read(&json, &value);
    if (value.type == ADS_JSON_OBJECT) {
        while (ads_json_member(&json, &key)) {
            ads_json_read(&json, &value);
            if (value.type == ADS_JSON_ARRAY && ads_str_is(key, "events")) {
                n = elements_count(&json);
            } else {
                ads_json_skip(&json, &value);
            }
        }
    }
    return ads_json_end(&json) == ADS_OK && n <= ADS_BODY_EVENTS_MAX ? n : 1;
}
