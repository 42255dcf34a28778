/*
 * Free delivery, simulated: campaigns with odd prices sell to the end of their
 * money on one to four nodes, people click up to an hour late, and an adsd is
 * away now and then.
 *
 *     delivery [--svg FILE] [CAMPAIGNS [SEED]]
 *
 * tells each story with its part of so many campaigns, by default 280.
 *
 * The rules are core's, as adsd and the workers use them: ads_forecast.h,
 * ads_stock.h.  The nodes have run for a day before, so they know how late
 * people click.  The same stories run once more under the rule of before,
 * "serve while anything is left", which gives away without end and so sells all
 * that can be sold.  Billed is what fits budget and balance, in the order of
 * clicks; everything else that was clicked is free, also what PostgreSQL would
 * still bill of a day.  Prints a line for each story: free clicks per 100
 * billed ones, the percentage sold of what can be sold, and free clicks under
 * the rule of before; --svg draws the chart.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ads_forecast.h"
#include "ads_stock.h"

#define DAY_S 86400
#define NODES_MAX 4
#define LATEST_S 3600
#define AWAY_S 15
#define AWAY_EVERY_S 300
#define TOGETHER 4 /* campaigns of one account, in every other account */

struct story {
    const char *name;
    uint32_t n_nodes;
    double late; /* clicks that come at any time within the hour */
    bool away;
};

static const struct story stories[] = {
    {"1 node", 1, 0.02, false},
    {"1 node, adsd away for 15 s", 1, 0.02, true},
    {"1 node, clicks up to an hour late", 1, 0.25, false},
    {"2 nodes", 2, 0.02, false},
    {"2 nodes, adsd away for 15 s", 2, 0.02, true},
    {"2 nodes, up to an hour late, adsd away", 2, 0.25, true},
    {"4 nodes, adsd away for 15 s", 4, 0.02, true},
};

#define N_STORIES (int)(sizeof(stories) / sizeof(stories[0]))

/* A campaign on a node: what is in `live`, and what adsd knows. */
struct sale {
    struct ads_forecast forecast;
    int64_t allowance, spent, promised, served;
    int64_t known, billed_known;
    int64_t told_coming, told_room, told_pace;
    uint32_t rate;
    bool told;
};

struct campaign {
    int64_t bid, budget, spent;
    uint32_t account;
    double asked; /* times a second, on all nodes */
    double followed;
    struct sale on[NODES_MAX];
};

struct account {
    int64_t balance;
    uint32_t first, n;
};

/* A link that will be followed. */
struct click {
    uint32_t campaign, node;
    int32_t age_s;
    struct click *next;
};

struct world {
    const struct story *story;
    bool before; /* the rule of before */
    uint64_t seed;
    uint32_t n_campaigns, n_accounts;
    struct campaign *campaigns;
    struct account *accounts;
    struct ads_stock_seller *sellers;
    struct ads_delays delays[NODES_MAX];
    int32_t back_s[NODES_MAX];  /* adsd is away until then */
    int32_t since_s[NODES_MAX]; /* it was here last */
    struct click *due[LATEST_S + 2];
    struct click *waiting[NODES_MAX]; /* in the journal */
    int64_t n_billed, n_free, sold;
};


/* ---- chance -------------------------------------------------------------- */

static double
chance(struct world *w)
{
    uint64_t x = w->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}


/* Between two numbers, evenly by magnitude. */
static double
between(struct world *w, double least, double most)
{
    return least * pow(most / least, chance(w));
}


static uint32_t
events(struct world *w, double expected)
{
    double limit = exp(-expected), product = chance(w);
    uint32_t n = 0;

    while (product > limit) {
        product *= chance(w);
        n++;
    }
    return n;
}


/* Half within 20 s, one in ten after more than two minutes; or any time. */
static int32_t
delay_s(struct world *w)
{
    double normal =
        sqrt(-2 * log(1 - chance(w))) * cos(2 * 3.14159265358979 * chance(w));
    double s = chance(w) < w->story->late ? chance(w) * LATEST_S
                                          : 20 * exp(1.5 * normal);

    return s < LATEST_S ? (int32_t)s : LATEST_S;
}


/* ---- the world ----------------------------------------------------------- */

/* Prices of whole micros, budgets of 3 to 300 clicks and a rest, asked for
 * twice to ten times as often as they pay. */
static void
campaign_make(struct world *w, struct campaign *c)
{
    double clicks = between(w, 3, 300);

    memset(c, 0, sizeof(*c));
    c->bid = (int64_t)between(w, 30000, 2000000) | 1;
    c->budget = (int64_t)((double)c->bid * clicks);
    c->followed = between(w, 0.005, 0.3);
    c->asked = clicks * between(w, 2, 10) / c->followed / DAY_S;
}


static void
world_make(struct world *w, uint32_t n, uint64_t seed)
{
    w->seed = seed;
    w->campaigns = calloc(n, sizeof(*w->campaigns));
    w->accounts = calloc(n, sizeof(*w->accounts));
    w->sellers = calloc(n, sizeof(*w->sellers));
    if (w->campaigns == NULL || w->accounts == NULL || w->sellers == NULL) {
        abort();
    }
    while (w->n_campaigns < n) {
        struct account *account = &w->accounts[w->n_accounts];
        bool together = w->n_accounts % 2 == 1;
        int64_t budgets = 0;

        account->first = w->n_campaigns;
        while (w->n_campaigns < n && account->n < (together ? TOGETHER : 1)) {
            struct campaign *c = &w->campaigns[w->n_campaigns++];

            campaign_make(w, c);
            c->account = w->n_accounts;
            budgets += c->budget;
            account->n++;
        }
        /* the balance ends first where campaigns are together */
        account->balance = together ? budgets / 2 : budgets * 2;
        w->n_accounts++;
    }
    for (uint32_t i = 0; i < NODES_MAX; i++) {
        ads_delays_init(&w->delays[i]);
    }
}


/* ---- clicks -------------------------------------------------------------- */

static struct click **
due_at(struct world *w, int32_t now_s)
{
    return &w->due[(uint32_t)now_s % (LATEST_S + 2)];
}


static void
click_add(struct click **list, struct click *click)
{
    click->next = *list;
    *list = click;
}


/* ---- the worker ---------------------------------------------------------- */

static bool
pays(const struct world *w, const struct campaign *c, const struct sale *sale)
{
    return w->before ? sale->spent < sale->allowance
                     : sale->allowance - sale->spent - sale->promised >= c->bid;
}


static void
ask(struct world *w, uint32_t at, uint32_t node, int32_t now_s)
{
    struct campaign *c = &w->campaigns[at];
    struct sale *sale = &c->on[node];
    struct click *click;

    if (!pays(w, c, sale)) {
        return;
    }
    sale->served += c->bid;
    sale->promised += (c->bid * sale->rate >> 16) + 1;
    if (chance(w) >= c->followed) {
        return;
    }
    click = malloc(sizeof(*click));
    if (click == NULL) {
        abort();
    }
    *click = (struct click){
        .campaign = at,
        .node = (uint32_t)(chance(w) * w->story->n_nodes), /* anyone's */
        .age_s = delay_s(w),
    };
    click_add(due_at(w, now_s + click->age_s + 1), click);
}


/* Clicks of this second go to the journal. */
static void
clicks_come(struct world *w, int32_t now_s)
{
    struct click **due = due_at(w, now_s), *click;

    while ((click = *due) != NULL) {
        *due = click->next;
        w->campaigns[click->campaign].on[click->node].spent +=
            w->campaigns[click->campaign].bid;
        click_add(&w->waiting[click->node], click);
    }
}


/* ---- adsd and the ledger ------------------------------------------------- */

static void
ingest(struct world *w, uint32_t node)
{
    struct click *click;

    while ((click = w->waiting[node]) != NULL) {
        struct campaign *c = &w->campaigns[click->campaign];
        struct account *account = &w->accounts[c->account];

        w->waiting[node] = click->next;
        ads_delays_note(&w->delays[node], click->age_s * INT64_C(1000));
        if (c->bid <= c->budget - c->spent && c->bid <= account->balance) {
            c->spent += c->bid;
            account->balance -= c->bid;
            w->sold += c->bid;
            w->n_billed++;
        } else {
            w->n_free++;
        }
        free(click);
    }
}


static void
others_add(struct ads_stock_others *others, const struct sale *sale)
{
    if (sale->told) {
        others->n++;
        others->coming_micros += sale->told_coming;
        others->room_micros += sale->told_room;
        others->pace_micros += sale->told_pace;
    }
}


static void
seller_make(const struct world *w, struct ads_stock_seller *seller,
            struct campaign *c, uint32_t node, double seconds)
{
    struct sale *sale = &c->on[node];
    struct ads_delays *delays = (struct ads_delays *)&w->delays[node];
    double mine, billed = (double)(c->spent - sale->billed_known);

    *seller = (struct ads_stock_seller){
        .bid_micros = c->bid,
        .left_micros = c->budget - c->spent,
        .sold_micros = c->spent,
    };
    for (uint32_t i = 0; i < w->story->n_nodes; i++) {
        if (i != node) {
            others_add(&seller->others, &c->on[i]);
        }
    }
    mine = (double)sale->forecast.pace * 60 + 1;
    billed *= mine / (mine + (double)seller->others.pace_micros);
    ads_forecast_step(&sale->forecast, delays, seconds,
                      sale->served - sale->known, (int64_t)billed, c->bid);
    sale->known = sale->served;
    sale->billed_known = c->spent;
    seller->coming_micros =
        ads_forecast_coming(&sale->forecast, delays, c->bid);
    seller->pace_micros = (int64_t)((double)sale->forecast.pace * 60);
}


static void
account_round(struct world *w, const struct account *account, uint32_t node,
              int32_t now_s, double seconds)
{
    struct ads_stock_account stock = {
        .balance_micros = account->balance,
        .n_nodes = w->story->n_nodes,
        .node = node,
        .turn = now_s / 2,
    };

    for (uint32_t i = 0; i < account->n; i++) {
        struct campaign *c = &w->campaigns[account->first + i];

        seller_make(w, &w->sellers[i], c, node, seconds);
        for (uint32_t n = 0; n < w->story->n_nodes; n++) {
            if (n != node) {
                others_add(&stock.others, &c->on[n]);
            }
        }
    }
    ads_stock_share(&stock, w->sellers, account->n);
    for (uint32_t i = 0; i < account->n; i++) {
        const struct ads_stock_seller *seller = &w->sellers[i];
        struct campaign *c = &w->campaigns[account->first + i];
        struct sale *sale = &c->on[node];

        if (ads_stock_is_news(seller, sale->told_coming, sale->told_room)) {
            sale->told = true;
            sale->told_coming = seller->coming_micros;
            sale->told_room = seller->room_micros > 0 ? seller->room_micros : 0;
            sale->told_pace = seller->pace_micros;
        }
        sale->rate = ads_forecast_rate(&sale->forecast, c->bid);
        sale->allowance = sale->spent + sale->promised
                          + (seller->room_micros == ADS_STOCK_OUT
                                 ? 0
                                 : c->bid + seller->room_micros);
    }
}


/* The rule of before: what is left, to every node. */
static void
before_round(struct world *w, const struct account *account, uint32_t node)
{
    for (uint32_t i = 0; i < account->n; i++) {
        struct campaign *c = &w->campaigns[account->first + i];
        int64_t left = c->budget - c->spent;

        c->on[node].allowance =
            c->on[node].spent
            + (left < account->balance ? left : account->balance);
    }
}


static void
a_round(struct world *w, uint32_t node, int32_t now_s)
{
    double seconds = now_s - w->since_s[node];

    ingest(w, node);
    ads_delays_learn(&w->delays[node], seconds);
    for (uint32_t i = 0; i < w->n_accounts; i++) {
        if (w->before) {
            before_round(w, &w->accounts[i], node);
        } else {
            account_round(w, &w->accounts[i], node, now_s, seconds);
        }
    }
    w->since_s[node] = now_s;
}


/* ---- a day --------------------------------------------------------------- */

static void
second(struct world *w, int32_t now_s, bool open)
{
    uint32_t n_nodes = w->story->n_nodes;

    for (uint32_t i = 0; open && i < w->n_campaigns; i++) {
        double asked = w->campaigns[i].asked / n_nodes;

        for (uint32_t node = 0; node < n_nodes; node++) {
            for (uint32_t n = events(w, asked); n > 0; n--) {
                ask(w, i, node, now_s);
            }
        }
    }
    clicks_come(w, now_s);
    for (uint32_t node = 0; node < n_nodes; node++) {
        if (w->story->away && now_s >= w->back_s[node]
            && chance(w) * AWAY_EVERY_S < 1) {
            w->back_s[node] = now_s + AWAY_S;
        }
        if (now_s >= w->back_s[node]) {
            a_round(w, node, now_s);
        }
    }
}


/* A day of demand, and the clicks that are late then. */
static struct world
day(const struct story *story, bool before, uint32_t n, uint64_t seed,
    const struct ads_delays *delays)
{
    static struct world w; /* 29 kB of lists */

    w = (struct world){.story = story, .before = before};

    world_make(&w, n, seed);
    for (uint32_t i = 0; i < NODES_MAX && delays != NULL; i++) {
        w.delays[i] = delays[i];
    }
    for (int32_t s = 1; s <= DAY_S + LATEST_S + AWAY_S * 2; s++) {
        second(&w, s, s <= DAY_S);
    }
    free(w.campaigns);
    free(w.accounts);
    free(w.sellers);
    return w;
}


/* ---- what came of it ----------------------------------------------------- */

struct result {
    double free, sold;
};


static struct result
result_of(const struct world *w, const struct world *before)
{
    return (struct result){
        .free = 100.0 * (double)w->n_free / (double)w->n_billed,
        .sold = 100.0 * (double)w->sold / (double)before->sold,
    };
}


/* 0.01 to 100, by magnitude. */
static double
bar_of(double free)
{
    double bar = 100 * (log10(free > 0.01 ? free : 0.01) + 2);

    return bar < 400 ? bar : 400;
}


static void
chart_print(FILE *out, const struct result results[N_STORIES][2])
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 %d\""
            " role=\"img\"\n aria-label=\"Free clicks per 100 billed ones,"
            " before and now\">\n<style>\n"
            "text { font: 12px sans-serif; fill: #222 }\n"
            ".before { fill: #c9a25f }\n.now { fill: #35689f }\n"
            "line { stroke: #888 }\n</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"300\" y=\"18\">Free clicks per 100 billed ones:"
            " served while anything is left (above), now (below)</text>\n",
            60 + 44 * N_STORIES);
    for (int i = 0; i < 5; i++) {
        fprintf(out,
                "<line x1=\"%d\" x2=\"%d\" y1=\"40\" y2=\"%d\"/>\n"
                "<text x=\"%d\" y=\"36\" text-anchor=\"middle\">%g</text>\n",
                300 + 100 * i, 300 + 100 * i, 50 + 44 * N_STORIES,
                300 + 100 * i, pow(10, i - 2));
    }
    for (int i = 0; i < N_STORIES; i++) {
        fprintf(out, "<text x=\"290\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                68 + 44 * i, stories[i].name);
        for (int now = 0; now < 2; now++) {
            double bar = bar_of(results[i][now].free);

            fprintf(out,
                    "<rect class=\"%s\" x=\"300\" y=\"%d\" width=\"%.0f\""
                    " height=\"15\"/>\n<text x=\"%.0f\" y=\"%d\">%.2f</text>\n",
                    now ? "now" : "before", 48 + 44 * i + 16 * now, bar,
                    306 + bar, 60 + 44 * i + 16 * now, results[i][now].free);
        }
    }
    fprintf(out, "</svg>\n");
}


int
main(int argc, char **argv)
{
    int at = argc > 2 && strcmp(argv[1], "--svg") == 0 ? 3 : 1;
    uint32_t n = argc > at ? (uint32_t)atoi(argv[at]) : 280;
    uint64_t seed = argc > at + 1 ? strtoull(argv[at + 1], NULL, 10) : 1;
    struct result results[N_STORIES][2];
    FILE *chart = at == 3 ? fopen(argv[2], "w") : NULL;

    if (at == 3 && chart == NULL) {
        perror(argv[2]);
        return 1;
    }
    n = (n + N_STORIES - 1) / N_STORIES;
    for (int i = 0; i < N_STORIES; i++) {
        struct world before = day(&stories[i], true, n, seed, NULL);
        struct world first = day(&stories[i], false, n, seed + 1, NULL);
        struct world now = day(&stories[i], false, n, seed, first.delays);

        results[i][0] = result_of(&before, &before);
        results[i][1] = result_of(&now, &before);
        printf("%s\t%.3f\t%.2f\t%.3f\n", stories[i].name, results[i][1].free,
               results[i][1].sold, results[i][0].free);
        (void)fflush(stdout);
    }
    if (chart != NULL) {
        chart_print(chart, results);
        return fclose(chart) == 0 ? 0 : 1;
    }
    return 0;
}
