/*
 * Stock: how much of an account's money each of its campaigns may offer on this
 * node, so that what is shown can be paid.
 *
 * Two limits hold: what the campaign's budgets leave, shared by the nodes, and
 * what the account's balance leaves, shared by its campaigns on all nodes.  In
 * each, the links that are out have their part already (ads_forecast.h).  The
 * rest is shared by traffic.  Where so little is left that one link of each
 * seller is too much, they take turns.
 */
#ifndef ADS_STOCK_H
#define ADS_STOCK_H

#include <stdbool.h>
#include <stdint.h>

#define ADS_STOCK_OUT (-1)

/* What others said of the same money. */
struct ads_stock_others {
    int64_t n;
    int64_t coming_micros; /* expected of their links that are out */
    int64_t room_micros;   /* what they may offer beyond these */
    int64_t pace_micros;   /* what their links of late cost in a minute */
};

/* A campaign on this node. */
struct ads_stock_seller {
    int64_t bid_micros;    /* at least 1 */
    int64_t left_micros;   /* of its budgets: the least */
    int64_t sold_micros;   /* of that budget */
    int64_t coming_micros; /* expected of its links of this node */
    int64_t pace_micros;
    struct ads_stock_others others; /* the campaign on other nodes */
    int64_t room_micros;            /* the answer */
};

struct ads_stock_account {
    int64_t balance_micros;
    struct ads_stock_others others; /* all its campaigns on other nodes */
    uint32_t n_nodes;               /* at least 1 */
    uint32_t node;                  /* this one's number among them */
    int64_t turn;                   /* goes on every few seconds, everywhere */
};

/*
 * Sets room_micros of each: what may be expected of links beyond those that
 * are out, while one link more may be shown; ADS_STOCK_OUT: none may.
 */
void
ads_stock_share(const struct ads_stock_account *account,
                struct ads_stock_seller *sellers, uint32_t n);

/*
 * Has it changed enough to say it again?  said_coming_micros and
 * said_room_micros were said last.
 */
bool
ads_stock_is_news(const struct ads_stock_seller *seller,
                  int64_t said_coming_micros, int64_t said_room_micros);

#endif
