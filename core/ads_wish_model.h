/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 60,           [ADS_WISH_NEED] = 0,
    [ADS_WISH_AMBIGUOUS] = -386,   [ADS_WISH_COMPOUND] = 9,
    [ADS_WISH_PREFIX] = -1022,     [ADS_WISH_ALONE] = 136,
    [ADS_WISH_FIRST] = 243,        [ADS_WISH_LAST] = 7,
    [ADS_WISH_WHOLE] = 763,        [ADS_WISH_WANT_BEFORE] = 41,
    [ADS_WISH_WANT_EARLIER] = -8,  [ADS_WISH_WANT_NEAR] = 169,
    [ADS_WISH_WANT_BEHIND] = 110,  [ADS_WISH_WHICH] = 222,
    [ADS_WISH_MINE_BEFORE] = -219, [ADS_WISH_OWN_BEFORE] = -338,
    [ADS_WISH_BROKEN] = 56,        [ADS_WISH_INSTEAD] = -591,
    [ADS_WISH_WITHOUT] = -500,     [ADS_WISH_FOR_BEFORE] = -639,
    [ADS_WISH_FOR_ALONE] = -400,   [ADS_WISH_PLACE_BEFORE] = -609,
    [ADS_WISH_PLACE_ALONE] = -385, [ADS_WISH_FOR_BEHIND] = 191,
    [ADS_WISH_WITH_BEFORE] = -386, [ADS_WISH_WITH_BEHIND] = 170,
    [ADS_WISH_OF_BEFORE] = -256,   [ADS_WISH_OF_BEHIND] = 43,
    [ADS_WISH_KIND_BEFORE] = 29,   [ADS_WISH_KIND_BEHIND] = -138,
    [ADS_WISH_AND_BEFORE] = -21,   [ADS_WISH_AND_BEHIND] = -62,
    [ADS_WISH_WRITE] = -486,       [ADS_WISH_HOWTO] = -356,
    [ADS_WISH_FIX] = -318,         [ADS_WISH_AFTER] = -305,
    [ADS_WISH_GIFT] = 0,           [ADS_WISH_ARTICLE] = -8,
    [ADS_WISH_THE] = -204,         [ADS_WISH_LATE] = 52,
    [ADS_WISH_EARLY] = -175,       [ADS_WISH_OF_ANOTHER] = 175,
    [ADS_WISH_HAS_ANOTHER] = -52,  [ADS_WISH_NARROWER] = 78,
    [ADS_WISH_BROADER] = 9,        [ADS_WISH_BROAD] = -3,
    [ADS_WISH_PRICE] = 112,        [ADS_WISH_LONG] = -189,
    [ADS_WISH_FOREIGN] = -285,     [ADS_WISH_CLAUSE_LAST] = -61,
    [ADS_WISH_TRAILED] = -77,      [ADS_WISH_TRAILED_SHORT] = 37,
    [ADS_WISH_PIECE] = -461,       [ADS_WISH_HINTED] = -571,
    [ADS_WISH_HINT_SOME] = -155,   [ADS_WISH_HINT_MORE] = 50,
    [ADS_WISH_HINT_MUCH] = 196,    [ADS_WISH_HINT_MOST] = 132,
    [ADS_WISH_HINT_TOP] = 99,      [ADS_WISH_HINT_LEAD] = 131,
    [ADS_WISH_HINT_FEW] = -78,     [ADS_WISH_PLAIN] = 162,
    [ADS_WISH_HINTS_ALL] = 104,    [ADS_WISH_HINTS_AHEAD] = 148,
};

#endif
