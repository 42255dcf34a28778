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
            [ADS_FIT_ANY] = -937,        [ADS_FIT_WISHED] = 24,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -69,
            [ADS_FIT_HINTS] = 88,        [ADS_FIT_SURE] = 83,
            [ADS_FIT_COVERED] = 64,      [ADS_FIT_TITLED] = 180,
            [ADS_FIT_SHORT] = 149,       [ADS_FIT_LEADS] = 221,
            [ADS_FIT_LEADS_KIND] = 170,  [ADS_FIT_AGREED] = 59,
            [ADS_FIT_STRONG] = -69,      [ADS_FIT_LOST] = -638,
            [ADS_FIT_LONGER] = -642,     [ADS_FIT_MODEL_ELSE] = -1011,
            [ADS_FIT_NO_MODEL] = -370,   [ADS_FIT_MEASURE_ELSE] = -1016,
            [ADS_FIT_NO_MEASURE] = -193, [ADS_FIT_NO_QUALITY] = 62,
            [ADS_FIT_NO_BRAND] = -223,   [ADS_FIT_UNWANTED] = -1022,
            [ADS_FIT_LACKS] = -263,      [ADS_FIT_NAMED] = 153,
            [ADS_FIT_NAMELESS] = 294,    [ADS_FIT_NO_NAME] = 79,
            [ADS_FIT_HAS_HEAD] = 186,    [ADS_FIT_NO_HEAD] = 113,
            [ADS_FIT_HEADED] = 59,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -930,        [ADS_FIT_WISHED] = 78,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -108,
            [ADS_FIT_HINTS] = 237,       [ADS_FIT_SURE] = -91,
            [ADS_FIT_COVERED] = 117,     [ADS_FIT_TITLED] = 140,
            [ADS_FIT_SHORT] = 253,       [ADS_FIT_LEADS] = 173,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 138,
            [ADS_FIT_STRONG] = 208,      [ADS_FIT_LOST] = -640,
            [ADS_FIT_LONGER] = -638,     [ADS_FIT_MODEL_ELSE] = -1023,
            [ADS_FIT_NO_MODEL] = -383,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -209, [ADS_FIT_NO_QUALITY] = -21,
            [ADS_FIT_NO_BRAND] = -287,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -304,      [ADS_FIT_NAMED] = 475,
            [ADS_FIT_NAMELESS] = 299,    [ADS_FIT_NO_NAME] = 43,
            [ADS_FIT_HAS_HEAD] = 135,    [ADS_FIT_NO_HEAD] = 53,
            [ADS_FIT_HEADED] = 66,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -124, [ADS_FIT_IS_UNKNOWN] = 45,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -85,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -556,        [ADS_FIT_WISHED] = 56,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 151,       [ADS_FIT_SURE] = -52,
            [ADS_FIT_COVERED] = 132,     [ADS_FIT_TITLED] = 150,
            [ADS_FIT_SHORT] = 67,        [ADS_FIT_LEADS] = 241,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 107,
            [ADS_FIT_STRONG] = 114,      [ADS_FIT_LOST] = -639,
            [ADS_FIT_LONGER] = -640,     [ADS_FIT_MODEL_ELSE] = -1022,
            [ADS_FIT_NO_MODEL] = -384,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204, [ADS_FIT_NO_QUALITY] = -96,
            [ADS_FIT_NO_BRAND] = -302,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -307,      [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 76,     [ADS_FIT_NO_HEAD] = -8,
            [ADS_FIT_HEADED] = 27,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
