/*
 * Addresses as people write them (IRI, RFC 3987) as URLs: bytes that a URL may
 * not hold are percent-encoded, a host of other letters becomes Punycode, and
 * scheme and host small letters.  Pure.
 */
#ifndef ADSD_IMPORT_LINK_H
#define ADSD_IMPORT_LINK_H

#include "base/pool.h"

/* The address as a URL; what cannot be made one stays as it is, for the rules
 * of products to refuse. */
struct ads_str
import_link_fit(struct ads_str link, struct pool *pool);

#endif
