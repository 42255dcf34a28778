/*
 * Parses XML feeds.  expat calls back while it is fed; after each item it is
 * stopped, so that items come one by one and memory stays flat.  What expat
 * itself holds is bounded: it keeps a tag or a comment until its end, and every
 * name that it has seen until the document's.
 */
#include "catalog/feed_xml.h"

#include <expat.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/pool.h"

#define DEPTH_MAX 64
#define CHILDREN_MAX 1000 /* of an item */
#define EXPAT_MAX ((size_t)16 << 20)

struct feed_xml {
    struct feed *feed;
    XML_Parser parser;
    unsigned depth;
    unsigned item_depth; /* 0: not within an item */
    bool stopped;        /* expat holds the rest of a block */
    bool ended;
    bool is_feed; /* by its root, or by an item */
    bool ready;   /* an item is whole */
    bool too_big; /* it holds more than fits */
    bool entities;
    uint64_t line;

    struct pool *pool; /* of the item */
    unsigned n_children;
    unsigned n;
    struct ads_str names[FEED_CELLS_MAX];
    struct ads_str values[FEED_CELLS_MAX];
    size_t rooms[FEED_CELLS_MAX]; /* of the values */
    char *text;                   /* of the child being read */
    size_t text_len;
    size_t text_room;
    size_t item_len;
};


/* ---- expat's memory ---- */

/* What stands before the bytes that expat is given. */
union block {
    size_t len;
    max_align_t align;
};

/* Of all parsers of this thread: expat does not say for which one it asks. */
static _Thread_local size_t expat_len;


static void *
expat_realloc(void *old, size_t len)
{
    union block *block = old == NULL ? NULL : (union block *)old - 1;
    size_t before = block == NULL ? 0 : block->len;

    if (len > EXPAT_MAX || expat_len - before > EXPAT_MAX - len) {
        return NULL;
    }
    block = xrealloc(block, sizeof(*block) + len);
    block->len = len;
    expat_len += len - before;
    return block + 1;
}


static void *
expat_malloc(size_t len)
{
    return expat_realloc(NULL, len);
}


static void
expat_free(void *bytes)
{
    if (bytes != NULL) {
        union block *block = (union block *)bytes - 1;

        expat_len -= block->len;
        free(block);
    }
}


/* ---- names ---- */

/* The name without its prefix. */
static const char *
local_name(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon == NULL ? name : colon + 1;
}


static bool
is_item(const char *name)
{
    return strcmp(name, "item") == 0 || strcmp(name, "entry") == 0;
}


/* An error page of the shop is XML too, and as a feed it would be empty. */
static bool
is_root(const char *name)
{
    return strcmp(name, "rss") == 0 || strcmp(name, "feed") == 0
           || strcmp(name, "RDF") == 0;
}


static void
stop(struct feed_xml *xml)
{
    (void)XML_StopParser(xml->parser, XML_TRUE);
}


/* ---- what expat calls ---- */

/* More text of the child being read. */
static void
text_take(struct feed_xml *xml, const char *text, size_t len)
{
    xml->item_len += len;
    if (xml->item_len > FEED_ITEM_MAX) {
        xml->too_big = true;
        return;
    }
    while (xml->text_len + len > xml->text_room) {
        xml->text_room *= 2;
        xml->text = xrealloc(xml->text, xml->text_room);
    }
    memcpy(xml->text + xml->text_len, text, len);
    xml->text_len += len;
}


static void XMLCALL
on_start(void *data, const char *name, const char **attributes)
{
    struct feed_xml *xml = data;

    xml->depth++;
    if (xml->depth == 1 && is_root(local_name(name))) {
        xml->is_feed = true;
    }
    if (xml->depth > DEPTH_MAX) {
        (void)XML_StopParser(xml->parser, XML_FALSE);
        return;
    }
    if (xml->item_depth == 0 && is_item(local_name(name))) {
        xml->item_depth = xml->depth;
        xml->line = XML_GetCurrentLineNumber(xml->parser);
        xml->n = 0;
        xml->n_children = 0;
        xml->item_len = 0;
        xml->too_big = false;
        pool_reset(xml->pool);
    }
    if (xml->item_depth != 0 && xml->depth == xml->item_depth + 1) {
        xml->text_len = 0;
        /* Atom: <link href="..."/> */
        for (size_t i = 0; attributes[i] != NULL; i += 2) {
            if (strcmp(attributes[i], "href") == 0) {
                text_take(xml, attributes[i + 1], strlen(attributes[i + 1]));
            }
        }
    }
}


static void XMLCALL
on_text(void *data, const char *text, int len)
{
    struct feed_xml *xml = data;

    if (xml->item_depth != 0 && xml->depth == xml->item_depth + 1) {
        text_take(xml, text, (size_t)len);
    }
}


/* Puts the text behind value i.  The room doubles, so that many short ones
 * are not copied again and again. */
static void
value_append(struct feed_xml *xml, unsigned i, struct ads_str text)
{
    struct ads_str *value = &xml->values[i];
    size_t len = value->len + 1 + text.len;
    const char *old = value->ptr;
    char *bytes;

    if (len > xml->rooms[i]) {
        xml->rooms[i] = 2 * len;
        value->ptr = pool_alloc(xml->pool, xml->rooms[i]);
        memcpy((char *)value->ptr, old, value->len);
    }
    bytes = (char *)value->ptr;
    bytes[value->len] = '\n';
    memcpy(bytes + value->len + 1, text.ptr, text.len);
    value->len = len;
}


/* A child of an item has ended: keeps its text, behind that of an earlier one
 * of the same name. */
static void
child_keep(struct feed_xml *xml, const char *name)
{
    struct ads_str text = {xml->text, xml->text_len};

    if (++xml->n_children > CHILDREN_MAX) {
        xml->too_big = true;
        return;
    }
    for (unsigned i = 0; i < xml->n; i++) {
        if (strcmp(xml->names[i].ptr, name) == 0) {
            value_append(xml, i, text);
            return;
        }
    }
    if (xml->n == FEED_CELLS_MAX) {
        xml->too_big = true;
        return;
    }
    xml->names[xml->n].len = strlen(name);
    xml->names[xml->n].ptr =
        pool_text(xml->pool, (struct ads_str){name, strlen(name)});
    xml->values[xml->n].ptr = pool_text(xml->pool, text);
    xml->values[xml->n].len = text.len;
    xml->rooms[xml->n] = text.len;
    xml->n++;
}


static void XMLCALL
on_end(void *data, const char *name)
{
    struct feed_xml *xml = data;

    if (xml->item_depth != 0 && xml->depth == xml->item_depth + 1
        && !xml->too_big) {
        child_keep(xml, local_name(name));
    }
    if (xml->depth == xml->item_depth) {
        xml->item_depth = 0;
        xml->is_feed = true;
        xml->ready = true;
        stop(xml);
    }
    xml->depth--;
}


static void XMLCALL
on_entity(void *data, const char *name, int is_parameter, const char *value,
          int value_len, const char *base, const char *system_id,
          const char *public_id, const char *notation)
{
    struct feed_xml *xml = data;

    (void)name;
    (void)is_parameter;
    (void)value;
    (void)value_len;
    (void)base;
    (void)system_id;
    (void)public_id;
    (void)notation;
    xml->entities = true;
    (void)XML_StopParser(xml->parser, XML_FALSE);
}


/* ---- life ---- */

struct feed_xml *
feed_xml_open(struct feed *feed)
{
    static const XML_Memory_Handling_Suite memory = {expat_malloc,
                                                     expat_realloc, expat_free};
    struct feed_xml *xml = xcalloc(1, sizeof(*xml));

    xml->feed = feed;
    xml->pool = pool_new();
    xml->text_room = 65536;
    xml->text = xmalloc(xml->text_room);
    /* the feed has made UTF-8 of it, whatever the document says */
    xml->parser = XML_ParserCreate_MM("UTF-8", &memory, NULL);
    if (xml->parser == NULL) {
        abort(); /* more parsers at a time than a thread needs */
    }
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, on_start, on_end);
    XML_SetCharacterDataHandler(xml->parser, on_text);
    XML_SetEntityDeclHandler(xml->parser, on_entity);
    return xml;
}


void
feed_xml_close(struct feed_xml *xml)
{
    if (xml == NULL) {
        return;
    }
    XML_ParserFree(xml->parser);
    pool_free(xml->pool);
    free(xml->text);
    free(xml);
}


static enum ads_err
broken(struct feed_xml *xml, const char **why)
{
    enum XML_Error error = XML_GetErrorCode(xml->parser);

    xml->line = XML_GetCurrentLineNumber(xml->parser);
    if (xml->entities) {
        *why = "declares entities, which are not read";
    } else if (xml->depth > DEPTH_MAX) {
        *why = "is nested too deep";
    } else if (error == XML_ERROR_NO_MEMORY) {
        *why = "has too many names, or a tag or comment that is too long";
    } else {
        *why = XML_ErrorString(error);
    }
    return ADS_DAMAGED;
}


/* Feeds expat until it stops behind an item.  ADS_ABSENT: the document is
 * over. */
static enum ads_err
go_on(struct feed_xml *xml, const char **why)
{
    enum XML_Status status = XML_STATUS_OK;
    const char *block = "";
    size_t len = 0;
    enum ads_err err = ADS_OK;

    xml->ready = false;
    while (!xml->ready) {
        if (xml->stopped) {
            status = XML_ResumeParser(xml->parser);
        } else if (xml->ended) {
            if (xml->is_feed) {
                return ADS_ABSENT;
            }
            xml->line = XML_GetCurrentLineNumber(xml->parser);
            *why = "is neither RSS nor Atom, and holds no items";
            return ADS_DAMAGED;
        } else {
            err = feed_block(xml->feed, &block, &len);
            if (err != ADS_OK && err != ADS_ABSENT) {
                *why = "cannot be read on";
                return err;
            }
            xml->ended = err == ADS_ABSENT;
            status = XML_Parse(xml->parser, block, xml->ended ? 0 : (int)len,
                               xml->ended);
        }
        if (status == XML_STATUS_ERROR) {
            return broken(xml, why);
        }
        xml->stopped = status == XML_STATUS_SUSPENDED;
    }
    return ADS_OK;
}


enum ads_err
feed_xml_next(struct feed_xml *xml, struct feed_record *names,
              struct feed_record *values, const char **why)
{
    enum ads_err err = go_on(xml, why);

    *names = (struct feed_record){xml->line, xml->n, xml->names};
    *values = (struct feed_record){xml->line, xml->n, xml->values};
    if (err == ADS_OK && xml->too_big) {
        *why = "holds too much";
        return ADS_INVALID;
    }
    return err;
}
