/*
 * Cues: what words next to a thing say about it ("for", "my", "instead of").
 * data/goods/cues.txt lists the words, in four languages.
 */
#ifndef ADS_CUE_H
#define ADS_CUE_H

#include "ads_str.h"

enum ads_cue {
    ADS_CUE_WANT,
    ADS_CUE_MINE,
    ADS_CUE_OWN,
    ADS_CUE_BROKEN,
    ADS_CUE_INSTEAD,
    ADS_CUE_WITHOUT,
    ADS_CUE_FOR,
    ADS_CUE_PLACE,
    ADS_CUE_WITH,
    ADS_CUE_OF,
    ADS_CUE_AND,
    ADS_CUE_WRITE,
    ADS_CUE_HOWTO,
    ADS_CUE_FIX,
    ADS_CUE_AFTER,
    ADS_CUE_GIFT,
    ADS_CUE_ARTICLE,
    ADS_CUE_THE,
    ADS_CUE_UNDER,
    ADS_CUE_OVER,
    ADS_CUE_AROUND,
    ADS_CUE_BETWEEN,
    ADS_CUE_WHICH, /* "which", "any": a thing to be chosen follows */
    ADS_CUE_PIECE, /* "case", "battery": of whatever stands before */
    ADS_CUE_SET,   /* "set", "pack": it is still what stands before */
    ADS_CUE_ENGLISH,
    ADS_CUE_GERMAN,
    ADS_CUE_FRENCH,
    ADS_CUE_SPANISH,
    ADS_CUE_END
};

#define ADS_CUE_BIT(cue) (1u << (cue))

/* Of words that products are named with; in a request they tell nothing. */
#define ADS_CUE_OF_PRODUCTS \
    (ADS_CUE_BIT(ADS_CUE_PIECE) | ADS_CUE_BIT(ADS_CUE_SET))

/* The cue of that name, ADS_CUE_END when there is none; and back. */
enum ads_cue
ads_cue_find(struct ads_str name);
const char *
ads_cue_name(enum ads_cue cue);

#endif
