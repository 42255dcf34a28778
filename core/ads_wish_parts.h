/*
 * State that the files which read a wish share.  Included by ads_wish*.c alone.
 */
#ifndef ADS_WISH_PARTS_H
#define ADS_WISH_PARTS_H

#include "ads_wish.h"

/* The cues of words [from, to), or-ed together. */
static inline uint32_t
ads_scan_cues(const struct ads_scan *scan, uint32_t from, uint32_t to)
{
    uint32_t cues = 0;

    for (uint32_t i = from; i < to && i < scan->n_words; i++) {
        cues |= scan->words[i].cues;
    }
    return cues;
}


/* So many words before, or the first. */
static inline uint32_t
ads_scan_back(uint32_t at, uint32_t words)
{
    return at > words ? at - words : 0;
}


static inline bool
ads_cue_has(uint32_t cues, enum ads_cue cue)
{
    return (cues & ADS_CUE_BIT(cue)) != 0;
}


/* Does one of so many words before, of the same sentence, deny what follows:
 * "shouldn't be more than 130", "any colour except white"? */
bool
ads_scan_denied(const struct ads_scan *scan, uint32_t at, uint32_t words);

/* Price bounds and their currency (ads_wish_bounds.c). */
void
ads_wish_bounds_read(struct ads_wish *wish, const struct ads_scan *scan,
                     struct ads_str text);

#endif
