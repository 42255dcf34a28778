/*
 * Parses the query string in one pass; a parameter that no handler reads is an
 * error, so that a mistyped filter never shows everything.
 */
#include "http/query.h"

#include <stdio.h>

#include "ads_money.h"
#include "ads_time.h"
#include "ads_utf8.h"
#include "base/form.h"

#define NAME_SHOWN_MAX 32
#define NOT_TEXT                                                       \
    "must be UTF-8 without control characters, with each percent sign" \
    " before two digits"


static int
hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}


/* In place; false for a percent sign without two digits, or a control
 * character, or what is not UTF-8. */
static bool
decode(struct ads_str *text)
{
    char *out = (char *)text->ptr;
    size_t len = 0;

    for (size_t i = 0; i < text->len; i++) {
        char c = text->ptr[i];

        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            if (i + 2 >= text->len || hex(text->ptr[i + 1]) < 0
                || hex(text->ptr[i + 2]) < 0)
            {
                return false;
            }
            c = (char)(hex(text->ptr[i + 1]) * 16 + hex(text->ptr[i + 2]));
            i += 2;
        }
        if ((unsigned char)c < 0x20 || c == 0x7f) {
            return false;
        }
        out[len++] = c;
    }
    text->len = len;
    return ads_utf8_check(*text);
}


void
query_error(struct query *query, const char *name, const char *code,
            const char *detail)
{
    struct ads_field_error *error;

    if (query->n_errors == ADS_BODY_ERRORS_MAX) {
        return;
    }
    error = &query->errors[query->n_errors++];
    (void)snprintf(error->pointer, sizeof(error->pointer), "?%.40s", name);
    error->code = code;
    (void)snprintf(error->detail, sizeof(error->detail), "%s", detail);
}


/* A name as it may be shown: one such as ours are, for who mistyped it.  What
 * looks otherwise may be anything, and is not repeated; nor is an empty one. */
static const char *
shown(const struct query *query, struct ads_str name)
{
    bool fits = name.len > 0 && name.len <= NAME_SHOWN_MAX;

    for (size_t i = 0; fits && i < name.len; i++) {
        char c = name.ptr[i];

        fits = (c >= 'a' && c <= 'z') || c == '_' || c == '[' || c == ']';
    }
    return fits ? pool_text(query->request->pool, name) : "";
}


/* Takes "name=value" off the front of the text. */
static struct scgi_param
param_take(struct ads_str *text)
{
    struct scgi_param param;
    const char *end = memchr(text->ptr, '&', text->len);
    const char *equals;
    size_t len = end == NULL ? text->len : (size_t)(end - text->ptr);

    param.name = (struct ads_str){text->ptr, len};
    param.value = (struct ads_str){text->ptr + len, 0};
    equals = memchr(text->ptr, '=', len);
    if (equals != NULL) {
        param.name.len = (size_t)(equals - text->ptr);
        param.value = (struct ads_str){equals + 1, len - param.name.len - 1};
    }
    text->ptr += end == NULL ? len : len + 1;
    text->len -= end == NULL ? len : len + 1;
    return param;
}


static void
param_add(struct query *query, struct scgi_param param)
{
    if (!decode(&param.name)) {
        query_error(query, "", "invalid_format", NOT_TEXT);
        return;
    }
    if (!decode(&param.value)) {
        query_error(query, shown(query, param.name), "invalid_format",
                    NOT_TEXT);
        return;
    }
    for (uint32_t i = 0; i < query->n; i++) {
        if (ads_str_equal(query->params[i].name, param.name)) {
            query_error(query, shown(query, param.name), "too_many",
                        "comes twice");
            return;
        }
    }
    query->params[query->n++] = param;
}


enum ads_err
query_begin(struct query *query, struct request *request)
{
    struct ads_str text = request_find(request, "QUERY_STRING");

    memset(query, 0, sizeof(*query));
    query->request = request;
    if (text.ptr == NULL) {
        return ADS_OK;
    }
    text.ptr = pool_text(request->pool, text);
    while (text.len > 0) {
        if (text.ptr[0] == '&') {
            text.ptr++;
            text.len--;
        } else if (query->n == QUERY_PARAMS_MAX) {
            return request_answer_problem(request, ADS_PROBLEM_BAD_REQUEST,
                                          "the query string holds too many"
                                          " parameters");
        } else {
            param_add(query, param_take(&text));
        }
    }
    if (query->n_errors > 0) {
        return request_answer_fields(request, query->errors, query->n_errors);
    }
    return ADS_OK;
}


enum ads_err
query_end(struct query *query)
{
    for (uint32_t i = 0; i < query->n; i++) {
        if (!query->asked[i]) {
            query_error(query, shown(query, query->params[i].name),
                        "unknown_field", "is no parameter that is known here");
        }
    }
    return query->n_errors == 0
               ? ADS_OK
               : request_answer_fields(query->request, query->errors,
                                       query->n_errors);
}


static struct ads_str
find(struct query *query, const char *name)
{
    for (uint32_t i = 0; i < query->n; i++) {
        if (ads_str_is(query->params[i].name, name)) {
            query->asked[i] = true;
            return query->params[i].value;
        }
    }
    return (struct ads_str){NULL, 0};
}


static struct ads_str
text_check(struct query *query, const char *name, struct ads_str text,
           bool fits)
{
    if (text.ptr != NULL && (text.len == 0 || !fits)) {
        query_error(query, name, text.len == 0 ? "empty" : "too_long",
                    text.len == 0 ? "must not be empty"
                                  : "is longer than allowed");
        return (struct ads_str){NULL, 0};
    }
    return text;
}


struct ads_str
query_text(struct query *query, const char *name, uint32_t most)
{
    struct ads_str text = find(query, name);

    return text_check(query, name, text, text.len <= most);
}


struct ads_str
query_words(struct query *query, const char *name, uint32_t most)
{
    struct ads_str text = find(query, name);

    return text_check(query, name, text, ads_utf8_count(text) <= most);
}


bool
query_int(struct query *query, const char *name, int64_t least, int64_t most,
          int64_t *out)
{
    struct ads_str text = find(query, name);
    int64_t value = 0;
    enum ads_err err;

    if (text.ptr == NULL) {
        return false;
    }
    err = ads_money_integer_read(&value, text);
    if (err == ADS_INVALID) {
        query_error(query, name, "not_an_integer", "must be a whole number");
        return false;
    }
    if (err != ADS_OK || value < least || value > most) {
        query_error(query, name, "out_of_range",
                    form_range_said(query->request->pool, least, most, false));
        return false;
    }
    *out = value;
    return true;
}


bool
query_uuid(struct query *query, const char *name, struct ads_uuid *out)
{
    struct ads_str text = find(query, name);

    if (text.ptr == NULL) {
        return false;
    }
    if (!ads_uuid_read(out, text)) {
        query_error(query, name, "invalid_format", "must be a UUID");
        return false;
    }
    return true;
}


bool
query_time(struct query *query, const char *name, int64_t *unix_us)
{
    struct ads_str text = find(query, name);
    int64_t ms;

    if (text.ptr == NULL) {
        return false;
    }
    if (!ads_time_read(&ms, text)) {
        query_error(query, name, "invalid_format",
                    "must be a time of RFC 3339, as 2026-01-31T12:00:00Z");
        return false;
    }
    *unix_us = ms * 1000;
    return true;
}


int
query_choice(struct query *query, const char *name, const char *const *choices)
{
    struct ads_str text = find(query, name);

    if (text.ptr == NULL) {
        return -1;
    }
    for (int i = 0; choices[i] != NULL; i++) {
        if (ads_str_is(text, choices[i])) {
            return i;
        }
    }
    query_error(query, name, "not_allowed",
                form_choices_said(query->request->pool, choices));
    return -1;
}
