/*
 * Reads the fields of a JSON object and notes every error.  A member is marked
 * when it is asked for; what is left unmarked in an opened object is an unknown
 * field.
 */
#include "base/form.h"

#include <inttypes.h>
#include <stdio.h>

#include "ads_blank.h"
#include "ads_money.h"
#include "ads_nearest.h"
#include "ads_time.h"
#include "ads_utf8.h"


/*
 * Appends "/name" to a pointer, cut where it has no room: no real pointer is
 * that long.
 */
static void
pointer_push(char *pointer, const char *name, size_t name_len)
{
    size_t len = strlen(pointer);

    if (len + 1 < ADS_BODY_POINTER_MAX) {
        pointer[len++] = '/';
    }
    if (name_len > ADS_BODY_POINTER_MAX - 1 - len) {
        name_len = ADS_BODY_POINTER_MAX - 1 - len;
    }
    memcpy(pointer + len, name, name_len);
    pointer[len + name_len] = '\0';
}


void
form_error(struct form *form, const char *name, const char *code,
           const char *detail)
{
    struct ads_field_error *error;

    if (form->errors->n == FORM_ERRORS_MAX) {
        return;
    }
    error = &form->errors->list[form->errors->n++];
    memcpy(error->pointer, form->pointer, sizeof(error->pointer));
    if (name != NULL) {
        pointer_push(error->pointer, name, strlen(name));
    }
    error->code = code;
    (void)snprintf(error->detail, sizeof(error->detail), "%s", detail);
}


static const char *
number_text(struct pool *pool, int64_t number, bool money)
{
    char text[ADS_MONEY_TEXT_MAX];
    const char *end;

    if (!money) {
        return pool_format(pool, NULL, "%" PRId64, number);
    }
    end = ads_money_write(text, number);
    return pool_text(pool, (struct ads_str){text, (size_t)(end - text)});
}


const char *
form_range_said(struct pool *pool, int64_t least, int64_t most, bool money)
{
    const char *low = number_text(pool, least, money);
    const char *high = number_text(pool, most, money);

    if (most == INT64_MAX) {
        return pool_format(pool, NULL, "must be at least %s", low);
    }
    if (least == INT64_MIN) {
        return pool_format(pool, NULL, "must be at most %s", high);
    }
    return pool_format(pool, NULL, "must be from %s to %s", low, high);
}


const char *
form_choices_said(struct pool *pool, const char *const *choices)
{
    const char *said = pool_format(pool, NULL, "must be one of %s", choices[0]);

    for (size_t i = 1; choices[i] != NULL; i++) {
        said = pool_format(pool, NULL, "%s, %s", said, choices[i]);
    }
    return said;
}


bool
form_begin(struct form *form, struct pool *pool, struct ads_str text,
           const char **why)
{
    static struct doc nothing = {.type = ADS_JSON_OBJECT};

    *form = (struct form){.pool = pool, .object = &nothing};
    form->errors = pool_alloc(pool, sizeof(*form->errors));
    if (text.len == 0) {
        return true;
    }
    *why = "must be an object";
    form->object = doc_read(pool, pool_text(pool, text), text.len, why);
    return form->object != NULL && form->object->type == ADS_JSON_OBJECT;
}


void
form_begin_at(struct form *form, struct pool *pool, struct doc *object,
              struct form_errors *errors, uint32_t index)
{
    static struct doc nothing = {.type = ADS_JSON_OBJECT};

    *form = (struct form){.pool = pool, .object = object, .errors = errors};
    (void)snprintf(form->pointer, sizeof(form->pointer), "/%u", index);
    if (object->type != ADS_JSON_OBJECT) {
        form_error(form, NULL, "wrong_type", "must be an object");
        form->object = &nothing;
        form->missing = true;
    }
}


/* Notes an unknown field of the object at form->pointer, with the nearest of
 * those that were asked for. */
static void
unknown_error(struct form *form, const struct doc *object, struct ads_str name)
{
    const struct form_errors *errors = form->errors;
    struct ads_nearest nearest;

    if (!ads_nearest_may_show(name)) {
        form_error(form, NULL, "unknown_field",
                   "holds a field that is not known here");
        return;
    }
    ads_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < errors->n_asked; i++) {
        if (errors->asked[i].object == object) {
            ads_nearest_try(&nearest, errors->asked[i].name);
        }
    }
    form_error(form, NULL, "unknown_field",
               nearest.name == NULL
                   ? pool_format(form->pool, NULL, "has no field %.*s",
                                 (int)name.len, name.ptr)
                   : pool_format(form->pool, NULL,
                                 "has no field %.*s: did you mean %s?",
                                 (int)name.len, name.ptr, nearest.name));
}


static void
unknown_note(struct form *form, const struct doc *object)
{
    struct form inner;

    for (const struct doc *member = object->first; member != NULL;
         member = member->next)
    {
        if (!member->seen) {
            unknown_error(form, object, member->key);
            return;
        }
        if (member->opened) {
            inner = *form;
            pointer_push(inner.pointer, member->key.ptr, member->key.len);
            unknown_note(&inner, member);
        }
    }
}


bool
form_check(struct form *form)
{
    unknown_note(form, form->object);
    return form->errors->n == 0;
}


bool
form_has(const struct form *form, const char *name)
{
    const struct doc *member = doc_find(form->object, name);

    return member != NULL && member->type != ADS_JSON_NULL;
}


bool
form_is_null(const struct form *form, const char *name)
{
    const struct doc *member = doc_find(form->object, name);

    return member != NULL && member->type == ADS_JSON_NULL;
}


struct doc *
form_any(struct form *form, const char *name, unsigned flags)
{
    struct doc *member = doc_find(form->object, name);
    struct form_errors *errors = form->errors;

    if (errors->n_asked < FORM_ASKED_MAX) {
        errors->asked[errors->n_asked++] =
            (struct form_asked){form->object, name};
    }
    if (member != NULL) {
        member->seen = true;
        if (member->type != ADS_JSON_NULL) {
            return member;
        }
        if ((flags & FORM_KEPT) != 0) {
            form_error(form, name, "wrong_type",
                       "must not be null: it cannot be taken away");
            return NULL;
        }
    }
    if ((flags & FORM_REQUIRED) != 0 && !form->missing) {
        form_error(form, name, "required", "must be there");
    }
    return NULL;
}


/* The member when it is there and of that type. */
static struct doc *
member_of(struct form *form, const char *name, unsigned flags,
          enum ads_json_type type)
{
    static const char *const details[] = {
        [ADS_JSON_BOOL] = "must be a boolean",
        [ADS_JSON_NUMBER] = "must be a number",
        [ADS_JSON_STRING] = "must be a string",
        [ADS_JSON_ARRAY] = "must be an array",
        [ADS_JSON_OBJECT] = "must be an object",
    };
    struct doc *member = form_any(form, name, flags);

    if (member == NULL) {
        return NULL;
    }
    if (member->type != type) {
        form_error(form, name, "wrong_type", details[type]);
        return NULL;
    }
    return member;
}


/* ---- texts ---- */

/* A control character, or one of U+061C, U+200E, U+200F, U+202A to U+202E,
 * U+2066 to U+2069, at the text's begin. */
static bool
is_forbidden(struct ads_str text, bool lines)
{
    const unsigned char *b = (const unsigned char *)text.ptr;

    if (b[0] < 0x20) {
        return !lines || (b[0] != '\n' && b[0] != '\r' && b[0] != '\t');
    }
    if (b[0] == 0x7f) {
        return true;
    }
    if (b[0] == 0xc2 && text.len > 1) {
        return b[1] < 0xa0; /* U+0080 to U+009F */
    }
    if (b[0] == 0xd8 && text.len > 1) {
        return b[1] == 0x9c;
    }
    if (b[0] == 0xe2 && text.len > 2 && b[1] == 0x80) {
        return b[2] == 0x8e || b[2] == 0x8f || (b[2] >= 0xaa && b[2] <= 0xae);
    }
    return b[0] == 0xe2 && text.len > 2 && b[1] == 0x81 && b[2] >= 0xa6
           && b[2] <= 0xa9;
}


bool
form_is_plain(struct ads_str text, bool lines)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_forbidden(ads_str_tail(text, i), lines)) {
            return false;
        }
    }
    return true;
}


struct ads_str
form_plain_of(struct pool *pool, struct ads_str text)
{
    char *plain = pool_text(pool, text);
    size_t len = 0;
    size_t n;

    while ((n = ads_utf8_len(text)) > 0) {
        if (!is_forbidden(text, false)) {
            memcpy(plain + len, text.ptr, n);
            len += n;
        }
        text = ads_str_tail(text, n);
    }
    return (struct ads_str){plain, len};
}


static const char *
text_fault(const struct doc *doc, bool lines)
{
    if (doc->has_nul) {
        return "nul_not_allowed";
    }
    return form_is_plain(doc->text, lines) ? NULL : "control_characters";
}


static bool
text_check(struct form *form, const char *name, const struct doc *doc,
           unsigned flags, uint32_t least, uint32_t most, struct ads_str *text)
{
    const char *fault = text_fault(doc, (flags & FORM_LINES) != 0);
    size_t n;

    if (fault != NULL) {
        form_error(form, name, fault,
                   doc->has_nul
                       ? "must not hold U+0000"
                       : "must not hold control characters, or marks that "
                         "change the direction of text");
        return false;
    }
    *text = ads_str_trim(doc->text, " \t\r\n");
    n = ads_utf8_count(*text);
    if (n > most) {
        form_error(form, name, "too_long",
                   pool_format(form->pool, NULL,
                               "must have at most %u characters", most));
        return false;
    }
    if (least > 0 && ads_blank_is(*text)) {
        form_error(form, name, "empty", "must not be empty");
        return false;
    }
    if (n < least) {
        form_error(form, name, "too_short",
                   pool_format(form->pool, NULL,
                               "must have at least %u characters", least));
        return false;
    }
    return true;
}


struct ads_str
form_text(struct form *form, const char *name, unsigned flags, uint32_t least,
          uint32_t most)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_STRING);
    struct ads_str text;

    if (member == NULL
        || !text_check(form, name, member, flags, least, most, &text))
    {
        return (struct ads_str){NULL, 0};
    }
    return text;
}


bool
form_texts(struct form *form, const char *name, unsigned flags, uint32_t n_max,
           uint32_t each, struct ads_str **out, size_t *n)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_ARRAY);
    struct ads_str *texts;
    size_t i = 0;
    char at[ADS_BODY_POINTER_MAX];

    if (member == NULL) {
        return false;
    }
    if (member->n > n_max) {
        form_error(form, name, "too_many",
                   pool_format(form->pool, NULL,
                               "must have at most %u elements", n_max));
        return false;
    }
    texts = pool_array(form->pool, member->n, sizeof(*texts));
    for (struct doc *item = member->first; item != NULL; item = item->next) {
        (void)snprintf(at, sizeof(at), "%s/%zu", name, i);
        if (item->type != ADS_JSON_STRING) {
            form_error(form, at, "wrong_type", "must be a string");
            return false;
        }
        if (!text_check(form, at, item, flags, 1, each, &texts[i])) {
            return false;
        }
        i++;
    }
    *out = texts;
    *n = i;
    return true;
}


int
form_choice(struct form *form, const char *name, unsigned flags,
            const char *const *choices)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_STRING);

    if (member == NULL) {
        return -1;
    }
    for (int i = 0; choices[i] != NULL; i++) {
        if (ads_str_is(member->text, choices[i])) {
            return i;
        }
    }
    form_error(form, name, "not_allowed",
               form_choices_said(form->pool, choices));
    return -1;
}


/* ---- the rest ---- */

static bool
is_outside(enum ads_err err, int64_t value, int64_t least, int64_t most)
{
    return err == ADS_TOO_LARGE
           || (err == ADS_OK && (value < least || value > most));
}


bool
form_money(struct form *form, const char *name, unsigned flags, int64_t least,
           int64_t most, int64_t *micros)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_NUMBER);
    int64_t value = 0;
    enum ads_err err;

    if (member == NULL) {
        return false;
    }
    err = ads_money_read(&value, member->text, ADS_MONEY_SIGNED);
    if (err == ADS_INVALID) {
        form_error(form, name, "invalid_format",
                   "must be an amount of at most six decimals");
    } else if (is_outside(err, value, least, most)) {
        form_error(form, name, "out_of_range",
                   form_range_said(form->pool, least, most, true));
        err = ADS_INVALID;
    }
    if (err != ADS_OK) {
        return false;
    }
    *micros = value;
    return true;
}


bool
form_int(struct form *form, const char *name, unsigned flags, int64_t least,
         int64_t most, int64_t *out)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_NUMBER);
    int64_t value = 0;
    enum ads_err err;

    if (member == NULL) {
        return false;
    }
    err = ads_money_integer_read(&value, member->text);
    if (err == ADS_INVALID) {
        form_error(form, name, "not_an_integer", "must be a whole number");
    } else if (is_outside(err, value, least, most)) {
        form_error(form, name, "out_of_range",
                   form_range_said(form->pool, least, most, false));
        err = ADS_INVALID;
    }
    if (err != ADS_OK) {
        return false;
    }
    *out = value;
    return true;
}


bool
form_bool(struct form *form, const char *name, unsigned flags, bool *out)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_BOOL);

    if (member == NULL) {
        return false;
    }
    *out = member->truth;
    return true;
}


bool
form_uuid(struct form *form, const char *name, unsigned flags,
          struct ads_uuid *out)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_STRING);

    if (member == NULL) {
        return false;
    }
    if (!ads_uuid_read(out, member->text)) {
        form_error(form, name, "invalid_format", "must be a UUID");
        return false;
    }
    return true;
}


bool
form_time(struct form *form, const char *name, unsigned flags, int64_t *unix_us)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_STRING);
    int64_t ms;

    if (member == NULL) {
        return false;
    }
    if (!ads_time_read(&ms, member->text)) {
        form_error(form, name, "invalid_format",
                   "must be a time of RFC 3339, as 2026-01-31T12:00:00Z");
        return false;
    }
    *unix_us = ms * 1000;
    return true;
}


bool
form_object(struct form *form, const char *name, unsigned flags,
            struct form *inner)
{
    struct doc *member = member_of(form, name, flags, ADS_JSON_OBJECT);

    if (member == NULL) {
        return false;
    }
    member->opened = true;
    *inner = *form;
    inner->object = member;
    pointer_push(inner->pointer, name, strlen(name));
    return true;
}
