/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -73,          [ADS_WISH_NEED] = 131,
    [ADS_WISH_AMBIGUOUS] = -470,   [ADS_WISH_COMPOUND] = 3,
    [ADS_WISH_PREFIX] = -1025,     [ADS_WISH_ALONE] = 196,
    [ADS_WISH_FIRST] = 227,        [ADS_WISH_LAST] = 0,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 50,
    [ADS_WISH_WANT_EARLIER] = -11, [ADS_WISH_WANT_NEAR] = 129,
    [ADS_WISH_WANT_BEHIND] = 16,   [ADS_WISH_WHICH] = 252,
    [ADS_WISH_MINE_BEFORE] = -129, [ADS_WISH_OWN_BEFORE] = -229,
    [ADS_WISH_BROKEN] = 60,        [ADS_WISH_INSTEAD] = -461,
    [ADS_WISH_WITHOUT] = -407,     [ADS_WISH_FOR_BEFORE] = -641,
    [ADS_WISH_FOR_ALONE] = -338,   [ADS_WISH_PLACE_BEFORE] = -582,
    [ADS_WISH_PLACE_ALONE] = -290, [ADS_WISH_FOR_BEHIND] = 250,
    [ADS_WISH_WITH_BEFORE] = -386, [ADS_WISH_WITH_BEHIND] = 140,
    [ADS_WISH_OF_BEFORE] = -243,   [ADS_WISH_OF_BEHIND] = 60,
    [ADS_WISH_KIND_BEFORE] = -25,  [ADS_WISH_KIND_BEHIND] = -122,
    [ADS_WISH_AND_BEFORE] = 46,    [ADS_WISH_AND_BEHIND] = -6,
    [ADS_WISH_WRITE] = -444,       [ADS_WISH_HOWTO] = -326,
    [ADS_WISH_FIX] = -335,         [ADS_WISH_AFTER] = -276,
    [ADS_WISH_GIFT] = 48,          [ADS_WISH_ARTICLE] = 115,
    [ADS_WISH_THE] = -124,         [ADS_WISH_LATE] = 102,
    [ADS_WISH_EARLY] = 57,         [ADS_WISH_OF_ANOTHER] = 192,
    [ADS_WISH_HAS_ANOTHER] = -87,  [ADS_WISH_NARROWER] = 125,
    [ADS_WISH_BROADER] = 75,       [ADS_WISH_BROAD] = -126,
    [ADS_WISH_PRICE] = 96,         [ADS_WISH_LONG] = -304,
    [ADS_WISH_FOREIGN] = -344,     [ADS_WISH_CLAUSE_LAST] = -50,
    [ADS_WISH_TRAILED] = -39,      [ADS_WISH_TRAILED_SHORT] = -33,
    [ADS_WISH_PIECE] = -417,
};

#endif
