/*
 * Scores a candidate kind with a linear model: the weights of what is true are
 * added.
 */
#include "tables/goods_score.h"

#include "tables/goods_kind_model.h"


int32_t
goods_score(const struct goods_signs *signs)
{
    int32_t score = 0;

    for (int set = 0; set < GOODS_SIGN_SETS; set++) {
        for (uint64_t bits = signs->bits[set]; bits != 0; bits &= bits - 1) {
            score += goods_kind_model[64 * set + __builtin_ctzll(bits)];
        }
    }
    return score;
}


uint32_t
goods_score_reasons(const struct goods_signs *signs,
                    enum goods_sign reasons[GOODS_REASONS])
{
    uint32_t n = 0;

    for (int i = 0; i < GOODS_SIGN_END; i++) {
        enum goods_sign sign = (enum goods_sign)i;
        uint32_t at = n;

        if (!goods_sign_is(signs, sign) || goods_kind_model[i] <= 0) {
            continue;
        }
        for (;
             at > 0 && goods_kind_model[reasons[at - 1]] < goods_kind_model[i];
             at--) {
            if (at < GOODS_REASONS) {
                reasons[at] = reasons[at - 1];
            }
        }
        if (at < GOODS_REASONS) {
            reasons[at] = sign;
            n += n < GOODS_REASONS;
        }
    }
    return n;
}
