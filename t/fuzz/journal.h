/*
 * Segments whose signatures fit, whatever their bytes say.
 */
#ifndef T_FUZZ_JOURNAL_H
#define T_FUZZ_JOURNAL_H

#include "ads_event.h"

#include "fuzz.h"


/* Signs the header and each record that the lengths in it lead to. */
static inline void
fuzz_journal_sign(uint8_t *bytes, size_t len)
{
    const struct ads_ring_key *key = ads_ring_seal(fuzz_ring());
    struct ads_event_seal seal = {.key = key};
    uint32_t crc, size;
    uint64_t seq = 1;

    if (len < ADS_SEGMENT_HEADER_LEN) {
        return;
    }
    bytes[6] = key->kid;
    crc = ads_crc32c(0, bytes, ADS_SEGMENT_HEADER_LEN - 4);
    memcpy(bytes + ADS_SEGMENT_HEADER_LEN - 4, &crc, 4);
    memcpy(seal.segment.b, bytes + 24, 16);

    for (size_t at = ADS_SEGMENT_HEADER_LEN; at + 4 <= len; at += size) {
        memcpy(&size, bytes + at, 4);
        size = size % (ADS_RECORD_MAX + 1) / 8 * 8;
        if (size < ADS_RECORD_HEADER_LEN || size > len - at) {
            return;
        }
        memcpy(bytes + at, &size, 4);
        ads_event_stamp(bytes + at, &seal, at, seq++);
    }
}

#endif
