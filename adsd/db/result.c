/*
 * Decodes results in PostgreSQL's binary form, by row and column.  The server
 * is trusted, yet its bytes come over a socket: lengths are checked all the
 * same.
 */
#include "db/db.h"

#include <stdio.h>
#include <stdlib.h>

#include "db/type.h"

#define ARRAY_ITEMS_MAX 1000000


/* A statement and the C around it disagree: nothing sensible can follow. */
static _Noreturn void
wrong_type(uint32_t type, int column)
{
    (void)fprintf(stderr, "adsd: column %d of a result has type %u\n", column,
                  type);
    abort();
}


static uint64_t
be_read(const char *bytes, size_t len)
{
    uint64_t value = 0;

    for (size_t i = 0; i < len; i++) {
        value = value << 8 | (uint8_t)bytes[i];
    }
    return value;
}


bool
db_is_null(const struct db_rows *rows, int row, int column)
{
    struct db_cell cell;

    return db_cell(rows, row, column, &cell) == NULL;
}


/* The bytes of a value of a type of fixed length, NULL for a null. */
static const char *
fixed(const struct db_rows *rows, int row, int column, enum db_type type,
      size_t len)
{
    struct db_cell cell;
    const char *bytes;

    bytes = db_cell(rows, row, column, &cell);
    if (cell.type != type || (bytes != NULL && cell.len != len)) {
        wrong_type(cell.type, column);
    }
    return bytes;
}


bool
db_bool(const struct db_rows *rows, int row, int column)
{
    const char *bytes = fixed(rows, row, column, DB_TYPE_BOOL, 1);

    return bytes != NULL && bytes[0] != 0;
}


int64_t
db_int(const struct db_rows *rows, int row, int column)
{
    struct db_cell cell;
    const char *bytes;

    (void)db_cell(rows, row, column, &cell);
    switch (cell.type) {
    case DB_TYPE_INT2:
        bytes = fixed(rows, row, column, DB_TYPE_INT2, 2);
        return bytes == NULL ? 0 : (int16_t)be_read(bytes, 2);
    case DB_TYPE_INT4:
        bytes = fixed(rows, row, column, DB_TYPE_INT4, 4);
        return bytes == NULL ? 0 : (int32_t)be_read(bytes, 4);
    default:
        bytes = fixed(rows, row, column, DB_TYPE_INT8, 8);
        return bytes == NULL ? 0 : (int64_t)be_read(bytes, 8);
    }
}


struct ads_str
db_text(const struct db_rows *rows, int row, int column)
{
    struct db_cell cell;
    const char *bytes;

    bytes = db_cell(rows, row, column, &cell);
    switch (cell.type) {
    case DB_TYPE_TEXT:
    case DB_TYPE_VARCHAR:
    case DB_TYPE_BPCHAR:
    case DB_TYPE_NAME:
    case DB_TYPE_JSON:
        break;
    case DB_TYPE_JSONB: /* a version byte comes first */
        if (bytes != NULL && cell.len > 0) {
            bytes++;
            cell.len--;
        }
        break;
    default:
        wrong_type(cell.type, column);
    }
    return (struct ads_str){bytes, bytes == NULL ? 0 : cell.len};
}


struct ads_str
db_bytea(const struct db_rows *rows, int row, int column)
{
    struct db_cell cell;
    const char *bytes;

    bytes = db_cell(rows, row, column, &cell);
    if (cell.type != DB_TYPE_BYTEA) {
        wrong_type(cell.type, column);
    }
    return (struct ads_str){bytes, bytes == NULL ? 0 : cell.len};
}


struct ads_uuid
db_uuid(const struct db_rows *rows, int row, int column)
{
    const char *bytes = fixed(rows, row, column, DB_TYPE_UUID, 16);
    struct ads_uuid id = {{0}};

    if (bytes != NULL) {
        memcpy(id.b, bytes, sizeof(id.b));
    }
    return id;
}


int64_t
db_time(const struct db_rows *rows, int row, int column)
{
    const char *bytes = fixed(rows, row, column, DB_TYPE_TIME, 8);

    return bytes == NULL ? 0 : (int64_t)be_read(bytes, 8) + DB_EPOCH_US;
}


int64_t
db_date(const struct db_rows *rows, int row, int column)
{
    const char *bytes = fixed(rows, row, column, DB_TYPE_DATE, 4);

    return bytes == NULL ? 0 : (int32_t)be_read(bytes, 4) + DB_EPOCH_DAYS;
}


/* ---- arrays ---- */

struct array {
    const char *pos;
    size_t len; /* of what follows pos */
    size_t n;
};


static uint32_t
array_u32(struct array *array)
{
    uint32_t value;

    if (array->len < 4) {
        abort(); /* not what PostgreSQL sends */
    }
    value = (uint32_t)be_read(array->pos, 4);
    array->pos += 4;
    array->len -= 4;
    return value;
}


static struct array
array_open(const struct db_rows *rows, int row, int column, enum db_type type)
{
    struct array array = {0};
    struct db_cell cell;
    uint32_t dimensions;

    array.pos = db_cell(rows, row, column, &cell);
    if (cell.type != type) {
        wrong_type(cell.type, column);
    }
    if (array.pos == NULL) {
        return array;
    }
    array.len = cell.len;
    dimensions = array_u32(&array);
    (void)array_u32(&array); /* may hold nulls */
    (void)array_u32(&array); /* type of the elements: follows from ours */
    if (dimensions == 1) {
        array.n = array_u32(&array);
        (void)array_u32(&array); /* first subscript */
    }
    if (dimensions > 1 || array.n > ARRAY_ITEMS_MAX) {
        wrong_type(cell.type, column);
    }
    return array;
}


/* The next element, borrowed; ptr NULL for a null. */
static struct ads_str
array_next(struct array *array)
{
    uint32_t len = array_u32(array);
    struct ads_str item = {NULL, 0};

    if (len == UINT32_MAX) {
        return item;
    }
    if (len > array->len) {
        abort(); /* not what PostgreSQL sends */
    }
    item = (struct ads_str){array->pos, len};
    array->pos += len;
    array->len -= len;
    return item;
}


struct ads_str *
db_texts(const struct db_rows *rows, int row, int column, struct pool *pool,
         size_t *n)
{
    struct array array = array_open(rows, row, column, DB_TYPE_TEXTS);
    struct ads_str *items = pool_array(pool, array.n, sizeof(*items));

    for (size_t i = 0; i < array.n; i++) {
        items[i] = array_next(&array);
        if (items[i].ptr != NULL) {
            items[i].ptr = pool_text(pool, items[i]);
        }
    }
    *n = array.n;
    return items;
}


struct ads_uuid *
db_uuids(const struct db_rows *rows, int row, int column, struct pool *pool,
         size_t *n)
{
    struct array array = array_open(rows, row, column, DB_TYPE_UUIDS);
    struct ads_uuid *ids = pool_array(pool, array.n, sizeof(*ids));
    struct ads_str item;

    for (size_t i = 0; i < array.n; i++) {
        item = array_next(&array);
        if (item.ptr != NULL && item.len == sizeof(ids[i].b)) {
            memcpy(ids[i].b, item.ptr, item.len);
        }
    }
    *n = array.n;
    return ids;
}
