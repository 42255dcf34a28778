/*
 * Asks the daemon over the operator's socket: one connection, one line each
 * way.
 */
#include "ctl/admin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/node.h"
#include "http/admin.h"

#define PATIENCE_S 5


/* Connected, or -1 with errno. */
static int
admin_connect(const struct conf *conf)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd, saved;

    if (node_path(address.sun_path, sizeof(address.sun_path), conf->run_path,
                  ADMIN_SOCKET)
        != ADS_OK)
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0
        && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience))
               == 0
        && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
    {
        return fd;
    }
    saved = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = saved;
    return -1;
}


/* The whole answer without its end of line; false: it did not come whole. */
static bool
answer_read(int fd, char *text, size_t *len)
{
    ssize_t n;

    *len = 0;
    while (*len < ADMIN_ANSWER_MAX
           && (n = recv(fd, text + *len, ADMIN_ANSWER_MAX - *len, 0)) > 0)
    {
        *len += (size_t)n;
    }
    if (*len == 0 || text[*len - 1] != '\n') {
        return false;
    }
    text[--*len] = '\0';
    return true;
}


static int
away(bool told, const char *why)
{
    if (told) {
        (void)ctl_refuse("adsd does not answer here: %s", why);
    }
    return CTL_AWAY;
}


int
ctl_admin_ask(struct ctl *ctl, const char *line, bool told,
              struct ctl_admin_answer *answer)
{
    char *text = pool_alloc(ctl->pool, ADMIN_ANSWER_MAX + 1);
    char *copy = pool_alloc(ctl->pool, ADMIN_ANSWER_MAX + 1);
    const char *why;
    struct doc *ok, *error;
    size_t len;
    bool whole;
    int fd;

    fd = admin_connect(&ctl->conf);
    if (fd < 0) {
        return away(told, strerror(errno));
    }
    whole = send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line)
            && send(fd, "\n", 1, MSG_NOSIGNAL) == 1
            && answer_read(fd, text, &len);
    (void)close(fd);
    if (!whole) {
        return away(told, "it closed the connection; this is for root and the"
                          " user of adsd");
    }

    memcpy(copy, text, len + 1); /* reading unescapes in place */
    answer->text = (struct ads_str){copy, len};
    answer->doc = doc_read(ctl->pool, text, len, &why);
    ok = doc_find(answer->doc, "ok");
    if (ok != NULL && ok->truth) {
        return CTL_OK;
    }
    error = doc_find(answer->doc, "error");
    return error == NULL
               ? away(told, "its answer cannot be read")
               : ctl_refuse("%.*s", (int)error->text.len, error->text.ptr);
}


int
ctl_admin_say(struct ctl *ctl, const char *line, const char *done)
{
    struct ctl_admin_answer answer;
    int rc = ctl_admin_ask(ctl, line, true, &answer);

    if (rc == CTL_OK) {
        if (ctl->json) {
            printf("%.*s\n", (int)answer.text.len, answer.text.ptr);
        } else {
            puts(done);
        }
    }
    return rc;
}
