/*
 * Reading and unpacking, one block at a time.
 */
#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "pool.h"

#define BLOCK 262144
#define GZIP_WINDOW (15 + 16) /* zlib: gzip framing only */

enum packing { PLAIN, GZIP, ZSTD };

struct feed {
    int fd;
    enum packing packing;
    uint64_t file_len;
    uint64_t n_read;
    bool input_end;  /* the file holds no more */
    bool frame_open; /* a packed frame has begun and not ended */
    bool begun;      /* the first line was given out */
    uint8_t in[BLOCK];
    size_t in_pos;
    size_t in_len;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    char out[FEED_LINE_MAX + BLOCK];
    size_t out_pos;
    size_t out_len;
};


static enum ads_err
input_read(struct feed *feed)
{
    ssize_t n;

    do {
        n = read(feed->fd, feed->in, sizeof(feed->in));
    } while (n < 0 && errno == EINTR);

    if (n < 0) {
        return ADS_IO;
    }
    feed->in_pos = 0;
    feed->in_len = (size_t)n;
    feed->n_read += (size_t)n;
    feed->input_end = n == 0;
    return ADS_OK;
}


static enum packing
packing_of(const struct feed *feed)
{
    static const uint8_t gzip[] = {0x1f, 0x8b};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};

    if (feed->in_len >= 2 && memcmp(feed->in, gzip, 2) == 0) {
        return GZIP;
    }
    if (feed->in_len >= 4 && memcmp(feed->in, zstd, 4) == 0) {
        return ZSTD;
    }
    return PLAIN;
}


enum ads_err
feed_open(struct feed **opened, const char *path)
{
    struct feed *feed = xcalloc(1, sizeof(*feed));
    struct stat st;

    *opened = NULL;
    feed->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (feed->fd < 0 || fstat(feed->fd, &st) != 0 || input_read(feed) != ADS_OK)
    {
        if (feed->fd >= 0) {
            int saved = errno;

            close(feed->fd);
            errno = saved;
        }
        free(feed);
        return ADS_IO;
    }

    feed->file_len = (uint64_t)st.st_size;
    feed->packing = packing_of(feed);
    if (feed->packing == ZSTD) {
        feed->zstd = ZSTD_createDCtx();
    }
    if ((feed->packing == ZSTD && feed->zstd == NULL)
        || (feed->packing == GZIP
            && inflateInit2(&feed->gzip, GZIP_WINDOW) != Z_OK))
    {
        feed->packing = PLAIN;
        feed_close(feed);
        errno = ENOMEM;
        return ADS_IO;
    }

    *opened = feed;
    return ADS_OK;
}


void
feed_close(struct feed *feed)
{
    if (feed == NULL) {
        return;
    }
    if (feed->packing == GZIP) {
        inflateEnd(&feed->gzip);
    }
    ZSTD_freeDCtx(feed->zstd);
    close(feed->fd);
    free(feed);
}


static enum ads_err
unpack_gzip(struct feed *feed)
{
    int rc;

    feed->gzip.next_in = feed->in + feed->in_pos;
    feed->gzip.avail_in = (uInt)(feed->in_len - feed->in_pos);
    feed->gzip.next_out = (Bytef *)feed->out + feed->out_len;
    feed->gzip.avail_out = (uInt)(sizeof(feed->out) - feed->out_len);

    rc = inflate(&feed->gzip, Z_NO_FLUSH);
    feed->in_pos = feed->in_len - feed->gzip.avail_in;
    feed->out_len = sizeof(feed->out) - feed->gzip.avail_out;
    feed->frame_open = rc != Z_STREAM_END;

    /* a file may be several packed ones, one behind the other */
    if (rc == Z_STREAM_END && inflateReset(&feed->gzip) == Z_OK) {
        return ADS_OK;
    }
    return rc == Z_OK || rc == Z_BUF_ERROR ? ADS_OK : ADS_DAMAGED;
}


static enum ads_err
unpack_zstd(struct feed *feed)
{
    ZSTD_inBuffer in = {feed->in, feed->in_len, feed->in_pos};
    ZSTD_outBuffer out = {feed->out, sizeof(feed->out), feed->out_len};
    size_t rc = ZSTD_decompressStream(feed->zstd, &out, &in);

    feed->in_pos = in.pos;
    feed->out_len = out.pos;
    feed->frame_open = rc != 0;
    return ZSTD_isError(rc) ? ADS_DAMAGED : ADS_OK;
}


/* Moves some input to the output, which has room.  ADS_ABSENT at the end. */
static enum ads_err
unpack(struct feed *feed)
{
    size_t n, room = sizeof(feed->out) - feed->out_len;
    enum ads_err err;

    if (feed->in_pos == feed->in_len && !feed->input_end) {
        err = input_read(feed);
        if (err != ADS_OK) {
            return err;
        }
    }
    if (feed->input_end) {
        return feed->frame_open ? ADS_DAMAGED : ADS_ABSENT;
    }

    switch (feed->packing) {
    case GZIP:
        return unpack_gzip(feed);
    case ZSTD:
        return unpack_zstd(feed);
    case PLAIN:
        break;
    }

    n = feed->in_len - feed->in_pos;
    n = n < room ? n : room;
    memcpy(feed->out + feed->out_len, feed->in + feed->in_pos, n);
    feed->in_pos += n;
    feed->out_len += n;
    return ADS_OK;
}


/* Brings what is not given out yet to the front, and more behind it. */
static enum ads_err
fill(struct feed *feed)
{
    memmove(feed->out, feed->out + feed->out_pos,
            feed->out_len - feed->out_pos);
    feed->out_len -= feed->out_pos;
    feed->out_pos = 0;
    return unpack(feed);
}


/* Steps behind the end of a line too long to hold. */
static enum ads_err
line_skip(struct feed *feed)
{
    for (;;) {
        char *end = memchr(feed->out + feed->out_pos, '\n',
                           feed->out_len - feed->out_pos);
        enum ads_err err;

        if (end != NULL) {
            feed->out_pos = (size_t)(end - feed->out) + 1;
            return ADS_TOO_LARGE;
        }
        feed->out_pos = feed->out_len;
        err = fill(feed);
        if (err != ADS_OK) {
            return err == ADS_ABSENT ? ADS_TOO_LARGE : err;
        }
    }
}


static void
line_give(struct feed *feed, size_t n, size_t step, char **line, size_t *len)
{
    *line = feed->out + feed->out_pos;
    feed->out_pos += step;
    if (n > 0 && (*line)[n - 1] == '\r') {
        n--;
    }
    if (!feed->begun && n >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0) {
        *line += 3;
        n -= 3;
    }
    feed->begun = true;
    *len = n;
}


enum ads_err
feed_line(struct feed *feed, char **line, size_t *len)
{
    size_t searched = 0;

    for (;;) {
        size_t held = feed->out_len - feed->out_pos;
        char *first = feed->out + feed->out_pos;
        char *end = memchr(first + searched, '\n', held - searched);
        enum ads_err err;

        if (end != NULL) {
            size_t n = (size_t)(end - first);

            if (n > FEED_LINE_MAX) {
                return line_skip(feed);
            }
            line_give(feed, n, n + 1, line, len);
            return ADS_OK;
        }
        if (held > FEED_LINE_MAX) {
            return line_skip(feed);
        }

        searched = held;
        err = fill(feed);
        if (err == ADS_ABSENT && held > 0) {
            line_give(feed, held, held, line, len);
            return ADS_OK;
        }
        if (err != ADS_OK) {
            return err;
        }
    }
}


unsigned
feed_permille(const struct feed *feed)
{
    uint64_t behind = feed->n_read - (feed->in_len - feed->in_pos);

    return feed->file_len == 0 || behind >= feed->file_len
               ? 1000
               : (unsigned)(behind * 1000 / feed->file_len);
}
