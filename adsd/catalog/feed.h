/*
 * Feed file of any size as text: plain, .gz or .zst, recognised by its first
 * bytes, UTF-8 or UTF-16, with a byte order mark or without, or, once it was
 * read to its end, Windows-1252; all becomes UTF-8 here.
 * Memory stays flat; the door to zlib and zstd.
 */
#ifndef ADSD_FEED_H
#define ADSD_FEED_H

#include "ads_bytes.h"
#include "ads_err.h"

#define FEED_LINE_MAX (1 << 20)

struct feed;

/* ADS_IO when the file cannot be opened; errno says why. */
ADS_MUST enum ads_err
feed_open(struct feed **feed, const char *path);

/* The same of a descriptor, which is the feed's from then on, also when this
 * fails.  What unpacks to more than `unpacked_max` bytes ends with ADS_IO and
 * EFBIG. */
ADS_MUST enum ads_err
feed_open_fd(struct feed **feed, int fd, uint64_t unpacked_max);

void
feed_close(struct feed *feed);

/*
 * The next line, without its end (LF or CRLF) and without the byte order mark
 * that a file may begin with, borrowed and writable until the next call.
 * ADS_ABSENT: the end.  ADS_TOO_LARGE: a line over FEED_LINE_MAX bytes was
 * stepped over.  ADS_DAMAGED: not what its first bytes promised, or cut.
 * ADS_IO: errno says why.
 */
ADS_MUST enum ads_err
feed_line(struct feed *feed, char **line, size_t *len);

/*
 * Whatever text comes next, for a reader that knows lines itself; borrowed
 * until the next call.  ADS_ABSENT: the end.  Errors as of feed_line(), which
 * must not be called as well.
 */
ADS_MUST enum ads_err
feed_block(struct feed *feed, const char **block, size_t *len);

/* The text that comes next, without taking it; as feed_block(). */
ADS_MUST enum ads_err
feed_peek(struct feed *feed, const char **block, size_t *len);

/* Can it begin again?  A pipe cannot. */
bool
feed_can_rewind(const struct feed *feed);

/* Begins again at the first byte.  With `latin`, text that turned out not to be
 * UTF-8 is Windows-1252 from now on.  ADS_IO: errno says why. */
ADS_MUST enum ads_err
feed_rewind(struct feed *feed, bool latin);

/* Is it read as Windows-1252? */
bool
feed_is_latin(const struct feed *feed);

/* Share of the file read so far, 0 to 1,000. */
unsigned
feed_permille(const struct feed *feed);

#endif
