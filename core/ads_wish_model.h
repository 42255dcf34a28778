/*
 * Model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 59,           [ADS_WISH_NEED] = -2,
    [ADS_WISH_AMBIGUOUS] = -378,   [ADS_WISH_COMPOUND] = 17,
    [ADS_WISH_PREFIX] = -1019,     [ADS_WISH_ALONE] = 147,
    [ADS_WISH_FIRST] = 210,        [ADS_WISH_LAST] = 7,
    [ADS_WISH_WHOLE] = 767,        [ADS_WISH_WANT_BEFORE] = 16,
    [ADS_WISH_WANT_EARLIER] = -15, [ADS_WISH_WANT_NEAR] = 154,
    [ADS_WISH_WANT_BEHIND] = 68,   [ADS_WISH_WHICH] = 243,
    [ADS_WISH_MINE_BEFORE] = -268, [ADS_WISH_OWN_BEFORE] = -340,
    [ADS_WISH_BROKEN] = 51,        [ADS_WISH_INSTEAD] = -585,
    [ADS_WISH_WITHOUT] = -495,     [ADS_WISH_FOR_BEFORE] = -637,
    [ADS_WISH_FOR_ALONE] = -411,   [ADS_WISH_PLACE_BEFORE] = -604,
    [ADS_WISH_PLACE_ALONE] = -361, [ADS_WISH_FOR_BEHIND] = 176,
    [ADS_WISH_WITH_BEFORE] = -382, [ADS_WISH_WITH_BEHIND] = 157,
    [ADS_WISH_OF_BEFORE] = -252,   [ADS_WISH_OF_BEHIND] = 46,
    [ADS_WISH_KIND_BEFORE] = 3,    [ADS_WISH_KIND_BEHIND] = -126,
    [ADS_WISH_AND_BEFORE] = -20,   [ADS_WISH_AND_BEHIND] = -81,
    [ADS_WISH_WRITE] = -486,       [ADS_WISH_HOWTO] = -336,
    [ADS_WISH_FIX] = -303,         [ADS_WISH_AFTER] = -304,
    [ADS_WISH_GIFT] = 3,           [ADS_WISH_ARTICLE] = 3,
    [ADS_WISH_THE] = -216,         [ADS_WISH_LATE] = 38,
    [ADS_WISH_EARLY] = -208,       [ADS_WISH_OF_ANOTHER] = 171,
    [ADS_WISH_HAS_ANOTHER] = -51,  [ADS_WISH_NARROWER] = 72,
    [ADS_WISH_BROADER] = 47,       [ADS_WISH_BROAD] = 13,
    [ADS_WISH_PRICE] = 97,         [ADS_WISH_LONG] = -198,
    [ADS_WISH_FOREIGN] = -263,     [ADS_WISH_CLAUSE_LAST] = -74,
    [ADS_WISH_TRAILED] = -84,      [ADS_WISH_TRAILED_SHORT] = 77,
    [ADS_WISH_PIECE] = -455,       [ADS_WISH_HINTED] = -550,
    [ADS_WISH_HINT_SOME] = -207,   [ADS_WISH_HINT_MORE] = 43,
    [ADS_WISH_HINT_MUCH] = 191,    [ADS_WISH_HINT_MOST] = 136,
    [ADS_WISH_HINT_TOP] = 99,      [ADS_WISH_HINT_LEAD] = 100,
    [ADS_WISH_HINT_FEW] = -65,     [ADS_WISH_PLAIN] = 159,
    [ADS_WISH_HINTS_ALL] = 146,    [ADS_WISH_HINTS_AHEAD] = 124,
};

#endif
