/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 65,           [ADS_WISH_NEED] = -6,
    [ADS_WISH_AMBIGUOUS] = -384,   [ADS_WISH_COMPOUND] = 16,
    [ADS_WISH_PREFIX] = -1020,     [ADS_WISH_ALONE] = 133,
    [ADS_WISH_FIRST] = 230,        [ADS_WISH_LAST] = 18,
    [ADS_WISH_WHOLE] = 765,        [ADS_WISH_WANT_BEFORE] = 36,
    [ADS_WISH_WANT_EARLIER] = 4,   [ADS_WISH_WANT_NEAR] = 168,
    [ADS_WISH_WANT_BEHIND] = 92,   [ADS_WISH_WHICH] = 228,
    [ADS_WISH_MINE_BEFORE] = -233, [ADS_WISH_OWN_BEFORE] = -340,
    [ADS_WISH_BROKEN] = 48,        [ADS_WISH_INSTEAD] = -593,
    [ADS_WISH_WITHOUT] = -504,     [ADS_WISH_FOR_BEFORE] = -637,
    [ADS_WISH_FOR_ALONE] = -403,   [ADS_WISH_PLACE_BEFORE] = -607,
    [ADS_WISH_PLACE_ALONE] = -364, [ADS_WISH_FOR_BEHIND] = 185,
    [ADS_WISH_WITH_BEFORE] = -387, [ADS_WISH_WITH_BEHIND] = 166,
    [ADS_WISH_OF_BEFORE] = -254,   [ADS_WISH_OF_BEHIND] = 36,
    [ADS_WISH_KIND_BEFORE] = 5,    [ADS_WISH_KIND_BEHIND] = -126,
    [ADS_WISH_AND_BEFORE] = -23,   [ADS_WISH_AND_BEHIND] = -73,
    [ADS_WISH_WRITE] = -485,       [ADS_WISH_HOWTO] = -344,
    [ADS_WISH_FIX] = -307,         [ADS_WISH_AFTER] = -306,
    [ADS_WISH_GIFT] = 2,           [ADS_WISH_ARTICLE] = 6,
    [ADS_WISH_THE] = -198,         [ADS_WISH_LATE] = 61,
    [ADS_WISH_EARLY] = -177,       [ADS_WISH_OF_ANOTHER] = 160,
    [ADS_WISH_HAS_ANOTHER] = -47,  [ADS_WISH_NARROWER] = 73,
    [ADS_WISH_BROADER] = 46,       [ADS_WISH_BROAD] = 0,
    [ADS_WISH_PRICE] = 93,         [ADS_WISH_LONG] = -198,
    [ADS_WISH_FOREIGN] = -263,     [ADS_WISH_CLAUSE_LAST] = -76,
    [ADS_WISH_TRAILED] = -88,      [ADS_WISH_TRAILED_SHORT] = 67,
    [ADS_WISH_PIECE] = -454,       [ADS_WISH_HINTED] = -562,
    [ADS_WISH_HINT_SOME] = -193,   [ADS_WISH_HINT_MORE] = 63,
    [ADS_WISH_HINT_MUCH] = 186,    [ADS_WISH_HINT_MOST] = 143,
    [ADS_WISH_HINT_TOP] = 106,     [ADS_WISH_HINT_LEAD] = 99,
    [ADS_WISH_HINT_FEW] = -68,     [ADS_WISH_PLAIN] = 152,
    [ADS_WISH_HINTS_ALL] = 121,    [ADS_WISH_HINTS_AHEAD] = 132,
};

#endif
