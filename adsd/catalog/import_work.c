/*
 * Runs waiting imports, on several threads that poll each half second.  Which
 * feed is next the database says (76_imports.sql): one account after the other,
 * and one thread takes small feeds only, so that they overtake the large ones.
 * What a feed may cost follows from its length: one that packs too well, has
 * too many rows, takes too long or begins with bad rows only is given up.
 *
 * A feed is fetched from the database into memory of its own, and its progress
 * is written on a second connection, since the first one's transaction shows
 * nothing before its end.
 */
#define _GNU_SOURCE /* memfd_create */

#include "catalog/import_work.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "catalog/feed.h"
#include "catalog/import.h"
#include "daemon/live_file.h"

#define DUTY "import"
#define CYCLE_MS 500
#define PROGRESS_MS 500
#define PIECE_LEN (1024 * 1024)
#define MIB (INT64_C(1) << 20)
#define SMALL_LEN MIB             /* what the thread for small feeds takes */
#define UNPACKED_LEAST (64 * MIB) /* whatever the ratio */
#define UNPACKED_MAX (1024 * MIB)
#define UNPACKED_RATIO 100
#define ROWS_MAX 5000000
#define READ_MS 60000 /* and so many more for each MiB */
#define TIDY_MS (60 * 60 * 1000)
#define KEEP_DAYS 30

enum claim_column {
    C_ID,
    C_ATTEMPT,
    C_ACCOUNT,
    C_CAMPAIGN,
    C_DRY_RUN,
    C_ARCHIVE_GONE,
    C_GONE_MAX,
    C_BASE_URL,
    C_CURRENCY,
    C_FORMAT,
    C_DECIMAL,
    C_MAP,
    C_ACTOR,
    C_BODY_LEN
};

static const struct db_stmt STMT_CLAIM = {
    .name = "import_claim",
    .sql = "select c.import_id, c.attempt, c.account_id, c.campaign_id,"
           " c.dry_run, c.archive_gone, c.gone_max, c.base_url, c.currency,"
           " c.format, c.decimal_mark, c.column_map, c.actor, c.body_len from "
           "ads.import_claim($1) c",
    .n_params = 1,
};

static const struct db_stmt STMT_BODY = {
    .name = "import_body",
    .sql = "select ads.import_body($1, $2, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_PROGRESS = {
    .name = "import_progress",
    .sql = "select ads.import_progress($1, $2, $3, $4, $5, $6)::text",
    .n_params = 6,
};

static const struct db_stmt STMT_FAIL = {
    .name = "import_fail",
    .sql = "select ads.import_fail($1, $2, $3, $4)::text",
    .n_params = 4,
};

static const struct db_stmt STMT_TIDY = {
    .name = "imports_tidy",
    .sql = "select ads.imports_tidy($1)",
    .n_params = 1,
};

struct work {
    struct adsd *adsd;
    struct db *db;
    struct db *told; /* progress, and what else is written at once */
    struct pool *pool;
    int64_t len_max; /* of the feeds it takes */
    struct ads_uuid id;
    int32_t attempt;
    struct feed *feed;
    int64_t told_ms;
    enum import_phase phase;
};


/* ---- progress ---- */

static void
progress_put(struct work *work, const struct import_totals *totals)
{
    const char *phase = import_phase_name(totals->phase);
    struct pool *pool = pool_new();
    struct db_args args;

    db_args_init(&args, pool);
    db_arg_uuid(&args, &work->id);
    db_arg_int4(&args, work->attempt);
    db_arg_text(&args, (struct ads_str){phase, strlen(phase)});
    db_arg_int4(&args,
                (int32_t)import_percent(totals, feed_permille(work->feed)));
    db_arg_int8(&args, (int64_t)totals->rows);
    db_arg_int8(&args, (int64_t)totals->bad);
    /* the next one tells what this one could not */
    (void)!db_run_alone(work->told, &STMT_PROGRESS, &args, NULL);
    pool_free(pool);
}


static bool
progress(void *ctx, const struct import_totals *totals)
{
    struct work *work = ctx;
    int64_t at_ms = clock_monotonic_ms();

    if (at_ms - work->told_ms >= PROGRESS_MS || totals->phase != work->phase) {
        work->told_ms = at_ms;
        work->phase = totals->phase;
        progress_put(work, totals);
    }
    return !adsd_stopping(work->adsd);
}


static void
fail(struct work *work, const char *code, const char *detail)
{
    struct db_args args;

    db_args_init(&args, work->pool);
    db_arg_uuid(&args, &work->id);
    db_arg_int4(&args, work->attempt);
    db_arg_text(&args, (struct ads_str){code, strlen(code)});
    db_arg_text(&args, (struct ads_str){detail, strlen(detail)});
    /* where that fails too it is started again */
    (void)!db_run_alone(work->told, &STMT_FAIL, &args, NULL);
}


/* ---- the feed ---- */

static enum ads_err
piece_take(struct work *work, int fd, int64_t from)
{
    struct pool *pool = pool_new();
    struct db_args args;
    struct db_rows *rows;
    struct ads_str piece;
    enum ads_err err;

    db_args_init(&args, pool);
    db_arg_uuid(&args, &work->id);
    db_arg_int8(&args, from);
    db_arg_int4(&args, PIECE_LEN);
    err = db_run_alone(work->db, &STMT_BODY, &args, &rows);
    if (err == ADS_OK) {
        piece = db_bytea(rows, 0, DB_ONLY);
        if (piece.len == 0) {
            err = ADS_ABSENT; /* somebody else has ended it */
        } else if (pwrite(fd, piece.ptr, piece.len, from) != (ssize_t)piece.len)
        {
            err = ADS_IO;
        }
    }
    pool_free(pool);
    return err;
}


/* A feed of so many bytes unpacks to no more than this. */
static uint64_t
unpacked_max(int64_t len)
{
    int64_t most = len * UNPACKED_RATIO;

    most = most < UNPACKED_LEAST ? UNPACKED_LEAST : most;
    return (uint64_t)(most > UNPACKED_MAX ? UNPACKED_MAX : most);
}


static enum ads_err
feed_fetch(struct work *work, int64_t len)
{
    int fd = memfd_create("feed", MFD_CLOEXEC);
    enum ads_err err = fd < 0 ? ADS_IO : ADS_OK;

    for (int64_t from = 0; from < len && err == ADS_OK; from += PIECE_LEN) {
        err = adsd_stopping(work->adsd) ? ADS_UNAVAILABLE
                                        : piece_take(work, fd, from);
    }
    if (err == ADS_OK) {
        return feed_open_fd(&work->feed, fd, unpacked_max(len));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return err;
}


/* ---- one import ---- */

static enum import_format
format_of(struct ads_str name)
{
    int i = 0;

    while (i < IMPORT_FORMATS
           && !ads_str_is(name, import_format_name((enum import_format)i)))
    {
        i++;
    }
    return (enum import_format)i;
}


/* The database's message names the quota. */
static void
quota_fail(struct work *work)
{
    const char *what = db_message(work->db);
    const struct ads_str text = {what, strlen(what)};
    const unsigned quota = ads_quota_find(text);

    if (quota < ADS_QUOTAS) {
        live_file_add(work->adsd->live, ADS_LIVE_QUOTA_REFUSED + quota, 1);
    }
    fail(work, "quota_exceeded", pool_text(work->pool, text));
}


/* What the database refused for good is reported; all else is tried again. */
static void
error_settle(struct work *work, enum ads_err err)
{
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(work->db), "ADN01") == 0) {
        fail(work, "campaign_not_found", "the campaign is archived");
    } else if (err == ADS_CONFLICT
               && strncmp(db_sqlstate(work->db), "ADQ", 3) == 0) {
        quota_fail(work);
    } else if (err == ADS_INVALID || err == ADS_IO || err == ADS_DENIED) {
        fail(work, "internal", "it could not be written");
    }
}


static void
import_do(struct work *work, const struct db_rows *rows)
{
    const struct ads_uuid account = db_uuid(rows, 0, C_ACCOUNT);
    const int64_t len = db_int(rows, 0, C_BODY_LEN);
    const struct import_options options = {
        .account = account,
        .campaign = db_uuid(rows, 0, C_CAMPAIGN),
        .base_url = db_text(rows, 0, C_BASE_URL),
        .currency = db_text(rows, 0, C_CURRENCY),
        .format = format_of(db_text(rows, 0, C_FORMAT)),
        .decimal = import_decimal_find(db_text(rows, 0, C_DECIMAL)),
        .map = db_text(rows, 0, C_MAP),
        .dry_run = db_bool(rows, 0, C_DRY_RUN),
        .archive_gone = db_bool(rows, 0, C_ARCHIVE_GONE),
        .gone_max = (int)db_int(rows, 0, C_GONE_MAX),
        .gives_up = true,
        .rows_max = ROWS_MAX,
        .deadline_ms = clock_monotonic_ms() + READ_MS * (1 + len / MIB),
        .actor = db_text(rows, 0, C_ACTOR),
        .id = &work->id,
        .attempt = work->attempt,
        .progress = progress,
        .ctx = work,
    };
    struct import_totals totals;
    enum ads_err err = feed_fetch(work, len);

    if (err == ADS_OK) {
        err = import_run(&totals, work->feed, work->db, &options);
        feed_close(work->feed);
    }
    if (err != ADS_OK) {
        error_settle(work, err);
        return;
    }
    log_info(work->adsd->log, DUTY, "%s: %llu rows, %llu bad",
             totals.verdict == IMPORT_DONE
                 ? "imported"
                 : import_verdict_code(totals.verdict),
             (unsigned long long)totals.rows, (unsigned long long)totals.bad);
    adsd_publish_soon(work->adsd);
}


/* False: nothing waits, or nothing can be done now. */
static bool
cycle(struct work *work)
{
    struct db_args args;
    struct db_rows *rows;

    db_args_init(&args, work->pool);
    db_arg_int8(&args, work->len_max);
    if (db_run_alone(work->db, &STMT_CLAIM, &args, &rows) != ADS_OK
        || db_n_rows(rows) == 0)
    {
        return false;
    }
    work->id = db_uuid(rows, 0, C_ID);
    work->attempt = (int32_t)db_int(rows, 0, C_ATTEMPT);
    work->feed = NULL;
    work->told_ms = clock_monotonic_ms();
    work->phase = IMPORT_READING;
    import_do(work, rows);
    return true;
}


static void
tidy(struct work *work)
{
    struct db_args args;

    db_args_init(&args, work->pool);
    db_arg_int4(&args, KEEP_DAYS);
    (void)!db_run_alone(work->told, &STMT_TIDY, &args, NULL);
}


/* The life of one thread; `tidies` is whether it also drops old imports. */
static void
work_run(struct adsd *adsd, int64_t len_max, bool tidies)
{
    struct db_options options = {
        .duty = DB_IMPORT,
        .conninfo = adsd->conf.database,
        .log = adsd->log,
        .stop_fd = adsd->stop_fd,
        .pulse = adsd_pulse(adsd),
    };
    struct work work = {.adsd = adsd, .pool = pool_new(), .len_max = len_max};
    int64_t tidy_ms = 0;

    work.db = db_new(&options);
    options.duty = DB_MAINTAIN;
    work.told = db_new(&options);
    while (!adsd_stopping(adsd) && adsd_wait_for_database(adsd, work.db)) {
        bool more = cycle(&work);

        if (tidies && clock_monotonic_ms() >= tidy_ms) {
            tidy_ms = clock_monotonic_ms() + TIDY_MS;
            tidy(&work);
        }
        pool_reset(work.pool);
        if (!more) {
            (void)adsd_wait(adsd, -1, CYCLE_MS);
        }
    }
    pool_free(work.pool);
    db_free(work.told);
    db_free(work.db);
}


static void *
small_run(void *arg)
{
    work_run(arg, SMALL_LEN, false);
    return NULL;
}


static void *
any_run(void *arg)
{
    work_run(arg, INT64_MAX, false);
    return NULL;
}


void
import_work_run(struct adsd *adsd)
{
    size_t wanted = (size_t)adsd->conf.import_threads - 1, n = 0;
    pthread_t *threads = xcalloc(wanted + 1, sizeof(*threads));

    while (
        n < wanted
        && pthread_create(&threads[n], NULL, n == 0 ? small_run : any_run, adsd)
               == 0)
    {
        n++;
    }
    if (n < wanted) {
        log_warn(adsd->log, DUTY, "could start only %zu of %zu threads", n + 1,
                 wanted + 1);
    }
    work_run(adsd, INT64_MAX, true);
    while (n > 0) {
        (void)pthread_join(threads[--n], NULL);
    }
    free(threads);
}
