/*
 * Settles clicks that were set aside, and looks after who holds them up.
 *
 * A holder is named once.  It is ended on a connection that takes no duty: only
 * the login itself may end its sessions.
 */
#include "journal/ingest_held.h"

#include <stdlib.h>

#include "base/clock.h"

#define DUTY "ingest"
#define TICK_MS 500
#define LOOK_MS 500
#define HOLDERS 16 /* remembered at once; others are named later */

struct holder {
    int64_t pid; /* 0: free */
    int64_t since_ms;
    int64_t seen_ms;
    bool ended;
};

struct ingest_held {
    struct log *log;
    struct db *ends; /* as the login itself */
    struct pool *pool;
    int64_t holder_max_ms;
    int64_t tick_at_ms;
    int64_t look_at_ms;
    uint64_t n_accounts;
    uint64_t oldest_us;
    struct holder holders[HOLDERS];
};

static const struct db_stmt STMT_SETTLE = {
    .name = "held_settle",
    .sql = "select settled, blocked, oldest_at from ads.held_settle($1, $2)",
    .n_params = 2,
};

enum settle_column { SETTLE_SETTLED, SETTLE_BLOCKED, SETTLE_OLDEST_AT };

static const struct db_stmt STMT_HELD_BY = {
    .name = "held_by",
    .sql = "select account_id, pid, login, application, ours"
           " from ads.held_by()",
};

enum by_column { BY_ACCOUNT, BY_PID, BY_LOGIN, BY_APPLICATION, BY_OURS };

/* A number may be another session's by now: this one must have begun its
 * transaction long enough ago. */
static const struct db_stmt STMT_END = {
    .name = "holder_end",
    .sql = "select pg_terminate_backend(a.pid) from pg_stat_activity a"
           " where a.pid = $1 and a.usename = session_user"
           " and a.application_name = $2 and a.xact_start is not null"
           " and a.xact_start < now() - make_interval(secs => $3 / 2)",
    .n_params = 3,
};


struct ingest_held *
ingest_held_new(const struct adsd *adsd)
{
    const struct db_options options = {.duty = DB_CHECK,
                                       .conninfo = adsd->conf.database,
                                       .log = adsd->log,
                                       .stop_fd = adsd->stop_fd,
                                       .pulse = adsd_pulse(adsd)};
    struct ingest_held *held = xcalloc(1, sizeof(*held));

    held->log = adsd->log;
    held->ends = db_new(&options);
    held->pool = pool_new();
    held->holder_max_ms = adsd->conf.lock_holder_max_s * 1000;
    return held;
}


void
ingest_held_free(struct ingest_held *held)
{
    if (held != NULL) {
        pool_free(held->pool);
        db_free(held->ends);
        free(held);
    }
}


uint64_t
ingest_held_accounts(const struct ingest_held *held)
{
    return held->n_accounts;
}


uint64_t
ingest_held_oldest_us(const struct ingest_held *held)
{
    return held->oldest_us;
}


/* The place of that holder, made when it is new; NULL when there is no room.
 * Who was not seen for two looks has let go. */
static struct holder *
holder_find(struct ingest_held *held, int64_t pid, int64_t now_ms, bool *is_new)
{
    struct holder *free_one = NULL;

    *is_new = false;
    for (int i = 0; i < HOLDERS; i++) {
        struct holder *holder = &held->holders[i];

        if (holder->pid != 0 && now_ms - holder->seen_ms > 4 * LOOK_MS) {
            holder->pid = 0;
        }
        if (holder->pid == pid && pid != 0) {
            holder->seen_ms = now_ms;
            return holder;
        }
        if (holder->pid == 0) {
            free_one = holder;
        }
    }
    if (free_one != NULL) {
        *free_one =
            (struct holder){.pid = pid, .since_ms = now_ms, .seen_ms = now_ms};
        *is_new = true;
    }
    return free_one;
}


static void
holder_end(struct ingest_held *held, struct holder *holder,
           struct ads_str application)
{
    struct db_args args;
    struct db_rows *rows;

    db_args_init(&args, held->pool);
    db_arg_int4(&args, (int32_t)holder->pid);
    db_arg_text(&args, application);
    db_arg_int8(&args, held->holder_max_ms / 1000);
    if (db_run_alone(held->ends, &STMT_END, &args, &rows) == ADS_OK
        && db_n_rows(rows) > 0 && db_bool(rows, 0, DB_ONLY))
    {
        holder->ended = true;
        log_warn(held->log, DUTY,
                 "ended backend %lld (%.*s), which held a balance for %lld s",
                 (long long)holder->pid, (int)application.len, application.ptr,
                 (long long)(clock_monotonic_ms() - holder->since_ms) / 1000);
    }
}


static void
holder_meet(struct ingest_held *held, const struct db_rows *rows, int row)
{
    struct ads_str login = db_text(rows, row, BY_LOGIN);
    struct ads_str application = db_text(rows, row, BY_APPLICATION);
    bool ours = db_bool(rows, row, BY_OURS), is_new;
    struct ads_uuid account = db_uuid(rows, row, BY_ACCOUNT);
    int64_t now_ms = clock_monotonic_ms();
    char id[ADS_UUID_TEXT_LEN];
    struct holder *holder;

    holder = holder_find(held, db_int(rows, row, BY_PID), now_ms, &is_new);
    if (holder == NULL) {
        return;
    }
    if (is_new) {
        (void)ads_uuid_write(id, &account);
        log_warn(held->log, DUTY,
                 "backend %lld (user %.*s, %.*s) holds the balance of account "
                 "%.*s: its clicks wait; adsd may %s that session",
                 (long long)holder->pid, (int)login.len, login.ptr,
                 (int)application.len, application.ptr, (int)sizeof(id), id,
                 ours ? "end" : "not end");
    }
    if (ours && !holder->ended
        && now_ms - holder->since_ms >= held->holder_max_ms) {
        holder_end(held, holder, application);
    }
}


/* Who holds what waits?  Nothing depends on the answer. */
static void
holders_look(struct ingest_held *held, struct ingest_sink *sink)
{
    struct db_args args;
    struct db_rows *rows;

    pool_reset(held->pool);
    db_args_init(&args, held->pool);
    if (db_run_alone(sink->db, &STMT_HELD_BY, &args, &rows) != ADS_OK) {
        return;
    }
    for (int i = 0; i < db_n_rows(rows); i++) {
        holder_meet(held, rows, i);
    }
}


enum ads_err
ingest_held_tick(struct ingest_held *held, struct ingest_sink *sink)
{
    int64_t now_ms = clock_monotonic_ms();
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (held->n_accounts == 0 && now_ms < held->tick_at_ms) {
        return ADS_OK;
    }
    held->tick_at_ms = now_ms + TICK_MS;
    pool_reset(held->pool);
    db_args_init(&args, held->pool);
    db_arg_int8(&args, (int64_t)sink->node);
    db_arg_int8(&args, sink->epoch);
    err = db_run_alone(sink->db, &STMT_SETTLE, &args, &rows);
    if (err != ADS_OK) {
        return err == ADS_BUSY ? ADS_OK : ingest_commit_error(sink, err);
    }
    held->n_accounts = (uint64_t)db_int(rows, 0, SETTLE_BLOCKED);
    held->oldest_us = (uint64_t)db_time(rows, 0, SETTLE_OLDEST_AT);
    if (held->n_accounts > 0 && now_ms >= held->look_at_ms) {
        held->look_at_ms = now_ms + LOOK_MS;
        holders_look(held, sink);
    }
    return ADS_OK;
}
