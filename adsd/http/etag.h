/*
 * Optimistic locking: an object's ETag is the number of its last change.
 */
#ifndef ADSD_ETAG_H
#define ADSD_ETAG_H

#include "http/request.h"

/* Adds the header ETag to the answer. */
void
etag_put(struct request *request, int64_t changed_n);

/*
 * Does If-Match, when it is there, allow to change what is at that number?
 * ADS_ANSWERED, 412, when not.
 */
ADS_MUST enum ads_err
etag_check(struct request *request, int64_t changed_n);

#endif
