/*
 * SCGI protocol as nginx speaks it: one netstring of NUL-separated pairs, then
 * a body of known length, then the answer, then the connection is closed.
 *
 *     "70:" CONTENT_LENGTH NUL 27 NUL SCGI NUL 1 NUL ... "," body
 *
 * Reading the pairs is a pure function on bytes; the socket is behind the
 * functions further down, each wait with a deadline.  Answers always carry a
 * Content-Length: else a killed adsd would look like a complete answer.
 */
#ifndef ADSD_SCGI_H
#define ADSD_SCGI_H

#include "ads_bytes.h"
#include "ads_err.h"
#include "base/pool.h"

#define SCGI_HEAD_MAX 65536
#define SCGI_PARAMS_MAX 128

struct scgi_param {
    struct ads_str name;
    struct ads_str value;
};

struct scgi_head {
    uint64_t content_length;
    uint32_t n;
    struct scgi_param params[SCGI_PARAMS_MAX];
};

/*
 * Reads the pairs at the beginning of `bytes`, which they borrow from; *used is
 * where the body begins.  ADS_BUSY: not all there yet.  ADS_TOO_LARGE: more
 * than SCGI_HEAD_MAX bytes or SCGI_PARAMS_MAX pairs.  ADS_INVALID: no SCGI.
 */
ADS_MUST enum ads_err
scgi_head_read(struct scgi_head *head, const void *bytes, size_t len,
               size_t *used);

/* The value of that name; ptr NULL when it is not there. */
struct ads_str
scgi_find(const struct scgi_head *head, const char *name);

/* One connection while its request is read. */
struct scgi_conn {
    int fd;
    int64_t deadline_ms; /* monotonic, of the whole request */
    char *bytes;         /* head and the body's beginning, from the pool */
    size_t len;
    size_t used; /* of them, by the head */
};

/* ADS_UNAVAILABLE: the deadline passed or the peer is gone; else as
 * scgi_head_read. */
ADS_MUST enum ads_err
scgi_receive_head(struct scgi_conn *conn, struct pool *pool,
                  struct scgi_head *head);

/* The body, content_length bytes and a NUL behind them, into the pool; the
 * caller has checked the length against its limit. */
ADS_MUST enum ads_err
scgi_receive_body(struct scgi_conn *conn, struct pool *pool,
                  const struct scgi_head *head, char **body);

/* Writes all of it, or ADS_UNAVAILABLE. */
ADS_MUST enum ads_err
scgi_send(struct scgi_conn *conn, const void *bytes, size_t len);

/* Ends the answer and closes when the peer has read it, or after two seconds;
 * of what it may still be sending nothing is read. */
void
scgi_close(struct scgi_conn *conn);

#endif
