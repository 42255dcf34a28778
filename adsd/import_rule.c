/*
 * What varies is the table of text fields; the judging is one.
 */
#include "import_rule.h"

#include <stddef.h>
#include <stdlib.h>

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
    {"availability", offsetof(struct import_row, availability), 50, false},
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))


void
import_rule_fault(struct import_fault *fault, const char *field,
                  const char *why)
{
    if (fault->why == NULL) {
        fault->field = field;
        fault->why = why;
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


struct ads_str
import_rule_trim(struct ads_str text)
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


bool
import_rule_has_control(struct ads_str text)
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


const char *
import_rule_name(struct ads_str name)
{
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (name.len == strlen(fields[i].name)
            && memcmp(name.ptr, fields[i].name, name.len) == 0)
        {
            return fields[i].name;
        }
    }
    return NULL;
}


void
import_rule_text(struct import_row *row, struct import_fault *fault,
                 const char *name, struct ads_str text, struct pool *pool)
{
    const struct field *field = fields;
    struct ads_str *dst;
    bool control = import_rule_has_control(text);

    while (strcmp(field->name, name) != 0) {
        field++;
    }
    text = import_rule_trim(text);
    if (control) {
        import_rule_fault(fault, field->name, "holds a control character");

    } else if (chars(text) > field->chars_max) {
        import_rule_fault(fault, field->name, "is too long");

    } else if (text.len > 0) {
        dst = (struct ads_str *)(void *)((char *)row + field->offset);
        dst->ptr = pool_text(pool, text);
        dst->len = text.len;
    }
}


void
import_rule_category_add(struct import_category *category,
                         struct import_fault *fault, struct ads_str part)
{
    if (category->list == NULL) {
        category->list = xcalloc(1, sizeof(*category->list));
    }
    if (++category->n > CATEGORY_MAX) {
        import_rule_fault(fault, "category", "has more than 50 parts");
    } else if (import_rule_has_control(part)) {
        import_rule_fault(fault, "category", "holds a control character");
    } else if (part.len > 0) {
        snap_text_put(category->list, category->list->len == 0 ? "[\"" : ",\"",
                      2);
        snap_text_put_escaped(category->list, part);
        snap_text_put(category->list, "\"", 1);
    }
}


void
import_rule_category_end(struct import_category *category,
                         struct import_row *row, struct pool *pool)
{
    struct snap_text *list = category->list;

    if (list == NULL || list->len == 0) {
        row->category = ADS_STR("[]");
    } else {
        snap_text_put(list, "]", 1);
        row->category.ptr =
            pool_text(pool, (struct ads_str){list->bytes, list->len});
        row->category.len = list->len;
    }
    if (list != NULL) {
        free(list->bytes);
        free(list);
    }
    category->list = NULL;
}


enum ads_err
import_rule_check(struct import_row *row, struct import_fault *fault,
                  bool has_price)
{
    const char *why;

    if (row->sku.len == 0) {
        row->sku = row->id;
    }
    for (size_t i = 0; i < N_FIELDS; i++) {
        const struct ads_str *text =
            (const void *)((const char *)row + fields[i].offset);

        if (fields[i].required && text->len == 0) {
            import_rule_fault(fault, fields[i].name, "is missing");
        }
    }
    if (!has_price) {
        import_rule_fault(fault, "price", "is missing");
    }
    if (fault->why != NULL) {
        return ADS_INVALID;
    }

    if (ads_url_check(row->url, ADS_URL_DESTINATION, &why) != ADS_OK) {
        import_rule_fault(fault, "url", why);
    }
    if (row->image_url.len > 0
        && ads_url_check(row->image_url, ADS_URL_IMAGE, &why) != ADS_OK)
    {
        import_rule_fault(fault, "image_url", why);
    }
    if (row->currency.len != 3
        || strspn(row->currency.ptr, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
    {
        import_rule_fault(fault, "currency", "must be three letters A to Z");
    }
    return fault->why == NULL ? ADS_OK : ADS_INVALID;
}
