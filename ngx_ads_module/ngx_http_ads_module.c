/*
 * Module definition: directives, and the life of the configuration and of the
 * worker processes.
 *
 * What must hold: the module loaded but unused creates nothing; `nginx -t`
 * touches nothing but the key files, which it reads; a worker always starts,
 * whatever is missing on disk.  What is wrong with the configuration is said
 * with file and line while it is read.
 */


#include "ngx_http_ads_module.h"

#include "ads_url.h"


typedef struct {
    ngx_str_t                  name;
    ngx_uint_t                 value;
} ngx_http_ads_kind_t;


static ngx_int_t ngx_http_ads_preconfiguration(ngx_conf_t *cf);
static ngx_int_t ngx_http_ads_postconfiguration(ngx_conf_t *cf);
static void *ngx_http_ads_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_ads_init_main_conf(ngx_conf_t *cf, void *conf);
static void *ngx_http_ads_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_ads_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child);
static ngx_int_t ngx_http_ads_init_process(ngx_cycle_t *cycle);
static void ngx_http_ads_exit_process(ngx_cycle_t *cycle);

static char *ngx_http_ads_path(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_base_url(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_serve(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_event(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_fragment(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_status(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_kind(ngx_conf_t *cf, ngx_http_ads_kind_t *kinds,
    ngx_http_ads_loc_conf_t *alcf);
static char *ngx_http_ads_click_fallback(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_ads_click_resolve(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


static ngx_conf_enum_t  ngx_http_ads_journal_syncs[] = {
    { ngx_string("interval"), NGX_HTTP_ADS_SYNC_INTERVAL },
    { ngx_string("off"), NGX_HTTP_ADS_SYNC_OFF },
    { ngx_string("always"), NGX_HTTP_ADS_SYNC_ALWAYS },
    { ngx_null_string, 0 }
};


static ngx_http_ads_kind_t  ngx_http_ads_events[] = {
    { ngx_string("impression"), NGX_HTTP_ADS_IMPRESSION },
    { ngx_string("click"), NGX_HTTP_ADS_CLICK },
    { ngx_null_string, 0 }
};


static ngx_http_ads_kind_t  ngx_http_ads_statuses[] = {
    { ngx_string("healthz"), NGX_HTTP_ADS_HEALTHZ },
    { ngx_string("readyz"), NGX_HTTP_ADS_READYZ },
    { ngx_string("metrics"), NGX_HTTP_ADS_METRICS },
    { ngx_null_string, 0 }
};


static ngx_command_t  ngx_http_ads_commands[] = {

    { ngx_string("ads_state_path"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_path,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_ads_main_conf_t, state_path),
      NULL },

    { ngx_string("ads_run_path"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_path,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_ads_main_conf_t, run_path),
      NULL },

    { ngx_string("ads_token_key_file"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_ring,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_base_url"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_base_url,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_disclosure"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE2,
      ngx_http_ads_disclosure,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_journal_sync"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_enum_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_ads_main_conf_t, journal_sync),
      &ngx_http_ads_journal_syncs },

    { ngx_string("ads_recommend"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_ads_serve,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_recommend_handler },

    { ngx_string("ads_click"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_ads_serve,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_click_handler },

    { ngx_string("ads_impression"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_ads_serve,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_impression_handler },

    { ngx_string("ads_fragment"),
      NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_ads_fragment,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_fragment_handler },

    { ngx_string("ads_fragment_key_file"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_fragment_key_file,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_problem"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_ads_serve,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_problem_handler },

    { ngx_string("ads_event"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_event,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_event_handler },

    { ngx_string("ads_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_status,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      ngx_http_ads_status_handler },

    { ngx_string("ads_explain"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ads_loc_conf_t, explain),
      NULL },

    { ngx_string("ads_docs"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ads_loc_conf_t, docs),
      NULL },

    { ngx_string("ads_credential_required"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_set_complex_value_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ads_loc_conf_t, credential_required),
      NULL },

    { ngx_string("ads_event_rate"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE2,
      ngx_http_ads_rate,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_body_rate"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE2,
      ngx_http_ads_stranger_rate,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_click_ignore"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_set_complex_value_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ads_loc_conf_t, click_ignore),
      NULL },

    { ngx_string("ads_click_fallback"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_click_fallback,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("ads_click_resolve"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_ads_click_resolve,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_ads_module_ctx = {
    ngx_http_ads_preconfiguration,         /* preconfiguration */
    ngx_http_ads_postconfiguration,        /* postconfiguration */

    ngx_http_ads_create_main_conf,         /* create main configuration */
    ngx_http_ads_init_main_conf,           /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    ngx_http_ads_create_loc_conf,          /* create location configuration */
    ngx_http_ads_merge_loc_conf            /* merge location configuration */
};


ngx_module_t  ngx_http_ads_module = {
    NGX_MODULE_V1,
    &ngx_http_ads_module_ctx,              /* module context */
    ngx_http_ads_commands,                 /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    ngx_http_ads_init_process,             /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    ngx_http_ads_exit_process,             /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_int_t
ngx_http_ads_preconfiguration(ngx_conf_t *cf)
{
    if (sodium_init() < 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "libsodium cannot be initialised");
        return NGX_ERROR;
    }

    return ngx_http_ads_variables_add(cf);
}


static ngx_int_t
ngx_http_ads_postconfiguration(ngx_conf_t *cf)
{
    ngx_http_ads_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_ads_module);

    if (ngx_http_ads_docs_add(cf) != NGX_OK
        || ngx_http_ads_stranger_add(cf) != NGX_OK
        || ngx_http_ads_rate_add(cf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return amcf->used ? ngx_http_ads_mask_add(cf) : NGX_OK;
}


static void *
ngx_http_ads_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_ads_main_conf_t  *amcf;

    amcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_ads_main_conf_t));
    if (amcf == NULL) {
        return NULL;
    }

    amcf->journal_sync = NGX_CONF_UNSET_UINT;

    return amcf;
}


static char *
ngx_http_ads_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_ads_main_conf_t *amcf = conf;

    const char  *missing;

    ngx_conf_init_uint_value(amcf->journal_sync, NGX_HTTP_ADS_SYNC_INTERVAL);

    if (!amcf->used) {
        return NGX_CONF_OK;
    }

    if (amcf->journal_sync == NGX_HTTP_ADS_SYNC_ALWAYS
        && ngx_http_ads_sync_conf(cf, amcf) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    missing = NULL;

    if (amcf->base_url.data == NULL) {
        missing = "ads_base_url";
    }

    if (amcf->ring == NULL) {
        missing = "ads_token_key_file";
    }

    if (amcf->run_path.data == NULL) {
        missing = "ads_run_path";
    }

    if (amcf->state_path.data == NULL) {
        missing = "ads_state_path";
    }

    if (missing != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%s\" is not set in the \"http\" block, but "
                           "a location serves ads", missing);
        return NGX_CONF_ERROR;
    }

    amcf->agents = ngx_http_ads_agent_new(cf->pool);
    if (amcf->agents == NULL) {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static void *
ngx_http_ads_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_ads_loc_conf_t  *alcf;

    /*
     * set by ngx_pcalloc():
     *
     *     alcf->kind = 0;
     *     alcf->click_ignore = NULL;
     *     alcf->credential_required = NULL;
     *     alcf->body_after_ms = 0;
     *     alcf->event_burst = 0;
     *     alcf->click_fallback = { 0, NULL };
     *     alcf->click_resolve = { 0, NULL };
     *     alcf->fragment = NULL;
     *     alcf->fragment_key = NULL;
     */

    alcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_ads_loc_conf_t));
    if (alcf == NULL) {
        return NULL;
    }

    alcf->explain = NGX_CONF_UNSET;
    alcf->docs = NGX_CONF_UNSET;
    alcf->event_rate = NGX_CONF_UNSET_UINT;
    alcf->body_rate = NGX_CONF_UNSET_SIZE;

    return alcf;
}


static char *
ngx_http_ads_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_ads_loc_conf_t *prev = parent;
    ngx_http_ads_loc_conf_t *conf = child;

    if (conf->click_ignore == NULL) {
        conf->click_ignore = prev->click_ignore;
    }

    if (conf->credential_required == NULL) {
        conf->credential_required = prev->credential_required;
    }

    if (conf->event_rate == NGX_CONF_UNSET_UINT) {
        conf->event_burst = prev->event_burst;
    }

    ngx_conf_merge_uint_value(conf->event_rate, prev->event_rate, 0);

    if (conf->body_rate == NGX_CONF_UNSET_SIZE) {
        conf->body_after_ms = prev->body_after_ms;
    }

    ngx_conf_merge_size_value(conf->body_rate, prev->body_rate, 0);
    ngx_conf_merge_value(conf->explain, prev->explain, 0);
    ngx_conf_merge_value(conf->docs, prev->docs, NGX_CONF_UNSET);
    ngx_conf_merge_str_value(conf->click_fallback, prev->click_fallback, "");
    ngx_conf_merge_str_value(conf->click_resolve, prev->click_resolve, "");

    if (conf->fragment_key == NULL) {
        conf->fragment_key = prev->fragment_key;
    }

    if (conf->fragment != NULL && conf->fragment_key == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"ads_fragment_key_file\" is not set, but "
                           "a location has \"ads_fragment\"");
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ads_init_process(ngx_cycle_t *cycle)
{
    ngx_http_ads_main_conf_t  *amcf;

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    amcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_ads_module);

    if (amcf == NULL || !amcf->used) {
        return NGX_OK;
    }

    /* an error here would leave nginx without workers: requests try again */

    (void) ngx_http_ads_worker_begin(amcf, cycle);

    return NGX_OK;
}


static void
ngx_http_ads_exit_process(ngx_cycle_t *cycle)
{
    ngx_http_ads_main_conf_t  *amcf;

    amcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_ads_module);

    if (amcf != NULL && amcf->worker != NULL) {
        ngx_http_ads_worker_end(amcf->worker);
    }
}


static char *
ngx_http_ads_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char *p = conf;

    ngx_str_t  *value, *path;

    path = (ngx_str_t *) (p + cmd->offset);

    if (path->data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    *path = value[1];

    while (path->len > 1 && path->data[path->len - 1] == '/') {
        path->len--;
    }

    if (path->len == 0) {
        return "must not be empty";
    }

    if (ngx_conf_full_name(cf->cycle, path, 0) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    /* the longest name below it, of a segment, and a socket's */

    if (path->len > NGX_HTTP_ADS_PATH_MAX) {
        return "is too long: at most 90 characters";
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_ads_base_url(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_main_conf_t *amcf = conf;

    u_char      c;
    size_t      i;
    ngx_str_t  *value;

    if (amcf->base_url.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    value++;

    if (ngx_strncmp(value->data, "https://", 8) != 0
        && ngx_strncmp(value->data, "http://", 7) != 0)
    {
        return "must begin with \"https://\" or \"http://\"";
    }

    while (value->data[value->len - 1] == '/') {
        value->len--;
    }

    if (value->len < sizeof("http://x") - 1) {
        return "has no host";
    }

    /* it is copied into JSON as it is */

    for (i = 0; i < value->len; i++) {
        c = value->data[i];

        if (c <= ' ' || c >= 0x7f || ngx_strchr("\"\\<>?#", c) != NULL) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid character at position %uz of \"%V\"",
                               i + 1, &cmd->name);
            return NGX_CONF_ERROR;
        }
    }

    amcf->base_url = *value;

    if (value->len == sizeof(ADS_URL_PLACEHOLDER) - 1
        && ngx_strncmp(value->data, ADS_URL_PLACEHOLDER, value->len) == 0)
    {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "\"%V\" is that of the example: no visitor "
                           "reaches a link", &cmd->name);
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_ads_serve(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_core_loc_conf_t  *clcf;
    ngx_http_ads_main_conf_t  *amcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->handler != NULL) {
        return "meets another handler of the same location";
    }

    clcf->handler = (ngx_http_handler_pt) cmd->post;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_ads_module);

    if (clcf->handler != ngx_http_ads_problem_handler) {
        amcf->used = 1;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_ads_event(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    if (ngx_http_ads_kind(cf, ngx_http_ads_events, conf) != NGX_CONF_OK) {
        return "must be \"impression\" or \"click\"";
    }

    return ngx_http_ads_serve(cf, cmd, conf);
}


static char *
ngx_http_ads_fragment(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *rv;

    rv = ngx_http_ads_fragment_conf(cf, conf);

    return rv == NGX_CONF_OK ? ngx_http_ads_serve(cf, cmd, conf) : rv;
}


static char *
ngx_http_ads_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    if (ngx_http_ads_kind(cf, ngx_http_ads_statuses, conf) != NGX_CONF_OK) {
        return "must be \"healthz\", \"readyz\" or \"metrics\"";
    }

    return ngx_http_ads_serve(cf, cmd, conf);
}


static char *
ngx_http_ads_kind(ngx_conf_t *cf, ngx_http_ads_kind_t *kinds,
    ngx_http_ads_loc_conf_t *alcf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    for ( /* void */ ; kinds->name.len; kinds++) {

        if (value[1].len == kinds->name.len
            && ngx_strcmp(value[1].data, kinds->name.data) == 0)
        {
            alcf->kind = kinds->value;
            return NGX_CONF_OK;
        }
    }

    return NGX_CONF_ERROR;
}


static char *
ngx_http_ads_click_fallback(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_loc_conf_t *alcf = conf;

    size_t      i;
    ngx_str_t  *value;

    if (alcf->click_fallback.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    value++;

    if (ngx_strncmp(value->data, "https://", 8) != 0
        && ngx_strncmp(value->data, "http://", 7) != 0)
    {
        return "must begin with \"https://\" or \"http://\"";
    }

    for (i = 0; i < value->len; i++) {

        if (value->data[i] <= ' ' || value->data[i] >= 0x7f) {
            return "has a character that is not allowed in a URL";
        }
    }

    alcf->click_fallback = *value;

    return NGX_CONF_OK;
}


static char *
ngx_http_ads_click_resolve(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_loc_conf_t *alcf = conf;

    ngx_str_t  *value;

    if (alcf->click_resolve.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    value++;

    if (value->len < 2 || value->data[0] != '@') {
        return "must be a named location, such as \"@ads\"";
    }

    alcf->click_resolve = *value;

    return NGX_CONF_OK;
}
