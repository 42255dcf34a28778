/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -70,          [ADS_WISH_NEED] = 116,
    [ADS_WISH_AMBIGUOUS] = -466,   [ADS_WISH_COMPOUND] = 5,
    [ADS_WISH_PREFIX] = -1025,     [ADS_WISH_ALONE] = 204,
    [ADS_WISH_FIRST] = 226,        [ADS_WISH_LAST] = -15,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 51,
    [ADS_WISH_WANT_EARLIER] = -11, [ADS_WISH_WANT_NEAR] = 132,
    [ADS_WISH_WANT_BEHIND] = 17,   [ADS_WISH_WHICH] = 250,
    [ADS_WISH_MINE_BEFORE] = -130, [ADS_WISH_OWN_BEFORE] = -234,
    [ADS_WISH_BROKEN] = 51,        [ADS_WISH_INSTEAD] = -453,
    [ADS_WISH_WITHOUT] = -413,     [ADS_WISH_FOR_BEFORE] = -641,
    [ADS_WISH_FOR_ALONE] = -337,   [ADS_WISH_PLACE_BEFORE] = -589,
    [ADS_WISH_PLACE_ALONE] = -290, [ADS_WISH_FOR_BEHIND] = 248,
    [ADS_WISH_WITH_BEFORE] = -384, [ADS_WISH_WITH_BEHIND] = 145,
    [ADS_WISH_OF_BEFORE] = -241,   [ADS_WISH_OF_BEHIND] = 63,
    [ADS_WISH_KIND_BEFORE] = -23,  [ADS_WISH_KIND_BEHIND] = -119,
    [ADS_WISH_AND_BEFORE] = 51,    [ADS_WISH_AND_BEHIND] = -5,
    [ADS_WISH_WRITE] = -448,       [ADS_WISH_HOWTO] = -327,
    [ADS_WISH_FIX] = -341,         [ADS_WISH_AFTER] = -275,
    [ADS_WISH_GIFT] = 39,          [ADS_WISH_ARTICLE] = 111,
    [ADS_WISH_THE] = -124,         [ADS_WISH_LATE] = 105,
    [ADS_WISH_EARLY] = 52,         [ADS_WISH_OF_ANOTHER] = 191,
    [ADS_WISH_HAS_ANOTHER] = -97,  [ADS_WISH_NARROWER] = 127,
    [ADS_WISH_BROADER] = 78,       [ADS_WISH_BROAD] = -122,
    [ADS_WISH_PRICE] = 97,         [ADS_WISH_LONG] = -301,
    [ADS_WISH_FOREIGN] = -340,     [ADS_WISH_CLAUSE_LAST] = -49,
    [ADS_WISH_TRAILED] = -38,      [ADS_WISH_TRAILED_SHORT] = -34,
    [ADS_WISH_PIECE] = -415,
};

#endif
