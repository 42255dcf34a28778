/*
 * Content negotiation by the Accept header (RFC 9110, 12.5.1): which of the
 * types on offer does a client prefer?
 */
#ifndef ADS_ACCEPT_H
#define ADS_ACCEPT_H

#include "ads_str.h"

/*
 * The index of the type with the highest weight.  Of several with the same: the
 * one that is named most exactly (itself, then its family, then all types),
 * then the one named first, then the first of `types`, a NULL-ended list of
 * "type/name" in small letters whose first is sent to who asks for nothing.
 *
 * A type that several ranges fit has the weight of the most exact one, so one
 * type can be refused (q=0) and all others taken.  Parameters other than q are
 * passed over; so is a range that is none, or whose weight is none.
 *
 * No header (ptr NULL): 0.  -1: none is acceptable.
 */
int
ads_accept_choose(struct ads_str header, const char *const *types);

#endif
