/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -7,           [ADS_WISH_NEED] = -9,
    [ADS_WISH_AMBIGUOUS] = -448,   [ADS_WISH_COMPOUND] = 7,
    [ADS_WISH_PREFIX] = -1020,     [ADS_WISH_ALONE] = 145,
    [ADS_WISH_FIRST] = 247,        [ADS_WISH_LAST] = -44,
    [ADS_WISH_WHOLE] = 766,        [ADS_WISH_WANT_BEFORE] = 19,
    [ADS_WISH_WANT_EARLIER] = -37, [ADS_WISH_WANT_NEAR] = 180,
    [ADS_WISH_WANT_BEHIND] = 96,   [ADS_WISH_WHICH] = 236,
    [ADS_WISH_MINE_BEFORE] = -187, [ADS_WISH_OWN_BEFORE] = -340,
    [ADS_WISH_BROKEN] = 57,        [ADS_WISH_INSTEAD] = -596,
    [ADS_WISH_WITHOUT] = -492,     [ADS_WISH_FOR_BEFORE] = -631,
    [ADS_WISH_FOR_ALONE] = -363,   [ADS_WISH_PLACE_BEFORE] = -601,
    [ADS_WISH_PLACE_ALONE] = -394, [ADS_WISH_FOR_BEHIND] = 224,
    [ADS_WISH_WITH_BEFORE] = -380, [ADS_WISH_WITH_BEHIND] = 164,
    [ADS_WISH_OF_BEFORE] = -241,   [ADS_WISH_OF_BEHIND] = 30,
    [ADS_WISH_KIND_BEFORE] = 36,   [ADS_WISH_KIND_BEHIND] = -128,
    [ADS_WISH_AND_BEFORE] = 7,     [ADS_WISH_AND_BEHIND] = -58,
    [ADS_WISH_WRITE] = -486,       [ADS_WISH_HOWTO] = -378,
    [ADS_WISH_FIX] = -327,         [ADS_WISH_AFTER] = -300,
    [ADS_WISH_GIFT] = 8,           [ADS_WISH_ARTICLE] = 1,
    [ADS_WISH_THE] = -170,         [ADS_WISH_LATE] = 38,
    [ADS_WISH_EARLY] = -189,       [ADS_WISH_OF_ANOTHER] = 148,
    [ADS_WISH_HAS_ANOTHER] = -24,  [ADS_WISH_NARROWER] = 66,
    [ADS_WISH_BROADER] = -2,       [ADS_WISH_BROAD] = 25,
    [ADS_WISH_PRICE] = 109,        [ADS_WISH_LONG] = -180,
    [ADS_WISH_FOREIGN] = -275,     [ADS_WISH_CLAUSE_LAST] = -57,
    [ADS_WISH_TRAILED] = -77,      [ADS_WISH_TRAILED_SHORT] = 42,
    [ADS_WISH_PIECE] = -436,       [ADS_WISH_HINTED] = -662,
    [ADS_WISH_HINT_SOME] = 15,     [ADS_WISH_HINT_MORE] = 160,
    [ADS_WISH_HINT_MUCH] = 277,    [ADS_WISH_HINT_MOST] = 242,
    [ADS_WISH_HINT_TOP] = 137,     [ADS_WISH_HINT_LEAD] = 271,
    [ADS_WISH_HINT_FEW] = -127,    [ADS_WISH_PLAIN] = 152,
};

#endif
