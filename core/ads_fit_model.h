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
            [ADS_FIT_ANY] = -681,        [ADS_FIT_WISHED] = 47,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -86,
            [ADS_FIT_HINTS] = 45,        [ADS_FIT_SURE] = 96,
            [ADS_FIT_COVERED] = -15,     [ADS_FIT_TITLED] = 126,
            [ADS_FIT_LEADS] = 261,       [ADS_FIT_LEADS_KIND] = 155,
            [ADS_FIT_LOST] = -635,       [ADS_FIT_LONGER] = -641,
            [ADS_FIT_NO_MODEL] = -743,   [ADS_FIT_MEASURE_ELSE] = -1010,
            [ADS_FIT_NO_MEASURE] = -197, [ADS_FIT_NO_QUALITY] = 143,
            [ADS_FIT_NO_BRAND] = -248,   [ADS_FIT_UNWANTED] = -1023,
            [ADS_FIT_LACKS] = -271,      [ADS_FIT_NAMED] = 193,
            [ADS_FIT_NAMELESS] = 298,    [ADS_FIT_NO_NAME] = 70,
            [ADS_FIT_HAS_HEAD] = 136,    [ADS_FIT_NO_HEAD] = 80,
            [ADS_FIT_HEADED] = 34,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -746,        [ADS_FIT_WISHED] = 89,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -149,
            [ADS_FIT_HINTS] = 187,       [ADS_FIT_SURE] = -72,
            [ADS_FIT_COVERED] = 229,     [ADS_FIT_TITLED] = 180,
            [ADS_FIT_LEADS] = 241,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,       [ADS_FIT_LONGER] = -638,
            [ADS_FIT_NO_MODEL] = -765,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -208, [ADS_FIT_NO_QUALITY] = -59,
            [ADS_FIT_NO_BRAND] = -289,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -303,      [ADS_FIT_NAMED] = 433,
            [ADS_FIT_NAMELESS] = 299,    [ADS_FIT_NO_NAME] = 56,
            [ADS_FIT_HAS_HEAD] = 128,    [ADS_FIT_NO_HEAD] = 63,
            [ADS_FIT_HEADED] = 114,      [ADS_FIT_IS_BROADER] = 77,
            [ADS_FIT_IS_SIBLING] = -122, [ADS_FIT_IS_UNKNOWN] = 64,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -175,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -287,        [ADS_FIT_WISHED] = 65,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 116,       [ADS_FIT_SURE] = -41,
            [ADS_FIT_COVERED] = 138,     [ADS_FIT_TITLED] = 147,
            [ADS_FIT_LEADS] = 195,       [ADS_FIT_LEADS_KIND] = 0,
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
