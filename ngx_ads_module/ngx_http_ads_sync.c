/*
 * Sync mode `ads_journal_sync always`: an answer leaves when its records are on
 * disk.
 *
 *     record in the file --> next --(start: at most one sync at a time)-->
 *         flying --(fdatasync in a thread of nginx's pool)--> answered
 *
 * What is written while a sync flies waits for the following one, so that
 * many answers share each.  The event loop never waits for the disk, and
 * nothing here needs adsd.
 *
 * What the disk refuses is never synced again, since the kernel has dropped
 * those pages and a second call would only lie: the segment is left for a new
 * one, and the answers say so (`durable` is 0).  A disk that says nothing
 * for a second is treated alike until it answers.
 *
 * The thread sees ngx_http_ads_sync_work_t and nothing else.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_SYNC_MS  1000


#if (NGX_THREADS)

static void ngx_http_ads_sync_thread(void *data, ngx_log_t *log);
static ngx_int_t ngx_http_ads_sync_folder(ngx_http_ads_sync_work_t *work);
static void ngx_http_ads_sync_collect(ngx_http_ads_sync_t *sync);
static void ngx_http_ads_sync_done_handler(ngx_event_t *ev);
static void ngx_http_ads_sync_late_handler(ngx_event_t *ev);
static void ngx_http_ads_sync_refused(ngx_http_ads_sync_t *sync);
static void ngx_http_ads_sync_settle(ngx_http_ads_sync_t *sync,
    ngx_queue_t *waits, ngx_uint_t durable);


/* The pool that syncs, while nginx.conf is read. */

char *
ngx_http_ads_sync_conf(ngx_conf_t *cf, ngx_http_ads_main_conf_t *amcf)
{
    amcf->sync_pool = ngx_thread_pool_add(cf, NULL);

    return amcf->sync_pool == NULL ? NGX_CONF_ERROR : NGX_CONF_OK;
}


ngx_int_t
ngx_http_ads_sync_init(ngx_http_ads_sync_t *sync, ngx_pool_t *pool)
{
    ngx_queue_init(&sync->next);
    ngx_queue_init(&sync->flying);

    if (sync->conf->sync_pool == NULL) {
        return NGX_OK;
    }

    sync->task = ngx_thread_task_alloc(pool, sizeof(ngx_http_ads_sync_work_t));
    if (sync->task == NULL) {
        return NGX_ERROR;
    }

    sync->work = sync->task->ctx;
    sync->task->handler = ngx_http_ads_sync_thread;

    ngx_sprintf((u_char *) sync->work->folder, "%V/journal%Z",
                &sync->conf->state_path);

    ngx_http_ads_process_event(&sync->task->event, &sync->ident, sync,
                               ngx_http_ads_sync_done_handler, sync->log);
    ngx_http_ads_process_event(&sync->late, &sync->ident, sync,
                               ngx_http_ads_sync_late_handler, sync->log);

    /* answers wait for this one: a worker that shuts down gives them first */

    sync->late.cancelable = 0;

    return NGX_OK;
}


/* In exit_process: nginx has ended its threads before. */

void
ngx_http_ads_sync_close(ngx_http_ads_sync_t *sync)
{
    ngx_uint_t                i;
    ngx_http_ads_unsynced_t  *unsynced;

    unsynced = &sync->journal->unsynced;

    if (sync->late.timer_set) {
        ngx_del_timer(&sync->late);
    }

    for (i = 0; i < unsynced->n_left; i++) {
        (void) close(unsynced->left[i]);
    }

    unsynced->n_left = 0;
}


/*
 * Takes a request whose records are in the file and not on disk yet; it is
 * handed on to the journal's list of answers once they are, or will not be.
 */

void
ngx_http_ads_sync_wait(ngx_http_ads_sync_t *sync, ngx_http_ads_wait_t *wait)
{
    wait->queued = 1;
    ngx_queue_insert_tail(&sync->next, &wait->queue);

    if (sync->stuck) {
        ngx_http_ads_sync_settle(sync, &sync->next, 0);
    }
}


/* Begins a sync of everything written, unless one flies. */

void
ngx_http_ads_sync_start(ngx_http_ads_sync_t *sync)
{
    ngx_http_ads_unsynced_t  *unsynced;

    unsynced = &sync->journal->unsynced;

    if (sync->flies
        || (unsynced->n_left == 0
            && !unsynced->lost
            && !sync->journal->money.unsynced
            && ngx_queue_empty(&sync->next)))
    {
        return;
    }

    ngx_http_ads_sync_collect(sync);

    if (!ngx_queue_empty(&sync->next)) {
        ngx_queue_add(&sync->flying, &sync->next);
        ngx_queue_init(&sync->next);
    }

    sync->flies = 1;

    ngx_log_debug1(NGX_LOG_DEBUG_EVENT, sync->log, 0,
                   "ads sync: of %ui segments",
                   sync->work->n);

    ngx_http_ads_live_count(sync->live, ADS_COUNT_SYNC, 1);
    ngx_add_timer(&sync->late, NGX_HTTP_ADS_SYNC_MS);

    /*
     * Better slow than not on disk: with an event method that threads cannot
     * wake (select, poll), and with a queue that is full, which is logged.
     */

    if (ngx_event_actions.notify == NULL
        || ngx_thread_task_post(sync->conf->sync_pool, sync->task) != NGX_OK)
    {
        ngx_http_ads_sync_thread(sync->work, sync->log);
        ngx_http_ads_sync_done_handler(&sync->task->event);
    }
}


static void
ngx_http_ads_sync_collect(ngx_http_ads_sync_t *sync)
{
    ngx_fd_t                   fd;
    ngx_http_ads_segment_t    *segment;
    ngx_http_ads_unsynced_t   *unsynced;
    ngx_http_ads_sync_work_t  *work;

    unsynced = &sync->journal->unsynced;
    work = sync->work;
    segment = &sync->journal->money;

    ngx_memcpy(work->fds, unsynced->left, unsynced->n_left * sizeof(ngx_fd_t));

    work->n = unsynced->n_left;
    work->begun = unsynced->begun;
    work->failed = unsynced->lost ? "close()" : NULL;
    work->err = 0;

    unsynced->n_left = 0;
    unsynced->lost = 0;

    if (segment->unsynced) {
        /* its own, which stays open when the segment is closed */

        fd = fcntl(segment->fd, F_DUPFD_CLOEXEC, 0);

        if (fd != -1) {
            work->fds[work->n++] = fd;

        } else {
            work->failed = "fcntl()";
            work->err = ngx_errno;
        }
    }

    segment->unsynced = 0;
    unsynced->begun = 0;
    sync->uuid = segment->uuid;
}


/* In a thread: touches nothing but its work. */

static void
ngx_http_ads_sync_thread(void *data, ngx_log_t *log)
{
    ngx_http_ads_sync_work_t *work = data;

    ngx_uint_t  i;

    for (i = 0; i < work->n; i++) {
        if (fdatasync(work->fds[i]) == -1 && work->failed == NULL) {
            work->failed = "fdatasync()";
            work->err = ngx_errno;
        }
    }

    /* the names of new segments */

    if (work->begun && work->failed == NULL
        && ngx_http_ads_sync_folder(work) != NGX_OK)
    {
        work->failed = "fsync() of the folder";
        work->err = ngx_errno;
    }
}


static ngx_int_t
ngx_http_ads_sync_folder(ngx_http_ads_sync_work_t *work)
{
    ngx_fd_t   fd;
    ngx_err_t  err;

    fd = open(work->folder, O_RDONLY|O_DIRECTORY|O_CLOEXEC);
    if (fd == -1) {
        return NGX_ERROR;
    }

    err = (fsync(fd) == -1) ? ngx_errno : 0;

    (void) close(fd);

    if (err) {
        ngx_set_errno(err);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void
ngx_http_ads_sync_done_handler(ngx_event_t *ev)
{
    ngx_uint_t                 i;
    ngx_http_ads_sync_t       *sync;
    ngx_http_ads_sync_work_t  *work;

    sync = ngx_http_ads_process_part(ev);
    work = sync->work;

    sync->flies = 0;
    sync->stuck = 0;

    ngx_log_debug2(NGX_LOG_DEBUG_EVENT, sync->log, 0,
                   "ads sync: done, %ui segments, failed:%s",
                   work->n, work->failed != NULL ? work->failed : "no");

    if (sync->late.timer_set) {
        ngx_del_timer(&sync->late);
    }

    for (i = 0; i < work->n; i++) {
        (void) close(work->fds[i]);
    }

    if (work->failed != NULL) {
        ngx_http_ads_sync_refused(sync);
    }

    ngx_http_ads_sync_settle(sync, &sync->flying, work->failed == NULL);
}


/*
 * The disk refused: what was written meanwhile cannot be trusted either, as
 * it is in the same file.  Answers that wait for another get the same.
 */

static void
ngx_http_ads_sync_refused(ngx_http_ads_sync_t *sync)
{
    ngx_http_ads_segment_t   *segment;
    ngx_http_ads_unsynced_t  *unsynced;

    unsynced = &sync->journal->unsynced;
    segment = &sync->journal->money;

    ngx_log_error(NGX_LOG_CRIT, sync->log, sync->work->err,
                  "ads: the journal is not on disk: %s failed",
                  sync->work->failed);

    ngx_http_ads_live_count(sync->live, ADS_COUNT_SYNC_REFUSED, 1);

    if (segment->fd != NGX_INVALID_FILE
        && ads_uuid_equal(&segment->uuid, &sync->uuid))
    {
        segment->unsynced = 0;
        ngx_http_ads_segment_close(sync->journal, segment);
    }

    while (unsynced->n_left > 0) {
        (void) close(unsynced->left[--unsynced->n_left]);
    }

    ngx_http_ads_sync_settle(sync, &sync->next, 0);
}


/*
 * Nothing from the disk for a second: no answer waits for it until it responds.
 */

static void
ngx_http_ads_sync_late_handler(ngx_event_t *ev)
{
    ngx_http_ads_sync_t  *sync;

    sync = ngx_http_ads_process_part(ev);
    sync->stuck = 1;

    ngx_log_error(NGX_LOG_CRIT, sync->log, 0,
                  "ads: the journal is not on disk: "
                  "no answer for %d ms", NGX_HTTP_ADS_SYNC_MS);

    ngx_http_ads_live_count(sync->live, ADS_COUNT_SYNC_REFUSED, 1);

    ngx_http_ads_sync_settle(sync, &sync->flying, 0);
    ngx_http_ads_sync_settle(sync, &sync->next, 0);
}


/* Hands them on: their answers are given in this cycle of the event loop. */

static void
ngx_http_ads_sync_settle(ngx_http_ads_sync_t *sync, ngx_queue_t *waits,
    ngx_uint_t durable)
{
    ngx_queue_t          *q;
    ngx_http_ads_wait_t  *wait;

    while (!ngx_queue_empty(waits)) {
        q = ngx_queue_head(waits);
        wait = ngx_queue_data(q, ngx_http_ads_wait_t, queue);

        ngx_queue_remove(q);

        if (!durable) {
            wait->durable = 0;
            ngx_http_ads_live_count(sync->live, ADS_COUNT_UNSYNCED, 1);
        }

        ngx_queue_insert_tail(&sync->journal->done, q);
    }

    /* also to begin the sync of what was written meanwhile */

    ngx_post_event(&sync->journal->flush, &ngx_posted_events);
}


#else /* nginx without threads: `always` is refused, so nothing comes here */


char *
ngx_http_ads_sync_conf(ngx_conf_t *cf, ngx_http_ads_main_conf_t *amcf)
{
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"ads_journal_sync always\" needs an nginx that was "
                       "built with \"--with-threads\"");
    return NGX_CONF_ERROR;
}


ngx_int_t
ngx_http_ads_sync_init(ngx_http_ads_sync_t *sync, ngx_pool_t *pool)
{
    return NGX_OK;
}


void
ngx_http_ads_sync_close(ngx_http_ads_sync_t *sync)
{
    /* nothing was begun */
}


void
ngx_http_ads_sync_wait(ngx_http_ads_sync_t *sync, ngx_http_ads_wait_t *wait)
{
    wait->queued = 1;
    ngx_queue_insert_tail(&wait->journal->done, &wait->queue);
}


void
ngx_http_ads_sync_start(ngx_http_ads_sync_t *sync)
{
    /* nothing is unsynced */
}


#endif
