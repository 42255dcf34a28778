/*
 * Request dispatch: from a request to the handler of its route: 404, 405 with
 * Allow, 413, credential, 415; then the body is read; transaction
 * (http/frame.h), handler.
 *
 * Which routes there are (api/routes.h) and who checks credentials stands
 * above: a struct dispatch is made of both, and constant.
 */
#ifndef ADSD_DISPATCH_H
#define ADSD_DISPATCH_H

#include "http/request.h"

/* Which socket a route is served from: what is slow on purpose has threads of
 * its own, so that it never holds up the rest. */
enum route_class {
    ROUTE_API,
    ROUTE_AUTH,  /* hashes passwords */
    ROUTE_OAUTH, /* asks somebody else's server */
    ROUTE_FEED,  /* long bodies */
    ROUTE_CLASSES
};

enum route_flags {
    ROUTE_OWN_TX = 1,    /* opens its transactions itself */
    ROUTE_CREATES = 2,   /* makes something: takes an Idempotency-Key */
    ROUTE_NO_KEY = 4,    /* for people, and for the platform's key */
    ROUTE_ANY_TYPE = 8,  /* the body need not be JSON */
    ROUTE_ANY_USER = 16, /* any credential, whatever the account */
    ROUTE_TEST_KEY = 32, /* with ROUTE_OWN_TX: knows what a test key may do */
    ROUTE_PERSON = 64    /* about the person who asks: no key at all */
};

struct route {
    const char *method;
    const char *path;     /* "{}" takes one segment, into request->args */
    const char *types;    /* of accounts it is for, "ap"; NULL: no credential */
    enum actor_role role; /* the least of a person; a key is an editor */
    size_t body_max;      /* 0: no body */
    unsigned flags;
    enum ads_err (*handle)(struct request *request);
    enum route_class class;
};

struct dispatch {
    const struct route *routes;
    size_t n_routes;
    /* Fills request->actor and holds it against the route.  ADS_ANSWERED when
     * the answer is there, else what failed. */
    enum ads_err (*check)(struct request *request, const struct route *route);
    /* Then: may the account ask this now, by the head alone?  What is beyond a
     * quota is refused before its body is read.  Likewise. */
    enum ads_err (*allow)(struct request *request, const struct route *route);
};

/*
 * The route of a request whose head was read; NULL when the answer, a problem,
 * is already there.  Its body_max is the most that may be read then.
 */
const struct route *
dispatch_find(const struct dispatch *dispatch, struct request *request,
              enum route_class class);

/*
 * Checks the credential and the media type by the head alone, so that the body
 * of a refused request is not read.  ADS_ANSWERED when the answer is there,
 * else what failed.
 */
ADS_MUST enum ads_err
dispatch_check(const struct dispatch *dispatch, const struct route *route,
               struct request *request);

/* Runs the handler of a request that was checked: its body was read. */
void
dispatch_handle(const struct route *route, struct request *request);

#endif
