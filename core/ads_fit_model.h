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
            [ADS_FIT_ANY] = -818,           [ADS_FIT_WISHED] = 51,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -84,
            [ADS_FIT_HINTS] = 54,           [ADS_FIT_SURE] = 83,
            [ADS_FIT_COVERED] = -177,       [ADS_FIT_TITLED] = 337,
            [ADS_FIT_LEADS] = 203,          [ADS_FIT_LEADS_KIND] = 292,
            [ADS_FIT_LOST] = -634,          [ADS_FIT_NO_MODEL] = -742,
            [ADS_FIT_MEASURE_ELSE] = -1013, [ADS_FIT_NO_MEASURE] = -193,
            [ADS_FIT_NO_QUALITY] = -44,     [ADS_FIT_NO_BRAND] = -260,
            [ADS_FIT_NAMED] = 110,          [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 143,        [ADS_FIT_HAS_HEAD] = 229,
            [ADS_FIT_NO_HEAD] = 155,        [ADS_FIT_HEADED] = 13,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -827,           [ADS_FIT_WISHED] = 57,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -150,
            [ADS_FIT_HINTS] = 135,          [ADS_FIT_SURE] = -24,
            [ADS_FIT_COVERED] = 233,        [ADS_FIT_TITLED] = 305,
            [ADS_FIT_LEADS] = 186,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1022, [ADS_FIT_NO_MEASURE] = -209,
            [ADS_FIT_NO_QUALITY] = -109,    [ADS_FIT_NO_BRAND] = -292,
            [ADS_FIT_NAMED] = 440,          [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 38,         [ADS_FIT_HAS_HEAD] = 109,
            [ADS_FIT_NO_HEAD] = 32,         [ADS_FIT_HEADED] = 42,
            [ADS_FIT_IS_BROADER] = 66,      [ADS_FIT_IS_SIBLING] = -132,
            [ADS_FIT_IS_UNKNOWN] = 79,      [ADS_FIT_BELONGING] = -503,
            [ADS_FIT_NO_OTHER] = -139,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -443,
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
            [ADS_FIT_NAMELESS] = 307,
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
