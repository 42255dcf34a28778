/*
 * Directive ads_token_key_file: the click-key ring, read once while nginx reads
 * its configuration.  nginx refuses to start without a good one, because links
 * made with no key, or with a key that adsd does not have, would be worth
 * nothing.
 *
 * The file's bytes are wiped as soon as they are read, the ring when its
 * configuration goes: at a reload in the master, at exit in a worker.
 */


#include "ngx_http_ads_module.h"


/* 16 keys a line of 80 characters, with room for as many comments */

#define NGX_HTTP_ADS_RING_FILE_MAX  8192


static ngx_int_t ngx_http_ads_ring_load(ngx_conf_t *cf, ngx_str_t *path,
    u_char *text, size_t *len);
static void ngx_http_ads_ring_cleanup(void *data);


char *
ngx_http_ads_ring(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_main_conf_t *amcf = conf;

    size_t               len;
    u_char              *text;
    uint32_t             line;
    ngx_int_t            rc;
    ngx_str_t           *value;
    const char          *why;
    enum ads_err         err;
    struct ads_ring     *ring;
    ngx_pool_cleanup_t  *cln;

    if (amcf->ring != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    amcf->key_file = value[1];

    if (ngx_conf_full_name(cf->cycle, &amcf->key_file, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    cln = ngx_pool_cleanup_add(cf->pool, sizeof(struct ads_ring));
    if (cln == NULL) {
        return NGX_CONF_ERROR;
    }

    ring = cln->data;
    ngx_memzero(ring, sizeof(struct ads_ring));
    cln->handler = ngx_http_ads_ring_cleanup;

    text = ngx_pnalloc(cf->temp_pool, NGX_HTTP_ADS_RING_FILE_MAX);
    if (text == NULL) {
        return NGX_CONF_ERROR;
    }

    rc = ngx_http_ads_ring_load(cf, &amcf->key_file, text, &len);

    if (rc == NGX_OK) {
        err = ads_ring_read(ring, (struct ads_str) { (char *) text, len },
                            &line, &why);
        if (err != ADS_OK) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%V:%uD: %s",
                               &amcf->key_file, line, why);
            rc = NGX_ERROR;
        }
    }

    sodium_memzero(text, NGX_HTTP_ADS_RING_FILE_MAX);

    if (rc != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    amcf->ring = ring;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ads_ring_load(ngx_conf_t *cf, ngx_str_t *path, u_char *text,
    size_t *len)
{
    ssize_t          n;
    ngx_fd_t         fd;
    ngx_int_t        rc;
    ngx_file_info_t  fi;

    fd = ngx_open_file(path->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);
    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", path);
        return NGX_ERROR;
    }

    rc = NGX_ERROR;

    if (ngx_fd_info(fd, &fi) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_fd_info_n " \"%V\" failed", path);
        goto done;
    }

    if (ngx_file_access(&fi) & 0007) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "key file \"%V\" is open to everybody, "
                           "set its mode to 0640", path);
        goto done;
    }

    if (ngx_file_size(&fi) > NGX_HTTP_ADS_RING_FILE_MAX) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "key file \"%V\" is longer than %d bytes", path,
                           NGX_HTTP_ADS_RING_FILE_MAX);
        goto done;
    }

    n = ngx_read_fd(fd, text, NGX_HTTP_ADS_RING_FILE_MAX);
    if (n == -1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_read_fd_n " \"%V\" failed", path);
        goto done;
    }

    *len = n;
    rc = NGX_OK;

done:

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", path);
    }

    return rc;
}


static void
ngx_http_ads_ring_cleanup(void *data)
{
    sodium_memzero(data, sizeof(struct ads_ring));
}
