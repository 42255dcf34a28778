/*
 * Search words of a request: those that describe the wanted thing, and what is
 * known of each.
 *
 * "Hi, my daughter starts school in autumn and needs a light blue backpack, not
 * more than 40 euros" looks for "light blue backpack": the other words weigh
 * nothing.  A request of few words is taken whole.
 */
#ifndef ADS_FOCUS_H
#define ADS_FOCUS_H

#include "ads_match.h"
#include "ads_wish.h"

#define ADS_FOCUS_ROOM 2048 /* bytes of the words */
#define ADS_FOCUS_SHORT 6   /* a request of so many words is taken as it is */

/* What a request was understood as. */
struct ads_focus {
    struct ads_str words; /* to be matched: of the request, or in `room` */
    bool whole;           /* they are the request as it is */
    struct ads_match_focus match;
    char room[ADS_FOCUS_ROOM];
};

/* A request as it was read: what it mentions, wants, and is looked for. */
struct ads_understood {
    struct ads_scan scan;
    struct ads_wish wish;
    struct ads_focus focus;
};

/*
 * Reads a request.  The index (NULL: none) corrects words that are no names;
 * `language` is the tag that the request says, len 0: it is guessed.  Ontology
 * and request are borrowed as long as what was understood is used.
 */
void
ads_understand(struct ads_understood *understood, const struct ads_goods *goods,
               const struct ads_index *index, struct ads_str request,
               struct ads_str language);

#endif
