/*
 * Parses a JSON object by a table of fields; readers that several fields share.
 */
#include "ads_body_field.h"
#include "ads_money.h"
#include "ads_nearest.h"
#include "ads_pii.h"
#include "ads_utf8.h"


/* What a session id is made of. */
static const bool session_chars[256] = {
    ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
    ['.'] = true,         ['_'] = true,         [':'] = true,
    ['~'] = true,         ['-'] = true,         ['+'] = true,
    ['/'] = true,         ['='] = true,
};


/* A detail while it is made, which is known to fit. */
struct words {
    char *text; /* ADS_BODY_DETAIL_MAX bytes */
    size_t len;
};


static void
put(struct words *words, struct ads_str text)
{
    memcpy(words->text + words->len, text.ptr, text.len);
    words->len += text.len;
}


static bool
session_fits(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!session_chars[(uint8_t)text.ptr[i]]) {
            return false;
        }
    }
    return text.len <= ADS_BODY_SESSION_MAX;
}


void
ads_body_note(struct ads_body_reader *reader, const char *code,
              const char *detail)
{
    struct ads_body_errors *errors = reader->errors;
    struct ads_field_error error = {.code = code};
    size_t len = strnlen(detail, sizeof(error.detail) - 1);

    memcpy(error.detail, detail, len);
    memcpy(error.pointer, reader->pointer, reader->pointer_len);
    if (reader->item_error == NULL) {
        reader->refused = true;
    } else if (reader->item_ok) {
        reader->item_ok = false;
        *reader->item_error = error;
    }
    if (errors->n == ADS_BODY_ERRORS_MAX) {
        errors->more = true;
        return;
    }
    errors->list[errors->n++] = error;
}


size_t
ads_body_push(struct ads_body_reader *reader, struct ads_str name)
{
    size_t before = reader->pointer_len;

    reader->pointer[reader->pointer_len++] = '/';
    memcpy(reader->pointer + reader->pointer_len, name.ptr, name.len);
    reader->pointer_len += name.len;
    return before;
}


size_t
ads_body_push_index(struct ads_body_reader *reader, uint32_t index)
{
    char digits[10];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    return ads_body_push(reader,
                         (struct ads_str){digits + at, sizeof(digits) - at});
}


void
ads_body_pop(struct ads_body_reader *reader, size_t before)
{
    reader->pointer_len = before;
}


struct ads_str
ads_body_trim(struct ads_str text)
{
    static const char space[] = " \t\n\v\f\r";

    while (text.len > 0 && memchr(space, text.ptr[0], 6) != NULL) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && memchr(space, text.ptr[text.len - 1], 6) != NULL) {
        text.len--;
    }
    return text;
}


bool
ads_body_type_check(struct ads_body_reader *reader,
                    const struct ads_json_value *value, enum ads_json_type type)
{
    static const char *const details[] = {
        [ADS_JSON_NUMBER] = "must be a number",
        [ADS_JSON_STRING] = "must be a string",
        [ADS_JSON_ARRAY] = "must be an array",
        [ADS_JSON_OBJECT] = "must be an object",
    };

    if (value->type == type) {
        return true;
    }
    if (value->type != ADS_JSON_NONE) {
        ads_body_note(reader, "wrong_type", details[type]);
    }
    return false;
}


bool
ads_body_string_check(struct ads_body_reader *reader,
                      const struct ads_json_value *value)
{
    if (!ads_body_type_check(reader, value, ADS_JSON_STRING)) {
        return false;
    }
    if (value->has_nul) {
        ads_body_note(reader, "nul_not_allowed", "must not hold U+0000");
        return false;
    }
    return true;
}


void
ads_body_text_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out)
{
    struct ads_str text;

    if (!ads_body_string_check(reader, value)) {
        return;
    }
    text = ads_body_trim(value->text);
    if (text.len > field->max && ads_utf8_count(text) > field->max) {
        ads_body_note(reader, "too_long", "has more characters than allowed");
        return;
    }
    *(struct ads_str *)((char *)out + field->offset) = text;
}


void
ads_body_form_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out)
{
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (value->text.len > field->max) {
        ads_body_note(reader, "too_long", "has more characters than allowed");
    } else if (value->text.len > 0 && !field->fits(value->text)) {
        ads_body_note(reader, "invalid_format",
                      "is not in the form of this field");
    } else {
        *(struct ads_str *)((char *)out + field->offset) = value->text;
    }
}


bool
ads_body_integer_read(struct ads_body_reader *reader,
                      const struct ads_json_value *value, int64_t low,
                      int64_t high, int64_t *number)
{
    enum ads_err err;

    if (!ads_body_type_check(reader, value, ADS_JSON_NUMBER)) {
        return false;
    }
    err = ads_money_integer_read(number, value->text);
    if (err == ADS_INVALID) {
        ads_body_note(reader, "not_an_integer", "must be a whole number");
        return false;
    }
    if (err != ADS_OK || *number < low || *number > high) {
        ads_body_note(reader, "out_of_range", "is outside its bounds");
        return false;
    }
    return true;
}


void
ads_body_uuid_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out)
{
    struct ads_uuid *id = (struct ads_uuid *)((char *)out + field->offset);

    if (ads_body_string_check(reader, value) && !ads_uuid_read(id, value->text))
    {
        ads_body_note(reader, "invalid_format", "must be a UUID");
    }
}


void
ads_body_session_read(struct ads_body_reader *reader,
                      const struct ads_body_field *field,
                      const struct ads_json_value *value, void *out)
{
    if (!ads_body_string_check(reader, value)) {
        return;
    }
    if (ads_pii_find(value->text)) {
        ads_body_note(reader, "pii_not_allowed",
                      "looks like an e-mail, phone, card, IBAN or IP address");
    } else if (!session_fits(value->text)) {
        ads_body_note(reader, "invalid_format",
                      "must be 1 to 128 of A-Z a-z 0-9 . _ : ~ + / = -");
    } else {
        *(struct ads_str *)((char *)out + field->offset) = value->text;
    }
}


void
ads_body_list_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out)
{
    struct ads_body_list *list =
        (struct ads_body_list *)((char *)out + field->offset);
    struct ads_json_value element;

    if (!ads_body_type_check(reader, value, ADS_JSON_ARRAY)) {
        return;
    }
    for (uint32_t i = 0; ads_json_element(&reader->json); i++) {
        struct ads_body_field item = {.max = field->each};
        struct ads_str text = {NULL, 0};
        uint32_t n = reader->errors->n;
        size_t before;

        ads_json_read(&reader->json, &element);
        if (i == field->max) {
            ads_body_note(reader, "too_many", "has more elements than allowed");
        }
        if (i < field->max) {
            before = ads_body_push_index(reader, i);
            ads_body_text_read(reader, &item, &element, &text);
            if (text.len == 0 && reader->errors->n == n
                && reader->json.fault == ADS_JSON_FINE)
            {
                ads_body_note(reader, "empty", "must not be empty");
            }
            ads_body_pop(reader, before);
            list->items[list->n++] = text;
        }
        ads_json_skip(&reader->json, &element);
    }
}


void
ads_body_ids_read(struct ads_body_reader *reader,
                  const struct ads_body_field *field,
                  const struct ads_json_value *value, void *out)
{
    struct ads_body_ids *ids =
        (struct ads_body_ids *)((char *)out + field->offset);
    struct ads_json_value element;

    if (!ads_body_type_check(reader, value, ADS_JSON_ARRAY)) {
        return;
    }
    for (uint32_t i = 0; ads_json_element(&reader->json); i++) {
        struct ads_body_field item = {.offset = 0};
        size_t before;

        ads_json_read(&reader->json, &element);
        if (i == field->max) {
            ads_body_note(reader, "too_many", "has more elements than allowed");
        }
        if (i < field->max) {
            before = ads_body_push_index(reader, i);
            ads_body_uuid_read(reader, &item, &element, &ids->items[ids->n++]);
            ads_body_pop(reader, before);
        }
        ads_json_skip(&reader->json, &element);
    }
}


static const struct ads_body_field *
field_find(const struct ads_body_table *table, struct ads_str name)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct ads_body_field *field = &table->fields[i];

        /* most others differ in length or first letter: no call then */
        if (field->name.len == name.len && field->name.ptr[0] == name.ptr[0]
            && memcmp(field->name.ptr, name.ptr, name.len) == 0)
        {
            return field;
        }
    }
    return NULL;
}


/* Notes the unknown field `name` of the object that is being read, with the
 * known one that is nearest. */
static void
unknown_note(struct ads_body_reader *reader, const struct ads_body_table *table,
             struct ads_str name)
{
    char detail[ADS_BODY_DETAIL_MAX];
    struct ads_nearest nearest;
    struct words words = {detail, 0};

    if (!ads_nearest_may_show(name)) {
        ads_body_note(reader, "unknown_field",
                      "holds a field that it does not have");
        return;
    }
    ads_nearest_init(&nearest, name);
    for (size_t i = 0; i < table->n; i++) {
        ads_nearest_try(&nearest, table->fields[i].name.ptr);
    }
    put(&words, ADS_STR("has no field "));
    put(&words, name);
    if (nearest.name != NULL) {
        put(&words, ADS_STR(": did you mean "));
        put(&words, (struct ads_str){nearest.name, strlen(nearest.name)});
        put(&words, ADS_STR("?"));
    }
    words.text[words.len] = '\0';
    ads_body_note(reader, "unknown_field", detail);
}


uint32_t
ads_body_object_read(struct ads_body_reader *reader,
                     const struct ads_body_table *table, void *out)
{
    struct ads_json_value value;
    struct ads_str key;
    uint32_t seen = 0;
    struct ads_str unknown = {NULL, 0};

    while (ads_json_member(&reader->json, &key)) {
        const struct ads_body_field *field = field_find(table, key);

        ads_json_read(&reader->json, &value);
        if (field != NULL && value.type != ADS_JSON_NULL) {
            size_t before = ads_body_push(reader, field->name);

            field->read(reader, field, &value, out);
            ads_body_pop(reader, before);
            seen |= UINT32_C(1) << (field - table->fields);
        }
        if (field == NULL && unknown.ptr == NULL) {
            unknown = key;
        }
        ads_json_skip(&reader->json, &value);
    }

    if (unknown.ptr != NULL && table->strict) {
        unknown_note(reader, table, unknown);
    }
    return seen;
}


void
ads_body_require(struct ads_body_reader *reader,
                 const struct ads_body_table *table, uint32_t seen, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((seen & UINT32_C(1) << i) == 0) {
            size_t before = ads_body_push(reader, table->fields[i].name);

            ads_body_note(reader, "required", "must be there");
            ads_body_pop(reader, before);
        }
    }
}


/* Notes that the body is no JSON, and where. */
static void
malformed_note(struct ads_body_reader *reader)
{
    struct ads_body_errors *errors = reader->errors;

    ads_json_fault_write(errors->place, &reader->json);
    errors->malformed = errors->place;
    errors->n = 0;
    errors->more = false;
}


bool
ads_body_begin(struct ads_body_reader *reader, struct ads_body_errors *errors,
               char *text, size_t len)
{
    struct ads_json_value value;
    struct ads_json *json = &reader->json;

    reader->errors = errors;
    reader->item_error = NULL;
    reader->item_ok = true;
    reader->now_ms = 0;
    reader->refused = false;
    reader->pointer_len = 0;
    errors->malformed = NULL;
    errors->n = 0;
    errors->more = false;

    ads_json_init(json, text, len);
    ads_json_read(json, &value);
    if (value.type == ADS_JSON_OBJECT) {
        return true;
    }

    ads_json_skip(json, &value);
    errors->malformed = "must be a JSON object";
    if (ads_json_end(json) != ADS_OK) {
        malformed_note(reader);
    }
    return false;
}


enum ads_err
ads_body_end(struct ads_body_reader *reader)
{
    if (ads_json_end(&reader->json) != ADS_OK) {
        malformed_note(reader);
        return ADS_INVALID;
    }
    return reader->refused ? ADS_INVALID : ADS_OK;
}
