/*
 * Finds the evidence of a wish: what speaks for one beyond how it is said.
 *
 * A request that names a thing on offer may want it, in words that the model of
 * intent never learned.  It counts only where the words ask nothing about the
 * thing: "fix my printer" names one, too.  It is no wish when all that is named
 * is refused.
 */
#include "ads_decide_parts.h"

#define EVIDENCE 3  /* of ADS_INTENT_UNIT for each of ADS_WISH_UNIT / 256 */
#define ALL_NAMED 6 /* the same, of a request that says nothing else */
#define REFUSED (-8 * ADS_INTENT_UNIT)  /* all that is named is refused */
#define WISHED_MOST (2 * ADS_WISH_UNIT) /* of a wish's score, as evidence */


/* Is the request nothing but names of kinds and attributes: "scientific
 * calculators", "red dress"? */
static bool
all_named(const struct ads_understood *understood)
{
    const struct ads_scan *scan = &understood->scan;

    for (uint32_t i = 0; i < scan->n_words; i++) {
        if (!scan->words[i].named) {
            return false;
        }
    }
    return scan->n_words > 0;
}


/* Does the request name things only to say that they are not wanted: "I do not
 * want to buy a laptop"? */
static bool
all_refused(const struct ads_understood *understood)
{
    const struct ads_wish *wish = &understood->wish;
    bool refused = false;

    if (wish->n_kinds > 0) {
        return false;
    }
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        if (wish->mentions[i].from >= understood->scan.n_words) {
            continue; /* not named: words around hint at it */
        }
        if ((wish->mentions[i].features >> ADS_WISH_INSTEAD & 1) == 0) {
            return false;
        }
        refused = true;
    }
    return refused;
}


int32_t
ads_decide_evidence(const struct ads_request *req)
{
    const uint32_t against =
        ADS_CUE_BIT(ADS_CUE_WRITE) | ADS_CUE_BIT(ADS_CUE_HOWTO)
        | ADS_CUE_BIT(ADS_CUE_FIX) | ADS_CUE_BIT(ADS_CUE_AFTER);
    const struct ads_wish *wish = &req->understood->wish;

    if (all_refused(req->understood)) {
        return REFUSED;
    }
    if (wish->n_kinds == 0 || wish->score < 0 || (wish->cues & against) != 0
        || ads_index_fact_find(
               &req->tables->index, ADS_INDEX_KIND,
               ads_goods_id(&req->tables->goods, wish->kinds[0]))
               == ADS_INDEX_NONE)
    {
        return 0;
    }
    if (all_named(req->understood)) {
        return wish->score * ALL_NAMED;
    }
    return (wish->score < WISHED_MOST ? wish->score : WISHED_MOST) * EVIDENCE;
}
