/*
 * Reads and writes JSON of others with jansson.  jansson takes 2,048 levels,
 * each a call deeper; brackets are counted first.  Its json_null() and
 * json_string() cannot be called here: the linker knows those of json.h by
 * these names.
 */
#include "base/foreign.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>

#define READ_FLAGS (JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)


/* Are there at most FOREIGN_DEPTH levels?  Right for every text that is JSON;
 * of others anything may be said. */
static bool
depth_fits(const char *text, size_t len)
{
    size_t depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        switch (text[i]) {
        case '"':
            quoted = !quoted;
            break;
        case '\\':
            i++; /* stands within quotes only, and what follows is escaped */
            break;
        case '[':
        case '{':
            depth += quoted ? 0 : 1;
            break;
        case ']':
        case '}':
            depth -= quoted || depth == 0 ? 0 : 1;
            break;
        default:
            break;
        }
        if (depth > FOREIGN_DEPTH) {
            return false;
        }
    }
    return true;
}


static void
value_free(void *value)
{
    json_decref(value);
}


const struct json_t *
foreign_read(struct pool *pool, const char *text, size_t len)
{
    json_error_t error;
    json_t *value;

    /* jansson steps over raw zeros */
    if (len == 0 || len > FOREIGN_LEN_MAX || memchr(text, '\0', len) != NULL
        || !depth_fits(text, len))
    {
        return NULL;
    }
    value = json_loadb(text, len, READ_FLAGS, &error);
    if (value != NULL) {
        pool_defer(pool, value_free, value);
    }
    return value;
}


bool
foreign_is_object(const struct json_t *value)
{
    return json_is_object(value);
}


bool
foreign_is_array(const struct json_t *value)
{
    return json_is_array(value);
}


bool
foreign_is_true(const struct json_t *value)
{
    return json_is_true(value);
}


const struct json_t *
foreign_find(const struct json_t *object, const char *name)
{
    return json_object_get(object, name);
}


const struct json_t *
foreign_at(const struct json_t *array, size_t i)
{
    return json_array_get(array, i);
}


struct ads_str
foreign_text(const struct json_t *value)
{
    struct ads_str text = {json_string_value(value), json_string_length(value)};

    if (text.ptr == NULL || memchr(text.ptr, '\0', text.len) != NULL) {
        return (struct ads_str){NULL, 0};
    }
    return text;
}


bool
foreign_whole(int64_t *number, const struct json_t *value)
{
    int64_t whole = json_integer_value(value);

    if (!json_is_integer(value) || whole < 0 || whole > FOREIGN_WHOLE_MAX) {
        return false;
    }
    *number = whole;
    return true;
}


bool
foreign_text_find(struct ads_str *text, const struct json_t *object,
                  const char *name)
{
    const json_t *value = foreign_find(object, name);

    *text = foreign_text(value);
    return value == NULL || text->ptr != NULL;
}


struct ads_str
foreign_write(struct pool *pool, const char *format, ...)
{
    struct ads_str text = {NULL, 0};
    json_error_t error;
    json_t *value;
    va_list args;
    char *room;

    va_start(args, format);
    value = json_vpack_ex(&error, 0, format, args);
    va_end(args);
    if (value != NULL) {
        text.len = json_dumpb(value, NULL, 0, JSON_COMPACT);
        room = pool_alloc(pool, text.len + 1);
        (void)json_dumpb(value, room, text.len, JSON_COMPACT);
        text.ptr = room;
        json_decref(value);
    }
    if (text.len == 0) {
        abort();
    }
    return text;
}
