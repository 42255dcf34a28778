/*
 * Text of the ad tables: one growing block into which JSON fragments, URLs and
 * names are written ready for use.
 */
#ifndef ADSD_SNAP_TEXT_H
#define ADSD_SNAP_TEXT_H

#include "ads_bytes.h"

struct snap_text {
    char *bytes; /* free() */
    size_t len;
    size_t room;
};

/* Appends bytes as they are. */
void
snap_text_put(struct snap_text *text, const char *bytes, size_t len);

/* Appends the inside of a JSON string: quotes, backslashes and control
 * characters escaped. */
void
snap_text_put_escaped(struct snap_text *text, struct ads_str value);

/* The first `max` characters of the text; when there are more, what stands
 * before the last space among them. */
struct ads_str
snap_text_cut(struct ads_str text, size_t max);

#endif
