/*
 * Encodes parameters in PostgreSQL's binary form: big-endian numbers, times in
 * microseconds since 2000, arrays as a header and then length and bytes of each
 * element.  No libpq here: only bytes.
 */
#include "db/db.h"

#include <limits.h>
#include <stdlib.h>

#include "db/type.h"

#define ARRAY_HEADER_LEN 20
#define ARRAY_LEN_MAX (256u * 1024 * 1024)


void
db_args_init(struct db_args *args, struct pool *pool)
{
    memset(args, 0, sizeof(*args));
    args->pool = pool;
}


static void
add(struct db_args *args, enum db_type type, const void *bytes, size_t len)
{
    if (args->n == DB_ARGS_MAX || len > INT_MAX) {
        abort(); /* a statement that outgrew its table */
    }
    args->types[args->n] = type;
    args->values[args->n] = bytes;
    args->lengths[args->n] = (int)len;
    args->n++;
}


static char *
be_write(char *dst, uint64_t value, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        dst[i] = (char)(value >> (8 * (len - 1 - i)));
    }
    return dst + len;
}


static void
add_number(struct db_args *args, enum db_type type, int64_t value, size_t len)
{
    char *bytes = pool_alloc(args->pool, len);

    (void)be_write(bytes, (uint64_t)value, len);
    add(args, type, bytes, len);
}


void
db_arg_null(struct db_args *args)
{
    add(args, (enum db_type)0, NULL, 0);
}


void
db_arg_bool(struct db_args *args, bool value)
{
    add_number(args, DB_TYPE_BOOL, value, 1);
}


void
db_arg_int2(struct db_args *args, int16_t value)
{
    add_number(args, DB_TYPE_INT2, value, 2);
}


void
db_arg_int4(struct db_args *args, int32_t value)
{
    add_number(args, DB_TYPE_INT4, value, 4);
}


void
db_arg_int8(struct db_args *args, int64_t value)
{
    add_number(args, DB_TYPE_INT8, value, 8);
}


void
db_arg_text(struct db_args *args, struct ads_str text)
{
    if (text.ptr == NULL) {
        add(args, DB_TYPE_TEXT, NULL, 0);
        return;
    }
    add(args, DB_TYPE_TEXT, pool_text(args->pool, text), text.len);
}


void
db_arg_uuid(struct db_args *args, const struct ads_uuid *id)
{
    struct ads_uuid *copy = NULL;

    if (id != NULL) {
        copy = pool_alloc(args->pool, sizeof(*copy));
        *copy = *id;
    }
    add(args, DB_TYPE_UUID, copy, copy == NULL ? 0 : sizeof(copy->b));
}


void
db_arg_bytea(struct db_args *args, const void *bytes, size_t len)
{
    add(args, DB_TYPE_BYTEA,
        pool_text(args->pool, (struct ads_str){bytes, len}), len);
}


void
db_arg_time(struct db_args *args, int64_t unix_us)
{
    add_number(args, DB_TYPE_TIME, unix_us - DB_EPOCH_US, 8);
}


void
db_arg_date(struct db_args *args, int32_t unix_days)
{
    add_number(args, DB_TYPE_DATE, unix_days - DB_EPOCH_DAYS, 4);
}


void
db_arg_json(struct db_args *args, struct ads_str json)
{
    char *bytes;

    if (json.ptr == NULL) {
        add(args, DB_TYPE_JSONB, NULL, 0);
        return;
    }
    bytes = pool_alloc(args->pool, json.len + 1);
    bytes[0] = 1; /* version of the form */
    if (json.len > 0) {
        memcpy(bytes + 1, json.ptr, json.len);
    }
    add(args, DB_TYPE_JSONB, bytes, json.len + 1);
}


/* ---- arrays ---- */

struct array {
    char *bytes;
    char *end;
};


/* Room for n elements of `len` bytes in all; an empty array has no
 * dimension. */
static struct array
array_begin(struct db_args *args, enum db_type element, size_t n, size_t len)
{
    struct array array;

    if (n > ARRAY_LEN_MAX / 4 || len > ARRAY_LEN_MAX) {
        abort(); /* batches are bounded far below */
    }
    array.bytes = pool_alloc(args->pool, ARRAY_HEADER_LEN + n * 4 + len);
    array.end = be_write(array.bytes, n > 0, 4); /* dimensions */
    array.end = be_write(array.end, 1, 4);       /* nulls may occur */
    array.end = be_write(array.end, element, 4);
    if (n > 0) {
        array.end = be_write(array.end, n, 4);
        array.end = be_write(array.end, 1, 4); /* first subscript */
    }
    return array;
}


static void
array_put(struct array *array, const void *bytes, size_t len)
{
    array->end = be_write(array->end, len, 4);
    if (len > 0) {
        memcpy(array->end, bytes, len);
        array->end += len;
    }
}


static void
array_put_null(struct array *array)
{
    array->end = be_write(array->end, UINT32_MAX, 4);
}


static void
array_put_number(struct array *array, int64_t value, size_t len)
{
    array->end = be_write(array->end, len, 4);
    array->end = be_write(array->end, (uint64_t)value, len);
}


static void
array_end(struct db_args *args, enum db_type type, const struct array *array)
{
    add(args, type, array->bytes, (size_t)(array->end - array->bytes));
}


void
db_arg_int4s(struct db_args *args, const int32_t *values, size_t n)
{
    struct array array = array_begin(args, DB_TYPE_INT4, n, n * 4);

    for (size_t i = 0; i < n; i++) {
        array_put_number(&array, values[i], 4);
    }
    array_end(args, DB_TYPE_INT4S, &array);
}


void
db_arg_int8s(struct db_args *args, const int64_t *values, size_t n)
{
    struct array array = array_begin(args, DB_TYPE_INT8, n, n * 8);

    for (size_t i = 0; i < n; i++) {
        array_put_number(&array, values[i], 8);
    }
    array_end(args, DB_TYPE_INT8S, &array);
}


void
db_arg_uuids(struct db_args *args, const struct ads_uuid *values,
             const bool *nulls, size_t n)
{
    struct array array = array_begin(args, DB_TYPE_UUID, n, n * 16);

    for (size_t i = 0; i < n; i++) {
        if (nulls != NULL && nulls[i]) {
            array_put_null(&array);
        } else {
            array_put(&array, values[i].b, 16);
        }
    }
    array_end(args, DB_TYPE_UUIDS, &array);
}


static void
add_strings(struct db_args *args, enum db_type element, enum db_type type,
            const struct ads_str *values, size_t n)
{
    struct array array;
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        len += values[i].ptr == NULL ? 0 : values[i].len;
    }
    array = array_begin(args, element, n, len);
    for (size_t i = 0; i < n; i++) {
        if (values[i].ptr == NULL) {
            array_put_null(&array);
        } else {
            array_put(&array, values[i].ptr, values[i].len);
        }
    }
    array_end(args, type, &array);
}


void
db_arg_texts(struct db_args *args, const struct ads_str *values, size_t n)
{
    add_strings(args, DB_TYPE_TEXT, DB_TYPE_TEXTS, values, n);
}


void
db_arg_byteas(struct db_args *args, const struct ads_str *values, size_t n)
{
    add_strings(args, DB_TYPE_BYTEA, DB_TYPE_BYTEAS, values, n);
}


void
db_arg_times(struct db_args *args, const int64_t *unix_us, const bool *nulls,
             size_t n)
{
    struct array array = array_begin(args, DB_TYPE_TIME, n, n * 8);

    for (size_t i = 0; i < n; i++) {
        if (nulls != NULL && nulls[i]) {
            array_put_null(&array);
        } else {
            array_put_number(&array, unix_us[i] - DB_EPOCH_US, 8);
        }
    }
    array_end(args, DB_TYPE_TIMES, &array);
}


/* ---- arrays of rows ---- */

void
db_records_free(struct db_records *records)
{
    free(records->bytes);
    *records = (struct db_records){.n = 0};
}


void
db_records_reset(struct db_records *records)
{
    records->len = 0;
    records->n = 0;
}


struct db_records_at
db_records_end_at(const struct db_records *records)
{
    return (struct db_records_at){records->len, records->n};
}


/* Room for that many bytes more, at their end. */
static char *
records_grow(struct db_records *records, size_t len)
{
    char *end;

    if (len > records->room - records->len) {
        while (len > records->room - records->len) {
            records->room = records->room == 0 ? 4096 : 2 * records->room;
        }
        records->bytes = xrealloc(records->bytes, records->room);
    }
    end = records->bytes + records->len;
    records->len += len;
    return end;
}


void
db_records_begin(struct db_records *records, uint32_t n_fields)
{
    if (records->copy) {
        (void)be_write(records_grow(records, 2), n_fields, 2);
        return;
    }
    records->open = records->len;
    (void)be_write(records_grow(records, 8) + 4, n_fields, 4);
}


void
db_records_end(struct db_records *records)
{
    if (!records->copy) {
        (void)be_write(records->bytes + records->open,
                       records->len - records->open - 4, 4);
    }
    records->n++;
}


/* Begins a field of `len` bytes, and says where they go; UINT32_MAX: none, a
 * null. */
static char *
records_field(struct db_records *records, enum db_type type, size_t len)
{
    size_t n_bytes = len == UINT32_MAX ? 0 : len;
    char *end = records_grow(records, (records->copy ? 4 : 8) + n_bytes);

    if (!records->copy) {
        end = be_write(end, type, 4);
    }
    return be_write(end, len, 4);
}


static void
records_number(struct db_records *records, enum db_type type, int64_t value,
               size_t len)
{
    (void)be_write(records_field(records, type, len), (uint64_t)value, len);
}


static void
records_bytes(struct db_records *records, enum db_type type, const void *bytes,
              size_t len)
{
    char *end = records_field(records, type, len);

    if (len > 0) {
        memcpy(end, bytes, len);
    }
}


void
db_records_bool(struct db_records *records, bool value)
{
    records_number(records, DB_TYPE_BOOL, value, 1);
}


void
db_records_int2(struct db_records *records, int16_t value)
{
    records_number(records, DB_TYPE_INT2, value, 2);
}


void
db_records_int4(struct db_records *records, int32_t value)
{
    records_number(records, DB_TYPE_INT4, value, 4);
}


void
db_records_int8(struct db_records *records, int64_t value)
{
    records_number(records, DB_TYPE_INT8, value, 8);
}


void
db_records_int8_null(struct db_records *records)
{
    (void)records_field(records, DB_TYPE_INT8, UINT32_MAX);
}


void
db_records_uuid(struct db_records *records, const struct ads_uuid *id)
{
    records_bytes(records, DB_TYPE_UUID, id->b, sizeof(id->b));
}


void
db_records_text(struct db_records *records, struct ads_str text)
{
    if (text.ptr != NULL) {
        records_bytes(records, DB_TYPE_TEXT, text.ptr, text.len);
    } else {
        (void)records_field(records, DB_TYPE_TEXT, UINT32_MAX);
    }
}


void
db_records_bytea(struct db_records *records, const void *bytes, size_t len)
{
    records_bytes(records, DB_TYPE_BYTEA, bytes, len);
}


void
db_records_time(struct db_records *records, int64_t unix_us)
{
    records_number(records, DB_TYPE_TIME, unix_us - DB_EPOCH_US, 8);
}


void
db_records_time_null(struct db_records *records)
{
    (void)records_field(records, DB_TYPE_TIME, UINT32_MAX);
}


void
db_records_json(struct db_records *records, struct ads_str json)
{
    char *end = records_field(records, DB_TYPE_JSONB, 1 + json.len);

    *end = 1; /* its version */
    memcpy(end + 1, json.ptr, json.len);
}


void
db_records_texts(struct db_records *records, const struct ads_str *texts,
                 size_t n)
{
    size_t len = n == 0 ? 12 : 20;
    char *end;

    for (size_t i = 0; i < n; i++) {
        len += 4 + texts[i].len;
    }
    end = records_field(records, DB_TYPE_TEXTS, len);
    end = be_write(end, n > 0, 4); /* dimensions */
    end = be_write(end, 0, 4);     /* no nulls */
    end = be_write(end, DB_TYPE_TEXT, 4);
    if (n > 0) {
        end = be_write(end, n, 4);
        end = be_write(end, 1, 4); /* the first subscript */
    }
    for (size_t i = 0; i < n; i++) {
        end = be_write(end, texts[i].len, 4);
        memcpy(end, texts[i].ptr, texts[i].len);
        end += texts[i].len;
    }
}


void
db_arg_records(struct db_args *args, uint32_t type,
               const struct db_records *records, struct db_records_at from,
               struct db_records_at to)
{
    size_t len = to.len - from.len;
    struct array array =
        array_begin(args, (enum db_type)type, to.n - from.n, len);

    if (len > 0) {
        memcpy(array.end, records->bytes + from.len, len);
        array.end += len;
    }
    /* of the type that the function has there */
    array_end(args, (enum db_type)0, &array);
}
