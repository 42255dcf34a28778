/*
 * nginx inside the process of a fuzz target: nginx.conf.example with all that
 * it names in a folder of its own, ad tables and `live` as adsd writes them,
 * and no adsd.  nginx's own main() reads the configuration and opens sockets;
 * where its loop would begin it comes back.
 *
 * Time stands: the clock on the wall at FUZZ_NOW_S, so that links stay young,
 * and nginx's milliseconds where the target moves them.
 */
#ifndef T_FUZZ_NGINX_H
#define T_FUZZ_NGINX_H

#include "ngx_http_ads_module.h"

#include "tables.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FUZZ_NOW_S 1900000000
#define FUZZ_DIR "build-fuzz/tmp/nginx-"
#define FUZZ_CONF_MAX 65536
#define FUZZ_ROUNDS_MAX 10000

struct fuzz_nginx {
    char dir[sizeof(FUZZ_DIR "XXXXXX")];
    struct t_tables tables;
    uint64_t live_len;
    ngx_cycle_t *cycle;
    ngx_http_ads_worker_t *worker;
    ngx_uint_t connections; /* free ones while no client is there */
    int events;             /* of the last cycle */
};

static struct fuzz_nginx fuzz;

int
ngx_main(int argc, char *const *argv);
void
__wrap_ngx_single_process_cycle(ngx_cycle_t *cycle);
int
__real_epoll_wait(int fd, struct epoll_event *events, int n, int timeout);
int
__wrap_epoll_wait(int fd, struct epoll_event *events, int n, int timeout);
ngx_int_t
__real_ngx_parse_addr_port(ngx_pool_t *pool, ngx_addr_t *addr, u_char *text,
                           size_t len);
ngx_int_t
__wrap_ngx_parse_addr_port(ngx_pool_t *pool, ngx_addr_t *addr, u_char *text,
                           size_t len);
const char *
__lsan_default_suppressions(void);


/* ---- files ---- */

static inline const char *
fuzz_path(const char *name)
{
    static char path[96];

    (void)snprintf(path, sizeof(path), "%s/%s", fuzz.dir, name);
    return path;
}


static inline void
fuzz_write(const char *name, const void *bytes, size_t len)
{
    int fd = open(fuzz_path(name), O_CREAT | O_WRONLY, 0640);

    fuzz_must(fd != -1 && write(fd, bytes, len) == (ssize_t)len
                  && close(fd) == 0,
              "the folder takes files");
}


/* Removes the files of a folder. */
static inline void
fuzz_empty(const char *name)
{
    DIR *dir = opendir(fuzz_path(name));
    struct dirent *entry;

    if (dir == NULL) {
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
    (void)closedir(dir);
}


/* what is inside goes first */
static const char *const fuzz_folders[] = {"state/journal", "state", "run",
                                           "tmp", ""};

#define FUZZ_FOLDERS (sizeof(fuzz_folders) / sizeof(fuzz_folders[0]))

/* The run is over: modules let go of what they have, the folder goes. */
static inline void
fuzz_nginx_end(void)
{
    for (ngx_uint_t i = 0; fuzz.cycle->modules[i] != NULL; i++) {
        if (fuzz.cycle->modules[i]->exit_process != NULL) {
            fuzz.cycle->modules[i]->exit_process(fuzz.cycle);
        }
    }
    for (size_t i = 0; i < FUZZ_FOLDERS; i++) {
        fuzz_empty(fuzz_folders[i]);
        (void)rmdir(fuzz_path(fuzz_folders[i]));
    }
}


/* ---- what the tables know ---- */

static inline struct ads_uuid
fuzz_publisher(void)
{
    return t_uuid("account", 3);
}


/* A link that a page got ten seconds ago. */
static inline void
fuzz_link(char text[ADS_TOKEN_TEXT_LEN], struct ads_uuid ad)
{
    const struct ads_ring_key *key = ads_ring_seal(fuzz_ring());
    struct ads_token token = {.ad_id = ad,
                              .publisher = fuzz_publisher(),
                              .price_micros = 100000,
                              .campaign_version = 1,
                              .placement = ads_placement_known(1)};
    static const uint8_t salt[16] = {7};
    struct ads_sealer sealer;

    token.request_id = ads_request_id_make(
        key, &token.publisher, (uint64_t)(FUZZ_NOW_S - 10) * 1000, ad.b[15]);
    ads_sealer_init(&sealer, key, salt);
    (void)ads_token_write(text, &sealer, &token);
}


/* What seeds and the dictionary have to know, a name and a word a line. */
static inline void
fuzz_words_print(void)
{
    static const char *const links[] = {"link", "retired", "unknown"};
    const struct ads_uuid ads[] = {t_uuid("ad", 0), t_uuid("ad", T_ADS - 1),
                                   t_uuid("ad", 99)};
    const struct ads_uuid publisher = fuzz_publisher();
    struct ads_uuid request;
    char id[ADS_UUID_TEXT_LEN], text[ADS_TOKEN_TEXT_LEN];
    char key[ADS_KEY_TEXT_LEN];

    for (unsigned i = 0; i < T_KEYS; i++) {
        fuzz_key(key, i);
        (void)printf("key%u %.*s\n", i, (int)sizeof(key), key);
    }
    for (unsigned i = 0; i < sizeof(ads) / sizeof(ads[0]); i++) {
        fuzz_link(text, ads[i]);
        (void)printf("%s %.*s\n", links[i], (int)sizeof(text), text);
    }
    request = ads_request_id_make(ads_ring_seal(fuzz_ring()), &publisher,
                                  (uint64_t)(FUZZ_NOW_S - 10) * 1000, 0);
    (void)ads_uuid_write(id, &request);
    (void)printf("request %.*s\n", (int)sizeof(id), id);
    (void)ads_uuid_write(id, &ads[0]);
    (void)printf("ad %.*s\n", (int)sizeof(id), id);
}


/* ---- the configuration ---- */

/* Reads a file of the project behind what is in `conf`. */
static inline void
fuzz_conf_read(char *conf, const char *path)
{
    size_t len = strlen(conf), n;
    FILE *in = fopen(path, "r");

    fuzz_must(in != NULL, "this runs from the root of the project");
    n = fread(conf + len, 1, FUZZ_CONF_MAX - 1 - len, in);
    fuzz_must(n > 0 && len + n < FUZZ_CONF_MAX - 1, "there is room");
    conf[len + n] = '\0';
    (void)fclose(in);
}


/* Replaces all of `from`, which the example must have. */
static inline void
fuzz_conf_replace(char *conf, const char *from, const char *to)
{
    size_t from_len = strlen(from), to_len = strlen(to);
    char *at = strstr(conf, from);

    if (at == NULL) {
        (void)fprintf(stderr, "nginx.conf.example has no \"%s\"\n", from);
        abort();
    }
    for (; at != NULL; at = strstr(at + to_len, from)) {
        fuzz_must(strlen(conf) + to_len < FUZZ_CONF_MAX, "there is room");
        memmove(at + to_len, at + from_len, strlen(at + from_len) + 1);
        memcpy(at, to, to_len);
    }
}


/* In the place of each include of the example the text that it includes. */
static inline void
fuzz_conf_include(char *conf)
{
    static const char *const names[] = {"main", "http", "server"};
    static char part[FUZZ_CONF_MAX];
    char include[96], path[64];
    char *at;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "packaging/nginx/ads-%s.conf",
                       names[i]);
        (void)snprintf(include, sizeof(include),
                       "/usr/share/ngx-ads/nginx/ads-%s.conf;", names[i]);
        at = strstr(conf, include);
        fuzz_must(at != NULL, "the example includes it");
        while (strncmp(at, "include", strlen("include")) != 0) {
            at--;
        }
        memset(at, ' ', strlen("include"));
        part[0] = '\0';
        fuzz_conf_read(part, path);
        fuzz_conf_replace(conf, include, part);
    }
}


/*
 * Clients come over Unix sockets and say in X-Forwarded-For who they are, so
 * that any address can be had.
 */
static inline void
fuzz_conf_write(void)
{
    static char conf[FUZZ_CONF_MAX];
    char run[64], sockets[192];

    conf[0] = '\0';
    fuzz_conf_read(conf, "nginx.conf.example");
    fuzz_conf_include(conf);
    (void)snprintf(run, sizeof(run), "unix:%s/run/", fuzz.dir);
    (void)snprintf(sockets, sizeof(sockets),
                   "listen unix:%s/run/h1;\nlisten unix:%s/run/h2 http2;\n",
                   fuzz.dir, fuzz.dir);

    fuzz_conf_replace(conf, "\nuser ", "\ndaemon off; master_process off;\n#");
    fuzz_conf_replace(conf, "/run/nginx.pid", "run/nginx.pid");
    fuzz_conf_replace(conf, "/var/log/nginx/error.log notice", "stderr alert");
    fuzz_conf_replace(conf, "/var/log/nginx/ads.log", "/dev/null");
    fuzz_conf_replace(conf, "/usr/share/ngx-ads/nginx/", "packaging/nginx/");
    fuzz_conf_replace(conf, "worker_rlimit", "#");
    fuzz_conf_replace(conf, "load_module", "#");
    fuzz_conf_replace(conf, "/var/lib/ads;", "state;");
    fuzz_conf_replace(conf, "/run/ads;", "run;");
    fuzz_conf_replace(conf, "/etc/ads/click.keys", "click.keys");
    fuzz_conf_replace(conf, "unix:/run/ads/", run);
    fuzz_conf_replace(conf, "listen       127.0.0.1:8080;", sockets);
    fuzz_conf_replace(conf, "# set_real_ip_from  10.0.0.0/8",
                      "set_real_ip_from unix:");
    fuzz_conf_replace(conf, "# real_ip_header", "real_ip_header");
    fuzz_conf_replace(conf, "scgi_params;", "/etc/nginx/scgi_params;");
    fuzz_conf_replace(conf, "/usr/share/ngx-ads/docs/", "docs/");
    fuzz_conf_replace(conf, "\nhttp {\n",
                      "\nhttp {\nads_disclosure de Anzeige;\n"
                      "ads_click_ignore $http_x_ignore;\n"
                      "client_body_temp_path tmp;\n"
                      "proxy_temp_path tmp; fastcgi_temp_path tmp;\n"
                      "scgi_temp_path tmp; uwsgi_temp_path tmp;\n");
    fuzz_write("nginx.conf", conf, strlen(conf));
}


/* ---- nginx ---- */

/* What nginx makes once and for life: the context that pcre2 compiles with,
 * the copy of the environment behind which a process shows its title. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:ngx_regex_malloc\nleak:ngx_init_setproctitle\n";
}


/* In the place of nginx's loop. */
void
__wrap_ngx_single_process_cycle(ngx_cycle_t *cycle)
{
    for (ngx_uint_t i = 0; cycle->modules[i] != NULL; i++) {
        fuzz_must(cycle->modules[i]->init_process == NULL
                      || cycle->modules[i]->init_process(cycle) == NGX_OK,
                  "every module of nginx begins");
    }
    fuzz.cycle = cycle;
}


int
__wrap_epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    fuzz.events = __real_epoll_wait(fd, events, n, timeout);
    return fuzz.events;
}


/* nginx takes an empty X-Forwarded-For for one byte long and reads the one in
 * front of it.  That finds no address, whatever it is: no byte alone is one. */
ngx_int_t
__wrap_ngx_parse_addr_port(ngx_pool_t *pool, ngx_addr_t *addr, u_char *text,
                           size_t len)
{
    return len == 1 ? NGX_DECLINED
                    : __real_ngx_parse_addr_port(pool, addr, text, len);
}


/* An alert is nginx's word for a fault of its own, or of a module. */
static inline void
fuzz_log(ngx_log_t *log, ngx_uint_t level, u_char *text, size_t len)
{
    (void)log;
    (void)fprintf(stderr, "%.*s", (int)len, (const char *)text);
    fuzz_must(level > NGX_LOG_ALERT, "nothing worth an alert happens");
}


/* Turns nginx's loop until there is nothing to do; no timer runs out. */
static inline void
fuzz_nginx_rest(void)
{
    int turns = 0;

    do {
        fuzz_must(turns++ < FUZZ_ROUNDS_MAX, "nginx comes to rest");
        while (!ngx_queue_empty(&ngx_posted_next_events)) {
            ngx_event_move_posted_next(fuzz.cycle);
        }
        (void)ngx_process_events(fuzz.cycle, 0, 0);
        ngx_event_process_posted(fuzz.cycle, &ngx_posted_accept_events);
        ngx_event_process_posted(fuzz.cycle, &ngx_posted_events);
    } while (fuzz.events > 0 || !ngx_queue_empty(&ngx_posted_next_events));
}


/* Lets nginx's time pass. */
static inline void
fuzz_nginx_pass(ngx_msec_t ms)
{
    ngx_current_msec += ms;
    ngx_event_expire_timers();
    ngx_event_process_posted(fuzz.cycle, &ngx_posted_events);
    fuzz_nginx_rest();
}


static inline void
fuzz_tables_write(void)
{
    struct t_tables *t = &fuzz.tables;

    fuzz_tables_build(t);
    fuzz.live_len = ads_live_measure(T_CAMPAIGNS, 64);
    ads_live_set(&t->live, ADS_LIVE_GENERATION, 7);
    ads_live_set(&t->live, ADS_LIVE_HEARTBEAT, FUZZ_NOW_S * UINT64_C(1000000));
    ads_live_set(&t->live, ADS_LIVE_DATABASE, 1);
    fuzz_write("state/base-0000000000000007", t->base.bytes, t->base.len);
    fuzz_write("state/head", t->head.bytes, t->head.len);
    fuzz_write("state/node", "0000000000000001\n", 17);
    fuzz_write("run/live", t->live_bytes, fuzz.live_len);
    fuzz_write("click.keys", FUZZ_RING, sizeof(FUZZ_RING) - 1);
}


static inline void
fuzz_nginx_begin(void)
{
    static const int signals[] = {SIGALRM, SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                  SIGUSR1, SIGUSR2, SIGIO,   SIGCHLD};
    static char *argv[] = {"nginx",  "-e", "stderr",     "-p",
                           fuzz.dir, "-c", "nginx.conf", NULL};
    ngx_listening_t *listening;

    memcpy(fuzz.dir, FUZZ_DIR "XXXXXX", sizeof(fuzz.dir));
    fuzz_must(mkdtemp(fuzz.dir) != NULL, "build-fuzz/tmp is there");
    for (size_t i = FUZZ_FOLDERS - 1; i-- > 0;) {
        (void)mkdir(fuzz_path(fuzz_folders[i]), 0750);
    }
    fuzz_must(sodium_init() >= 0, "libsodium begins");
    fuzz_tables_write();
    fuzz_conf_write();
    fuzz_must(ngx_main(7, argv) == 0 && fuzz.cycle != NULL, "nginx begins");
    (void)atexit(fuzz_nginx_end);

    /* these are libFuzzer's */
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    fuzz.cycle->log->writer = fuzz_log;
    listening = fuzz.cycle->listening.elts;
    for (ngx_uint_t i = 0; i < fuzz.cycle->listening.nelts; i++) {
        listening[i].log.writer = fuzz_log;
    }
    fuzz.worker =
        ((ngx_http_ads_main_conf_t *)ngx_http_cycle_get_module_main_conf(
             fuzz.cycle, ngx_http_ads_module))
            ->worker;
    fuzz_must(fuzz.worker != NULL && fuzz.worker->snapshots.current != NULL
                  && fuzz.worker->live.mapped,
              "the worker took the tables");
    fuzz_nginx_rest();
    fuzz.connections = fuzz.cycle->free_connection_n;
}

#endif
