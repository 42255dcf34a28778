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
            [ADS_FIT_ANY] = -598,           [ADS_FIT_WISHED] = 49,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -35,
            [ADS_FIT_HINTS] = 56,           [ADS_FIT_SURE] = 84,
            [ADS_FIT_COVERED] = -158,       [ADS_FIT_TITLED] = 284,
            [ADS_FIT_LEADS] = 225,          [ADS_FIT_LEADS_KIND] = 296,
            [ADS_FIT_LOST] = -633,          [ADS_FIT_NO_MODEL] = -742,
            [ADS_FIT_MEASURE_ELSE] = -1013, [ADS_FIT_NO_MEASURE] = -193,
            [ADS_FIT_NO_QUALITY] = -45,     [ADS_FIT_NO_BRAND] = -260,
            [ADS_FIT_NAMED] = -76,          [ADS_FIT_NAMELESS] = -12,
            [ADS_FIT_NO_NAME] = 13,         [ADS_FIT_HAS_HEAD] = 203,
            [ADS_FIT_NO_HEAD] = 143,        [ADS_FIT_HEADED] = 3,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -522,           [ADS_FIT_WISHED] = 64,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -19,
            [ADS_FIT_HINTS] = 139,          [ADS_FIT_SURE] = -27,
            [ADS_FIT_COVERED] = 222,        [ADS_FIT_TITLED] = 293,
            [ADS_FIT_LEADS] = 205,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1022, [ADS_FIT_NO_MEASURE] = -209,
            [ADS_FIT_NO_QUALITY] = -111,    [ADS_FIT_NO_BRAND] = -292,
            [ADS_FIT_NAMED] = 225,          [ADS_FIT_NAMELESS] = -164,
            [ADS_FIT_NO_NAME] = -125,       [ADS_FIT_HAS_HEAD] = 99,
            [ADS_FIT_NO_HEAD] = 21,         [ADS_FIT_HEADED] = 28,
            [ADS_FIT_IS_BROADER] = 72,      [ADS_FIT_IS_SIBLING] = -131,
            [ADS_FIT_IS_UNKNOWN] = 79,      [ADS_FIT_BELONGING] = -503,
            [ADS_FIT_NO_OTHER] = -124,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -135,
            [ADS_FIT_WISHED] = 23,
            [ADS_FIT_REFUSED] = -1280,
            [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 27,
            [ADS_FIT_SURE] = -67,
            [ADS_FIT_COVERED] = 149,
            [ADS_FIT_TITLED] = 153,
            [ADS_FIT_LEADS] = 144,
            [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,
            [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1023,
            [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -74,
            [ADS_FIT_NO_BRAND] = -303,
            [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 55,
            [ADS_FIT_NO_HEAD] = -67,
            [ADS_FIT_HEADED] = 31,
            [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
