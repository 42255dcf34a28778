/*
 * Clicks at a steady pace, whether or not answers come: what wrk, which waits
 * for an answer before it asks again, cannot tell about latency.
 *
 *     pace PORT LINKS SKIP RATE SECONDS
 *
 * LINKS has paths of one length, a line each; the first SKIP are passed over.
 * A latency is counted from the moment at which the click was due, so that a
 * stall is felt by all that it holds up.  Prints "clicks wrong p50 p99 p999
 * max", the latter in microseconds; wrong is what was not answered 302.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 64
#define AGENT "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101"
#define LINE_MAX_LEN 512
#define GRACE_US 2000000.0

struct client {
    double due_us; /* of the click under way; 0: none */
    size_t len;    /* of the answer so far */
    char answer[4096];
};

struct bench {
    struct pollfd polls[CONNECTIONS];
    struct client clients[CONNECTIONS];
    FILE *links;
    double *took_us;
    size_t n; /* answered */
    size_t max;
    size_t wrong;
};


static _Noreturn void
fail(const char *what)
{
    (void)fprintf(stderr, "pace: %s: %s\n", what, strerror(errno));
    exit(1);
}


static double
now_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}


static int
client_connect(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    if (fd < 0
        || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        fail("connect");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}


static void
click_send(struct bench *bench, int i, double due_us)
{
    char path[LINE_MAX_LEN], request[LINE_MAX_LEN + 256];
    int len;

    if (fgets(path, sizeof(path), bench->links) == NULL) {
        fail("out of links");
    }
    path[strcspn(path, "\n")] = '\0';
    len = snprintf(request, sizeof(request),
                   "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: " AGENT
                   "\r\n\r\n",
                   path);
    if (write(bench->polls[i].fd, request, (size_t)len) != len) {
        fail("write");
    }
    bench->clients[i].due_us = due_us;
    bench->clients[i].len = 0;
}


/* A redirect has no body: its head ends it. */
static void
answer_read(struct bench *bench, int i)
{
    struct client *client = &bench->clients[i];
    ssize_t n = read(bench->polls[i].fd, client->answer + client->len,
                     sizeof(client->answer) - 1 - client->len);

    if (n <= 0) {
        fail("read");
    }
    client->len += (size_t)n;
    client->answer[client->len] = '\0';
    if (strstr(client->answer, "\r\n\r\n") == NULL) {
        return;
    }

    bench->wrong += memcmp(client->answer, "HTTP/1.1 302 ", 13) != 0;
    if (bench->n < bench->max) {
        bench->took_us[bench->n++] = now_us() - client->due_us;
    }
    client->due_us = 0;
}


/* The index of a client that waits for nothing, -1 when all do. */
static int
client_free(const struct bench *bench)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        if (bench->clients[i].due_us == 0) {
            return i;
        }
    }
    return -1;
}


static void
run(struct bench *bench, double rate)
{
    double begin_us = now_us();
    size_t sent = 0;

    while (bench->n < bench->max) {
        double now = now_us(), due_us = begin_us + (double)sent * 1e6 / rate;
        int i = sent < bench->max && due_us <= now ? client_free(bench) : -1;

        if (i >= 0) {
            click_send(bench, i, due_us);
            sent++;
            continue;
        }
        if (now > begin_us + (double)bench->max * 1e6 / rate + GRACE_US) {
            errno = ETIMEDOUT;
            fail("answers");
        }
        if (poll(bench->polls, CONNECTIONS, due_us > now + 1500 ? 1 : 0) < 0) {
            fail("poll");
        }
        for (i = 0; i < CONNECTIONS; i++) {
            if (bench->polls[i].revents != 0) {
                answer_read(bench, i);
            }
        }
    }
}


static int
compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;

    return one < other ? -1 : one > other;
}


int
main(int argc, char **argv)
{
    static struct bench bench;
    char line[LINE_MAX_LEN];
    double rate;
    size_t n;

    if (argc != 6) {
        (void)fprintf(stderr, "usage: pace PORT LINKS SKIP RATE SECONDS\n");
        return 2;
    }
    rate = atof(argv[4]);
    bench.max = n = (size_t)(rate * atof(argv[5]));
    bench.took_us = calloc(n, sizeof(*bench.took_us));
    bench.links = fopen(argv[2], "r");
    if (bench.took_us == NULL || n == 0 || bench.links == NULL
        || fgets(line, sizeof(line), bench.links) == NULL
        || fseek(bench.links, atol(argv[3]) * (long)strlen(line), SEEK_SET)
               != 0)
    {
        fail(argv[2]);
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        bench.polls[i].fd = client_connect(atoi(argv[1]));
        bench.polls[i].events = POLLIN;
    }

    run(&bench, rate);

    qsort(bench.took_us, n, sizeof(*bench.took_us), compare);
    printf("%zu %zu %.0f %.0f %.0f %.0f\n", n, bench.wrong,
           bench.took_us[n / 2], bench.took_us[n * 99 / 100],
           bench.took_us[n * 999 / 1000], bench.took_us[n - 1]);
    free(bench.took_us);
    (void)fclose(bench.links);
    return 0;
}
