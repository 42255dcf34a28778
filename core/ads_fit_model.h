/*
 * The model that says how likely a hit is a good answer: for each class of hits
 * a weight for each feature of core/ads_fit.h, 256 is one nat.  Made by
 * tools/fit_train from labelled requests; do not edit.
 */
#ifndef ADS_FIT_MODEL_H
#define ADS_FIT_MODEL_H

#include "ads_fit.h"

static const int16_t ads_fit_model[ADS_FIT_CLASSES][ADS_FIT_FEATURES] = {
    [ADS_FIT_OF_KIND] =
        {
            [ADS_FIT_ANY] = -889,        [ADS_FIT_WISHED] = 16,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -102,
            [ADS_FIT_HINTS] = 79,        [ADS_FIT_SURE] = 88,
            [ADS_FIT_COVERED] = 62,      [ADS_FIT_TITLED] = 174,
            [ADS_FIT_SHORT] = 130,       [ADS_FIT_LEADS] = 213,
            [ADS_FIT_LEADS_KIND] = 167,  [ADS_FIT_AGREED] = 91,
            [ADS_FIT_STRONG] = -69,      [ADS_FIT_LOST] = -638,
            [ADS_FIT_LONGER] = -642,     [ADS_FIT_MODEL_ELSE] = -1012,
            [ADS_FIT_NO_MODEL] = -370,   [ADS_FIT_MEASURE_ELSE] = -1016,
            [ADS_FIT_NO_MEASURE] = -197, [ADS_FIT_NO_QUALITY] = 36,
            [ADS_FIT_NO_BRAND] = -226,   [ADS_FIT_UNWANTED] = -1022,
            [ADS_FIT_CONTRARY] = -636,   [ADS_FIT_LACKS] = -262,
            [ADS_FIT_NAMED] = 154,       [ADS_FIT_NAMELESS] = 294,
            [ADS_FIT_NO_NAME] = 69,      [ADS_FIT_HAS_HEAD] = 156,
            [ADS_FIT_NO_HEAD] = 113,     [ADS_FIT_HEADED] = 69,
            [ADS_FIT_IS_BROADER] = 0,    [ADS_FIT_IS_NARROWED] = 256,
            [ADS_FIT_TOO_BROAD] = -256,  [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,    [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
    [ADS_FIT_OF_ANOTHER] =
        {
            [ADS_FIT_ANY] = -937,        [ADS_FIT_WISHED] = 78,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = -127,
            [ADS_FIT_HINTS] = 244,       [ADS_FIT_SURE] = -74,
            [ADS_FIT_COVERED] = 100,     [ADS_FIT_TITLED] = 188,
            [ADS_FIT_SHORT] = 253,       [ADS_FIT_LEADS] = 170,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 118,
            [ADS_FIT_STRONG] = 180,      [ADS_FIT_LOST] = -640,
            [ADS_FIT_LONGER] = -639,     [ADS_FIT_MODEL_ELSE] = -1022,
            [ADS_FIT_NO_MODEL] = -383,   [ADS_FIT_MEASURE_ELSE] = -1022,
            [ADS_FIT_NO_MEASURE] = -207, [ADS_FIT_NO_QUALITY] = -5,
            [ADS_FIT_NO_BRAND] = -286,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_CONTRARY] = -640,   [ADS_FIT_LACKS] = -304,
            [ADS_FIT_NAMED] = 463,       [ADS_FIT_NAMELESS] = 300,
            [ADS_FIT_NO_NAME] = 44,      [ADS_FIT_HAS_HEAD] = 137,
            [ADS_FIT_NO_HEAD] = 36,      [ADS_FIT_HEADED] = 77,
            [ADS_FIT_IS_BROADER] = -26,  [ADS_FIT_IS_NARROWED] = 251,
            [ADS_FIT_TOO_BROAD] = -252,  [ADS_FIT_IS_SIBLING] = -130,
            [ADS_FIT_IS_UNKNOWN] = 56,   [ADS_FIT_BELONGING] = -504,
            [ADS_FIT_NO_OTHER] = -159,
        },
    [ADS_FIT_OF_WORDS] =
        {
            [ADS_FIT_ANY] = -369,        [ADS_FIT_WISHED] = 103,
            [ADS_FIT_REFUSED] = -1280,   [ADS_FIT_HINTED] = 0,
            [ADS_FIT_HINTS] = 108,       [ADS_FIT_SURE] = -52,
            [ADS_FIT_COVERED] = 135,     [ADS_FIT_TITLED] = 152,
            [ADS_FIT_SHORT] = 92,        [ADS_FIT_LEADS] = 246,
            [ADS_FIT_LEADS_KIND] = 0,    [ADS_FIT_AGREED] = 82,
            [ADS_FIT_STRONG] = 126,      [ADS_FIT_LOST] = -639,
            [ADS_FIT_LONGER] = -640,     [ADS_FIT_MODEL_ELSE] = -1022,
            [ADS_FIT_NO_MODEL] = -384,   [ADS_FIT_MEASURE_ELSE] = -1024,
            [ADS_FIT_NO_MEASURE] = -204, [ADS_FIT_NO_QUALITY] = -115,
            [ADS_FIT_NO_BRAND] = -302,   [ADS_FIT_UNWANTED] = -1024,
            [ADS_FIT_CONTRARY] = -640,   [ADS_FIT_LACKS] = -307,
            [ADS_FIT_NAMED] = 0,         [ADS_FIT_NAMELESS] = 307,
            [ADS_FIT_NO_NAME] = 0,       [ADS_FIT_HAS_HEAD] = 68,
            [ADS_FIT_NO_HEAD] = -12,     [ADS_FIT_HEADED] = 8,
            [ADS_FIT_IS_BROADER] = 0,    [ADS_FIT_IS_NARROWED] = 256,
            [ADS_FIT_TOO_BROAD] = -256,  [ADS_FIT_IS_SIBLING] = -128,
            [ADS_FIT_IS_UNKNOWN] = 0,    [ADS_FIT_BELONGING] = -512,
            [ADS_FIT_NO_OTHER] = 0,
        },
};

#endif
