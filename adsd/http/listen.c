/*
 * Binds Unix sockets: under another name and then renamed, so that the name
 * never leads to a socket that does not listen yet or has the wrong mode.
 */
#define _GNU_SOURCE /* struct ucred */

#include "http/listen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/node.h"

#define DUTY "listen"
#define BACKLOG 1024


enum ads_err
listen_open(struct listener *listener, const struct adsd *adsd,
            const char *name, mode_t mode)
{
    struct log *log = adsd->log;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    enum ads_err err;
    int n;

    listener->fd = -1;
    err = node_path(listener->path, sizeof(listener->path), adsd->conf.run_path,
                    name);
    n = snprintf(address.sun_path, sizeof(address.sun_path), "%s.new",
                 listener->path);
    if (err != ADS_OK || n < 0 || (size_t)n >= sizeof(address.sun_path)) {
        log_error(log, DUTY, "run_path is too long for the socket %s", name);
        return ADS_TOO_LARGE;
    }
    (void)unlink(address.sun_path);
    listener->fd =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->fd < 0
        || bind(listener->fd, (struct sockaddr *)&address, sizeof(address)) != 0
        || chmod(address.sun_path, mode) != 0
        || listen(listener->fd, BACKLOG) != 0
        || rename(address.sun_path, listener->path) != 0)
    {
        log_error(log, DUTY, "could not listen on \"%s\": %s", listener->path,
                  strerror(errno));
        return ADS_IO;
    }
    return ADS_OK;
}


void
listen_unlink(const struct listener *listener)
{
    (void)unlink(listener->path);
}


void
listen_close(struct listener *listener)
{
    if (listener->fd >= 0) {
        (void)close(listener->fd);
    }
    listener->fd = -1;
}


bool
listen_peer(struct ucred *peer, int fd)
{
    socklen_t len = sizeof(*peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &len) == 0;
}
