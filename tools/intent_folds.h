/*
 * The ontology, once for each part of the natural lines, with the hints that
 * were learnt from the other parts: what is trained on a line has to see it as
 * a line that nothing was learnt from.
 */
#ifndef INTENT_FOLDS_H
#define INTENT_FOLDS_H

#include "../core/ads_goods.h"
#include "intent_lines.h"

struct intent_folds {
    struct ads_goods goods[INTENT_FOLDS];
};

/*
 * Loads the ontology of a folder for each part, with the file HINTS.0 for the
 * first, and so on (tools/hints_learn -b); `hints` NULL: as the folder has it.
 * What is loaded lives until the process ends; a file that cannot be read ends
 * it with a message.
 */
void
intent_folds_load(struct intent_folds *folds, const char *folder,
                  const char *hints);

#endif
