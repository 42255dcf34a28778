/*
 * Maintenance tasks of the database.  Each may fail and is tried again in the
 * next cycle.
 */
#include "daemon/maintain.h"

#include "ads_money.h"
#include "base/clock.h"
#include "daemon/live_file.h"
#include "daemon/migrate.h"

#define DUTY "maintain"
#define BEAT_MS 1000
#define CHECK_MS 500
#define CHECK_MOST_MS 5000
#define SETTLE_ROWS 1000   /* how many one call settles at most */
#define REPORT_DELTAS 5000 /* how many one cycle takes at most */
#define CYCLE_MS (5 * 60 * 1000)
#define QUOTAS_MS (60 * 1000)
#define KEEP_DAYS 100

static const struct db_stmt STMT_SETTINGS = {
    .name = "settings_put",
    .sql = "select ads.settings_put($1, $2, $3, $4, $5, $6, $7,"
           " $8, $9, $10, $11, $12, $13, $14)::text",
    .n_params = 14,
};

static const struct db_stmt STMT_QUOTAS = {
    .name = "quotas_put",
    .sql = "select ads.quotas_put($1, $2::text[]::bigint[])::text",
    .n_params = 2,
};

static const struct db_stmt STMT_USE = {
    .name = "quotas_use",
    .sql = "select name, percent from ads.quotas_use()",
};

enum use_column { USE_NAME, USE_PERCENT };

static const struct db_stmt STMT_TIDY = {
    .name = "quotas_tidy",
    .sql = "select ads.quotas_tidy()::text",
};

static const struct db_stmt STMT_MAINTAIN = {
    .name = "maintain",
    .sql = "select made, dropped from ads.maintain($1)",
    .n_params = 1,
};

enum maintain_column { MAINTAIN_MADE, MAINTAIN_DROPPED };


static const struct db_stmt STMT_SIGN_IN = {
    .name = "sign_in_maintain",
    .sql = "select ads.sign_in_maintain()",
};


static const struct db_stmt STMT_SETTLE = {
    .name = "conversions_settle",
    .sql = "select ads.conversions_settle()",
};


static const struct db_stmt STMT_REPORTS = {
    .name = "reports_cycle",
    .sql = "select ads.reports_cycle($1)",
    .n_params = 1,
};


static enum ads_err
quotas_put(const struct conf *conf, struct db *db, struct pool *pool)
{
    struct ads_str names[ADS_QUOTAS], most[ADS_QUOTAS];
    struct db_args args;

    for (unsigned i = 0; i < ADS_QUOTAS; i++) {
        const char *name = ads_quota_name(i);

        names[i] = (struct ads_str){name, strlen(name)};
        most[i].ptr =
            pool_format(pool, &most[i].len, "%lld", (long long)conf->quotas[i]);
    }
    db_args_init(&args, pool);
    db_arg_texts(&args, names, ADS_QUOTAS);
    db_arg_texts(&args, most, ADS_QUOTAS);
    return db_run_alone(db, &STMT_QUOTAS, &args, NULL);
}


static bool
settings_put(const struct adsd *adsd, struct db *db)
{
    const struct conf *conf = &adsd->conf;
    const char *review = conf->review_manual ? "manual" : "auto";
    static const char *const topups[] = {"manual", "instant", "webhook"};
    const char *topup = topups[conf->topup_settlement];
    static const char *const approvals[] = {"manual", "auto"};
    const char *approval = approvals[conf->publisher_approval];
    struct pool *pool = pool_new();
    struct db_args args;
    enum ads_err err;

    db_args_init(&args, pool);
    db_arg_text(&args, (struct ads_str){conf->currency, 3});
    db_arg_int4(&args, (int32_t)conf->publisher_share_bps);
    db_arg_text(&args, (struct ads_str){review, strlen(review)});
    db_arg_text(&args, (struct ads_str){topup, strlen(topup)});
    db_arg_int4(&args, (int32_t)conf->late_click_s);
    db_arg_int4(&args, (int32_t)conf->conversions_per_click);
    db_arg_int8(&args, conf->conversion_value_max * ADS_MONEY_UNIT);
    db_arg_text(&args, (struct ads_str){approval, strlen(approval)});
    db_arg_int4(&args, (int32_t)conf->payout_hold_days);
    db_arg_int4(&args, (int32_t)conf->too_fast_ms);
    db_arg_int4(&args, (int32_t)conf->burst_clicks);
    db_arg_int4(&args, (int32_t)conf->burst_s);
    db_arg_int4(&args, (int32_t)conf->repeat_s);
    db_arg_int4(&args, (int32_t)conf->crowd_clicks);
    err = db_run_alone(db, &STMT_SETTINGS, &args, NULL);
    if (err == ADS_OK) {
        err = quotas_put(conf, db, pool);
    }
    pool_free(pool);

    if (err == ADS_INVALID) {
        log_error(adsd->log, DUTY,
                  "currency %s is not the one this installation's accounts "
                  "have; it cannot be changed any more",
                  conf->currency);
    }
    return err == ADS_OK;
}


/* Waits until there is a database we can work on. */
static void
wait_until_ready(struct adsd *adsd, struct db *db)
{
    const struct db_options options = {
        .duty = DB_CHECK,
        .conninfo = adsd->conf.database,
        .log = adsd->log,
        .stop_fd = adsd->stop_fd,
        .pulse = adsd_pulse(adsd),
    };
    struct db *check = db_new(&options);
    const char *why, *told = NULL;
    int pause_ms = CHECK_MS;

    while (!adsd_stopping(adsd)) {
        if (migrate_check(check, &adsd->conf, adsd->log, &why, NULL) == ADS_OK)
        {
            if (settings_put(adsd, db)) {
                adsd->ready = true;
                log_info(adsd->log, DUTY, "database ready");
                break;
            }
            why = "the settings of this installation cannot be written";
        }
        if (why != told) { /* constant texts: once per change */
            log_warn(adsd->log, DUTY, "waiting: %s", why);
            told = why;
        }
        (void)adsd_wait(adsd, -1, pause_ms);
        pause_ms =
            pause_ms < CHECK_MOST_MS ? pause_ms + CHECK_MS : CHECK_MOST_MS;
    }
    db_free(check);
}


/* Conversions that came before their click did. */
static void
settle(const struct adsd *adsd, struct db *db)
{
    struct pool *pool = pool_new();
    int64_t n = SETTLE_ROWS;
    struct db_args args;
    struct db_rows *rows;

    while (n == SETTLE_ROWS && !adsd_stopping(adsd)) {
        db_args_init(&args, pool);
        if (db_run_alone(db, &STMT_SETTLE, &args, &rows) != ADS_OK) {
            break;
        }
        n = db_int(rows, 0, DB_ONLY);
    }
    pool_free(pool);
}


/* How much of the quotas is used, for metrics. */
static void
quotas_look(const struct adsd *adsd, struct db *db, struct pool *pool)
{
    struct db_args args;
    struct db_rows *rows;

    db_args_init(&args, pool);
    if (db_run_alone(db, &STMT_USE, &args, &rows) != ADS_OK) {
        return;
    }
    for (int i = 0; i < db_n_rows(rows); i++) {
        const unsigned quota = ads_quota_find(db_text(rows, i, USE_NAME));

        if (quota < ADS_QUOTAS) {
            live_file_set(adsd->live, ADS_LIVE_QUOTA_USE + quota,
                          (uint64_t)db_int(rows, i, USE_PERCENT));
        }
    }
    db_args_init(&args, pool);
    (void)!db_run_alone(db, &STMT_TIDY, &args, NULL);
}


/* Takes what happened into the reports. */
static void
reports(const struct adsd *adsd, struct db *db)
{
    struct pool *pool = pool_new();
    struct db_args args;
    struct db_rows *rows;
    bool more = true;

    while (more && !adsd_stopping(adsd)) {
        pool_reset(pool);
        db_args_init(&args, pool);
        db_arg_int4(&args, REPORT_DELTAS);
        more = db_run_alone(db, &STMT_REPORTS, &args, &rows) == ADS_OK
               && db_bool(rows, 0, DB_ONLY);
    }
    pool_free(pool);
}


static void
cycle(const struct adsd *adsd, struct db *db)
{
    struct pool *pool = pool_new();
    struct db_args args;
    struct db_rows *rows;

    db_args_init(&args, pool);
    db_arg_int4(&args, KEEP_DAYS);
    if (db_run_alone(db, &STMT_MAINTAIN, &args, &rows) == ADS_OK
        && db_n_rows(rows) == 1
        && db_int(rows, 0, MAINTAIN_MADE) + db_int(rows, 0, MAINTAIN_DROPPED)
               > 0)
    {
        log_info(adsd->log, DUTY, "partitions: %d made, %d dropped",
                 (int)db_int(rows, 0, MAINTAIN_MADE),
                 (int)db_int(rows, 0, MAINTAIN_DROPPED));
    }
    db_args_init(&args, pool);
    if (db_run_alone(db, &STMT_SIGN_IN, &args, NULL) != ADS_OK) {
        log_warn(adsd->log, DUTY, "what is over of signing in stays a while");
    }
    pool_free(pool);
}


void
maintain_run(struct adsd *adsd)
{
    const struct db_options options = {
        .duty = DB_MAINTAIN,
        .conninfo = adsd->conf.database,
        .log = adsd->log,
        .stop_fd = adsd->stop_fd,
        .pulse = adsd_pulse(adsd),
    };
    struct db *db = db_new(&options);
    int64_t next_ms = 0, quotas_ms = 0;
    struct pool *pool = pool_new();

    wait_until_ready(adsd, db);

    while (!adsd_stopping(adsd)) {
        if (clock_monotonic_ms() >= next_ms) {
            cycle(adsd, db);
            next_ms = clock_monotonic_ms() + CYCLE_MS;
        }
        if (clock_monotonic_ms() >= quotas_ms) {
            quotas_look(adsd, db, pool);
            pool_reset(pool);
            quotas_ms = clock_monotonic_ms() + QUOTAS_MS;
        }
        settle(adsd, db);
        reports(adsd, db);
        (void)adsd_wait(adsd, -1, BEAT_MS);
    }
    pool_free(pool);
    db_free(db);
}
