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
            [ADS_FIT_ANY] = -596,          [ADS_FIT_WISHED] = 78,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = 34,
            [ADS_FIT_HINTS] = 30,          [ADS_FIT_SURE] = -25,
            [ADS_FIT_COVERED] = -35,       [ADS_FIT_TITLED] = 189,
            [ADS_FIT_LEADS] = 167,         [ADS_FIT_LEADS_KIND] = 330,
            [ADS_FIT_LOST] = -510,         [ADS_FIT_NO_MODEL] = -625,
            [ADS_FIT_MEASURE_ELSE] = -764, [ADS_FIT_NO_MEASURE] = -203,
            [ADS_FIT_NO_QUALITY] = -65,    [ADS_FIT_NO_BRAND] = -298,
            [ADS_FIT_NAMED] = -70,         [ADS_FIT_NAMELESS] = -41,
            [ADS_FIT_NO_NAME] = -31,       [ADS_FIT_HAS_HEAD] = 74,
            [ADS_FIT_NO_HEAD] = 228,       [ADS_FIT_HEADED] = 69,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -605,          [ADS_FIT_WISHED] = 57,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = -20,
            [ADS_FIT_HINTS] = 87,          [ADS_FIT_SURE] = -69,
            [ADS_FIT_COVERED] = 278,       [ADS_FIT_TITLED] = 258,
            [ADS_FIT_LEADS] = 196,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -512,         [ADS_FIT_NO_MODEL] = -634,
            [ADS_FIT_MEASURE_ELSE] = -767, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -100,   [ADS_FIT_NO_BRAND] = -304,
            [ADS_FIT_NAMED] = 154,         [ADS_FIT_NAMELESS] = -145,
            [ADS_FIT_NO_NAME] = -83,       [ADS_FIT_HAS_HEAD] = 84,
            [ADS_FIT_NO_HEAD] = 0,         [ADS_FIT_HEADED] = 19,
            [ADS_FIT_IS_BROADER] = 117,    [ADS_FIT_IS_SIBLING] = 28,
            [ADS_FIT_IS_UNKNOWN] = 30,     [ADS_FIT_BELONGING] = 15,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -347,          [ADS_FIT_WISHED] = 8,
            [ADS_FIT_REFUSED] = -1280,     [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 42,          [ADS_FIT_SURE] = -60,
            [ADS_FIT_COVERED] = 157,       [ADS_FIT_TITLED] = 160,
            [ADS_FIT_LEADS] = 164,         [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -511,         [ADS_FIT_NO_MODEL] = -639,
            [ADS_FIT_MEASURE_ELSE] = -768, [ADS_FIT_NO_MEASURE] = -205,
            [ADS_FIT_NO_QUALITY] = -26,    [ADS_FIT_NO_BRAND] = -306,
            [ADS_FIT_NAMED] = 0,           [ADS_FIT_NAMELESS] = 0,
            [ADS_FIT_NO_NAME] = 0,         [ADS_FIT_HAS_HEAD] = 78,
            [ADS_FIT_NO_HEAD] = -67,       [ADS_FIT_HEADED] = 2,
            [ADS_FIT_IS_BROADER] = 0,      [ADS_FIT_IS_SIBLING] = 0,
            [ADS_FIT_IS_UNKNOWN] = 0,      [ADS_FIT_BELONGING] = 0,
        },
};

#endif
