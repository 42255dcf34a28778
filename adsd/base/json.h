/*
 * JSON in the daemon.  Bodies are read by the same strict scanner that the
 * workers use (core/ads_json.h): one reader for both programs refuses the same
 * texts, and numbers stay text until ads_money reads them, where a library's
 * double would already have lost the micros.  Answers are written here, in the
 * order of the calls, into a pool.
 */
#ifndef ADSD_JSON_H
#define ADSD_JSON_H

#include "ads_id.h"
#include "base/pool.h"

#define JSON_DEPTH 16 /* as deep as what is read (core/ads_json.h) */

struct json {
    struct pool *pool;
    char *text;
    size_t len;
    size_t room;
    bool comma; /* something stands before, in this object or array */
    uint8_t depth;
};

void
json_init(struct json *json, struct pool *pool);

/* The finished text, borrowed from the pool, with a NUL behind it. */
struct ads_str
json_text(const struct json *json);

/* `name` is a constant, and NULL for an element of an array or the
 * outermost value. */
void
json_object_begin(struct json *json, const char *name);
void
json_object_end(struct json *json);
void
json_array_begin(struct json *json, const char *name);
void
json_array_end(struct json *json);

/* A name that is not ours, for the value that is written next as if it had
 * none. */
void
json_key(struct json *json, struct ads_str name);

void
json_null(struct json *json, const char *name);
void
json_bool(struct json *json, const char *name, bool value);
void
json_int(struct json *json, const char *name, int64_t value);

/* Any bytes: what is not UTF-8 becomes U+FFFD. ptr NULL writes null. */
void
json_string(struct json *json, const char *name, struct ads_str text);
void
json_constant(struct json *json, const char *name, const char *text);

/* JSON that PostgreSQL wrote (jsonb as text); ptr NULL writes null. */
void
json_raw(struct json *json, const char *name, struct ads_str text);

/* NULL writes null. */
void
json_uuid(struct json *json, const char *name, const struct ads_uuid *id);

/* RFC 3339 in UTC, with milliseconds. */
void
json_time(struct json *json, const char *name, int64_t unix_us);

/* Two members: `name`, a number in currency units, and `name`_micros. */
void
json_money(struct json *json, const char *name, int64_t micros);

/* The same two as null. */
void
json_money_null(struct json *json, const char *name);

#endif
