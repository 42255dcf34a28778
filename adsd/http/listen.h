/*
 * Unix sockets of adsd, <run>/NAME, and the credentials of their peers.
 */
#ifndef ADSD_LISTEN_H
#define ADSD_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include "daemon/adsd.h"

struct ucred;

struct listener {
    int fd; /* does not block */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/*
 * Listens with that mode, replacing a stale socket; a client that connects
 * finds it listening.  ADS_TOO_LARGE or ADS_IO, logged, when it cannot;
 * listen_close() is due in either case.
 */
ADS_MUST enum ads_err
listen_open(struct listener *listener, const struct adsd *adsd,
            const char *name, mode_t mode);

/* No client can connect any more; those that did are still to be accepted. */
void
listen_unlink(const struct listener *listener);

void
listen_close(struct listener *listener);

/* Who connected, as the kernel knows; false when it does not say. */
ADS_MUST bool
listen_peer(struct ucred *peer, int fd);

#endif
