/*
 * The model that says how likely a hit is a good answer: for each class of hits
 * a weight for each feature of core/ads_fit.h, 256 is one nat.  Made by
 * tools/fit_train from labelled requests; do not edit.
 */
#ifndef ADS_FIT_MODEL_H
#define ADS_FIT_MODEL_H

#include "ads_fit.h"

static const int16_t ads_fit_model[ADS_FIT_CLASSES][ADS_FIT_FEATURES] = {
    [ADS_FIT_OF_KIND] =
        {
            [ADS_FIT_ANY] = -888,        [ADS_FIT_WISHED] = 20,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -72,
            [ADS_FIT_HINTS] = 69,        [ADS_FIT_SURE] = 87,
            [ADS_FIT_COVERED] = 63,      [ADS_FIT_TITLED] = 176,
            [ADS_FIT_SHORT] = 112,       [ADS_FIT_LEADS] = 208,
            [ADS_FIT_LEADS_KIND] = 190,  [ADS_FIT_AGREED] = 101,
            [ADS_FIT_STRONG] = -104,     [ADS_FIT_LOST] = -638,
            [ADS_FIT_LONGER] = -642,     [ADS_FIT_MODEL_ELSE] = -1011,
            [ADS_FIT_NO_MODEL] = -370,   [ADS_FIT_MEASURE_ELSE] = -1016,
            [ADS_FIT_NO_MEASURE] = -200, [ADS_FIT_NO_QUALITY] = 49,
            [ADS_FIT_NO_BRAND] = -222,   [ADS_FIT_UNWANTED] = -1022,
            [ADS_FIT_LACKS] = -265,      [ADS_FIT_NAMED] = 156,
            [ADS_FIT_NAMELESS] = 294,    [ADS_FIT_NO_NAME] = 68,
            [ADS_FIT_HAS_HEAD] = 174,    [ADS_FIT_NO_HEAD] = 117,
            [ADS_FIT_HEADED] = 69,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -912,        [ADS_FIT_WISHED] = 80,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -114,
            [ADS_FIT_HINTS] = 239,       [ADS_FIT_SURE] = -88,
            [ADS_FIT_COVERED] = 112,     [ADS_FIT_TITLED] = 177,
            [ADS_FIT_SHORT] = 253,       [ADS_FIT_LEADS] = 178,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 121,
            [ADS_FIT_STRONG] = 183,      [ADS_FIT_LOST] = -640,
            [ADS_FIT_LONGER] = -639,     [ADS_FIT_MODEL_ELSE] = -1022,
            [ADS_FIT_NO_MODEL] = -383,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -208, [ADS_FIT_NO_QUALITY] = -15,
            [ADS_FIT_NO_BRAND] = -287,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -305,      [ADS_FIT_NAMED] = 455,
            [ADS_FIT_NAMELESS] = 300,    [ADS_FIT_NO_NAME] = 43,
            [ADS_FIT_HAS_HEAD] = 126,    [ADS_FIT_NO_HEAD] = 40,
            [ADS_FIT_HEADED] = 72,       [ADS_FIT_IS_BROADER] = -6,
            [ADS_FIT_IS_SIBLING] = -127, [ADS_FIT_IS_UNKNOWN] = 49,
            [ADS_FIT_BELONGING] = -504,  [ADS_FIT_NO_OTHER] = -139,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -442,        [ADS_FIT_WISHED] = 88,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 133,       [ADS_FIT_SURE] = -47,
            [ADS_FIT_COVERED] = 134,     [ADS_FIT_TITLED] = 152,
            [ADS_FIT_SHORT] = 76,        [ADS_FIT_LEADS] = 262,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 108,
            [ADS_FIT_STRONG] = 111,      [ADS_FIT_LOST] = -639,
            [ADS_FIT_LONGER] = -640,     [ADS_FIT_MODEL_ELSE] = -1022,
            [ADS_FIT_NO_MODEL] = -384,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -205, [ADS_FIT_NO_QUALITY] = -97,
            [ADS_FIT_NO_BRAND] = -300,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -307,      [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 92,     [ADS_FIT_NO_HEAD] = -25,
            [ADS_FIT_HEADED] = -4,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
