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
            [ADS_FIT_ANY] = -708,        [ADS_FIT_WISHED] = 42,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -126,
            [ADS_FIT_HINTS] = 46,        [ADS_FIT_SURE] = 105,
            [ADS_FIT_COVERED] = -17,     [ADS_FIT_TITLED] = 127,
            [ADS_FIT_LEADS] = 216,       [ADS_FIT_LEADS_KIND] = 154,
            [ADS_FIT_LOST] = -634,       [ADS_FIT_LONGER] = -641,
            [ADS_FIT_NO_MODEL] = -742,   [ADS_FIT_MEASURE_ELSE] = -1013,
            [ADS_FIT_NO_MEASURE] = -193, [ADS_FIT_NO_QUALITY] = 106,
            [ADS_FIT_NO_BRAND] = -244,   [ADS_FIT_UNWANTED] = -1023,
            [ADS_FIT_LACKS] = -267,      [ADS_FIT_NAMED] = 216,
            [ADS_FIT_NAMELESS] = 298,    [ADS_FIT_NO_NAME] = 80,
            [ADS_FIT_HAS_HEAD] = 180,    [ADS_FIT_NO_HEAD] = 112,
            [ADS_FIT_HEADED] = 39,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -734,        [ADS_FIT_WISHED] = 90,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -136,
            [ADS_FIT_HINTS] = 181,       [ADS_FIT_SURE] = -92,
            [ADS_FIT_COVERED] = 239,     [ADS_FIT_TITLED] = 161,
            [ADS_FIT_LEADS] = 236,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,       [ADS_FIT_LONGER] = -638,
            [ADS_FIT_NO_MODEL] = -766,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -208, [ADS_FIT_NO_QUALITY] = -64,
            [ADS_FIT_NO_BRAND] = -290,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -303,      [ADS_FIT_NAMED] = 426,
            [ADS_FIT_NAMELESS] = 300,    [ADS_FIT_NO_NAME] = 56,
            [ADS_FIT_HAS_HEAD] = 125,    [ADS_FIT_NO_HEAD] = 58,
            [ADS_FIT_HEADED] = 111,      [ADS_FIT_IS_BROADER] = 92,
            [ADS_FIT_IS_SIBLING] = -122, [ADS_FIT_IS_UNKNOWN] = 56,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -147,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -283,        [ADS_FIT_WISHED] = 66,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 114,       [ADS_FIT_SURE] = -47,
            [ADS_FIT_COVERED] = 138,     [ADS_FIT_TITLED] = 147,
            [ADS_FIT_LEADS] = 194,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,       [ADS_FIT_LONGER] = -640,
            [ADS_FIT_NO_MODEL] = -763,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204, [ADS_FIT_NO_QUALITY] = -118,
            [ADS_FIT_NO_BRAND] = -307,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -307,      [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 100,    [ADS_FIT_NO_HEAD] = -14,
            [ADS_FIT_HEADED] = 36,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
