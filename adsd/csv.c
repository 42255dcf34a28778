/*
 * Two walks: the first finds the columns, the second writes the rows.
 */
#include "csv.h"

#include <stdlib.h>

#define COLUMNS_MAX 128

struct out {
    struct pool *pool;
    char *text;
    size_t len;
    size_t room;
};

struct columns {
    struct pool *pool;
    uint32_t n;
    struct ads_str names[COLUMNS_MAX];
};


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


/* ---- columns ---- */

static struct ads_str
name_join(struct pool *pool, struct ads_str prefix, struct ads_str key)
{
    struct ads_str name;

    if (prefix.len == 0) {
        return key;
    }
    name.ptr = pool_format(pool, &name.len, "%.*s.%.*s", (int)prefix.len,
                           prefix.ptr, (int)key.len, key.ptr);
    return name;
}


static void
columns_find(struct columns *columns, const struct doc *object,
             struct ads_str prefix)
{
    for (const struct doc *m = object->first; m != NULL; m = m->next) {
        struct ads_str name = name_join(columns->pool, prefix, m->key);
        uint32_t i = 0;

        if (m->type == ADS_JSON_OBJECT && m->n > 0) {
            columns_find(columns, m, name);
            continue;
        }
        while (i < columns->n && !ads_str_equal(columns->names[i], name)) {
            i++;
        }
        if (i == columns->n && columns->n < COLUMNS_MAX) {
            columns->names[columns->n++] = name;
        }
    }
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


/* Would a spreadsheet take it for one?  Some take = + - @ of full width too. */
static bool
is_formula(struct ads_str text)
{
    static const char *const wide[] = {"＝", "＋", "－", "＠"};

    if (text.len > 0 && memchr("=+-@\t\r\n", text.ptr[0], 7) != NULL) {
        return true;
    }
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        if (text.len >= 3 && memcmp(text.ptr, wide[i], 3) == 0) {
            return true;
        }
    }
    return false;
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


static struct ads_str
array_text(struct pool *pool, const struct doc *array)
{
    struct ads_str text = {"", 0};

    for (const struct doc *item = array->first; item != NULL; item = item->next)
    {
        if (item->text.ptr != NULL) {
            text.ptr = pool_format(pool, &text.len, "%.*s%s%.*s", (int)text.len,
                                   text.ptr, text.len > 0 ? " " : "",
                                   (int)item->text.len, item->text.ptr);
        }
    }
    return text;
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
        put_text(out, array_text(out->pool, value));
        break;
    default:
        break; /* null, or an empty object */
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


struct ads_str
csv_write(struct pool *pool, const struct doc *rows)
{
    struct columns *columns = pool_alloc(pool, sizeof(*columns));
    struct out out = {.pool = pool, .room = 4096};
    const struct doc *cell;

    columns->pool = pool;
    out.text = pool_alloc(pool, out.room);
    for (const struct doc *row = rows->first; row != NULL; row = row->next) {
        columns_find(columns, row, ADS_STR(""));
    }
    for (uint32_t i = 0; i < columns->n; i++) {
        put(&out, ",", i > 0);
        put_text(&out, columns->names[i]);
    }
    put(&out, "\r\n", 2);
    for (const struct doc *row = rows->first; row != NULL; row = row->next) {
        for (uint32_t i = 0; i < columns->n; i++) {
            put(&out, ",", i > 0);
            cell = cell_find(row, columns->names[i]);
            if (cell != NULL) {
                put_cell(&out, cell);
            }
        }
        put(&out, "\r\n", 2);
    }
    return (struct ads_str){out.text, out.len};
}
