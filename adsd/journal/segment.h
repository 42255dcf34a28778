/*
 * Segment of the journal, read through one function: bytes(segment, offset).  A
 * datagram that covers the cursor saves a pread; the file is the truth, so a
 * lost, repeated or wrong datagram costs nothing.
 *
 * A segment is live while its writer holds flock(LOCK_EX) on it, and final
 * from the moment a shared lock is granted: no process can append any more,
 * however the writer ended.  Bytes below the size that fstat tells never
 * change.
 *
 *     live    bytes that are no record (yet): wait
 *     final   bytes that are no record and nothing valid after them: the tail
 *             was torn, the segment ends before them
 *     either  bytes that are no record, valid records after them: a hole,
 *             handed out as such; the records after it keep their offsets
 *
 * Not thread-safe: each thread opens its own.
 */
#ifndef ADSD_SEGMENT_H
#define ADSD_SEGMENT_H

#include "ads_event.h"

#define SEGMENT_NAME_MAX 96
#define SEGMENT_WINDOW_MAX (256 * 1024)
#define SEGMENT_BUFFER_LEN (1024 * 1024)

struct segment {
    char name[SEGMENT_NAME_MAX]; /* in the journal's folder */
    int fd;                      /* -1: parked */
    struct ads_segment header;
    struct ads_event_seal seal;
    bool final;
    uint64_t size; /* at the last segment_probe() */

    /* the ingesting reader's own notes */
    uint64_t cursor; /* committed up to here */
    uint64_t seq;    /* of the last committed record */
    bool known;      /* both were read from PostgreSQL */
    bool done;       /* final and committed to its end */

    bool refused; /* the syncing thread's note: its disk refused once */

    uint64_t hole;       /* where bytes were no record ... */
    uint64_t hole_tried; /* ... and up to where nothing valid follows */
    uint8_t *window;     /* bytes that came as datagrams */
    uint64_t window_off;
    size_t window_len;
};

enum segment_kind {
    SEGMENT_RECORD,  /* item.event is filled */
    SEGMENT_UNKNOWN, /* authentic, of a type not known here */
    SEGMENT_HOLE     /* damaged bytes with valid records after them */
};

struct segment_item {
    enum segment_kind kind;
    uint64_t off;
    uint64_t len;
    const uint8_t *bytes; /* borrowed until the next call; a hole's first */
    size_t bytes_len;     /* len, or less for a long hole */
    struct ads_event event;
};

struct segment_reader {
    struct segment *segment;
    uint8_t *buffer; /* SEGMENT_BUFFER_LEN bytes, the caller's */
    uint64_t buffer_off;
    size_t buffer_len;
    uint64_t off; /* of the next item */
    uint64_t seq; /* of the last record */
    uint64_t n_gaps;
};

/*
 * Opens the file of that name in folder `dir` and reads its header.
 * ADS_ABSENT: it is gone.  ADS_DAMAGED, ADS_UNSUPPORTED: it is no segment we
 * know; ADS_DENIED: signed by a key that the ring does not hold.  `ring` must
 * outlive the segment; segment_close() frees.
 */
ADS_MUST enum ads_err
segment_open(struct segment **segment, int dir, const char *name,
             const struct ads_ring *ring);
void
segment_close(struct segment *segment);

/* Gives back descriptor and window of a segment that is read to its end; it
 * stays in the list under its name. */
void
segment_park(struct segment *segment);

/* Looks whether the writer still lives, then how long the file is. */
ADS_MUST enum ads_err
segment_probe(struct segment *segment);

/* Looks how long the file is, and not whether its writer still lives. */
ADS_MUST enum ads_err
segment_measure(struct segment *segment);

/*
 * Offers the bytes of a datagram.  `cursor` is where reading goes on: bytes
 * that neither cover it nor continue the window are dropped.
 */
void
segment_feed(struct segment *segment, uint64_t cursor, uint64_t off,
             const uint8_t *bytes, size_t len);

/* Begins reading after the record `seq` at `off`; `buffer` has
 * SEGMENT_BUFFER_LEN bytes, 8-byte aligned. */
struct segment_reader
segment_reader_init(struct segment *segment, uint64_t off, uint64_t seq,
                    uint8_t *buffer);

/*
 * The next item.  ADS_BUSY: nothing more for now.  ADS_ABSENT: the segment is
 * final and `off` its end; what lies behind is a torn tail.  ADS_IO: the file
 * could not be read.
 */
ADS_MUST enum ads_err
segment_next(struct segment_reader *reader, struct segment_item *item);

#endif
