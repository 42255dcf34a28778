/*
 * Maps the shared file <run>/live in a worker: when the worker starts, again
 * when adsd has made a new file (seen by its inode) and when the file has grown
 * (it says so).  That is looked for once a second, and before ad tables are
 * loaded, which may name slots that came since.
 *
 * The shared lock on the mapped file tells adsd that a worker still counts in
 * it: a new file gets allowances only when no worker holds the old one.
 * Without the file nothing is sold, and clicks work.
 */


#include "ngx_http_ads_module.h"

#include <sys/file.h>
#include <sys/mman.h>


static ngx_int_t ngx_http_ads_live_open(ngx_http_ads_live_t *live,
    const char *path, ngx_uint_t level);


/* Maps the file when it is missing here, has grown or is another one. */

void
ngx_http_ads_live_watch(ngx_http_ads_live_t *live)
{
    char             path[NGX_HTTP_ADS_PATH_MAX + sizeof("/live")];
    ngx_uint_t       level;
    ngx_file_info_t  fi;

    ngx_sprintf((u_char *) path, "%V/live%Z", &live->conf->run_path);

    if (ngx_file_info(path, &fi) == NGX_FILE_ERROR) {

        /* gone: its allowances stand until there is a new one */

        return;
    }

    if (live->mapped && live->uniq == ngx_file_uniq(&fi)
        && live->dev == fi.st_dev && !ads_live_has_grown(&live->map))
    {
        return;
    }

    /* a file that stays bad is logged once */

    level = (live->refused == ngx_file_uniq(&fi)) ? NGX_LOG_INFO
                                                  : NGX_LOG_ERR;

    if (ngx_http_ads_live_open(live, path, level) == NGX_OK) {
        live->refused = 0;

        ngx_log_debug2(NGX_LOG_DEBUG_CORE, live->log, 0,
                       "ads live: mapped \"%s\", %uz bytes",
                       path, live->map.len);

    } else {
        live->refused = ngx_file_uniq(&fi);
    }
}


static ngx_int_t
ngx_http_ads_live_open(ngx_http_ads_live_t *live, const char *path,
    ngx_uint_t level)
{
    void             *bytes;
    ngx_fd_t          fd;
    const char       *failed;
    enum ads_err      err;
    ngx_file_info_t   fi;
    struct ads_live   map;

    err = ADS_OK;
    bytes = MAP_FAILED;
    failed = NULL;
    fd = open(path, O_RDWR|O_CLOEXEC);

    if (fd == -1) {
        failed = "open()";

    } else if (flock(fd, LOCK_SH|LOCK_NB) == -1) {
        failed = "flock()";

    } else if (ngx_fd_info(fd, &fi) == NGX_FILE_ERROR) {
        failed = "fstat()";

    } else {
        bytes = mmap(NULL, ngx_file_size(&fi), PROT_READ|PROT_WRITE,
                     MAP_SHARED, fd, 0);

        if (bytes == MAP_FAILED) {
            failed = "mmap()";

        } else {
            err = ads_live_open(&map, bytes, ngx_file_size(&fi));
        }
    }

    if (failed == NULL && err == ADS_OK) {
        ngx_http_ads_live_close(live);

        live->map = map;
        live->fd = fd;
        live->uniq = ngx_file_uniq(&fi);
        live->dev = fi.st_dev;
        live->mapped = 1;

        return NGX_OK;
    }

    ngx_log_error(level, live->log, failed != NULL ? ngx_errno : 0,
                  "ads: \"%s\" refused: %s", path,
                  failed != NULL ? failed : ads_strerror(err));

    if (bytes != MAP_FAILED) {
        (void) munmap(bytes, ngx_file_size(&fi));
    }

    if (fd != -1) {
        (void) close(fd);
    }

    return NGX_ERROR;
}


void
ngx_http_ads_live_close(ngx_http_ads_live_t *live)
{
    if (!live->mapped) {
        return;
    }

    if (munmap(live->map.bytes, live->map.len) == -1) {
        ngx_log_error(NGX_LOG_ALERT, live->log, ngx_errno,
                      "ads: munmap() of \"live\" failed");
    }

    if (close(live->fd) == -1) {
        ngx_log_error(NGX_LOG_ALERT, live->log, ngx_errno,
                      "ads: close() of \"live\" failed");
    }

    live->fd = NGX_INVALID_FILE;
    live->mapped = 0;
}


/* The mapped file, borrowed within one cycle of the event loop; or NULL. */

struct ads_live *
ngx_http_ads_live_peek(ngx_http_ads_live_t *live)
{
    return live->mapped ? &live->map : NULL;
}


/* A word of adsd; 0 when there is no file. */

uint64_t
ngx_http_ads_live_word(ngx_http_ads_live_t *live, enum ads_live_word word)
{
    return live->mapped ? ads_live_get(&live->map, word) : 0;
}


/*
 * A link to this ad is served: what it will probably cost is taken, before it
 * is journalled, so that the next request knows of it.
 */

void
ngx_http_ads_live_serve(ngx_http_ads_live_t *live,
    const struct ads_pick *pick)
{
    struct ads_live_slot  *slot;

    slot = live->mapped ? ads_live_slot(&live->map, pick->campaign->slot,
                                        pick->campaign->tag)
                        : NULL;

    if (slot != NULL) {
        ads_live_serve(slot, pick->price_micros);
    }
}


/* What is left out to keep room in the journal: 0 to 3; 0 without the file. */

uint64_t
ngx_http_ads_live_pressure(ngx_http_ads_live_t *live)
{
    return live->mapped ? ads_live_pressure(&live->map) : 0;
}


/* So many records and bytes are in the journal. */

void
ngx_http_ads_live_append(ngx_http_ads_live_t *live, uint64_t n,
    uint64_t bytes)
{
    if (live->mapped) {
        ads_live_append(&live->map, n, bytes,
                        ngx_http_ads_process_now_ms() * 1000);
    }
}


void
ngx_http_ads_live_show(ngx_http_ads_live_t *live,
    const struct ads_cap *cap)
{
    if (live->mapped) {
        ads_live_show(&live->map, cap->key,
                      ngx_http_ads_process_now_ms() / 1000, cap->window_s);
    }
}


void
ngx_http_ads_live_count(ngx_http_ads_live_t *live, ngx_uint_t counter,
    uint64_t n)
{
    if (live->mapped) {
        ads_live_count(&live->map, counter, n);
    }
}
