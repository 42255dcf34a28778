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
            [ADS_FIT_ANY] = -540,           [ADS_FIT_WISHED] = 56,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -13,
            [ADS_FIT_HINTS] = 57,           [ADS_FIT_SURE] = 66,
            [ADS_FIT_COVERED] = -155,       [ADS_FIT_TITLED] = 300,
            [ADS_FIT_LEADS] = 191,          [ADS_FIT_LEADS_KIND] = 270,
            [ADS_FIT_LOST] = -633,          [ADS_FIT_NO_MODEL] = -743,
            [ADS_FIT_MEASURE_ELSE] = -1016, [ADS_FIT_NO_MEASURE] = -204,
            [ADS_FIT_NO_QUALITY] = -67,     [ADS_FIT_NO_BRAND] = -246,
            [ADS_FIT_NAMED] = -91,          [ADS_FIT_NAMELESS] = 36,
            [ADS_FIT_NO_NAME] = 7,          [ADS_FIT_HAS_HEAD] = 177,
            [ADS_FIT_NO_HEAD] = 77,         [ADS_FIT_HEADED] = 16,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -266,           [ADS_FIT_WISHED] = 111,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -51,
            [ADS_FIT_HINTS] = 136,          [ADS_FIT_SURE] = -18,
            [ADS_FIT_COVERED] = 238,        [ADS_FIT_TITLED] = 283,
            [ADS_FIT_LEADS] = 242,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -761,
            [ADS_FIT_MEASURE_ELSE] = -1021, [ADS_FIT_NO_MEASURE] = -206,
            [ADS_FIT_NO_QUALITY] = -110,    [ADS_FIT_NO_BRAND] = -294,
            [ADS_FIT_NAMED] = 215,          [ADS_FIT_NAMELESS] = -180,
            [ADS_FIT_NO_NAME] = -121,       [ADS_FIT_HAS_HEAD] = 75,
            [ADS_FIT_NO_HEAD] = 37,         [ADS_FIT_HEADED] = 17,
            [ADS_FIT_IS_BROADER] = 29,      [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 72,      [ADS_FIT_BELONGING] = -503,
            [ADS_FIT_NO_OTHER] = -143,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -250,
            [ADS_FIT_WISHED] = 11,
            [ADS_FIT_REFUSED] = -1280,
            [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 67,
            [ADS_FIT_SURE] = -88,
            [ADS_FIT_COVERED] = 134,
            [ADS_FIT_TITLED] = 148,
            [ADS_FIT_LEADS] = 202,
            [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,
            [ADS_FIT_NO_MODEL] = -761,
            [ADS_FIT_MEASURE_ELSE] = -1023,
            [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -47,
            [ADS_FIT_NO_BRAND] = -303,
            [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 61,
            [ADS_FIT_NO_HEAD] = -71,
            [ADS_FIT_HEADED] = 17,
            [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
