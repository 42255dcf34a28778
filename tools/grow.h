/*
 * More products than there are: real text recombined, for measurements at
 * sizes that no catalogue at hand has.
 */
#ifndef TOOLS_GROW_H
#define TOOLS_GROW_H

#include "base/pool.h"
#include "tables/index_build.h"

/*
 * Appends products to docs[], which has room for n_wanted, until there are so
 * many: the same ones each time.  Each begins with the title of one product
 * and ends with that of another of the same category, has other digits in its
 * numbers, and sentences of two more; no title comes twice.  Text is the
 * pool's.  The vocabulary hardly grows, as it would with real products.
 */
void
grow_docs(struct pool *pool, struct index_doc *docs, uint32_t n,
          uint32_t n_wanted);

#endif
