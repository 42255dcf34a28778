/*
 * Turns the memos of campaigns into auction outcomes.
 */
#include "ads_auction.h"

#include <stddef.h>

#include "ads_reason.h"

_Static_assert(ADS_REASON_END <= ADS_OUTCOME_OUTBID,
               "a reason fits below the outcomes that are none");


const char *
ads_outcome_name(uint32_t outcome)
{
    if (outcome == ADS_OUTCOME_WON) {
        return NULL;
    }
    return outcome == ADS_OUTCOME_OUTBID ? "outbid" : ads_reason_name(outcome);
}


void
ads_auction_note(struct ads_auctions *auctions, uint32_t row)
{
    if (auctions->n == ADS_AUCTIONS_MAX) {
        auctions->n_more++;
        return;
    }
    auctions->list[auctions->n++].row = row;
}


/* False: it took no part. */
static bool
outcome_of(uint8_t *outcome, uint8_t memo)
{
    uint8_t below = memo & ADS_MEMO_BELOW;

    if ((memo & ADS_MEMO_PASSED) == 0) {
        *outcome = below;
        return below != ADS_REASON_NONE && below != ADS_REASON_NO_MATCH;
    }
    switch ((enum ads_stage)below) {
    case ADS_STAGE_WON:
        *outcome = ADS_OUTCOME_WON;
        return true;
    case ADS_STAGE_OUTBID:
        *outcome = ADS_OUTCOME_OUTBID;
        return true;
    case ADS_STAGE_BELOW:
        *outcome = ADS_REASON_BELOW_RELEVANCE;
        return true;
    case ADS_STAGE_ASKED:
        break;
    }
    return false;
}


void
ads_auction_settle(struct ads_auctions *auctions, const uint8_t *memos)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < auctions->n; i++) {
        struct ads_auction *auction = &auctions->list[n];
        uint32_t row = auctions->list[i].row;

        auction->row = row;
        n += outcome_of(&auction->outcome, memos[row]);
    }
    auctions->n = n;
}
