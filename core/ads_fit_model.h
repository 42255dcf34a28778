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
            [ADS_FIT_ANY] = -685,        [ADS_FIT_WISHED] = 47,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -82,
            [ADS_FIT_HINTS] = 43,        [ADS_FIT_SURE] = 97,
            [ADS_FIT_COVERED] = -8,      [ADS_FIT_TITLED] = 119,
            [ADS_FIT_LEADS] = 271,       [ADS_FIT_LEADS_KIND] = 147,
            [ADS_FIT_LOST] = -635,       [ADS_FIT_LONGER] = -641,
            [ADS_FIT_NO_MODEL] = -743,   [ADS_FIT_MEASURE_ELSE] = -1010,
            [ADS_FIT_NO_MEASURE] = -197, [ADS_FIT_NO_QUALITY] = 144,
            [ADS_FIT_NO_BRAND] = -248,   [ADS_FIT_LACKS] = -271,
            [ADS_FIT_NAMED] = 196,       [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 72,      [ADS_FIT_HAS_HEAD] = 134,
            [ADS_FIT_NO_HEAD] = 83,      [ADS_FIT_HEADED] = 35,
            [ADS_FIT_IS_BROADER] = 0,    [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,    [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -748,        [ADS_FIT_WISHED] = 89,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -147,
            [ADS_FIT_HINTS] = 186,       [ADS_FIT_SURE] = -72,
            [ADS_FIT_COVERED] = 230,     [ADS_FIT_TITLED] = 189,
            [ADS_FIT_LEADS] = 241,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,       [ADS_FIT_LONGER] = -638,
            [ADS_FIT_NO_MODEL] = -765,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -208, [ADS_FIT_NO_QUALITY] = -62,
            [ADS_FIT_NO_BRAND] = -289,   [ADS_FIT_LACKS] = -303,
            [ADS_FIT_NAMED] = 431,       [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 57,      [ADS_FIT_HAS_HEAD] = 129,
            [ADS_FIT_NO_HEAD] = 62,      [ADS_FIT_HEADED] = 112,
            [ADS_FIT_IS_BROADER] = 78,   [ADS_FIT_IS_SIBLING] = -122,
            [ADS_FIT_IS_UNKNOWN] = 62,   [ADS_FIT_BELONGING] = -503,
            [ADS_FIT_NO_OTHER] = -175,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -281,        [ADS_FIT_WISHED] = 68,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 110,       [ADS_FIT_SURE] = -42,
            [ADS_FIT_COVERED] = 140,     [ADS_FIT_TITLED] = 150,
            [ADS_FIT_LEADS] = 194,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,       [ADS_FIT_LONGER] = -640,
            [ADS_FIT_NO_MODEL] = -763,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204, [ADS_FIT_NO_QUALITY] = -104,
            [ADS_FIT_NO_BRAND] = -306,   [ADS_FIT_LACKS] = -307,
            [ADS_FIT_NAMED] = 0,         [ADS_FIT_NAMELESS] = 307,
            [ADS_FIT_NO_NAME] = 0,       [ADS_FIT_HAS_HEAD] = 98,
            [ADS_FIT_NO_HEAD] = -13,     [ADS_FIT_HEADED] = 39,
            [ADS_FIT_IS_BROADER] = 0,    [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,    [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
