/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -89,          [ADS_WISH_NEED] = -70,
    [ADS_WISH_AMBIGUOUS] = -318,   [ADS_WISH_COMPOUND] = 28,
    [ADS_WISH_PREFIX] = -1024,     [ADS_WISH_ALONE] = 131,
    [ADS_WISH_FIRST] = 208,        [ADS_WISH_LAST] = -28,
    [ADS_WISH_WHOLE] = 768,        [ADS_WISH_WANT_BEFORE] = 20,
    [ADS_WISH_WANT_EARLIER] = -41, [ADS_WISH_WANT_NEAR] = 209,
    [ADS_WISH_WANT_BEHIND] = 97,   [ADS_WISH_WHICH] = 239,
    [ADS_WISH_MINE_BEFORE] = -125, [ADS_WISH_OWN_BEFORE] = -332,
    [ADS_WISH_BROKEN] = 87,        [ADS_WISH_INSTEAD] = -564,
    [ADS_WISH_WITHOUT] = -476,     [ADS_WISH_FOR_BEFORE] = -650,
    [ADS_WISH_FOR_ALONE] = -374,   [ADS_WISH_PLACE_BEFORE] = -593,
    [ADS_WISH_PLACE_ALONE] = -323, [ADS_WISH_FOR_BEHIND] = 215,
    [ADS_WISH_WITH_BEFORE] = -373, [ADS_WISH_WITH_BEHIND] = 144,
    [ADS_WISH_OF_BEFORE] = -244,   [ADS_WISH_OF_BEHIND] = 59,
    [ADS_WISH_KIND_BEFORE] = 7,    [ADS_WISH_KIND_BEHIND] = -188,
    [ADS_WISH_AND_BEFORE] = -4,    [ADS_WISH_AND_BEHIND] = -84,
    [ADS_WISH_WRITE] = -467,       [ADS_WISH_HOWTO] = -375,
    [ADS_WISH_FIX] = -364,         [ADS_WISH_AFTER] = -300,
    [ADS_WISH_GIFT] = 19,          [ADS_WISH_ARTICLE] = 36,
    [ADS_WISH_THE] = -128,         [ADS_WISH_LATE] = -5,
    [ADS_WISH_EARLY] = -191,       [ADS_WISH_OF_ANOTHER] = 65,
    [ADS_WISH_HAS_ANOTHER] = 17,   [ADS_WISH_NARROWER] = 39,
    [ADS_WISH_BROADER] = 13,       [ADS_WISH_BROAD] = -11,
    [ADS_WISH_PRICE] = 79,         [ADS_WISH_LONG] = -157,
    [ADS_WISH_FOREIGN] = -315,     [ADS_WISH_CLAUSE_LAST] = -73,
    [ADS_WISH_TRAILED] = -37,      [ADS_WISH_TRAILED_SHORT] = -46,
    [ADS_WISH_PIECE] = -425,       [ADS_WISH_HINTED] = -622,
    [ADS_WISH_HINT_SOME] = 122,    [ADS_WISH_HINT_MORE] = 185,
    [ADS_WISH_HINT_MUCH] = 234,    [ADS_WISH_HINT_MOST] = 297,
    [ADS_WISH_HINT_TOP] = 134,     [ADS_WISH_HINT_LEAD] = 173,
    [ADS_WISH_HINT_FEW] = -143,    [ADS_WISH_PLAIN] = 151,
};

#endif
