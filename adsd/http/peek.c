/*
 * Peeks at the head of an SCGI request: "LENGTH:NAME\0VALUE\0...,".  No value
 * holds a NUL, since no header and no path does, so a name between two of them
 * is a name.
 */
#define _GNU_SOURCE /* memmem */

#include "http/peek.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "ads_key.h"
#include "ads_ring.h"

#define NAME_MAX_LEN 32
#define DIGITS_MAX 9


void
peek_read(struct peek *peek, int fd, int wait_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    ssize_t n;

    if (wait_ms > 0) {
        (void)poll(&ready, 1, wait_ms);
    }
    n = recv(fd, peek->bytes, sizeof(peek->bytes), MSG_PEEK | MSG_DONTWAIT);
    peek->len = n > 0 ? (size_t)n : 0;
}


struct ads_str
peek_find(const struct peek *peek, const char *name)
{
    char wanted[NAME_MAX_LEN + 2] = {0}; /* a NUL before it, and one behind */
    const size_t len = strnlen(name, NAME_MAX_LEN) + 2;
    const char *end = peek->bytes + peek->len;
    const char *found, *value;

    memcpy(wanted + 1, name, len - 2);
    found = memmem(peek->bytes, peek->len, wanted, len);
    if (found == NULL) {
        return (struct ads_str){NULL, 0};
    }
    value = found + len;
    end = memchr(value, '\0', (size_t)(end - value));
    if (end == NULL) {
        return (struct ads_str){NULL, 0};
    }
    return (struct ads_str){value, (size_t)(end - value)};
}


/* Is all of the head in sight? */
static bool
is_whole(const struct peek *peek)
{
    size_t len = 0, i = 0;

    while (i < peek->len && i < DIGITS_MAX && ads_char_is_digit(peek->bytes[i]))
    {
        len = len * 10 + (size_t)(peek->bytes[i++] - '0');
    }
    return i < peek->len && peek->bytes[i] == ':' && peek->len - i > len;
}


uint64_t
peek_asker(int fd, int wait_ms)
{
    static const uint8_t key[ADS_SIP_KEY_LEN];
    struct ads_str credential;
    struct peek peek;
    uint64_t asker;

    peek_read(&peek, fd, wait_ms);
    if (peek.len == 0) {
        return PEEK_ASKER_LATER;
    }
    if (!is_whole(&peek)) {
        return PEEK_ASKER_HIDDEN;
    }
    if (ads_key_credential(&credential, peek_find(&peek, "HTTP_AUTHORIZATION"),
                           peek_find(&peek, "HTTP_X_API_KEY"))
        != ADS_OK)
    {
        return PEEK_ASKER_NONE; /* refused as soon as it is read */
    }
    asker = ads_ring_hash(key, credential.ptr, credential.len);
    return asker > PEEK_ASKER_HIDDEN ? asker : PEEK_ASKER_HIDDEN;
}
