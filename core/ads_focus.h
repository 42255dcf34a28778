/*
 * From a request to what is looked for: its words that tell about the wanted
 * thing, and what is known of them.
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

/* ---- how well products fit (ads_fit.c) */

/* How the kind of a product stands to what is wanted. */
enum ads_fit_kind {
    ADS_FIT_NO_WISH, /* no kind is wanted, as far as the words tell */
    ADS_FIT_EXACT,   /* the wanted kind, or a narrower one */
    ADS_FIT_BROADER,
    ADS_FIT_SIBLING, /* another one of the next broader kind */
    ADS_FIT_UNKNOWN, /* the product was taken for nothing */
    ADS_FIT_BELONGS, /* accessory, part, consumable or service of it */
    ADS_FIT_OWNER,   /* the wanted thing is one of its accessories */
    ADS_FIT_OTHER
};

/* What one hit is judged by. */
struct ads_fit {
    enum ads_fit_kind kind;
    uint32_t probability; /* that it is a good answer, of 65536 */
    uint32_t score;       /* what hits are ordered by, of ADS_MATCH_UNIT */
};

#define ADS_FIT_UNIT 65536
#define ADS_FIT_FLOOR (ADS_FIT_UNIT * 3 / 5) /* the relevance floor */

enum ads_fit_kind
ads_fit_kind_of(const struct ads_wish *wish, const struct ads_goods *goods,
                uint32_t kind);

/* Weighs a hit of a product of that kind, which is `sure` of 255. */
struct ads_fit
ads_fit_read(const struct ads_understood *understood,
             const struct ads_match_query *query,
             const struct ads_match_hit *hit, uint32_t kind, uint8_t sure);

const char *
ads_fit_name(enum ads_fit_kind kind);

#endif
