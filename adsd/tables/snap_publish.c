/*
 * Publishes the ad tables.
 *
 * What is on disk is the state: at start the head found there is taken over
 * with its base, and its generation goes on.  A head is written at every
 * change and holds the campaigns, and the ads that changed since its base,
 * both carried over from the head before; only what changed since that is read
 * from PostgreSQL.  A new base is made in the background (snap_job.h) when the
 * head gets large, and from all rows a minute after each start and once a
 * day.  Heads for the old base go on being published meanwhile; the first head
 * of the new one holds what it has not seen.
 *
 * Of what an import changed in one go each head takes a chunk
 * (snap_chunk.h), so that others' changes need not wait for all of it.  Its
 * change is not said to be served, and no head's file says that it holds it,
 * before its last chunk is there: after a kill it is read again.
 *
 * Order: base, head, allowances of new campaigns, generation.  Each step is
 * complete on disk before the next begins; a kill in between leaves the last
 * generation serving.
 */
#include "tables/snap_publish.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ads_decide.h"
#include "base/clock.h"
#include "daemon/live_file.h"
#include "tables/snap_carry.h"
#include "tables/snap_file.h"
#include "tables/snap_job.h"
#include "tables/snap_load.h"
#include "tables/snap_slots.h"

#define DUTY "publish"
#define POLL_MS 200
#define FAILED_PAUSE_MAX_MS 5000
#define REBUILD_MS (INT64_C(24) * 3600 * 1000)
#define REBUILD_FIRST_MS 60000 /* after a start: others have work to do, too */
#define HEAD_SHARE 20 /* a head of over 1/20 of its base is merged into it */
#define HEAD_ADS_MAX 5000 /* likewise: a head takes some 6 us of CPU an ad */
#define CHUNK_ADS 2000    /* read again for a head: some 30 us of CPU an ad */
#define CHUNK_SHARE 4     /* or a quarter of those that it holds */
#define ALLOWANCE_WAIT_MS 600
#define ADOPTED_MARGIN_US \
    (INT64_C(60) * 1000 * 1000) /* the database's clock is
                                                         another one */

struct publisher {
    struct adsd *adsd;
    struct db *db;
    struct snap_map intent; /* the model, as read at start */
    struct snap_base base;
    uint64_t base_before;   /* id of the one before, kept for slow readers */
    struct snap_image head; /* the last one of this base; bytes NULL: none */
    struct snap_pair pair;  /* the two, opened */

    bool published; /* `change` and `as_of_us` are those of the head */
    uint64_t change;
    int64_t as_of_us;            /* the moment of the rows */
    struct snap_change *waiting; /* ads changed up to then for a later head */
    uint32_t n_waiting;
    uint64_t generation;
    struct snap_slots slots; /* of the head's campaigns */

    struct snap_job *job;   /* a new base is being made, or NULL */
    bool job_rebuilds;      /* from rows */
    struct snap_base made;  /* it is there: the next head goes beside it */
    struct snap_ids recent; /* ads that changed since that job began */
    int64_t job_begin_ms;
    int64_t job_not_before_ms;
    int64_t rebuild_ms; /* when a base is next made from rows */
};


static void
head_drop(struct publisher *p)
{
    free(p->head.bytes);
    p->head = (struct snap_image){0};
    p->pair = (struct snap_pair){0};
}


/* Takes a head over to carry on from. */
static enum ads_err
head_take(struct publisher *p, struct snap_image *image)
{
    enum ads_err err;

    head_drop(p);
    p->head = *image;
    err = snap_pair_open(&p->pair, &p->base.source, image->bytes, image->len);
    if (err != ADS_OK) {
        head_drop(p);
    }
    return err;
}


/* Does the base hold the phrases that hold now?  What must not stand beside an
 * ad is not left waiting for the next base. */
static bool
guard_is_current(const struct publisher *p)
{
    const struct ads_snap_section *held = &p->base.source.base.guard;
    const struct ads_str *now = &p->adsd->guard;

    return held->len == now->len
           && memcmp(held->bytes, now->ptr, now->len) == 0;
}


/* Goes on from the files of an earlier run, as far as they are sound. */
static void
files_adopt(struct publisher *p)
{
    const char *dir = p->adsd->conf.state_path;
    struct snap_map map;
    struct snap_image image;
    struct ads_head head;

    p->generation = live_file_get(p->adsd->live, ADS_LIVE_GENERATION);
    if (snap_file_map(&map, dir, SNAP_HEAD_NAME, p->adsd->log) != ADS_OK) {
        return;
    }

    if (ads_head_open(&head, map.bytes, map.len) == ADS_OK) {
        if (head.generation > p->generation) {
            p->generation = head.generation;
        }
        if (snap_base_map(&p->base, head.base_id, true, p->adsd) == ADS_OK) {
            image.len = map.len;
            image.bytes = xmalloc(map.len);
            memcpy(image.bytes, map.bytes, map.len);
            if (head_take(p, &image) == ADS_OK) {
                p->change = head.change;
                p->as_of_us = (int64_t)head.made_us - ADOPTED_MARGIN_US;
                if (!guard_is_current(p)
                    || !snap_goods_same(&p->base.source.base, &p->adsd->goods))
                {
                    p->rebuild_ms = clock_monotonic_ms();
                }
            } else {
                snap_base_unmap(&p->base);
            }
        }
    }
    snap_file_unmap(&map);
}


/* The whole file, kept for the life of the thread; checked once. */
static enum ads_err
intent_read(struct publisher *p)
{
    const char *path = p->adsd->conf.intent_model;
    struct ads_intent intent;
    enum ads_err err;

    err = snap_file_map(&p->intent, NULL, path, p->adsd->log);
    if (err == ADS_OK) {
        err = ads_intent_open(p->intent.bytes, p->intent.len, &intent);
    }
    if (err != ADS_OK) {
        log_error(p->adsd->log, DUTY, "intent model %s: %s", path,
                  ads_strerror(err));
    }
    return err;
}


/*
 * A campaign is served only once it has an allowance: wait for the cycle of the
 * allowances that began after the slots were claimed.
 */
static void
allowances_wait(const struct publisher *p)
{
    uint64_t target = atomic_load(&p->adsd->allowance_cycles) + 2;
    int64_t until_ms = clock_monotonic_ms() + ALLOWANCE_WAIT_MS;

    adsd_ingest_soon(p->adsd);
    while (atomic_load(&p->adsd->allowance_cycles) < target
           && clock_monotonic_ms() < until_ms && !adsd_stopping(p->adsd))
    {
        (void)adsd_wait(p->adsd, -1, 2);
        adsd_ingest_soon(p->adsd);
    }
}


/* ---- new bases ----------------------------------------------------------- */

static void
job_start(struct publisher *p, bool rebuild)
{
    const struct snap_job_input input = {
        .base = p->head.bytes == NULL ? NULL : &p->base.source,
        .head = &p->head,
        .rebuild = rebuild,
        .intent_model =
            (struct ads_str){p->intent.bytes, (size_t)p->intent.len},
        .guard = p->adsd->guard,
        .goods = p->adsd->goods,
    };

    p->recent.n = 0;
    p->job_rebuilds = rebuild;
    p->job_begin_ms = clock_monotonic_ms();
    p->job = snap_job_begin(p->adsd, &input);
}


/* Takes what a job that is done has made.  Making a base costs a core, so
 * after one that took T the next waits T: an import in many transactions
 * leaves the other half of the time to the import. */
static void
job_take(struct publisher *p)
{
    int64_t now_ms = clock_monotonic_ms();
    enum ads_err err;

    if (p->job == NULL || !snap_job_done(p->job)) {
        return;
    }
    err = snap_job_end(p->job, &p->made);
    p->job = NULL;
    p->job_not_before_ms = 2 * now_ms - p->job_begin_ms;
    if (err != ADS_OK) {
        p->job_not_before_ms += FAILED_PAUSE_MAX_MS;
    } else if (p->job_rebuilds) {
        p->rebuild_ms = now_ms + REBUILD_MS;
    }
}


/* More changed than a head should hold? */
static bool
head_is_large(const struct publisher *p)
{
    const struct ads_base *more = &p->pair.head.more;
    uint64_t n = (uint64_t)more->ads.rows + more->retired.rows;

    return n > 0
           && (n > HEAD_ADS_MAX
               || n * HEAD_SHARE > p->base.source.base.ads.rows);
}


static void
job_consider(struct publisher *p)
{
    int64_t now_ms = clock_monotonic_ms();
    bool rebuild = now_ms >= p->rebuild_ms;

    if (p->job == NULL && now_ms >= p->job_not_before_ms && p->n_waiting == 0
        && (rebuild || head_is_large(p)))
    {
        job_start(p, rebuild);
    }
}


/* ---- heads --------------------------------------------------------------- */

/*
 * The ads of the delta: those of the last one, but what changed since; with a
 * base that was made meanwhile, only those that it has not seen.
 */
static void
changed_carry(struct publisher *p, struct snap_carry *carry,
              const struct snap_base_rows *changed)
{
    struct snap_ids ids = {0};

    for (uint32_t i = 0; i < changed->n_ads; i++) {
        snap_ids_add(&ids, &changed->ads[i].id);
    }
    for (uint32_t i = 0; i < changed->n_retired; i++) {
        snap_ids_add(&ids, &changed->retired[i].id);
    }
    snap_ids_sort(&ids);

    if (p->head.bytes != NULL && p->made.map.bytes == NULL) {
        snap_carry_head(carry, &p->pair, &ids, false);
    } else if (p->head.bytes != NULL) {
        struct snap_ids recent = {0};

        for (uint32_t i = 0; i < p->recent.n; i++) {
            if (!snap_ids_has(&ids, &p->recent.ids[i])) {
                snap_ids_add(&recent, &p->recent.ids[i]);
            }
        }
        snap_ids_sort(&recent);
        snap_carry_head(carry, &p->pair, &recent, true);
        free(recent.ids);
    }
    snap_carry_add(carry, changed);
    for (uint32_t i = 0; p->job != NULL && i < ids.n; i++) {
        snap_ids_add(&p->recent, &ids.ids[i]);
    }
    free(ids.ids);
}


/*
 * How many ads of a bulk the next head may read again: more of them where the
 * head takes its time anyway, so that a large bulk takes few chunks, too.
 */
static uint32_t
chunk_max(const struct publisher *p)
{
    uint32_t share = p->pair.head.more.ads.rows / CHUNK_SHARE;

    if (p->base.source.base.ads.rows < p->adsd->conf.base_small_ads) {
        return UINT32_MAX; /* compiled as a whole */
    }
    return share > CHUNK_ADS ? share : CHUNK_ADS;
}


static void
waiting_set(struct publisher *p, const struct snap_change *changes, uint32_t n)
{
    free(p->waiting);
    p->waiting = xcalloc(n, sizeof(*p->waiting));
    if (n > 0) {
        memcpy(p->waiting, changes, n * sizeof(*changes));
    }
    p->n_waiting = n;
}


/* The base that the next head stands beside. */
static const struct snap_source *
base_next(const struct publisher *p)
{
    return p->made.map.bytes != NULL ? &p->made.source : &p->base.source;
}


static void
head_compile(struct publisher *p, struct snap_image *image,
             struct snap_head_rows *rows, const struct snap_base_rows *changed,
             const struct snap_stamp *stamp)
{
    struct snap_carry carry = {0};

    if (changed->n_ads + changed->n_retired == 0 && p->head.bytes != NULL
        && p->made.map.bytes == NULL)
    {
        rows->before = &p->pair.head;
    } else {
        changed_carry(p, &carry, changed);
        rows->changed = snap_carry_rows(&carry);
    }
    snap_head_build(image, rows, base_next(p), stamp);
    snap_carry_free(&carry);
    rows->before = NULL;
    rows->changed = (struct snap_base_rows){0};
}


/* The base in use becomes the one that was made. */
static void
base_swap(struct publisher *p)
{
    p->base_before = p->base.source.base.id;
    head_drop(p);
    snap_base_unmap(&p->base);
    p->base = p->made;
    p->made = (struct snap_base){0};
    p->recent.n = 0;
}


/* A small catalogue is compiled as a whole at each change, so that its scores
 * are never those of another time. */
static bool
is_small(const struct publisher *p, const struct snap_base_rows *changed)
{
    return changed->n_ads + changed->n_retired > 0 && p->job == NULL
           && p->made.map.bytes == NULL
           && p->base.source.base.ads.rows < p->adsd->conf.base_small_ads;
}


/* Makes the pair of base and image one base, and the image its empty head. */
static enum ads_err
small_merge(struct publisher *p, struct snap_image *image,
            struct snap_head_rows *rows, const struct snap_stamp *stamp)
{
    const struct snap_job_input input = {
        .base = &p->base.source,
        .head = image,
        .intent_model =
            (struct ads_str){p->intent.bytes, (size_t)p->intent.len},
        .guard = p->adsd->guard,
        .goods = p->adsd->goods,
    };
    enum ads_err err = snap_job_merge(&p->made, p->adsd, &input);

    if (err == ADS_OK) {
        free(image->bytes);
        snap_head_build(image, rows, &p->made.source, stamp);
    }
    return err;
}


static enum ads_err
head_publish(struct publisher *p, struct snap_head_rows *rows,
             const struct snap_base_rows *changed, struct adsd_served *served)
{
    struct snap_stamp stamp = {
        .id = p->generation + 1,
        .made_us = (uint64_t)clock_realtime_us(),
        .change = served->change,
        .node = p->adsd->node,
        .floor = (uint32_t)(p->adsd->conf.relevance_floor_bps * ADS_FIT_UNIT
                            / 10000),
    };
    const char *dir = p->adsd->conf.state_path;
    int64_t begin_ms = clock_monotonic_ms(), made_ms;
    struct snap_image image;
    enum ads_err err = ADS_OK;

    snap_slots_give(&p->slots, (struct snap_campaign_row *)rows->campaigns,
                    rows->n_campaigns);
    head_compile(p, &image, rows, changed, &stamp);
    if (is_small(p, changed)) {
        err = small_merge(p, &image, rows, &stamp);
    }
    if (err == ADS_OK) {
        /* never again for another head: a worker may have this one already
         * though it could not be published in full */
        p->generation = stamp.id;
        err = snap_file_write(dir, SNAP_HEAD_NAME, image.bytes, image.len,
                              p->adsd->log);
    }
    if (err != ADS_OK) {
        free(image.bytes);
        return err;
    }

    if (p->made.map.bytes != NULL) {
        base_swap(p);
    }
    made_ms = clock_monotonic_ms();
    err = head_take(p, &image);
    allowances_wait(p);
    log_debug(p->adsd->log, DUTY,
              "head of %u changed ads, %lld ms, then %lld ms for "
              "allowances",
              p->pair.head.more.ads.rows, (long long)(made_ms - begin_ms),
              (long long)(clock_monotonic_ms() - made_ms));
    live_file_set(p->adsd->live, ADS_LIVE_GENERATION, p->generation);
    served->generation = p->generation;
    adsd_published(p->adsd, served);
    if (p->job == NULL) { /* it may have written its file already */
        snap_file_clean(dir, p->base.source.base.id, p->base_before);
    }
    return err;
}


/* ---- one cycle ----------------------------------------------------------- */

/* What a cycle reads, in the memory of its pool. */
struct chunk {
    struct snap_state state;
    struct snap_change *changes; /* since the head before */
    uint32_t n;
    uint32_t n_now; /* the first of them are for this head */
    struct snap_base_rows changed;
    struct snap_head_rows rows;
};


/* Is there nothing to do? */
static bool
is_current(const struct publisher *p, const struct snap_state *state)
{
    return p->published && state->change == p->change && !state->sale_ended
           && p->n_waiting == 0 && p->made.map.bytes == NULL
           && snap_slots_are_current(&p->slots);
}


/* Is there no base to go on from?  One from after what the database holds now
 * is another database's, or from before it was restored: its numbers say
 * nothing. */
static bool
is_lost(const struct publisher *p, const struct snap_state *state)
{
    if (p->head.bytes != NULL) {
        return p->change > state->change;
    }
    return p->made.map.bytes == NULL
           || p->made.source.base.change > state->change;
}


/* Without a base, or with one of another database: waits for a new one. */
static void
lost_settle(struct publisher *p)
{
    if (p->job == NULL && clock_monotonic_ms() >= p->job_not_before_ms) {
        head_drop(p);
        waiting_set(p, NULL, 0);
        snap_base_unmap(&p->made);
        job_start(p, true);
    }
}


/* The head that campaigns are carried over from; NULL: they are all read, as
 * after each start and beside each base from rows. */
static const struct ads_head *
campaigns_before(const struct publisher *p)
{
    bool rebuilt = p->made.map.bytes != NULL && p->job_rebuilds;

    return p->published && p->head.bytes != NULL && !rebuilt ? &p->pair.head
                                                             : NULL;
}


/* Publishes what was read, and says of which changes nothing waits. */
static enum ads_err
changes_publish(struct publisher *p, struct chunk *chunk)
{
    uint32_t n_later = chunk->n - chunk->n_now;
    const struct snap_change *later =
        n_later == 0 ? NULL : chunk->changes + chunk->n_now;
    struct adsd_served served = {.change = chunk->state.change};
    uint64_t least, greatest;
    enum ads_err err;

    if (n_later > 0) {
        snap_chunk_range(later, n_later, &least, &greatest);
        served.change = least - 1;
        served.from = greatest + 1;
        served.last = chunk->state.change;
    }
    err = head_publish(p, &chunk->rows, &chunk->changed, &served);
    if (err == ADS_OK) {
        p->change = chunk->state.change;
        p->as_of_us = chunk->state.as_of_us;
        p->published = true;
        waiting_set(p, later, n_later);
    }
    return err;
}


/* Reads what the next head is made of. */
static enum ads_err
chunk_load(struct publisher *p, struct chunk *chunk, struct db_tx *tx,
           struct pool *pool)
{
    const struct snap_load_since since = {.change = p->change,
                                          .as_of_us = p->as_of_us,
                                          .waiting = p->waiting,
                                          .n_waiting = p->n_waiting};
    enum ads_err err;

    err = snap_load_changes(&chunk->changes, &chunk->n, tx, pool, &since);
    if (err == ADS_OK) {
        chunk->n_now = snap_chunk_take(chunk->changes, chunk->n, chunk_max(p));
        err = snap_load_ads(&chunk->changed, tx, pool, chunk->changes,
                            chunk->n_now);
    }
    if (err == ADS_OK) {
        err = snap_load_head(&chunk->rows, tx, pool, campaigns_before(p));
    }
    return err;
}


/* One poll of the database and, when something changed, one publication. */
static enum ads_err
cycle(struct publisher *p, struct pool *pool)
{
    struct chunk chunk = {0};
    struct db_tx *tx;
    enum ads_err err;

    job_take(p);
    err = db_begin(p->db, &tx);
    if (err != ADS_OK) {
        return err;
    }

    err = snap_load_state(&chunk.state, tx, pool, p->as_of_us);
    if (err != ADS_OK) {
        goto done;
    }
    if (is_lost(p, &chunk.state)) {
        lost_settle(p);
        goto done;
    }
    if (p->head.bytes == NULL) { /* the first head of a base made from rows */
        p->change = p->made.source.base.change;
        p->as_of_us = (int64_t)p->made.source.base.made_us;
    }
    if (is_current(p, &chunk.state)) {
        goto done;
    }

    err = chunk_load(p, &chunk, tx, pool);
    if (err != ADS_OK) {
        goto done;
    }

    /* what was read is of one moment; compiling it needs no transaction */
    db_end(tx);
    tx = NULL;
    err = changes_publish(p, &chunk);

done:

    db_end(tx);
    if (err == ADS_OK && p->published && p->head.bytes != NULL) {
        job_consider(p);
    }
    return err;
}


static void
wake_clear(int fd)
{
    eventfd_t value;

    (void)eventfd_read(fd, &value);
}


/* How long until the next cycle.  Without a database that is the connection's
 * to say; when files cannot be written, longer after each failure in a row. */
static int
pause_of(const struct publisher *p, enum ads_err err, int before_ms)
{
    switch (err) {
    case ADS_OK:
        return p->n_waiting > 0 ? 0 : POLL_MS;
    case ADS_UNAVAILABLE:
        return db_pause_ms(p->db) > POLL_MS ? db_pause_ms(p->db) : POLL_MS;
    default:
        before_ms = before_ms > POLL_MS ? before_ms : POLL_MS;
        return 2 * before_ms < FAILED_PAUSE_MAX_MS ? 2 * before_ms
                                                   : FAILED_PAUSE_MAX_MS;
    }
}


void
snap_publish_run(struct adsd *adsd)
{
    struct publisher p = {.adsd = adsd,
                          .slots = {.live = adsd->live, .log = adsd->log}};
    const struct db_options options = {.duty = DB_PUBLISH,
                                       .conninfo = adsd->conf.database,
                                       .log = adsd->log,
                                       .stop_fd = adsd->stop_fd,
                                       .pulse = adsd_pulse(adsd)};
    struct pool *pool;
    int wait_ms = POLL_MS;

    p.rebuild_ms = clock_monotonic_ms() + REBUILD_FIRST_MS;
    p.db = db_new(&options);
    pool = pool_new();

    if (intent_read(&p) == ADS_OK && adsd_wait_for_database(adsd, p.db)) {
        files_adopt(&p);

        while (!adsd_stopping(adsd)) {
            wait_ms = pause_of(&p, cycle(&p, pool), wait_ms);
            pool_reset(pool);
            if (adsd_wait(adsd, adsd->publish_fd, wait_ms)) {
                wake_clear(adsd->publish_fd);
            }
        }
    }

    if (p.job != NULL && snap_job_end(p.job, &p.made) != ADS_OK) {
        log_debug(adsd->log, DUTY, "the base being made is given up");
    }
    pool_free(pool);
    db_free(p.db);
    head_drop(&p);
    free(p.waiting);
    free(p.recent.ids);
    snap_base_unmap(&p.made);
    snap_base_unmap(&p.base);
    snap_file_unmap(&p.intent);
}
