/*
 * The loops over a table of fields: one for each thing that is made of it, and
 * in each one switch over the types.
 */
#include "catalog/field.h"

#include <stdio.h>
#include <stdlib.h>

#include "ads_json.h"
#include "db/row.h"

#define COLUMN_MAX 64
#define NOTHING ((struct ads_str){NULL, 0})


const struct field *
fields_find(const struct fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->n; i++) {
        if (strcmp(fields->list[i].name, name) == 0) {
            return &fields->list[i];
        }
    }
    abort(); /* our own rule is about a field that is gone */
}


struct ads_str *
field_text(const struct field *field, const void *record)
{
    return (struct ads_str *)(void *)((char *)record + field->offset);
}


int64_t *
field_number(const struct field *field, const void *record)
{
    return (int64_t *)(void *)((char *)record + field->offset);
}


static int
column_of(const struct field *field, const struct db_rows *rows)
{
    char name[COLUMN_MAX];

    if (field->column != NULL) {
        return db_column(rows, field->column);
    }
    (void)snprintf(name, sizeof(name), "%s%s", field->name,
                   field->type == FIELD_MONEY ? "_micros" : "");
    return db_column(rows, name);
}


/* ---- forms ---- */

struct ads_str
field_texts_json(struct pool *pool, const struct ads_str *texts, size_t n)
{
    struct json json;

    json_init(&json, pool);
    json_array_begin(&json, NULL);
    for (size_t i = 0; i < n; i++) {
        json_string(&json, NULL, texts[i]);
    }
    json_array_end(&json);
    return json_text(&json);
}


static struct ads_str
choice_read(const struct field *field, struct form *form, const char *name,
            unsigned flags)
{
    int i = form_choice(form, name, flags, field->choices);

    return i < 0
               ? NOTHING
               : (struct ads_str){field->choices[i], strlen(field->choices[i])};
}


static void
text_read(const struct field *field, struct form *form, const char *name,
          unsigned flags, struct ads_str *text)
{
    struct ads_str given =
        field->choices != NULL
            ? choice_read(field, form, name, flags)
            : form_text(form, name, flags, (uint32_t)field->least,
                        (uint32_t)field->most);

    if (given.ptr != NULL) {
        *text = given.len > 0 ? given : NOTHING;
    }
}


static void
texts_read(const struct field *field, struct form *form, const char *name,
           unsigned flags, struct ads_str *json)
{
    struct ads_str *texts;
    size_t n;

    if (form_texts(form, name, flags, (uint32_t)field->most, field->each,
                   &texts, &n))
    {
        *json = field_texts_json(form->pool, texts, n);
    }
}


/* Null, where it takes a value away. */
static void
none_set(const struct field *field, void *record)
{
    switch (field->type) {
    case FIELD_TEXT:
        *field_text(field, record) = NOTHING;
        break;
    case FIELD_TEXTS:
        *field_text(field, record) = ADS_STR("[]");
        break;
    case FIELD_JSON:
        *field_text(field, record) = ADS_STR("{}");
        break;
    default:
        *field_number(field, record) = field->none;
    }
}


void
field_form(const struct field *field, struct form *form, void *record,
           bool create)
{
    const char *dot = strchr(field->name, '.');
    const char *name = dot == NULL ? field->name : dot + 1;
    unsigned flags = 0;

    flags |= create && (field->flags & FIELD_REQUIRED) != 0 ? FORM_REQUIRED : 0;
    flags |= (field->flags & FIELD_LINES) != 0 ? FORM_LINES : 0;
    if ((field->flags & FIELD_NULL) == 0) {
        flags |= create ? 0 : FORM_KEPT;
    } else if (form_is_null(form, name)) {
        none_set(field, record);
    }
    switch (field->type) {
    case FIELD_TEXT:
        text_read(field, form, name, flags, field_text(field, record));
        break;
    case FIELD_TEXTS:
        texts_read(field, form, name, flags, field_text(field, record));
        break;
    case FIELD_MONEY:
        (void)form_money(form, name, flags, field->least, field->most,
                         field_number(field, record));
        break;
    case FIELD_INT:
        (void)form_int(form, name, flags, field->least, field->most,
                       field_number(field, record));
        break;
    case FIELD_TIME:
        (void)form_time(form, name, flags, field_number(field, record));
        break;
    default: /* read by a function of its own */
        break;
    }
}


void
fields_form(const struct fields *fields, struct form *form, void *record,
            bool create)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->list[i];

        if ((field->flags & (FIELD_GIVEN | FIELD_WITH)) != FIELD_GIVEN) {
            continue;
        }
        if (field->read != NULL) {
            field->read(field, form, record, create);
        } else {
            field_form(field, form, record, create);
        }
        if (field->check != NULL) {
            field->check(field, form, record);
        }
    }
}


/* ---- rows ---- */

void
fields_row_read(const struct fields *fields, void *record,
                const struct db_rows *rows, int i, struct pool *pool)
{
    for (size_t k = 0; k < fields->n; k++) {
        const struct field *field = &fields->list[k];
        int column;

        if ((field->flags & FIELD_GIVEN) == 0) {
            continue;
        }
        column = column_of(field, rows);
        if (db_is_null(rows, i, column)) {
            none_set(field, record);
        } else if (field->type == FIELD_TEXTS) {
            *field_text(field, record) = row_texts_json(rows, i, column, pool);
        } else if (field->type == FIELD_TIME) {
            *field_number(field, record) = db_time(rows, i, column);
        } else if (field->type == FIELD_MONEY || field->type == FIELD_INT) {
            *field_number(field, record) = db_int(rows, i, column);
        } else {
            *field_text(field, record) = db_text(rows, i, column);
        }
    }
}


static void
value_write(const struct field *field, const char *name, struct json *json,
            const struct db_rows *rows, int i)
{
    int column = column_of(field, rows);

    switch (field->type) {
    case FIELD_UUID:
        row_uuid(json, name, rows, i, column);
        break;
    case FIELD_BOOL:
        json_bool(json, name, db_bool(rows, i, column));
        break;
    case FIELD_TEXT:
        json_string(json, name, db_text(rows, i, column));
        break;
    case FIELD_TEXTS:
        json_raw(json, name, row_texts_json(rows, i, column, json->pool));
        break;
    case FIELD_JSON:
        json_raw(json, name, db_text(rows, i, column));
        break;
    case FIELD_MONEY:
        row_money(json, name, rows, i, column);
        break;
    case FIELD_INT:
        json_int(json, name, db_int(rows, i, column));
        break;
    case FIELD_TIME:
        row_time(json, name, rows, i, column);
        break;
    }
}


/* The length of the object's name that the member is in; 0: in none. */
static size_t
object_len(const struct field *field)
{
    const char *dot = strchr(field->name, '.');

    return dot == NULL ? 0 : (size_t)(dot - field->name);
}


/* Writes the members of an object, from the first on; returns behind them. */
static size_t
object_write(const struct fields *fields, size_t first, struct json *json,
             const struct db_rows *rows, int i)
{
    const char *name = fields->list[first].name;
    size_t len = object_len(&fields->list[first]), k = first;
    const char *object = pool_text(json->pool, (struct ads_str){name, len});
    bool null = (fields->list[first].flags & FIELD_NULLS) != 0
                && db_is_null(rows, i, column_of(&fields->list[first], rows));

    if (null) {
        json_null(json, object);
    } else {
        json_object_begin(json, object);
    }
    for (; k < fields->n && strncmp(fields->list[k].name, name, len + 1) == 0;
         k++) {
        if (!null) {
            value_write(&fields->list[k], fields->list[k].name + len + 1, json,
                        rows, i);
        }
    }
    if (!null) {
        json_object_end(json);
    }
    return k;
}


void
fields_row_write(const struct fields *fields, struct json *json,
                 const struct db_rows *rows, int i)
{
    size_t k = 0;

    json_object_begin(json, NULL);
    while (k < fields->n) {
        const struct field *field = &fields->list[k];

        if (object_len(field) > 0) {
            k = object_write(fields, k, json, rows, i);
        } else {
            value_write(field, field->name, json, rows, i);
            k++;
        }
    }
    json_object_end(json);
}


const char *
fields_csv(const struct fields *fields, struct pool *pool)
{
    const char *names = "";
    size_t len;

    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->list[i];
        const char *name = field->csv != NULL ? field->csv : field->name;
        const char *comma = i > 0 ? "," : "";

        names = field->type == FIELD_MONEY
                    ? pool_format(pool, &len, "%s%s%s,%s_micros", names, comma,
                                  name, name)
                    : pool_format(pool, &len, "%s%s%s", names, comma, name);
    }
    return names;
}


/* ---- records ---- */

uint32_t
fields_given(const struct fields *fields)
{
    uint32_t n = 0;

    for (size_t i = 0; i < fields->n; i++) {
        n += (fields->list[i].flags & FIELD_GIVEN) != 0;
    }
    return n;
}


/* A JSON array of texts, our own. */
static void
texts_record(struct db_records *records, struct ads_str list, struct pool *pool)
{
    size_t n_max = list.len / 2, n = 0; /* each has two quotes */
    struct ads_str *texts = pool_array(pool, n_max, sizeof(*texts));
    struct ads_json json;
    struct ads_json_value value;

    ads_json_init(&json, pool_text(pool, list), list.len);
    ads_json_read(&json, &value);
    while (n < n_max && ads_json_element(&json)) {
        ads_json_read(&json, &value);
        texts[n++] = value.text;
    }
    db_records_texts(records, texts, n);
}


static void
number_record(const struct field *field, struct db_records *records,
              int64_t value)
{
    bool null = (field->flags & FIELD_NULL) != 0 && value == field->none;

    if (field->type == FIELD_TIME) {
        if (null) {
            db_records_time_null(records);
        } else {
            db_records_time(records, value);
        }
    } else if (null) {
        db_records_int8_null(records);
    } else {
        db_records_int8(records, value);
    }
}


void
fields_record(const struct fields *fields, struct db_records *records,
              const void *record, struct pool *pool)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->list[i];
        struct ads_str text;

        if ((field->flags & FIELD_GIVEN) == 0) {
            continue;
        }
        switch (field->type) {
        case FIELD_TEXT:
            text = *field_text(field, record);
            if (text.ptr == NULL && (field->flags & FIELD_EMPTY) != 0) {
                text = ADS_STR("");
            }
            db_records_text(records, text);
            break;
        case FIELD_TEXTS:
            texts_record(records, *field_text(field, record), pool);
            break;
        case FIELD_JSON:
            db_records_json(records, *field_text(field, record));
            break;
        default:
            number_record(field, records, *field_number(field, record));
        }
    }
}


enum ads_err
fields_arg(const struct fields *fields, struct db_args *args, struct db_tx *tx,
           const char *type, const void *records, size_t n, size_t size)
{
    struct db_records rows = {0};
    uint32_t number;
    enum ads_err err = db_type_find(tx, type, args->pool, &number);

    if (err != ADS_OK) {
        return err;
    }
    for (size_t i = 0; i < n; i++) {
        db_records_begin(&rows, fields_given(fields));
        fields_record(fields, &rows, (const char *)records + i * size,
                      args->pool);
        db_records_end(&rows);
    }
    db_arg_records(args, number, &rows, (struct db_records_at){0},
                   db_records_end_at(&rows));
    db_records_free(&rows);
    return ADS_OK;
}
