/*
 * Binds the socket on which workers hand their records to adsd.
 */
#include "journal/ingest_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/node.h"

#define DUTY "ingest"
#define SOCKET_NAME "events.sock"
#define SOCKET_BUFFER (4 * 1024 * 1024)


int
ingest_socket_bind(const struct adsd *adsd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int len = SOCKET_BUFFER, fd;

    if (node_path(address.sun_path, sizeof(address.sun_path),
                  adsd->conf.run_path, SOCKET_NAME)
        != ADS_OK)
    {
        log_error(adsd->log, DUTY, "the run path is too long for a socket");
        return -1;
    }
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)unlink(address.sun_path);
    if (fd < 0 || bind(fd, (void *)&address, sizeof(address)) != 0
        || chmod(address.sun_path, 0660) != 0)
    {
        log_error(adsd->log, DUTY, "could not bind %s: %s", address.sun_path,
                  strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &len, sizeof(len));
    return fd;
}


void
ingest_socket_remove(const struct adsd *adsd, int fd)
{
    char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

    if (fd >= 0
        && node_path(path, sizeof(path), adsd->conf.run_path, SOCKET_NAME)
               == ADS_OK)
    {
        (void)unlink(path);
        close(fd);
    }
}
