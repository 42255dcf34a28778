/*
 * Form: reads the fields of a JSON object, one call a field.  The object is a
 * management body (http/body.h) or a row of a feed.
 *
 *     if (!form_begin(&form, pool, text, &why)) {
 *         return ADS_INVALID;
 *     }
 *     name = form_text(&form, "name", FORM_REQUIRED, 1, 200);
 *     form_money(&form, "bid", FORM_REQUIRED, 1, BID_MAX, &bid_micros);
 *     if (!form_check(&form)) {
 *         ... form.errors
 *     }
 *
 * Nothing stops at the first mistake: every field error is noted with its JSON
 * pointer, and a field that was not read is one too.  So values are used
 * only after form_check().
 *
 * Texts are borrowed from the object: valid UTF-8 without U+0000, without
 * control characters (FORM_LINES allows line breaks and tabs) and without the
 * marks that change the direction of text.  Lengths are code points, after
 * ASCII white space was taken off both ends.
 */
#ifndef ADSD_FORM_H
#define ADSD_FORM_H

#include "ads_id.h"
#include "ads_problem.h"
#include "base/doc.h"

#define FORM_ERRORS_MAX ADS_BODY_ERRORS_MAX

enum form_flags {
    FORM_OPTIONAL = 0,
    FORM_REQUIRED = 1,
    FORM_KEPT = 2, /* null, which would take the value away, is refused */
    FORM_LINES = 4
};

#define FORM_ASKED_MAX 64

/* A field that was asked for: what an unknown one may have meant. */
struct form_asked {
    const struct doc *object;
    const char *name;
};

struct form_errors {
    uint32_t n;
    uint32_t n_asked;
    struct ads_field_error list[FORM_ERRORS_MAX];
    struct form_asked asked[FORM_ASKED_MAX]; /* the first so many */
};

struct form {
    struct pool *pool;
    struct form_errors *errors;
    struct doc *object;
    bool missing; /* another value is there, and the error is noted */
    char pointer[ADS_BODY_POINTER_MAX]; /* of the object */
};

/* Reads a copy of the text, which must be an object; an empty text reads as an
 * empty object.  False: `why` tells what is wrong, and where. */
ADS_MUST bool
form_begin(struct form *form, struct pool *pool, struct ads_str text,
           const char **why);

/* The same for an object that stands at `index` of an array, for texts that
 * hold many. */
void
form_begin_at(struct form *form, struct pool *pool, struct doc *object,
              struct form_errors *errors, uint32_t index);

/* Notes the fields that were not read; says whether there was no error. */
ADS_MUST bool
form_check(struct form *form);

/* Notes an error at a field, or at the object itself with name NULL; `code` is
 * a constant, and `name` below as well.  A detail too long is cut. */
void
form_error(struct form *form, const char *name, const char *code,
           const char *detail);

/* Details in the pool: "must be from 0.01 to 1000", where a bound of INT64_MIN
 * or INT64_MAX is none, and a `money` one is in micros ... */
const char *
form_range_said(struct pool *pool, int64_t least, int64_t most, bool money);

/* ... and "must be one of active, paused"; the list ends with NULL. */
const char *
form_choices_said(struct pool *pool, const char *const *choices);

/* Is the member there?  One that is null reads as absent, here and below;
 * form_is_null tells it from one that is not written at all. */
bool
form_has(const struct form *form, const char *name);
bool
form_is_null(const struct form *form, const char *name);

/* ptr NULL: absent, null or wrong. */
struct ads_str
form_text(struct form *form, const char *name, unsigned flags, uint32_t least,
          uint32_t most);

/* Those below say whether *out was set; else it stays as it was. */
bool
form_money(struct form *form, const char *name, unsigned flags, int64_t least,
           int64_t most, int64_t *micros);
bool
form_int(struct form *form, const char *name, unsigned flags, int64_t least,
         int64_t most, int64_t *out);
bool
form_bool(struct form *form, const char *name, unsigned flags, bool *out);
bool
form_uuid(struct form *form, const char *name, unsigned flags,
          struct ads_uuid *out);
bool
form_time(struct form *form, const char *name, unsigned flags,
          int64_t *unix_us);

/* Holds the text nothing that controls a terminal or turns the direction of
 * what follows?  Ends of lines only where `lines`. */
bool
form_is_plain(struct ads_str text, bool lines);

/* The text on one line without what form_is_plain refuses, in the pool. */
struct ads_str
form_plain_of(struct pool *pool, struct ads_str text);

/* Index of the text in the NULL-ended list, or -1. */
int
form_choice(struct form *form, const char *name, unsigned flags,
            const char *const *choices);

/* An array of texts of 1 to `each` characters into the pool. */
bool
form_texts(struct form *form, const char *name, unsigned flags, uint32_t n_max,
           uint32_t each, struct ads_str **out, size_t *n);

/* An object within: read it with the same calls on `inner`. */
bool
form_object(struct form *form, const char *name, unsigned flags,
            struct form *inner);

/* Any value, for what none of the above reads; NULL when absent.  Its members
 * are not asked for one by one. */
struct doc *
form_any(struct form *form, const char *name, unsigned flags);

#endif
