/*
 * JSON as a tree in the pool, for what holds objects within objects: bodies of
 * management, lines of feeds.  It is read by the same strict scanner as all
 * bodies (core/ads_json.h): UTF-8 only, no key twice, depth 16; numbers stay
 * text, so that money is never a double.
 *
 * adsd/base/form.h reads fields out of it; nothing else needs to walk it.
 */
#ifndef ADSD_DOC_H
#define ADSD_DOC_H

#include "ads_json.h"
#include "base/pool.h"

struct doc {
    enum ads_json_type type;
    bool truth;          /* of a BOOL */
    bool has_nul;        /* a STRING that holds U+0000 */
    bool seen;           /* for base/form.h: somebody asked for this member */
    bool opened;         /* likewise: its members are asked for one by one */
    struct ads_str text; /* of a STRING or NUMBER */
    struct ads_str key;  /* within an object */
    uint32_t n;          /* of an ARRAY or OBJECT */
    struct doc *first;
    struct doc *next;
};

/*
 * Reads one JSON value.  The text is unescaped in place and must live as long
 * as the tree.  NULL when it is no JSON: `why` says where and what is wrong
 * then, in the pool and without the client's bytes.
 */
struct doc *
doc_read(struct pool *pool, char *text, size_t len, const char **why);

/* The member of that name, or NULL; also when `object` is none. */
struct doc *
doc_find(const struct doc *object, const char *name);

#endif
