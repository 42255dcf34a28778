/*
 * Table-driven parsing of JSON objects: a row per field says which reader reads
 * it, into which member of a struct, and how long it may be.  One loop walks an
 * object over its table; every error is noted with the JSON pointer of its
 * field, and the reading goes on, so that a client learns of all of them at
 * once.
 *
 * For ads_body.c; others see ads_body.h.
 */
#ifndef ADS_BODY_FIELD_H
#define ADS_BODY_FIELD_H

#include "ads_bytes.h"
#include "ads_err.h"
#include "ads_id.h"
#include "ads_json.h"

#define ADS_BODY_ERRORS_MAX 16
#define ADS_BODY_POINTER_MAX 48
#define ADS_BODY_DETAIL_MAX 160
#define ADS_BODY_LIST_MAX 64
#define ADS_BODY_SESSION_MAX 128

struct ads_field_error {
    /* A JSON pointer with its NUL, made of our own names and of numbers only;
     * an unknown field is reported at the object that holds it. */
    char pointer[ADS_BODY_POINTER_MAX];
    const char *code; /* constant, from the list in ads_body.h */
    char detail[ADS_BODY_DETAIL_MAX]; /* short English, with its NUL */
};

/*
 * What is wrong with a body.  Either it is no JSON object at all: `malformed`
 * says so, and where, and there are no field errors.  Or `n` > 0.  Texts lie in
 * the struct itself or are constants: it is not copied while they are needed.
 */
struct ads_body_errors {
    const char *malformed; /* NULL when it is an object */
    char place[ADS_JSON_FAULT_MAX];
    uint32_t n;
    bool more; /* there are more than fit */
    struct ads_field_error list[ADS_BODY_ERRORS_MAX];
};

struct ads_body_list {
    uint32_t n;
    struct ads_str items[ADS_BODY_LIST_MAX];
};

struct ads_body_ids {
    uint32_t n;
    struct ads_uuid items[ADS_BODY_LIST_MAX];
};

/* A body while it is read. */
struct ads_body_reader {
    struct ads_json json;
    struct ads_body_errors *errors;
    struct ads_field_error *item_error; /* see ads_body_note() */
    bool item_ok;
    bool refused; /* something is wrong outside any item */
    int64_t now_ms;
    size_t pointer_len;
    char pointer[ADS_BODY_POINTER_MAX];
};

/* Reads a field's value, whose opening was just read, into `out` + offset. */
struct ads_body_field {
    struct ads_str name;
    void (*read)(struct ads_body_reader *, const struct ads_body_field *,
                 const struct ads_json_value *, void *out);
    size_t offset; /* of the struct's member */
    uint32_t max;  /* characters of a text, or elements of a list */
    uint32_t each; /* characters of each element of a list of texts */
    bool (*fits)(struct ads_str text);
};

/* At most 32 fields. */
struct ads_body_table {
    const struct ads_body_field *fields;
    size_t n;
    bool strict; /* unknown fields are errors */
};

/* Begins a body; false when it is no object, and `errors` says so. */
ADS_MUST bool
ads_body_begin(struct ads_body_reader *reader, struct ads_body_errors *errors,
               char *text, size_t len);

/* Ends it: ADS_INVALID for a fault of the JSON, which replaces all field
 * errors, or when something was noted outside of any item. */
ADS_MUST enum ads_err
ads_body_end(struct ads_body_reader *reader);

/*
 * Notes an error at the field that is being read.  While `item_error` is set,
 * it is that item's error (the first is kept there, and item_ok turns false);
 * else the body is refused.  A detail that is too long is cut.
 */
void
ads_body_note(struct ads_body_reader *reader, const char *code,
              const char *detail);

/* Appends "/name" or "/index" to the pointer; returns what ads_body_pop()
 * wants back. */
size_t
ads_body_push(struct ads_body_reader *reader, struct ads_str name);
size_t
ads_body_push_index(struct ads_body_reader *reader, uint32_t index);
void
ads_body_pop(struct ads_body_reader *reader, size_t before);

/* Reads the members of the object whose opening was just read.  Returns a bit
 * for each field of the table that was there; a field that is null was not. */
uint32_t
ads_body_object_read(struct ads_body_reader *reader,
                     const struct ads_body_table *table, void *out);

/* Notes each of the first n fields of the table whose bit is not in `seen`. */
void
ads_body_require(struct ads_body_reader *reader,
                 const struct ads_body_table *table, uint32_t seen, size_t n);

/* Notes wrong_type and says false when the value is not of that type. */
bool
ads_body_type_check(struct ads_body_reader *reader,
                    const struct ads_json_value *value,
                    enum ads_json_type type);

/* The same for a string, which must not hold U+0000 either. */
bool
ads_body_string_check(struct ads_body_reader *reader,
                      const struct ads_json_value *value);

/* The text without ASCII white space at its ends. */
struct ads_str
ads_body_trim(struct ads_str text);

/* Reads a whole number of low to high; notes and says false when it is not. */
bool
ads_body_integer_read(struct ads_body_reader *reader,
                      const struct ads_json_value *value, int64_t low,
                      int64_t high, int64_t *number);

/* Readers for tables: a trimmed text (struct ads_str, may be empty) ... */
void
ads_body_text_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out);

/* ... a text for which `fits` must hold, spaces and all; an empty one is
 * absent ... */
void
ads_body_form_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out);

/* ... a struct ads_uuid ... */
void
ads_body_uuid_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out);

/* ... a struct ads_str: a session id, with no personal data in it; an empty one
 * is absent ... */
void
ads_body_session_read(struct ads_body_reader *reader,
                      const struct ads_body_field *field,
                      const struct ads_json_value *value, void *out);

/* ... a struct ads_body_list of texts that are not empty ... */
void
ads_body_list_read(struct ads_body_reader *reader,
                   const struct ads_body_field *field,
                   const struct ads_json_value *value, void *out);

/* ... a struct ads_body_ids. */
void
ads_body_ids_read(struct ads_body_reader *reader,
                  const struct ads_body_field *field,
                  const struct ads_json_value *value, void *out);

#endif
