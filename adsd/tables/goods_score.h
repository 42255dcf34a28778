/*
 * Score of a candidate kind: what the model (goods_kind_model.h) makes of its
 * signs.  Included by goods_taken.c, and by tools that show reasons.
 */
#ifndef ADSD_GOODS_SCORE_H
#define ADSD_GOODS_SCORE_H

#include "tables/goods_signs.h"

/* What the model gives for all of them, GOODS_SIGN_UNIT. */
int32_t
goods_score(const struct goods_signs *signs);

/* The signs that speak for it most, the heaviest first; returns how many. */
uint32_t
goods_score_reasons(const struct goods_signs *signs,
                    enum goods_sign reasons[GOODS_REASONS]);

#endif
