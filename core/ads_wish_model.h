/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -77,          [ADS_WISH_NEED] = 51,
    [ADS_WISH_AMBIGUOUS] = -512,   [ADS_WISH_COMPOUND] = 0,
    [ADS_WISH_PREFIX] = -1024,     [ADS_WISH_ALONE] = 154,
    [ADS_WISH_FIRST] = 51,         [ADS_WISH_LAST] = 77,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 256,
    [ADS_WISH_WANT_EARLIER] = 77,  [ADS_WISH_WANT_NEAR] = 205,
    [ADS_WISH_MINE_BEFORE] = -205, [ADS_WISH_OWN_BEFORE] = -384,
    [ADS_WISH_BROKEN] = 154,       [ADS_WISH_INSTEAD] = -768,
    [ADS_WISH_WITHOUT] = -640,     [ADS_WISH_FOR_BEFORE] = -640,
    [ADS_WISH_FOR_ALONE] = -307,   [ADS_WISH_FOR_BEHIND] = 205,
    [ADS_WISH_WITH_BEFORE] = -384, [ADS_WISH_WITH_BEHIND] = 128,
    [ADS_WISH_OF_BEFORE] = -256,   [ADS_WISH_OF_BEHIND] = 51,
    [ADS_WISH_KIND_BEFORE] = 128,  [ADS_WISH_KIND_BEHIND] = -512,
    [ADS_WISH_AND_BEFORE] = 0,     [ADS_WISH_AND_BEHIND] = 0,
    [ADS_WISH_WRITE] = -512,       [ADS_WISH_HOWTO] = -256,
    [ADS_WISH_FIX] = -307,         [ADS_WISH_AFTER] = -307,
    [ADS_WISH_GIFT] = 0,           [ADS_WISH_ARTICLE] = 77,
    [ADS_WISH_THE] = -102,         [ADS_WISH_LATE] = 102,
    [ADS_WISH_EARLY] = -77,        [ADS_WISH_OF_ANOTHER] = 205,
    [ADS_WISH_HAS_ANOTHER] = -205, [ADS_WISH_NARROWER] = 128,
    [ADS_WISH_BROADER] = -102,     [ADS_WISH_BROAD] = -205,
    [ADS_WISH_PRICE] = 128,        [ADS_WISH_LONG] = -51,
    [ADS_WISH_FOREIGN] = -512,     [ADS_WISH_CLAUSE_LAST] = 128,
    [ADS_WISH_TRAILED] = -100,     [ADS_WISH_TRAILED_SHORT] = -300,
    [ADS_WISH_PIECE] = -600,
};

#endif
