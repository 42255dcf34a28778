/*
 * Writes one segment file of the journal; core/ads_event.h describes the bytes.
 *
 * A segment only grows.  It is made under a hidden name, locked, given its
 * header and then renamed, so that no reader ever sees it unlocked or without
 * a header; the lock goes with the process, however it ends.  After a write
 * that did not take all bytes, or a sync that the disk refused, it is never
 * written to again.
 */


#include "ngx_http_ads_module.h"

#include <sys/file.h>


#define NGX_HTTP_ADS_SEGMENT_MAX      ((uint64_t) 64 * 1024 * 1024)
#define NGX_HTTP_ADS_SEGMENT_AGE_MS   (10 * 60 * 1000)
#define NGX_HTTP_ADS_SEGMENT_RETRY_MS 1000

/* "/journal/." and a class, a boot, a time, a pid and their suffix */

#define NGX_HTTP_ADS_SEGMENT_PATH     (NGX_HTTP_ADS_PATH_MAX + 80)


static void ngx_http_ads_segment_leave(ngx_http_ads_unsynced_t *unsynced,
    ngx_fd_t fd);
static ngx_int_t ngx_http_ads_segment_node(ngx_http_ads_journal_t *journal,
    ngx_uint_t level);
static uint32_t ngx_http_ads_segment_boot(void);
static ngx_uint_t ngx_http_ads_segment_is_over(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment);
static ngx_int_t ngx_http_ads_segment_make(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment, ngx_uint_t level);
static void ngx_http_ads_segment_path(char *path,
    ngx_http_ads_journal_t *journal, const struct ads_segment *facts,
    ngx_uint_t hidden);
static ngx_int_t ngx_http_ads_segment_begin(ngx_fd_t fd, u_char *header);


void
ngx_http_ads_segment_init(ngx_http_ads_segment_t *segment, char class)
{
    segment->fd = NGX_INVALID_FILE;
    segment->class = class;
    segment->retry = ngx_current_msec;
}


/*
 * Opens a new segment when none is open, at most one a second.  NGX_DECLINED:
 * there is none now.
 */

ngx_int_t
ngx_http_ads_segment_open(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment)
{
    ngx_uint_t  level;

    if (segment->fd != NGX_INVALID_FILE) {
        return NGX_OK;
    }

    if ((ngx_msec_int_t) (segment->retry - ngx_current_msec) > 0) {
        return NGX_DECLINED;
    }

    /* what lasts is logged once */

    level = segment->failed ? NGX_LOG_INFO : NGX_LOG_ERR;

    segment->retry = ngx_current_msec + NGX_HTTP_ADS_SEGMENT_RETRY_MS;

    if (ngx_http_ads_segment_node(journal, level) == NGX_OK
        && ngx_http_ads_segment_make(journal, segment, level) == NGX_OK)
    {
        if (segment->failed) {
            ngx_log_error(NGX_LOG_NOTICE, journal->log, 0,
                          "ads: the journal is written again");
        }

        ngx_log_debug1(NGX_LOG_DEBUG_CORE, journal->log, 0,
                       "ads segment: class %c begun", (int) segment->class);

        segment->failed = 0;
        return NGX_OK;
    }

    segment->failed = 1;

    return NGX_DECLINED;
}


/*
 * Goes on to a new segment when the open one is long or old, or adsd met a
 * disk that refused.  Where the next cannot be made the present one goes on.
 */

ngx_int_t
ngx_http_ads_segment_rotate(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment)
{
    ngx_http_ads_segment_t  next;

    if (segment->fd == NGX_INVALID_FILE
        || !ngx_http_ads_segment_is_over(journal, segment)
        || (ngx_msec_int_t) (segment->retry - ngx_current_msec) > 0)
    {
        return ngx_http_ads_segment_open(journal, segment);
    }

    ngx_memzero(&next, sizeof(ngx_http_ads_segment_t));
    ngx_http_ads_segment_init(&next, segment->class);

    if (ngx_http_ads_segment_open(journal, &next) == NGX_OK) {
        ngx_http_ads_segment_close(journal, segment);
        *segment = next;

    } else {
        segment->retry = next.retry;
    }

    return NGX_OK;
}


/*
 * Appends bytes; returns how many of them are in the file, -1 when none.  If
 * that is not all, the segment is closed for ever.
 */

ssize_t
ngx_http_ads_segment_write(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment, u_char *bytes, size_t len)
{
    ssize_t    n;
    uint64_t   begin_ns;
    ngx_err_t  err;

    begin_ns = ngx_http_ads_process_clock_ns(CLOCK_MONOTONIC);

    do {
        n = write(segment->fd, bytes, len);
        err = (n == -1) ? ngx_errno : 0;
    } while (err == NGX_EINTR);

    ngx_http_ads_live_count(journal->live, ADS_COUNT_WRITE, 1);

    if (ngx_http_ads_process_clock_ns(CLOCK_MONOTONIC) - begin_ns > 1000000) {
        ngx_http_ads_live_count(journal->live, ADS_COUNT_WRITE_SLOW, 1);
    }

    if (n > 0) {
        segment->offset += n;
        segment->unsynced = (segment->class == 'm'
                             && journal->conf->sync_pool != NULL);
    }

    if (n == (ssize_t) len) {
        return n;
    }

    /* a reader may have taken what is there: it is never cut or written on */

    ngx_log_error(NGX_LOG_ERR, journal->log, err,
                  "ads: write() to the journal took %z bytes of %uz",
                  n, len);

    ngx_http_ads_segment_close(journal, segment);

    return n;
}


/* Once a second: also a worker that writes nothing leaves a refused one. */

void
ngx_http_ads_segment_watch(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment)
{
    if (segment->fd != NGX_INVALID_FILE
        && segment->refused != ngx_http_ads_live_word(journal->live,
                                                      ADS_LIVE_REFUSED)
        && (ngx_msec_int_t) (segment->retry - ngx_current_msec) <= 0)
    {
        ngx_http_ads_segment_close(journal, segment);
    }
}


static ngx_uint_t
ngx_http_ads_segment_is_over(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment)
{
    return segment->offset >= NGX_HTTP_ADS_SEGMENT_MAX
           || ngx_current_msec - segment->opened >= NGX_HTTP_ADS_SEGMENT_AGE_MS
           || segment->refused != ngx_http_ads_live_word(journal->live,
                                                         ADS_LIVE_REFUSED);
}


void
ngx_http_ads_segment_close(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment)
{
    if (segment->fd == NGX_INVALID_FILE) {
        return;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_CORE, journal->log, 0,
                   "ads segment: class %c ends at %uL, unsynced:%ui",
                   (int) segment->class, segment->offset,
                   (ngx_uint_t) segment->unsynced);

    if (segment->unsynced) {
        ngx_http_ads_segment_leave(&journal->unsynced, segment->fd);

    } else if (close(segment->fd) == -1) {
        ngx_log_error(NGX_LOG_ALERT, journal->log, ngx_errno,
                      "ads: close() of a journal segment failed");
    }

    segment->fd = NGX_INVALID_FILE;
    segment->unsynced = 0;
}


/*
 * Keeps the descriptor of a segment that ends with bytes not on disk yet for
 * the next sync.  One that finds no room is closed: that sync counts as
 * refused.
 */

static void
ngx_http_ads_segment_leave(ngx_http_ads_unsynced_t *unsynced, ngx_fd_t fd)
{
    if (unsynced->n_left < NGX_HTTP_ADS_SYNC_LEFT) {
        unsynced->left[unsynced->n_left++] = fd;
        return;
    }

    unsynced->lost = 1;

    (void) close(fd);
}


/* The node's id, which `adsctl init` wrote; asked for until it is there. */

static ngx_int_t
ngx_http_ads_segment_node(ngx_http_ads_journal_t *journal, ngx_uint_t level)
{
    char        path[NGX_HTTP_ADS_PATH_MAX + sizeof("/node")];
    char        text[16 + sizeof("\n")];
    uint8_t     id[8];
    ssize_t     n;
    ngx_fd_t    fd;
    ngx_uint_t  i;

    if (journal->node != 0) {
        return NGX_OK;
    }

    ngx_sprintf((u_char *) path, "%V/node%Z", &journal->conf->state_path);

    fd = open(path, O_RDONLY|O_CLOEXEC);
    if (fd == -1) {
        ngx_log_error(level, journal->log, ngx_errno,
                      "ads: nothing is journalled without the node id: "
                      "open() \"%s\" failed", path);
        return NGX_ERROR;
    }

    n = read(fd, text, sizeof(text));

    (void) close(fd);

    if (n != 17 || text[16] != '\n'
        || !ads_hex_read(id, sizeof(id), (struct ads_str) { text, 16 }))
    {
        ngx_log_error(level, journal->log, 0,
                      "ads: nothing is journalled without the node id: "
                      "\"%s\" does not hold 16 hex digits", path);
        return NGX_ERROR;
    }

    for (i = 0; i < sizeof(id); i++) {
        journal->node = journal->node << 8 | id[i];
    }

    journal->boot = ngx_http_ads_segment_boot();

    return NGX_OK;
}


/* A hash of the kernel's boot id: names of two boots never meet. */

static uint32_t
ngx_http_ads_segment_boot(void)
{
    char      text[64];
    ssize_t   n;
    ngx_fd_t  fd;

    fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY|O_CLOEXEC);
    if (fd == -1) {
        return 0;
    }

    n = read(fd, text, sizeof(text));

    (void) close(fd);

    return n > 0 ? ads_crc32c(0, text, n) : 0;
}


static ngx_int_t
ngx_http_ads_segment_make(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment, ngx_uint_t level)
{
    char                hidden[NGX_HTTP_ADS_SEGMENT_PATH];
    char                path[NGX_HTTP_ADS_SEGMENT_PATH];
    u_char              random[16], header[ADS_SEGMENT_HEADER_LEN];
    ngx_fd_t            fd;
    ngx_err_t           err;
    struct ads_segment  facts;

    ngx_http_ads_process_random(journal->random, random, sizeof(random));

    facts.class = segment->class;
    facts.kid = ads_ring_seal(journal->conf->ring)->kid;
    facts.flags = journal->conf->journal_sync == NGX_HTTP_ADS_SYNC_OFF
                  ? ADS_SEGMENT_NO_SYNC : 0;
    facts.pid = ngx_pid;
    facts.node = journal->node;
    facts.uuid = ads_uuid_random(random);
    facts.start_ns = ngx_http_ads_process_clock_ns(CLOCK_REALTIME);
    facts.monotonic_ns = ngx_http_ads_process_clock_ns(CLOCK_MONOTONIC);
    facts.boot = journal->boot;

    ads_segment_write(header, &facts);

    ngx_http_ads_segment_path(path, journal, &facts, 0);
    ngx_http_ads_segment_path(hidden, journal, &facts, 1);

    fd = open(hidden, O_CREAT|O_EXCL|O_RDWR|O_APPEND|O_CLOEXEC, 0640);
    if (fd == -1) {
        ngx_log_error(level, journal->log, ngx_errno,
                      "ads: open() \"%s\" failed", hidden);
        return NGX_ERROR;
    }

    if (ngx_http_ads_segment_begin(fd, header) != NGX_OK
        || rename(hidden, path) == -1)
    {
        err = ngx_errno;

        (void) unlink(hidden);
        (void) close(fd);

        ngx_log_error(level, journal->log, err,
                      "ads: \"%s\" could not be begun", path);
        return NGX_ERROR;
    }

    segment->fd = fd;
    segment->uuid = facts.uuid;
    segment->offset = ADS_SEGMENT_HEADER_LEN;
    segment->seq = 0;
    segment->opened = ngx_current_msec;
    segment->refused = ngx_http_ads_live_word(journal->live, ADS_LIVE_REFUSED);

    journal->unsynced.begun = 1;

    return NGX_OK;
}


static void
ngx_http_ads_segment_path(char *path, ngx_http_ads_journal_t *journal,
    const struct ads_segment *facts, ngx_uint_t hidden)
{
    ngx_sprintf((u_char *) path, "%V/journal/%s%c-%08xD-%016xL-%P.%s%Z",
                &journal->conf->state_path, hidden ? "." : "", facts->class,
                facts->boot, facts->start_ns, ngx_pid, hidden ? "new" : "seg");
}


static ngx_int_t
ngx_http_ads_segment_begin(ngx_fd_t fd, u_char *header)
{
    ssize_t  n;

    if (flock(fd, LOCK_EX|LOCK_NB) == -1) {
        return NGX_ERROR;
    }

    n = write(fd, header, ADS_SEGMENT_HEADER_LEN);

    if (n >= 0 && n < ADS_SEGMENT_HEADER_LEN) {
        ngx_set_errno(NGX_ENOSPC);
        n = -1;
    }

    return n == -1 ? NGX_ERROR : NGX_OK;
}
