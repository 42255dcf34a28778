/*
 * Writes JSON into a growing text in a pool.  Nothing here fails: depth and
 * names are constants of the program.
 */
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ads_money.h"
#include "ads_utf8.h"

#define FIRST_LEN 512


void
json_init(struct json *json, struct pool *pool)
{
    json->pool = pool;
    json->room = FIRST_LEN;
    json->text = pool_alloc(pool, json->room);
    json->len = 0;
    json->comma = false;
    json->depth = 0;
}


struct ads_str
json_text(const struct json *json)
{
    return (struct ads_str){json->text, json->len};
}


static void
put(struct json *json, const char *text, size_t len)
{
    char *old = json->text;

    if (len >= json->room - json->len) {
        while (len >= json->room - json->len) {
            json->room *= 2;
        }
        json->text = pool_alloc(json->pool, json->room);
        memcpy(json->text, old, json->len);
    }
    memcpy(json->text + json->len, text, len);
    json->len += len;
    json->text[json->len] = '\0';
}


static void
put_name(struct json *json, const char *name)
{
    if (json->comma) {
        put(json, ",", 1);
    }
    json->comma = true;
    if (name != NULL) {
        put(json, "\"", 1);
        put(json, name, strlen(name));
        put(json, "\":", 2);
    }
}


static void
open_level(struct json *json, const char *name, const char *bracket)
{
    if (json->depth++ == JSON_DEPTH) {
        abort(); /* an answer nested too deep */
    }
    put_name(json, name);
    put(json, bracket, 1);
    json->comma = false;
}


static void
close_level(struct json *json, const char *bracket)
{
    if (json->depth-- == 0) {
        abort(); /* ended more often than begun */
    }
    put(json, bracket, 1);
    json->comma = true;
}


void
json_object_begin(struct json *json, const char *name)
{
    open_level(json, name, "{");
}


void
json_object_end(struct json *json)
{
    close_level(json, "}");
}


void
json_array_begin(struct json *json, const char *name)
{
    open_level(json, name, "[");
}


void
json_array_end(struct json *json)
{
    close_level(json, "]");
}


void
json_key(struct json *json, struct ads_str name)
{
    json_string(json, NULL, name);
    put(json, ":", 1);
    json->comma = false;
}


void
json_null(struct json *json, const char *name)
{
    put_name(json, name);
    put(json, "null", 4);
}


void
json_bool(struct json *json, const char *name, bool value)
{
    put_name(json, name);
    put(json, value ? "true" : "false", value ? 4 : 5);
}


static void
put_int(struct json *json, int64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%lld", (long long)value);

    put(json, text, (size_t)n);
}


void
json_int(struct json *json, const char *name, int64_t value)
{
    put_name(json, name);
    put_int(json, value);
}


void
json_string(struct json *json, const char *name, struct ads_str text)
{
    char escape[8];
    size_t n;

    put_name(json, name);
    if (text.ptr == NULL) {
        put(json, "null", 4);
        return;
    }
    put(json, "\"", 1);
    while (text.len > 0) {
        n = ads_utf8_len(text);
        if (n == 0) {
            put(json, "\xef\xbf\xbd", 3);
            n = 1;

        } else if (n == 1
                   && ((uint8_t)text.ptr[0] < 0x20 || text.ptr[0] == '"'
                       || text.ptr[0] == '\\'))
        {
            (void)snprintf(escape, sizeof(escape), "\\u%04x",
                           (unsigned)(uint8_t)text.ptr[0]);
            put(json, escape, 6);

        } else {
            put(json, text.ptr, n);
        }
        text.ptr += n;
        text.len -= n;
    }
    put(json, "\"", 1);
}


void
json_constant(struct json *json, const char *name, const char *text)
{
    json_string(json, name, (struct ads_str){text, strlen(text)});
}


void
json_raw(struct json *json, const char *name, struct ads_str text)
{
    if (text.ptr == NULL) {
        json_null(json, name);
        return;
    }
    put_name(json, name);
    put(json, text.ptr, text.len);
}


void
json_uuid(struct json *json, const char *name, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];

    if (id == NULL) {
        json_null(json, name);
        return;
    }
    (void)ads_uuid_write(text, id);
    json_string(json, name, (struct ads_str){text, sizeof(text)});
}


void
json_time(struct json *json, const char *name, int64_t unix_us)
{
    time_t seconds = (time_t)(unix_us / 1000000);
    struct tm tm;
    char text[48];
    size_t n;

    (void)gmtime_r(&seconds, &tm);
    n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    n += (size_t)snprintf(text + n, sizeof(text) - n, ".%03dZ",
                          (int)(unix_us % 1000000 / 1000));
    json_string(json, name, (struct ads_str){text, n});
}


/* ,"name_micros": */
static void
put_micros_name(struct json *json, const char *name)
{
    put(json, ",\"", 2);
    put(json, name, strlen(name));
    put(json, "_micros\":", 9);
}


void
json_money(struct json *json, const char *name, int64_t micros)
{
    char text[ADS_MONEY_TEXT_MAX];
    char *end = ads_money_write(text, micros);

    put_name(json, name);
    put(json, text, (size_t)(end - text));
    put_micros_name(json, name);
    put_int(json, micros);
}


void
json_money_null(struct json *json, const char *name)
{
    json_null(json, name);
    put_micros_name(json, name);
    put(json, "null", 4);
}
