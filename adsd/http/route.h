/*
 * A route: a method and a path, who may ask for it, and the handler that
 * answers.  All of them stand in one table (api/routes.h).
 */
#ifndef ADSD_ROUTE_H
#define ADSD_ROUTE_H

#include "http/request.h"

/* Which socket a route is served from: what is slow on purpose has threads of
 * its own, so that it never holds up the rest. */
enum route_class {
    ROUTE_API,
    ROUTE_AUTH,  /* hashes passwords */
    ROUTE_OAUTH, /* asks somebody else's server */
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

#endif
