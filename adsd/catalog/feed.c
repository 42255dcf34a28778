/*
 * Reads and unpacks a feed file, one block at a time.
 */
#include "catalog/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "ads_utf8.h"
#include "base/pool.h"

#define BLOCK 262144
#define GZIP_WINDOW (15 + 16) /* zlib: gzip framing only */

enum packing { PLAIN, GZIP, ZSTD };

struct feed {
    int fd;
    enum packing packing;
    uint64_t file_len;
    uint64_t n_read;
    uint64_t n_unpacked;
    uint64_t unpacked_max;
    bool input_end;  /* the file holds no more */
    bool frame_open; /* a packed frame has begun and not ended */
    uint8_t in[BLOCK];
    size_t in_pos;
    size_t in_len;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    enum { UNKNOWN, UTF8, UTF16_LE, UTF16_BE, LATIN } charset;
    bool latin;          /* what seems UTF-8 is Windows-1252 */
    unsigned utf8_more;  /* bytes that the character at hand still needs */
    uint64_t n_utf8;     /* characters beyond ASCII */
    uint64_t n_not_utf8; /* bytes */
    uint8_t raw[BLOCK];  /* unpacked, not yet converted */
    size_t raw_len;
    char out[FEED_LINE_MAX + 2 * BLOCK];
    size_t out_pos;
    size_t out_len;
};

/* Where unpacked bytes go. */
struct target {
    uint8_t *bytes;
    size_t len;
    size_t room;
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
    return feed_open_fd(opened, open(path, O_RDONLY | O_CLOEXEC), UINT64_MAX);
}


enum ads_err
feed_open_fd(struct feed **opened, int fd, uint64_t unpacked_max)
{
    struct feed *feed = xcalloc(1, sizeof(*feed));
    struct stat st;

    *opened = NULL;
    feed->fd = fd;
    feed->unpacked_max = unpacked_max;
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
unpack_gzip(struct feed *feed, struct target *to)
{
    int rc;

    feed->gzip.next_in = feed->in + feed->in_pos;
    feed->gzip.avail_in = (uInt)(feed->in_len - feed->in_pos);
    feed->gzip.next_out = to->bytes + to->len;
    feed->gzip.avail_out = (uInt)(to->room - to->len);

    rc = inflate(&feed->gzip, Z_NO_FLUSH);
    feed->in_pos = feed->in_len - feed->gzip.avail_in;
    to->len = to->room - feed->gzip.avail_out;
    feed->frame_open = rc != Z_STREAM_END;

    /* a file may be several packed ones, one behind the other */
    if (rc == Z_STREAM_END && inflateReset(&feed->gzip) == Z_OK) {
        return ADS_OK;
    }
    return rc == Z_OK || rc == Z_BUF_ERROR ? ADS_OK : ADS_DAMAGED;
}


static enum ads_err
unpack_zstd(struct feed *feed, struct target *to)
{
    ZSTD_inBuffer in = {feed->in, feed->in_len, feed->in_pos};
    ZSTD_outBuffer out = {to->bytes, to->room, to->len};
    size_t rc = ZSTD_decompressStream(feed->zstd, &out, &in);

    feed->in_pos = in.pos;
    to->len = out.pos;
    feed->frame_open = rc != 0;
    return ZSTD_isError(rc) ? ADS_DAMAGED : ADS_OK;
}


/* Moves some input to where there is room.  ADS_ABSENT at the end. */
static enum ads_err
unpack_some(struct feed *feed, struct target *to)
{
    size_t n, room = to->room - to->len;
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
        return unpack_gzip(feed, to);
    case ZSTD:
        return unpack_zstd(feed, to);
    case PLAIN:
        break;
    }

    n = feed->in_len - feed->in_pos;
    n = n < room ? n : room;
    memcpy(to->bytes + to->len, feed->in + feed->in_pos, n);
    feed->in_pos += n;
    to->len += n;
    return ADS_OK;
}


/* The same, up to what the whole may unpack to. */
static enum ads_err
unpack(struct feed *feed, struct target *to)
{
    size_t before = to->len;
    enum ads_err err = unpack_some(feed, to);

    feed->n_unpacked += to->len - before;
    if (err == ADS_OK && feed->n_unpacked > feed->unpacked_max) {
        errno = EFBIG;
        return ADS_IO;
    }
    return err;
}


/* ---- charsets ---- */

/* Counts what is UTF-8 beyond ASCII and what cannot be. */
static void
utf8_count(struct feed *feed, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint8_t b = (uint8_t)text[i];

        if (feed->utf8_more > 0 && (b & 0xc0) == 0x80) {
            feed->utf8_more--;
            feed->n_utf8 += feed->utf8_more == 0;
            continue;
        }
        feed->n_not_utf8 += feed->utf8_more > 0;
        feed->utf8_more = 0;
        if (b >= 0xc2 && b < 0xf5) {
            feed->utf8_more = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
        } else if (b >= 0x80) {
            feed->n_not_utf8++;
        }
    }
}


/* Windows-1252: Latin-1, but for 32 characters. */
static void
latin_convert(struct feed *feed)
{
    static const uint16_t odd[] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
        0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd,
        0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
        0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    size_t i = 0;

    for (;
         i < feed->raw_len && feed->out_len + ADS_UTF8_MAX <= sizeof(feed->out);
         i++)
    {
        const uint8_t b = feed->raw[i];
        const uint32_t code = b >= 0x80 && b < 0xa0 ? odd[b - 0x80] : b;

        feed->out_len = (size_t)(ads_utf8_write(feed->out + feed->out_len, code)
                                 - feed->out);
    }
    memmove(feed->raw, feed->raw + i, feed->raw_len - i);
    feed->raw_len -= i;
}


static unsigned
unit_at(const struct feed *feed, size_t i)
{
    return feed->charset == UTF16_LE
               ? (unsigned)feed->raw[i + 1] << 8 | feed->raw[i]
               : (unsigned)feed->raw[i] << 8 | feed->raw[i + 1];
}


/* Converts whole characters while there is room; half a pair waits for the rest
 * of it, and half a pair alone becomes U+FFFD. */
static void
utf16_convert(struct feed *feed)
{
    size_t i = 0;

    while (i + 2 <= feed->raw_len
           && feed->out_len + ADS_UTF8_MAX <= sizeof(feed->out))
    {
        unsigned c = unit_at(feed, i);
        size_t step = 2;

        if (c >= 0xd800 && c < 0xdc00) {
            unsigned low;

            if (i + 4 > feed->raw_len && !feed->input_end) {
                break;
            }
            low = i + 4 > feed->raw_len ? 0 : unit_at(feed, i + 2);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                step = 4;
            } else {
                c = 0xfffd;
            }
        } else if (c >= 0xdc00 && c < 0xe000) {
            c = 0xfffd;
        }
        feed->out_len =
            (size_t)(ads_utf8_write(feed->out + feed->out_len, c) - feed->out);
        i += step;
    }
    memmove(feed->raw, feed->raw + i, feed->raw_len - i);
    feed->raw_len -= i;
}


static void
raw_convert(struct feed *feed)
{
    if (feed->charset == LATIN) {
        latin_convert(feed);
    } else {
        utf16_convert(feed);
    }
}


/* More text behind what is there: out has room for a block. */
static enum ads_err
text_read(struct feed *feed)
{
    struct target raw = {feed->raw, feed->raw_len, sizeof(feed->raw)};
    struct target out = {(uint8_t *)feed->out, feed->out_len,
                         sizeof(feed->out)};
    size_t before = feed->out_len;
    enum ads_err err;

    if (feed->charset < UTF16_LE) {
        err = unpack(feed, &out);
        utf8_count(feed, feed->out + before, out.len - before);
        feed->out_len = out.len;
        return err;
    }
    err = unpack(feed, &raw);
    feed->raw_len = raw.len;
    if (err != ADS_OK && err != ADS_ABSENT) {
        return err;
    }
    raw_convert(feed);
    if (err == ADS_ABSENT && feed->out_len > before) {
        return ADS_OK;
    }
    /* an odd byte at the end */
    return err == ADS_ABSENT && feed->raw_len > 0 ? ADS_DAMAGED : err;
}


/* Reads the first bytes, and steps over the byte order mark. */
static void
charset_find(struct feed *feed)
{
    const uint8_t *b = (const uint8_t *)feed->out;
    size_t mark = 0;

    feed->charset = feed->latin ? LATIN : UTF8;
    if (feed->out_len >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) {
        feed->out_pos = 3;
    } else if (feed->out_len >= 2 && b[0] == 0xff && b[1] == 0xfe) {
        feed->charset = UTF16_LE;
        mark = 2;
    } else if (feed->out_len >= 2 && b[0] == 0xfe && b[1] == 0xff) {
        feed->charset = UTF16_BE;
        mark = 2;
    } else if (feed->out_len >= 4 && b[0] != 0 && b[1] == 0 && b[2] != 0
               && b[3] == 0)
    {
        feed->charset = UTF16_LE; /* without a mark: ASCII has zeros */
    } else if (feed->out_len >= 4 && b[0] == 0 && b[1] != 0 && b[2] == 0
               && b[3] != 0)
    {
        feed->charset = UTF16_BE;
    }
    if (feed->charset == UTF8) {
        utf8_count(feed, feed->out, feed->out_len);
        return;
    }
    feed->raw_len = feed->out_len - mark;
    memcpy(feed->raw, feed->out + mark, feed->raw_len);
    feed->out_len = 0;
    raw_convert(feed);
}


/* The first bytes decide on the charset: all of them have to be there. */
static enum ads_err
begin(struct feed *feed)
{
    struct target out = {(uint8_t *)feed->out, 0, sizeof(feed->raw)};
    enum ads_err err = ADS_OK;

    while (err == ADS_OK && out.len < 4) {
        err = unpack(feed, &out);
    }
    feed->out_len = out.len;
    charset_find(feed);
    return err == ADS_ABSENT && feed->out_len > feed->out_pos ? ADS_OK : err;
}


/* Brings what is not given out yet to the front, and more behind it. */
static enum ads_err
fill(struct feed *feed)
{
    if (feed->charset == UNKNOWN) {
        return begin(feed);
    }
    memmove(feed->out, feed->out + feed->out_pos,
            feed->out_len - feed->out_pos);
    feed->out_len -= feed->out_pos;
    feed->out_pos = 0;
    return text_read(feed);
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
    *len = n;
}


enum ads_err
feed_line(struct feed *feed, char **line, size_t *len)
{
    size_t searched = 0;

    for (;;) {
        size_t held = feed->out_len - feed->out_pos;
        char *first = feed->out + feed->out_pos;
        char *end = held > searched
                        ? memchr(first + searched, '\n', held - searched)
                        : NULL;
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


enum ads_err
feed_peek(struct feed *feed, const char **block, size_t *len)
{
    while (feed->out_len == feed->out_pos) {
        enum ads_err err = fill(feed);

        if (err != ADS_OK) {
            return err;
        }
    }
    *block = feed->out + feed->out_pos;
    *len = feed->out_len - feed->out_pos;
    return ADS_OK;
}


enum ads_err
feed_block(struct feed *feed, const char **block, size_t *len)
{
    enum ads_err err = feed_peek(feed, block, len);

    if (err == ADS_OK) {
        feed->out_pos = feed->out_len;
    }
    return err;
}


bool
feed_can_rewind(const struct feed *feed)
{
    return lseek(feed->fd, 0, SEEK_CUR) >= 0;
}


bool
feed_is_latin(const struct feed *feed)
{
    return feed->latin;
}


enum ads_err
feed_rewind(struct feed *feed, bool latin)
{
    /* a chance byte or two may look like UTF-8 */
    feed->latin |= latin && feed->n_not_utf8 > 4 * feed->n_utf8;
    if (lseek(feed->fd, 0, SEEK_SET) != 0) {
        return ADS_IO;
    }
    if ((feed->packing == GZIP && inflateReset(&feed->gzip) != Z_OK)
        || (feed->packing == ZSTD
            && ZSTD_isError(
                ZSTD_DCtx_reset(feed->zstd, ZSTD_reset_session_only))))
    {
        errno = EINVAL;
        return ADS_IO;
    }
    feed->n_read = 0;
    feed->n_unpacked = 0;
    feed->frame_open = false;
    feed->charset = UNKNOWN;
    feed->utf8_more = 0;
    feed->n_utf8 = 0;
    feed->n_not_utf8 = 0;
    feed->raw_len = 0;
    feed->out_pos = 0;
    feed->out_len = 0;
    return input_read(feed);
}


unsigned
feed_permille(const struct feed *feed)
{
    uint64_t behind = feed->n_read - (feed->in_len - feed->in_pos);

    return feed->file_len == 0 || behind >= feed->file_len
               ? 1000
               : (unsigned)(behind * 1000 / feed->file_len);
}
