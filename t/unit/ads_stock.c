/*
 * Stock: what is offered is what can be paid, also where many share it.
 */
#include "ads_stock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BID INT64_C(70001)
#define PLENTY INT64_C(1000000000000)

static struct ads_stock_seller
seller_of(int64_t left, int64_t coming)
{
    return (struct ads_stock_seller){
        .bid_micros = BID, .left_micros = left, .coming_micros = coming};
}


static struct ads_stock_account
account_of(int64_t balance)
{
    return (struct ads_stock_account){.balance_micros = balance, .n_nodes = 1};
}


/* What one campaign alone may offer. */
static int64_t
alone(int64_t left, int64_t balance, int64_t coming)
{
    struct ads_stock_account account = account_of(balance);
    struct ads_stock_seller seller = seller_of(left, coming);

    ads_stock_share(&account, &seller, 1);
    return seller.room_micros;
}


static void
a_remainder_has_to_pay_the_bid(void **state)
{
    (void)state;
    assert_int_equal(alone(BID - 1, PLENTY, 0), ADS_STOCK_OUT);
    assert_int_equal(alone(PLENTY, BID - 1, 0), ADS_STOCK_OUT);
    assert_int_equal(alone(-PLENTY, PLENTY, 0), ADS_STOCK_OUT);
    assert_int_equal(alone(BID, PLENTY, 0), 0);
    assert_int_equal(alone(PLENTY, BID, 0), 0);
    assert_true(alone(2 * BID, PLENTY, 0) > 0);
    assert_true(alone(INT64_MAX, INT64_MAX, 0) > PLENTY);
}


static void
what_is_out_is_not_offered_again(void **state)
{
    (void)state;
    assert_true(alone(100 * BID, PLENTY, 80 * BID)
                < alone(100 * BID, PLENTY, 20 * BID));
    assert_int_equal(alone(100 * BID, PLENTY, 99 * BID), ADS_STOCK_OUT);
    assert_int_equal(alone(BID, PLENTY, BID / 2), ADS_STOCK_OUT);
    assert_int_equal(alone(BID, PLENTY, BID / 200), 0);
}


static void
nodes_share_by_traffic(void **state)
{
    struct ads_stock_account account = account_of(PLENTY);
    struct ads_stock_seller busy = seller_of(400 * BID, 0), idle = busy;
    int64_t most = alone(400 * BID, PLENTY, 0);

    (void)state;
    account.n_nodes = 2;
    busy.pace_micros = 90 * BID;
    busy.others.n = 1;
    busy.others.pace_micros = 10 * BID;
    idle.pace_micros = busy.others.pace_micros;
    idle.others.n = 1;
    idle.others.pace_micros = busy.pace_micros;
    ads_stock_share(&account, &busy, 1);
    account.node = 1;
    ads_stock_share(&account, &idle, 1);
    assert_true(busy.room_micros > 4 * idle.room_micros);
    assert_true(idle.room_micros > 0);
    assert_true(busy.room_micros + idle.room_micros <= most);

    /* what the other was given is gone until it says otherwise */
    idle.others.room_micros = most - 10;
    ads_stock_share(&account, &idle, 1);
    assert_true(idle.room_micros <= 10);
}


/* One node after the other may sell the last click, never two of them. */
static void
the_last_click_is_offered_once(void **state)
{
    int offered[3] = {0};

    (void)state;
    for (int64_t turn = 0; turn < 30; turn++) {
        int now = 0;

        for (uint32_t node = 0; node < 3; node++) {
            struct ads_stock_account account = account_of(PLENTY);
            struct ads_stock_seller seller = seller_of(BID, 0);

            account.n_nodes = 3;
            account.node = node;
            account.turn = turn;
            ads_stock_share(&account, &seller, 1);
            offered[node] += seller.room_micros == 0;
            now += seller.room_micros != ADS_STOCK_OUT;
        }
        assert_int_equal(now, 1);
    }
    for (int node = 0; node < 3; node++) {
        assert_int_equal(offered[node], 10);
    }
}


static void
campaigns_share_a_balance(void **state)
{
    struct ads_stock_account account = account_of(BID);
    struct ads_stock_seller sellers[4];
    int offered[4] = {0};

    (void)state;
    for (int64_t turn = 0; turn < 64; turn++) {
        int now = 0;

        account.turn = turn;
        for (int i = 0; i < 4; i++) {
            sellers[i] = seller_of(PLENTY, 0);
            sellers[i].pace_micros = i < 2 ? BID : 0;
        }
        ads_stock_share(&account, sellers, 4);
        for (int i = 0; i < 4; i++) {
            offered[i] += sellers[i].room_micros == 0;
            now += sellers[i].room_micros != ADS_STOCK_OUT;
        }
        assert_true(now <= 1);
    }
    for (int i = 0; i < 4; i++) {
        assert_true(offered[i] > 0);
    }
    assert_true(offered[0] > 2 * offered[2]);
}


static void
small_changes_are_no_news(void **state)
{
    struct ads_stock_seller seller = seller_of(PLENTY, 100 * BID);

    (void)state;
    seller.room_micros = ADS_STOCK_OUT;
    assert_true(ads_stock_is_news(&seller, 0, 0));
    assert_false(ads_stock_is_news(&seller, 95 * BID, 0));
    assert_true(ads_stock_is_news(&seller, 80 * BID, 0));
    assert_true(ads_stock_is_news(&seller, 100 * BID, 50 * BID));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_remainder_has_to_pay_the_bid),
        cmocka_unit_test(what_is_out_is_not_offered_again),
        cmocka_unit_test(nodes_share_by_traffic),
        cmocka_unit_test(the_last_click_is_offered_once),
        cmocka_unit_test(campaigns_share_a_balance),
        cmocka_unit_test(small_changes_are_no_news),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
