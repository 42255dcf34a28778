/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 51,           [ADS_WISH_NEED] = -49,
    [ADS_WISH_AMBIGUOUS] = -423,   [ADS_WISH_COMPOUND] = -3,
    [ADS_WISH_PREFIX] = -1024,     [ADS_WISH_ALONE] = 142,
    [ADS_WISH_FIRST] = 246,        [ADS_WISH_LAST] = -27,
    [ADS_WISH_WHOLE] = 769,        [ADS_WISH_WANT_BEFORE] = -9,
    [ADS_WISH_WANT_EARLIER] = -41, [ADS_WISH_WANT_NEAR] = 205,
    [ADS_WISH_WANT_BEHIND] = 93,   [ADS_WISH_WHICH] = 242,
    [ADS_WISH_MINE_BEFORE] = -159, [ADS_WISH_OWN_BEFORE] = -337,
    [ADS_WISH_BROKEN] = 86,        [ADS_WISH_INSTEAD] = -581,
    [ADS_WISH_WITHOUT] = -477,     [ADS_WISH_FOR_BEFORE] = -636,
    [ADS_WISH_FOR_ALONE] = -386,   [ADS_WISH_PLACE_BEFORE] = -597,
    [ADS_WISH_PLACE_ALONE] = -351, [ADS_WISH_FOR_BEHIND] = 242,
    [ADS_WISH_WITH_BEFORE] = -377, [ADS_WISH_WITH_BEHIND] = 144,
    [ADS_WISH_OF_BEFORE] = -252,   [ADS_WISH_OF_BEHIND] = 45,
    [ADS_WISH_KIND_BEFORE] = 25,   [ADS_WISH_KIND_BEHIND] = -161,
    [ADS_WISH_AND_BEFORE] = 1,     [ADS_WISH_AND_BEHIND] = -42,
    [ADS_WISH_WRITE] = -470,       [ADS_WISH_HOWTO] = -382,
    [ADS_WISH_FIX] = -330,         [ADS_WISH_AFTER] = -301,
    [ADS_WISH_GIFT] = 17,          [ADS_WISH_ARTICLE] = 29,
    [ADS_WISH_THE] = -162,         [ADS_WISH_LATE] = -11,
    [ADS_WISH_EARLY] = -208,       [ADS_WISH_OF_ANOTHER] = 110,
    [ADS_WISH_HAS_ANOTHER] = -20,  [ADS_WISH_NARROWER] = 50,
    [ADS_WISH_BROADER] = 4,        [ADS_WISH_BROAD] = -6,
    [ADS_WISH_PRICE] = 75,         [ADS_WISH_LONG] = -168,
    [ADS_WISH_FOREIGN] = -269,     [ADS_WISH_CLAUSE_LAST] = -71,
    [ADS_WISH_TRAILED] = -56,      [ADS_WISH_TRAILED_SHORT] = 29,
    [ADS_WISH_PIECE] = -420,       [ADS_WISH_HINTED] = -646,
    [ADS_WISH_HINT_SOME] = 33,     [ADS_WISH_HINT_MORE] = 172,
    [ADS_WISH_HINT_MUCH] = 240,    [ADS_WISH_HINT_MOST] = 302,
    [ADS_WISH_HINT_TOP] = 116,     [ADS_WISH_HINT_LEAD] = 181,
    [ADS_WISH_HINT_FEW] = -158,    [ADS_WISH_PLAIN] = 158,
};

#endif
