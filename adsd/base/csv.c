/*
 * Writes JSON rows as CSV, in one walk over the rows, and in each over the
 * columns.
 */
#include "base/csv.h"

#include "ads_blank.h"
#include "base/json.h"

#define FIRST_LEN 512

struct out {
    struct pool *pool;
    char *text;
    size_t len;
    size_t room;
};


static struct out
out_begin(struct pool *pool)
{
    return (struct out){
        .pool = pool, .text = pool_alloc(pool, FIRST_LEN), .room = FIRST_LEN};
}


static void
put(struct out *out, const char *text, size_t len)
{
    char *old = out->text;

    if (len > out->room - out->len) {
        while (len > out->room - out->len) {
            out->room *= 2;
        }
        out->text = pool_alloc(out->pool, out->room);
        memcpy(out->text, old, out->len);
    }
    memcpy(out->text + out->len, text, len);
    out->len += len;
}


/* ---- cells ---- */

static void
put_quoted(struct out *out, struct ads_str text)
{
    put(out, "\"", 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') {
            put(out, "\"", 1);
        }
        put(out, text.ptr + i, 1);
    }
    put(out, "\"", 1);
}


/* The text without what a spreadsheet may drop from its head: whatever does
 * not show, and control characters. */
static struct ads_str
head_skip(struct ads_str text)
{
    size_t before;

    do {
        before = text.len;
        text = ads_blank_skip(text);
        if (text.len > 0 && ((uint8_t)text.ptr[0] < ' ' || text.ptr[0] == 0x7f))
        {
            text = ads_str_tail(text, 1);
        }
    } while (text.len < before);
    return text;
}


/* Would a spreadsheet take it for one?  Some take = + - @ of full width and
 * of the small forms too. */
static bool
is_formula(struct ads_str text)
{
    static const char *const wide[] = {"＝", "＋", "－", "＠",
                                       "﹦", "﹢", "﹣", "﹫"};

    if (text.len > 0 && memchr("\t\r\n", text.ptr[0], 3) != NULL) {
        return true;
    }
    text = head_skip(text);
    if (text.len > 0 && memchr("=+-@", text.ptr[0], 4) != NULL) {
        return true;
    }
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        if (text.len >= 3 && memcmp(text.ptr, wide[i], 3) == 0) {
            return true;
        }
    }
    return false;
}


bool
csv_needs_guard(struct ads_str text)
{
    while (text.len > 0 && text.ptr[0] == '\'') {
        text.ptr++;
        text.len--;
    }
    return is_formula(text);
}


static void
put_text(struct out *out, struct ads_str text)
{
    struct ads_str guarded;

    if (is_formula(text)) {
        guarded.ptr = pool_format(out->pool, &guarded.len, "'%.*s",
                                  (int)text.len, text.ptr);
        text = guarded;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (memchr("\",\r\n; '", text.ptr[i], 7) != NULL) {
            put_quoted(out, text);
            return;
        }
    }
    put(out, text.ptr, text.len);
}


struct ads_str
csv_cell(struct pool *pool, struct ads_str text)
{
    struct out out = {.pool = pool, .room = text.len + 16};

    out.text = pool_alloc(pool, out.room);
    put_text(&out, text);
    return (struct ads_str){out.text, out.len};
}


/* Does it hold more than texts, numbers and booleans? */
static bool
is_deep(const struct doc *array)
{
    for (const struct doc *item = array->first; item != NULL; item = item->next)
    {
        if (item->type == ADS_JSON_ARRAY || item->type == ADS_JSON_OBJECT) {
            return true;
        }
    }
    return false;
}


static struct ads_str
array_text(struct pool *pool, const struct doc *array)
{
    struct out out = out_begin(pool);

    for (const struct doc *item = array->first; item != NULL; item = item->next)
    {
        if (item->text.ptr != NULL) {
            put(&out, " ", out.len > 0);
            put(&out, item->text.ptr, item->text.len);
        }
    }
    return (struct ads_str){out.text, out.len};
}


static void
json_value(struct json *json, const struct doc *value)
{
    switch (value->type) {
    case ADS_JSON_BOOL:
        json_bool(json, NULL, value->truth);
        break;
    case ADS_JSON_NUMBER:
        json_raw(json, NULL, value->text);
        break;
    case ADS_JSON_STRING:
        json_string(json, NULL, value->text);
        break;
    case ADS_JSON_ARRAY:
        json_array_begin(json, NULL);
        for (const struct doc *v = value->first; v != NULL; v = v->next) {
            json_value(json, v);
        }
        json_array_end(json);
        break;
    case ADS_JSON_OBJECT:
        json_object_begin(json, NULL);
        for (const struct doc *v = value->first; v != NULL; v = v->next) {
            json_key(json, v->key);
            json_value(json, v);
        }
        json_object_end(json);
        break;
    default:
        json_null(json, NULL);
    }
}


static void
put_json(struct out *out, const struct doc *value)
{
    struct json json;

    json_init(&json, out->pool);
    json_value(&json, value);
    put_text(out, json_text(&json));
}


static void
put_cell(struct out *out, const struct doc *value)
{
    switch (value->type) {
    case ADS_JSON_BOOL:
        put(out, value->truth ? "true" : "false", value->truth ? 4 : 5);
        break;
    case ADS_JSON_NUMBER:
        put(out, value->text.ptr, value->text.len);
        break;
    case ADS_JSON_STRING:
        put_text(out, value->text);
        break;
    case ADS_JSON_ARRAY:
        if (is_deep(value)) {
            put_json(out, value);
        } else {
            put_text(out, array_text(out->pool, value));
        }
        break;
    case ADS_JSON_OBJECT:
        if (value->n > 0) {
            put_json(out, value);
        }
        break;
    default:
        break; /* null */
    }
}


/* The member of a flattened name. */
static const struct doc *
cell_find(const struct doc *object, struct ads_str name)
{
    for (const struct doc *m = object->first; m != NULL; m = m->next) {
        if (ads_str_equal(m->key, name)) {
            return m;
        }
        if (m->type == ADS_JSON_OBJECT && name.len > m->key.len
            && name.ptr[m->key.len] == '.'
            && memcmp(m->key.ptr, name.ptr, m->key.len) == 0)
        {
            return cell_find(m, (struct ads_str){name.ptr + m->key.len + 1,
                                                 name.len - m->key.len - 1});
        }
    }
    return NULL;
}


static void
put_row(struct out *out, const char *columns, const struct doc *row)
{
    const struct doc *cell;

    for (const char *at = columns;;) {
        size_t len = strcspn(at, ",");

        cell = cell_find(row, (struct ads_str){at, len});
        if (cell != NULL) {
            put_cell(out, cell);
        }
        if (at[len] == '\0') {
            break;
        }
        put(out, ",", 1);
        at += len + 1;
    }
    put(out, "\r\n", 2);
}


struct ads_str
csv_write(struct pool *pool, const char *columns, const struct doc *rows)
{
    struct out out = out_begin(pool);

    put(&out, columns, strlen(columns));
    put(&out, "\r\n", 2);
    for (const struct doc *row = rows->first; row != NULL; row = row->next) {
        put_row(&out, columns, row);
    }
    return (struct ads_str){out.text, out.len};
}
