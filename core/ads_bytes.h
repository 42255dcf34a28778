/*
 * Bytes from outside, read through a cursor that cannot leave its buffer, and
 * the byte helpers that every layout shares.
 *
 * A cursor that ran past its end stays failed: read everything, then check `ok`
 * once.  All integers in our layouts are little-endian; the layouts are refused
 * on a big-endian machine by their byte-order mark.
 */
#ifndef ADS_BYTES_H
#define ADS_BYTES_H

#include <stdint.h>

#include "ads_str.h"

struct ads_cursor {
    const uint8_t *pos;
    const uint8_t *last; /* one past the end */
    bool ok;
};

struct ads_cursor
ads_cursor_init(const void *bytes, size_t len);

/* The next n bytes, borrowed; NULL, and `ok` turns false, when they are not
 * all there. */
const uint8_t *
ads_cursor_peek(struct ads_cursor *cursor, size_t n);

uint8_t
ads_cursor_u8(struct ads_cursor *cursor);
uint16_t
ads_cursor_u16(struct ads_cursor *cursor);
uint32_t
ads_cursor_u32(struct ads_cursor *cursor);
uint64_t
ads_cursor_u64(struct ads_cursor *cursor);

/* CRC-32C (Castagnoli), for damage, not for attackers.  Start with crc 0; the
 * result of one call may be handed to the next. */
uint32_t
ads_crc32c(uint32_t crc, const void *bytes, size_t len);

/* CRC-32 (IEEE 802.3, as in zip), the check digits of an API key. */
uint32_t
ads_crc32(const void *bytes, size_t len);

/* Writes 2 x len lower-case hex digits, no NUL.  Returns the end. */
char *
ads_hex_write(char *dst, const void *bytes, size_t len);

/* Reads exactly 2 x len hex digits of either case; false when they are not. */
bool
ads_hex_read(uint8_t *dst, size_t len, struct ads_str text);

#define ADS_BASE64URL_LEN(n) (((n)*4 + 2) / 3)

/* Writes ADS_BASE64URL_LEN(len) characters without padding, no NUL. */
char *
ads_base64url_write(char *dst, const void *bytes, size_t len);

/* Reads text that stands for exactly len bytes, canonical form only: no
 * padding, no surplus bits.  Variable time: for public bytes. */
bool
ads_base64url_read(uint8_t *dst, size_t len, struct ads_str text);

#endif
