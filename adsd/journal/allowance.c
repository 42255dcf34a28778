/*
 * Computes allowances, once in each ingest cycle.  What is not in PostgreSQL's
 * answer may sell nothing, so a campaign that is paused, ended or unknown stops
 * by itself.
 */
#include "journal/allowance.h"

#include <stdlib.h>

#include "base/clock.h"

#define KEPT_MAX (UINT64_C(1) << 56) /* more is damage */

static const struct db_stmt STMT_ALLOWANCES = {
    .name = "allowances",
    .sql = "select campaign_id, account_id, bid_micros, balance_micros,"
           "    budget_micros, sold_micros, billed_micros,"
           "    others, others_coming_micros, others_room_micros,"
           "    others_pace_micros, account_others, account_coming_micros,"
           "    account_room_micros, account_pace_micros,"
           "    n_nodes, node_no, turn "
           "from ads.allowances($1)",
    .n_params = 1,
};

enum allowance_column {
    CAMPAIGN,
    ACCOUNT,
    BID,
    BALANCE,
    BUDGET,
    SOLD,
    BILLED,
    OTHERS, /* and three more */
    ACCOUNT_OTHERS = OTHERS + 4,
    N_NODES = ACCOUNT_OTHERS + 4,
    NODE_NO,
    TURN
};

static const struct db_stmt STMT_SAY = {
    .name = "sales_put",
    .sql = "select ads.sales_put($1, $2, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_SAID = {
    .name = "sales_of",
    .sql = "select campaign_id, live, served_micros, coming_micros "
           "from ads.sales_of($1)",
    .n_params = 1,
};

enum said_column { SAID_CAMPAIGN, SAID_LIVE, SAID_SERVED, SAID_COMING };

/* Of a campaign, by its slot in `live`. */
struct allowance_slot {
    struct ads_forecast forecast;
    int64_t used_micros;   /* spent and promised when the cycle began */
    int64_t served_micros; /* links, when the cycle began */
    int64_t known_micros;  /* of them in the forecast */
    int64_t billed_micros; /* everywhere, ever; -1: not known */
    int64_t follow_micros; /* billed since: for the forecast */
    int64_t bid_micros;    /* 0: never sold anything */
    int64_t offer_micros;  /* what may be sold beyond used */
    int64_t said_coming;
    int64_t said_room;
};

/* A campaign of PostgreSQL's answer. */
struct row {
    struct ads_uuid campaign;
    struct ads_uuid account;
    uint32_t slot;
    int at; /* row of the answer */
};


/* Makes room for that many slots; `live` grows. */
static void
room_make(struct allowance *allowance, uint32_t n)
{
    const uint32_t least = 1024;
    uint32_t from = allowance->room;

    if (n <= from) {
        return;
    }
    while (allowance->room < n) {
        allowance->room = 2 * allowance->room + least;
    }
    allowance->slots = xrealloc(
        allowance->slots, allowance->room * sizeof(struct allowance_slot));
    for (uint32_t i = from; i < allowance->room; i++) {
        allowance->slots[i] = (struct allowance_slot){.billed_micros = -1};
    }
}


void
allowance_end(struct allowance *allowance)
{
    free(allowance->slots);
}


void
allowance_note(struct allowance *allowance, int64_t age_ms)
{
    ads_delays_note(&allowance->delays, age_ms);
}


static int64_t
sum_of(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}


void
allowance_look(struct allowance *allowance)
{
    const struct ads_live *live = live_file_current(allowance->file);
    const struct ads_live_slot *at;
    struct allowance_slot *slot;
    uint64_t tag;

    allowance->looked_us = clock_monotonic_us();
    allowance->live_id = live->id;
    allowance->n = live_file_used(allowance->file);
    room_make(allowance, allowance->n);
    for (uint32_t i = 0; i < allowance->n; i++) {
        at = ads_live_slot_at(live, i, &tag);
        slot = &allowance->slots[i];
        slot->used_micros = 0;
        if (at != NULL) {
            slot->used_micros =
                sum_of(ads_live_spent(at), ads_live_promised(at));
            slot->served_micros = ads_live_served(at);
        }
    }
}


/* ---- forecasts ----------------------------------------------------------- */

/*
 * A file of which nothing is known here, after a start or a new one: its links
 * are those that were said.  What was served since, without us, is new.
 */
static enum ads_err
recall(struct allowance *allowance, struct db *db, struct pool *pool,
       uint64_t node)
{
    struct ads_uuid campaign;
    struct allowance_slot *slot;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    uint64_t tag;
    uint32_t at;

    db_args_init(&args, pool);
    db_arg_int8(&args, (int64_t)node);
    err = db_run_alone(db, &STMT_SAID, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    for (uint32_t i = 0; i < allowance->room; i++) {
        slot = &allowance->slots[i];
        slot->forecast = (struct ads_forecast){.due = 0};
        slot->known_micros = i < allowance->n ? slot->served_micros : 0;
        slot->billed_micros = -1;
        slot->bid_micros = 0;
        slot->said_coming = 0;
        slot->said_room = 0;
    }
    for (int i = 0; i < db_n_rows(rows); i++) {
        campaign = db_uuid(rows, i, SAID_CAMPAIGN);
        if (live_file_claim(allowance->file, &campaign, &at, &tag) != ADS_OK) {
            continue;
        }
        room_make(allowance, at + 1);
        slot = &allowance->slots[at];
        slot->said_coming = db_int(rows, i, SAID_COMING);
        ads_forecast_recall(&slot->forecast, &allowance->delays,
                            slot->said_coming);
        if ((uint64_t)db_int(rows, i, SAID_LIVE) == allowance->live_id) {
            slot->known_micros = db_int(rows, i, SAID_SERVED);
        }
    }
    allowance->known_id = allowance->live_id;
    allowance->foreseen_us = allowance->looked_us;
    return ADS_OK;
}


_Static_assert(ADS_DELAYS <= ADS_LIVE_DELAYS_MAX, "live has a word for each");

static double
kept_read(const struct allowance *allowance, uint32_t word)
{
    uint64_t value = live_file_get(allowance->file, ADS_LIVE_DELAYS + word);

    return value < KEPT_MAX ? (double)value / 1000 : 0;
}


/* How late people click, as adsd knew it before it began again. */
static void
delays_read(struct allowance *allowance)
{
    for (uint32_t i = 0; i < ADS_DELAYS; i++) {
        allowance->delays.followed[i] = kept_read(allowance, 2 * i);
        allowance->delays.passed[i] = kept_read(allowance, 2 * i + 1);
    }
}


static void
delays_keep(const struct allowance *allowance)
{
    for (uint32_t i = 0; i < ADS_DELAYS; i++) {
        live_file_set(allowance->file, ADS_LIVE_DELAYS + 2 * i,
                      (uint64_t)(allowance->delays.followed[i] * 1000));
        live_file_set(allowance->file, ADS_LIVE_DELAYS + 2 * i + 1,
                      (uint64_t)(allowance->delays.passed[i] * 1000));
    }
}


void
allowance_init(struct allowance *allowance, struct live_file *file)
{
    *allowance = (struct allowance){.file = file};
    ads_delays_init(&allowance->delays);
    delays_read(allowance);
}


/* The forecasts, up to when the slots were read. */
static void
foresee(struct allowance *allowance)
{
    double seconds =
        (double)(allowance->looked_us - allowance->foreseen_us) / 1e6;
    struct allowance_slot *slot;

    allowance->foreseen_us = allowance->looked_us;
    ads_delays_learn(&allowance->delays, seconds);
    for (uint32_t i = 0; i < allowance->n; i++) {
        slot = &allowance->slots[i];
        if (slot->bid_micros > 0) {
            ads_forecast_step(&slot->forecast, &allowance->delays, seconds,
                              slot->served_micros - slot->known_micros,
                              slot->follow_micros, slot->bid_micros);
            slot->known_micros = slot->served_micros;
            slot->follow_micros = 0;
        }
    }
    delays_keep(allowance);
}


/* ---- rows ---------------------------------------------------------------- */

static struct ads_stock_others
others_read(const struct db_rows *rows, int i, int column)
{
    return (struct ads_stock_others){
        .n = db_int(rows, i, column),
        .coming_micros = db_int(rows, i, column + 1),
        .room_micros = db_int(rows, i, column + 2),
        .pace_micros = db_int(rows, i, column + 3),
    };
}


/*
 * What was billed anywhere since is this node's by its part of the traffic:
 * people may follow a link to another node than the one that served it.
 */
static void
follow_read(struct allowance_slot *slot, const struct db_rows *rows, int i)
{
    int64_t billed = db_int(rows, i, BILLED);
    double mine = (double)slot->forecast.pace * 60 + 1;
    double others = (double)db_int(rows, i, OTHERS + 3);

    if (slot->billed_micros >= 0 && billed > slot->billed_micros) {
        slot->follow_micros += (int64_t)((double)(billed - slot->billed_micros)
                                         * mine / (mine + others));
    }
    slot->billed_micros = billed;
    slot->bid_micros = db_int(rows, i, BID);
}


/* Where each row's campaign is in `live`.  What finds no room there is left
 * out: it is not sold, and holds up no other. */
static enum ads_err
rows_place(struct allowance *allowance, const struct db_rows *answer,
           struct row *rows, int *n)
{
    enum ads_err err;
    uint64_t tag;

    *n = 0;
    for (int i = 0; i < db_n_rows(answer); i++) {
        struct row *row = &rows[*n];

        row->at = i;
        row->campaign = db_uuid(answer, i, CAMPAIGN);
        row->account = db_uuid(answer, i, ACCOUNT);
        err =
            live_file_claim(allowance->file, &row->campaign, &row->slot, &tag);
        if (err == ADS_FULL) {
            continue;
        }
        if (err != ADS_OK) {
            return err;
        }
        room_make(allowance, row->slot + 1);
        for (; allowance->n <= row->slot; allowance->n++) {
            /* claimed since the cycle began: no worker could sell it before */
            allowance->slots[allowance->n].used_micros = 0;
            allowance->slots[allowance->n].served_micros = 0;
            allowance->slots[allowance->n].known_micros = 0;
        }
        follow_read(&allowance->slots[row->slot], answer, i);
        (*n)++;
    }
    return ADS_OK;
}


/* What the campaigns of one account, rows from `from` on, may offer. */
static void
account_share(struct allowance *allowance, const struct db_rows *answer,
              const struct row *rows, struct ads_stock_seller *sellers,
              int from, int n)
{
    struct ads_stock_account account = {
        .balance_micros = db_int(answer, rows[from].at, BALANCE),
        .others = others_read(answer, rows[from].at, ACCOUNT_OTHERS),
        .n_nodes = (uint32_t)db_int(answer, rows[from].at, N_NODES),
        .node = (uint32_t)db_int(answer, rows[from].at, NODE_NO),
        .turn = db_int(answer, rows[from].at, TURN),
    };

    for (int i = from; i < from + n; i++) {
        struct allowance_slot *slot = &allowance->slots[rows[i].slot];

        sellers[i] = (struct ads_stock_seller){
            .bid_micros = slot->bid_micros,
            .left_micros = db_int(answer, rows[i].at, BUDGET),
            .sold_micros = db_int(answer, rows[i].at, SOLD),
            .coming_micros = ads_forecast_coming(
                &slot->forecast, &allowance->delays, slot->bid_micros),
            .pace_micros = (int64_t)((double)slot->forecast.pace * 60),
            .others = others_read(answer, rows[i].at, OTHERS),
        };
    }
    ads_stock_share(&account, sellers + from, (uint32_t)n);
    for (int i = from; i < from + n; i++) {
        allowance->slots[rows[i].slot].offer_micros =
            sellers[i].room_micros == ADS_STOCK_OUT
                ? 0
                : sum_of(sellers[i].bid_micros, sellers[i].room_micros);
    }
}


/* ---- what is said -------------------------------------------------------- */

static enum ads_err
sales_send(struct db *db, struct pool *pool, uint64_t node, int64_t epoch,
           const struct db_records *sales)
{
    struct db_args args;
    struct db_tx *tx;
    uint32_t type;
    enum ads_err err = db_begin(db, &tx);

    if (err != ADS_OK) {
        return err;
    }
    err = db_type_find(tx, "ads.sale_in", pool, &type);
    if (err == ADS_OK) {
        db_args_init(&args, pool);
        db_arg_int8(&args, (int64_t)node);
        db_arg_int8(&args, epoch);
        db_arg_records(&args, type, sales, (struct db_records_at){0},
                       db_records_end_at(sales));
        err = db_run(tx, &STMT_SAY, &args, NULL);
    }
    if (err == ADS_OK) {
        err = db_commit(tx);
    }
    db_end(tx);
    return err;
}


/* Says what has changed. */
static enum ads_err
say(struct allowance *allowance, struct db *db, struct pool *pool,
    const struct row *rows, const struct ads_stock_seller *sellers, int n,
    uint64_t node, int64_t epoch)
{
    struct db_records sales = {0};
    enum ads_err err = ADS_OK;
    bool news = false;

    for (int i = 0; i < n; i++) {
        const struct ads_stock_seller *seller = &sellers[i];
        struct allowance_slot *slot = &allowance->slots[rows[i].slot];
        int64_t room = seller->room_micros > 0 ? seller->room_micros : 0;

        if (!ads_stock_is_news(seller, slot->said_coming, slot->said_room)) {
            continue;
        }
        news = true;
        slot->said_coming = seller->coming_micros;
        slot->said_room = room;
        db_records_begin(&sales, 6);
        db_records_uuid(&sales, &rows[i].campaign);
        db_records_int8(&sales, (int64_t)allowance->live_id);
        db_records_int8(&sales, slot->served_micros);
        db_records_int8(&sales, seller->coming_micros);
        db_records_int8(&sales, room);
        db_records_int8(&sales, seller->pace_micros);
        db_records_end(&sales);
    }
    if (news) {
        err = sales_send(db, pool, node, epoch, &sales);
    }
    db_records_free(&sales);
    return err;
}


/* ---- the cycle's end ----------------------------------------------------- */

static void
slots_set(const struct allowance *allowance, const struct ads_live *live,
          bool whole)
{
    const struct allowance_slot *slot;
    struct ads_live_slot *at;
    int64_t allowed;
    uint64_t tag;

    for (uint32_t i = 0; i < allowance->n; i++) {
        slot = &allowance->slots[i];
        at = ads_live_slot_at(live, i, &tag);
        if (at == NULL) {
            continue;
        }
        if (slot->bid_micros > 0) {
            ads_live_expect(
                at, ads_forecast_rate(&slot->forecast, slot->bid_micros));
        }
        allowed = sum_of(slot->used_micros, slot->offer_micros);
        if (whole || allowed < ads_live_allowance(at)) {
            ads_live_allow(at, allowed, ADS_LIVE_THROTTLE_OPEN);
        }
    }
}


/* What each campaign of the answer may offer, said to the other nodes. */
static enum ads_err
offers_make(struct allowance *allowance, struct db *db, struct pool *pool,
            const struct db_rows *answer, uint64_t node, int64_t epoch)
{
    size_t room = (size_t)db_n_rows(answer) + 1;
    struct row *rows = pool_alloc(pool, room * sizeof(*rows));
    struct ads_stock_seller *sellers =
        pool_alloc(pool, room * sizeof(*sellers));
    int n;
    enum ads_err err = rows_place(allowance, answer, rows, &n);

    if (err != ADS_OK) {
        return err;
    }
    foresee(allowance);
    for (uint32_t i = 0; i < allowance->n; i++) {
        allowance->slots[i].offer_micros = 0;
    }
    for (int from = 0, next; from < n; from = next) {
        for (next = from + 1;
             next < n
             && ads_uuid_equal(&rows[next].account, &rows[from].account);
             next++)
        {
        }
        account_share(allowance, answer, rows, sellers, from, next - from);
    }
    return say(allowance, db, pool, rows, sellers, n, node, epoch);
}


enum ads_err
allowance_set(struct allowance *allowance, struct db *db, struct pool *pool,
              uint64_t node, int64_t epoch, bool whole)
{
    const struct ads_live *live;
    struct db_args args;
    struct db_rows *answer;
    enum ads_err err = ADS_OK;

    pool_reset(pool);
    if (allowance->known_id != allowance->live_id) {
        err = recall(allowance, db, pool, node);
    }
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, pool);
    db_arg_int8(&args, (int64_t)node);
    err = db_run_alone(db, &STMT_ALLOWANCES, &args, &answer);
    if (err != ADS_OK) {
        return err;
    }
    if (!live_file_may_sell(allowance->file)) {
        return ADS_BUSY;
    }
    err = offers_make(allowance, db, pool, answer, node, epoch);
    if (err != ADS_OK) {
        return err;
    }
    live = live_file_current(allowance->file);
    if (live->id != allowance->live_id) {
        return ADS_BUSY; /* replaced meanwhile: the next cycle reads it again */
    }
    slots_set(allowance, live, whole);
    return ADS_OK;
}
