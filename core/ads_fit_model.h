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
            [ADS_FIT_ANY] = -744,           [ADS_FIT_WISHED] = 43,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -110,
            [ADS_FIT_HINTS] = 56,           [ADS_FIT_SURE] = 75,
            [ADS_FIT_COVERED] = -80,        [ADS_FIT_TITLED] = 216,
            [ADS_FIT_LEADS] = 220,          [ADS_FIT_LEADS_KIND] = 245,
            [ADS_FIT_LOST] = -634,          [ADS_FIT_NO_MODEL] = -742,
            [ADS_FIT_MEASURE_ELSE] = -1013, [ADS_FIT_NO_MEASURE] = -195,
            [ADS_FIT_NO_QUALITY] = -21,     [ADS_FIT_NO_BRAND] = -259,
            [ADS_FIT_NAMED] = 166,          [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 68,         [ADS_FIT_HAS_HEAD] = 170,
            [ADS_FIT_NO_HEAD] = 99,         [ADS_FIT_HEADED] = 25,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -878,           [ADS_FIT_WISHED] = 63,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -139,
            [ADS_FIT_HINTS] = 168,          [ADS_FIT_SURE] = -29,
            [ADS_FIT_COVERED] = 268,        [ADS_FIT_TITLED] = 270,
            [ADS_FIT_LEADS] = 231,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -765,
            [ADS_FIT_MEASURE_ELSE] = -1022, [ADS_FIT_NO_MEASURE] = -210,
            [ADS_FIT_NO_QUALITY] = -83,     [ADS_FIT_NO_BRAND] = -288,
            [ADS_FIT_NAMED] = 466,          [ADS_FIT_NAMELESS] = 299,
            [ADS_FIT_NO_NAME] = 71,         [ADS_FIT_HAS_HEAD] = 140,
            [ADS_FIT_NO_HEAD] = 64,         [ADS_FIT_HEADED] = 21,
            [ADS_FIT_IS_BROADER] = 89,      [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 91,      [ADS_FIT_BELONGING] = -504,
            [ADS_FIT_NO_OTHER] = -167,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -397,
            [ADS_FIT_WISHED] = 20,
            [ADS_FIT_REFUSED] = -1280,
            [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 106,
            [ADS_FIT_SURE] = -73,
            [ADS_FIT_COVERED] = 101,
            [ADS_FIT_TITLED] = 113,
            [ADS_FIT_LEADS] = 195,
            [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,
            [ADS_FIT_NO_MODEL] = -764,
            [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -79,
            [ADS_FIT_NO_BRAND] = -308,
            [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,
            [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 35,
            [ADS_FIT_NO_HEAD] = -45,
            [ADS_FIT_HEADED] = 23,
            [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
