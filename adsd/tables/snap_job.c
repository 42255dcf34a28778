/*
 * Makes a new base in the background, by merge or rebuild.
 */
#include "tables/snap_job.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ads_guard.h"
#include "base/clock.h"
#include "tables/snap_carry.h"
#include "tables/snap_load.h"

#define DUTY "publish"
#define JOB_NICE 10 /* a tenth of what a thread that serves somebody gets */

struct snap_job {
    struct adsd *adsd;
    pthread_t thread;
    _Atomic bool done;
    struct snap_job_input input;
    struct snap_image head; /* the copy */
    struct ads_head before; /* that, opened by a rebuild */
    struct snap_base made;
    enum ads_err err;
};


/* ---- a base in use ------------------------------------------------------- */

enum ads_err
snap_base_map(struct snap_base *base, uint64_t id, bool verify,
              struct adsd *adsd)
{
    char name[SNAP_BASE_NAME_LEN];
    struct snap_base found;
    struct ads_base opened;
    struct ads_guard guard;
    enum ads_err err;

    snap_file_base_name(name, id);
    err = snap_file_map(&found.map, adsd->conf.state_path, name, adsd->log);
    if (err != ADS_OK) {
        return err;
    }

    err = verify ? ads_snap_verify(found.map.bytes, found.map.len) : ADS_OK;
    if (err == ADS_OK) {
        err = ads_base_open(&opened, found.map.bytes, found.map.len);
    }
    if (err == ADS_OK) {
        err = snap_source_open(&found.source, &opened);
    }
    if (err == ADS_OK) { /* an older adsd made bases without */
        err = ads_guard_open(opened.guard.bytes, opened.guard.len, &guard);
    }
    if (err != ADS_OK) {
        log_warn(adsd->log, DUTY, "%s: %s; it will be built again", name,
                 ads_strerror(err));
        snap_file_unmap(&found.map);
        return err;
    }
    *base = found;
    return ADS_OK;
}


void
snap_base_unmap(struct snap_base *base)
{
    snap_file_unmap(&base->map);
    *base = (struct snap_base){0};
}


/* ---- making one ---------------------------------------------------------- */

/* Compiles, writes and maps. */
static enum ads_err
base_make(struct snap_base *made, struct adsd *adsd, const char *how,
          const struct snap_base_rows *rows, struct snap_stamp *stamp)
{
    int64_t begin_ms = clock_monotonic_ms();
    char name[SNAP_BASE_NAME_LEN];
    struct snap_image image;
    uint32_t n_refused;
    enum ads_err err;

    if (getentropy(&stamp->id, sizeof(stamp->id)) != 0) {
        return ADS_IO;
    }
    stamp->node = adsd->node;
    snap_base_build(&image, &n_refused, rows, stamp);

    snap_file_base_name(name, stamp->id);
    err = snap_file_write(adsd->conf.state_path, name, image.bytes, image.len,
                          adsd->log);
    free(image.bytes);
    if (err == ADS_OK) {
        err = snap_base_map(made, stamp->id, false, adsd);
    }
    if (err == ADS_OK) {
        log_info(adsd->log, DUTY,
                 "base of %u ads, %s, %u refused for their url, %lld ms",
                 made->source.base.ads.rows, how, n_refused,
                 (long long)(clock_monotonic_ms() - begin_ms));
    }
    return err;
}


enum ads_err
snap_job_merge(struct snap_base *made, struct adsd *adsd,
               const struct snap_job_input *input)
{
    struct snap_carry carry = {0};
    struct snap_base_rows rows;
    struct snap_stamp stamp;
    struct snap_pair pair;
    enum ads_err err;

    err = snap_pair_open(&pair, input->base, input->head->bytes,
                         input->head->len);
    if (err != ADS_OK) {
        log_error(adsd->log, DUTY, "the head cannot be merged: %s",
                  ads_strerror(err));
        return err;
    }
    snap_carry_all(&carry, &pair);
    rows = snap_carry_rows(&carry);
    rows.intent_model = input->intent_model;
    rows.guard = input->guard;
    rows.goods = (struct ads_str){(const char *)input->base->base.goods.bytes,
                                  input->base->base.goods.len};
    stamp = (struct snap_stamp){.made_us = pair.head.made_us,
                                .change = pair.head.change};
    err = base_make(made, adsd, "merged", &rows, &stamp);
    snap_carry_free(&carry);
    return err;
}


/* Says whether a base from rows is what base and head hold together.  Only
 * what was published before may differ from what is asked for now: ads retired
 * for over 30 days, which are therefore left out. */
static void
compare(struct snap_job *job)
{
    const struct ads_base *made = &job->made.source.base;
    struct snap_carry carry = {0};
    struct snap_stamp stamp = {.made_us = made->made_us,
                               .change = made->change};
    struct snap_image image;
    struct snap_base_rows rows;
    struct snap_pair pair;
    struct ads_base merged;
    uint32_t n_refused;

    if (snap_pair_open(&pair, job->input.base, job->head.bytes, job->head.len)
        != ADS_OK)
    {
        return;
    }
    snap_carry_all(&carry, &pair);
    rows = snap_carry_rows(&carry);
    snap_base_build(&image, &n_refused, &rows, &stamp);
    if (ads_base_open(&merged, image.bytes, image.len) != ADS_OK
        || !snap_base_same(made, &merged))
    {
        log_error(job->adsd->log, DUTY,
                  "a base built from rows is not what base and head held "
                  "at change %" PRIu64 "; it takes their place",
                  made->change);
    } else {
        log_info(job->adsd->log, DUTY,
                 "base and head held what a base built from rows holds");
    }
    snap_carry_free(&carry);
    free(image.bytes);
}


/* All rows of one moment. */
static enum ads_err
rows_load(struct snap_job *job, struct db *db, struct pool *pool,
          struct snap_base_rows *rows, struct snap_state *state)
{
    struct db_tx *tx;
    enum ads_err err = db_begin(db, &tx);

    if (err == ADS_OK) {
        err = snap_load_state(state, tx, pool, (int64_t)job->before.made_us);
    }
    if (err == ADS_OK) {
        err = snap_load_base(rows, tx, pool);
    }
    db_end(tx);
    rows->intent_model = job->input.intent_model;
    rows->guard = job->input.guard;
    rows->goods = job->input.goods;
    return err;
}


bool
snap_goods_same(const struct ads_base *base, const struct ads_str *goods)
{
    return base->goods.len == goods->len
           && (goods->len == 0
               || memcmp(base->goods.bytes, goods->ptr, goods->len) == 0);
}


static enum ads_err
rebuild(struct snap_job *job)
{
    const struct db_options options = {.duty = DB_PUBLISH,
                                       .conninfo = job->adsd->conf.database,
                                       .log = job->adsd->log,
                                       .stop_fd = job->adsd->stop_fd};
    struct db *db = db_new(&options);
    struct pool *pool = pool_new();
    struct snap_base_rows rows = {0};
    struct snap_state state;
    struct snap_stamp stamp;
    enum ads_err err;

    if (job->input.base != NULL
        && ads_head_open(&job->before, job->head.bytes, job->head.len)
               != ADS_OK)
    {
        job->input.base = NULL;
    }
    err = rows_load(job, db, pool, &rows, &state);
    if (err == ADS_OK) {
        stamp = (struct snap_stamp){.made_us = (uint64_t)state.as_of_us,
                                    .change = state.change};
        err = base_make(&job->made, job->adsd, "from rows", &rows, &stamp);
    }
    pool_free(pool);
    db_free(db);

    /* of the same moment, as far as what is shown goes; another ontology takes
     * products for other things */
    if (err == ADS_OK && job->input.base != NULL
        && snap_goods_same(&job->input.base->base, &job->input.goods)
        && job->before.change == state.change && !state.sale_ended)
    {
        compare(job);
    }
    return err;
}


static void *
job_run(void *arg)
{
    struct snap_job *job = arg;

    /* changes wait for heads, not for a base: on Linux, of this thread alone */
    (void)setpriority(PRIO_PROCESS, 0, JOB_NICE);
    job->err = job->input.rebuild
                   ? rebuild(job)
                   : snap_job_merge(&job->made, job->adsd, &job->input);
    free(job->head.bytes);
    job->head.bytes = NULL;
    (void)malloc_trim(0); /* what a whole catalogue took */
    job->done = true;
    adsd_publish_soon(job->adsd);
    return NULL;
}


/* ---- the thread ---------------------------------------------------------- */

struct snap_job *
snap_job_begin(struct adsd *adsd, const struct snap_job_input *input)
{
    struct snap_job *job = xcalloc(1, sizeof(*job));

    job->adsd = adsd;
    job->input = *input;
    if (input->base != NULL) {
        job->head.len = input->head->len;
        job->head.bytes = xmalloc(job->head.len);
        memcpy(job->head.bytes, input->head->bytes, job->head.len);
    }
    job->input.head = &job->head;
    if (pthread_create(&job->thread, NULL, job_run, job) != 0) {
        log_error(adsd->log, DUTY, "no thread for a new base");
        free(job->head.bytes);
        free(job);
        return NULL;
    }
    return job;
}


bool
snap_job_done(const struct snap_job *job)
{
    return job->done;
}


enum ads_err
snap_job_end(struct snap_job *job, struct snap_base *made)
{
    enum ads_err err;

    (void)pthread_join(job->thread, NULL);
    err = job->err;
    if (err == ADS_OK) {
        *made = job->made;
    }
    free(job);
    return err;
}
