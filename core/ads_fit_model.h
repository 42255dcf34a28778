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
            [ADS_FIT_ANY] = -733,        [ADS_FIT_WISHED] = 45,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -68,
            [ADS_FIT_HINTS] = 35,        [ADS_FIT_SURE] = 93,
            [ADS_FIT_COVERED] = -68,     [ADS_FIT_TITLED] = 138,
            [ADS_FIT_LEADS] = 299,       [ADS_FIT_LEADS_KIND] = 236,
            [ADS_FIT_LOST] = -635,       [ADS_FIT_LONGER] = -641,
            [ADS_FIT_NO_MODEL] = -743,   [ADS_FIT_MEASURE_ELSE] = -1012,
            [ADS_FIT_NO_MEASURE] = -201, [ADS_FIT_NO_QUALITY] = -3,
            [ADS_FIT_NO_BRAND] = -262,   [ADS_FIT_NAMED] = 182,
            [ADS_FIT_NAMELESS] = 298,    [ADS_FIT_NO_NAME] = 90,
            [ADS_FIT_HAS_HEAD] = 139,    [ADS_FIT_NO_HEAD] = 98,
            [ADS_FIT_HEADED] = 25,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -732,        [ADS_FIT_WISHED] = 99,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -140,
            [ADS_FIT_HINTS] = 180,       [ADS_FIT_SURE] = -70,
            [ADS_FIT_COVERED] = 241,     [ADS_FIT_TITLED] = 197,
            [ADS_FIT_LEADS] = 239,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,       [ADS_FIT_LONGER] = -638,
            [ADS_FIT_NO_MODEL] = -766,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -209, [ADS_FIT_NO_QUALITY] = -108,
            [ADS_FIT_NO_BRAND] = -291,   [ADS_FIT_NAMED] = 419,
            [ADS_FIT_NAMELESS] = 299,    [ADS_FIT_NO_NAME] = 61,
            [ADS_FIT_HAS_HEAD] = 123,    [ADS_FIT_NO_HEAD] = 58,
            [ADS_FIT_HEADED] = 121,      [ADS_FIT_IS_BROADER] = 78,
            [ADS_FIT_IS_SIBLING] = -121, [ADS_FIT_IS_UNKNOWN] = 57,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -146,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -274,        [ADS_FIT_WISHED] = 71,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 104,       [ADS_FIT_SURE] = -43,
            [ADS_FIT_COVERED] = 138,     [ADS_FIT_TITLED] = 148,
            [ADS_FIT_LEADS] = 198,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,       [ADS_FIT_LONGER] = -640,
            [ADS_FIT_NO_MODEL] = -764,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204, [ADS_FIT_NO_QUALITY] = -97,
            [ADS_FIT_NO_BRAND] = -306,   [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 106,    [ADS_FIT_NO_HEAD] = -19,
            [ADS_FIT_HEADED] = 43,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
