/*
 * Peeks at a request that is not read yet: its head stays in the socket's
 * buffer, for who serves it.
 */
#ifndef ADSD_PEEK_H
#define ADSD_PEEK_H

#include "ads_bytes.h"

#define PEEK_MAX 8192

/* What of a head is there; longer ones are seen in part. */
struct peek {
    size_t len;
    char bytes[PEEK_MAX];
};

/* Waits at most that long for the head; 0: not at all. */
void
peek_read(struct peek *peek, int fd, int wait_ms);

/* The first parameter of that name; ptr NULL: it is not in sight. */
struct ads_str
peek_find(const struct peek *peek, const char *name);

/* What requests with the same credential have in common; PEEK_ASKER_NONE for
 * those without one, PEEK_ASKER_LATER while there is nothing to see. */
#define PEEK_ASKER_LATER 0
#define PEEK_ASKER_NONE 1
#define PEEK_ASKER_HIDDEN 2 /* its head is longer than what is seen */

uint64_t
peek_asker(int fd, int wait_ms);

#endif
