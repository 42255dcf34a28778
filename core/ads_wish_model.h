/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -58,          [ADS_WISH_NEED] = 142,
    [ADS_WISH_AMBIGUOUS] = -468,   [ADS_WISH_COMPOUND] = -14,
    [ADS_WISH_PREFIX] = -1025,     [ADS_WISH_ALONE] = 213,
    [ADS_WISH_FIRST] = 228,        [ADS_WISH_LAST] = -19,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 88,
    [ADS_WISH_WANT_EARLIER] = -18, [ADS_WISH_WANT_NEAR] = 169,
    [ADS_WISH_MINE_BEFORE] = -77,  [ADS_WISH_OWN_BEFORE] = -218,
    [ADS_WISH_BROKEN] = 53,        [ADS_WISH_INSTEAD] = -467,
    [ADS_WISH_WITHOUT] = -385,     [ADS_WISH_FOR_BEFORE] = -647,
    [ADS_WISH_FOR_ALONE] = -370,   [ADS_WISH_PLACE_BEFORE] = -596,
    [ADS_WISH_PLACE_ALONE] = -333, [ADS_WISH_FOR_BEHIND] = 241,
    [ADS_WISH_WITH_BEFORE] = -403, [ADS_WISH_WITH_BEHIND] = 135,
    [ADS_WISH_OF_BEFORE] = -232,   [ADS_WISH_OF_BEHIND] = 50,
    [ADS_WISH_KIND_BEFORE] = -4,   [ADS_WISH_KIND_BEHIND] = -112,
    [ADS_WISH_AND_BEFORE] = 46,    [ADS_WISH_AND_BEHIND] = -15,
    [ADS_WISH_WRITE] = -461,       [ADS_WISH_HOWTO] = -330,
    [ADS_WISH_FIX] = -362,         [ADS_WISH_AFTER] = -271,
    [ADS_WISH_GIFT] = 0,           [ADS_WISH_ARTICLE] = 85,
    [ADS_WISH_THE] = -117,         [ADS_WISH_LATE] = 154,
    [ADS_WISH_EARLY] = 71,         [ADS_WISH_OF_ANOTHER] = 164,
    [ADS_WISH_HAS_ANOTHER] = -79,  [ADS_WISH_NARROWER] = 129,
    [ADS_WISH_BROADER] = 54,       [ADS_WISH_BROAD] = -166,
    [ADS_WISH_PRICE] = 130,        [ADS_WISH_LONG] = -304,
    [ADS_WISH_FOREIGN] = -379,     [ADS_WISH_CLAUSE_LAST] = -50,
    [ADS_WISH_TRAILED] = -68,      [ADS_WISH_TRAILED_SHORT] = -15,
    [ADS_WISH_PIECE] = -444,
};

#endif
