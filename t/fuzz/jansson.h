/*
 * The second opinion on JSON: jansson, with the options that make it as strict
 * as core/ads_json.h.  It has limits of its own; where one of them speaks, the
 * two need not agree.
 */
#ifndef T_FUZZ_JANSSON_H
#define T_FUZZ_JANSSON_H

#include <jansson.h>

#include "ads_json.h"
#include "fuzz.h"

enum fuzz_opinion { FUZZ_NONE, FUZZ_TAKEN, FUZZ_REFUSED };


/* *document, when taken, goes back by json_decref(). */
static inline enum fuzz_opinion
fuzz_jansson(json_t **document, const void *bytes, size_t len)
{
    json_error_t error;

    *document = NULL;
    if (len > 0 && memchr(bytes, 0, len) != NULL) {
        return FUZZ_REFUSED; /* jansson steps over raw zeros */
    }
    *document = json_loadb(bytes, len,
                           JSON_REJECT_DUPLICATES | JSON_DECODE_ANY
                               | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL,
                           &error);
    if (*document != NULL) {
        return FUZZ_TAKEN;
    }
    switch (json_error_code(&error)) {
    case json_error_numeric_overflow:
    case json_error_null_byte_in_key:
    case json_error_stack_overflow:
        return FUZZ_NONE;
    default:
        return FUZZ_REFUSED;
    }
}


/* A fault that is our own limit, and nothing that RFC 8259 forbids. */
static inline bool
fuzz_limit(const char *fault)
{
    return strstr(fault, ads_json_fault_text(ADS_JSON_TOO_DEEP)) != NULL
           || strstr(fault, ads_json_fault_text(ADS_JSON_TOO_MANY_KEYS))
                  != NULL;
}


/* The member of that name, or NULL. */
static inline const json_t *
fuzz_member(const json_t *object, const char *name)
{
    return json_object_get(object, name);
}


static inline struct ads_str
fuzz_string(const json_t *value)
{
    return (struct ads_str){json_string_value(value),
                            json_string_length(value)};
}


/* Without the white space that bodies are trimmed of. */
static inline struct ads_str
fuzz_trim(struct ads_str text)
{
    while (text.len > 0 && memchr(" \t\n\v\f\r", *text.ptr, 6) != NULL) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0
           && memchr(" \t\n\v\f\r", text.ptr[text.len - 1], 6) != NULL) {
        text.len--;
    }
    return text;
}

#endif
