/*
 * The sums of sharing.
 *
 * Of a stock that pays n clicks, links may be out of which m are expected while
 * m + 2 sqrt(m) is at most n - 1: clicks come by chance, and two standard
 * deviations more than expected are rare.  That is m <= (sqrt(n) - 1)^2.  The
 * last click is sold by one link at a time: the next is shown once hardly
 * anything is expected of those before.
 */
#include "ads_stock.h"

#include <math.h>
#include <stddef.h>

/* So many clicks may be expected when the last one is sold, and so many of
 * those that were sold before. */
#define LAST_CLICK 0.01
#define LAST_CLICK_OF 0.002

/* A share for who has no traffic yet: of all the others' and of a bid. */
#define START_OF_PACE 0.05
#define START_OF_BID 0.06

/* One time in four those without traffic may sell, too. */
#define ROUND_OF_ALL 4

/* News: so large a part of what was said before, and of a bid. */
#define NEWS_PART 8
#define NEWS_OF_BID 16

/* Money from which several sell. */
struct pot {
    int64_t left_micros;
    int64_t coming_micros; /* of all sellers */
    int64_t sold_micros;
    int64_t room_micros; /* of the others */
    int64_t n;           /* sellers with traffic */
    double share;        /* of this one */
    bool turn;           /* of this one, when they take turns */
};


/* What so many sellers may have expected of new links in all. */
static int64_t
room_of(const struct pot *pot, int64_t n_sellers, int64_t bid_micros)
{
    double bid = (double)bid_micros;
    int64_t whole = pot->left_micros / bid_micros;
    double clicks = (double)whole;
    double coming = (double)pot->coming_micros / bid;
    double most;

    if (pot->left_micros < bid_micros) {
        return ADS_STOCK_OUT;
    }
    clicks -= (double)(n_sellers - 1); /* the others' links of this moment */
    most = clicks > 1 ? (sqrt(clicks) - 1) * (sqrt(clicks) - 1) : 0;
    if (coming < most) {
        return (int64_t)((most - coming) * bid);
    }
    return clicks >= 1
                   && coming <= LAST_CLICK
                                    + LAST_CLICK_OF * (double)pot->sold_micros
                                          / bid
               ? 0
               : ADS_STOCK_OUT;
}


static int64_t
pot_share(const struct pot *pot, int64_t bid_micros)
{
    int64_t n = pot->n > 1 ? pot->n : 1;
    int64_t room = room_of(pot, n, bid_micros), mine, most;

    if (room < 0 && n > 1 && pot->turn) {
        room = room_of(pot, 1, bid_micros);
        return room <= pot->room_micros ? (room < 0 ? room : 0)
                                        : room - pot->room_micros;
    }
    if (room <= 0) {
        return room;
    }
    mine = (int64_t)((double)room * pot->share);
    most = room > pot->room_micros ? room - pot->room_micros : 0;
    return mine < most ? mine : most;
}


static double
share_of(int64_t pace_micros, int64_t all_micros, int64_t bid_micros, int64_t n)
{
    double start = START_OF_PACE * (double)all_micros / (double)n
                   + START_OF_BID * (double)bid_micros;

    return ((double)pace_micros + start)
           / ((double)all_micros + start * (double)n);
}


static bool
has_traffic(const struct ads_stock_seller *seller)
{
    return (double)seller->pace_micros
           > START_OF_BID / 2 * (double)seller->bid_micros;
}


/* The campaign's budgets, shared by the nodes. */
static int64_t
campaign_room(const struct ads_stock_account *account,
              const struct ads_stock_seller *seller)
{
    const struct pot pot = {
        .left_micros = seller->left_micros,
        .coming_micros = seller->coming_micros + seller->others.coming_micros,
        .sold_micros = seller->sold_micros,
        .room_micros = seller->others.room_micros,
        .n = account->n_nodes,
        .share = share_of(seller->pace_micros,
                          seller->pace_micros + seller->others.pace_micros,
                          seller->bid_micros, account->n_nodes),
        .turn = account->turn % account->n_nodes == account->node,
    };

    return pot_share(&pot, seller->bid_micros);
}


void
ads_stock_share(const struct ads_stock_account *account,
                struct ads_stock_seller *sellers, uint32_t n)
{
    int64_t coming = account->others.coming_micros;
    int64_t pace = account->others.pace_micros;
    int64_t turn = account->turn / account->n_nodes, busy = 0, nth = 0, all;
    bool everybody;

    for (uint32_t i = 0; i < n; i++) {
        coming += sellers[i].coming_micros;
        pace += sellers[i].pace_micros;
        busy += has_traffic(&sellers[i]);
    }
    everybody = busy == 0 || turn % ROUND_OF_ALL == 0;
    all = busy + account->others.n;
    all = all > account->n_nodes ? all : account->n_nodes;

    for (uint32_t i = 0; i < n; i++) {
        struct ads_stock_seller *seller = &sellers[i];
        bool mine = everybody ? turn / ROUND_OF_ALL % n == i
                              : has_traffic(seller) && turn % busy == nth;
        struct pot pot = {
            .left_micros = account->balance_micros,
            .coming_micros = coming,
            .sold_micros = seller->sold_micros,
            .room_micros = account->others.room_micros,
            .n = all,
            .share = share_of(seller->pace_micros, pace, seller->bid_micros,
                              (int64_t)n * account->n_nodes),
            .turn =
                mine
                && (uint64_t)account->turn % account->n_nodes == account->node,
        };
        int64_t room = campaign_room(account, seller);
        int64_t of_account = pot_share(&pot, seller->bid_micros);

        nth += has_traffic(seller);
        seller->room_micros = room < of_account ? room : of_account;
    }
}


bool
ads_stock_is_news(const struct ads_stock_seller *seller,
                  int64_t said_coming_micros, int64_t said_room_micros)
{
    double room = seller->room_micros > 0 ? (double)seller->room_micros : 0;
    double said = (double)said_coming_micros + (double)said_room_micros;
    double change =
        fabs((double)seller->coming_micros - (double)said_coming_micros)
        + fabs(room - (double)said_room_micros);

    return change > said / NEWS_PART + (double)seller->bid_micros / NEWS_OF_BID;
}
