/*
 * The one table of what adsd answers over HTTP.
 */
#ifndef ADSD_ROUTES_H
#define ADSD_ROUTES_H

#include "http/router.h"

/* All routes, for whoever lists them. */
const struct route *
routes_all(size_t *n);

/* The router over all of them, with the check of credentials. */
const struct router *
routes_router(void);

#endif
