/*
 * The publisher.
 *
 * What is on disk is the state: at start the head found there is taken over,
 * its generation goes on, and a base that is still right is not built again.
 * The head is written at every change, the base only when ads or products
 * changed.  Building a base costs a core, so after one that took T the next
 * waits T: an import in many transactions leaves the other half of the time to
 * the import.
 *
 * Order: base, head, allowances of new campaigns, generation.  Each step is
 * complete on disk before the next begins; a kill in between leaves the last
 * generation serving.
 */
#include "snap_publish.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ads_decide.h"
#include "live_file.h"
#include "snap_file.h"
#include "snap_load.h"

#define DUTY "publish"
#define POLL_MS 200
#define FAILED_PAUSE_MAX_MS 5000
#define BASE_AGE_MAX_US (INT64_C(24) * 3600 * 1000 * 1000)
#define ALLOWANCE_WAIT_MS 600

struct publisher {
    struct adsd *adsd;
    struct db *db;
    struct snap_map intent; /* the model, as read at start */
    struct snap_map base_map;
    struct ads_base base;
    uint64_t base_before; /* id of the one before, kept for slow readers */
    bool published;       /* `change` and `generation` are those of the head */
    uint64_t change;
    uint64_t generation;
    uint64_t live_id; /* of the file that the head's slots belong to */
    int64_t base_not_before_ms;
};


/* Maps and checks the base of that id, and makes it the one in use. */
static enum ads_err
base_take(struct publisher *p, uint64_t id, bool verify)
{
    struct log *log = p->adsd->log;
    char name[SNAP_BASE_NAME_LEN];
    struct snap_map map;
    struct ads_base base;
    enum ads_err err;

    snap_file_base_name(name, id);
    err = snap_file_map(&map, p->adsd->conf.state_path, name, log);
    if (err != ADS_OK) {
        return err;
    }

    err = verify ? ads_snap_verify(map.bytes, map.len) : ADS_OK;
    if (err == ADS_OK) {
        err = ads_base_open(&base, map.bytes, map.len);
    }
    if (err != ADS_OK) {
        log_warn(log, DUTY, "%s: %s; it will be built again", name,
                 ads_strerror(err));
        snap_file_unmap(&map);
        return err;
    }

    p->base_before = p->base.id;
    snap_file_unmap(&p->base_map);
    p->base_map = map;
    p->base = base;
    return ADS_OK;
}


/* Goes on from the files of an earlier run, as far as they are sound. */
static void
files_adopt(struct publisher *p)
{
    const char *dir = p->adsd->conf.state_path;
    struct snap_map map;
    struct ads_head head;

    p->generation = live_file_get(p->adsd->live, ADS_LIVE_GENERATION);
    if (snap_file_map(&map, dir, SNAP_HEAD_NAME, p->adsd->log) != ADS_OK) {
        return;
    }

    if (ads_head_open(&head, map.bytes, map.len) == ADS_OK) {
        if (head.generation > p->generation) {
            p->generation = head.generation;
        }
        if (base_take(p, head.base_id, true) == ADS_OK
            && ads_snap_pair(&head, &p->base) != ADS_OK)
        {
            snap_file_unmap(&p->base_map);
            p->base = (struct ads_base){0};
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


static enum ads_err
base_publish(struct publisher *p, struct snap_base_rows *rows, uint64_t change)
{
    struct snap_stamp stamp = {
        .made_us = (uint64_t)adsd_realtime_us(),
        .change = change,
        .node = p->adsd->node,
    };
    int64_t begin_ms = adsd_now_ms(), took_ms;
    char name[SNAP_BASE_NAME_LEN];
    struct snap_image image;
    uint32_t n_refused;
    enum ads_err err;

    rows->intent_model =
        (struct ads_str){p->intent.bytes, (size_t)p->intent.len};
    if (getentropy(&stamp.id, sizeof(stamp.id)) != 0) {
        return ADS_IO;
    }
    snap_base_build(&image, &n_refused, rows, &stamp);

    snap_file_base_name(name, stamp.id);
    err = snap_file_write(p->adsd->conf.state_path, name, image.bytes,
                          image.len, p->adsd->log);
    free(image.bytes);
    if (err == ADS_OK) {
        err = base_take(p, stamp.id, false);
    }

    took_ms = adsd_now_ms() - begin_ms;
    p->base_not_before_ms = adsd_now_ms() + took_ms;
    if (err == ADS_OK) {
        log_info(p->adsd->log, DUTY,
                 "base of %u ads, %u refused for their url, %lld ms",
                 p->base.ads.rows, n_refused, (long long)took_ms);
    }
    return err;
}


/* Gives every campaign its slot in `live`. */
static enum ads_err
slots_claim(struct publisher *p, struct snap_head_rows *rows)
{
    struct snap_campaign_row *campaigns =
        (struct snap_campaign_row *)rows->campaigns;
    bool renewed = false;

    for (uint32_t i = 0; i < rows->n_campaigns; i++) {
        enum ads_err err;

        err = live_file_claim(p->adsd->live, &campaigns[i].id,
                              &campaigns[i].slot, &campaigns[i].tag);
        if (err == ADS_FULL && !renewed) {
            err = live_file_renew(p->adsd->live);
            renewed = true;
            i = UINT32_MAX; /* from the first again */
        }
        if (err != ADS_OK) {
            log_error(p->adsd->log, DUTY, "no slot in live for a campaign: %s",
                      ads_strerror(err));
            return err;
        }
    }

    p->live_id = live_file_current(p->adsd->live)->id;
    return ADS_OK;
}


/* A campaign is served only once it has an allowance: wait for the turn of the
 * allowances that began after the slots were claimed. */
static void
allowances_wait(const struct publisher *p)
{
    uint64_t target = atomic_load(&p->adsd->allowance_turns) + 2;
    int64_t until_ms = adsd_now_ms() + ALLOWANCE_WAIT_MS;

    adsd_ingest_soon(p->adsd);
    while (atomic_load(&p->adsd->allowance_turns) < target
           && adsd_now_ms() < until_ms && !adsd_stopping(p->adsd))
    {
        (void)adsd_wait(p->adsd, -1, 2);
        adsd_ingest_soon(p->adsd);
    }
}


static enum ads_err
head_publish(struct publisher *p, struct snap_head_rows *rows, uint64_t change)
{
    struct snap_stamp stamp = {
        .id = p->generation + 1,
        .made_us = (uint64_t)adsd_realtime_us(),
        .change = change,
        .node = p->adsd->node,
    };
    struct snap_image image;
    enum ads_err err;

    err = slots_claim(p, rows);
    if (err != ADS_OK) {
        return err;
    }

    snap_head_build(&image, rows, &p->base, &stamp);
    err = snap_file_write(p->adsd->conf.state_path, SNAP_HEAD_NAME, image.bytes,
                          image.len, p->adsd->log);
    free(image.bytes);
    if (err != ADS_OK) {
        return err;
    }

    allowances_wait(p);
    p->generation = stamp.id;
    p->change = change;
    p->published = true;
    live_file_set(p->adsd->live, ADS_LIVE_GENERATION, p->generation);
    adsd_published(p->adsd, change, p->generation);
    snap_file_clean(p->adsd->conf.state_path, p->base.id, p->base_before);
    return ADS_OK;
}


/* Is there nothing to do? */
static bool
is_current(const struct publisher *p, const struct snap_state *state)
{
    return p->published && state->change == p->change && !state->base_stale
           && live_file_current(p->adsd->live)->id == p->live_id;
}


/* One look at the database and, when something changed, one publication. */
static enum ads_err
turn(struct publisher *p, struct pool *pool)
{
    struct snap_base_rows base_rows = {0};
    struct snap_head_rows head_rows = {0};
    struct snap_state state;
    struct db_tx *tx;
    enum ads_err err;

    err = db_begin(p->db, &tx);
    if (err != ADS_OK) {
        return err;
    }

    err = snap_load_state(&state, tx, pool, &p->base);
    if (err != ADS_OK) {
        goto done;
    }

    /* a base from after what the database holds now is another database's,
     * or from before it was restored: its numbers say nothing */
    state.base_stale |=
        p->base_map.bytes == NULL || p->base.change > state.change
        || adsd_realtime_us() - (int64_t)p->base.made_us > BASE_AGE_MAX_US;
    if (is_current(p, &state)
        || (state.base_stale && adsd_now_ms() < p->base_not_before_ms))
    {
        goto done;
    }

    if (state.base_stale) {
        err = snap_load_base(&base_rows, tx, pool);
    }
    if (err == ADS_OK) {
        err = snap_load_head(&head_rows, tx, pool);
    }
    if (err != ADS_OK) {
        goto done;
    }

    /* what was read is of one moment; compiling it needs no transaction */
    db_end(tx);
    tx = NULL;

    if (state.base_stale) {
        err = base_publish(p, &base_rows, state.change);
    }
    if (err == ADS_OK) {
        err = head_publish(p, &head_rows, state.change);
    }

done:

    db_end(tx);
    return err;
}


static void
wake_clear(int fd)
{
    eventfd_t value;

    (void)eventfd_read(fd, &value);
}


/* How long until the next turn.  Without a database that is the connection's
 * to say; when files cannot be written, longer after each failure in a row. */
static int
pause_of(const struct publisher *p, enum ads_err err, int before_ms)
{
    switch (err) {
    case ADS_OK:
        return POLL_MS;
    case ADS_UNAVAILABLE:
        return db_pause_ms(p->db) > POLL_MS ? db_pause_ms(p->db) : POLL_MS;
    default:
        return 2 * before_ms < FAILED_PAUSE_MAX_MS ? 2 * before_ms
                                                   : FAILED_PAUSE_MAX_MS;
    }
}


void
snap_publish_run(struct adsd *adsd)
{
    struct publisher p = {.adsd = adsd};
    const struct db_options options = {.duty = DB_PUBLISH,
                                       .conninfo = adsd->conf.database,
                                       .log = adsd->log,
                                       .stop_fd = adsd->stop_fd};
    struct pool *pool;
    int wait_ms = POLL_MS;

    p.db = db_new(&options);
    pool = pool_new();

    if (intent_read(&p) == ADS_OK && adsd_wait_for_database(adsd, p.db)) {
        files_adopt(&p);

        while (!adsd_stopping(adsd)) {
            wait_ms = pause_of(&p, turn(&p, pool), wait_ms);
            pool_reset(pool);
            if (adsd_wait(adsd, adsd->publish_fd, wait_ms)) {
                wake_clear(adsd->publish_fd);
            }
        }
    }

    pool_free(pool);
    db_free(p.db);
    snap_file_unmap(&p.base_map);
    snap_file_unmap(&p.intent);
}
