/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -38,          [ADS_WISH_NEED] = -5,
    [ADS_WISH_AMBIGUOUS] = -455,   [ADS_WISH_COMPOUND] = 8,
    [ADS_WISH_PREFIX] = -1021,     [ADS_WISH_ALONE] = 142,
    [ADS_WISH_FIRST] = 228,        [ADS_WISH_LAST] = 11,
    [ADS_WISH_WHOLE] = 761,        [ADS_WISH_WANT_BEFORE] = 40,
    [ADS_WISH_WANT_EARLIER] = -34, [ADS_WISH_WANT_NEAR] = 177,
    [ADS_WISH_WANT_BEHIND] = 105,  [ADS_WISH_WHICH] = 229,
    [ADS_WISH_MINE_BEFORE] = -194, [ADS_WISH_OWN_BEFORE] = -332,
    [ADS_WISH_BROKEN] = 41,        [ADS_WISH_INSTEAD] = -587,
    [ADS_WISH_WITHOUT] = -492,     [ADS_WISH_FOR_BEFORE] = -637,
    [ADS_WISH_FOR_ALONE] = -392,   [ADS_WISH_PLACE_BEFORE] = -609,
    [ADS_WISH_PLACE_ALONE] = -390, [ADS_WISH_FOR_BEHIND] = 179,
    [ADS_WISH_WITH_BEFORE] = -381, [ADS_WISH_WITH_BEHIND] = 169,
    [ADS_WISH_OF_BEFORE] = -247,   [ADS_WISH_OF_BEHIND] = 40,
    [ADS_WISH_KIND_BEFORE] = 40,   [ADS_WISH_KIND_BEHIND] = -122,
    [ADS_WISH_AND_BEFORE] = -14,   [ADS_WISH_AND_BEHIND] = -70,
    [ADS_WISH_WRITE] = -489,       [ADS_WISH_HOWTO] = -337,
    [ADS_WISH_FIX] = -316,         [ADS_WISH_AFTER] = -306,
    [ADS_WISH_GIFT] = 7,           [ADS_WISH_ARTICLE] = -8,
    [ADS_WISH_THE] = -193,         [ADS_WISH_LATE] = 57,
    [ADS_WISH_EARLY] = -176,       [ADS_WISH_OF_ANOTHER] = 162,
    [ADS_WISH_HAS_ANOTHER] = -47,  [ADS_WISH_NARROWER] = 68,
    [ADS_WISH_BROADER] = 28,       [ADS_WISH_BROAD] = -12,
    [ADS_WISH_PRICE] = 104,        [ADS_WISH_LONG] = -210,
    [ADS_WISH_FOREIGN] = -280,     [ADS_WISH_CLAUSE_LAST] = -77,
    [ADS_WISH_TRAILED] = -87,      [ADS_WISH_TRAILED_SHORT] = 51,
    [ADS_WISH_PIECE] = -453,       [ADS_WISH_HINTED] = -592,
    [ADS_WISH_HINT_SOME] = -14,    [ADS_WISH_HINT_MORE] = 177,
    [ADS_WISH_HINT_MUCH] = 273,    [ADS_WISH_HINT_MOST] = 246,
    [ADS_WISH_HINT_TOP] = 178,     [ADS_WISH_HINT_LEAD] = 278,
    [ADS_WISH_HINT_FEW] = -122,    [ADS_WISH_PLAIN] = 160,
};

#endif
