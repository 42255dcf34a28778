/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -74,          [ADS_WISH_NEED] = -80,
    [ADS_WISH_AMBIGUOUS] = -337,   [ADS_WISH_COMPOUND] = 22,
    [ADS_WISH_PREFIX] = -1024,     [ADS_WISH_ALONE] = 137,
    [ADS_WISH_FIRST] = 207,        [ADS_WISH_LAST] = -47,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 19,
    [ADS_WISH_WANT_EARLIER] = -46, [ADS_WISH_WANT_NEAR] = 215,
    [ADS_WISH_WANT_BEHIND] = 99,   [ADS_WISH_WHICH] = 235,
    [ADS_WISH_MINE_BEFORE] = -139, [ADS_WISH_OWN_BEFORE] = -338,
    [ADS_WISH_BROKEN] = 84,        [ADS_WISH_INSTEAD] = -574,
    [ADS_WISH_WITHOUT] = -485,     [ADS_WISH_FOR_BEFORE] = -652,
    [ADS_WISH_FOR_ALONE] = -380,   [ADS_WISH_PLACE_BEFORE] = -591,
    [ADS_WISH_PLACE_ALONE] = -335, [ADS_WISH_FOR_BEHIND] = 251,
    [ADS_WISH_WITH_BEFORE] = -377, [ADS_WISH_WITH_BEHIND] = 152,
    [ADS_WISH_OF_BEFORE] = -249,   [ADS_WISH_OF_BEHIND] = 58,
    [ADS_WISH_KIND_BEFORE] = 15,   [ADS_WISH_KIND_BEHIND] = -201,
    [ADS_WISH_AND_BEFORE] = 5,     [ADS_WISH_AND_BEHIND] = -51,
    [ADS_WISH_WRITE] = -462,       [ADS_WISH_HOWTO] = -376,
    [ADS_WISH_FIX] = -338,         [ADS_WISH_AFTER] = -299,
    [ADS_WISH_GIFT] = 18,          [ADS_WISH_ARTICLE] = 46,
    [ADS_WISH_THE] = -144,         [ADS_WISH_LATE] = 0,
    [ADS_WISH_EARLY] = -173,       [ADS_WISH_OF_ANOTHER] = 76,
    [ADS_WISH_HAS_ANOTHER] = 11,   [ADS_WISH_NARROWER] = 38,
    [ADS_WISH_BROADER] = 6,        [ADS_WISH_BROAD] = -18,
    [ADS_WISH_PRICE] = 78,         [ADS_WISH_LONG] = -149,
    [ADS_WISH_FOREIGN] = -317,     [ADS_WISH_CLAUSE_LAST] = -78,
    [ADS_WISH_TRAILED] = -47,      [ADS_WISH_TRAILED_SHORT] = -52,
    [ADS_WISH_PIECE] = -432,       [ADS_WISH_HINTED] = -651,
    [ADS_WISH_HINT_SOME] = 130,    [ADS_WISH_HINT_MORE] = 188,
    [ADS_WISH_HINT_MUCH] = 236,    [ADS_WISH_HINT_MOST] = 298,
    [ADS_WISH_HINT_TOP] = 133,     [ADS_WISH_HINT_LEAD] = 168,
    [ADS_WISH_HINT_FEW] = -143,    [ADS_WISH_PLAIN] = 140,
};

#endif
