/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -31,          [ADS_WISH_NEED] = -4,
    [ADS_WISH_AMBIGUOUS] = -427,   [ADS_WISH_COMPOUND] = -5,
    [ADS_WISH_PREFIX] = -1020,     [ADS_WISH_ALONE] = 138,
    [ADS_WISH_FIRST] = 257,        [ADS_WISH_LAST] = -9,
    [ADS_WISH_WHOLE] = 766,        [ADS_WISH_WANT_BEFORE] = 27,
    [ADS_WISH_WANT_EARLIER] = -36, [ADS_WISH_WANT_NEAR] = 181,
    [ADS_WISH_WANT_BEHIND] = 108,  [ADS_WISH_WHICH] = 225,
    [ADS_WISH_MINE_BEFORE] = -178, [ADS_WISH_OWN_BEFORE] = -327,
    [ADS_WISH_BROKEN] = 65,        [ADS_WISH_INSTEAD] = -593,
    [ADS_WISH_WITHOUT] = -486,     [ADS_WISH_FOR_BEFORE] = -631,
    [ADS_WISH_FOR_ALONE] = -357,   [ADS_WISH_PLACE_BEFORE] = -608,
    [ADS_WISH_PLACE_ALONE] = -375, [ADS_WISH_FOR_BEHIND] = 220,
    [ADS_WISH_WITH_BEFORE] = -378, [ADS_WISH_WITH_BEHIND] = 159,
    [ADS_WISH_OF_BEFORE] = -244,   [ADS_WISH_OF_BEHIND] = 43,
    [ADS_WISH_KIND_BEFORE] = 33,   [ADS_WISH_KIND_BEHIND] = -137,
    [ADS_WISH_AND_BEFORE] = 2,     [ADS_WISH_AND_BEHIND] = -64,
    [ADS_WISH_WRITE] = -480,       [ADS_WISH_HOWTO] = -341,
    [ADS_WISH_FIX] = -326,         [ADS_WISH_AFTER] = -302,
    [ADS_WISH_GIFT] = 7,           [ADS_WISH_ARTICLE] = -3,
    [ADS_WISH_THE] = -167,         [ADS_WISH_LATE] = 36,
    [ADS_WISH_EARLY] = -222,       [ADS_WISH_OF_ANOTHER] = 152,
    [ADS_WISH_HAS_ANOTHER] = -33,  [ADS_WISH_NARROWER] = 63,
    [ADS_WISH_BROADER] = 14,       [ADS_WISH_BROAD] = 11,
    [ADS_WISH_PRICE] = 104,        [ADS_WISH_LONG] = -185,
    [ADS_WISH_FOREIGN] = -284,     [ADS_WISH_CLAUSE_LAST] = -77,
    [ADS_WISH_TRAILED] = -72,      [ADS_WISH_TRAILED_SHORT] = 29,
    [ADS_WISH_PIECE] = -438,       [ADS_WISH_HINTED] = -638,
    [ADS_WISH_HINT_SOME] = 7,      [ADS_WISH_HINT_MORE] = 157,
    [ADS_WISH_HINT_MUCH] = 275,    [ADS_WISH_HINT_MOST] = 244,
    [ADS_WISH_HINT_TOP] = 149,     [ADS_WISH_HINT_LEAD] = 261,
    [ADS_WISH_HINT_FEW] = -128,    [ADS_WISH_PLAIN] = 147,
};

#endif
