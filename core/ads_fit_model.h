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
            [ADS_FIT_ANY] = -795,           [ADS_FIT_WISHED] = 39,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -52,
            [ADS_FIT_HINTS] = 53,           [ADS_FIT_SURE] = 83,
            [ADS_FIT_COVERED] = -58,        [ADS_FIT_TITLED] = 234,
            [ADS_FIT_LEADS] = 212,          [ADS_FIT_LEADS_KIND] = 228,
            [ADS_FIT_LOST] = -634,          [ADS_FIT_NO_MODEL] = -741,
            [ADS_FIT_MEASURE_ELSE] = -1012, [ADS_FIT_NO_MEASURE] = -200,
            [ADS_FIT_NO_QUALITY] = -20,     [ADS_FIT_NO_BRAND] = -258,
            [ADS_FIT_NAMED] = 197,          [ADS_FIT_NAMELESS] = 297,
            [ADS_FIT_NO_NAME] = 94,         [ADS_FIT_HAS_HEAD] = 146,
            [ADS_FIT_NO_HEAD] = 96,         [ADS_FIT_HEADED] = 31,
            [ADS_FIT_IS_BROADER] = 0,       [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,       [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -746,           [ADS_FIT_WISHED] = 97,
            [ADS_FIT_REFUSED] = -1280,      [ADS_FIT_HINTED] = -155,
            [ADS_FIT_HINTS] = 184,          [ADS_FIT_SURE] = -64,
            [ADS_FIT_COVERED] = 284,        [ADS_FIT_TITLED] = 284,
            [ADS_FIT_LEADS] = 242,          [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -640,          [ADS_FIT_NO_MODEL] = -765,
            [ADS_FIT_MEASURE_ELSE] = -1022, [ADS_FIT_NO_MEASURE] = -210,
            [ADS_FIT_NO_QUALITY] = -90,     [ADS_FIT_NO_BRAND] = -291,
            [ADS_FIT_NAMED] = 437,          [ADS_FIT_NAMELESS] = 300,
            [ADS_FIT_NO_NAME] = 52,         [ADS_FIT_HAS_HEAD] = 137,
            [ADS_FIT_NO_HEAD] = 59,         [ADS_FIT_HEADED] = 45,
            [ADS_FIT_IS_BROADER] = 46,      [ADS_FIT_IS_SIBLING] = -121,
            [ADS_FIT_IS_UNKNOWN] = 60,      [ADS_FIT_BELONGING] = -504,
            [ADS_FIT_NO_OTHER] = -122,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -291,
            [ADS_FIT_WISHED] = 67,
            [ADS_FIT_REFUSED] = -1280,
            [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 118,
            [ADS_FIT_SURE] = -54,
            [ADS_FIT_COVERED] = 143,
            [ADS_FIT_TITLED] = 156,
            [ADS_FIT_LEADS] = 223,
            [ADS_FIT_LEADS_KIND] = 0,
            [ADS_FIT_LOST] = -639,
            [ADS_FIT_NO_MODEL] = -763,
            [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204,
            [ADS_FIT_NO_QUALITY] = -103,
            [ADS_FIT_NO_BRAND] = -307,
            [ADS_FIT_NAMED] = 0,
            [ADS_FIT_NAMELESS] = 307,
            [ADS_FIT_NO_NAME] = 0,
            [ADS_FIT_HAS_HEAD] = 73,
            [ADS_FIT_NO_HEAD] = 11,
            [ADS_FIT_HEADED] = 35,
            [ADS_FIT_IS_BROADER] = 0,
            [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,
            [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
