/*
 * From how far a campaign's products came to what its owner reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/ads_auction.c"

#define ELIGIBLE (ADS_MEMO_SEEN | ADS_MEMO_ELIGIBLE)
#define PASSED (ELIGIBLE | ADS_MEMO_PASSED)


static void
the_best_that_a_campaign_reached_is_its_outcome(void **state)
{
    static const struct {
        uint8_t memo;
        bool takes_part;
        uint8_t outcome;
    } cases[] = {
        {ADS_MEMO_SEEN | ADS_REASON_NO_BUDGET, true, ADS_REASON_NO_BUDGET},
        {ADS_MEMO_SEEN | ADS_REASON_NO_MATCH, false, 0},
        {ELIGIBLE | ADS_REASON_CURRENCY, true, ADS_REASON_CURRENCY},
        {PASSED | ADS_STAGE_ASKED, false, 0},
        {PASSED | ADS_STAGE_BELOW, true, ADS_REASON_BELOW_RELEVANCE},
        {PASSED | ADS_STAGE_OUTBID, true, ADS_OUTCOME_OUTBID},
        {PASSED | ADS_STAGE_WON, true, ADS_OUTCOME_WON},
    };
    enum { N = sizeof(cases) / sizeof(cases[0]) };
    struct ads_auctions auctions = {0};
    uint8_t memos[N];
    uint32_t n = 0;

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        memos[i] = cases[i].memo;
        ads_auction_note(&auctions, i);
    }
    ads_auction_settle(&auctions, memos);
    for (uint32_t i = 0; i < N; i++) {
        if (cases[i].takes_part) {
            assert_int_equal(auctions.list[n].row, i);
            assert_int_equal(auctions.list[n].outcome, cases[i].outcome);
            n++;
        }
    }
    assert_int_equal(auctions.n, n);
}


static void
a_product_that_does_worse_changes_nothing(void **state)
{
    uint8_t memo = PASSED;

    (void)state;
    ads_auction_reach(&memo, ADS_STAGE_OUTBID);
    ads_auction_reach(&memo, ADS_STAGE_BELOW);
    assert_int_equal(memo, PASSED | ADS_STAGE_OUTBID);
    ads_auction_reach(&memo, ADS_STAGE_WON);
    assert_int_equal(memo, PASSED | ADS_STAGE_WON);

    memo = ELIGIBLE | ADS_REASON_BLOCKED;
    ads_auction_reach(&memo, ADS_STAGE_WON);
    assert_int_equal(memo, ELIGIBLE | ADS_REASON_BLOCKED);
}


static void
what_finds_no_room_is_counted(void **state)
{
    struct ads_auctions auctions = {0};

    (void)state;
    for (uint32_t i = 0; i < ADS_AUCTIONS_MAX + 3; i++) {
        ads_auction_note(&auctions, i);
    }
    assert_int_equal(auctions.n, ADS_AUCTIONS_MAX);
    assert_int_equal(auctions.n_more, 3);
}


static void
a_lost_auction_has_a_name(void **state)
{
    (void)state;
    assert_null(ads_outcome_name(ADS_OUTCOME_WON));
    assert_string_equal(ads_outcome_name(ADS_OUTCOME_OUTBID), "outbid");
    assert_string_equal(ads_outcome_name(ADS_REASON_PACED), "paced");
    assert_null(ads_outcome_name(ADS_OUTCOME_END));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_that_a_campaign_reached_is_its_outcome),
        cmocka_unit_test(a_product_that_does_worse_changes_nothing),
        cmocka_unit_test(what_finds_no_room_is_counted),
        cmocka_unit_test(a_lost_auction_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
