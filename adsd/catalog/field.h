/*
 * What a resource of the API is made of: one table of its fields, in the order
 * of its JSON.  From it come the form, the JSON, the head of the CSV, and the
 * rows that are sent to PostgreSQL and read from it.
 *
 *     static const struct field list[] = {
 *         {"id", .type = FIELD_UUID},
 *         {"title", FIELD_TEXT, FIELD_GIVEN | FIELD_REQUIRED,
 *          offsetof(struct product, title), .least = 1, .most = 1000},
 *         ...
 *     };
 *
 * What is given (FIELD_GIVEN) is a member of a struct and, in the order of the
 * table, of a composite type in SQL.  The rest is only shown.  Columns of
 * results are found by their names, in any order, and a name that is not there
 * ends the process.
 *
 * A name with a dot is a member of an object: those of one object stand side
 * by side.
 */
#ifndef ADSD_FIELD_H
#define ADSD_FIELD_H

#include "base/form.h"
#include "base/json.h"
#include "db/db.h"

/* In the struct, and in SQL. */
enum field_type {
    FIELD_UUID, /* only shown, as is: */
    FIELD_BOOL,
    FIELD_TEXT,  /* struct ads_str, ptr NULL: none; text */
    FIELD_TEXTS, /* struct ads_str, a JSON array of texts; text[] */
    FIELD_JSON,  /* struct ads_str, any JSON; jsonb */
    FIELD_MONEY, /* int64_t micros; bigint.  In JSON two members */
    FIELD_INT,   /* int64_t; bigint or int */
    FIELD_TIME   /* int64_t, unix us; timestamptz */
};

enum field_flags {
    FIELD_GIVEN = 1,
    FIELD_REQUIRED = 2, /* to create one */
    FIELD_NULL = 4,     /* null takes the value away; else a patch refuses it */
    FIELD_LINES = 8,    /* a text may have lines */
    FIELD_EMPTY = 16,   /* no text is '' in SQL, not null */
    FIELD_NULLS = 32,   /* null here: the whole object around it is null */
    FIELD_WITH = 64     /* in a form read by the `read` of another */
};

struct field {
    const char *name; /* in JSON */
    enum field_type type;
    unsigned flags;
    size_t offset;              /* in the struct */
    int64_t least;              /* characters, micros, numbers */
    int64_t most;               /* of texts: how many */
    uint32_t each;              /* characters of each of them */
    int64_t none;               /* the number or time that stands for null */
    const char *column;         /* NULL: as `name`, and _micros behind money */
    const char *csv;            /* its columns in CSV; NULL: by its name */
    const char *const *choices; /* the texts that are allowed; NULL: all */

    /* What is odd, by functions beside the table, on the whole struct.  `read`
     * is called instead of the standard way, `check` after either. */
    void (*read)(const struct field *field, struct form *form, void *record,
                 bool create);
    void (*check)(const struct field *field, struct form *form,
                  const void *record);
};

struct fields {
    const struct field *list;
    size_t n;
};

/* Of an array. */
#define FIELDS(list)                           \
    {                                          \
        list, sizeof(list) / sizeof((list)[0]) \
    }

/* The field of that name, which must be one. */
const struct field *
fields_find(const struct fields *fields, const char *name);

/* The value of a field in a struct. */
struct ads_str *
field_text(const struct field *field, const void *record);
int64_t *
field_number(const struct field *field, const void *record);

/* Reads one in the standard way over what is there; faults are noted in the
 * form. */
void
field_form(const struct field *field, struct form *form, void *record,
           bool create);

/* A JSON array of those texts, in the pool. */
struct ads_str
field_texts_json(struct pool *pool, const struct ads_str *texts, size_t n);

/* All that are given, over what the struct holds. */
void
fields_form(const struct fields *fields, struct form *form, void *record,
            bool create);

/* The struct of a row; texts are borrowed from it or in the pool. */
void
fields_row_read(const struct fields *fields, void *record,
                const struct db_rows *rows, int i, struct pool *pool);

/* A row as an object. */
void
fields_row_write(const struct fields *fields, struct json *json,
                 const struct db_rows *rows, int i);

/* The names of the CSV's columns, in the pool. */
const char *
fields_csv(const struct fields *fields, struct pool *pool);

/* How many are given: fields of a record. */
uint32_t
fields_given(const struct fields *fields);

/* What is given, as the next fields of a record that was begun. */
void
fields_record(const struct fields *fields, struct db_records *records,
              const void *record, struct pool *pool);

/* `n` structs of `size` bytes as the next parameter, an array of the composite
 * type of that name. */
ADS_MUST enum ads_err
fields_arg(const struct fields *fields, struct db_args *args, struct db_tx *tx,
           const char *type, const void *records, size_t n, size_t size);

#endif
