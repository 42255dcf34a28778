/*
 * Objects of JSON with the names of others, such as WooCommerce's or Google's,
 * as named cells.
 */
#ifndef ADSD_IMPORT_OBJECT_H
#define ADSD_IMPORT_OBJECT_H

#include "base/doc.h"
#include "catalog/feed_table.h"

/* Has the object names or prices that the API does not have? */
bool
import_object_is_foreign(const struct doc *object, struct ads_str map);

/*
 * Makes cells of its members: of a list its parts, each on a line, of objects
 * their names or addresses; an amount in an object has its currency behind it;
 * attributes stand beside the others.
 */
void
import_object_cells(struct feed_record *names, struct feed_record *values,
                    const struct doc *object, struct pool *pool);

#endif
