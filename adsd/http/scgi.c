/*
 * Parses SCGI requests, strictly: a peer that sends anything but what nginx
 * sends is refused.
 */
#include "http/scgi.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define DIGITS_MAX 5
#define CLOSE_MS 2000


/* "123:" at the beginning. */
static enum ads_err
netstring_len(const char *bytes, size_t len, size_t *digits, size_t *value)
{
    *value = 0;
    for (*digits = 0; *digits < len; ++*digits) {
        if (bytes[*digits] == ':') {
            if (*digits == 0) {
                return ADS_INVALID;
            }
            return *value > SCGI_HEAD_MAX ? ADS_TOO_LARGE : ADS_OK;
        }
        if (!ads_char_is_digit(bytes[*digits])
            || (*digits > 0 && bytes[0] == '0')) {
            return ADS_INVALID;
        }
        if (*digits == DIGITS_MAX) {
            return ADS_TOO_LARGE;
        }
        *value = *value * 10 + (size_t)(bytes[*digits] - '0');
    }
    return ADS_BUSY;
}


/* The text up to the next NUL, which is stepped over; false without one. */
static bool
text_next(const char **at, const char *last, struct ads_str *text)
{
    const char *nul = memchr(*at, '\0', (size_t)(last - *at));

    if (nul == NULL) {
        return false;
    }
    *text = (struct ads_str){*at, (size_t)(nul - *at)};
    *at = nul + 1;
    return true;
}


static bool
content_length_read(uint64_t *value, struct ads_str text)
{
    *value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!ads_char_is_digit(text.ptr[i])) {
            return false;
        }
        *value = *value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    return text.len > 0 && text.len <= 15;
}


static enum ads_err
pairs_read(struct scgi_head *head, const char *at, const char *last)
{
    struct scgi_param *param;

    while (at < last) {
        if (head->n == SCGI_PARAMS_MAX) {
            return ADS_TOO_LARGE;
        }
        param = &head->params[head->n++];
        if (!text_next(&at, last, &param->name)
            || !text_next(&at, last, &param->value) || param->name.len == 0)
        {
            return ADS_INVALID;
        }
        /* the protocol: CONTENT_LENGTH stands first, and once */
        if (ads_str_is(param->name, "CONTENT_LENGTH") != (head->n == 1)) {
            return ADS_INVALID;
        }
    }
    if (head->n == 0
        || !content_length_read(&head->content_length, head->params[0].value)
        || !ads_str_is(scgi_find(head, "SCGI"), "1"))
    {
        return ADS_INVALID;
    }
    return ADS_OK;
}


enum ads_err
scgi_head_read(struct scgi_head *head, const void *bytes, size_t len,
               size_t *used)
{
    const char *text = bytes;
    size_t digits, value;
    enum ads_err err;

    head->n = 0;
    head->content_length = 0;
    *used = 0;
    err = netstring_len(text, len, &digits, &value);
    if (err != ADS_OK) {
        return err;
    }
    if (len < digits + 1 + value + 1) {
        return ADS_BUSY;
    }
    if (text[digits + 1 + value] != ',') {
        return ADS_INVALID;
    }
    *used = digits + 1 + value + 1;
    text += digits + 1;
    return pairs_read(head, text, text + value);
}


struct ads_str
scgi_find(const struct scgi_head *head, const char *name)
{
    for (uint32_t i = 0; i < head->n; i++) {
        if (ads_str_is(head->params[i].name, name)) {
            return head->params[i].value;
        }
    }
    return (struct ads_str){NULL, 0};
}


/* ---- the socket ---- */

static bool
ready(int fd, short events, int64_t deadline_ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};
    int64_t left_ms;
    int n;

    do {
        left_ms = deadline_ms - clock_monotonic_ms();
        if (left_ms <= 0) {
            return false;
        }
        n = poll(&poll_fd, 1, (int)left_ms);
    } while (n < 0 && errno == EINTR);

    return n > 0;
}


/* Some bytes, at least one; 0 when the deadline passed or the peer is gone. */
static size_t
receive(struct scgi_conn *conn, char *dst, size_t len)
{
    ssize_t n;

    while (ready(conn->fd, POLLIN, conn->deadline_ms)) {
        n = recv(conn->fd, dst, len, MSG_DONTWAIT);
        if (n >= 0) {
            return (size_t)n;
        }
        if (errno != EAGAIN && errno != EINTR) {
            break;
        }
    }
    return 0;
}


enum ads_err
scgi_receive_head(struct scgi_conn *conn, struct pool *pool,
                  struct scgi_head *head)
{
    const size_t room = SCGI_HEAD_MAX + DIGITS_MAX + 2;
    enum ads_err err;
    size_t n;

    memset(head, 0, sizeof(*head));
    conn->bytes = pool_alloc(pool, room);
    conn->len = 0;
    for (;;) {
        n = receive(conn, conn->bytes + conn->len, room - conn->len);
        if (n == 0) {
            return ADS_UNAVAILABLE;
        }
        conn->len += n;
        err = scgi_head_read(head, conn->bytes, conn->len, &conn->used);
        if (err != ADS_BUSY) {
            return err;
        }
        if (conn->len == room) {
            return ADS_TOO_LARGE;
        }
    }
}


enum ads_err
scgi_receive_body(struct scgi_conn *conn, struct pool *pool,
                  const struct scgi_head *head, char **body)
{
    size_t need = (size_t)head->content_length;
    size_t have = conn->len - conn->used;
    size_t n;

    if (have > need) {
        return ADS_INVALID;
    }
    *body = pool_alloc(pool, need + 1);
    memcpy(*body, conn->bytes + conn->used, have);
    while (have < need) {
        n = receive(conn, *body + have, need - have);
        if (n == 0) {
            return ADS_UNAVAILABLE;
        }
        have += n;
    }
    return ADS_OK;
}


enum ads_err
scgi_send(struct scgi_conn *conn, const void *bytes, size_t len)
{
    const char *at = bytes;
    ssize_t n;

    while (len > 0) {
        n = send(conn->fd, at, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if ((errno != EAGAIN && errno != EINTR)
                   || !ready(conn->fd, POLLOUT, conn->deadline_ms))
        {
            return ADS_UNAVAILABLE;
        }
    }
    return ADS_OK;
}


/*
 * What is unread stays so: its sender finds the socket full, looks up and reads
 * the answer.  While it is being read it would go on writing, and a close under
 * that is an error which hides the answer.
 */
void
scgi_close(struct scgi_conn *conn)
{
    if (shutdown(conn->fd, SHUT_WR) == 0) {
        (void)ready(conn->fd, 0,
                    clock_monotonic_ms() + CLOSE_MS); /* until it hangs up */
    }
    (void)close(conn->fd);
    conn->fd = -1;
}
