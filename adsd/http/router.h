/*
 * The way from a request to its handler: 404, 405 with Allow, 413, credential,
 * 415; then the body is read; transaction (http/frame.h), handler.
 *
 * Which routes there are and who looks at credentials stands above: a router is
 * made of both, and constant.
 */
#ifndef ADSD_ROUTER_H
#define ADSD_ROUTER_H

#include "http/route.h"

struct router {
    const struct route *routes;
    size_t n_routes;
    /* Fills request->actor and holds it against the route.  False: the answer
     * is there. */
    bool (*check)(struct request *request, const struct route *route);
};

/*
 * The route of a request whose head was read; NULL when the answer, a problem,
 * is already there.  Its body_max is the most that may be read then.
 */
const struct route *
router_find(const struct router *router, struct request *request,
            enum route_class class);

/* Judges the credential and the media type by the head alone, so that nobody's
 * body is read who may not send it.  False: the answer is there. */
ADS_MUST bool
router_check(const struct router *router, const struct route *route,
             struct request *request);

/* Runs the handler of a request that was checked: its body was read. */
void
router_handle(const struct route *route, struct request *request);

#endif
