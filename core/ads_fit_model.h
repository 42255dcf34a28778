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
            [ADS_FIT_ANY] = -567,           [ADS_FIT_WISHED] = 53,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -5,
            [ADS_FIT_HINTS] = 54,           [ADS_FIT_SURE] = 67,
            [ADS_FIT_COVERED] = -97,        [ADS_FIT_TITLED] = 287,
            [ADS_FIT_LEADS] = 165,          [ADS_FIT_LEADS_KIND] = 318,
            [ADS_FIT_LOST] = -633,          [ADS_FIT_NO_MODEL] = -741,
            [ADS_FIT_MEASURE_ELSE] = -1015, [ADS_FIT_NO_MEASURE] = -195,
            [ADS_FIT_NO_QUALITY] = -44,     [ADS_FIT_NO_BRAND] = -256,
            [ADS_FIT_NAMED] = -77,          [ADS_FIT_NAMELESS] = -1,
            [ADS_FIT_NO_NAME] = 23,         [ADS_FIT_HAS_HEAD] = 142,
            [ADS_FIT_NO_HEAD] = 51,         [ADS_FIT_HEADED] = 7,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -473,           [ADS_FIT_WISHED] = 83,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -49,
            [ADS_FIT_HINTS] = 173,          [ADS_FIT_SURE] = -8,
            [ADS_FIT_COVERED] = 224,        [ADS_FIT_TITLED] = 279,
            [ADS_FIT_LEADS] = 239,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1021, [ADS_FIT_NO_MEASURE] = -207,
            [ADS_FIT_NO_QUALITY] = -102,    [ADS_FIT_NO_BRAND] = -293,
            [ADS_FIT_NAMED] = 239,          [ADS_FIT_NAMELESS] = -174,
            [ADS_FIT_NO_NAME] = -113,       [ADS_FIT_HAS_HEAD] = 109,
            [ADS_FIT_NO_HEAD] = 47,         [ADS_FIT_HEADED] = 38,
            [ADS_FIT_IS_BROADER] = 59,      [ADS_FIT_IS_SIBLING] = -129,
            [ADS_FIT_IS_UNKNOWN] = 81,      [ADS_FIT_BELONGING] = -503,
            [ADS_FIT_NO_OTHER] = -119,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -109,
            [ADS_FIT_WISHED] = 47,
            [ADS_FIT_REFUSED] = -1280,
            [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 42,
            [ADS_FIT_SURE] = -84,
            [ADS_FIT_COVERED] = 152,
            [ADS_FIT_TITLED] = 160,
            [ADS_FIT_LEADS] = 194,
            [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,
            [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1023,
            [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -42,
            [ADS_FIT_NO_BRAND] = -304,
            [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 62,
            [ADS_FIT_NO_HEAD] = -46,
            [ADS_FIT_HEADED] = 24,
            [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
