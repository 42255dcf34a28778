/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -10,          [ADS_WISH_NEED] = -7,
    [ADS_WISH_AMBIGUOUS] = -439,   [ADS_WISH_COMPOUND] = 3,
    [ADS_WISH_PREFIX] = -1020,     [ADS_WISH_ALONE] = 142,
    [ADS_WISH_FIRST] = 249,        [ADS_WISH_LAST] = -36,
    [ADS_WISH_WHOLE] = 766,        [ADS_WISH_WANT_BEFORE] = 20,
    [ADS_WISH_WANT_EARLIER] = -34, [ADS_WISH_WANT_NEAR] = 183,
    [ADS_WISH_WANT_BEHIND] = 97,   [ADS_WISH_WHICH] = 234,
    [ADS_WISH_MINE_BEFORE] = -190, [ADS_WISH_OWN_BEFORE] = -344,
    [ADS_WISH_BROKEN] = 53,        [ADS_WISH_INSTEAD] = -594,
    [ADS_WISH_WITHOUT] = -495,     [ADS_WISH_FOR_BEFORE] = -630,
    [ADS_WISH_FOR_ALONE] = -368,   [ADS_WISH_PLACE_BEFORE] = -605,
    [ADS_WISH_PLACE_ALONE] = -395, [ADS_WISH_FOR_BEHIND] = 217,
    [ADS_WISH_WITH_BEFORE] = -380, [ADS_WISH_WITH_BEHIND] = 164,
    [ADS_WISH_OF_BEFORE] = -240,   [ADS_WISH_OF_BEHIND] = 31,
    [ADS_WISH_KIND_BEFORE] = 29,   [ADS_WISH_KIND_BEHIND] = -136,
    [ADS_WISH_AND_BEFORE] = 5,     [ADS_WISH_AND_BEHIND] = -64,
    [ADS_WISH_WRITE] = -485,       [ADS_WISH_HOWTO] = -377,
    [ADS_WISH_FIX] = -330,         [ADS_WISH_AFTER] = -302,
    [ADS_WISH_GIFT] = 7,           [ADS_WISH_ARTICLE] = 3,
    [ADS_WISH_THE] = -171,         [ADS_WISH_LATE] = 44,
    [ADS_WISH_EARLY] = -185,       [ADS_WISH_OF_ANOTHER] = 138,
    [ADS_WISH_HAS_ANOTHER] = -22,  [ADS_WISH_NARROWER] = 76,
    [ADS_WISH_BROADER] = -4,       [ADS_WISH_BROAD] = 5,
    [ADS_WISH_PRICE] = 109,        [ADS_WISH_LONG] = -177,
    [ADS_WISH_FOREIGN] = -283,     [ADS_WISH_CLAUSE_LAST] = -63,
    [ADS_WISH_TRAILED] = -78,      [ADS_WISH_TRAILED_SHORT] = 42,
    [ADS_WISH_PIECE] = -439,       [ADS_WISH_HINTED] = -654,
    [ADS_WISH_HINT_SOME] = 10,     [ADS_WISH_HINT_MORE] = 155,
    [ADS_WISH_HINT_MUCH] = 278,    [ADS_WISH_HINT_MOST] = 241,
    [ADS_WISH_HINT_TOP] = 140,     [ADS_WISH_HINT_LEAD] = 269,
    [ADS_WISH_HINT_FEW] = -128,    [ADS_WISH_PLAIN] = 149,
};

#endif
