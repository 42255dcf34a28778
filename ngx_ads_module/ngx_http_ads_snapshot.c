/*
 * Maps the ad tables in a worker: <state>/head and the base it names,
 * read-only.  A request compares one word of `live`, when it begins and once
 * its body is there, and keeps the generation of then; the maps of an older one
 * are unmapped after its last request.
 *
 * Whatever is wrong with a new generation, the old one goes on serving.  A
 * bad file is logged once and tried again each second.
 *
 * Files are replaced by rename, never written over.  Should somebody do that,
 * their ids tell: better no ad than one put together of two files.
 */


#include "ngx_http_ads_module.h"

#include <sys/mman.h>


typedef struct {
    void                      *bytes;
    size_t                     len;
    ngx_file_info_t            info;
} ngx_http_ads_snapshot_map_t;


static ngx_int_t ngx_http_ads_snapshot_load(
    ngx_http_ads_snapshots_t *snapshots);
static ngx_int_t ngx_http_ads_snapshot_adopt(
    ngx_http_ads_snapshots_t *snapshots, ngx_http_ads_snapshot_map_t *map,
    const char *path, ngx_uint_t level);
static ngx_uint_t ngx_http_ads_snapshot_intact(
    ngx_http_ads_snapshot_t *snapshot);
static void ngx_http_ads_snapshot_drop(ngx_http_ads_snapshots_t *snapshots);
static void ngx_http_ads_snapshot_swap(ngx_http_ads_snapshots_t *snapshots,
    ngx_http_ads_snapshot_t *snapshot);
static ngx_http_ads_base_t *ngx_http_ads_snapshot_base(
    ngx_http_ads_snapshots_t *snapshots, struct ads_head *head,
    ngx_uint_t level);
static void ngx_http_ads_snapshot_base_release(ngx_http_ads_base_t *base,
    ngx_log_t *log);
static ngx_int_t ngx_http_ads_snapshot_room(
    ngx_http_ads_snapshots_t *snapshots, struct ads_tables *tables);
static ngx_int_t ngx_http_ads_snapshot_map(ngx_http_ads_snapshot_map_t *map,
    const char *path, ngx_uint_t level, ngx_log_t *log);
static void ngx_http_ads_snapshot_unmap(void *bytes, size_t len,
    ngx_log_t *log);
static uint64_t ngx_http_ads_snapshot_changed_ns(ngx_file_info_t *fi);


/*
 * The generation to serve from, counted for the caller; NULL when there is
 * none.
 */

ngx_http_ads_snapshot_t *
ngx_http_ads_snapshot_take(ngx_http_ads_snapshots_t *snapshots)
{
    uint64_t  generation;

    generation = ngx_http_ads_live_word(snapshots->live, ADS_LIVE_GENERATION);

    if (generation != 0
        && generation != snapshots->tried
        && (snapshots->current == NULL
            || snapshots->current->tables.head.generation != generation))
    {
        snapshots->tried = generation;

        ngx_log_debug1(NGX_LOG_DEBUG_CORE, snapshots->log, 0,
                       "ads tables: generation %uL is announced",
                       generation);

        (void) ngx_http_ads_snapshot_load(snapshots);
    }

    if (snapshots->current != NULL
        && !ngx_http_ads_snapshot_intact(snapshots->current))
    {
        ngx_http_ads_snapshot_drop(snapshots);
    }

    if (snapshots->current != NULL) {
        snapshots->current->refs++;
    }

    return snapshots->current;
}


void
ngx_http_ads_snapshot_release(ngx_http_ads_snapshot_t *snapshot)
{
    ngx_log_t  *log;

    if (--snapshot->refs > 0) {
        return;
    }

    log = snapshot->log;

    ngx_log_debug1(NGX_LOG_DEBUG_CORE, log, 0,
                   "ads tables: generation %V is let go",
                   &snapshot->generation);

    ngx_http_ads_snapshot_unmap(snapshot->head, snapshot->head_len, log);
    /* refs of the base count this snapshot */
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    ngx_http_ads_snapshot_base_release(snapshot->base, log);
    ngx_free(snapshot);
}


/*
 * Once a second: checks <state>/head itself, so that new tables are found
 * without adsd and a refused head is tried again.
 */

void
ngx_http_ads_snapshot_watch(ngx_http_ads_snapshots_t *snapshots)
{
    char             path[NGX_HTTP_ADS_PATH_MAX + sizeof("/head")];
    ngx_file_info_t  fi;

    ngx_sprintf((u_char *) path, "%V/head%Z", &snapshots->conf->state_path);

    if (ngx_file_info(path, &fi) == NGX_FILE_ERROR) {
        return;
    }

    if (!snapshots->failed
        && snapshots->uniq == ngx_file_uniq(&fi)
        && snapshots->changed_ns == ngx_http_ads_snapshot_changed_ns(&fi))
    {
        return;
    }

    (void) ngx_http_ads_snapshot_load(snapshots);
}


void
ngx_http_ads_snapshot_close(ngx_http_ads_snapshots_t *snapshots)
{
    if (snapshots->current != NULL) {
        ngx_http_ads_snapshot_release(snapshots->current);
        snapshots->current = NULL;
    }

    if (snapshots->scratch != NULL) {
        ngx_free(snapshots->scratch);
        snapshots->scratch = NULL;
        snapshots->scratch_len = 0;
    }
}


static ngx_int_t
ngx_http_ads_snapshot_load(ngx_http_ads_snapshots_t *snapshots)
{
    char                          path[NGX_HTTP_ADS_PATH_MAX
                                       + sizeof("/head")];
    ngx_uint_t                    level;
    ngx_http_ads_snapshot_map_t   map;

    /* its campaigns may have slots that are not mapped yet */

    ngx_http_ads_live_watch(snapshots->live);

    ngx_sprintf((u_char *) path, "%V/head%Z", &snapshots->conf->state_path);

    if (ngx_http_ads_snapshot_map(&map, path, NGX_LOG_INFO, snapshots->log)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    level = NGX_LOG_ERR;

    if (snapshots->failed
        && snapshots->uniq == ngx_file_uniq(&map.info)
        && snapshots->changed_ns
           == ngx_http_ads_snapshot_changed_ns(&map.info))
    {
        level = NGX_LOG_INFO;
    }

    snapshots->uniq = ngx_file_uniq(&map.info);
    snapshots->changed_ns = ngx_http_ads_snapshot_changed_ns(&map.info);
    snapshots->failed = 0;

    if (ngx_http_ads_snapshot_adopt(snapshots, &map, path, level) == NGX_OK) {
        return NGX_OK;
    }

    ngx_http_ads_snapshot_unmap(map.bytes, map.len, snapshots->log);

    if (level == NGX_LOG_ERR) {
        ngx_http_ads_live_count(snapshots->live, ADS_COUNT_SWAP_REFUSED, 1);
    }

    snapshots->failed = 1;

    return NGX_ERROR;
}


static ngx_int_t
ngx_http_ads_snapshot_adopt(ngx_http_ads_snapshots_t *snapshots,
    ngx_http_ads_snapshot_map_t *map, const char *path, ngx_uint_t level)
{
    enum ads_err              err;
    struct ads_head           head;
    ngx_http_ads_base_t      *base;
    ngx_http_ads_snapshot_t  *snapshot;

    err = ads_head_open(&head, map->bytes, map->len);
    if (err != ADS_OK) {
        ngx_log_error(level, snapshots->log, 0, "ads: \"%s\" refused: %s",
                      path, ads_strerror(err));
        return NGX_ERROR;
    }

    base = ngx_http_ads_snapshot_base(snapshots, &head, level);
    if (base == NULL) {
        return NGX_ERROR;
    }

    snapshot = ngx_alloc(sizeof(ngx_http_ads_snapshot_t), snapshots->log);
    if (snapshot == NULL) {
        goto failed;
    }

    err = ads_tables_open(&snapshot->tables, base->bytes, base->len, &head);
    if (err != ADS_OK) {
        ngx_log_error(level, snapshots->log, 0,
                      "ads: tables of generation %uL refused: %s",
                      head.generation, ads_strerror(err));
        goto failed;
    }

    if (ngx_http_ads_snapshot_room(snapshots, &snapshot->tables) != NGX_OK) {
        goto failed;
    }

    snapshot->base = base;
    snapshot->head = map->bytes;
    snapshot->head_len = map->len;
    snapshot->refs = 1;
    snapshot->log = snapshots->log;
    snapshot->generation.data = snapshot->digits;
    snapshot->generation.len = ngx_sprintf(snapshot->digits, "%uL",
                                           head.generation)
                               - snapshot->digits;

    ngx_http_ads_snapshot_swap(snapshots, snapshot);

    return NGX_OK;

failed:

    if (snapshot != NULL) {
        ngx_free(snapshot);
    }

    ngx_http_ads_snapshot_base_release(base, snapshots->log);

    return NGX_ERROR;
}


static ngx_uint_t
ngx_http_ads_snapshot_intact(ngx_http_ads_snapshot_t *snapshot)
{
    return ads_snap_id(snapshot->head) == snapshot->tables.head.generation
           /* refs of the base count this snapshot */
           /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
           && ads_snap_id(snapshot->base->bytes) == snapshot->base->id;
}


/* No tables until there is a good head again. */

static void
ngx_http_ads_snapshot_drop(ngx_http_ads_snapshots_t *snapshots)
{
    ngx_log_error(NGX_LOG_ERR, snapshots->log, 0,
                  "ads: tables of generation %uL were written over in place, "
                  "restart adsd", snapshots->current->tables.head.generation);

    ngx_http_ads_snapshot_release(snapshots->current);

    snapshots->current = NULL;
    snapshots->failed = 1;
}


/* Requests that began on the old generation finish on it. */

static void
ngx_http_ads_snapshot_swap(ngx_http_ads_snapshots_t *snapshots,
    ngx_http_ads_snapshot_t *snapshot)
{
    if (snapshots->current != NULL) {
        ngx_http_ads_snapshot_release(snapshots->current);
    }

    snapshots->current = snapshot;

    ngx_log_debug2(NGX_LOG_DEBUG_CORE, snapshots->log, 0,
                   "ads tables: generation %V, base %016xL",
                   &snapshot->generation, snapshot->base->id);

    ngx_http_ads_live_count(snapshots->live, ADS_COUNT_SWAP, 1);
}


/* The base that the head names, counted: the mapped one when it is that. */

static ngx_http_ads_base_t *
ngx_http_ads_snapshot_base(ngx_http_ads_snapshots_t *snapshots,
    struct ads_head *head, ngx_uint_t level)
{
    char                          path[NGX_HTTP_ADS_PATH_MAX
                                       + sizeof("/base-0123456789abcdef")];
    ngx_http_ads_base_t          *base;
    ngx_http_ads_snapshot_map_t   map;

    if (snapshots->current != NULL) {
        base = snapshots->current->base;

        if (base->id == head->base_id
            && base->checksum == head->base_checksum)
        {
            base->refs++;

            ngx_log_debug1(NGX_LOG_DEBUG_CORE, snapshots->log, 0,
                           "ads tables: base %016xL goes on",
                           base->id);

            return base;
        }
    }

    ngx_sprintf((u_char *) path, "%V/base-%016xL%Z",
                &snapshots->conf->state_path, head->base_id);

    if (ngx_http_ads_snapshot_map(&map, path, level, snapshots->log)
        != NGX_OK)
    {
        return NULL;
    }

    base = ngx_alloc(sizeof(ngx_http_ads_base_t), snapshots->log);
    if (base == NULL) {
        ngx_http_ads_snapshot_unmap(map.bytes, map.len, snapshots->log);
        return NULL;
    }

    base->id = head->base_id;
    base->checksum = head->base_checksum;
    base->bytes = map.bytes;
    base->len = map.len;
    base->refs = 1;

    return base;
}


static void
ngx_http_ads_snapshot_base_release(ngx_http_ads_base_t *base, ngx_log_t *log)
{
    if (--base->refs > 0) {
        return;
    }

    ngx_http_ads_snapshot_unmap(base->bytes, base->len, log);
    ngx_free(base);
}


/*
 * One scratch memory a worker, as long as any generation in use needs: it
 * only grows, since requests on an older one may still decide.
 */

static ngx_int_t
ngx_http_ads_snapshot_room(ngx_http_ads_snapshots_t *snapshots,
    struct ads_tables *tables)
{
    void   *scratch;
    size_t  len;

    len = ads_decide_scratch_len(tables);

    if (len <= snapshots->scratch_len) {
        return NGX_OK;
    }

    scratch = ngx_memalign(64, len, snapshots->log);
    if (scratch == NULL) {
        return NGX_ERROR;
    }

    if (snapshots->scratch != NULL) {
        ngx_free(snapshots->scratch);
    }

    snapshots->scratch = scratch;
    snapshots->scratch_len = len;

    return NGX_OK;
}


/* Maps a whole file; what fails is logged at `level`. */

static ngx_int_t
ngx_http_ads_snapshot_map(ngx_http_ads_snapshot_map_t *map, const char *path,
    ngx_uint_t level, ngx_log_t *log)
{
    ngx_fd_t   fd;
    ngx_int_t  rc;

    fd = open(path, O_RDONLY|O_CLOEXEC);
    if (fd == -1) {
        ngx_log_error(level, log, ngx_errno, "ads: open() \"%s\" failed",
                      path);
        return NGX_ERROR;
    }

    rc = NGX_ERROR;

    if (ngx_fd_info(fd, &map->info) == NGX_FILE_ERROR) {
        ngx_log_error(level, log, ngx_errno, "ads: fstat() \"%s\" failed",
                      path);
        goto done;
    }

    map->len = ngx_file_size(&map->info);

    if (map->len == 0) {
        ngx_log_error(level, log, 0, "ads: \"%s\" is empty", path);
        goto done;
    }

    map->bytes = mmap(NULL, map->len, PROT_READ, MAP_SHARED, fd, 0);
    if (map->bytes == MAP_FAILED) {
        ngx_log_error(level, log, ngx_errno, "ads: mmap() \"%s\" failed",
                      path);
        goto done;
    }

    rc = NGX_OK;

done:

    (void) close(fd);

    return rc;
}


static void
ngx_http_ads_snapshot_unmap(void *bytes, size_t len, ngx_log_t *log)
{
    if (munmap(bytes, len) == -1) {
        ngx_log_error(NGX_LOG_ALERT, log, ngx_errno,
                      "ads: munmap() of ad tables failed");
    }
}


static uint64_t
ngx_http_ads_snapshot_changed_ns(ngx_file_info_t *fi)
{
    return (uint64_t) fi->st_mtim.tv_sec * 1000000000 + fi->st_mtim.tv_nsec;
}
