/*
 * Any bytes as a journal segment.  The first byte tells whether header and
 * records are signed before they are read, so that the decoders behind CRC and
 * MAC are reached.  What is read as a record can be written again; records
 * read anywhere else are damaged.
 */
#include "journal.h"

#define LEN_MAX 65536


/* Writes the event and reads it back. */
static void
again(const struct ads_event *event, const struct ads_event_seal *seal,
      uint64_t offset)
{
    static _Alignas(8) uint8_t first[ADS_RECORD_MAX], second[ADS_RECORD_MAX];
    static struct ads_event read;
    size_t len = ads_event_write(first, event), used;

    fuzz_must(len <= ADS_RECORD_MAX && len % 8 == 0, "a record's length");
    ads_event_stamp(first, seal, offset, event->seq);
    fuzz_must(ads_event_read(&read, &used, first, len, seal, offset) == ADS_OK
                  && used == len && read.seq == event->seq,
              "what was read can be written");
    fuzz_must(ads_event_write(second, &read) == len, "the same length again");
    ads_event_stamp(second, seal, offset, read.seq);
    fuzz_must(memcmp(first, second, len) == 0, "the same bytes again");
    fuzz_must(ads_event_read(&read, &used, first, len, seal, offset + 8)
                  == ADS_DAMAGED,
              "a record is good in its place only");
}


static void
records(const uint8_t *bytes, size_t len, const struct ads_segment *segment)
{
    struct ads_event_seal seal = {.segment = segment->uuid};
    static struct ads_event event;
    enum ads_err err;
    size_t used;

    seal.key = ads_ring_find(fuzz_ring(), segment->kid);
    if (seal.key == NULL) {
        return;
    }
    for (size_t at = ADS_SEGMENT_HEADER_LEN; at <= len; at += used) {
        char *copy = fuzz_copy(bytes + at, len - at);

        err = ads_event_read(&event, &used, copy, len - at, &seal, at);
        free(copy);
        if (err != ADS_OK && err != ADS_UNSUPPORTED) {
            fuzz_must(err == ADS_BUSY || err == ADS_DAMAGED, "a known verdict");
            return;
        }
        fuzz_must(used >= ADS_RECORD_HEADER_LEN && used <= len - at,
                  "a record inside its file");
        if (err == ADS_OK) {
            again(&event, &seal, at);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ads_segment segment, twice;
    uint8_t header[ADS_SEGMENT_HEADER_LEN], again_header[sizeof(header)];
    bool signed_here = fuzz_u8(&bytes, &len) & 1;
    char *copy;

    if (len > LEN_MAX) {
        return 0;
    }
    copy = fuzz_copy(bytes, len);
    if (signed_here) {
        fuzz_journal_sign((uint8_t *)copy, len);
    }
    if (ads_segment_read(&segment, copy, len) == ADS_OK) {
        ads_segment_write(header, &segment);
        fuzz_must(ads_segment_read(&twice, header, sizeof(header)) == ADS_OK,
                  "a header can be written again");
        ads_segment_write(again_header, &twice);
        fuzz_must(memcmp(header, again_header, sizeof(header)) == 0,
                  "and says the same");
        records((uint8_t *)copy, len, &segment);
    }
    free(copy);
    return 0;
}
