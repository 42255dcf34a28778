/*
 * Routes: the one table of what adsd answers over HTTP.
 */
#ifndef ADSD_ROUTES_H
#define ADSD_ROUTES_H

#include "http/dispatch.h"

/* All routes, for listing them. */
const struct route *
routes_all(size_t *n);

/* All of them with the check of credentials. */
const struct dispatch *
routes_dispatch(void);

#endif
