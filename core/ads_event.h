/*
 * Format of the journal: the records that a worker appends before it answers,
 * and that adsd commits to PostgreSQL.
 *
 * A segment is one file of one worker process,
 * `<class>-<boot 8 hex>-<start ns 16 hex>-<pid>.seg`, class `m` (clicks, SHOW
 * decisions, impressions) or `t` (counters).  It only ever grows; its writer
 * holds flock(LOCK_EX) on it from before its name is visible until it dies.
 *
 * Header, 64 bytes:
 *
 *      0  4  "ADSJ"
 *      4  1  format, 1
 *      5  1  class, 'm' or 't'
 *      6  1  key id whose journal subkey signs the records
 *      7  1  flags: 1 no one asks for a sync of it
 *      8  4  byte order mark 0x01020304
 *     12  4  pid
 *     16  8  node id
 *     24 16  segment uuid
 *     40  8  start, realtime ns
 *     48  8  start, monotonic ns
 *     56  4  boot id, the first 32 bits of a hash of it
 *     60  4  CRC-32C of the 60 bytes before
 *
 * Record, a multiple of 8 bytes, at most 4,096:
 *
 *      0  4  length, this field included
 *      4  4  zero
 *      8  8  MAC: SipHash-2-4 over the record with this field 0, then the
 *            segment uuid, then the offset (8 bytes): stale, moved or foreign
 *            bytes never verify
 *     16  8  sequence number in the segment, from 1, no gaps
 *     24  8  time, realtime us
 *     32  2  type
 *     34  2  flags: 1 manual event, 2 test key
 *     36  4  zero
 *     40     payload
 *
 * Payload of a click (type 1), 120 bytes:
 *      0 16  click_id       16 16  request_id     32 16  ad_id
 *     48 16  publisher      64  8  price micros   72  8  session hash
 *     80  8  address hash   88  4  campaign version
 *     92  1  class (ads_click_class)              93  2  country
 *     95  1  placement length                     96 24  placement
 * of an impression (type 2), 64 bytes:
 *      0 16  request_id     16 16  ad_id          32 16  publisher
 *     48  8  session hash   56  8  occurred, realtime ms (0: not said)
 * of a SHOW decision (type 3), 72 + 28 n bytes, zero padded to 8:
 *      0 16  request_id     16 16  publisher      32  8  session hash
 *     40  2  country        42  1  placement length
 *     43 24  placement      67  1  n (1 to 20)    68  4  zero
 *     72 28n ad_id 16, price micros 8, campaign version 4
 * of NO_AD counters (type 16), 8 + 56 n bytes:
 *      0  4  n (1 to 64)     4  4  zero
 *      8 56n publisher 16, bucket (unix s) 8, count 4, reason 1, placement
 *            length 1, placement 24, country 2 (zero: not known; older writers
 *            always)
 * of auction counters (type 17), 16 + 24 n bytes:
 *      0  4  n (1 to 160)    4  4  zero           8  8  bucket (unix s)
 *     16 24n campaign 16, count 4, outcome 1 (ads_auction.h), zero 3
 *
 * A reader refuses a format it does not know; a type it does not know is set
 * aside, never dropped.
 */
#ifndef ADS_EVENT_H
#define ADS_EVENT_H

#include "ads_err.h"
#include "ads_id.h"
#include "ads_placement.h"

#define ADS_SEGMENT_HEADER_LEN 64
#define ADS_RECORD_HEADER_LEN 40
#define ADS_RECORD_AT_US 24 /* where its time is */
#define ADS_RECORD_MAX 4096
#define ADS_DECISION_MAX 20
#define ADS_NO_AD_MAX 64
#define ADS_AUCTION_COUNTS_MAX 160

enum ads_segment_flag { ADS_SEGMENT_NO_SYNC = 1 };

enum ads_event_type {
    ADS_EVENT_CLICK = 1,
    ADS_EVENT_IMPRESSION = 2,
    ADS_EVENT_DECISION = 3,
    ADS_EVENT_NO_AD = 16,
    ADS_EVENT_AUCTIONS = 17
};

enum ads_event_flag { ADS_EVENT_MANUAL = 1, ADS_EVENT_TEST = 2 };

/* Stored: never renumber.  The worker's word is provisional, PostgreSQL's is
 * final. */
enum ads_click_class {
    ADS_CLICK_VALID = 0,
    ADS_CLICK_DUPLICATE = 1,
    ADS_CLICK_LATE = 2,
    ADS_CLICK_PAUSED = 3,
    ADS_CLICK_UNFUNDED = 4,
    ADS_CLICK_TEST = 5,
    ADS_CLICK_BOT_UA = 16,
    ADS_CLICK_EMPTY_UA = 17,
    ADS_CLICK_RATE = 18,
    ADS_CLICK_TOO_FAST = 19,
    ADS_CLICK_BURST = 20,
    ADS_CLICK_REPEAT = 21,
    ADS_CLICK_OPERATOR = 22,
    ADS_CLICK_NOT_SHOWN = 23,
    ADS_CLICK_NOT_BILLABLE = 24,
    ADS_CLICK_UNKNOWN_AD = 25,
    ADS_CLICK_NOT_NAVIGATION = 26,
    ADS_CLICK_NOT_APPROVED = 27
};

struct ads_segment {
    char class; /* 'm' or 't' */
    uint8_t kid;
    uint8_t flags; /* ads_segment_flag; others mean nothing yet */
    uint32_t pid;
    uint64_t node;
    struct ads_uuid uuid;
    uint64_t start_ns;
    uint64_t monotonic_ns;
    uint32_t boot;
};

struct ads_click {
    struct ads_uuid click_id;
    struct ads_uuid request_id;
    struct ads_uuid ad_id;
    struct ads_uuid publisher;
    int64_t price_micros;
    uint64_t session_hash;
    uint64_t address_hash;
    uint32_t campaign_version;
    uint8_t class;
    char country[2];
    struct ads_placement placement;
};

struct ads_impression {
    struct ads_uuid request_id;
    struct ads_uuid ad_id;
    struct ads_uuid publisher;
    uint64_t session_hash;
    uint64_t occurred_ms;
};

struct ads_shown {
    struct ads_uuid ad_id;
    int64_t price_micros;
    uint32_t campaign_version;
};

struct ads_show {
    struct ads_uuid request_id;
    struct ads_uuid publisher;
    uint64_t session_hash;
    char country[2];
    struct ads_placement placement;
    uint32_t n;
    struct ads_shown shown[ADS_DECISION_MAX];
};

struct ads_no_ad {
    struct ads_uuid publisher;
    uint64_t bucket_s;
    uint32_t count;
    uint8_t reason; /* enum ads_reason */
    struct ads_placement placement;
    char country[2]; /* zeros: not known */
};

struct ads_no_ads {
    uint32_t n;
    struct ads_no_ad counts[ADS_NO_AD_MAX];
};

struct ads_auction_count {
    struct ads_uuid campaign;
    uint32_t count;
    uint8_t outcome;
};

struct ads_auction_counts {
    uint32_t n;
    uint64_t bucket_s;
    struct ads_auction_count counts[ADS_AUCTION_COUNTS_MAX];
};

struct ads_event {
    uint64_t seq;
    uint64_t at_us;
    uint16_t type;
    uint16_t flags;
    union {
        struct ads_click click;
        struct ads_impression impression;
        struct ads_show show;
        struct ads_no_ads no_ads;
        struct ads_auction_counts auctions;
    };
};

/* What signs the records of one segment. */
struct ads_event_seal {
    const struct ads_ring_key *key;
    struct ads_uuid segment;
};

/* The class's stable text, such as "valid" or "invalid:bot_ua"; NULL when the
 * number means nothing. */
const char *ads_click_class_name(uint8_t class);

/* Writes the 64 bytes of a segment's header. */
void
ads_segment_write(uint8_t dst[ADS_SEGMENT_HEADER_LEN],
                  const struct ads_segment *segment);

/* ADS_DAMAGED, or ADS_UNSUPPORTED for a format or byte order not known. */
ADS_MUST enum ads_err
ads_segment_read(struct ads_segment *segment, const void *bytes, size_t len);

/*
 * Encodes the record, not yet signed, into `dst`, which has ADS_RECORD_MAX
 * bytes and is 8-byte aligned.  Returns its length.  `seq` is ignored here.
 */
size_t
ads_event_write(uint8_t *dst, const struct ads_event *event);

/*
 * Signs an encoded record for its place: segment, offset and sequence number.
 * May be called again when the record has to move to another segment.
 */
void
ads_event_stamp(uint8_t *record, const struct ads_event_seal *seal,
                uint64_t offset, uint64_t seq);

/*
 * Reads the record at `bytes`, which lies at `offset` of its segment.  *used is
 * its length when the result is ADS_OK or ADS_UNSUPPORTED (authentic, of a type
 * not known).  ADS_BUSY: the record is not all there yet.  ADS_DAMAGED: these
 * bytes are no record of this segment and place.
 */
ADS_MUST enum ads_err
ads_event_read(struct ads_event *event, size_t *used, const void *bytes,
               size_t len, const struct ads_event_seal *seal, uint64_t offset);

#endif
