/*
 * Visitors who ask for ads and follow their links: open-loop load for the
 * fault scripts, which t/lib/Ads/Load.pm drives and reads.
 *
 *     visitors FILE < SPEC
 *
 * Each request has its own connection and its own due time, however slow the
 * answers are.  Every link is followed once, no sooner than a visitor could.
 * SPEC has a line each: "port N", "query TEXT" (each several times), "key K",
 * "clicks N" and "recommends N" a second, "stock N" links before the first
 * click, "max N" clicks, "seed N", "retry 1" (a link whose connection broke is
 * followed again), "first 1" (it has the processor whenever it asks, so that
 * what it measures is not its own waiting; only root may).
 *
 * FILE gets a line an attempt: kind, token, status, click id, due, begun and
 * answered (monotonic seconds), ad, where it led or why it failed.  FILE.begun
 * appears when the stock is there.  SIGTERM: no new requests, those under way
 * are waited for.  Ends when its parent does.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define AGENT "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0"
#define RIPE_S 0.25      /* no visitor clicks sooner */
#define PATIENCE_S 10.0  /* for one answer */
#define DRAIN_S 20.0     /* at the end, for those under way */
#define FILL_S 30.0      /* for the stock */
#define FILL_GAP_S 0.004 /* between two requests for it */
#define RETRY_S 0.02
#define OPEN_MAX 400  /* a backlog holds 511 */
#define BURST_MAX 200 /* begun before answers are read */
#define SLOTS 512     /* those that are tried again come on top */
#define LINKS_MAX 65536
#define ANSWER_MAX 262144
#define LIST_MAX 64
#define PATH_LEN 400
#define AD_LEN 40
#define QUERY_LEN 200

enum kind { CLICK, RECOMMEND };

struct link {
    double ripe;
    char path[PATH_LEN];
    char ad[AD_LEN];
};

struct request {
    bool open;
    bool again; /* not open: waits until `begin` to be tried once more */
    enum kind kind;
    int fd;
    unsigned long token;
    double due;
    double begin;
    struct link link;
    size_t len;
    size_t unsent; /* the request, in `answer`: not connected yet */
    char answer[ANSWER_MAX];
};

struct load {
    FILE *log;
    int epoll;
    int ports[LIST_MAX];
    size_t n_ports;
    char queries[LIST_MAX][QUERY_LEN];
    size_t n_queries;
    char key[QUERY_LEN];
    double rate[2]; /* by kind */
    double due[2];
    unsigned long stock;
    unsigned long max;
    bool retry;
    bool hurries;
    uint64_t random;
    unsigned long token;
    size_t n_open;      /* under way, those that wait to be tried again too */
    struct link *links; /* a ring */
    size_t first;
    size_t n_links;
    struct request requests[SLOTS];
};

static volatile sig_atomic_t stopping;


static _Noreturn void
fail(const char *what)
{
    (void)fprintf(stderr, "visitors: %s\n", what);
    exit(1);
}


static void
on_term(int signal)
{
    (void)signal;
    stopping = 1;
}


static double
now_s(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}


/* xorshift64*: one seed, one order of visitors */
static uint32_t
below(struct load *load, size_t n)
{
    load->random ^= load->random >> 12;
    load->random ^= load->random << 25;
    load->random ^= load->random >> 27;
    return (uint32_t)((load->random * 0x2545f4914f6cdd1dULL) >> 33)
           % (uint32_t)n;
}


/* ---- one request --------------------------------------------------------- */

static struct request *
slot_free(struct load *load)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (!load->requests[i].open && !load->requests[i].again) {
            return &load->requests[i];
        }
    }
    return NULL;
}


static void
put(struct load *load, const struct request *request, int status,
    const char *id, const char *ad, const char *to)
{
    (void)fprintf(load->log, "%s %lu %d %s %.6f %.6f %.6f %s %s\n",
                  request->kind == CLICK ? "click" : "recommend",
                  request->kind == CLICK ? request->token : 0, status, id,
                  request->due, request->begin, now_s(), ad, to);
}


static void
request_close(struct load *load, struct request *request)
{
    if (request->open) {
        (void)close(request->fd); /* which takes it out of epoll */
        request->open = false;
        load->n_open--;
    }
}


/* No answer: the connection was refused, reset or closed without a word. */
static void
broken(struct load *load, struct request *request, const char *why)
{
    put(load, request, 0, "-", request->kind == CLICK ? request->link.ad : "-",
        why);
    request_close(load, request);
    if (load->retry && request->kind == CLICK) {
        request->again = true;
        request->begin = now_s() + RETRY_S;
        load->n_open++;
    }
}


static int
request_text(struct load *load, const struct request *request, int port,
             char *text, size_t size)
{
    char body[QUERY_LEN * 2];
    uint32_t who = below(load, 1U << 24);
    int n;

    if (request->kind == CLICK) {
        return snprintf(text, size,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                        "Connection: close\r\nUser-Agent: " AGENT
                        "\r\nX-Forwarded-For: 10.%u.%u.%u\r\n\r\n",
                        request->link.path, port, who >> 16, who >> 8 & 255,
                        who & 255);
    }
    n = snprintf(body, sizeof(body), "{\"query\":\"%s\",\"max_results\":20}",
                 load->queries[below(load, load->n_queries)]);
    return snprintf(text, size,
                    "POST /v1/ads/recommend HTTP/1.1\r\n"
                    "Host: 127.0.0.1:%d\r\nConnection: close\r\n"
                    "Authorization: Bearer %s\r\n"
                    "X-Forwarded-For: 10.%u.%u.%u\r\n"
                    "Content-Type: application/json\r\n"
                    "Content-Length: %d\r\n\r\n%s",
                    port, load->key, who >> 16, who >> 8 & 255, who & 255, n,
                    body);
}


/* Sends what waits in the place of the answer. */
static void
request_send(struct load *load, struct request *request)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = request};
    size_t len = request->unsent;

    request->unsent = 0;
    if (send(request->fd, request->answer, len, MSG_NOSIGNAL) != (ssize_t)len) {
        broken(load, request, strerror(errno));
    } else if (epoll_ctl(load->epoll, EPOLL_CTL_MOD, request->fd, &event) != 0)
    {
        fail("epoll");
    }
}


/* Loopback answers at once: refused, or into the queue; when that is full, not
 * before the kernel tries again. */
static void
launch(struct load *load, struct request *request)
{
    int port = load->ports[below(load, load->n_ports)];
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = request};
    char text[2048];
    int len = request_text(load, request, port, text, sizeof(text));
    bool waits = false;

    request->begin = now_s();
    request->len = 0;
    request->unsent = 0;
    request->again = false;
    request->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                         IPPROTO_TCP);
    if (request->fd < 0) {
        fail("socket");
    }
    request->open = true;
    load->n_open++;
    if ((connect(request->fd, (struct sockaddr *)&address, sizeof(address)) != 0
         && errno != EINPROGRESS)
        || (send(request->fd, text, (size_t)len, MSG_NOSIGNAL) != len
            && !(waits = errno == EAGAIN)))
    {
        broken(load, request, strerror(errno));
        return;
    }
    if (waits) {
        memcpy(request->answer, text, (size_t)len);
        request->unsent = (size_t)len;
        event.events = EPOLLOUT;
    }
    if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, request->fd, &event) != 0) {
        fail("epoll");
    }
}


/* ---- answers ------------------------------------------------------------- */

/* The value of a header in a head that ends with an empty line. */
static bool
header(const char *head, const char *name, char *value, size_t size)
{
    size_t name_len = strlen(name);

    for (const char *line = strstr(head, "\r\n"); line != NULL;
         line = strstr(line, "\r\n"))
    {
        line += 2;
        if (strncasecmp(line, name, name_len) == 0 && line[name_len] == ':') {
            line += name_len + 1;
            line += strspn(line, " ");
            (void)snprintf(value, size, "%.*s", (int)strcspn(line, " \r\n"),
                           line);
            return true;
        }
    }
    return false;
}


/* A link waits at the end of the ring until its visitor gets there. */
static void
link_add(struct load *load, const json_t *ad)
{
    const char *url = json_string_value(json_object_get(ad, "click_url"));
    const char *id = json_string_value(json_object_get(ad, "ad_id"));
    const char *host = url != NULL ? strstr(url, "://") : NULL;
    const char *path = host != NULL ? strchr(host + 3, '/') : NULL;
    struct link *link;

    if (path == NULL || id == NULL || strlen(path) >= PATH_LEN
        || strlen(id) >= AD_LEN)
    {
        fail("an ad without a link");
    }
    if (load->n_links == LINKS_MAX) {
        return;
    }
    link = &load->links[(load->first + load->n_links++) % LINKS_MAX];
    link->ripe = now_s() + RIPE_S;
    memcpy(link->path, path, strlen(path) + 1);
    memcpy(link->ad, id, strlen(id) + 1);
}


static void
links_take(struct load *load, const struct request *request, int status,
           const char *body)
{
    json_t *json = json_loads(body, 0, NULL);
    const json_t *ad;
    const char *what;
    size_t i;

    json_array_foreach(json_object_get(json, "ads"), i, ad)
    {
        link_add(load, ad);
    }
    what = json_string_value(json_object_get(json, "reason"));
    if (what == NULL) {
        what = json_string_value(json_object_get(json, "decision"));
    }
    put(load, request, status, "-", "-",
        json == NULL   ? "no JSON"
        : what != NULL ? what
                       : "no decision");
    json_decref(json);
}


static void
click_answered(struct load *load, const struct request *request, int status)
{
    char to[4096], id[37] = "-";
    const char *at;

    if (!header(request->answer, "Location", to, sizeof(to))) {
        memcpy(to, "-", 2);
    }
    at = strstr(to, "ads_click_id=");
    if (at != NULL && at > to && (at[-1] == '?' || at[-1] == '&')) {
        at += strlen("ads_click_id=");
        if (strspn(at, "0123456789abcdef-") == 36) {
            memcpy(id, at, 36);
            id[36] = '\0';
        }
    }
    put(load, request, status, id, request->link.ad, to);
}


/* The peer closed; an answer that was cut is none. */
static void
answered(struct load *load, struct request *request)
{
    char *end, length[24];
    int status = 0;

    request->answer[request->len] = '\0';
    end = strstr(request->answer, "\r\n\r\n");
    if (end == NULL || strncmp(request->answer, "HTTP/1.1 ", 9) != 0
        || (status = atoi(request->answer + 9)) < 100)
    {
        broken(load, request, "cut");
        return;
    }
    end[2] = '\0'; /* the head ends with its last line */
    if (header(request->answer, "Content-Length", length, sizeof(length))
        && (size_t)(request->answer + request->len - (end + 4))
               < strtoul(length, NULL, 10))
    {
        broken(load, request, "cut");
        return;
    }
    request_close(load, request);
    if (request->kind == CLICK) {
        click_answered(load, request, status);
    } else {
        links_take(load, request, status, end + 4);
    }
}


static void
request_read(struct load *load, struct request *request)
{
    ssize_t n = read(request->fd, request->answer + request->len,
                     ANSWER_MAX - 1 - request->len);

    if (n > 0) {
        request->len += (size_t)n;
    } else if (n == 0) {
        answered(load, request);
    } else if (errno != EAGAIN && errno != EINTR) {
        broken(load, request, strerror(errno));
    }
}


/* ---- the load ------------------------------------------------------------ */

/* Tries again what is due for it, gives up what takes too long. */
static void
look_after(struct load *load)
{
    double now = now_s();

    for (size_t i = 0; i < SLOTS; i++) {
        struct request *request = &load->requests[i];

        if (request->open && now - request->begin > PATIENCE_S) {
            broken(load, request, "no answer in time");
        } else if (request->again && request->begin <= now) {
            load->n_open--;
            launch(load, request);
        }
    }
}


/* Waits for the first answer, or a moment, and takes what came. */
static void
cycle(struct load *load)
{
    struct epoll_event events[64];
    int n = epoll_wait(load->epoll, events, 64, 1);

    for (int i = 0; i < n; i++) {
        struct request *request = events[i].data.ptr;

        if (request->unsent > 0) {
            request_send(load, request);
        } else {
            request_read(load, request);
        }
    }
    look_after(load);
}


static void
begin(struct load *load, enum kind kind, double due)
{
    struct request *request = slot_free(load);

    if (request == NULL) {
        fail("no slot");
    }
    request->kind = kind;
    request->due = due;
    if (kind == CLICK) {
        request->link = load->links[load->first];
        load->first = (load->first + 1) % LINKS_MAX;
        load->n_links--;
        request->token = ++load->token;
    }
    launch(load, request);
}


/*
 * Begins what is due by now.  A generator that was kept from the processor
 * does not make up for it in one go: what is left is still due, and counts as
 * late.  A click without a link that is ripe is not made.
 */
static void
schedule(struct load *load, enum kind kind)
{
    double now = now_s();

    for (int i = 0; i < BURST_MAX && load->rate[kind] > 0
                    && load->due[kind] <= now && load->n_open < OPEN_MAX;
         i++)
    {
        double due = load->due[kind];

        load->due[kind] += 1 / load->rate[kind];
        if (kind == RECOMMEND
            || (load->n_links > 0 && load->links[load->first].ripe <= now
                && load->token < load->max))
        {
            begin(load, kind, due);
        }
    }
}


/* Links before the load begins, a few requests at a time; the last of them are
 * answered, too: a fault that follows must not meet one. */
static void
fill(struct load *load)
{
    double deadline = now_s() + FILL_S, next = now_s();

    while (load->n_links < load->stock || load->n_open > 0) {
        double now = now_s();

        if (now > deadline) {
            fail("no links");
        }
        if (now >= next && load->n_open < 4 && load->n_links < load->stock) {
            begin(load, RECOMMEND, now);
            next = now + FILL_GAP_S;
        }
        cycle(load);
    }
}


static void
run(struct load *load)
{
    pid_t parent = getppid();
    double deadline;

    load->due[CLICK] = load->due[RECOMMEND] = now_s();
    while (!stopping && load->token < load->max) {
        schedule(load, RECOMMEND);
        schedule(load, CLICK);
        cycle(load);
        if (getppid() != parent) {
            fail("alone");
        }
    }
    deadline = now_s() + DRAIN_S;
    while (load->n_open > 0) {
        if (now_s() > deadline) {
            fail("requests do not end");
        }
        cycle(load);
    }
}


/* ---- what is asked for --------------------------------------------------- */

static void
word_take(struct load *load, const char *word, const char *value)
{
    const struct {
        const char *word;
        double *rate;
        unsigned long *n;
    } numbers[] = {
        {"clicks", &load->rate[CLICK], NULL},
        {"recommends", &load->rate[RECOMMEND], NULL},
        {"stock", NULL, &load->stock},
        {"max", NULL, &load->max},
        {"seed", NULL, &load->random},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if (strcmp(word, numbers[i].word) == 0) {
            if (numbers[i].rate != NULL) {
                *numbers[i].rate = strtod(value, NULL);
            } else {
                *numbers[i].n = strtoul(value, NULL, 10);
            }
            return;
        }
    }
    if (strcmp(word, "port") == 0 && load->n_ports < LIST_MAX) {
        load->ports[load->n_ports++] = atoi(value);
    } else if (strcmp(word, "query") == 0 && load->n_queries < LIST_MAX) {
        (void)snprintf(load->queries[load->n_queries++], QUERY_LEN, "%s",
                       value);
    } else if (strcmp(word, "key") == 0) {
        (void)snprintf(load->key, sizeof(load->key), "%s", value);
    } else if (strcmp(word, "retry") == 0) {
        load->retry = atoi(value) != 0;
    } else if (strcmp(word, "first") == 0) {
        load->hurries = atoi(value) != 0;
    } else {
        fail(word);
    }
}


static void
spec_read(struct load *load)
{
    char line[512];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        char *value = strchr(line, ' ');

        line[strcspn(line, "\n")] = '\0';
        if (value == NULL) {
            fail(line);
        }
        *value++ = '\0';
        word_take(load, line, value);
    }
    if (load->n_ports == 0 || load->n_queries == 0) {
        fail("no port or no query");
    }
    load->random = load->random * 2 + 0x9e3779b97f4a7c15ULL; /* never 0 */
}


static void
touch(const char *file)
{
    char path[4096];
    FILE *begun;

    (void)snprintf(path, sizeof(path), "%s.begun", file);
    begun = fopen(path, "w");
    if (begun == NULL || fclose(begun) != 0) {
        fail(path);
    }
}


int
main(int argc, char **argv)
{
    static struct load load;
    static const struct sched_param urgent = {.sched_priority = 1};
    struct sigaction term = {.sa_handler = on_term};

    if (argc != 2) {
        fail("usage: visitors FILE < SPEC");
    }
    (void)sigaction(SIGTERM, &term, NULL);
    spec_read(&load);
    load.links = calloc(LINKS_MAX, sizeof(*load.links));
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    load.log = fopen(argv[1], "w");
    if (load.hurries && sched_setscheduler(0, SCHED_FIFO, &urgent) != 0) {
        fail("only root may be first");
    }
    if (load.links == NULL || load.epoll < 0 || load.log == NULL) {
        fail(argv[1]);
    }

    fill(&load);
    touch(argv[1]);
    run(&load);

    free(load.links);
    (void)close(load.epoll);
    return fclose(load.log) == 0 ? 0 : 1;
}
