/*
 * Program adsd: the ad service's sidecar.  This file starts the parts in a
 * fixed order, waits for a signal, and stops them in reverse.
 *
 *     adsd [-c adsd.conf] [-t]
 *
 * It runs in the foreground and logs JSON lines.  SIGTERM and SIGINT stop it
 * gracefully (requests and the batch at hand are finished, exit 0), SIGHUP
 * reopens the log and reads the click keys again.  It never dies because the
 * database is away.  As adsctl it is the operator's command line (ctl/verbs.c).
 */
#define _GNU_SOURCE /* pthread_setname_np */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/routes.h"
#include "auth/hash.h"
#include "auth/key.h"
#include "auth/oauth_provider.h"
#include "auth/password.h"
#include "auth/webhook.h"
#include "catalog/import_work.h"
#include "ctl/verbs.h"
#include "daemon/adsd.h"
#include "daemon/auth_keys.h"
#include "daemon/click_keys.h"
#include "daemon/live_file.h"
#include "daemon/maintain.h"
#include "daemon/node.h"
#include "daemon/watch.h"
#include "http/admin.h"
#include "http/rate.h"
#include "http/server.h"
#include "journal/ingest.h"
#include "journal/sync.h"
#include "mail/mail.h"
#include "tables/goods.h"
#include "tables/guard_list.h"
#include "tables/snap_publish.h"

#define DUTY "main"
#define STOP_MOST_S 4

/* Each part is a thread; stopped in reverse order of this table. */
static const struct part {
    const char *name;
    void (*run)(struct adsd *adsd);
} parts[] = {
    {"maintain", maintain_run},    {"mail", mail_run},
    {"publish", snap_publish_run}, {"sync", journal_sync_run},
    {"ingest", ingest_run},        {"import", import_work_run},
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

_Static_assert(N_PARTS <= ADSD_PARTS_MAX, "every part is looked after");

struct thread {
    const struct part *part;
    struct adsd *adsd;
    pthread_t id;
};

struct arguments {
    const char *conf_path;
    bool test;
};


static int
usage(void)
{
    (void)fprintf(stderr, "usage: adsd [-c adsd.conf] [-t]\n"
                          "  -c  configuration (" CONF_PATH_DEFAULT ")\n"
                          "  -t  check it and exit\n");
    return 2;
}


static bool
arguments_read(struct arguments *arguments, int argc, char **argv)
{
    int option;

    arguments->conf_path = CONF_PATH_DEFAULT;
    arguments->test = false;
    while ((option = getopt(argc, argv, "c:t")) != -1) {
        if (option == 'c') {
            arguments->conf_path = optarg;
        } else if (option == 't') {
            arguments->test = true;
        } else {
            return false;
        }
    }
    return optind == argc;
}


/* Secrets stay out of core files and of other users' sight. */
static void
process_harden(void)
{
    const struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)umask(077); /* what workers use is opened to them one by one */
}


static void *
thread_run(void *arg)
{
    struct thread *thread = arg;
    struct adsd_part *part = &thread->adsd->parts[thread->part - parts];

    part->thread = pthread_self();
    pulse_beat(&part->pulse);
    thread->part->run(thread->adsd);
    pulse_idle(&part->pulse);
    return NULL;
}


static size_t
threads_start(struct thread *threads, struct adsd *adsd)
{
    size_t n;

    for (n = 0; n < N_PARTS; n++) {
        adsd->parts[n].name = parts[n].name;
    }
    adsd->n_parts = N_PARTS;
    for (n = 0; n < N_PARTS; n++) {
        threads[n].part = &parts[n];
        threads[n].adsd = adsd;
        if (pthread_create(&threads[n].id, NULL, thread_run, &threads[n]) != 0)
        {
            log_error(adsd->log, DUTY, "could not start thread %s",
                      parts[n].name);
            adsd_stop(adsd);
            break;
        }
        (void)pthread_setname_np(threads[n].id, parts[n].name);
    }
    return n;
}


/* Until a signal or a thread says stop; looks after the threads meanwhile. */
static void
wait_for_stop(struct adsd *adsd, int signal_fd)
{
    struct signalfd_siginfo info;
    struct watch watch = {.adsd = adsd};
    bool signalled;

    while (!adsd_stopping(adsd)) {
        watch_look(&watch);
        signalled = adsd_wait(adsd, signal_fd, WATCH_LOOK_MS);
        if (!signalled
            || read(signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
            continue;
        }
        if (info.ssi_signo == SIGHUP) {
            (void)!adsd_reload(adsd);
        } else {
            log_info(adsd->log, DUTY, "stopping");
            adsd_stop(adsd);
        }
    }
}


/* What waits for several hosts one after the other takes longer than anybody
 * should wait for us; what is half done is as after a kill. */
static void *
last_resort(void *arg)
{
    const struct adsd *adsd = arg;
    const struct timespec pause = {.tv_sec = STOP_MOST_S};

    (void)nanosleep(&pause, NULL);
    log_warn(adsd->log, DUTY, "not everything ended within %d s: leaving",
             STOP_MOST_S);
    _exit(0);
}


static void
servers_stop(struct server **servers, size_t n)
{
    while (n > 0) {
        server_stop(servers[--n]);
    }
}


static enum ads_err
servers_start(struct server **servers, struct adsd *adsd)
{
    for (size_t n = 0; n < ROUTE_CLASSES; n++) {
        enum ads_err err;

        err = server_start(&servers[n], adsd, routes_dispatch(),
                           (enum route_class)n);
        if (err != ADS_OK) {
            adsd_stop(adsd);
            servers_stop(servers, n);
            return err;
        }
    }
    return ADS_OK;
}


static enum ads_err
work(struct adsd *adsd, int signal_fd)
{
    struct thread threads[N_PARTS];
    struct server *servers[ROUTE_CLASSES];
    struct admin *admin;
    enum ads_err err;
    pthread_t guard;
    bool guarded;
    size_t n;

    err = auth_password_start(&adsd->hasher);
    if (err != ADS_OK) {
        log_error(adsd->log, DUTY, "could not start the hashing of passwords");
        return err;
    }
    err = servers_start(servers, adsd);
    if (err != ADS_OK) {
        auth_password_stop(adsd->hasher);
        return err;
    }
    adsd->servers = servers;
    err = admin_start(&admin, adsd);
    if (err != ADS_OK) {
        adsd_stop(adsd);
        servers_stop(servers, ROUTE_CLASSES);
        auth_password_stop(adsd->hasher);
        return err;
    }
    n = threads_start(threads, adsd);
    log_info(adsd->log, DUTY, "started, node %016llx",
             (unsigned long long)adsd->node);

    wait_for_stop(adsd, signal_fd);
    guarded = pthread_create(&guard, NULL, last_resort, adsd) == 0;

    admin_stop(admin);
    servers_stop(servers, ROUTE_CLASSES);
    auth_password_stop(adsd->hasher);
    while (n > 0) {
        (void)pthread_join(threads[--n].id, NULL);
    }
    if (guarded) {
        (void)pthread_cancel(guard);
        (void)pthread_join(guard, NULL);
    }
    log_info(adsd->log, DUTY, "stopped");
    return ADS_OK;
}


/* Blocked before there are threads, so that none of them is interrupted. */
static int
signals_open(void)
{
    sigset_t set;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}


static enum ads_err
node_open(struct adsd *adsd, int *lock_fd)
{
    enum ads_err err;

    err = node_make_folders(&adsd->conf, adsd->log);
    if (err == ADS_OK) {
        err = node_lock(lock_fd, &adsd->conf, adsd->log);
    }
    if (err == ADS_OK) {
        err = click_keys_open(&adsd->click_keys, &adsd->conf, adsd->log);
    }
    if (err == ADS_OK) {
        err = node_read_id(&adsd->node, &adsd->conf, adsd->log);
        if (err == ADS_ABSENT) {
            log_error(adsd->log, DUTY,
                      "no node id in \"%s\": run \"adsctl init\"",
                      adsd->conf.state_path);
        }
    }
    return err;
}


/* How top-ups become money. */
static enum ads_err
settlement_open(struct adsd *adsd)
{
    const struct conf *conf = &adsd->conf;

    switch (conf->topup_settlement) {
    case CONF_TOPUP_INSTANT:
        log_warn(adsd->log, DUTY,
                 "topup_settlement is instant: advertisers give themselves"
                 " money; for tests only");
        return ADS_OK;
    case CONF_TOPUP_WEBHOOK:
        return auth_webhook_open(&adsd->webhook,
                                 conf->topup_webhook_secret_file, adsd->log);
    default:
        return ADS_OK;
    }
}


static int
run(struct adsd *adsd)
{
    int lock_fd = -1, signal_fd;
    enum ads_err err;

    err = log_open(&adsd->log, adsd->conf.log_file,
                   (enum log_level)adsd->conf.log_level);
    if (err != ADS_OK) {
        (void)fprintf(stderr, "adsd: could not open the log \"%s\": %s\n",
                      adsd->conf.log_file, strerror(errno));
        return 1;
    }
    signal_fd = signals_open();
    err = signal_fd < 0 ? ADS_IO : adsd_init(adsd);
    if (err == ADS_OK) {
        err = node_open(adsd, &lock_fd);
    }
    if (err == ADS_OK) {
        err = auth_keys_open(&adsd->auth_keys, adsd->conf.jwt_key_file,
                             adsd->log);
    }
    if (err == ADS_OK) {
        err = settlement_open(adsd);
    }
    if (err == ADS_OK) {
        err = live_file_open(&adsd->live, adsd->conf.run_path, adsd->node,
                             adsd->log);
    }
    if (err == ADS_OK) {
        err = oauth_open(&adsd->oauth, &adsd->conf, adsd->log, &adsd->stopping);
    }
    if (err == ADS_OK) {
        adsd->people = rate_new(adsd->conf.person_per_minute);
        err = work(adsd, signal_fd);
    }

    rate_free(adsd->people);
    oauth_close(adsd->oauth);
    live_file_close(adsd->live);
    auth_webhook_free(adsd->webhook);
    auth_keys_free(adsd->auth_keys);
    click_keys_free(adsd->click_keys);
    if (lock_fd >= 0) {
        (void)close(lock_fd);
    }
    adsd_end(adsd);
    if (signal_fd >= 0) {
        (void)close(signal_fd);
    }
    log_close(adsd->log);
    return err == ADS_OK ? 0 : 1;
}


int
main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    struct arguments arguments;
    struct adsd *adsd;
    int rc;

    name = name == NULL ? argv[0] : name + 1;
    if (!auth_key_init()) {
        (void)fprintf(stderr, "adsd: libsodium does not start\n");
        return 1;
    }
    if (strcmp(name, AUTH_HASH_NAME) == 0) {
        return auth_hash_main();
    }
    if (strcmp(name, "adsctl") == 0) {
        return ctl_main(argc, argv);
    }
    if (!arguments_read(&arguments, argc, argv)) {
        return usage();
    }

    adsd = xcalloc(1, sizeof(*adsd));
    if (conf_read(&adsd->conf, arguments.conf_path, stderr) != ADS_OK
        || guard_list_compile(&adsd->guard, adsd->conf.guard_path,
                              adsd->conf.guard_file, stderr)
               != ADS_OK
        || goods_load(adsd->conf.goods_path, adsd->conf.goods_file,
                      &adsd->goods, stderr)
               != ADS_OK)
    {
        rc = 1;
    } else if (arguments.test) {
        (void)printf("configuration ok\n");
        rc = 0;
    } else {
        process_harden();
        rc = run(adsd);
    }
    conf_free(&adsd->conf);
    free((char *)adsd->guard.ptr);
    free((char *)adsd->goods.ptr);
    free(adsd);
    return rc;
}
