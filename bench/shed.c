/*
 * Many connections at once, one request on each: how soon is each answered,
 * and with what?
 *
 *     shed PORT N FORM FILE [RATE]
 *
 * FILE holds a request as it is sent, with "%a" where each connection puts an
 * IPv4 address of its own (FORM "each") or all the same (FORM "one"), and
 * perhaps "%number" where it puts seven digits of its own.  All N
 * connections are opened first, then all requests are sent as fast as they can
 * be, then answers are read.  With RATE, each is opened and sent when it is
 * due, so many a second, whatever became of those before it.  Prints for each
 * status "status n p50 p99 max", in milliseconds from the moment its request
 * was sent; status 0 are those that had no answer in 10 s.
 */
#define _GNU_SOURCE /* memmem */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define N_MAX 20000
#define REQUEST_MAX 4096
#define PATIENCE_MS 10000
#define EVENTS 512

struct form {
    uint16_t port;
    bool each;
    char text[REQUEST_MAX];
};

struct line {
    int fd;
    unsigned status; /* 0: not yet */
    double sent_ms;
    double took_ms;
    size_t len;
    char head[64];
};


static double
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}


static void
die(const char *what)
{
    perror(what);
    exit(1);
}


static void
line_open(struct line *line, uint16_t port, int poll)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = line}};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int one = 1;

    line->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line->fd < 0
        || connect(line->fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        die("connect");
    }
    setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    fcntl(line->fd, F_SETFL, O_NONBLOCK);
    if (epoll_ctl(poll, EPOLL_CTL_ADD, line->fd, &event) != 0) {
        die("epoll_ctl");
    }
}


static void
line_send(struct line *line, const char *form, unsigned number)
{
    char request[REQUEST_MAX + 64], address[20];
    const char *at = strstr(form, "%a");
    char digits[16], *own;
    int len;

    snprintf(address, sizeof(address), "10.%u.%u.%u", number >> 16 & 255,
             number >> 8 & 255, number & 255);
    len = at == NULL ? snprintf(request, sizeof(request), "%s", form)
                     : snprintf(request, sizeof(request), "%.*s%s%s",
                                (int)(at - form), form, address, at + 2);
    own = strstr(request, "%number");
    if (own != NULL) {
        snprintf(digits, sizeof(digits), "%07u", number);
        memcpy(own, digits, 7);
    }
    line->sent_ms = now_ms();
    if (send(line->fd, request, (size_t)len, MSG_NOSIGNAL) != len) {
        line->status = 0; /* the peer has closed: it may have answered */
    }
}


/* True once the line is over with. */
static bool
line_read(struct line *line)
{
    char rest[4096];
    ssize_t n;

    while (line->len < sizeof(line->head) - 1) {
        n = recv(line->fd, line->head + line->len,
                 sizeof(line->head) - 1 - line->len, 0);
        if (n <= 0) {
            return n == 0 || errno != EAGAIN;
        }
        line->len += (size_t)n;
        if (line->status == 0 && line->len >= 12) {
            line->status = (unsigned)atoi(line->head + 9);
            line->took_ms = now_ms() - line->sent_ms;
        }
    }
    for (;;) {
        n = recv(line->fd, rest, sizeof(rest), 0);
        if (n <= 0) {
            return n == 0 || errno != EAGAIN;
        }
    }
}


/* Answers that come until then; how many lines are over with. */
static unsigned
answers_read(int poll, double until_ms)
{
    struct epoll_event events[EVENTS];
    double wait_ms = until_ms - now_ms();
    int ready =
        epoll_wait(poll, events, EVENTS, wait_ms > 0 ? (int)wait_ms + 1 : 0);
    unsigned over = 0;

    for (int i = 0; i < ready; i++) {
        struct line *line = events[i].data.ptr;

        if (line_read(line)) {
            close(line->fd);
            over++;
        }
    }
    return over;
}


/* All at once, or `rate` a second. */
static void
ask(struct line *lines, unsigned n, const struct form *form, double rate)
{
    int poll = epoll_create1(EPOLL_CLOEXEC);
    double begin_ms = now_ms(), deadline_ms;
    unsigned open = n;

    for (unsigned i = 0; rate <= 0 && i < n; i++) {
        line_open(&lines[i], form->port, poll);
    }
    for (unsigned i = 0; i < n; i++) {
        while (rate > 0 && begin_ms + i * 1e3 / rate > now_ms()) {
            open -= answers_read(poll, begin_ms + i * 1e3 / rate);
        }
        if (rate > 0) {
            line_open(&lines[i], form->port, poll);
        }
        line_send(&lines[i], form->text, form->each ? i + 1 : 1);
    }
    deadline_ms = now_ms() + PATIENCE_MS;
    while (open > 0 && now_ms() < deadline_ms) {
        open -= answers_read(poll, deadline_ms);
    }
    close(poll);
}


static int
by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}


static void
status_print(const struct line *lines, unsigned n, unsigned status)
{
    double *took = calloc(n, sizeof(*took));
    unsigned found = 0;

    for (unsigned i = 0; i < n; i++) {
        if (lines[i].status == status) {
            took[found++] = lines[i].took_ms;
        }
    }
    if (found > 0) {
        qsort(took, found, sizeof(*took), by_number);
        printf("%u %u %.1f %.1f %.1f\n", status, found, took[found / 2],
               took[(size_t)(found * 0.99)], took[found - 1]);
    }
    free(took);
}


int
main(int argc, char **argv)
{
    static struct form form;
    struct line *lines;
    unsigned n = argc == 5 || argc == 6 ? (unsigned)atoi(argv[2]) : 0;
    FILE *file;

    if (n == 0 || n > N_MAX) {
        (void)fputs("usage: shed PORT N one|each FILE [RATE]\n", stderr);
        return 2;
    }
    file = fopen(argv[4], "re");
    if (file == NULL) {
        perror(argv[4]);
        return 2;
    }
    form.text[fread(form.text, 1, sizeof(form.text) - 1, file)] = '\0';
    (void)fclose(file);
    form.port = (uint16_t)atoi(argv[1]);
    form.each = strcmp(argv[3], "each") == 0;

    lines = calloc(n, sizeof(*lines));
    ask(lines, n, &form, argc == 6 ? atof(argv[5]) : 0);
    for (unsigned status = 0; status < 600; status++) {
        status_print(lines, n, status);
    }
    free(lines);
    return 0;
}
