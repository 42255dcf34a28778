/*
 * The model that says how likely a hit is a good answer: for each class of hits
 * a weight for each feature of core/ads_fit.h, 256 is one nat.  Made by
 * tools/fit_train from judged requests; do not edit.
 */
#ifndef ADS_FIT_MODEL_H
#define ADS_FIT_MODEL_H

#include "ads_fit.h"

static const int16_t ads_fit_model[ADS_FIT_CLASSES][ADS_FIT_FEATURES] = {
    [ADS_FIT_OF_KIND] =
        {
            [ADS_FIT_ANY] = -944,        [ADS_FIT_WISHED] = 25,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -35,
            [ADS_FIT_HINTS] = 78,        [ADS_FIT_SURE] = 88,
            [ADS_FIT_COVERED] = 54,      [ADS_FIT_TITLED] = 188,
            [ADS_FIT_SHORT] = 141,       [ADS_FIT_LEADS] = 212,
            [ADS_FIT_LEADS_KIND] = 195,  [ADS_FIT_AGREED] = 91,
            [ADS_FIT_STRONG] = -87,      [ADS_FIT_LOST] = -638,
            [ADS_FIT_LONGER] = -642,     [ADS_FIT_MODEL_ELSE] = -1012,
            [ADS_FIT_NO_MODEL] = -369,   [ADS_FIT_MEASURE_ELSE] = -1016,
            [ADS_FIT_NO_MEASURE] = -193, [ADS_FIT_NO_QUALITY] = 55,
            [ADS_FIT_NO_BRAND] = -225,   [ADS_FIT_UNWANTED] = -1022,
            [ADS_FIT_LACKS] = -264,      [ADS_FIT_NAMED] = 168,
            [ADS_FIT_NAMELESS] = 294,    [ADS_FIT_NO_NAME] = 79,
            [ADS_FIT_HAS_HEAD] = 168,    [ADS_FIT_NO_HEAD] = 113,
            [ADS_FIT_HEADED] = 66,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -984,        [ADS_FIT_WISHED] = 73,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -97,
            [ADS_FIT_HINTS] = 239,       [ADS_FIT_SURE] = -81,
            [ADS_FIT_COVERED] = 120,     [ADS_FIT_TITLED] = 154,
            [ADS_FIT_SHORT] = 257,       [ADS_FIT_LEADS] = 187,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 137,
            [ADS_FIT_STRONG] = 199,      [ADS_FIT_LOST] = -640,
            [ADS_FIT_LONGER] = -638,     [ADS_FIT_MODEL_ELSE] = -1023,
            [ADS_FIT_NO_MODEL] = -383,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -209, [ADS_FIT_NO_QUALITY] = -15,
            [ADS_FIT_NO_BRAND] = -285,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -304,      [ADS_FIT_NAMED] = 479,
            [ADS_FIT_NAMELESS] = 299,    [ADS_FIT_NO_NAME] = 54,
            [ADS_FIT_HAS_HEAD] = 136,    [ADS_FIT_NO_HEAD] = 42,
            [ADS_FIT_HEADED] = 70,       [ADS_FIT_IS_BROADER] = -15,
            [ADS_FIT_IS_SIBLING] = -125, [ADS_FIT_IS_UNKNOWN] = 57,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -86,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -633,        [ADS_FIT_WISHED] = 35,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 151,       [ADS_FIT_SURE] = -44,
            [ADS_FIT_COVERED] = 114,     [ADS_FIT_TITLED] = 134,
            [ADS_FIT_SHORT] = 56,        [ADS_FIT_LEADS] = 257,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 92,
            [ADS_FIT_STRONG] = 90,       [ADS_FIT_LOST] = -639,
            [ADS_FIT_LONGER] = -640,     [ADS_FIT_MODEL_ELSE] = -1022,
            [ADS_FIT_NO_MODEL] = -384,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -205, [ADS_FIT_NO_QUALITY] = -108,
            [ADS_FIT_NO_BRAND] = -302,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -307,      [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 89,     [ADS_FIT_NO_HEAD] = -22,
            [ADS_FIT_HEADED] = 15,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
