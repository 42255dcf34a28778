/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 36,           [ADS_WISH_NEED] = -3,
    [ADS_WISH_AMBIGUOUS] = -429,   [ADS_WISH_COMPOUND] = 4,
    [ADS_WISH_PREFIX] = -1024,     [ADS_WISH_ALONE] = 149,
    [ADS_WISH_FIRST] = 265,        [ADS_WISH_LAST] = -10,
    [ADS_WISH_WHOLE] = 769,        [ADS_WISH_WANT_BEFORE] = 1,
    [ADS_WISH_WANT_EARLIER] = -33, [ADS_WISH_WANT_NEAR] = 201,
    [ADS_WISH_WANT_BEHIND] = 84,   [ADS_WISH_WHICH] = 236,
    [ADS_WISH_MINE_BEFORE] = -186, [ADS_WISH_OWN_BEFORE] = -357,
    [ADS_WISH_BROKEN] = 85,        [ADS_WISH_INSTEAD] = -585,
    [ADS_WISH_WITHOUT] = -473,     [ADS_WISH_FOR_BEFORE] = -635,
    [ADS_WISH_FOR_ALONE] = -383,   [ADS_WISH_PLACE_BEFORE] = -602,
    [ADS_WISH_PLACE_ALONE] = -364, [ADS_WISH_FOR_BEHIND] = 246,
    [ADS_WISH_WITH_BEFORE] = -378, [ADS_WISH_WITH_BEHIND] = 144,
    [ADS_WISH_OF_BEFORE] = -252,   [ADS_WISH_OF_BEHIND] = 56,
    [ADS_WISH_KIND_BEFORE] = 44,   [ADS_WISH_KIND_BEHIND] = -165,
    [ADS_WISH_AND_BEFORE] = 16,    [ADS_WISH_AND_BEHIND] = -46,
    [ADS_WISH_WRITE] = -480,       [ADS_WISH_HOWTO] = -421,
    [ADS_WISH_FIX] = -343,         [ADS_WISH_AFTER] = -293,
    [ADS_WISH_GIFT] = 18,          [ADS_WISH_ARTICLE] = 6,
    [ADS_WISH_THE] = -175,         [ADS_WISH_LATE] = -21,
    [ADS_WISH_EARLY] = -220,       [ADS_WISH_OF_ANOTHER] = 138,
    [ADS_WISH_HAS_ANOTHER] = -47,  [ADS_WISH_NARROWER] = 54,
    [ADS_WISH_BROADER] = -2,       [ADS_WISH_BROAD] = -17,
    [ADS_WISH_PRICE] = 79,         [ADS_WISH_LONG] = -169,
    [ADS_WISH_FOREIGN] = -258,     [ADS_WISH_CLAUSE_LAST] = -67,
    [ADS_WISH_TRAILED] = -66,      [ADS_WISH_TRAILED_SHORT] = 33,
    [ADS_WISH_PIECE] = -455,       [ADS_WISH_HINTED] = -671,
    [ADS_WISH_HINT_SOME] = 0,      [ADS_WISH_HINT_MORE] = 168,
    [ADS_WISH_HINT_MUCH] = 282,    [ADS_WISH_HINT_MOST] = 241,
    [ADS_WISH_HINT_TOP] = 128,     [ADS_WISH_HINT_LEAD] = 237,
    [ADS_WISH_HINT_FEW] = -124,    [ADS_WISH_PLAIN] = 159,
};

#endif
