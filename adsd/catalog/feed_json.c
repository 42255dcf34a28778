/*
 * Finds the objects of a document by its quotes and brackets alone; whether an
 * object is well formed is found out when it is read.
 */
#include "catalog/feed_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

#define DEPTH_MAX 32
#define ITEMS_DEPTH_MAX 4 /* of the array with the products */
#define KEY_MAX 16

struct feed_json {
    struct feed *feed;
    const char *block;
    size_t len;
    size_t pos;
    uint64_t line;
    char open[DEPTH_MAX]; /* brackets */
    unsigned depth;
    unsigned items_depth; /* inside the array of products; 0: outside */
    bool found;           /* there was such an array */
    bool in_text;
    bool escaped;
    char key[KEY_MAX]; /* the begin of the last text */
    size_t key_len;
    bool in_object;
    uint64_t object_line;
    char *object;
    size_t object_len;
};

enum step { STEP_ON, STEP_OBJECT, STEP_WRONG };


struct feed_json *
feed_json_open(struct feed *feed)
{
    struct feed_json *json = xcalloc(1, sizeof(*json));

    json->feed = feed;
    json->line = 1;
    json->object = xmalloc(FEED_OBJECT_MAX);
    return json;
}


void
feed_json_close(struct feed_json *json)
{
    if (json != NULL) {
        free(json->object);
        free(json);
    }
}


/* May the array that begins here be that of the products? */
static bool
is_items(const struct feed_json *json)
{
    static const char *const names[] = {"products",  "product", "items",
                                        "item",      "data",    "entries",
                                        "resources", "results"};
    const struct ads_str key = {json->key, json->key_len};

    if (json->depth == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (ads_str_is(key, names[i])) {
            return json->depth < ITEMS_DEPTH_MAX
                   && json->open[json->depth - 1] == '{';
        }
    }
    return false;
}


static void
text_step(struct feed_json *json, char c)
{
    if (json->escaped) {
        json->escaped = false;
    } else if (c == '\\') {
        json->escaped = true;
    } else if (c == '"') {
        json->in_text = false;
        return;
    }
    if (json->key_len < KEY_MAX) {
        json->key[json->key_len++] = c;
    }
}


static enum step
open_step(struct feed_json *json, char c)
{
    if (json->depth == DEPTH_MAX) {
        return STEP_WRONG;
    }
    if (c == '[' && !json->found && is_items(json)) {
        json->items_depth = json->depth + 1;
        json->found = true;
    }
    if (c == '{' && !json->in_object && json->items_depth > 0
        && json->depth == json->items_depth)
    {
        json->in_object = true;
        json->object_line = json->line;
        json->object_len = 0;
    }
    json->open[json->depth++] = c;
    return STEP_ON;
}


static enum step
close_step(struct feed_json *json, char c)
{
    if (json->depth == 0
        || json->open[json->depth - 1] != (c == '}' ? '{' : '[')) {
        return STEP_WRONG;
    }
    if (json->depth == json->items_depth) {
        json->items_depth = 0;
    }
    json->depth--;
    return json->in_object && json->depth == json->items_depth ? STEP_OBJECT
                                                               : STEP_ON;
}


static enum step
step(struct feed_json *json, char c)
{
    enum step what = STEP_ON;

    json->line += c == '\n';
    if (json->in_text) {
        text_step(json, c);
    } else if (c == '"') {
        json->in_text = true;
        json->key_len = 0;
    } else if (c == '{' || c == '[') {
        what = open_step(json, c);
    } else if (c == '}' || c == ']') {
        what = close_step(json, c);
    } else if (json->depth == 0 && strchr(" \t\r\n", c) == NULL) {
        what = STEP_WRONG;
    }
    if (json->in_object) {
        if (json->object_len < FEED_OBJECT_MAX) {
            json->object[json->object_len] = c;
        }
        json->object_len++;
    }
    return what;
}


bool
feed_json_is(const char *text, size_t len)
{
    struct feed_json *json = feed_json_open(NULL);
    enum step what = STEP_ON;
    bool is;

    for (size_t i = 0; i < len && what == STEP_ON && !json->found; i++) {
        what = step(json, text[i]);
        /* the first object has ended: it is a line */
        what = json->depth == 0 && text[i] == '}' ? STEP_WRONG : what;
    }
    is = json->found;
    feed_json_close(json);
    return is;
}


enum ads_err
feed_json_next(struct feed_json *json, struct ads_str *object, uint64_t *line,
               const char **why)
{
    for (;;) {
        enum step what = STEP_ON;

        if (json->pos == json->len) {
            enum ads_err err = feed_block(json->feed, &json->block, &json->len);

            json->pos = 0;
            *line = json->line;
            if (err == ADS_ABSENT && (json->depth > 0 || !json->found)) {
                json->len = 0;
                *why = json->found ? "the document ends too early"
                                   : "holds no array of products";
                return ADS_DAMAGED;
            }
            if (err != ADS_OK) {
                json->len = 0;
                return err;
            }
        }
        while (what == STEP_ON && json->pos < json->len) {
            what = step(json, json->block[json->pos++]);
        }
        *line = json->in_object ? json->object_line : json->line;
        if (what == STEP_WRONG) {
            *why = "is no JSON: a bracket does not fit, or stands behind its"
                   " end";
            return ADS_DAMAGED;
        }
        if (what == STEP_OBJECT) {
            json->in_object = false;
            *object = (struct ads_str){json->object, json->object_len};
            *why = "is longer than 1 MiB";
            return json->object_len > FEED_OBJECT_MAX ? ADS_INVALID : ADS_OK;
        }
    }
}
