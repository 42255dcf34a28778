/*
 * Any bytes as one connection to nginx with the module inside, over HTTP/1.1
 * or HTTP/2, as nginx.conf.example configures it while adsd is down: nothing
 * hangs, nothing worth an alert is logged, and when the client is gone nothing
 * of it is left: no connection, no request, no record that waits.  The first
 * answer over HTTP/1.1 is checked: it reports no internal error, what refuses
 * is a problem document or the page of a link, and a click leads to where the
 * ad table says.
 *
 * The first byte says which protocol and what the worker meets (enum flag),
 * the second in pieces of how many bytes the rest comes; 0: all at once.
 *
 *     build-fuzz/fuzz/nginx --words    what seeds are made of
 */
#include "nginx.h"

#include <jansson.h>

#define LEN_MAX 65536
#define ANSWER_MAX 65536
#define JOURNAL_RUNS 256 /* inputs until the journal is thrown away */
#define DAY_S 86400

enum flag {
    FLAG_H2 = 1,
    FLAG_GONE = 2,     /* the client does not wait for an answer */
    FLAG_PRESSURE = 4, /* 0 to 3 in two bits */
    FLAG_LISTENING = 16,
    FLAG_SPENT = 32, /* campaigns have nothing left */
    FLAG_DAY = 64,   /* links are a day old: clicks are free */
    FLAG_MONTHS = 128
};

struct client {
    int fd;
    char answer[ANSWER_MAX + 1];
    size_t len;
};

int
LLVMFuzzerInitialize(int *argc, char ***argv);


int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 2 && strcmp((*argv)[1], "--words") == 0) {
        fuzz_must(sodium_init() >= 0, "libsodium begins");
        fuzz_words_print();
        exit(0);
    }
    fuzz_nginx_begin();
    return 0;
}


/* The same for each input: time, random bytes, `live`, rates. */
static void
world_begin(unsigned flags)
{
    static const uint8_t salt[16] = {9};
    ngx_http_ads_worker_t *worker = fuzz.worker;
    struct ads_live *live = &worker->live.map;
    static unsigned runs;

    ngx_cached_time->sec = FUZZ_NOW_S + ((flags & FLAG_DAY) ? 2 * DAY_S : 0)
                           + ((flags & FLAG_MONTHS) ? 60 * DAY_S : 0);
    ngx_cached_time->msec = 0;
    fuzz_nginx_pass(120000); /* no rate is used up */

    memset(worker->random.bytes, 5, sizeof(worker->random.bytes));
    worker->random.used = sizeof(worker->random.bytes);
    ads_sealer_init(&worker->sealer, ads_ring_seal(fuzz_ring()), salt);

    memcpy(live->bytes, fuzz.tables.live_bytes, fuzz.live_len);
    ads_live_set(live, ADS_LIVE_PRESSURE, flags / FLAG_PRESSURE % 4);
    ads_live_set(live, ADS_LIVE_LISTENING, (flags & FLAG_LISTENING) != 0);
    for (unsigned i = 0; i < T_CAMPAIGNS && (flags & FLAG_SPENT) != 0; i++) {
        ads_live_allow(ads_live_slot(live, i, fuzz.tables.campaigns[i].tag), 0,
                       ADS_LIVE_THROTTLE_OPEN);
    }
    if (++runs % JOURNAL_RUNS == 0) {
        fuzz_empty("state/journal");
    }
}


/* Nothing is left of the client; timers may have had to run out. */
static void
world_end(void)
{
    ngx_http_ads_worker_t *worker = fuzz.worker;

    for (int i = 0; i < 10; i++) {
        if (fuzz.cycle->free_connection_n == fuzz.connections) {
            break;
        }
        fuzz_nginx_pass(60000);
    }
    fuzz_must(fuzz.cycle->free_connection_n == fuzz.connections,
              "every connection is closed");
    fuzz_must(worker->snapshots.current != NULL
                  && worker->snapshots.current->refs == 1,
              "no request holds the tables");
    fuzz_must(worker->journal.n == 0 && ngx_queue_empty(&worker->journal.done),
              "no record and no answer waits");
}


static void
client_open(struct client *client, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
                   fuzz_path(name));
    client->len = 0;
    client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    fuzz_must(
        client->fd != -1
            && connect(client->fd, (struct sockaddr *)&address, sizeof(address))
                   == 0,
        "nginx listens");
    fuzz_nginx_rest();
}


/* Takes what nginx says; keeps its beginning. */
static void
client_read(struct client *client)
{
    static char rest[65536];
    ssize_t n;

    do {
        size_t left = ANSWER_MAX - client->len;

        n = left > 0 ? read(client->fd, client->answer + client->len, left)
                     : read(client->fd, rest, sizeof(rest));
        client->len += left > 0 && n > 0 ? (size_t)n : 0;
        if (n > 0) {
            fuzz_nginx_rest();
        }
    } while (n > 0);
}


static void
client_run(struct client *client, unsigned flags, const uint8_t *bytes,
           size_t len)
{
    size_t piece = fuzz_u8(&bytes, &len);

    while (len > 0) {
        size_t n = piece == 0 || piece > len ? len : piece;

        if (send(client->fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n) {
            break; /* nginx closed it */
        }
        bytes += n;
        len -= n;
        if ((flags & FLAG_GONE) == 0 || len > 0) {
            fuzz_nginx_rest();
            client_read(client);
        }
    }
    if ((flags & FLAG_GONE) == 0) {
        (void)shutdown(client->fd, SHUT_WR);
        fuzz_nginx_rest();
        client_read(client);
    }
    (void)close(client->fd);
    fuzz_nginx_rest();
}


/* The value of a header of an answer, or NULL; `end` is behind them all. */
static const char *
header(const char *answer, const char *end, const char *name)
{
    const char *at = strstr(answer, name);

    return at != NULL && at < end ? at + strlen(name) : NULL;
}


/* Shows the answer that breaks a promise. */
static void
answer_must(bool kept, const char *promise, const char *answer)
{
    if (!kept) {
        (void)fprintf(stderr, "%s\n", answer);
    }
    fuzz_must(kept, promise);
}


/* A whole body of a length that is given. */
static void
body_check(const char *answer, const char *end, size_t len)
{
    const char *text = header(answer, end, "\r\nContent-Length: ");
    const char *type = header(answer, end, "\r\nContent-Type: application/");
    size_t told = text != NULL ? strtoul(text, NULL, 10) : 0;
    json_t *json;

    if (told == 0 || type == NULL || told > len - (size_t)(end - answer)
        || (strncmp(type, "json", 4) != 0 && strncmp(type, "problem", 7) != 0))
    {
        return;
    }
    json = json_loadb(end, told, JSON_REJECT_DUPLICATES, NULL);
    answer_must(json != NULL, "an answer that says it is JSON is", answer);
    json_decref(json);
}


static void
answer_check(const char *answer, size_t len, bool head)
{
    const char *end, *value;
    long status;

    if (strncmp(answer, "HTTP/1.1 100 Continue\r\n\r\n", 25) == 0) {
        answer += 25;
        len -= 25;
    }
    if (len < 12 || strncmp(answer, "HTTP/1.1 ", 9) != 0) {
        return; /* HTTP/0.9 has no headers */
    }
    end = strstr(answer, "\r\n\r\n");
    answer_must(end != NULL, "headers are whole", answer);
    end += 4;
    status = strtol(answer + 9, NULL, 10);
    answer_must(status >= 200 && status != 500, "nothing is our fault", answer);
    if (status >= 400) {
        value = header(answer, end, "\r\nContent-Type: ");
        answer_must(value != NULL
                        && (strncmp(value, "application/problem+json", 24) == 0
                            || (strncmp(value, "text/html", 9) == 0
                                && strstr(end, "<center>") == NULL)),
                    "what refuses is a problem document or the page of a link",
                    answer);
    }
    if (status == 302) {
        value = header(answer, end, "\r\nLocation: ");
        answer_must(
            value != NULL
                && (strncmp(value, "https://shop.example/p?id=1", 27) == 0
                    || strncmp(value, "https://a.example", 17) == 0),
            "a click leads to where the ad table says", answer);
    }
    if (!head) {
        body_check(answer, end, len);
    }
}


/* Frames of nginx: a block of headers begins with the status, which the table
 * of HPACK has at 14 for a 500; nginx changes the size of its table first. */
static void
frames_check(const char *answer, size_t len)
{
    const uint8_t *at = (const uint8_t *)answer;
    size_t told, first;

    while (len > 9) {
        told = (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2];
        first = len > 10 && (at[9] & 0xe0) == 0x20 ? 10 : 9;
        fuzz_must(at[3] != 1 || len <= first || at[first] != (0x80 | 14),
                  "nothing is our fault");
        if (told + 9 > len) {
            return;
        }
        at += told + 9;
        len -= told + 9;
    }
}


/* Is the first request a HEAD?  Its answer tells a length and has no body. */
static bool
is_head(const uint8_t *bytes, size_t len)
{
    while (len > 0 && (*bytes == '\r' || *bytes == '\n')) {
        bytes++;
        len--;
    }
    return len > 4 && memcmp(bytes, "HEAD", 4) == 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct client client;
    unsigned flags = fuzz_u8(&bytes, &len);

    if (len > LEN_MAX) {
        return 0;
    }
    world_begin(flags);
    client_open(&client, (flags & FLAG_H2) != 0 ? "run/h2" : "run/h1");
    client_run(&client, flags, bytes, len);
    world_end();
    client.answer[client.len] = '\0';
    if ((flags & FLAG_H2) != 0) {
        frames_check(client.answer, client.len);
    } else {
        answer_check(client.answer, client.len,
                     len > 0 && is_head(bytes + 1, len - 1));
    }
    return 0;
}
