/*
 * Files that hold a secret, read once while nginx reads its configuration: the
 * click-key ring and a publisher's key.  One that everybody may read is
 * refused.  The reader wipes the text as soon as it has read it.
 */


#include "ngx_http_ads_module.h"


static ngx_int_t ngx_http_ads_secret_load(ngx_conf_t *cf, ngx_str_t *path,
    size_t max, ngx_str_t *text);


/*
 * Makes `path` a full name, beginning at the configuration's folder, and reads
 * the file.  `text` has room for `max` bytes of cf->temp_pool, all of which
 * the caller wipes.  What is wrong is logged, and nothing left to wipe.
 */

ngx_int_t
ngx_http_ads_secret_read(ngx_conf_t *cf, ngx_str_t *path, size_t max,
    ngx_str_t *text)
{
    if (ngx_conf_full_name(cf->cycle, path, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    text->len = 0;
    text->data = ngx_pnalloc(cf->temp_pool, max);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    if (ngx_http_ads_secret_load(cf, path, max, text) != NGX_OK) {
        sodium_memzero(text->data, max);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_secret_load(ngx_conf_t *cf, ngx_str_t *path, size_t max,
    ngx_str_t *text)
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

    if (ngx_file_size(&fi) > (off_t) max) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "key file \"%V\" is longer than %uz bytes", path,
                           max);
        goto done;
    }

    n = ngx_read_fd(fd, text->data, max);
    if (n == -1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_read_fd_n " \"%V\" failed", path);
        goto done;
    }

    text->len = n;
    rc = NGX_OK;

done:

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", path);
    }

    return rc;
}
