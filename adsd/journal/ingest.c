/*
 * Ingest thread: one cycle after the other.
 *
 *     take datagrams -> read spent -> read the folder and every open
 *     segment -> commit what they hold -> allowances, heartbeat, words of live
 *
 * It sleeps on the datagram socket; a cycle comes every 20 ms while bytes are
 * missing or coming and every 200 ms otherwise, so that nothing depends on a
 * datagram.  What comes in 20 ms shares a transaction: a cycle begins no sooner
 * after the last, unless it is called for.  A cycle takes at most CYCLE_BATCHES
 * batches of each segment: a long backlog does not keep allowances from going
 * down or adsd from stopping.
 */
#include "journal/ingest.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/click_keys.h"
#include "daemon/live_file.h"
#include "daemon/node.h"
#include "journal/allowance.h"
#include "journal/ingest_commit.h"
#include "journal/ingest_held.h"
#include "journal/ingest_keep.h"
#include "journal/ingest_mark.h"
#include "journal/ingest_socket.h"
#include "journal/segment_dir.h"

#define DUTY "ingest"
#define DATAGRAM_HEADER 24
#define DATAGRAM_MAX (DATAGRAM_HEADER + 32 * 1024)
#define DATAGRAMS_A_CYCLE 512

#define BUSY_MS 20
#define IDLE_MS 200
#define ALLOWANCE_LEAST_MS 50
#define SETTLE_MS 500
#define REFUSED_PAUSE_MS 1000
#define LOCK_PAUSE_MS 100
#define CYCLE_BATCHES 16
#define DELAY_MS 10000

/*
 * A record is stamped when its request is worked on and written at the end of
 * that cycle of the worker's loop: by then this is long over.
 */
#define DRAINED_MARGIN_US 2000000

struct ingest {
    struct adsd *adsd;
    struct segment_dir dir;
    struct ingest_sink sink;
    struct ingest_batch *batch;
    struct allowance allowance;
    struct ingest_keep keep;
    struct ingest_mark mark;
    struct ingest_held *held;
    uint8_t *buffer;
    uint8_t *datagram;
    int socket;
    int wake; /* epoll: the socket, adsd's call for a cycle */
    bool moved;
    bool called;
    bool refused; /* PostgreSQL refused everything: told once */
    int64_t allowance_at_ms;
    int64_t settle_at_ms;
    uint64_t connection; /* on which the cursors were read */
    uint64_t seen;       /* bytes that workers had counted as the cycle began */
    uint64_t delays_ms[2]; /* the longest of this window and the one before */
    int64_t delay_at_ms;   /* its end */
};

static const struct db_stmt STMT_SETTLE = {
    .name = "settle_pending",
    .sql = "select settled, pending from ads.settle_pending($1, $2)",
    .n_params = 2,
};


/* ---- the socket ---------------------------------------------------------- */

/* Hands the bytes of all datagrams that wait to their segments. */
static void
datagrams_take(struct ingest *in)
{
    struct segment *segment;
    struct ads_uuid uuid;
    uint64_t off;
    ssize_t n;

    for (int i = 0; in->socket >= 0 && i < DATAGRAMS_A_CYCLE; i++) {
        n = recv(in->socket, in->datagram, DATAGRAM_MAX, MSG_DONTWAIT);
        if (n < 0) {
            break;
        }
        if (n <= DATAGRAM_HEADER) {
            continue;
        }
        in->moved = true;
        memcpy(uuid.b, in->datagram, sizeof(uuid.b));
        memcpy(&off, in->datagram + 16, sizeof(off));
        segment = segment_dir_find(&in->dir, &uuid);
        if (segment != NULL && segment->known && !segment->done) {
            segment_feed(segment, segment->cursor, off,
                         in->datagram + DATAGRAM_HEADER,
                         (size_t)n - DATAGRAM_HEADER);
        }
    }
}


/* ---- segments ------------------------------------------------------------ */

static uint64_t
cursor_of(const struct segment *segment)
{
    return segment->cursor < ADS_SEGMENT_HEADER_LEN ? ADS_SEGMENT_HEADER_LEN
                                                    : segment->cursor;
}


/* Something is wrong with the journal's bytes: alarm. */
static void
corrupt(struct ingest *in, uint64_t n)
{
    struct live_file *live = in->adsd->live;

    if (n > 0) {
        live_file_set(live, ADS_LIVE_CORRUPT,
                      live_file_get(live, ADS_LIVE_CORRUPT) + n);
    }
}


/* How late people click is learned from what they do. */
static void
click_note(struct ingest *in, const struct segment_item *item)
{
    const struct ads_click *click = &item->event.click;

    if (item->kind == SEGMENT_RECORD && item->event.type == ADS_EVENT_CLICK
        && click->class == ADS_CLICK_VALID)
    {
        allowance_note(&in->allowance,
                       (int64_t)(item->event.at_us / 1000)
                           - (int64_t)ads_id_ms(&click->click_id));
    }
}


/* Fills the batch; returns why it ended: ADS_OK when it is full. */
static enum ads_err
batch_fill(struct ingest *in, struct segment_reader *reader)
{
    struct segment_item item;
    enum ads_err err = ADS_OK;

    ingest_batch_reset(in->batch, reader->off, reader->seq);
    while (err == ADS_OK && ingest_batch_has_room(in->batch)) {
        err = segment_next(reader, &item);
        if (err == ADS_OK) {
            ingest_batch_add(in->batch, &item);
            click_note(in, &item);
        }
        if (err == ADS_OK && item.kind == SEGMENT_HOLE) {
            (void)segment_dir_keep(&in->dir, reader->segment, item.off,
                                   item.len);
        }
    }
    return err;
}


/* Zeros are what a power cut leaves of bytes that were not synced. */
static bool
is_zeros(struct ingest *in, const struct segment *segment, uint64_t off)
{
    ssize_t n;

    while ((n = pread(segment->fd, in->buffer, SEGMENT_BUFFER_LEN, (off_t)off))
           > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (in->buffer[i] != 0) {
                return false;
            }
        }
        off += (uint64_t)n;
    }
    return n == 0;
}


/* What lies behind the last record of a segment that is final. */
static void
tail_check(struct ingest *in, const struct segment *segment)
{
    uint64_t end = cursor_of(segment), len = segment->size - end;

    if (len <= ADS_RECORD_MAX || is_zeros(in, segment, end)) {
        log_warn(in->adsd->log, DUTY,
                 "segment %s ends in %llu bytes of a torn record",
                 segment->name, (unsigned long long)len);
        return;
    }
    if (!segment_dir_keep(&in->dir, segment, end, len)) {
        return; /* found before the last restart */
    }
    corrupt(in, 1);
    log_error(in->adsd->log, DUTY,
              "segment %s ends in %llu bytes that are no records",
              segment->name, (unsigned long long)len);
}


/* The segment is read to its end. */
static void
segment_finish(struct ingest *in, struct segment *segment, bool committed)
{
    if (segment->size > cursor_of(segment)) {
        tail_check(in, segment);
    }
    if (committed) {
        ingest_keep_mark(segment);
    }
    segment_park(segment);
}


/* A batch is in the ledger, and how long its first click took until there. */
static void
delay_note(struct ingest *in)
{
    uint64_t click_us = ingest_batch_click_us(in->batch);
    uint64_t now_us = (uint64_t)clock_realtime_us();

    if (click_us != 0 && now_us > click_us
        && (now_us - click_us) / 1000 > in->delays_ms[0])
    {
        in->delays_ms[0] = (now_us - click_us) / 1000;
    }
}


/*
 * Commits what the segment holds.  ADS_BUSY: not all of it, the cycle was too
 * short or a byte could not be read.
 */
static enum ads_err
segment_ingest(struct ingest *in, struct segment *segment)
{
    struct segment_reader reader;
    uint64_t begin = segment->cursor;
    enum ads_err end, err;
    bool final;

    reader = segment_reader_init(segment, cursor_of(segment), segment->seq,
                                 in->buffer);
    for (int i = 0; i < CYCLE_BATCHES; i++) {
        end = batch_fill(in, &reader);
        final = end == ADS_ABSENT;
        if (ingest_batch_n(in->batch) > 0 || final) {
            err = ingest_commit_batch(&in->sink, segment, in->batch, final);
            if (err != ADS_OK) {
                return err;
            }
            in->moved = in->moved || ingest_batch_n(in->batch) > 0;
            delay_note(in);
        }
        if (final) {
            segment_finish(in, segment, segment->cursor != begin);
        }
        if (end == ADS_IO) {
            log_error(in->adsd->log, DUTY, "could not read segment %s: %s",
                      segment->name, strerror(errno));
            return ADS_BUSY;
        }
        if (end != ADS_OK || adsd_stopping(in->adsd)) {
            break;
        }
    }

    if (reader.n_gaps > 0) {
        corrupt(in, reader.n_gaps);
        log_error(in->adsd->log, DUTY, "segment %s is numbered wrongly",
                  segment->name);
    }
    return end == ADS_OK ? ADS_BUSY : ADS_OK;
}


/*
 * Every cursor has to be read again: also on each new connection, since what
 * answers there may be a replica that lagged.
 */
static void
cursors_forget(struct ingest *in)
{
    in->connection = db_n_connects(in->sink.db);
    ingest_mark_forget(&in->mark);
    for (uint32_t i = 0; i < in->dir.n; i++) {
        in->dir.segments[i]->known = false;
    }
}


/*
 * Reads the cursor of segment i, also of one that was done: a database that
 * went back wants it once more.  ADS_ABSENT: it has to be opened afresh.
 */
static enum ads_err
cursor_read(struct ingest *in, uint32_t i)
{
    struct segment *segment = in->dir.segments[i];
    uint64_t before = segment->cursor;
    bool parked = segment->fd < 0;
    enum ads_err err;

    err = ingest_commit_cursor(&in->sink, segment);
    if (err != ADS_OK || !parked) {
        return err;
    }
    if (segment->cursor < before) {
        log_warn(in->adsd->log, DUTY,
                 "the database went back in segment %s: replaying it",
                 segment->name);
        segment_dir_forget(&in->dir, i);
        return ADS_ABSENT;
    }

    /* all its records may be there, but not the mark of its end */
    ingest_batch_reset(in->batch, segment->cursor, segment->seq);
    return ingest_commit_batch(&in->sink, segment, in->batch, true);
}


/*
 * Commits all segments.  *whole: nothing visible at the beginning is left.
 * The error is one that ends the cycle.
 */
static enum ads_err
segments_ingest(struct ingest *in, bool *whole)
{
    uint64_t before, committed = 0;
    struct segment *segment;
    enum ads_err err = ADS_OK;

    *whole = true;
    for (uint32_t i = 0; i < in->dir.n && err == ADS_OK; i++) {
        segment = in->dir.segments[i];
        if (!segment->known) {
            err = cursor_read(in, i);
            if (err == ADS_ABSENT) {
                *whole = false;
                err = ADS_OK;
                i--; /* the next one came into its place */
                continue;
            }
        } else if (!segment->final && segment->size == cursor_of(segment)) {
            continue;
        }
        if (err != ADS_OK || segment->done) {
            continue;
        }

        before = cursor_of(segment);
        err = segment_ingest(in, segment);
        committed += cursor_of(segment) - before;
        if (err == ADS_BUSY || err == ADS_CONFLICT) {
            *whole = false;
            err = ADS_OK;
        }
    }

    live_file_set(in->adsd->live, ADS_LIVE_COMMITTED,
                  live_file_get(in->adsd->live, ADS_LIVE_COMMITTED)
                      + committed);
    return err;
}


/* Folder and sizes, as they are now. */
static void
segments_look(struct ingest *in)
{
    uint32_t n_quarantined = in->dir.n_quarantined;
    struct segment *segment;

    segment_dir_take_ring(&in->dir, click_keys_ring(in->adsd->click_keys));
    if (segment_dir_scan(&in->dir) != ADS_OK) {
        return; /* logged there */
    }
    corrupt(in, in->dir.n_quarantined - n_quarantined);

    for (uint32_t i = 0; i < in->dir.n; i++) {
        segment = in->dir.segments[i];
        if (!segment->done && segment_probe(segment) != ADS_OK) {
            log_error(in->adsd->log, DUTY, "could not read segment %s: %s",
                      segment->name, strerror(errno));
        }
    }
}


/* ---- the cycle ----------------------------------------------------------- */

static uint64_t
pending_of(const struct ingest *in)
{
    const struct segment *segment;
    uint64_t pending = 0;

    for (uint32_t i = 0; i < in->dir.n; i++) {
        segment = in->dir.segments[i];
        if (!segment->done && segment->size > cursor_of(segment)) {
            pending += segment->size - cursor_of(segment);
        }
    }
    return pending;
}


/* Realtime us of the oldest record that is not committed; 0: none. */
static uint64_t
oldest_of(const struct ingest *in)
{
    const struct segment *segment;
    uint64_t oldest_us = 0, at_us;

    for (uint32_t i = 0; i < in->dir.n; i++) {
        segment = in->dir.segments[i];
        if (segment->done || segment->size <= cursor_of(segment)
            || pread(segment->fd, &at_us, sizeof(at_us),
                     (off_t)(cursor_of(segment) + ADS_RECORD_AT_US))
                   != (ssize_t)sizeof(at_us))
        {
            continue;
        }
        if (oldest_us == 0 || at_us < oldest_us) {
            oldest_us = at_us;
        }
    }
    return oldest_us;
}


/* The longest way of a click to the ledger, of this window and the last. */
static uint64_t
delay_of(struct ingest *in)
{
    int64_t now_ms = clock_monotonic_ms();

    if (now_ms >= in->delay_at_ms) {
        in->delay_at_ms = now_ms + DELAY_MS;
        in->delays_ms[1] = in->delays_ms[0];
        in->delays_ms[0] = 0;
    }
    return in->delays_ms[0] > in->delays_ms[1] ? in->delays_ms[0]
                                               : in->delays_ms[1];
}


static void
words_set(struct ingest *in, bool database)
{
    struct live_file *live = in->adsd->live;

    if (in->sink.epoch != 0) {
        /* before, an earlier adsd's words are nearer to the truth */
        live_file_set(live, ADS_LIVE_OLDEST_US, oldest_of(in));
        live_file_set(live, ADS_LIVE_PENDING, pending_of(in));
        live_file_set(live, ADS_LIVE_SEEN, in->seen);
    }
    live_file_set(live, ADS_LIVE_QUOTA, in->keep.pending_max);
    live_file_set(live, ADS_LIVE_DATABASE, database);
    live_file_set(live, ADS_LIVE_LISTENING, database && in->socket >= 0);
    live_file_set(live, ADS_LIVE_PRESSURE, in->keep.pressure);
    live_file_set(live, ADS_LIVE_BLOCKED, ingest_held_accounts(in->held));
    live_file_set(live, ADS_LIVE_BLOCKED_US, ingest_held_oldest_us(in->held));
    live_file_set(live, ADS_LIVE_DELAY_MS, delay_of(in));
}


/* How far the clocks are apart, and what came of that. */
static void
clock_tell(struct ingest *in, uint64_t n_clamped)
{
    struct live_file *live = in->adsd->live;
    int64_t off_us = in->sink.clock_us;

    live_file_set(live, ADS_LIVE_CLOCK_MS,
                  (uint64_t)((off_us < 0 ? -off_us : off_us) / 1000));
    if (n_clamped > 0) {
        live_file_set(live, ADS_LIVE_CLAMPED,
                      live_file_get(live, ADS_LIVE_CLAMPED) + n_clamped);
    }
}


static enum ads_err
settle(struct ingest *in)
{
    struct db_args args;

    pool_reset(in->sink.pool);
    db_args_init(&args, in->sink.pool);
    db_arg_int8(&args, (int64_t)in->sink.node);
    db_arg_int8(&args, in->sink.epoch);
    return db_run_alone(in->sink.db, &STMT_SETTLE, &args, NULL);
}


/* Allowances, heartbeat and waiting events, each when its time has come. */
static enum ads_err
cycle_end(struct ingest *in, int64_t begin_us, bool whole)
{
    int64_t now_ms = clock_monotonic_ms();
    enum ads_err err = ADS_OK;

    if (in->called || now_ms >= in->allowance_at_ms) {
        err = allowance_set(&in->allowance, in->sink.db, in->sink.pool,
                            in->sink.node, in->sink.epoch, whole);
        if (err == ADS_OK && whole) {
            in->called = false;
            in->adsd->allowance_cycles++;
        }
        in->allowance_at_ms =
            now_ms + (in->moved ? ALLOWANCE_LEAST_MS : IDLE_MS);
        if (err != ADS_OK && err != ADS_UNAVAILABLE) {
            err = ADS_OK; /* tried again soon; nothing goes up until then */
        }
    }
    if (err == ADS_OK && now_ms >= in->settle_at_ms) {
        in->settle_at_ms = now_ms + SETTLE_MS;
        if (whole) {
            err =
                ingest_commit_drained(&in->sink, begin_us - DRAINED_MARGIN_US);
            if (err == ADS_OK) {
                ingest_mark_move(
                    &in->mark, begin_us - DRAINED_MARGIN_US - in->sink.clock_us,
                    in->keep.removed_us);
            }
        }
        if (err == ADS_OK) {
            err = settle(in);
        }
    }
    return err;
}


static enum ads_err
cycle(struct ingest *in)
{
    int64_t begin_us = clock_realtime_us();
    uint64_t rejected = in->sink.n_rejected, holes = in->sink.n_holes;
    uint64_t clamped = in->sink.n_clamped;
    enum ads_err err = adsd_ready(in->adsd) ? ADS_OK : ADS_UNAVAILABLE;
    bool whole = false;

    in->moved = false;
    in->seen = ads_live_counter(live_file_current(in->adsd->live),
                                ADS_COUNT_APPENDED_BYTES);
    allowance_look(&in->allowance);
    datagrams_take(in);
    segments_look(in);
    ingest_keep_cycle(&in->keep, &in->dir, in->sink.epoch != 0);

    if (err == ADS_OK && db_n_connects(in->sink.db) != in->connection) {
        cursors_forget(in);
    }
    if (err == ADS_OK && (in->sink.epoch == 0 || in->sink.behind)) {
        err = ingest_commit_begin(&in->sink);
    }
    if (err == ADS_OK) {
        err = ingest_mark_look(&in->mark, &in->sink);
        in->keep.hold = in->mark.waits;
    }
    if (err == ADS_OK && !in->mark.waits) {
        err = ingest_held_tick(in->held, &in->sink);
    }
    if (err == ADS_OK && !in->mark.waits) {
        err = segments_ingest(in, &whole);
    }
    if (err == ADS_OK && !in->mark.waits) {
        err = cycle_end(in, begin_us, whole);
    }

    if (in->sink.n_rejected > rejected) {
        live_file_set(in->adsd->live, ADS_LIVE_REJECTED,
                      live_file_get(in->adsd->live, ADS_LIVE_REJECTED)
                          + in->sink.n_rejected - rejected);
    }
    corrupt(in, in->sink.n_holes - holes);
    clock_tell(in, in->sink.n_clamped - clamped);
    words_set(in, err != ADS_UNAVAILABLE);
    return err;
}


/* What follows a cycle: how long to wait, or the end of it all. */
static int
cycle_next(struct ingest *in, enum ads_err err)
{
    int pause_ms;

    switch (err) {
    case ADS_OK:
        in->refused = false;
        return in->moved || pending_of(in) > 0 ? BUSY_MS : IDLE_MS;
    case ADS_EXPIRED:
        log_error(in->adsd->log, DUTY,
                  "another adsd has taken over this node: stopping");
        adsd_stop(in->adsd);
        return 0;
    case ADS_UNAVAILABLE:
        cursors_forget(in);
        /* connected: read-only, or its disk is full */
        pause_ms = db_pause_ms(in->sink.db);
        return pause_ms > 0 ? pause_ms : REFUSED_PAUSE_MS;
    default:
        if (!in->refused) {
            log_error(in->adsd->log, DUTY,
                      "the database refuses to ingest: %s (%s)",
                      db_message(in->sink.db), db_sqlstate(in->sink.db));
        }
        in->refused = true;
        cursors_forget(in);
        return REFUSED_PAUSE_MS;
    }
}


/* ---- the thread ---------------------------------------------------------- */

/* The folder's lock is the old adsd's until it has really ended. */
static bool
dir_open(struct ingest *in)
{
    struct adsd *adsd = in->adsd;
    bool told = false;
    enum ads_err err;

    while (!adsd_stopping(adsd)) {
        err = segment_dir_open(&in->dir, adsd->conf.state_path,
                               click_keys_ring(adsd->click_keys), adsd->node,
                               adsd->log, true);
        if (err == ADS_OK) {
            return true;
        }
        if (err == ADS_BUSY && !told) {
            log_warn(adsd->log, DUTY,
                     "another adsd reads this journal: waiting for its end");
            told = true;
        }
        (void)adsd_wait(adsd, -1,
                        err == ADS_BUSY ? LOCK_PAUSE_MS : REFUSED_PAUSE_MS);
    }
    return false;
}


static int
wake_make(const struct ingest *in)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd = epoll_create1(EPOLL_CLOEXEC);

    if (fd >= 0) {
        (void)epoll_ctl(fd, EPOLL_CTL_ADD, in->adsd->ingest_fd, &event);
        if (in->socket >= 0) {
            (void)epoll_ctl(fd, EPOLL_CTL_ADD, in->socket, &event);
        }
    }
    return fd;
}


/*
 * Until a cycle is due: wait_ms, or as soon as something comes and the last
 * cycle, which began at begin_ms, is long enough ago.
 */
static void
cycle_wait(const struct ingest *in, int64_t begin_ms, int wait_ms)
{
    int64_t gap_ms;

    (void)adsd_wait(in->adsd, wait_ms > IDLE_MS ? -1 : in->wake, wait_ms);
    gap_ms = begin_ms + BUSY_MS - clock_monotonic_ms();
    if (gap_ms > 0) {
        (void)adsd_wait(in->adsd, in->adsd->ingest_fd, (int)gap_ms);
    }
}


static void
cycles(struct ingest *in)
{
    int64_t begin_ms = 0;
    eventfd_t calls;
    enum ads_err err;
    int wait_ms = 0;

    while (!adsd_stopping(in->adsd)) {
        cycle_wait(in, begin_ms, wait_ms);
        begin_ms = clock_monotonic_ms();
        if (eventfd_read(in->adsd->ingest_fd, &calls) == 0) {
            in->called = true;
        }
        err = cycle(in);
        wait_ms = cycle_next(in, err);
    }
}


static void
begin(struct ingest *in)
{
    struct adsd *adsd = in->adsd;
    const struct db_options options = {.duty = DB_INGEST,
                                       .conninfo = adsd->conf.database,
                                       .log = adsd->log,
                                       .stop_fd = adsd->stop_fd,
                                       .pulse = adsd_pulse(adsd)};

    in->sink = (struct ingest_sink){.db = db_new(&options),
                                    .log = adsd->log,
                                    .pool = pool_new(),
                                    .node = adsd->node};
    in->batch = ingest_batch_new();
    in->buffer = xmalloc(SEGMENT_BUFFER_LEN);
    in->datagram = xmalloc(DATAGRAM_MAX);
    allowance_init(&in->allowance, adsd->live);
    ingest_keep_init(&in->keep, adsd);
    ingest_mark_init(&in->mark, adsd);
    in->held = ingest_held_new(adsd);
    in->socket = ingest_socket_bind(adsd);
    in->wake = wake_make(in);
}


static void
finish(struct ingest *in)
{
    live_file_set(in->adsd->live, ADS_LIVE_LISTENING, 0);
    ingest_socket_remove(in->adsd, in->socket);
    if (in->wake >= 0) {
        close(in->wake);
    }
    ingest_held_free(in->held);
    allowance_end(&in->allowance);
    free(in->datagram);
    free(in->buffer);
    ingest_batch_free(in->batch);
    pool_free(in->sink.pool);
    db_free(in->sink.db);
    segment_dir_close(&in->dir);
}


void
ingest_run(struct adsd *adsd)
{
    struct ingest in = {.adsd = adsd};

    if (!dir_open(&in)) {
        return;
    }
    begin(&in);
    cycles(&in);
    finish(&in);
}
