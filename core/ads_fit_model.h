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
            [ADS_FIT_ANY] = -729,        [ADS_FIT_WISHED] = 28,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -104,
            [ADS_FIT_HINTS] = 59,        [ADS_FIT_SURE] = 92,
            [ADS_FIT_COVERED] = -53,     [ADS_FIT_TITLED] = 159,
            [ADS_FIT_LEADS] = 209,       [ADS_FIT_LEADS_KIND] = 152,
            [ADS_FIT_LOST] = -634,       [ADS_FIT_LONGER] = -641,
            [ADS_FIT_NO_MODEL] = -737,   [ADS_FIT_MEASURE_ELSE] = -1008,
            [ADS_FIT_NO_MEASURE] = -198, [ADS_FIT_NO_QUALITY] = 35,
            [ADS_FIT_NO_BRAND] = -225,   [ADS_FIT_UNWANTED] = -1022,
            [ADS_FIT_LACKS] = -260,      [ADS_FIT_NAMED] = 199,
            [ADS_FIT_NAMELESS] = 297,    [ADS_FIT_NO_NAME] = 80,
            [ADS_FIT_HAS_HEAD] = 218,    [ADS_FIT_NO_HEAD] = 128,
            [ADS_FIT_HEADED] = 24,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -726,        [ADS_FIT_WISHED] = 99,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -130,
            [ADS_FIT_HINTS] = 191,       [ADS_FIT_SURE] = -87,
            [ADS_FIT_COVERED] = 250,     [ADS_FIT_TITLED] = 163,
            [ADS_FIT_LEADS] = 219,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,       [ADS_FIT_LONGER] = -638,
            [ADS_FIT_NO_MODEL] = -766,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -209, [ADS_FIT_NO_QUALITY] = -70,
            [ADS_FIT_NO_BRAND] = -287,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -303,      [ADS_FIT_NAMED] = 440,
            [ADS_FIT_NAMELESS] = 299,    [ADS_FIT_NO_NAME] = 63,
            [ADS_FIT_HAS_HEAD] = 124,    [ADS_FIT_NO_HEAD] = 60,
            [ADS_FIT_HEADED] = 120,      [ADS_FIT_IS_BROADER] = 113,
            [ADS_FIT_IS_SIBLING] = -122, [ADS_FIT_IS_UNKNOWN] = 52,
            [ADS_FIT_BELONGING] = -503,  [ADS_FIT_NO_OTHER] = -166,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -390,        [ADS_FIT_WISHED] = 64,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 129,       [ADS_FIT_SURE] = -53,
            [ADS_FIT_COVERED] = 156,     [ADS_FIT_TITLED] = 173,
            [ADS_FIT_LEADS] = 274,       [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,       [ADS_FIT_LONGER] = -640,
            [ADS_FIT_NO_MODEL] = -763,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204, [ADS_FIT_NO_QUALITY] = -135,
            [ADS_FIT_NO_BRAND] = -304,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_LACKS] = -307,      [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,    [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 87,     [ADS_FIT_NO_HEAD] = -18,
            [ADS_FIT_HEADED] = 42,       [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128, [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,  [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
