/*
 * Growing text of the ad tables: JSON escapes, and cutting at words.
 */
#include "tables/snap_text.h"

#include <stdlib.h>

#include "ads_utf8.h"
#include "base/pool.h"

#define FIRST_ROOM 65536


void
snap_text_put(struct snap_text *text, const char *bytes, size_t len)
{
    if (len > text->room - text->len) {
        size_t room = text->room == 0 ? FIRST_ROOM : text->room;

        while (len > room - text->len) {
            room *= 2;
        }
        text->bytes = xrealloc(text->bytes, room);
        text->room = room;
    }

    if (len > 0) {
        memcpy(text->bytes + text->len, bytes, len);
        text->len += len;
    }
}


void
snap_text_put_escaped(struct snap_text *text, struct ads_str value)
{
    size_t plain = 0;

    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        char escape[6] = {'\\', 'u', '0', '0'};
        size_t len = 6;

        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            continue;
        }

        snap_text_put(text, value.ptr + plain, i - plain);
        plain = i + 1;
        if (c == '"' || c == '\\') {
            escape[1] = (char)c;
            len = 2;

        } else {
            ads_hex_write(escape + 4, &c, 1);
        }
        snap_text_put(text, escape, len);
    }

    snap_text_put(text, value.ptr + plain, value.len - plain);
}


struct ads_str
snap_text_cut(struct ads_str text, size_t max)
{
    size_t chars = 0, space = 0, i;

    for (i = 0; i < text.len; i++) {
        if (ads_utf8_is_inner(text.ptr[i])) {
            continue;
        }
        if (text.ptr[i] == ' ') {
            space = i;
        }
        if (chars++ == max) {
            break;
        }
    }

    if (i < text.len) {
        text.len = space > 0 ? space : i;
    }
    return text;
}
