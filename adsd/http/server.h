/*
 * An SCGI listener, one for each class of routes: <run>/api.sock, auth.sock,
 * oauth.sock and feed.sock.  One thread accepts into a bounded queue, some
 * threads take from it, each with its own database connection, one request at a
 * time.
 *
 * What waits longer than SERVER_QUEUE_MS is dropped unstarted with a 503, and
 * so is what finds the queue full: no client waits long to learn that adsd is
 * busy.  Only our own user, root and our own groups may connect.
 */
#ifndef ADSD_SERVER_H
#define ADSD_SERVER_H

#include "daemon/adsd.h"
#include "http/dispatch.h"

#define SERVER_QUEUE_MAX 256
#define SERVER_QUEUE_MS 5000

/* Hashing does some 15 to 30 a second: this is what fits into nginx's patience.
 * A request that would wait longer is refused at once. */
#define SERVER_AUTH_QUEUE_MAX 64
#define SERVER_AUTH_QUEUE_MS 1200

/* Each may be 32 MiB that nginx keeps meanwhile. */
#define SERVER_FEED_QUEUE_MAX 32

struct server;

/* Binds the socket, replacing a stale one, and starts the threads. ADS_IO,
 * logged, when it cannot. */
ADS_MUST enum ads_err
server_start(struct server **server, const struct adsd *adsd,
             const struct dispatch *dispatch, enum route_class class);

/* What it does now, and whom it refused since the start. */
struct server_state {
    const char *name;
    uint32_t threads;
    uint32_t busy;
    uint32_t waiting;
    uint64_t refused;
};

void
server_look(struct server *server, struct server_state *state);

/* Once adsd stops: takes nothing new, finishes what was accepted, ends the
 * threads and removes the socket. */
void
server_stop(struct server *server);

#endif
