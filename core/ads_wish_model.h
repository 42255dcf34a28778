/*
 * Model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 57,           [ADS_WISH_NEED] = -4,
    [ADS_WISH_AMBIGUOUS] = -377,   [ADS_WISH_COMPOUND] = 14,
    [ADS_WISH_PREFIX] = -1019,     [ADS_WISH_ALONE] = 159,
    [ADS_WISH_FIRST] = 209,        [ADS_WISH_LAST] = 15,
    [ADS_WISH_WHOLE] = 711,        [ADS_WISH_WANT_BEFORE] = 13,
    [ADS_WISH_WANT_EARLIER] = -24, [ADS_WISH_WANT_NEAR] = 155,
    [ADS_WISH_WANT_BEHIND] = 59,   [ADS_WISH_WHICH] = 240,
    [ADS_WISH_MINE_BEFORE] = -259, [ADS_WISH_OWN_BEFORE] = -339,
    [ADS_WISH_BROKEN] = 51,        [ADS_WISH_INSTEAD] = -591,
    [ADS_WISH_WITHOUT] = -500,     [ADS_WISH_FOR_BEFORE] = -637,
    [ADS_WISH_FOR_ALONE] = -411,   [ADS_WISH_PLACE_BEFORE] = -602,
    [ADS_WISH_PLACE_ALONE] = -374, [ADS_WISH_FOR_BEHIND] = 178,
    [ADS_WISH_WITH_BEFORE] = -383, [ADS_WISH_WITH_BEHIND] = 152,
    [ADS_WISH_OF_BEFORE] = -253,   [ADS_WISH_OF_BEHIND] = 50,
    [ADS_WISH_KIND_BEFORE] = 14,   [ADS_WISH_KIND_BEHIND] = -116,
    [ADS_WISH_AND_BEFORE] = -20,   [ADS_WISH_AND_BEHIND] = -84,
    [ADS_WISH_WRITE] = -485,       [ADS_WISH_HOWTO] = -332,
    [ADS_WISH_FIX] = -306,         [ADS_WISH_AFTER] = -306,
    [ADS_WISH_GIFT] = 2,           [ADS_WISH_ARTICLE] = 9,
    [ADS_WISH_THE] = -211,         [ADS_WISH_LATE] = 17,
    [ADS_WISH_EARLY] = -224,       [ADS_WISH_OF_ANOTHER] = 171,
    [ADS_WISH_HAS_ANOTHER] = -63,  [ADS_WISH_NARROWER] = 80,
    [ADS_WISH_BROADER] = 46,       [ADS_WISH_BROAD] = 29,
    [ADS_WISH_PRICE] = 91,         [ADS_WISH_LONG] = -204,
    [ADS_WISH_FOREIGN] = -267,     [ADS_WISH_CLAUSE_LAST] = -75,
    [ADS_WISH_TRAILED] = -86,      [ADS_WISH_TRAILED_SHORT] = 86,
    [ADS_WISH_PIECE] = -456,       [ADS_WISH_HINTED] = -538,
    [ADS_WISH_HINT_SOME] = -217,   [ADS_WISH_HINT_MORE] = 56,
    [ADS_WISH_HINT_MUCH] = 183,    [ADS_WISH_HINT_MOST] = 137,
    [ADS_WISH_HINT_TOP] = 101,     [ADS_WISH_HINT_LEAD] = 98,
    [ADS_WISH_HINT_FEW] = -53,     [ADS_WISH_PLAIN] = 154,
    [ADS_WISH_HINTS_ALL] = 152,    [ADS_WISH_HINTS_AHEAD] = 130,
};

#endif
