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


static void ngx_http_ads_ring_cleanup(void *data);


char *
ngx_http_ads_ring(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_main_conf_t *amcf = conf;

    uint32_t             line;
    ngx_int_t            rc;
    ngx_str_t           *value, text;
    const char          *why;
    enum ads_err         err;
    struct ads_ring     *ring;
    ngx_pool_cleanup_t  *cln;

    if (amcf->ring != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    amcf->key_file = value[1];

    cln = ngx_pool_cleanup_add(cf->pool, sizeof(struct ads_ring));
    if (cln == NULL) {
        return NGX_CONF_ERROR;
    }

    ring = cln->data;
    ngx_memzero(ring, sizeof(struct ads_ring));
    cln->handler = ngx_http_ads_ring_cleanup;

    if (ngx_http_ads_secret_read(cf, &amcf->key_file,
                                 NGX_HTTP_ADS_RING_FILE_MAX, &text)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    rc = NGX_OK;

    err = ads_ring_read(ring,
                        (struct ads_str) { (char *) text.data, text.len },
                        &line, &why);
    if (err != ADS_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%V:%uD: %s",
                           &amcf->key_file, line, why);
        rc = NGX_ERROR;
    }

    sodium_memzero(text.data, NGX_HTTP_ADS_RING_FILE_MAX);

    if (rc != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    amcf->ring = ring;

    return NGX_CONF_OK;
}


static void
ngx_http_ads_ring_cleanup(void *data)
{
    sodium_memzero(data, sizeof(struct ads_ring));
}
