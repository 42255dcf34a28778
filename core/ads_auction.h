/*
 * Auction outcomes: what happened to each campaign in one request, for the
 * advertisers' reports.
 *
 * The decision keeps a byte for each campaign, its memo: not checked yet; or
 * why it is refused; or that it is eligible, and then why its last product was
 * refused, or how far the best of its products came.  A campaign takes part in
 * the auction of a request when the search came to one of its products, unless
 * it does not run at all; the outcome is the best stage that one of its
 * products reached.
 */
#ifndef ADS_AUCTION_H
#define ADS_AUCTION_H

#include <stdbool.h>
#include <stdint.h>

/* Outcomes kept of one request; further campaigns are not counted. */
#define ADS_AUCTIONS_MAX 128

/*
 * An outcome: 0 won, ADS_OUTCOME_OUTBID, or the enum ads_reason of the refusal
 * (`below_relevance` where it was eligible).  Stored in the journal: never
 * renumber.
 */
#define ADS_OUTCOME_WON 0
#define ADS_OUTCOME_OUTBID 31
#define ADS_OUTCOME_END 32

/* A memo: bits, and below them a reason, or a stage when a product passed. */
enum ads_memo {
    ADS_MEMO_UNKNOWN = 0,
    ADS_MEMO_BELOW = 0x1f, /* mask of the reason or stage */
    ADS_MEMO_PASSED = 0x20,
    ADS_MEMO_ELIGIBLE = 0x40,
    ADS_MEMO_SEEN = 0x80
};

/* How far a product came; the higher one counts. */
enum ads_stage {
    ADS_STAGE_ASKED, /* others took its place in the search itself */
    ADS_STAGE_BELOW, /* not relevant enough */
    ADS_STAGE_OUTBID,
    ADS_STAGE_WON
};

struct ads_auction {
    uint32_t row; /* of the campaign in the tables */
    uint8_t outcome;
};

struct ads_auctions {
    uint32_t n;
    uint32_t n_more; /* that found no room */
    struct ads_auction list[ADS_AUCTIONS_MAX];
};

/* The outcome's stable text, such as "outbid"; NULL for the one that won and
 * for a number that means nothing. */
const char *
ads_outcome_name(uint32_t outcome);

/* Adds a campaign that is checked for the first time. */
void
ads_auction_note(struct ads_auctions *auctions, uint32_t row);

/* A product of the campaign with this memo came that far. */
static inline void
ads_auction_reach(uint8_t *memo, enum ads_stage stage)
{
    if ((*memo & ADS_MEMO_PASSED) != 0 && (*memo & ADS_MEMO_BELOW) < stage) {
        *memo = (uint8_t)((*memo & ~ADS_MEMO_BELOW) | stage);
    }
}

/* Turns the memos into outcomes and drops who took no part. */
void
ads_auction_settle(struct ads_auctions *auctions, const uint8_t *memos);

#endif
