/*
 * The one table of what adsd answers over HTTP, and the walk from a request to
 * its handler: 404, 405 with Allow, 413, credential, 415, handler.
 */
#ifndef ADSD_ROUTES_H
#define ADSD_ROUTES_H

#include "request.h"

struct route {
    const char *method;
    const char *path;  /* one that ends in '/' takes all below it */
    const char *types; /* of keys that may call it ("ap"); NULL: no key */
    size_t body_max;   /* 0: no body */
    void (*handle)(struct request *request);
};

/*
 * The route of a request whose head was read; NULL when the answer, a problem,
 * is already there.  Its body_max is the most that may be read then.
 */
const struct route *
routes_find(struct request *request);

/* Checks the credential and the media type, and calls the handler: the body
 * was read. */
void
routes_handle(const struct route *route, struct request *request);

#endif
