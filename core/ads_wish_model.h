/*
 * The model that says which mention of a request is wanted: a weight for each
 * feature of core/ads_wish.h, 256 is one nat.  Made by tools/wish_train from
 * data/intent/lines/; do not edit.
 */
#ifndef ADS_WISH_MODEL_H
#define ADS_WISH_MODEL_H

#include "ads_wish.h"

static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = 66,           [ADS_WISH_NEED] = 12,
    [ADS_WISH_AMBIGUOUS] = -414,   [ADS_WISH_COMPOUND] = 13,
    [ADS_WISH_PREFIX] = -1021,     [ADS_WISH_ALONE] = 139,
    [ADS_WISH_FIRST] = 235,        [ADS_WISH_LAST] = 15,
    [ADS_WISH_WHOLE] = 758,        [ADS_WISH_WANT_BEFORE] = 49,
    [ADS_WISH_WANT_EARLIER] = -22, [ADS_WISH_WANT_NEAR] = 180,
    [ADS_WISH_WANT_BEHIND] = 105,  [ADS_WISH_WHICH] = 237,
    [ADS_WISH_MINE_BEFORE] = -202, [ADS_WISH_OWN_BEFORE] = -337,
    [ADS_WISH_BROKEN] = 43,        [ADS_WISH_INSTEAD] = -591,
    [ADS_WISH_WITHOUT] = -495,     [ADS_WISH_FOR_BEFORE] = -640,
    [ADS_WISH_FOR_ALONE] = -397,   [ADS_WISH_PLACE_BEFORE] = -609,
    [ADS_WISH_PLACE_ALONE] = -391, [ADS_WISH_FOR_BEHIND] = 179,
    [ADS_WISH_WITH_BEFORE] = -385, [ADS_WISH_WITH_BEHIND] = 178,
    [ADS_WISH_OF_BEFORE] = -250,   [ADS_WISH_OF_BEHIND] = 46,
    [ADS_WISH_KIND_BEFORE] = 36,   [ADS_WISH_KIND_BEHIND] = -127,
    [ADS_WISH_AND_BEFORE] = -8,    [ADS_WISH_AND_BEHIND] = -69,
    [ADS_WISH_WRITE] = -487,       [ADS_WISH_HOWTO] = -360,
    [ADS_WISH_FIX] = -326,         [ADS_WISH_AFTER] = -308,
    [ADS_WISH_GIFT] = 4,           [ADS_WISH_ARTICLE] = -16,
    [ADS_WISH_THE] = -187,         [ADS_WISH_LATE] = 94,
    [ADS_WISH_EARLY] = -141,       [ADS_WISH_OF_ANOTHER] = 156,
    [ADS_WISH_HAS_ANOTHER] = -41,  [ADS_WISH_NARROWER] = 77,
    [ADS_WISH_BROADER] = 36,       [ADS_WISH_BROAD] = 9,
    [ADS_WISH_PRICE] = 103,        [ADS_WISH_LONG] = -196,
    [ADS_WISH_FOREIGN] = -275,     [ADS_WISH_CLAUSE_LAST] = -65,
    [ADS_WISH_TRAILED] = -78,      [ADS_WISH_TRAILED_SHORT] = 67,
    [ADS_WISH_PIECE] = -455,       [ADS_WISH_HINTED] = -558,
    [ADS_WISH_HINT_SOME] = -159,   [ADS_WISH_HINT_MORE] = 72,
    [ADS_WISH_HINT_MUCH] = 189,    [ADS_WISH_HINT_MOST] = 126,
    [ADS_WISH_HINT_TOP] = 106,     [ADS_WISH_HINT_LEAD] = 126,
    [ADS_WISH_HINT_FEW] = -97,     [ADS_WISH_PLAIN] = 165,
    [ADS_WISH_HINTS_ALL] = 95,     [ADS_WISH_HINTS_AHEAD] = 150,
};

#endif
