/*
 * Writes the columns of a PostgreSQL row into a JSON answer.
 */
#include "db/row.h"

#include <stdio.h>


void
row_uuid(struct json *json, const char *name, const struct db_rows *rows, int i,
         int column)
{
    struct ads_uuid id = db_uuid(rows, i, column);

    json_uuid(json, name, db_is_null(rows, i, column) ? NULL : &id);
}


void
row_time(struct json *json, const char *name, const struct db_rows *rows, int i,
         int column)
{
    if (db_is_null(rows, i, column)) {
        json_null(json, name);
    } else {
        json_time(json, name, db_time(rows, i, column));
    }
}


void
row_money(struct json *json, const char *name, const struct db_rows *rows,
          int i, int column)
{
    if (db_is_null(rows, i, column)) {
        json_money_null(json, name);
    } else {
        json_money(json, name, db_int(rows, i, column));
    }
}


void
row_texts(struct json *json, const char *name, const struct db_rows *rows,
          int i, int column)
{
    size_t n;
    struct ads_str *texts = db_texts(rows, i, column, json->pool, &n);

    json_array_begin(json, name);
    for (size_t k = 0; k < n; k++) {
        json_string(json, NULL, texts[k]);
    }
    json_array_end(json);
}


/* Writes the text with what JSON escapes; returns where it ends. */
static char *
quoted(char *end, struct ads_str text)
{
    *end++ = '"';
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if ((unsigned char)c < 0x20) {
            end += sprintf(end, "\\u%04x", (unsigned)c);
            continue;
        }
        if (c == '"' || c == '\\') {
            *end++ = '\\';
        }
        *end++ = c;
    }
    *end++ = '"';
    return end;
}


struct ads_str
row_texts_json(const struct db_rows *rows, int i, int column, struct pool *pool)
{
    size_t n, len = 2;
    struct ads_str *texts = db_texts(rows, i, column, pool, &n);
    char *json, *end;

    for (size_t k = 0; k < n; k++) {
        len += 4 + 6 * texts[k].len;
    }
    json = end = pool_alloc(pool, len);
    *end++ = '[';
    for (size_t k = 0; k < n; k++) {
        if (k > 0) {
            *end++ = ',';
            *end++ = ' ';
        }
        end = quoted(end, texts[k]);
    }
    *end++ = ']';
    return (struct ads_str){json, (size_t)(end - json)};
}
