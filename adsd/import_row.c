/*
 * Reading a row.  What varies is the table of fields; the loop is one.
 */
#include "import_row.h"

#include <stddef.h>
#include <stdlib.h>

#include "ads_json.h"
#include "ads_money.h"
#include "ads_url.h"
#include "snap_text.h"

#define CATEGORY_MAX 50

/* A text field: where it goes, and how many characters it may have. */
struct field {
    const char *name;
    size_t offset;
    size_t chars_max;
    bool required;
};

static const struct field fields[] = {
    {"id", offsetof(struct import_row, id), 200, false},
    {"sku", offsetof(struct import_row, sku), 200, true},
    {"title", offsetof(struct import_row, title), 1000, true},
    {"description", offsetof(struct import_row, description), 5000, false},
    {"brand", offsetof(struct import_row, brand), 200, false},
    {"gtin", offsetof(struct import_row, gtin), 50, false},
    {"url", offsetof(struct import_row, url), ADS_URL_MAX, true},
    {"image_url", offsetof(struct import_row, image_url), ADS_URL_MAX, false},
    {"currency", offsetof(struct import_row, currency), 3, true},
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

struct reader {
    struct ads_json json;
    struct import_row *row;
    struct import_fault *fault;
    struct pool *pool;
    bool has_price;
};


/* Only the first fault of a row is told. */
static void
fault_set(struct reader *reader, const char *field, const char *why)
{
    if (reader->fault->why == NULL) {
        reader->fault->field = field;
        reader->fault->why = why;
    }
}


static size_t
chars(struct ads_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    }
    return n;
}


static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}


static struct ads_str
trim(struct ads_str text)
{
    while (text.len > 0 && is_space(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_space(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}


/* Control characters, and those that turn the direction of text around. */
static bool
has_control(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f) {
            return true;
        }
        if (c == 0xe2 && i + 2 < text.len) {
            unsigned char second = (unsigned char)text.ptr[i + 1];
            unsigned char third = (unsigned char)text.ptr[i + 2];

            /* U+202A to U+202E and U+2066 to U+2069 */
            if ((second == 0x80 && third >= 0xaa && third <= 0xae)
                || (second == 0x81 && third >= 0xa6 && third <= 0xa9))
            {
                return true;
            }
        }
    }
    return false;
}


static void
text_take(struct reader *reader, const struct field *field,
          const struct ads_json_value *value)
{
    struct ads_str *dst =
        (struct ads_str *)(void *)((char *)reader->row + field->offset);
    struct ads_str text = trim(value->text);

    if (value->type == ADS_JSON_NULL) {
        return;
    }
    if (value->type != ADS_JSON_STRING) {
        fault_set(reader, field->name, "must be a text");

    } else if (value->has_nul || has_control(value->text)) {
        fault_set(reader, field->name, "holds a control character");

    } else if (chars(text) > field->chars_max) {
        fault_set(reader, field->name, "is too long");

    } else if (text.len > 0) {
        dst->ptr = pool_text(reader->pool, text);
        dst->len = text.len;
    }
}


static void
price_take(struct reader *reader, const struct ads_json_value *value)
{
    if (value->type != ADS_JSON_NUMBER
        || ads_money_read(&reader->row->price_micros, value->text,
                          ADS_MONEY_UNSIGNED)
               != ADS_OK)
    {
        fault_set(reader, "price",
                  "must be a number from 0 to 1e9, of at most 6 decimals");
        return;
    }
    reader->has_price = true;
}


static void
category_put(struct reader *reader, struct snap_text *list,
             const struct ads_json_value *value)
{
    if (value->type != ADS_JSON_STRING || value->has_nul
        || has_control(value->text))
    {
        fault_set(reader, "category", "must be a text or an array of texts");
        return;
    }
    if (value->text.len > 0) {
        snap_text_put(list, list->len == 0 ? "[\"" : ",\"", 2);
        snap_text_put_escaped(list, value->text);
        snap_text_put(list, "\"", 1);
    }
}


static void
category_take(struct reader *reader, const struct ads_json_value *value)
{
    struct ads_json_value element;
    struct snap_text list = {0};
    unsigned n = 0;

    if (value->type == ADS_JSON_ARRAY) {
        while (ads_json_element(&reader->json)) {
            ads_json_read(&reader->json, &element);
            if (++n > CATEGORY_MAX) {
                fault_set(reader, "category", "has more than 50 parts");
            }
            category_put(reader, &list, &element);
            ads_json_skip(&reader->json, &element);
        }

    } else if (value->type != ADS_JSON_NULL) {
        category_put(reader, &list, value);
    }

    snap_text_put(&list, list.len == 0 ? "[]" : "]", list.len == 0 ? 2 : 1);
    reader->row->category.ptr =
        pool_text(reader->pool, (struct ads_str){list.bytes, list.len});
    reader->row->category.len = list.len;
    free(list.bytes);
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
        for (size_t i = 0; i < N_FIELDS; i++) {
            if (key_is(key, fields[i].name)) {
                text_take(reader, &fields[i], &value);
            }
        }
    }
    ads_json_skip(&reader->json, &value);
}


/* What no single field can tell. */
static void
row_check(struct reader *reader)
{
    struct import_row *row = reader->row;
    const char *why;

    if (row->sku.len == 0) {
        row->sku = row->id;
    }
    for (size_t i = 0; i < N_FIELDS; i++) {
        const struct ads_str *text =
            (const void *)((const char *)row + fields[i].offset);

        if (fields[i].required && text->len == 0) {
            fault_set(reader, fields[i].name, "is missing");
        }
    }
    if (!reader->has_price) {
        fault_set(reader, "price", "is missing");
    }
    if (reader->fault->why != NULL) {
        return;
    }

    if (ads_url_check(row->url, ADS_URL_DESTINATION, &why) != ADS_OK) {
        fault_set(reader, "url", why);
    }
    if (row->image_url.len > 0
        && ads_url_check(row->image_url, ADS_URL_IMAGE, &why) != ADS_OK)
    {
        fault_set(reader, "image_url", why);
    }
    if (row->currency.len != 3
        || strspn(row->currency.ptr, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
    {
        fault_set(reader, "currency", "must be three letters A to Z");
    }
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
        row_check(&reader);
    }
    return fault->why == NULL ? ADS_OK : ADS_INVALID;
}
