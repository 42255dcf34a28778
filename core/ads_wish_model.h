/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -91,          [ADS_WISH_NEED] = -32,
    [ADS_WISH_AMBIGUOUS] = -322,   [ADS_WISH_COMPOUND] = 18,
    [ADS_WISH_PREFIX] = -1024,     [ADS_WISH_ALONE] = 138,
    [ADS_WISH_FIRST] = 199,        [ADS_WISH_LAST] = -19,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 19,
    [ADS_WISH_WANT_EARLIER] = -37, [ADS_WISH_WANT_NEAR] = 200,
    [ADS_WISH_WANT_BEHIND] = 93,   [ADS_WISH_WHICH] = 234,
    [ADS_WISH_MINE_BEFORE] = -133, [ADS_WISH_OWN_BEFORE] = -335,
    [ADS_WISH_BROKEN] = 77,        [ADS_WISH_INSTEAD] = -569,
    [ADS_WISH_WITHOUT] = -478,     [ADS_WISH_FOR_BEFORE] = -647,
    [ADS_WISH_FOR_ALONE] = -360,   [ADS_WISH_PLACE_BEFORE] = -602,
    [ADS_WISH_PLACE_ALONE] = -318, [ADS_WISH_FOR_BEHIND] = 209,
    [ADS_WISH_WITH_BEFORE] = -372, [ADS_WISH_WITH_BEHIND] = 139,
    [ADS_WISH_OF_BEFORE] = -243,   [ADS_WISH_OF_BEHIND] = 62,
    [ADS_WISH_KIND_BEFORE] = 9,    [ADS_WISH_KIND_BEHIND] = -190,
    [ADS_WISH_AND_BEFORE] = -16,   [ADS_WISH_AND_BEHIND] = -79,
    [ADS_WISH_WRITE] = -464,       [ADS_WISH_HOWTO] = -369,
    [ADS_WISH_FIX] = -364,         [ADS_WISH_AFTER] = -300,
    [ADS_WISH_GIFT] = 21,          [ADS_WISH_ARTICLE] = 22,
    [ADS_WISH_THE] = -121,         [ADS_WISH_LATE] = -12,
    [ADS_WISH_EARLY] = -197,       [ADS_WISH_OF_ANOTHER] = 57,
    [ADS_WISH_HAS_ANOTHER] = 18,   [ADS_WISH_NARROWER] = 33,
    [ADS_WISH_BROADER] = 10,       [ADS_WISH_BROAD] = -1,
    [ADS_WISH_PRICE] = 81,         [ADS_WISH_LONG] = -156,
    [ADS_WISH_FOREIGN] = -317,     [ADS_WISH_CLAUSE_LAST] = -82,
    [ADS_WISH_TRAILED] = -24,      [ADS_WISH_TRAILED_SHORT] = -50,
    [ADS_WISH_PIECE] = -429,       [ADS_WISH_HINTED] = -619,
    [ADS_WISH_HINT_SOME] = 121,    [ADS_WISH_HINT_MORE] = 188,
    [ADS_WISH_HINT_MUCH] = 241,    [ADS_WISH_HINT_MOST] = 316,
    [ADS_WISH_HINT_TOP] = 128,     [ADS_WISH_HINT_LEAD] = 179,
    [ADS_WISH_HINT_FEW] = -140,    [ADS_WISH_PLAIN] = 149,
};

#endif
