/*
 * What fuzz targets share: a check that names what broke, copies that end
 * where the sanitizer looks, bytes taken off the input, a ring of test keys.
 *
 * A target is t/fuzz/<name>.c: any bytes as the input of one decoder, with
 * what the decoder promises checked on each.  `make fuzz T=30` builds and runs
 * them all; tools/fuzz-seeds says which vectors they begin with, and
 * t/fuzz/seeds/<name>/ holds more.
 */
#ifndef T_FUZZ_H
#define T_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ads_ring.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);


/* Ends the process, and so the run, when a promise is broken. */
static inline void
fuzz_must(bool kept, const char *promise)
{
    if (!kept) {
        (void)fprintf(stderr, "broken promise: %s\n", promise);
        abort();
    }
}


/* A copy to be written to, with nothing behind its last byte; free(). */
static inline char *
fuzz_copy(const void *bytes, size_t len)
{
    char *copy = malloc(len == 0 ? 1 : len);

    fuzz_must(copy != NULL, "there is memory");
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}


/* Does the part lie inside the whole? */
static inline bool
fuzz_inside(struct ads_str part, const char *whole, size_t len)
{
    return part.ptr >= whole && part.ptr <= whole + len
           && part.len <= (size_t)(whole + len - part.ptr);
}


static inline bool
fuzz_equal(struct ads_str a, struct ads_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}


/* The next bytes of the input, zeros where it ends. */
static inline void
fuzz_take(void *dst, size_t n, const uint8_t **bytes, size_t *len)
{
    size_t there = n < *len ? n : *len;

    memset(dst, 0, n);
    if (there > 0) {
        memcpy(dst, *bytes, there);
        *bytes += there;
        *len -= there;
    }
}


static inline uint8_t
fuzz_u8(const uint8_t **bytes, size_t *len)
{
    uint8_t value;

    fuzz_take(&value, 1, bytes, len);
    return value;
}


static inline uint32_t
fuzz_u32(const uint8_t **bytes, size_t *len)
{
    uint32_t value;

    fuzz_take(&value, sizeof(value), bytes, len);
    return value;
}


static inline uint64_t
fuzz_u64(const uint8_t **bytes, size_t *len)
{
    uint64_t value;

    fuzz_take(&value, sizeof(value), bytes, len);
    return value;
}


/* Processor time of this thread: a bound on work, whatever else runs. */
static inline int64_t
fuzz_cpu_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}


#define FUZZ_RING                                                        \
    "1 open "                                                            \
    "0101010101010101010101010101010101010101010101010101010101010101\n" \
    "2 seal "                                                            \
    "0202020202020202020202020202020202020202020202020202020202020202\n"

/* Key 1 opens, key 2 seals. */
static inline const struct ads_ring *
fuzz_ring(void)
{
    static const char text[] = FUZZ_RING;
    static struct ads_ring ring;
    const char *why;
    uint32_t line;

    if (ring.n == 0) {
        fuzz_must(ads_ring_read(&ring, (struct ads_str){text, sizeof(text) - 1},
                                &line, &why)
                      == ADS_OK,
                  "the test ring is one");
    }
    return &ring;
}

#endif
