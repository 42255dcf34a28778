/*
 * Bounded reading of bytes, base64url, hexadecimal and checksums.
 */
#include "ads_bytes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/*
 * What each bit of four bytes adds to a checksum, four bits a row: the last
 * bit adds the polynomial, each one before it the next one's shifted.  Half a
 * kilobyte per polynomial, and four bytes a step.
 */
#define CRC_ROW(a, b, c, d)                                                    \
    {                                                                          \
        0, a, b, (a) ^ (b), c, (a) ^ (c), (b) ^ (c), (a) ^ (b) ^ (c), d,       \
            (a) ^ (d), (b) ^ (d), (a) ^ (b) ^ (d), (c) ^ (d), (a) ^ (c) ^ (d), \
            (b) ^ (c) ^ (d), (a) ^ (b) ^ (c) ^ (d)                             \
    }

static const uint32_t crc32c_rows[8][16] = {
    CRC_ROW(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6),
    CRC_ROW(0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    CRC_ROW(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5),
    CRC_ROW(0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    CRC_ROW(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8),
    CRC_ROW(0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    CRC_ROW(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf),
    CRC_ROW(0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
};

static const uint32_t crc32_rows[8][16] = {
    CRC_ROW(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef),
    CRC_ROW(0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
    CRC_ROW(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8),
    CRC_ROW(0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
    CRC_ROW(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08),
    CRC_ROW(0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
    CRC_ROW(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832),
    CRC_ROW(0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
};

static const char hex_digits[] = "0123456789abcdef";
static const char base64url_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "abcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_";


struct ads_cursor
ads_cursor_init(const void *bytes, size_t len)
{
    const uint8_t *first = bytes;

    /* nothing may be added to NULL, not even nothing */
    return (struct ads_cursor){
        .pos = first, .last = len == 0 ? first : first + len, .ok = true};
}


const uint8_t *
ads_cursor_peek(struct ads_cursor *cursor, size_t n)
{
    const uint8_t *at = cursor->pos;

    if (!cursor->ok || (size_t)(cursor->last - cursor->pos) < n) {
        cursor->ok = false;
        return NULL;
    }

    cursor->pos += n;
    return at;
}


uint8_t
ads_cursor_u8(struct ads_cursor *cursor)
{
    const uint8_t *at = ads_cursor_peek(cursor, 1);

    return at == NULL ? 0 : *at;
}


uint16_t
ads_cursor_u16(struct ads_cursor *cursor)
{
    uint16_t value = 0;
    const uint8_t *at = ads_cursor_peek(cursor, sizeof(value));

    if (at != NULL) {
        memcpy(&value, at, sizeof(value));
    }
    return value;
}


uint32_t
ads_cursor_u32(struct ads_cursor *cursor)
{
    uint32_t value = 0;
    const uint8_t *at = ads_cursor_peek(cursor, sizeof(value));

    if (at != NULL) {
        memcpy(&value, at, sizeof(value));
    }
    return value;
}


uint64_t
ads_cursor_u64(struct ads_cursor *cursor)
{
    uint64_t value = 0;
    const uint8_t *at = ads_cursor_peek(cursor, sizeof(value));

    if (at != NULL) {
        memcpy(&value, at, sizeof(value));
    }
    return value;
}


static uint32_t
crc(uint32_t value, const uint32_t rows[8][16], const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    value = ~value;
    for (; len >= 4; len -= 4, at += 4) {
        uint32_t four;

        memcpy(&four, at, sizeof(four));
        four ^= value;
        value = rows[0][four & 15] ^ rows[1][four >> 4 & 15]
                ^ rows[2][four >> 8 & 15] ^ rows[3][four >> 12 & 15]
                ^ rows[4][four >> 16 & 15] ^ rows[5][four >> 20 & 15]
                ^ rows[6][four >> 24 & 15] ^ rows[7][four >> 28];
    }
    while (len-- > 0) {
        value ^= *at++;
        value = rows[7][value & 15] ^ (value >> 4);
        value = rows[7][value & 15] ^ (value >> 4);
    }
    return ~value;
}


#if defined(__x86_64__)

/* The processor's own instruction for this polynomial, seven times as fast as
 * the tables: the 900 MB of a million ads in 0.14 s instead of 1.0. */
__attribute__((target("sse4.2"))) static uint32_t
crc32c_sse42(uint32_t value, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint64_t crc = (uint32_t)~value;

    for (; len >= 8; len -= 8, at += 8) {
        uint64_t eight;

        memcpy(&eight, at, sizeof(eight));
        crc = _mm_crc32_u64(crc, eight);
    }
    while (len-- > 0) {
        crc = _mm_crc32_u8((uint32_t)crc, *at++);
    }
    return ~(uint32_t)crc;
}

#endif


uint32_t
ads_crc32c(uint32_t value, const void *bytes, size_t len)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) {
        return crc32c_sse42(value, bytes, len);
    }
#endif
    return crc(value, crc32c_rows, bytes, len);
}


uint32_t
ads_crc32(const void *bytes, size_t len)
{
    return crc(0, crc32_rows, bytes, len);
}


/* Four bytes at once: each half of a byte in a byte of its own, then to a
 * digit by adding '0', and 39 more where it is over nine. */
static uint64_t
hex_of(const uint8_t at[4])
{
    uint64_t x = (uint64_t)at[0] | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 32
                 | (uint64_t)at[3] << 48;

    x = (x >> 4 & 0x000f000f000f000fu) | (x & 0x000f000f000f000fu) << 8;
    return x + 0x3030303030303030u
           + ((x + 0x0606060606060606u) >> 4 & 0x0101010101010101u) * 39;
}


char *
ads_hex_write(char *dst, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (; len >= 4; len -= 4, at += 4, dst += 8) {
        uint64_t eight = hex_of(at);

        memcpy(dst, &eight, sizeof(eight));
    }
    while (len-- > 0) {
        *dst++ = hex_digits[*at >> 4];
        *dst++ = hex_digits[*at++ & 15];
    }
    return dst;
}


static int
hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


bool
ads_hex_read(uint8_t *dst, size_t len, struct ads_str text)
{
    if (text.len != 2 * len) {
        return false;
    }

    for (size_t i = 0; i < len; i++) {
        int high = hex_value(text.ptr[2 * i]);
        int low = hex_value(text.ptr[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        dst[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}


/* Sixteen characters that are handled as one, an operator works on each; and
 * the same as two numbers. */
typedef int8_t sixteen __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

#define EACH16(bits) (UINT64_C(0x0001000100010001) * (bits))
#define EACH32(bits) (UINT64_C(0x0000000100000001) * (bits))
#define LOW24 UINT64_C(0xffffff)


/* Six of the eight bytes there as numbers of six bits, a byte for each. */
static uint64_t
sixes_of(const uint8_t at[8])
{
    uint64_t x;

    memcpy(&x, at, sizeof(x));
    x = __builtin_bswap64(x) >> 16;
    x = (x & LOW24) | (x & LOW24 << 24) << 8;
    x = (x & EACH32(0xfff)) | (x & EACH32(0xfff000)) << 4;
    x = (x & EACH16(0x3f)) | (x & EACH16(0xfc0)) << 2;
    return __builtin_bswap64(x);
}


/* The other way round: six bytes, and two of zeros. */
static void
sixes_write(uint8_t dst[8], uint64_t sixes)
{
    uint64_t x = __builtin_bswap64(sixes);

    x = (x & EACH16(0x3f)) | (x & EACH16(0x3f00)) >> 2;
    x = (x & EACH32(0xfff)) | (x & EACH32(0xfff0000)) >> 4;
    x = (x & LOW24) | (x & LOW24 << 32) >> 8;
    x = __builtin_bswap64(x << 16);
    memcpy(dst, &x, sizeof(x));
}


/* 'A' to 'Z', 'a' to 'z', '0' to '9', '-', '_': each run is as far from its
 * numbers as the run before it and a step more. */
static sixteen
digits_of(sixteen sixes)
{
    return sixes
           + ('A' + ((sixes > 25) & ('a' - 'Z' - 1))
              + ((sixes > 51) & ('0' - 'z' - 1))
              + ((sixes > 61) & ('-' - '9' - 1))
              + ((sixes > 62) & ('_' - '-' - 1)));
}


/* The numbers of digits; *good stays -1 where there was a digit each time. */
static sixteen
numbers_of(sixteen digits, sixteen *good)
{
    sixteen upper = (digits >= 'A') & (digits <= 'Z');
    sixteen lower = (digits >= 'a') & (digits <= 'z');
    sixteen decimal = (digits >= '0') & (digits <= '9');
    sixteen dash = digits == '-';
    sixteen line = digits == '_';

    *good &= upper | lower | decimal | dash | line;
    return digits
           + ((upper & (0 - 'A')) + (lower & (26 - 'a'))
              + (decimal & (52 - '0')) + (dash & (62 - '-'))
              + (line & (63 - '_')));
}


static bool
all_of(sixteen good)
{
    halves both = (halves)good;

    return (both[0] & both[1]) == UINT64_MAX;
}


char *
ads_base64url_write(char *dst, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    /* 12 bytes a step, of which 14 are read */
    for (; len >= 14; len -= 12, at += 12, dst += 16) {
        halves sixes = {sixes_of(at), sixes_of(at + 6)};
        sixteen digits = digits_of((sixteen)sixes);

        memcpy(dst, &digits, sizeof(digits));
    }

    for (; len >= 3; len -= 3, at += 3) {
        uint32_t group = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];

        *dst++ = base64url_digits[group >> 18];
        *dst++ = base64url_digits[group >> 12 & 63];
        *dst++ = base64url_digits[group >> 6 & 63];
        *dst++ = base64url_digits[group & 63];
    }

    if (len > 0) {
        uint32_t group = (uint32_t)at[0] << 16;

        if (len == 2) {
            group |= (uint32_t)at[1] << 8;
        }
        *dst++ = base64url_digits[group >> 18];
        *dst++ = base64url_digits[group >> 12 & 63];
        if (len == 2) {
            *dst++ = base64url_digits[group >> 6 & 63];
        }
    }
    return dst;
}


/* One of its digits: the six bits, or 64 for what is none.  Looked up and not
 * compared, because random digits would mispredict every branch. */
static const uint8_t base64url_values[256] = {
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 62, 64, 64, 52, 53, 54, 55, 56, 57, 58, 59, 60,
    61, 64, 64, 64, 64, 64, 64, 64, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 64, 64, 64, 64,
    63, 64, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48, 49, 50, 51, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64,
};


static inline uint32_t
base64url_value(char c)
{
    return base64url_values[(uint8_t)c];
}


bool
ads_base64url_read(uint8_t *dst, size_t len, struct ads_str text)
{
    const char *at = text.ptr;
    uint32_t bad = 0, group, rest;
    sixteen good = ~(sixteen){0};

    if (text.len != ADS_BASE64URL_LEN(len)) {
        return false;
    }

    /* 12 bytes a step, and two that the next step overwrites */
    for (; len >= 14; len -= 12, at += 16, dst += 12) {
        sixteen digits;
        halves sixes;

        memcpy(&digits, at, sizeof(digits));
        sixes = (halves)numbers_of(digits, &good);
        sixes_write(dst, sixes[0]);
        sixes_write(dst + 6, sixes[1]);
    }

    for (; len >= 3; len -= 3, at += 4, dst += 3) {
        uint32_t a = base64url_value(at[0]), b = base64url_value(at[1]);
        uint32_t c = base64url_value(at[2]), d = base64url_value(at[3]);

        bad |= a | b | c | d;
        group = a << 18 | b << 12 | c << 6 | d;
        dst[0] = (uint8_t)(group >> 16);
        dst[1] = (uint8_t)(group >> 8);
        dst[2] = (uint8_t)group;
    }

    /* one or two bytes: the bits that are left over must be zero */
    group = 0;
    for (size_t i = 0; len > 0 && i <= len; i++) {
        rest = base64url_value(at[i]);
        bad |= rest;
        group |= rest << (18 - 6 * i);
    }
    for (size_t i = 0; i < len; i++) {
        dst[i] = (uint8_t)(group >> (16 - 8 * i));
    }
    rest = len == 0 ? 0 : group & (0xffffffu >> 8 * len);

    return bad < 64 && rest == 0 && all_of(good);
}
