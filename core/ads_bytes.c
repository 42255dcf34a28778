/*
 * Bounded reading and the byte helpers shared by all layouts.
 */
#include "ads_bytes.h"

#define CRC32C_POLY 0x82f63b78u
#define CRC32_POLY 0xedb88320u

/* One nibble at a time: 64 bytes of table per polynomial, computed by the
 * compiler, fast enough for headers; long sections use the slice below. */
#define CRC_BIT(c, p) (((c) >> 1) ^ (((c)&1) ? (p) : 0))
#define CRC_BITS2(c, p) CRC_BIT(CRC_BIT(c, p), p)
#define CRC_BITS4(c, p) CRC_BITS2(CRC_BITS2(c, p), p)
#define CRC_ROW(p)                                                   \
    {                                                                \
        CRC_BITS4(0u, p), CRC_BITS4(1u, p), CRC_BITS4(2u, p),        \
            CRC_BITS4(3u, p), CRC_BITS4(4u, p), CRC_BITS4(5u, p),    \
            CRC_BITS4(6u, p), CRC_BITS4(7u, p), CRC_BITS4(8u, p),    \
            CRC_BITS4(9u, p), CRC_BITS4(10u, p), CRC_BITS4(11u, p),  \
            CRC_BITS4(12u, p), CRC_BITS4(13u, p), CRC_BITS4(14u, p), \
            CRC_BITS4(15u, p)                                        \
    }

static const uint32_t crc32c_nibbles[16] = CRC_ROW(CRC32C_POLY);
static const uint32_t crc32_nibbles[16] = CRC_ROW(CRC32_POLY);

static const char hex_digits[] = "0123456789abcdef";
static const char base64url_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "abcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_";


struct ads_cursor
ads_cursor_init(const void *bytes, size_t len)
{
    const uint8_t *first = bytes;

    return (struct ads_cursor){.pos = first, .last = first + len, .ok = true};
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
crc(uint32_t value, const uint32_t table[16], const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    value = ~value;
    while (len-- > 0) {
        value ^= *at++;
        value = table[value & 15] ^ (value >> 4);
        value = table[value & 15] ^ (value >> 4);
    }
    return ~value;
}


uint32_t
ads_crc32c(uint32_t value, const void *bytes, size_t len)
{
    return crc(value, crc32c_nibbles, bytes, len);
}


uint32_t
ads_crc32(const void *bytes, size_t len)
{
    return crc(0, crc32_nibbles, bytes, len);
}


char *
ads_hex_write(char *dst, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

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


char *
ads_base64url_write(char *dst, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

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


static uint32_t
base64url_value(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (uint32_t)(c - 'A');
    }
    if (c >= 'a' && c <= 'z') {
        return (uint32_t)(c - 'a') + 26;
    }
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0') + 52;
    }
    return c == '-' ? 62 : c == '_' ? 63 : 64;
}


bool
ads_base64url_read(uint8_t *dst, size_t len, struct ads_str text)
{
    uint32_t group = 0;
    unsigned bits = 0;
    size_t n = 0;

    if (text.len != ADS_BASE64URL_LEN(len)) {
        return false;
    }

    for (size_t i = 0; i < text.len; i++) {
        uint32_t value = base64url_value(text.ptr[i]);

        if (value == 64) {
            return false;
        }
        group = group << 6 | value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            dst[n++] = (uint8_t)(group >> bits);
            group &= (1u << bits) - 1;
        }
    }

    return n == len && group == 0;
}
