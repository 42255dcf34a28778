/*
 * Serves the operator's socket: accept, check the peer, read a line, answer,
 * close.
 */
#define _GNU_SOURCE /* accept4, struct ucred */

#include "http/admin.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "daemon/click_keys.h"
#include "http/listen.h"
#include "http/server.h"

#define DUTY "admin"
#define PATIENCE_MS 1000 /* with one who asks and does not go on */

struct admin {
    struct adsd *adsd;
    struct listener listener;
    pthread_t thread;
    int64_t began_ms;
    struct pool *pool;
};


/* ---- what can be asked ---- */

static void
servers_write(struct json *json, const struct adsd *adsd)
{
    struct server_state state;

    json_array_begin(json, "servers");
    for (int i = 0; i < ROUTE_CLASSES; i++) {
        server_look(adsd->servers[i], &state);
        json_object_begin(json, NULL);
        json_constant(json, "name", state.name);
        json_int(json, "threads", state.threads);
        json_int(json, "busy", state.busy);
        json_int(json, "waiting", state.waiting);
        json_int(json, "refused", (int64_t)state.refused);
        json_object_end(json);
    }
    json_array_end(json);
}


static void
keys_write(struct json *json, const struct adsd *adsd)
{
    const struct ads_ring *ring = click_keys_ring(adsd->click_keys);

    json_int(json, "click_key_seals", ads_ring_seal(ring)->kid);
    json_array_begin(json, "click_keys");
    for (uint32_t i = 0; i < ring->n; i++) {
        json_int(json, NULL, ring->keys[i].kid);
    }
    json_array_end(json);
}


static void
answer_status(struct admin *admin, struct json *json, struct ads_str argument)
{
    const struct adsd *adsd = admin->adsd;

    (void)argument;
    json_bool(json, "ok", true);
    json_int(json, "pid", getpid());
    json_int(json, "uptime_s", (clock_monotonic_ms() - admin->began_ms) / 1000);
    json_bool(json, "ready", adsd_ready(adsd));
    json_constant(json, "database", adsd->breaker->down ? "away" : "up");
    json_constant(json, "log_level", log_level_name(log_level_get(adsd->log)));
    json_int(json, "change_published", (int64_t)adsd->published_change);
    json_int(json, "generation", (int64_t)adsd->published_generation);
    keys_write(json, adsd);
    servers_write(json, adsd);
}


static void
refuse(struct json *json, const char *why)
{
    json_bool(json, "ok", false);
    json_constant(json, "error", why);
}


static void
answer_reload(struct admin *admin, struct json *json, struct ads_str argument)
{
    struct adsd *adsd = admin->adsd;

    (void)argument;
    if (adsd_reload(adsd) != ADS_OK) {
        refuse(json, "the click keys cannot be read: the log says why;"
                     " those that were there go on");
        return;
    }
    json_bool(json, "ok", true);
    keys_write(json, adsd);
}


static void
answer_log_level(struct admin *admin, struct json *json,
                 struct ads_str argument)
{
    int level = log_level_find(argument);

    if (level < 0) {
        refuse(json, "log-level takes debug, info, warn or error");
        return;
    }
    log_level_set(admin->adsd->log, (enum log_level)level);
    json_bool(json, "ok", true);
    json_constant(json, "log_level", log_level_name((enum log_level)level));
}


static const struct verb {
    const char *name;
    bool argument; /* has one */
    void (*answer)(struct admin *admin, struct json *json,
                   struct ads_str argument);
} verbs[] = {
    {"status", false, answer_status},
    {"reload", false, answer_reload},
    {"log-level", true, answer_log_level},
};


static void
answer(struct admin *admin, struct json *json, struct ads_str line)
{
    const char *space = memchr(line.ptr, ' ', line.len);
    struct ads_str name = {
        line.ptr, space == NULL ? line.len : (size_t)(space - line.ptr)};
    struct ads_str argument = {line.ptr + name.len, line.len - name.len};

    if (argument.len > 0) {
        argument.ptr++;
        argument.len--;
    }
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (ads_str_is(name, verbs[i].name)
            && verbs[i].argument == (argument.len > 0)) {
            verbs[i].answer(admin, json, argument);
            return;
        }
    }
    refuse(json, "not known: ask status, reload or log-level LEVEL");
}


/* ---- one connection ---- */

/* A line without its end; false: none came in time. */
static bool
line_read(const struct adsd *adsd, int fd, char line[ADMIN_LINE_MAX],
          size_t *len)
{
    int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
    int64_t left_ms;
    char *end;
    ssize_t n;

    *len = 0;
    while ((left_ms = until_ms - clock_monotonic_ms()) > 0
           && adsd_wait(adsd, fd, (int)left_ms))
    {
        n = recv(fd, line + *len, ADMIN_LINE_MAX - *len, MSG_DONTWAIT);
        if (n <= 0) {
            return false;
        }
        end = memchr(line + *len, '\n', (size_t)n);
        *len += (size_t)n;
        if (end != NULL) {
            *len = (size_t)(end - line);
            return true;
        }
        if (*len == ADMIN_LINE_MAX) {
            return false;
        }
    }
    return false;
}


static bool
peer_may(int fd)
{
    struct ucred peer;

    return listen_peer(&peer, fd) && (peer.uid == 0 || peer.uid == geteuid());
}


static void
serve(struct admin *admin, int fd)
{
    struct log *log = admin->adsd->log;
    char line[ADMIN_LINE_MAX];
    struct ads_str text;
    struct json json;
    size_t len;

    if (!peer_may(fd)) {
        log_warn(log, DUTY, "refused a connection of another user");
        return;
    }
    if (!line_read(admin->adsd, fd, line, &len)) {
        return;
    }
    json_init(&json, admin->pool);
    json_object_begin(&json, NULL);
    answer(admin, &json, (struct ads_str){line, len});
    json_object_end(&json);
    text = json_text(&json);
    /* far below what the socket's buffer holds */
    if (send(fd, text.ptr, text.len, MSG_DONTWAIT | MSG_NOSIGNAL)
        == (ssize_t)text.len)
    {
        (void)send(fd, "\n", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    pool_reset(admin->pool);
}


static void *
admin_run(void *arg)
{
    struct admin *admin = arg;
    int fd;

    while (!adsd_stopping(admin->adsd)) {
        if (!adsd_wait(admin->adsd, admin->listener.fd, -1)) {
            continue;
        }
        fd = accept4(admin->listener.fd, NULL, NULL,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            serve(admin, fd);
            (void)close(fd);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
            (void)adsd_wait(admin->adsd, -1, 100);
        }
    }
    listen_unlink(&admin->listener);
    return NULL;
}


/* ---- life ---- */

enum ads_err
admin_start(struct admin **started, struct adsd *adsd)
{
    struct admin *admin = xcalloc(1, sizeof(*admin));
    enum ads_err err;

    *started = NULL;
    admin->adsd = adsd;
    admin->began_ms = clock_monotonic_ms();
    err = listen_open(&admin->listener, adsd, ADMIN_SOCKET, 0600);
    if (err == ADS_OK) {
        admin->pool = pool_new();
        if (pthread_create(&admin->thread, NULL, admin_run, admin) == 0) {
            *started = admin;
            return ADS_OK;
        }
        log_error(adsd->log, DUTY, "could not start a thread");
        pool_free(admin->pool);
        err = ADS_IO;
    }
    listen_close(&admin->listener);
    free(admin);
    return err;
}


void
admin_stop(struct admin *admin)
{
    if (admin == NULL) {
        return;
    }
    (void)pthread_join(admin->thread, NULL);
    listen_close(&admin->listener);
    pool_free(admin->pool);
    free(admin);
}
