/*
 * What the words of a request hint at without naming it: "the power here drops
 * and our server reboots every time" asks for an uninterruptible power supply.
 * The ontology says which words hint at which kinds (data/goods, `hint:`); here
 * the kinds gather them.  Integers only, no memory but the caller's.
 */
#ifndef ADS_HINT_H
#define ADS_HINT_H

#include "ads_scan.h"

#define ADS_HINT_KINDS 16384 /* only those of lower numbers are gathered */
#define ADS_HINT_WORDS 96    /* of a request that are read: the last */
#define ADS_HINT_UNIT 16     /* of a score: one bit of information */

struct ads_hint {
    uint32_t kind;  /* + 1; 0: none */
    uint16_t score; /* ADS_HINT_UNIT; the rarer the words the higher */
    uint16_t words; /* different ones that hint at it */
};

/* Memory for a request, most of it not touched: kinds[] is filled as far as the
 * ontology goes. */
struct ads_hints {
    uint32_t n; /* of used[] */
    uint32_t n_kinds;
    uint16_t used[ADS_HINT_KINDS + 1];
    uint32_t kinds[ADS_HINT_KINDS]; /* score, and words from bit 16 on */
};

/* Gathers what a scanned text hints at. */
void
ads_hints_read(struct ads_hints *hints, const struct ads_goods *goods,
               const struct ads_scan *scan);

/* What hints at a kind: score and words 0 where nothing does. */
struct ads_hint
ads_hints_of(const struct ads_hints *hints, uint32_t kind);

/* The `room` kinds, one or more, that most hints at, with `least` or more, by
 * falling score, then rising kind; returns how many there are. */
uint32_t
ads_hints_best(const struct ads_hints *hints, uint32_t least,
               struct ads_hint *best, uint32_t room);

#endif
