/*
 * Model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 56,           [ADS_WISH_NEED] = -5,
    [ADS_WISH_AMBIGUOUS] = -378,   [ADS_WISH_COMPOUND] = 13,
    [ADS_WISH_PREFIX] = -1019,     [ADS_WISH_ALONE] = 163,
    [ADS_WISH_FIRST] = 211,        [ADS_WISH_LAST] = 15,
    [ADS_WISH_WHOLE] = 710,        [ADS_WISH_WANT_BEFORE] = 14,
    [ADS_WISH_WANT_EARLIER] = -27, [ADS_WISH_WANT_NEAR] = 151,
    [ADS_WISH_WANT_BEHIND] = 54,   [ADS_WISH_WHICH] = 235,
    [ADS_WISH_MINE_BEFORE] = -256, [ADS_WISH_OWN_BEFORE] = -340,
    [ADS_WISH_BROKEN] = 47,        [ADS_WISH_INSTEAD] = -591,
    [ADS_WISH_WITHOUT] = -500,     [ADS_WISH_FOR_BEFORE] = -637,
    [ADS_WISH_FOR_ALONE] = -413,   [ADS_WISH_PLACE_BEFORE] = -602,
    [ADS_WISH_PLACE_ALONE] = -376, [ADS_WISH_FOR_BEHIND] = 173,
    [ADS_WISH_WITH_BEFORE] = -383, [ADS_WISH_WITH_BEHIND] = 154,
    [ADS_WISH_OF_BEFORE] = -253,   [ADS_WISH_OF_BEHIND] = 52,
    [ADS_WISH_KIND_BEFORE] = 14,   [ADS_WISH_KIND_BEHIND] = -107,
    [ADS_WISH_AND_BEFORE] = -19,   [ADS_WISH_AND_BEHIND] = -85,
    [ADS_WISH_WRITE] = -485,       [ADS_WISH_HOWTO] = -331,
    [ADS_WISH_FIX] = -307,         [ADS_WISH_AFTER] = -306,
    [ADS_WISH_GIFT] = 2,           [ADS_WISH_ARTICLE] = 6,
    [ADS_WISH_THE] = -213,         [ADS_WISH_LATE] = 15,
    [ADS_WISH_EARLY] = -224,       [ADS_WISH_OF_ANOTHER] = 183,
    [ADS_WISH_HAS_ANOTHER] = -64,  [ADS_WISH_NARROWER] = 75,
    [ADS_WISH_BROADER] = 49,       [ADS_WISH_BROAD] = 30,
    [ADS_WISH_PRICE] = 91,         [ADS_WISH_LONG] = -200,
    [ADS_WISH_FOREIGN] = -268,     [ADS_WISH_CLAUSE_LAST] = -74,
    [ADS_WISH_TRAILED] = -86,      [ADS_WISH_TRAILED_SHORT] = 79,
    [ADS_WISH_PIECE] = -452,       [ADS_WISH_HINTED] = -536,
    [ADS_WISH_HINT_SOME] = -216,   [ADS_WISH_HINT_MORE] = 54,
    [ADS_WISH_HINT_MUCH] = 183,    [ADS_WISH_HINT_MOST] = 140,
    [ADS_WISH_HINT_TOP] = 100,     [ADS_WISH_HINT_LEAD] = 98,
    [ADS_WISH_HINT_FEW] = -55,     [ADS_WISH_PLAIN] = 156,
    [ADS_WISH_LINE] = -114,        [ADS_WISH_COMPOSED] = 81,
    [ADS_WISH_HINTS_ALL] = 149,    [ADS_WISH_HINTS_AHEAD] = 131,
};

#endif
