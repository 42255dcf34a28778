/*
 * Writes segments as a worker does, for tests and benches: created hidden,
 * locked, header written, only then renamed to the name that readers see.
 *
 * Header only, so that a test's `main` stays one file.
 */
#ifndef JOURNAL_WRITER_H
#define JOURNAL_WRITER_H

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "ads_event.h"

struct journal_writer {
    int fd;
    char name[96];
    struct ads_segment header;
    struct ads_event_seal seal;
    uint64_t off;
    uint64_t seq;
};

static inline uint64_t
journal_now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}


/* A ring of one sealing key, kid 1, of 32 equal bytes. */
static inline void
journal_ring(struct ads_ring *ring, uint8_t byte)
{
    char text[80] = "1 seal ";
    char *at = text + 7;
    const char *why;
    uint32_t line;
    uint8_t key[32];

    memset(key, byte, sizeof(key));
    at = ads_hex_write(at, key, sizeof(key));
    assert(ads_ring_read(ring, (struct ads_str){text, (size_t)(at - text)},
                         &line, &why)
           == ADS_OK);
}


static inline void
journal_open(struct journal_writer *writer, const char *folder,
             const struct ads_ring *ring, uint64_t node, char class)
{
    uint8_t head[ADS_SEGMENT_HEADER_LEN], random[16];
    char path[512], hidden[512];
    ssize_t n;
    int rc;

    randombytes_buf(random, sizeof(random));
    *writer = (struct journal_writer){
        .header = {.class = class,
                   .kid = ads_ring_seal(ring)->kid,
                   .pid = (uint32_t)getpid(),
                   .node = node,
                   .uuid = ads_uuid_random(random),
                   .start_ns = journal_now_ns(CLOCK_REALTIME),
                   .monotonic_ns = journal_now_ns(CLOCK_MONOTONIC),
                   .boot = 0xb007b007},
        .off = ADS_SEGMENT_HEADER_LEN,
    };
    writer->seal =
        (struct ads_event_seal){ads_ring_seal(ring), writer->header.uuid};

    (void)snprintf(writer->name, sizeof(writer->name), "%c-%08x-%016llx-%u.seg",
                   class, writer->header.boot,
                   (unsigned long long)writer->header.start_ns,
                   writer->header.pid);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, writer->name);
    (void)snprintf(hidden, sizeof(hidden), "%s/.%s.new", folder, writer->name);

    writer->fd =
        open(hidden, O_CREAT | O_EXCL | O_RDWR | O_APPEND | O_CLOEXEC, 0640);
    assert(writer->fd >= 0);
    rc = flock(writer->fd, LOCK_EX | LOCK_NB);
    assert(rc == 0);
    ads_segment_write(head, &writer->header);
    n = write(writer->fd, head, sizeof(head));
    assert(n == (ssize_t)sizeof(head));
    rc = rename(hidden, path);
    assert(rc == 0);
    (void)rc;
    (void)n;
}


/* The worker dies: the lock is gone. */
static inline void
journal_close(struct journal_writer *writer)
{
    close(writer->fd);
    writer->fd = -1;
}


static inline void
journal_append_raw(struct journal_writer *writer, const void *bytes, size_t len)
{
    ssize_t n = write(writer->fd, bytes, len);

    assert(n == (ssize_t)len);
    (void)n;
    writer->off += len;
}


/* Encodes and signs the event for the next place into `dst` (ADS_RECORD_MAX
 * bytes, 8-byte aligned); its length. */
static inline size_t
journal_encode(struct journal_writer *writer, uint8_t *dst,
               const struct ads_event *event)
{
    size_t len = ads_event_write(dst, event);

    ads_event_stamp(dst, &writer->seal, writer->off, ++writer->seq);
    return len;
}


/* Appends the event; returns its offset. */
static inline uint64_t
journal_append(struct journal_writer *writer, const struct ads_event *event)
{
    _Alignas(8) uint8_t record[ADS_RECORD_MAX];
    uint64_t off = writer->off;

    journal_append_raw(writer, record, journal_encode(writer, record, event));
    return off;
}

#endif
