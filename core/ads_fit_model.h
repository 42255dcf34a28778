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
            [ADS_FIT_ANY] = -566,          [ADS_FIT_WISHED] = 75,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = -29,
            [ADS_FIT_HINTS] = 26,          [ADS_FIT_SURE] = -13,
            [ADS_FIT_COVERED] = -45,       [ADS_FIT_TITLED] = 179,
            [ADS_FIT_LEADS] = 138,         [ADS_FIT_LEADS_KIND] = 350,
            [ADS_FIT_LOST] = -510,         [ADS_FIT_NO_MODEL] = -632,
            [ADS_FIT_MEASURE_ELSE] = -764, [ADS_FIT_NO_MEASURE] = -208,
            [ADS_FIT_NO_QUALITY] = -73,    [ADS_FIT_NO_BRAND] = -296,
            [ADS_FIT_NAMED] = -67,         [ADS_FIT_NAMELESS] = -16,
            [ADS_FIT_NO_NAME] = -35,       [ADS_FIT_HAS_HEAD] = 80,
            [ADS_FIT_NO_HEAD] = 225,       [ADS_FIT_HEADED] = 69,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -701,          [ADS_FIT_WISHED] = 30,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = -39,
            [ADS_FIT_HINTS] = 75,          [ADS_FIT_SURE] = -49,
            [ADS_FIT_COVERED] = 271,       [ADS_FIT_TITLED] = 259,
            [ADS_FIT_LEADS] = 192,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -512,         [ADS_FIT_NO_MODEL] = -635,
            [ADS_FIT_MEASURE_ELSE] = -767, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -92,    [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 144,         [ADS_FIT_NAMELESS] = -134,
            [ADS_FIT_NO_NAME] = -78,       [ADS_FIT_HAS_HEAD] = 90,
            [ADS_FIT_NO_HEAD] = -6,        [ADS_FIT_HEADED] = 23,
            [ADS_FIT_IS_BROADER] = 111,    [ADS_FIT_IS_SIBLING] = 15,
            [ADS_FIT_IS_UNKNOWN] = 180,    [ADS_FIT_BELONGING] = -8,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -309,          [ADS_FIT_WISHED] = -5,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 2,           [ADS_FIT_SURE] = -65,
            [ADS_FIT_COVERED] = 163,       [ADS_FIT_TITLED] = 168,
            [ADS_FIT_LEADS] = 167,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -511,         [ADS_FIT_NO_MODEL] = -639,
            [ADS_FIT_MEASURE_ELSE] = -767, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -41,    [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 0,           [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,         [ADS_FIT_HAS_HEAD] = 71,
            [ADS_FIT_NO_HEAD] = -81,       [ADS_FIT_HEADED] = 11,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
};

#endif
