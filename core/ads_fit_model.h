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
            [ADS_FIT_ANY] = -744,        [ADS_FIT_WISHED] = 44,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -71,
            [ADS_FIT_HINTS] = 36,        [ADS_FIT_SURE] = 92,
            [ADS_FIT_COVERED] = -63,     [ADS_FIT_TITLED] = 140,
            [ADS_FIT_LEADS] = 303,       [ADS_FIT_LEADS_KIND] = 238,
            [ADS_FIT_LOST] = -634,       [ADS_FIT_LONGER] = -641,
            [ADS_FIT_NO_MODEL] = -744,   [ADS_FIT_MEASURE_ELSE] = -1012,
            [ADS_FIT_NO_MEASURE] = -200, [ADS_FIT_NO_QUALITY] = 0,
            [ADS_FIT_NO_BRAND] = -260,   [ADS_FIT_NAMED] = 182,
            [ADS_FIT_NAMELESS] = 298,    [ADS_FIT_NO_NAME] = 94,
            [ADS_FIT_HAS_HEAD] = 139,    [ADS_FIT_NO_HEAD] = 96,
            [ADS_FIT_HEADED] = 23,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -745,        [ADS_FIT_WISHED] = 94,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -139,
            [ADS_FIT_HINTS] = 182,       [ADS_FIT_SURE] = -70,
            [ADS_FIT_COVERED] = 227,     [ADS_FIT_TITLED] = 198,
            [ADS_FIT_LEADS] = 259,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,       [ADS_FIT_LONGER] = -638,
            [ADS_FIT_NO_MODEL] = -766,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -209, [ADS_FIT_NO_QUALITY] = -102,
            [ADS_FIT_NO_BRAND] = -291,   [ADS_FIT_NAMED] = 419,
            [ADS_FIT_NAMELESS] = 299,    [ADS_FIT_NO_NAME] = 60,
            [ADS_FIT_HAS_HEAD] = 127,    [ADS_FIT_NO_HEAD] = 59,
            [ADS_FIT_HEADED] = 108,      [ADS_FIT_IS_BROADER] = 73,
            [ADS_FIT_IS_SIBLING] = -122, [ADS_FIT_IS_UNKNOWN] = 64,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -158,
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
            [ADS_FIT_NO_BRAND] = -306,   [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 98,     [ADS_FIT_NO_HEAD] = -13,
            [ADS_FIT_HEADED] = 39,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
