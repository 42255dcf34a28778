/*
 * Serves SCGI requests with blocking threads: a thread reads one request,
 * handles it, answers and closes.
 *
 * Who sends many at once waits for its own: those with one credential get half
 * of the threads and half of the queue at most, and a free thread takes the
 * request of who has the fewest running.
 */
#define _GNU_SOURCE /* accept4, struct ucred */

#include "http/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/frame.h"
#include "http/listen.h"
#include "http/peek.h"
#include "http/request.h"

#define GROUPS_MAX 64
#define HASH_US 70000
#define COST_WEIGHT 8
#define REFUSE_MS 10 /* a request follows its connection at once */
#define REFUSED_MAX 64
#define REFUSED_MS 1000
#define RECEIVE_MS 2000 /* nginx sends a request it holds as a whole */

struct waiting {
    int fd;
    int64_t since_ms;
    uint64_t asker; /* peek_asker() */
};

/* What differs between the classes of routes. */
static const struct class {
    const char *duty; /* in the log */
    const char *socket;
    size_t threads; /* where in struct conf their number is */
    uint32_t queue_max;
    int queue_ms;             /* what waited longer is dropped unstarted */
    enum ads_problem refusal; /* for who finds it full, or waited so long */
    int64_t cost_us;          /* of a request, at first; 0: not reckoned */
} classes[ROUTE_CLASSES] = {
    [ROUTE_API] = {"api", "api.sock", offsetof(struct conf, api_threads),
                   SERVER_QUEUE_MAX, SERVER_QUEUE_MS, ADS_PROBLEM_UNAVAILABLE,
                   0},
    [ROUTE_AUTH] = {"auth", "auth.sock", offsetof(struct conf, auth_threads),
                    SERVER_AUTH_QUEUE_MAX, SERVER_AUTH_QUEUE_MS,
                    ADS_PROBLEM_RATE_LIMITED, HASH_US},
    [ROUTE_OAUTH] = {"oauth", "oauth.sock",
                     offsetof(struct conf, oauth_threads), SERVER_QUEUE_MAX,
                     SERVER_QUEUE_MS, ADS_PROBLEM_UNAVAILABLE, 0},
    [ROUTE_FEED] = {"feed", "feed.sock", offsetof(struct conf, feed_threads),
                    SERVER_FEED_QUEUE_MAX, SERVER_QUEUE_MS,
                    ADS_PROBLEM_UNAVAILABLE, 0},
};

struct server {
    const struct adsd *adsd;
    const struct dispatch *dispatch;
    enum route_class class;
    struct listener listener;
    pthread_t acceptor;
    pthread_t *threads;
    int n_threads;
    int n_wanted;

    int turned_away[REFUSED_MAX]; /* the acceptor's: the last ones */
    unsigned n_turned_away;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t filled;
    bool closed;
    uint32_t first;
    uint32_t n;
    uint32_t busy;
    uint64_t *running; /* askers of the busy threads, in no order */
    uint64_t refused;
    int64_t cost_us; /* between two answers of a busy server, as of late; of
                      * classes that have one */
    struct waiting queue[SERVER_QUEUE_MAX];
};


static const char *
duty_of(const struct server *server)
{
    return classes[server->class].duty;
}


/* ---- the queue ---- */

/* Will the next one's turn come in time? */
static bool
queue_fits(const struct server *server)
{
    const struct class *class = &classes[server->class];

    return server->n < class->queue_max
           && server->n * server->cost_us <= class->queue_ms * INT64_C(1000);
}


static struct waiting *
queue_at(struct server *server, uint32_t i)
{
    return &server->queue[(server->first + i) % SERVER_QUEUE_MAX];
}


static uint64_t
asker_of(struct waiting *waiting)
{
    if (waiting->asker == PEEK_ASKER_LATER) {
        waiting->asker = peek_asker(waiting->fd, 0);
    }
    return waiting->asker;
}


/* Has it half of the queue already? */
static bool
queue_is_filled_by(struct server *server, uint64_t asker)
{
    uint32_t n = 0;

    if (asker <= PEEK_ASKER_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < server->n; i++) {
        n += asker_of(queue_at(server, i)) == asker ? 1 : 0;
    }
    return n >= classes[server->class].queue_max / 2;
}


static bool
queue_put(struct server *server, int fd)
{
    uint64_t asker = PEEK_ASKER_LATER;
    bool fits;

    (void)pthread_mutex_lock(&server->lock);
    if (server->n >= classes[server->class].queue_max / 2) {
        asker = peek_asker(fd, 0);
    }
    fits = queue_fits(server) && !queue_is_filled_by(server, asker);
    if (fits) {
        *queue_at(server, server->n) =
            (struct waiting){fd, clock_monotonic_ms(), asker};
        server->n++;
        (void)pthread_cond_signal(&server->filled);
    } else {
        server->refused++;
    }
    (void)pthread_mutex_unlock(&server->lock);
    return fits;
}


/* Threads that serve this one; of requests without a credential no count is
 * kept: they are refused at once, or for everybody. */
static uint32_t
n_running(const struct server *server, uint64_t asker)
{
    uint32_t n = 0;

    for (uint32_t i = 0; asker > PEEK_ASKER_NONE && i < server->busy; i++) {
        n += server->running[i] == asker ? 1 : 0;
    }
    return n;
}


/* Which one is served next: of those whose asker has the fewest running the one
 * that has waited longest.  Who has half of the threads waits; the length of
 * the queue when all of it has to. */
static uint32_t
queue_next(struct server *server)
{
    uint32_t least =
        server->closed ? UINT32_MAX : ((uint32_t)server->n_wanted + 1) / 2;
    uint32_t next = server->n;

    for (uint32_t i = 0; i < server->n && least > 0; i++) {
        uint32_t n = n_running(server, asker_of(queue_at(server, i)));

        if (n < least) {
            least = n;
            next = i;
        }
    }
    return next;
}


/* False when the queue is closed and empty. */
static bool
queue_take(struct server *server, struct waiting *waiting)
{
    uint32_t next;
    bool got;

    (void)pthread_mutex_lock(&server->lock);
    next = queue_next(server);
    while (next == server->n && !(server->closed && server->n == 0)) {
        (void)pthread_cond_wait(&server->filled, &server->lock);
        next = queue_next(server);
    }
    got = next < server->n;
    if (got) {
        *waiting = *queue_at(server, next);
        for (; next > 0; next--) {
            *queue_at(server, next) = *queue_at(server, next - 1);
        }
        server->first = (server->first + 1) % SERVER_QUEUE_MAX;
        server->n--;
        server->running[server->busy++] = waiting->asker;
    }
    (void)pthread_mutex_unlock(&server->lock);
    return got;
}


/* -1: nothing was done.  Those who are served together share what they wait
 * for, so that one of four took four times as long. */
static void
queue_done(struct server *server, const struct waiting *waiting,
           int64_t took_ms)
{
    uint32_t i = 0;

    (void)pthread_mutex_lock(&server->lock);
    if (classes[server->class].cost_us > 0 && took_ms >= 0) {
        server->cost_us +=
            (took_ms * 1000 / server->busy - server->cost_us) / COST_WEIGHT;
    }
    while (server->running[i] != waiting->asker) {
        i++;
    }
    server->running[i] = server->running[--server->busy];
    (void)pthread_cond_signal(&server->filled); /* it may take one more */
    (void)pthread_mutex_unlock(&server->lock);
}


static void
queue_close(struct server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    server->closed = true;
    (void)pthread_cond_broadcast(&server->filled);
    (void)pthread_mutex_unlock(&server->lock);
}


/* ---- one request ---- */

static void
request_log(const struct request *request, const char *duty, int64_t began_ms)
{
    char id[ADS_UUID_TEXT_LEN];
    const struct log_field fields[] = {
        {.name = "request_id", .text = {id, sizeof(id)}},
        {.name = "status", .number = request->answer.status},
        {.name = "ms", .number = clock_monotonic_ms() - began_ms},
    };
    struct log_line line = {
        .level = request->answer.status >= 500 ? LOG_WARN : LOG_INFO,
        .duty = duty,
        .fields = fields,
        .n_fields = sizeof(fields) / sizeof(fields[0]),
    };

    (void)ads_uuid_write(id, &request->id);
    log_write(request->adsd->log, &line, "answered");
}


/*
 * Everything up to the handler's answer; false when the peer is gone or does
 * not speak SCGI.
 */
static bool
request_run(struct request *request, const struct server *server,
            struct scgi_conn *conn, bool late)
{
    const struct route *route;
    enum ads_err err;
    bool whole;

    err = scgi_receive_head(conn, request->pool, &request->head);
    if (err == ADS_UNAVAILABLE || err == ADS_INVALID) {
        return false;
    }
    whole = request_init(request) == ADS_OK;
    if (err != ADS_OK) {
        request_answer_problem(request, ADS_PROBLEM_HEADERS_TOO_LARGE, NULL);
        return true;
    }
    if (!whole) {
        return false;
    }
    if (!adsd_ready(request->adsd)) {
        request_answer_problem(request, ADS_PROBLEM_UNAVAILABLE, NULL);
        return true;
    }
    if (late) {
        request_answer_problem(request, classes[server->class].refusal, NULL);
        return true;
    }
    route = dispatch_find(server->dispatch, request, server->class);
    if (route == NULL) {
        return true;
    }
    err = dispatch_check(server->dispatch, route, request);
    conn->deadline_ms =
        clock_monotonic_ms() + RECEIVE_MS; /* the database took time */
    if (err != ADS_OK) {
        request_answer_err(request, err);
        return true;
    }
    err =
        scgi_receive_body(conn, request->pool, &request->head, &request->body);
    if (err != ADS_OK) {
        return false;
    }
    request->body_len = (size_t)request->head.content_length;
    conn->deadline_ms =
        clock_monotonic_ms() + request->adsd->conf.api_timeout_s * 1000;
    dispatch_handle(route, request);
    return true;
}


static void
serve(struct server *server, struct db *db, struct pool *pool,
      const struct waiting *waiting, bool late)
{
    struct request *request = pool_alloc(pool, sizeof(*request));
    int64_t began_ms = clock_monotonic_ms();
    struct scgi_conn conn = {
        .fd = waiting->fd,
        .deadline_ms = began_ms + RECEIVE_MS,
    };
    struct ads_str answer;

    request->adsd = server->adsd;
    request->db = db;
    request->pool = pool;
    if (request_run(request, server, &conn, late)) {
        answer = request_answer_write(request);
        if (scgi_send(&conn, answer.ptr, answer.len) != ADS_OK) {
            log_info(server->adsd->log, duty_of(server),
                     "peer left before its answer");
        }
        request_log(request, duty_of(server), began_ms);
    }
    scgi_close(&conn);
}


static void *
thread_run(void *arg)
{
    struct server *server = arg;
    struct db *db = db_new(&(struct db_options){
        .duty = DB_API,
        .conninfo = server->adsd->conf.database,
        .log = server->adsd->log,
        .breaker = server->adsd->breaker,
        .stop_fd = server->adsd->stop_fd,
    });
    struct pool *pool = pool_new();
    struct waiting waiting;
    uint64_t warm = 0; /* the last connection that is */

    while (queue_take(server, &waiting)) {
        int64_t began_ms = clock_monotonic_ms();
        bool late =
            began_ms - waiting.since_ms > classes[server->class].queue_ms;

        serve(server, db, pool, &waiting, late);
        pool_reset(pool);
        if (server->class == ROUTE_API && warm != db_n_connects(db)) {
            api_warm(db, pool); /* after the answer: no client waits for it */
            pool_reset(pool);
            warm = db_n_connects(db);
        }
        queue_done(server, &waiting,
                   late ? -1 : clock_monotonic_ms() - began_ms);
    }
    pool_free(pool);
    db_free(db);
    return NULL;
}


/* ---- accepting ---- */

static bool
peer_may(int fd)
{
    struct ucred peer;
    gid_t groups[GROUPS_MAX];
    int n;

    if (!listen_peer(&peer, fd)) {
        return false;
    }
    if (peer.uid == 0 || peer.uid == geteuid() || peer.gid == getegid()) {
        return true;
    }
    n = getgroups(GROUPS_MAX, groups);
    for (int i = 0; i < n; i++) {
        if (groups[i] == peer.gid) {
            return true;
        }
    }
    return false;
}


/* nginx's id of a request that is not read: it stays in the socket's buffer,
 * where its head is once nginx has connected.  Else a random one. */
static struct ads_uuid
refused_id(int fd)
{
    struct ads_uuid id;
    uint8_t random[16];
    struct peek peek;

    peek_read(&peek, fd, REFUSE_MS);
    if (ads_uuid_read(&id, peek_find(&peek, "ADS_REQUEST_ID"))) {
        return id;
    }
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        abort(); /* the kernel always has 16 bytes once it is up */
    }
    return ads_uuid_random(random);
}


static void
turned_away_close(struct server *server)
{
    for (unsigned i = 0; i < server->n_turned_away && i < REFUSED_MAX; i++) {
        (void)close(server->turned_away[i]);
    }
    server->n_turned_away = 0;
}


/*
 * The queue is full: says so without reading the request.  The socket stays
 * open for a while: nginx connects first and writes then, perhaps much later
 * on a busy machine, and one that cannot write does not look for the answer.
 */
static void
refuse(struct server *server, int fd)
{
    enum ads_problem problem = classes[server->class].refusal;
    char body[ADS_PROBLEM_LEN_MAX], answer[sizeof(body) + 256];
    struct ads_uuid id = refused_id(fd);
    char id_text[ADS_UUID_TEXT_LEN];
    size_t len = ads_problem_write(body, problem, NULL, &id, NULL, 0);
    unsigned place = server->n_turned_away % REFUSED_MAX;
    int n;

    (void)ads_uuid_write(id_text, &id);
    n = snprintf(answer, sizeof(answer),
                 "Status: %u\r\nContent-Type: application/problem+json\r\n"
                 "Content-Length: %zu\r\nX-Request-Id: %.*s\r\n"
                 "Retry-After: 2\r\n\r\n%.*s",
                 (unsigned)ads_problem_find(problem)->status, len,
                 ADS_UUID_TEXT_LEN, id_text, (int)len, body);
    (void)!send(fd, answer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);

    if (server->n_turned_away++ >= REFUSED_MAX) {
        (void)close(server->turned_away[place]);
    }
    server->turned_away[place] = fd;
}


/* False when no connection is waiting. */
static bool
accept_one(struct server *server)
{
    int fd = accept4(server->listener.fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
            log_error(server->adsd->log, duty_of(server),
                      "could not accept: %s", strerror(errno));
            (void)adsd_wait(server->adsd, -1, 100);
        }
        return errno == ECONNABORTED || errno == EINTR;
    }
    if (!peer_may(fd)) {
        log_warn(server->adsd->log, duty_of(server),
                 "refused a connection of another user");
        (void)close(fd);
    } else if (!queue_put(server, fd)) {
        refuse(server, fd);
    }
    return true;
}


static void *
acceptor_run(void *arg)
{
    struct server *server = arg;

    while (!adsd_stopping(server->adsd)) {
        if (adsd_wait(server->adsd, server->listener.fd,
                      server->n_turned_away > 0 ? REFUSED_MS : -1))
        {
            (void)accept_one(server);
        } else {
            turned_away_close(server);
        }
    }
    /* no client can connect any more; those that did are still served */
    listen_unlink(&server->listener);
    while (accept_one(server)) {
    }
    turned_away_close(server);
    return NULL;
}


/* ---- life ---- */

static enum ads_err
threads_start(struct server *server)
{
    int wanted = (int)*(const int64_t *)((const char *)&server->adsd->conf
                                         + classes[server->class].threads);

    server->n_wanted = wanted;
    server->running = xcalloc((size_t)wanted, sizeof(*server->running));
    server->threads = xcalloc((size_t)wanted, sizeof(*server->threads));
    while (server->n_threads < wanted
           && pthread_create(&server->threads[server->n_threads], NULL,
                             thread_run, server)
                  == 0)
    {
        server->n_threads++;
    }
    if (server->n_threads == wanted
        && pthread_create(&server->acceptor, NULL, acceptor_run, server) == 0)
    {
        return ADS_OK;
    }
    log_error(server->adsd->log, duty_of(server), "could not start %d threads",
              wanted);
    return ADS_IO;
}


static void
threads_end(struct server *server)
{
    queue_close(server);
    for (int i = 0; i < server->n_threads; i++) {
        (void)pthread_join(server->threads[i], NULL);
    }
}


static void
server_free(struct server *server)
{
    listen_close(&server->listener);
    (void)pthread_cond_destroy(&server->filled);
    (void)pthread_mutex_destroy(&server->lock);
    free(server->running);
    free(server->threads);
    free(server);
}


enum ads_err
server_start(struct server **started, const struct adsd *adsd,
             const struct dispatch *dispatch, enum route_class class)
{
    struct server *server = xcalloc(1, sizeof(*server));
    enum ads_err err;

    *started = NULL;
    server->adsd = adsd;
    server->dispatch = dispatch;
    server->class = class;
    server->cost_us = classes[class].cost_us;
    server->listener.fd = -1;
    (void)pthread_mutex_init(&server->lock, NULL);
    (void)pthread_cond_init(&server->filled, NULL);

    err = listen_open(&server->listener, adsd, classes[class].socket, 0660);
    if (err == ADS_OK) {
        err = threads_start(server);
        if (err != ADS_OK) {
            threads_end(server);
        }
    }
    if (err != ADS_OK) {
        server_free(server);
        return err;
    }
    *started = server;
    return ADS_OK;
}


void
server_stop(struct server *server)
{
    if (server == NULL) {
        return;
    }
    (void)pthread_join(server->acceptor, NULL);
    threads_end(server);
    server_free(server);
}


void
server_look(struct server *server, struct server_state *state)
{
    (void)pthread_mutex_lock(&server->lock);
    *state = (struct server_state){
        .name = duty_of(server),
        .threads = (uint32_t)server->n_threads,
        .busy = server->busy,
        .waiting = server->n,
        .refused = server->refused,
    };
    (void)pthread_mutex_unlock(&server->lock);
}
