/*
 * Any bytes as a file of lines: plain, .gz or .zst.  Reading ends, lines are
 * inside their bounds, and what is packed here comes out as it went in.
 */
#define _GNU_SOURCE /* memfd_create */
#include "catalog/feed.h"

#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "fuzz.h"

#define LEN_MAX 65536
#define LINES_MAX 20000000 /* a packed file may hold many */

static int file = -1;


static void
file_write(const void *bytes, size_t len)
{
    if (file < 0) {
        file = memfd_create("feed", MFD_CLOEXEC);
    }
    fuzz_must(ftruncate(file, 0) == 0
                  && pwrite(file, bytes, len, 0) == (ssize_t)len,
              "the file can be written");
}


/* Reads all lines; their number and a sum of them go to *n and *crc. */
static enum ads_err
lines(uint32_t *n, uint32_t *crc)
{
    struct feed *feed;
    char path[32], *line;
    enum ads_err err;
    size_t len;

    *n = *crc = 0;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    fuzz_must(feed_open(&feed, path) == ADS_OK, "a file can be opened");
    while ((err = feed_line(feed, &line, &len)) == ADS_OK
           || err == ADS_TOO_LARGE) {
        fuzz_must(++*n < LINES_MAX, "reading ends");
        if (err == ADS_OK) {
            fuzz_must(len <= FEED_LINE_MAX && memchr(line, '\n', len) == NULL,
                      "a line is one");
            *crc = ads_crc32c(*crc, line, len);
            memset(line, 'x', len); /* it may be written to */
        }
        fuzz_must(feed_permille(feed) <= 1000, "a share of the file");
    }
    fuzz_must(err == ADS_ABSENT || err == ADS_DAMAGED, "a known end");
    feed_close(feed);
    return err;
}


static size_t
gzip(uint8_t *dst, size_t cap, const void *bytes, size_t len)
{
    z_stream stream = {.next_in = (Bytef *)bytes,
                       .avail_in = (uInt)len,
                       .next_out = dst,
                       .avail_out = (uInt)cap};

    fuzz_must(
        deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY)
                == Z_OK
            && deflate(&stream, Z_FINISH) == Z_STREAM_END,
        "it can be packed");
    (void)deflateEnd(&stream);
    return cap - stream.avail_out;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint32_t n, crc, packed_n, packed_crc;
    size_t cap, packed_len;
    enum ads_err err;
    uint8_t *packed;

    if (len > LEN_MAX) {
        return 0;
    }
    file_write(bytes, len);
    err = lines(&n, &crc);
    if (err != ADS_ABSENT || len < 4 || bytes[0] == 0x1f || bytes[0] == 0x28) {
        return 0; /* it was packed itself, or may have been */
    }

    cap = ZSTD_compressBound(len) + 1024;
    packed = malloc(cap);
    packed_len = gzip(packed, cap, bytes, len);
    file_write(packed, packed_len);
    fuzz_must(lines(&packed_n, &packed_crc) == ADS_ABSENT && packed_n == n
                  && packed_crc == crc,
              "a .gz holds the same lines");

    packed_len = ZSTD_compress(packed, cap, bytes, len, 1);
    file_write(packed, packed_len);
    fuzz_must(lines(&packed_n, &packed_crc) == ADS_ABSENT && packed_n == n
                  && packed_crc == crc,
              "a .zst holds the same lines");
    free(packed);
    return 0;
}
