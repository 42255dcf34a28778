/*
 * A document of JSON that holds products: an array of objects, or an object
 * with such an array under a name such as "products", on any number of lines.
 * Memory stays flat: one object is held at a time.
 */
#ifndef ADSD_FEED_JSON_H
#define ADSD_FEED_JSON_H

#include "catalog/feed.h"

#define FEED_OBJECT_MAX (1 << 20) /* bytes of one product */

struct feed_json;

/* Does text that begins so hold products in an array, and not on lines of their
 * own? */
bool
feed_json_is(const char *text, size_t len);

/* Reads from the feed, which stays the caller's. */
struct feed_json *
feed_json_open(struct feed *feed);

void
feed_json_close(struct feed_json *json);

/*
 * The next object as text, borrowed and writable until the next call, and the
 * line that it begins on.  ADS_INVALID: one that is too long was stepped over,
 * *why tells.  ADS_ABSENT: the end.  ADS_DAMAGED: the document is cut, or holds
 * no products.  Else as feed_block().
 */
ADS_MUST enum ads_err
feed_json_next(struct feed_json *json, struct ads_str *object, uint64_t *line,
               const char **why);

#endif
