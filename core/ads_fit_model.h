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
            [ADS_FIT_ANY] = -734,           [ADS_FIT_WISHED] = 48,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -76,
            [ADS_FIT_HINTS] = 35,           [ADS_FIT_SURE] = 90,
            [ADS_FIT_COVERED] = -63,        [ADS_FIT_TITLED] = 132,
            [ADS_FIT_LEADS] = 295,          [ADS_FIT_LEADS_KIND] = 233,
            [ADS_FIT_LOST] = -634,          [ADS_FIT_NO_MODEL] = -743,
            [ADS_FIT_MEASURE_ELSE] = -1012, [ADS_FIT_NO_MEASURE] = -200,
            [ADS_FIT_NO_QUALITY] = 0,       [ADS_FIT_NO_BRAND] = -262,
            [ADS_FIT_NAMED] = 187,          [ADS_FIT_NAMELESS] = 298,
            [ADS_FIT_NO_NAME] = 92,         [ADS_FIT_HAS_HEAD] = 132,
            [ADS_FIT_NO_HEAD] = 95,         [ADS_FIT_HEADED] = 22,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -714,           [ADS_FIT_WISHED] = 102,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -141,
            [ADS_FIT_HINTS] = 175,          [ADS_FIT_SURE] = -72,
            [ADS_FIT_COVERED] = 242,        [ADS_FIT_TITLED] = 196,
            [ADS_FIT_LEADS] = 237,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -766,
            [ADS_FIT_MEASURE_ELSE] = -1022, [ADS_FIT_NO_MEASURE] = -209,
            [ADS_FIT_NO_QUALITY] = -107,    [ADS_FIT_NO_BRAND] = -291,
            [ADS_FIT_NAMED] = 417,          [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 62,         [ADS_FIT_HAS_HEAD] = 123,
            [ADS_FIT_NO_HEAD] = 55,         [ADS_FIT_HEADED] = 118,
            [ADS_FIT_IS_BROADER] = 75,      [ADS_FIT_IS_SIBLING] = -121,
            [ADS_FIT_IS_UNKNOWN] = 57,      [ADS_FIT_BELONGING] = -503,
            [ADS_FIT_NO_OTHER] = -146,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -258,
            [ADS_FIT_WISHED] = 75,
            [ADS_FIT_REFUSED] = -1280,
            [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 95,
            [ADS_FIT_SURE] = -46,
            [ADS_FIT_COVERED] = 140,
            [ADS_FIT_TITLED] = 149,
            [ADS_FIT_LEADS] = 200,
            [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,
            [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204,
            [ADS_FIT_NO_QUALITY] = -97,
            [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,
            [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 101,
            [ADS_FIT_NO_HEAD] = -16,
            [ADS_FIT_HEADED] = 45,
            [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
