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
            [ADS_FIT_ANY] = -545,          [ADS_FIT_WISHED] = 71,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = 22,
            [ADS_FIT_HINTS] = 18,          [ADS_FIT_SURE] = -18,
            [ADS_FIT_COVERED] = -83,       [ADS_FIT_TITLED] = 192,
            [ADS_FIT_LEADS] = 98,          [ADS_FIT_LEADS_KIND] = 327,
            [ADS_FIT_LOST] = -510,         [ADS_FIT_NO_MODEL] = -630,
            [ADS_FIT_MEASURE_ELSE] = -765, [ADS_FIT_NO_MEASURE] = -207,
            [ADS_FIT_NO_QUALITY] = -54,    [ADS_FIT_NO_BRAND] = -297,
            [ADS_FIT_NAMED] = -52,         [ADS_FIT_NAMELESS] = 30,
            [ADS_FIT_NO_NAME] = 18,        [ADS_FIT_HAS_HEAD] = 142,
            [ADS_FIT_NO_HEAD] = 212,       [ADS_FIT_HEADED] = 98,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -454,          [ADS_FIT_WISHED] = 60,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = -61,
            [ADS_FIT_HINTS] = 67,          [ADS_FIT_SURE] = -54,
            [ADS_FIT_COVERED] = 234,       [ADS_FIT_TITLED] = 287,
            [ADS_FIT_LEADS] = 192,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -512,         [ADS_FIT_NO_MODEL] = -633,
            [ADS_FIT_MEASURE_ELSE] = -767, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -123,   [ADS_FIT_NO_BRAND] = -305,
            [ADS_FIT_NAMED] = 112,         [ADS_FIT_NAMELESS] = -119,
            [ADS_FIT_NO_NAME] = -101,      [ADS_FIT_HAS_HEAD] = 37,
            [ADS_FIT_NO_HEAD] = -8,        [ADS_FIT_HEADED] = 27,
            [ADS_FIT_IS_BROADER] = 63,     [ADS_FIT_IS_SIBLING] = -9,
            [ADS_FIT_IS_UNKNOWN] = 84,     [ADS_FIT_BELONGING] = 41,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -282,          [ADS_FIT_WISHED] = 8,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 24,          [ADS_FIT_SURE] = -70,
            [ADS_FIT_COVERED] = 154,       [ADS_FIT_TITLED] = 160,
            [ADS_FIT_LEADS] = 186,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -511,         [ADS_FIT_NO_MODEL] = -638,
            [ADS_FIT_MEASURE_ELSE] = -768, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -24,    [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 0,           [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,         [ADS_FIT_HAS_HEAD] = 81,
            [ADS_FIT_NO_HEAD] = -93,       [ADS_FIT_HEADED] = -19,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
};

#endif
