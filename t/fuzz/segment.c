/*
 * Any bytes as the file of a segment, read by adsd's reader three times: from
 * the file alone, with true datagrams and with lying ones.  Reading ends, items
 * follow each other, and datagrams change nothing of what is read.
 */
#include "journal/segment.h"

#include <fcntl.h>
#include <unistd.h>

#include "journal.h"

#define LEN_MAX 16384
#define ITEMS_MAX (LEN_MAX / ADS_RECORD_HEADER_LEN + 1)
#define DAMAGES 4
#define NAME "fuzz.seg"

struct seen {
    uint64_t kind;
    uint64_t off;
    uint64_t len;
};

static char folder[64];
static int folder_fd = -1;
static int file_fd = -1;


static void
folder_remove(void)
{
    (void)unlinkat(folder_fd, NAME, 0);
    (void)rmdir(folder);
}


static void
folder_make(void)
{
    const char *parent = getenv("TMPDIR");

    (void)snprintf(folder, sizeof(folder), "%s/fuzz-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    fuzz_must(mkdtemp(folder) != NULL, "a folder can be made");
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    file_fd = openat(folder_fd, NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    fuzz_must(file_fd >= 0, "a file can be made");
    (void)atexit(folder_remove);
}


/* Reads the whole file; returns how many items there were. */
static uint32_t
read_all(struct seen items[ITEMS_MAX], const uint8_t *datagrams, size_t len)
{
    static _Alignas(8) uint8_t buffer[SEGMENT_BUFFER_LEN];
    static struct segment_item item;
    struct segment_reader reader;
    struct segment *segment;
    uint64_t end = ADS_SEGMENT_HEADER_LEN;
    enum ads_err err;
    uint32_t n = 0;

    if (segment_open(&segment, folder_fd, NAME, fuzz_ring()) != ADS_OK) {
        return 0;
    }
    fuzz_must(segment->final, "without a writer a segment is final");
    reader = segment_reader_init(segment, end, 0, buffer);
    for (;;) {
        if (datagrams != NULL && len > end) {
            /* up to 512 bytes from the cursor on, as they would arrive */
            size_t part = len - end < 512 ? len - end : 512;

            segment_feed(segment, end, end, datagrams + end, part);
        }
        err = segment_next(&reader, &item);
        if (err != ADS_OK) {
            break;
        }
        fuzz_must(item.off == end && item.len > 0
                      && item.len <= segment->size - end
                      && item.bytes_len <= item.len,
                  "an item begins where the one before ended");
        fuzz_must(n < ITEMS_MAX, "reading ends");
        items[n++] = (struct seen){item.kind, item.off, item.len};
        end = item.off + item.len;
    }
    fuzz_must(err == ADS_ABSENT, "a final segment is read to its end");
    segment_close(segment);
    return n;
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct seen alone[ITEMS_MAX], told[ITEMS_MAX], lied[ITEMS_MAX];
    uint16_t places[DAMAGES];
    uint8_t changes[DAMAGES], *file;
    uint32_t n;

    if (file_fd < 0) {
        folder_make();
    }
    fuzz_take(places, sizeof(places), &bytes, &len);
    fuzz_take(changes, sizeof(changes), &bytes, &len);
    if (len < ADS_SEGMENT_HEADER_LEN || len > LEN_MAX) {
        return 0;
    }
    file = (uint8_t *)fuzz_copy(bytes, len);
    memcpy(file, "ADSJ\1m\2\0\4\3\2\1", 12);
    fuzz_journal_sign(file, len);
    for (int i = 0; i < DAMAGES; i++) {
        file[places[i] % len] ^= changes[i];
    }
    fuzz_must(ftruncate(file_fd, (off_t)len) == 0
                  && pwrite(file_fd, file, len, 0) == (ssize_t)len,
              "the file can be written");

    memset(alone, 0, sizeof(alone));
    memset(told, 0, sizeof(told));
    memset(lied, 0, sizeof(lied));
    n = read_all(alone, NULL, 0);
    fuzz_must(read_all(told, file, len) == n
                  && memcmp(alone, told, sizeof(alone)) == 0,
              "true datagrams change nothing");
    fuzz_must(read_all(lied, bytes, len) == n
                  && memcmp(alone, lied, sizeof(alone)) == 0,
              "lying datagrams change nothing");
    free(file);
    return 0;
}
