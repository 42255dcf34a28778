/*
 * Loads the ontology with what was learnt from other lines.
 */
#include "intent_folds.h"

#include <stdio.h>
#include <stdlib.h>

#include "../adsd/tables/goods.h"


void
intent_folds_load(struct intent_folds *folds, const char *folder,
                  const char *hints)
{
    for (unsigned i = 0; i < INTENT_FOLDS; i++) {
        struct ads_str image;
        char more[4096] = "";

        if (hints == NULL && i > 0) {
            folds->goods[i] = folds->goods[0];
            continue;
        }
        if (hints != NULL) {
            (void)snprintf(more, sizeof(more), "%s.%u", hints, i);
        }
        if (goods_load(folder, more, &image, stderr) != ADS_OK
            || ads_goods_open(image.ptr, image.len, &folds->goods[i]) != ADS_OK)
        {
            exit(1);
        }
    }
}
