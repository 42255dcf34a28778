/*
 * Batches against a database of a few lines: every item lands exactly once,
 * whatever is refused, wherever the cursor was, and when a COMMIT's answer is
 * lost.
 */
#include "../../adsd/journal/ingest_commit.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define OFFS_MAX 4096
#define STEP 104     /* bytes of an item in these tests */
#define TYPE 70000   /* PostgreSQL's number of click_in; others follow */
#define FIRST_KIND 7 /* the parameter that holds clicks */

/* What stands for PostgreSQL: one cursor, places of rows and of rejects. */
struct db {
    uint64_t cursor;
    uint64_t seq;
    bool final;
    uint64_t rows[OFFS_MAX];
    uint32_t n_rows;
    uint64_t rejects[OFFS_MAX];
    uint32_t n_rejects;
    uint64_t refuse[8]; /* places whose rows are refused */
    uint32_t n_refuse;
    const char *sqlstate;
    uint32_t n_transactions;
    uint32_t lose_after; /* the answer to this COMMIT is lost; 0: none */
    bool lose_before;    /* and so was the COMMIT itself */
    bool fenced;
    bool refuse_all;
    int64_t behind_us; /* its clock */
};

struct db_tx {
    struct db *db;
};

struct db_rows {
    int64_t values[INGEST_KINDS];
};


static uint64_t
be(const char *bytes, int len)
{
    uint64_t value = 0;

    for (int i = 0; i < len; i++) {
        value = value << 8 | (uint8_t)bytes[i];
    }
    return value;
}


/* The rows of an array parameter, and the first of them. */
static uint32_t
rows_find(const struct db_args *args, int at, const char **row)
{
    uint32_t n = be(args->values[at], 4) == 0
                     ? 0
                     : (uint32_t)be(args->values[at] + 12, 4);

    assert_int_equal(be(args->values[at] + 8, 4), TYPE + at - FIRST_KIND);
    *row = args->values[at] + 20;
    return n;
}


/* The bigint that is the first field of a row; steps to the next one. */
static uint64_t
row_next(const char **row)
{
    uint64_t value = be(*row + 16, 8);

    assert_int_equal(be(*row + 8, 4), 20);
    *row += 4 + be(*row, 4);
    return value;
}


const char *
db_sqlstate(const struct db *db)
{
    return db->sqlstate;
}


const char *
db_message(const struct db *db)
{
    (void)db;
    return "a reason";
}


uint64_t
db_n_connects(const struct db *db)
{
    (void)db;
    return 1;
}


int64_t
db_int(const struct db_rows *rows, int row, int column)
{
    (void)row;
    return rows->values[column];
}


int64_t
db_time(const struct db_rows *rows, int row, int column)
{
    return db_int(rows, row, column);
}


static enum ads_err
refuse(struct db *db, const char *sqlstate, enum ads_err err)
{
    db->sqlstate = sqlstate;
    return err;
}


enum ads_err
db_run(struct db_tx *tx, const struct db_stmt *stmt, struct db_args *args,
       struct db_rows **rows)
{
    const int at = FIRST_KIND + INGEST_IMPRESSIONS;
    struct db *db = tx->db;
    const char *row;
    uint32_t n = 0;

    assert_int_equal(args->n, stmt->n_params);
    if (stmt == &STMT_TYPES) {
        *rows = pool_alloc(args->pool, sizeof(**rows));
        for (int kind = 0; kind < INGEST_KINDS; kind++) {
            (*rows)->values[kind] = TYPE + kind;
        }
        return ADS_OK;
    }
    assert_null(rows);
    if (db->fenced) {
        return refuse(db, "ADF01", ADS_CONFLICT);
    }
    if (be(args->values[3], 8) != db->cursor) {
        return refuse(db, "ADC01", ADS_CONFLICT);
    }
    if (db->refuse_all) {
        return refuse(db, "42883", ADS_IO);
    }

    if (stmt == &STMT_REJECT) {
        db->rejects[db->n_rejects++] = be(args->values[7], 8);
    } else {
        n = rows_find(args, at, &row);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t place = row_next(&row);

            for (uint32_t k = 0; k < db->n_refuse; k++) {
                if (place == db->refuse[k]) {
                    return refuse(db, "22008", ADS_INVALID);
                }
            }
        }
        n = rows_find(args, at, &row);
        for (uint32_t i = 0; i < n; i++) {
            db->rows[db->n_rows++] = row_next(&row);
        }
    }
    db->cursor = be(args->values[4], 8);
    db->seq = be(args->values[5], 8);
    db->final = db->final || args->values[6][0] != 0;
    return ADS_OK;
}


enum ads_err
db_transact(struct db *db, enum ads_err (*work)(struct db_tx *tx, void *arg),
            void *arg)
{
    struct db *before = malloc(sizeof(*before));
    struct db_tx tx = {db};
    enum ads_err err;

    *before = *db;
    err = work(&tx, arg);
    db->n_transactions++;
    if (err == ADS_OK && db->n_transactions == db->lose_after) {
        if (db->lose_before) {
            db->cursor = before->cursor;
            db->seq = before->seq;
            db->n_rows = before->n_rows;
            db->n_rejects = before->n_rejects;
            db->final = before->final;
        }
        err = ADS_UNAVAILABLE;
    }
    free(before);
    return err;
}


enum ads_err
db_run_alone(struct db *db, const struct db_stmt *stmt, struct db_args *args,
             struct db_rows **rows)
{
    struct db_rows *made = pool_alloc(args->pool, sizeof(*made));

    if (db->fenced) {
        return refuse(db, "ADF01", ADS_CONFLICT);
    }
    if (stmt == &STMT_CLOCK) {
        made->values[0] = clock_realtime_us() - db->behind_us;
        *rows = made;
        return ADS_OK;
    }
    if (stmt == &STMT_DRAINED) {
        return ADS_OK;
    }
    assert_ptr_equal(stmt, &STMT_CURSOR);
    made->values[0] = (int64_t)db->cursor;
    made->values[1] = (int64_t)db->seq;
    *rows = made;
    return ADS_OK;
}


/* ---- the tests ----------------------------------------------------------- */

struct fixture {
    struct db db;
    struct ingest_sink sink;
    struct segment segment;
    struct ingest_batch *batch;
    uint64_t at_us; /* of the records */
};


static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    f->sink = (struct ingest_sink){.db = &f->db,
                                   .log = log_open_plain("test", LOG_ERROR + 1),
                                   .pool = pool_new(),
                                   .node = 1,
                                   .epoch = 1};
    f->segment = (struct segment){.name = "a segment", .fd = -1};
    f->segment.header.class = 'm';
    f->batch = ingest_batch_new();
    *state = f;
    return 0;
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;

    ingest_batch_free(f->batch);
    pool_free(f->sink.pool);
    log_close(f->sink.log);
    free(f);
    return 0;
}


/* Where item i stands. */
static uint64_t
place(uint64_t i)
{
    return ADS_SEGMENT_HEADER_LEN + i * STEP;
}


/* Items [from, to) of the segment; those named in `odd` are of that kind. */
static void
fill(struct fixture *f, uint32_t from, uint32_t to, const uint32_t *odd,
     enum segment_kind kind)
{
    static const uint8_t bytes[STEP];
    struct segment_item item;

    ingest_batch_reset(f->batch, f->segment.cursor, f->segment.seq);
    for (uint32_t i = from; i < to; i++) {
        item = (struct segment_item){.kind = SEGMENT_RECORD,
                                     .off = place(i),
                                     .len = STEP,
                                     .bytes = bytes,
                                     .bytes_len = STEP,
                                     .event = {.seq = i + 1,
                                               .at_us = f->at_us,
                                               .type = ADS_EVENT_IMPRESSION}};
        for (const uint32_t *o = odd; o != NULL && *o != UINT32_MAX; o++) {
            item.kind = *o == i ? kind : item.kind;
        }
        assert_true(ingest_batch_has_room(f->batch));
        ingest_batch_add(f->batch, &item);
    }
}


static enum ads_err
commit(struct fixture *f, bool final)
{
    return ingest_commit_batch(&f->sink, &f->segment, f->batch, final);
}


static int
compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}


/* Rows and rejects together are items [0, n), each once. */
static void
expect_all(struct fixture *f, uint32_t n, uint32_t n_rejects)
{
    uint64_t *all = xcalloc(2 * OFFS_MAX, sizeof(*all));

    assert_int_equal(f->db.n_rows + f->db.n_rejects, n);
    assert_int_equal(f->db.n_rejects, n_rejects);
    memcpy(all, f->db.rows, f->db.n_rows * sizeof(*all));
    memcpy(all + f->db.n_rows, f->db.rejects, n_rejects * sizeof(*all));
    qsort(all, n, sizeof(*all), compare);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(all[i], place(i));
    }
    assert_int_equal(f->db.cursor, place(n));
    assert_int_equal(f->db.seq, n);
    free(all);
}


static void
test_a_batch_is_one_transaction(void **state)
{
    struct fixture *f = *state;

    fill(f, 0, 1000, NULL, 0);
    assert_int_equal(commit(f, false), ADS_OK);
    assert_int_equal(f->db.n_transactions, 1);
    assert_int_equal(f->segment.cursor, place(1000));
    assert_false(f->segment.done);
    fill(f, 1000, 1200, NULL, 0);
    assert_int_equal(commit(f, true), ADS_OK);
    assert_true(f->segment.done);
    assert_true(f->db.final);
    expect_all(f, 1200, 0);
}


static void
test_the_end_is_committed_without_records(void **state)
{
    struct fixture *f = *state;

    ingest_batch_reset(f->batch, 0, 0);
    assert_int_equal(commit(f, true), ADS_OK);
    assert_true(f->db.final);
    assert_true(f->segment.done);
}


static void
test_refused_records_are_found(void **state)
{
    struct fixture *f = *state;
    const uint32_t bad[] = {0, 1, 517, 999};

    for (int i = 0; i < 4; i++) {
        f->db.refuse[f->db.n_refuse++] = place(bad[i]);
    }
    fill(f, 0, 1000, NULL, 0);
    assert_int_equal(commit(f, true), ADS_OK);
    expect_all(f, 1000, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f->db.rejects[i], place(bad[i]));
    }
    assert_int_equal(f->sink.n_rejected, 4);
    assert_true(f->db.final);
    assert_true(f->db.n_transactions < 100);
}


/* The database's clock is behind: what is of a time to come there counts. */
static void
test_times_to_come_are_counted(void **state)
{
    struct fixture *f = *state;
    int64_t far_us = INT64_C(2) * 86400 * 1000000;

    f->at_us = (uint64_t)clock_realtime_us();
    fill(f, 0, 10, NULL, 0);
    assert_int_equal(commit(f, false), ADS_OK);
    assert_int_equal(f->sink.n_clamped, 0);

    f->db.behind_us = far_us;
    assert_int_equal(ingest_commit_drained(&f->sink, 1), ADS_OK);
    assert_true(f->sink.clock_told);
    /* this clock is read before and after: not exact to the microsecond */
    assert_true(f->sink.clock_us > far_us - CLOCK_JITTER_US);
    assert_true(f->sink.clock_us < far_us + CLOCK_JITTER_US);
    fill(f, 10, 20, NULL, 0);
    assert_int_equal(commit(f, false), ADS_OK);
    assert_int_equal(f->sink.n_clamped, 10);

    f->db.behind_us = 0;
    assert_int_equal(ingest_commit_drained(&f->sink, 1), ADS_OK);
    assert_false(f->sink.clock_told);
}


static void
test_holes_and_unknown_types_are_set_aside(void **state)
{
    struct fixture *f = *state;
    const uint32_t odd[] = {0, 5, 6, 99, UINT32_MAX};

    fill(f, 0, 100, odd, SEGMENT_UNKNOWN);
    assert_int_equal(commit(f, false), ADS_OK);
    expect_all(f, 100, 4);
    assert_int_equal(f->sink.n_holes, 0);
}


static void
test_a_hole_keeps_the_numbering(void **state)
{
    struct fixture *f = *state;
    const uint32_t odd[] = {1, UINT32_MAX};

    fill(f, 0, 2, odd, SEGMENT_HOLE);
    assert_int_equal(commit(f, false), ADS_OK);
    assert_int_equal(f->db.n_rejects, 1);
    assert_int_equal(f->sink.n_holes, 1);
    assert_int_equal(f->db.seq, 1);
    assert_int_equal(f->db.cursor, place(2));
}


/* Commits items [0, n) as the thread does: after trouble the cursor is read
 * and reading goes on from there. */
static void
drive(struct fixture *f, uint32_t n)
{
    uint32_t from;
    enum ads_err err;

    while (f->segment.cursor < place(n)) {
        if (!f->segment.known) {
            assert_int_equal(ingest_commit_cursor(&f->sink, &f->segment),
                             ADS_OK);
        }
        from = f->segment.cursor == 0
                   ? 0
                   : (uint32_t)((f->segment.cursor - place(0)) / STEP);
        fill(f, from, from + 100 < n ? from + 100 : n, NULL, 0);
        err = commit(f, false);
        assert_true(err == ADS_OK || err == ADS_UNAVAILABLE);
        assert_true(err == ADS_OK || !f->segment.known);
    }
}


static void
test_a_lost_answer_neither_loses_nor_doubles(void **state)
{
    struct fixture *f = *state;

    f->db.refuse[f->db.n_refuse++] = place(250);
    for (uint32_t lose = 1; lose < 25; lose++) {
        for (int before = 0; before < 2; before++) {
            f->db.cursor = f->db.seq = 0;
            f->db.n_rows = f->db.n_rejects = f->db.n_transactions = 0;
            f->segment.cursor = f->segment.seq = 0;
            f->segment.known = false;
            f->db.lose_after = lose;
            f->db.lose_before = before != 0;
            drive(f, 500);
            expect_all(f, 500, 1);
        }
    }
}


static void
test_a_cursor_elsewhere_is_read_again(void **state)
{
    struct fixture *f = *state;

    f->segment.known = true;
    f->db.cursor = place(7);
    fill(f, 0, 10, NULL, 0);
    assert_int_equal(commit(f, false), ADS_CONFLICT);
    assert_false(f->segment.known);
    assert_int_equal(f->db.n_rows, 0);
    assert_int_equal(ingest_commit_cursor(&f->sink, &f->segment), ADS_OK);
    assert_int_equal(f->segment.cursor, place(7));
}


static void
test_a_fenced_reader_ends(void **state)
{
    struct fixture *f = *state;

    f->db.fenced = true;
    fill(f, 0, 10, NULL, 0);
    assert_int_equal(commit(f, false), ADS_EXPIRED);
    assert_int_equal(ingest_commit_cursor(&f->sink, &f->segment), ADS_EXPIRED);
}


static void
test_trouble_of_all_records_sets_none_aside(void **state)
{
    struct fixture *f = *state;

    f->db.refuse_all = true;
    fill(f, 0, 10, NULL, 0);
    assert_int_equal(commit(f, false), ADS_IO);
    assert_int_equal(f->db.n_rejects, 0);
    assert_int_equal(f->db.n_transactions, 1);
}


static void
test_a_batch_knows_when_it_is_full(void **state)
{
    struct fixture *f = *state;
    struct segment_item item = {
        .kind = SEGMENT_RECORD,
        .bytes = (const uint8_t *)"",
        .event = {.type = ADS_EVENT_NO_AD, .no_ads = {.n = ADS_NO_AD_MAX}}};
    uint32_t n = 0;

    ingest_batch_reset(f->batch, 0, 0);
    while (ingest_batch_has_room(f->batch)) {
        ingest_batch_add(f->batch, &item);
        n++;
    }
    assert_int_equal(n, INGEST_BATCH_COUNTS / ADS_NO_AD_MAX);

    item.event = (struct ads_event){.type = ADS_EVENT_AUCTIONS,
                                    .auctions = {.n = ADS_AUCTION_COUNTS_MAX}};
    n = 0;
    ingest_batch_reset(f->batch, 0, 0);
    while (ingest_batch_has_room(f->batch)) {
        ingest_batch_add(f->batch, &item);
        n++;
    }
    assert_int_equal(n, INGEST_BATCH_COUNTS / ADS_AUCTION_COUNTS_MAX);

    item.event.type = ADS_EVENT_IMPRESSION;
    n = 0;
    ingest_batch_reset(f->batch, 0, 0);
    while (ingest_batch_has_room(f->batch)) {
        ingest_batch_add(f->batch, &item);
        n++;
    }
    assert_int_equal(n, INGEST_BATCH_RECORDS);
}


#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_batch_is_one_transaction),
        TEST(test_the_end_is_committed_without_records),
        TEST(test_refused_records_are_found),
        TEST(test_times_to_come_are_counted),
        TEST(test_holes_and_unknown_types_are_set_aside),
        TEST(test_a_hole_keeps_the_numbering),
        TEST(test_a_lost_answer_neither_loses_nor_doubles),
        TEST(test_a_cursor_elsewhere_is_read_again),
        TEST(test_a_fenced_reader_ends),
        TEST(test_trouble_of_all_records_sets_none_aside),
        TEST(test_a_batch_knows_when_it_is_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
