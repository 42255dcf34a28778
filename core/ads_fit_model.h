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
            [ADS_FIT_ANY] = -551,          [ADS_FIT_WISHED] = 74,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = -13,
            [ADS_FIT_HINTS] = 27,          [ADS_FIT_SURE] = -20,
            [ADS_FIT_COVERED] = -79,       [ADS_FIT_TITLED] = 192,
            [ADS_FIT_LEADS] = 142,         [ADS_FIT_LEADS_KIND] = 346,
            [ADS_FIT_LOST] = -510,         [ADS_FIT_NO_MODEL] = -631,
            [ADS_FIT_MEASURE_ELSE] = -764, [ADS_FIT_NO_MEASURE] = -207,
            [ADS_FIT_NO_QUALITY] = -62,    [ADS_FIT_NO_BRAND] = -296,
            [ADS_FIT_NAMED] = -81,         [ADS_FIT_NAMELESS] = -1,
            [ADS_FIT_NO_NAME] = -40,       [ADS_FIT_HAS_HEAD] = 83,
            [ADS_FIT_NO_HEAD] = 210,       [ADS_FIT_HEADED] = 86,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -709,          [ADS_FIT_WISHED] = 28,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = -41,
            [ADS_FIT_HINTS] = 77,          [ADS_FIT_SURE] = -47,
            [ADS_FIT_COVERED] = 260,       [ADS_FIT_TITLED] = 261,
            [ADS_FIT_LEADS] = 201,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -512,         [ADS_FIT_NO_MODEL] = -634,
            [ADS_FIT_MEASURE_ELSE] = -767, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -103,   [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 146,         [ADS_FIT_NAMELESS] = -134,
            [ADS_FIT_NO_NAME] = -81,       [ADS_FIT_HAS_HEAD] = 81,
            [ADS_FIT_NO_HEAD] = 7,         [ADS_FIT_HEADED] = 34,
            [ADS_FIT_IS_BROADER] = 112,    [ADS_FIT_IS_SIBLING] = 19,
            [ADS_FIT_IS_UNKNOWN] = 182,    [ADS_FIT_BELONGING] = -7,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -309,          [ADS_FIT_WISHED] = -5,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 2,           [ADS_FIT_SURE] = -64,
            [ADS_FIT_COVERED] = 161,       [ADS_FIT_TITLED] = 170,
            [ADS_FIT_LEADS] = 167,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -511,         [ADS_FIT_NO_MODEL] = -639,
            [ADS_FIT_MEASURE_ELSE] = -767, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -40,    [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 0,           [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,         [ADS_FIT_HAS_HEAD] = 72,
            [ADS_FIT_NO_HEAD] = -82,       [ADS_FIT_HEADED] = 11,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
};

#endif
