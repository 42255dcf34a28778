/*
 * Reads one segment: liveness, datagram window, records, holes.
 *
 * The order inside segment_probe() matters: first the lock, then the size.  A
 * granted lock says that no byte comes any more, so the size read after it is
 * the last one.
 */
#include "journal/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"

/* What a pread must bring before a record can be checked. */
#define LOOK_LEN ADS_RECORD_MAX


/* Up to len bytes at `off`, short only at the end of the file. */
static ssize_t
read_at(int fd, uint8_t *dst, size_t len, uint64_t off)
{
    size_t done = 0;
    ssize_t n;

    while (done < len) {
        n = pread(fd, dst + done, len - done, (off_t)(off + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        done += (size_t)n;
    }
    return (ssize_t)done;
}


enum ads_err
segment_open(struct segment **segment, int dir, const char *name,
             const struct ads_ring *ring)
{
    uint8_t head[ADS_SEGMENT_HEADER_LEN];
    struct segment *s;
    enum ads_err err;
    ssize_t n;

    if (strlen(name) >= SEGMENT_NAME_MAX) {
        return ADS_DAMAGED;
    }
    s = xmalloc(sizeof(*s));
    *s = (struct segment){.fd = -1};
    memcpy(s->name, name, strlen(name));

    s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (s->fd < 0) {
        err = errno == ENOENT  ? ADS_ABSENT
              : errno == ELOOP ? ADS_DAMAGED
                               : ADS_IO;
        goto failed;
    }

    n = read_at(s->fd, head, sizeof(head), 0);
    if (n < 0) {
        err = errno == EISDIR || errno == ESPIPE ? ADS_DAMAGED : ADS_IO;
        goto failed;
    }
    err = ads_segment_read(&s->header, head, (size_t)n);
    if (err != ADS_OK) {
        goto failed;
    }

    s->seal.segment = s->header.uuid;
    s->seal.key = ads_ring_find(ring, s->header.kid);
    if (s->seal.key == NULL) {
        err = ADS_DENIED;
        goto failed;
    }

    err = segment_probe(s);
    if (err != ADS_OK) {
        goto failed;
    }
    *segment = s;
    return ADS_OK;

failed:
    segment_close(s);
    return err;
}


void
segment_close(struct segment *segment)
{
    segment_park(segment);
    free(segment);
}


void
segment_park(struct segment *segment)
{
    if (segment->fd >= 0) {
        close(segment->fd);
    }
    free(segment->window);
    segment->fd = -1;
    segment->window = NULL;
    segment->window_len = 0;
}


enum ads_err
segment_probe(struct segment *segment)
{
    if (!segment->final && flock(segment->fd, LOCK_SH | LOCK_NB) == 0) {
        segment->final = true;
        (void)flock(segment->fd, LOCK_UN);
    }
    return segment_measure(segment);
}


enum ads_err
segment_measure(struct segment *segment)
{
    struct stat st;

    if (fstat(segment->fd, &st) != 0) {
        return ADS_IO;
    }
    segment->size = (uint64_t)st.st_size;
    return ADS_OK;
}


void
segment_feed(struct segment *segment, uint64_t cursor, uint64_t off,
             const uint8_t *bytes, size_t len)
{
    uint64_t end = segment->window_off + segment->window_len;
    size_t keep;

    if (off % 8 != 0 || off > UINT64_MAX - len) {
        return; /* no record begins there */
    }
    if (segment->window == NULL) {
        segment->window = xmalloc(SEGMENT_WINDOW_MAX);
    }

    if (segment->window_len > 0 && cursor > segment->window_off && cursor < end
        && (cursor - segment->window_off) % 8 == 0)
    {
        /* what was committed makes room */
        keep = (size_t)(end - cursor);
        memmove(segment->window,
                segment->window + (cursor - segment->window_off), keep);
        segment->window_off = cursor;
        segment->window_len = keep;
    }

    if (segment->window_len > 0 && off == end && cursor < end
        && segment->window_len + len <= SEGMENT_WINDOW_MAX)
    {
        memcpy(segment->window + segment->window_len, bytes, len);
        segment->window_len += len;
    } else if (off <= cursor && cursor < off + len && len <= SEGMENT_WINDOW_MAX)
    {
        memcpy(segment->window, bytes, len);
        segment->window_off = off;
        segment->window_len = len;
    }
}


struct segment_reader
segment_reader_init(struct segment *segment, uint64_t off, uint64_t seq,
                    uint8_t *buffer)
{
    return (struct segment_reader){
        .segment = segment, .buffer = buffer, .off = off, .seq = seq};
}


/*
 * The one reader: bytes of the segment from `off` on, at least `want` of them
 * unless the file itself is shorter.  NULL with errno set when it cannot be
 * read.
 */
static const uint8_t *
segment_bytes(struct segment_reader *reader, uint64_t off, size_t want,
              size_t *len)
{
    struct segment *s = reader->segment;
    ssize_t n;

    if (off >= s->window_off && off + want <= s->window_off + s->window_len) {
        *len = want;
        return s->window + (off - s->window_off);
    }

    if (off < reader->buffer_off
        || off + want > reader->buffer_off + reader->buffer_len)
    {
        n = read_at(s->fd, reader->buffer, SEGMENT_BUFFER_LEN, off);
        if (n < 0) {
            return NULL;
        }
        reader->buffer_off = off;
        reader->buffer_len = (size_t)n;
    }
    *len = reader->buffer_off + reader->buffer_len - off;
    if (*len > want) {
        *len = want;
    }
    return reader->buffer + (off - reader->buffer_off);
}


/* Classifies the bytes at `off`; fills *item but for holes. */
static enum ads_err
item_classify(struct segment_reader *reader, uint64_t off,
              struct segment_item *item)
{
    struct segment *s = reader->segment;
    uint64_t left = s->size - off;
    size_t want = left < LOOK_LEN ? (size_t)left : LOOK_LEN;
    enum ads_err err;
    size_t used, len;

    item->bytes = segment_bytes(reader, off, want, &len);
    if (item->bytes == NULL) {
        return ADS_IO;
    }
    err = ads_event_read(&item->event, &used, item->bytes, len, &s->seal, off);

    if (err != ADS_OK && err != ADS_UNSUPPORTED && s->window_len > 0) {
        /* a datagram lied or is incomplete: the file decides */
        s->window_len = 0;
        return item_classify(reader, off, item);
    }
    if (err == ADS_OK || err == ADS_UNSUPPORTED) {
        item->kind = err == ADS_OK ? SEGMENT_RECORD : SEGMENT_UNKNOWN;
        item->off = off;
        item->len = used;
        item->bytes_len = used;
        return ADS_OK;
    }
    return err;
}


/* Could a record begin with these 8 bytes?  Spares a MAC at most places. */
static bool
plausible(const uint8_t *bytes)
{
    uint32_t len, zero;

    memcpy(&len, bytes, sizeof(len));
    memcpy(&zero, bytes + 4, sizeof(zero));
    return zero == 0 && len % 8 == 0 && len >= ADS_RECORD_HEADER_LEN
           && len <= ADS_RECORD_MAX;
}


/*
 * Looks behind bytes that are no record for one that is.  ADS_OK: the hole
 * ends at *end.  ADS_ABSENT: nothing valid follows (so far).
 */
static enum ads_err
hole_measure(struct segment_reader *reader, uint64_t *end)
{
    struct segment *s = reader->segment;
    struct segment_item item;
    const uint8_t *bytes;
    enum ads_err err;
    uint64_t off;
    size_t len;

    off = s->hole == reader->off && s->hole_tried > 0 ? s->hole_tried
                                                      : reader->off + 8;
    for (; off + ADS_RECORD_HEADER_LEN <= s->size; off += 8) {
        bytes = segment_bytes(reader, off, 8, &len);
        if (bytes == NULL) {
            return ADS_IO;
        }
        if (len < 8) {
            break;
        }
        if (!plausible(bytes)) {
            continue;
        }
        err = item_classify(reader, off, &item);
        if (err == ADS_OK) {
            *end = off;
            return ADS_OK;
        }
        if (err == ADS_IO) {
            return err;
        }
        if (err == ADS_BUSY && !s->final) {
            break; /* its rest may still come: try again from here */
        }
    }

    s->hole = reader->off;
    s->hole_tried = off;
    return ADS_ABSENT;
}


/* Takes an item: moves the cursor behind it and checks the numbering. */
static void
item_take(struct segment_reader *reader, const struct segment_item *item)
{
    reader->off = item->off + item->len;
    if (item->kind == SEGMENT_HOLE) {
        return;
    }
    if (item->event.seq <= reader->seq) {
        reader->n_gaps++;
    }
    reader->seq = item->event.seq;
}


enum ads_err
segment_next(struct segment_reader *reader, struct segment_item *item)
{
    struct segment *s = reader->segment;
    uint64_t end = 0;
    enum ads_err err;
    size_t want;

    if (reader->off >= s->size) {
        return s->final ? ADS_ABSENT : ADS_BUSY;
    }

    err = item_classify(reader, reader->off, item);
    if (err == ADS_OK) {
        item_take(reader, item);
        return ADS_OK;
    }
    if (err == ADS_IO) {
        return err;
    }
    if (err == ADS_BUSY && !s->final) {
        return ADS_BUSY;
    }

    err = hole_measure(reader, &end);
    if (err == ADS_ABSENT) {
        return s->final ? ADS_ABSENT : ADS_BUSY;
    }
    if (err != ADS_OK) {
        return err;
    }

    item->kind = SEGMENT_HOLE;
    item->off = reader->off;
    item->len = end - reader->off;
    want = item->len < ADS_RECORD_MAX ? (size_t)item->len : ADS_RECORD_MAX;
    item->bytes = segment_bytes(reader, item->off, want, &item->bytes_len);
    if (item->bytes == NULL) {
        return ADS_IO;
    }
    item_take(reader, item);
    return ADS_OK;
}
