/*
 * Commits batches, and searches for a record that PostgreSQL refuses.
 *
 * Halving costs one transaction more for each level, about thirteen for a
 * full batch, and only the refused record is left out: what stands before and
 * after it commits in order.
 */
#include "journal/ingest_commit.h"

#include <stdio.h>

#include "base/clock.h"

#define DUTY "ingest"
#define CLOCK_JITTER_US INT64_C(1000000)
#define CLOCK_OFF_US INT64_C(2000000)

static const struct db_stmt STMT_BEGIN = {
    .name = "node_begin",
    .sql = "select ads.node_begin($1)",
    .n_params = 1,
};

static const struct db_stmt STMT_RESUME = {
    .name = "node_resume",
    .sql = "select ads.node_resume($1, $2)",
    .n_params = 2,
};

static const struct db_stmt STMT_CURSOR = {
    .name = "cursor_get",
    .sql = "select off, seq from ads.cursor_get($1, $2, $3, $4, $5)",
    .n_params = 5,
};

enum cursor_column { CURSOR_OFF, CURSOR_SEQ };

static const struct db_stmt STMT_INGEST = {
    .name = "ingest",
    .sql = "select ads.ingest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
           " $12)",
    .n_params = 7 + INGEST_KINDS,
};

static const struct db_stmt STMT_TYPES = {
    .name = "ingest_types",
    .sql = "select 'ads.click_in'::regtype::oid::bigint,"
           " 'ads.impression_in'::regtype::oid::bigint,"
           " 'ads.decision_in'::regtype::oid::bigint,"
           " 'ads.no_ad_in'::regtype::oid::bigint,"
           " 'ads.auction_in'::regtype::oid::bigint",
    .n_params = 0,
};

static const struct db_stmt STMT_REJECT = {
    .name = "ingest_reject_put",
    .sql = "select ads.ingest_reject_put($1, $2, $3, $4, $5, $6, $7, $8, $9,"
           " $10, $11)",
    .n_params = 11,
};

static const struct db_stmt STMT_DRAINED = {
    .name = "node_drained",
    .sql = "select ads.node_drained($1, $2, $3)",
    .n_params = 3,
};

static const struct db_stmt STMT_CLOCK = {
    .name = "ingest_clock",
    .sql = "select clock_timestamp()",
    .n_params = 0,
};

/* One transaction: items [from, to) of the batch, or item `from` set aside. */
struct step {
    struct ingest_sink *sink;
    const struct segment *segment;
    const struct ingest_batch *batch;
    uint32_t from;
    uint32_t to;
    bool final;
    const char *reject; /* why item `from` is set aside; NULL: ingest */
};


enum ads_err
ingest_commit_error(struct ingest_sink *sink, enum ads_err err)
{
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(sink->db), "ADF01") == 0) {
        return ADS_EXPIRED;
    }
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(sink->db), "ADF02") == 0) {
        sink->behind = true;
        return ADS_UNAVAILABLE;
    }
    if (err == ADS_CONFLICT && strcmp(db_sqlstate(sink->db), "ADC01") != 0) {
        return ADS_INVALID;
    }
    return err;
}


/* Compares the clocks: an alarm when they are far apart, and when they agree
 * again. */
static enum ads_err
clock_compare(struct ingest_sink *sink)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    int64_t begin_us, off_us;
    bool bad;

    pool_reset(sink->pool);
    db_args_init(&args, sink->pool);
    begin_us = clock_realtime_us();
    err = db_run_alone(sink->db, &STMT_CLOCK, &args, &rows);
    if (err != ADS_OK) {
        return ingest_commit_error(sink, err);
    }
    sink->clock_us =
        begin_us / 2 + clock_realtime_us() / 2 - db_time(rows, 0, DB_ONLY);

    off_us = sink->clock_us < 0 ? -sink->clock_us : sink->clock_us;
    bad = off_us > (sink->clock_told ? CLOCK_JITTER_US : CLOCK_OFF_US);
    if (bad && !sink->clock_told) {
        log_error(sink->log, DUTY,
                  "this clock is %.1f s %s the database's: synchronise them",
                  (double)off_us / 1e6,
                  sink->clock_us > 0 ? "ahead of" : "behind");
    } else if (!bad && sink->clock_told) {
        log_info(sink->log, DUTY, "this clock and the database's agree");
    }
    sink->clock_told = bad;
    return ADS_OK;
}


enum ads_err
ingest_commit_begin(struct ingest_sink *sink)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    pool_reset(sink->pool);
    db_args_init(&args, sink->pool);
    db_arg_int8(&args, (int64_t)sink->node);
    if (sink->behind) {
        db_arg_int8(&args, sink->epoch);
    }
    err = db_run_alone(sink->db, sink->behind ? &STMT_RESUME : &STMT_BEGIN,
                       &args, &rows);
    if (err == ADS_OK) {
        sink->epoch = db_int(rows, 0, DB_ONLY);
        sink->behind = false;
        err = clock_compare(sink);
    }
    return err;
}


enum ads_err
ingest_commit_cursor(struct ingest_sink *sink, struct segment *segment)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    pool_reset(sink->pool);
    db_args_init(&args, sink->pool);
    db_arg_int8(&args, (int64_t)sink->node);
    db_arg_uuid(&args, &segment->header.uuid);
    db_arg_text(&args, (struct ads_str){&segment->header.class, 1});
    db_arg_text(&args, (struct ads_str){segment->name, strlen(segment->name)});
    db_arg_int8(&args, sink->epoch);

    err = db_run_alone(sink->db, &STMT_CURSOR, &args, &rows);
    if (err != ADS_OK) {
        return ingest_commit_error(sink, err);
    }
    segment->cursor = (uint64_t)db_int(rows, 0, CURSOR_OFF);
    segment->seq = (uint64_t)db_int(rows, 0, CURSOR_SEQ);
    segment->known = true;
    segment->done = false;
    return ADS_OK;
}


/* Another connection, perhaps another database: types have other numbers. */
static enum ads_err
types_find(struct ingest_sink *sink, struct db_tx *tx)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    if (sink->types_of == db_n_connects(sink->db)) {
        return ADS_OK;
    }
    db_args_init(&args, sink->pool);
    err = db_run(tx, &STMT_TYPES, &args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    for (int kind = 0; kind < INGEST_KINDS; kind++) {
        sink->types[kind] = (uint32_t)db_int(rows, 0, kind);
    }
    sink->types_of = db_n_connects(sink->db);
    return ADS_OK;
}


/* The work of one transaction; may run several times. */
static enum ads_err
step_run(struct db_tx *tx, void *arg)
{
    const struct step *step = arg;
    const struct ingest_batch *batch = step->batch;
    struct db_args args;
    struct ingest_item item;
    enum ads_err err;

    pool_reset(step->sink->pool);
    err = types_find(step->sink, tx);
    if (err != ADS_OK) {
        return err;
    }
    db_args_init(&args, step->sink->pool);
    db_arg_int8(&args, (int64_t)step->sink->node);
    db_arg_int8(&args, step->sink->epoch);
    db_arg_uuid(&args, &step->segment->header.uuid);
    db_arg_int8(&args, (int64_t)step->segment->cursor);
    db_arg_int8(&args, (int64_t)ingest_batch_off(batch, step->to));
    db_arg_int8(&args, (int64_t)ingest_batch_seq(batch, step->to));
    db_arg_bool(&args, step->final);

    if (step->reject == NULL) {
        ingest_batch_args(batch, step->from, step->to, step->sink->types,
                          &args);
        return db_run(tx, &STMT_INGEST, &args, NULL);
    }

    item = ingest_batch_item(batch, step->from);
    db_arg_int8(&args, (int64_t)item.off);
    db_arg_int4(&args, item.type);
    db_arg_bytea(&args, item.bytes.ptr, item.bytes.len);
    db_arg_text(&args, (struct ads_str){step->reject, strlen(step->reject)});
    return db_run(tx, &STMT_REJECT, &args, NULL);
}


/* What was of a time that the database has not reached yet was entered as of
 * now (ads.event_at). */
static void
clamped_count(const struct step *step)
{
    struct ingest_sink *sink = step->sink;
    int64_t now_us = clock_realtime_us() - sink->clock_us;

    if (step->reject == NULL && sink->clock_us > CLOCK_JITTER_US) {
        sink->n_clamped +=
            ingest_batch_n_after(step->batch, step->from, step->to,
                                 (uint64_t)(now_us + CLOCK_JITTER_US));
    }
}


static enum ads_err
step_commit(const struct step *step, struct segment *segment)
{
    struct ingest_sink *sink = step->sink;
    enum ads_err err;

    err = db_transact(sink->db, step_run, (void *)step);
    if (err == ADS_OK) {
        segment->cursor = ingest_batch_off(step->batch, step->to);
        segment->seq = ingest_batch_seq(step->batch, step->to);
        segment->done = step->final;
        clamped_count(step);
        return ADS_OK;
    }

    err = ingest_commit_error(sink, err);
    if (err == ADS_CONFLICT || err == ADS_UNAVAILABLE) {
        segment->known = false; /* it may or may not have been committed */
    }
    if (err == ADS_IO) {
        sink->types_of = 0; /* perhaps another database behind a pooler */
    }
    return err;
}


/* Sets item `at` aside, with the reason, and goes on behind it. */
static enum ads_err
item_reject(const struct step *whole, struct segment *segment, uint32_t at,
            const char *reason)
{
    struct ingest_item item = ingest_batch_item(whole->batch, at);
    struct step step = *whole;
    enum ads_err err;

    step.from = at;
    step.to = at + 1;
    step.final = whole->final && at + 1 == whole->to;
    step.reject = reason;
    err = step_commit(&step, segment);
    if (err != ADS_OK) {
        return err;
    }

    step.sink->n_rejected++;
    step.sink->n_holes += item.type == INGEST_TYPE_HOLE;
    log_error(step.sink->log, DUTY,
              "set aside %s of type %d at %llu of segment %s: %s",
              item.type == INGEST_TYPE_HOLE ? "bytes" : "a record", item.type,
              (unsigned long long)item.off, segment->name, reason);
    return ADS_OK;
}


/* Commits a run of records, halving it when one of them is refused. */
static enum ads_err
run_commit(const struct step *run, struct segment *segment)
{
    struct step half = *run;
    char reason[200];
    enum ads_err err;

    err = step_commit(run, segment);
    if (err != ADS_INVALID || run->from == run->to) {
        return err;
    }
    if (run->to - run->from == 1) {
        (void)snprintf(reason, sizeof(reason), "%s: %s",
                       db_sqlstate(run->sink->db), db_message(run->sink->db));
        return item_reject(run, segment, run->from, reason);
    }

    half.to = run->from + (run->to - run->from) / 2;
    half.final = false;
    err = run_commit(&half, segment);
    if (err == ADS_OK) {
        half.from = half.to;
        half.to = run->to;
        half.final = run->final;
        err = run_commit(&half, segment);
    }
    return err;
}


enum ads_err
ingest_commit_batch(struct ingest_sink *sink, struct segment *segment,
                    const struct ingest_batch *batch, bool final)
{
    uint32_t n = ingest_batch_n(batch), at = 0;
    struct step step = {.sink = sink, .segment = segment, .batch = batch};
    struct ingest_item item;
    enum ads_err err;

    do {
        step.from = at;
        if (at < n && ingest_batch_is_reject(batch, at)) {
            at++;
            step.to = at;
            step.final = final && at == n;
            item = ingest_batch_item(batch, step.from);
            err = item_reject(&step, segment, step.from,
                              item.type == INGEST_TYPE_HOLE ? "damaged bytes"
                                                            : "unknown type");
        } else {
            while (at < n && !ingest_batch_is_reject(batch, at)) {
                at++;
            }
            step.to = at;
            step.final = final && at == n;
            err = run_commit(&step, segment);
        }
    } while (err == ADS_OK && at < n);

    return err;
}


enum ads_err
ingest_commit_drained(struct ingest_sink *sink, int64_t at_us)
{
    struct db_args args;
    enum ads_err err = clock_compare(sink);

    if (err != ADS_OK) {
        return err;
    }
    at_us -= sink->clock_us;

    pool_reset(sink->pool);
    db_args_init(&args, sink->pool);
    db_arg_int8(&args, (int64_t)sink->node);
    db_arg_int8(&args, sink->epoch);
    db_arg_time(&args, at_us);
    err = db_run_alone(sink->db, &STMT_DRAINED, &args, NULL);
    return err == ADS_OK ? ADS_OK : ingest_commit_error(sink, err);
}
