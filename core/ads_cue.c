/*
 * Names of cue words' meanings, as in data/goods/cues.txt.
 */
#include "ads_cue.h"

static const char *const names[ADS_CUE_END] = {
    [ADS_CUE_WANT] = "want",       [ADS_CUE_MINE] = "mine",
    [ADS_CUE_OWN] = "own",         [ADS_CUE_BROKEN] = "broken",
    [ADS_CUE_INSTEAD] = "instead", [ADS_CUE_WITHOUT] = "without",
    [ADS_CUE_FOR] = "for",         [ADS_CUE_PLACE] = "place",
    [ADS_CUE_WITH] = "with",       [ADS_CUE_OF] = "of",
    [ADS_CUE_AND] = "and",         [ADS_CUE_WRITE] = "write",
    [ADS_CUE_HOWTO] = "howto",     [ADS_CUE_FIX] = "fix",
    [ADS_CUE_AFTER] = "after",     [ADS_CUE_GIFT] = "gift",
    [ADS_CUE_ARTICLE] = "article", [ADS_CUE_THE] = "the",
    [ADS_CUE_UNDER] = "under",     [ADS_CUE_OVER] = "over",
    [ADS_CUE_AROUND] = "around",   [ADS_CUE_BETWEEN] = "between",
    [ADS_CUE_WHICH] = "which",     [ADS_CUE_PIECE] = "piece",
    [ADS_CUE_SET] = "set",         [ADS_CUE_ENGLISH] = "english",
    [ADS_CUE_GERMAN] = "german",   [ADS_CUE_FRENCH] = "french",
    [ADS_CUE_SPANISH] = "spanish",
};


enum ads_cue
ads_cue_find(struct ads_str name)
{
    for (int i = 0; i < ADS_CUE_END; i++) {
        if (ads_str_is(name, names[i])) {
            return (enum ads_cue)i;
        }
    }
    return ADS_CUE_END;
}


const char *
ads_cue_name(enum ads_cue cue)
{
    return cue < ADS_CUE_END ? names[cue] : "none";
}
