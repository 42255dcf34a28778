/*
 * Encodes and decodes journal records.
 *
 * A signature covers the record with its MAC field 0, then the segment's uuid
 * and the offset.  SipHash takes one buffer, so the pieces are laid side by
 * side on the stack: a record is 4 KiB at most.
 */
#include "ads_event.h"

#include <sodium.h>

#define FORMAT 1
#define BOM 0x01020304u
#define CLICK_LEN 120
#define IMPRESSION_LEN 64
#define SHOW_LEN 72
#define SHOWN_LEN 28
#define NO_ADS_LEN 8
#define NO_AD_LEN 56
#define AUCTIONS_LEN 16
#define AUCTION_LEN 24
#define MAC_AT 8
#define ALIGN8(n) (((n) + 7) & ~(size_t)7)

_Static_assert(ADS_RECORD_HEADER_LEN + NO_ADS_LEN + ADS_NO_AD_MAX * NO_AD_LEN
                   <= ADS_RECORD_MAX,
               "the longest record of NO_AD counters fits");
_Static_assert(ADS_RECORD_HEADER_LEN + AUCTIONS_LEN
                       + ADS_AUCTION_COUNTS_MAX * AUCTION_LEN
                   <= ADS_RECORD_MAX,
               "the longest record of auction counters fits");

/* A growing write position: the caller's buffer is known to be long enough. */
struct out {
    uint8_t *at;
};


const char *
ads_click_class_name(uint8_t class)
{
    switch ((enum ads_click_class) class) {
    case ADS_CLICK_VALID:
        return "valid";
    case ADS_CLICK_DUPLICATE:
        return "duplicate";
    case ADS_CLICK_LATE:
        return "late";
    case ADS_CLICK_PAUSED:
        return "paused";
    case ADS_CLICK_UNFUNDED:
        return "unfunded";
    case ADS_CLICK_TEST:
        return "test";
    case ADS_CLICK_BOT_UA:
        return "invalid:bot_ua";
    case ADS_CLICK_EMPTY_UA:
        return "invalid:empty_ua";
    case ADS_CLICK_RATE:
        return "invalid:rate";
    case ADS_CLICK_TOO_FAST:
        return "invalid:too_fast";
    case ADS_CLICK_BURST:
        return "invalid:burst";
    case ADS_CLICK_REPEAT:
        return "invalid:repeat";
    case ADS_CLICK_OPERATOR:
        return "invalid:operator";
    case ADS_CLICK_NOT_SHOWN:
        return "invalid:not_shown";
    case ADS_CLICK_NOT_BILLABLE:
        return "invalid:not_billable";
    case ADS_CLICK_UNKNOWN_AD:
        return "invalid:unknown_ad";
    case ADS_CLICK_NOT_NAVIGATION:
        return "invalid:not_navigation";
    case ADS_CLICK_NOT_APPROVED:
        return "invalid:not_approved";
    }
    return NULL;
}


static void
put(struct out *out, const void *bytes, size_t len)
{
    memcpy(out->at, bytes, len);
    out->at += len;
}


static void
put_placement(struct out *out, const struct ads_placement *placement)
{
    put(out, &placement->len, 1);
    put(out, placement->text, ADS_PLACEMENT_MAX);
}


static void
put_zeros(struct out *out, size_t len)
{
    memset(out->at, 0, len);
    out->at += len;
}


void
ads_segment_write(uint8_t dst[ADS_SEGMENT_HEADER_LEN],
                  const struct ads_segment *segment)
{
    struct out out = {dst};
    uint32_t bom = BOM, crc;
    uint8_t format = FORMAT, class = (uint8_t)segment->class;

    put(&out, "ADSJ", 4);
    put(&out, &format, 1);
    put(&out, &class, 1);
    put(&out, &segment->kid, 1);
    put(&out, &segment->flags, 1);
    put(&out, &bom, 4);
    put(&out, &segment->pid, 4);
    put(&out, &segment->node, 8);
    put(&out, segment->uuid.b, 16);
    put(&out, &segment->start_ns, 8);
    put(&out, &segment->monotonic_ns, 8);
    put(&out, &segment->boot, 4);

    crc = ads_crc32c(0, dst, ADS_SEGMENT_HEADER_LEN - 4);
    put(&out, &crc, 4);
}


enum ads_err
ads_segment_read(struct ads_segment *segment, const void *bytes, size_t len)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    const uint8_t *magic = ads_cursor_peek(&cursor, 4);
    uint8_t format = ads_cursor_u8(&cursor);
    const uint8_t *uuid;
    uint32_t bom;

    segment->class = (char)ads_cursor_u8(&cursor);
    segment->kid = ads_cursor_u8(&cursor);
    segment->flags = ads_cursor_u8(&cursor);
    bom = ads_cursor_u32(&cursor);
    segment->pid = ads_cursor_u32(&cursor);
    segment->node = ads_cursor_u64(&cursor);
    uuid = ads_cursor_peek(&cursor, 16);
    segment->start_ns = ads_cursor_u64(&cursor);
    segment->monotonic_ns = ads_cursor_u64(&cursor);
    segment->boot = ads_cursor_u32(&cursor);

    if (ads_cursor_u32(&cursor)
            != (cursor.ok ? ads_crc32c(0, bytes, ADS_SEGMENT_HEADER_LEN - 4)
                          : 0)
        || !cursor.ok || memcmp(magic, "ADSJ", 4) != 0)
    {
        return ADS_DAMAGED;
    }
    if (format != FORMAT || bom != BOM) {
        return ADS_UNSUPPORTED;
    }
    if (segment->class != 'm' && segment->class != 't') {
        return ADS_DAMAGED;
    }

    memcpy(segment->uuid.b, uuid, 16);
    return ADS_OK;
}


static void
put_click(struct out *out, const struct ads_click *click)
{
    put(out, click->click_id.b, 16);
    put(out, click->request_id.b, 16);
    put(out, click->ad_id.b, 16);
    put(out, click->publisher.b, 16);
    put(out, &click->price_micros, 8);
    put(out, &click->session_hash, 8);
    put(out, &click->address_hash, 8);
    put(out, &click->campaign_version, 4);
    put(out, &click->class, 1);
    put(out, click->country, 2);
    put_placement(out, &click->placement);
}


static void
put_impression(struct out *out, const struct ads_impression *impression)
{
    put(out, impression->request_id.b, 16);
    put(out, impression->ad_id.b, 16);
    put(out, impression->publisher.b, 16);
    put(out, &impression->session_hash, 8);
    put(out, &impression->occurred_ms, 8);
}


static void
put_show(struct out *out, const struct ads_show *show)
{
    uint8_t n = (uint8_t)show->n;

    put(out, show->request_id.b, 16);
    put(out, show->publisher.b, 16);
    put(out, &show->session_hash, 8);
    put(out, show->country, 2);
    put_placement(out, &show->placement);
    put(out, &n, 1);
    put_zeros(out, 4);

    for (uint32_t i = 0; i < show->n; i++) {
        put(out, show->shown[i].ad_id.b, 16);
        put(out, &show->shown[i].price_micros, 8);
        put(out, &show->shown[i].campaign_version, 4);
    }
}


static void
put_no_ads(struct out *out, const struct ads_no_ads *no_ads)
{
    put(out, &no_ads->n, 4);
    put_zeros(out, 4);

    for (uint32_t i = 0; i < no_ads->n; i++) {
        const struct ads_no_ad *count = &no_ads->counts[i];

        put(out, count->publisher.b, 16);
        put(out, &count->bucket_s, 8);
        put(out, &count->count, 4);
        put(out, &count->reason, 1);
        put_placement(out, &count->placement);
        put(out, count->country, 2);
    }
}


static void
put_auctions(struct out *out, const struct ads_auction_counts *auctions)
{
    put(out, &auctions->n, 4);
    put_zeros(out, 4);
    put(out, &auctions->bucket_s, 8);

    for (uint32_t i = 0; i < auctions->n; i++) {
        const struct ads_auction_count *count = &auctions->counts[i];

        put(out, count->campaign.b, 16);
        put(out, &count->count, 4);
        put(out, &count->outcome, 1);
        put_zeros(out, 3);
    }
}


size_t
ads_event_write(uint8_t *dst, const struct ads_event *event)
{
    struct out out = {dst};
    uint32_t len;

    put_zeros(&out, 24);
    put(&out, &event->at_us, 8);
    put(&out, &event->type, 2);
    put(&out, &event->flags, 2);
    put_zeros(&out, 4);

    switch ((enum ads_event_type)event->type) {
    case ADS_EVENT_CLICK:
        put_click(&out, &event->click);
        break;
    case ADS_EVENT_IMPRESSION:
        put_impression(&out, &event->impression);
        break;
    case ADS_EVENT_DECISION:
        put_show(&out, &event->show);
        break;
    case ADS_EVENT_NO_AD:
        put_no_ads(&out, &event->no_ads);
        break;
    case ADS_EVENT_AUCTIONS:
        put_auctions(&out, &event->auctions);
        break;
    }

    put_zeros(&out, ALIGN8((size_t)(out.at - dst)) - (size_t)(out.at - dst));
    len = (uint32_t)(out.at - dst);
    memcpy(dst, &len, 4);
    return len;
}


static uint64_t
mac(const uint8_t *record, size_t len, const struct ads_event_seal *seal,
    uint64_t offset)
{
    uint8_t bytes[ADS_RECORD_MAX + 16 + 8];

    memcpy(bytes, record, len);
    memset(bytes + MAC_AT, 0, 8);
    memcpy(bytes + len, seal->segment.b, 16);
    memcpy(bytes + len + 16, &offset, 8);
    return ads_ring_hash(seal->key->journal, bytes, len + 16 + 8);
}


void
ads_event_stamp(uint8_t *record, const struct ads_event_seal *seal,
                uint64_t offset, uint64_t seq)
{
    uint64_t value;
    uint32_t len;

    memcpy(&len, record, 4);
    memcpy(record + 16, &seq, 8);
    value = mac(record, len, seal, offset);
    memcpy(record + MAC_AT, &value, 8);
}


static void
get_id(struct ads_cursor *cursor, struct ads_uuid *id)
{
    const uint8_t *bytes = ads_cursor_peek(cursor, 16);

    if (bytes != NULL) {
        memcpy(id->b, bytes, 16);
    }
}


static void
get_country(struct ads_cursor *cursor, char country[2])
{
    const uint8_t *bytes = ads_cursor_peek(cursor, 2);

    if (bytes != NULL) {
        memcpy(country, bytes, 2);
    }
}


static void
get_placement(struct ads_cursor *cursor, struct ads_placement *placement)
{
    const uint8_t *text;

    placement->len = ads_cursor_u8(cursor);
    text = ads_cursor_peek(cursor, ADS_PLACEMENT_MAX);
    if (text == NULL || placement->len > ADS_PLACEMENT_MAX) {
        cursor->ok = false;
        return;
    }
    memcpy(placement->text, text, ADS_PLACEMENT_MAX);
}


static void
get_click(struct ads_cursor *cursor, struct ads_click *click)
{
    get_id(cursor, &click->click_id);
    get_id(cursor, &click->request_id);
    get_id(cursor, &click->ad_id);
    get_id(cursor, &click->publisher);
    click->price_micros = (int64_t)ads_cursor_u64(cursor);
    click->session_hash = ads_cursor_u64(cursor);
    click->address_hash = ads_cursor_u64(cursor);
    click->campaign_version = ads_cursor_u32(cursor);
    click->class = ads_cursor_u8(cursor);
    get_country(cursor, click->country);
    get_placement(cursor, &click->placement);
}


static void
get_impression(struct ads_cursor *cursor, struct ads_impression *impression)
{
    get_id(cursor, &impression->request_id);
    get_id(cursor, &impression->ad_id);
    get_id(cursor, &impression->publisher);
    impression->session_hash = ads_cursor_u64(cursor);
    impression->occurred_ms = ads_cursor_u64(cursor);
}


static void
get_show(struct ads_cursor *cursor, struct ads_show *show)
{
    get_id(cursor, &show->request_id);
    get_id(cursor, &show->publisher);
    show->session_hash = ads_cursor_u64(cursor);
    get_country(cursor, show->country);
    get_placement(cursor, &show->placement);
    show->n = ads_cursor_u8(cursor);
    (void)ads_cursor_u32(cursor);

    if (show->n > ADS_DECISION_MAX) {
        cursor->ok = false;
        return;
    }

    for (uint32_t i = 0; i < show->n; i++) {
        get_id(cursor, &show->shown[i].ad_id);
        show->shown[i].price_micros = (int64_t)ads_cursor_u64(cursor);
        show->shown[i].campaign_version = ads_cursor_u32(cursor);
    }
}


static void
get_no_ads(struct ads_cursor *cursor, struct ads_no_ads *no_ads)
{
    no_ads->n = ads_cursor_u32(cursor);
    (void)ads_cursor_u32(cursor);

    if (no_ads->n > ADS_NO_AD_MAX) {
        cursor->ok = false;
        return;
    }

    for (uint32_t i = 0; i < no_ads->n; i++) {
        struct ads_no_ad *count = &no_ads->counts[i];

        get_id(cursor, &count->publisher);
        count->bucket_s = ads_cursor_u64(cursor);
        count->count = ads_cursor_u32(cursor);
        count->reason = ads_cursor_u8(cursor);
        get_placement(cursor, &count->placement);
        get_country(cursor, count->country);
    }
}


static void
get_auctions(struct ads_cursor *cursor, struct ads_auction_counts *auctions)
{
    auctions->n = ads_cursor_u32(cursor);
    (void)ads_cursor_u32(cursor);
    auctions->bucket_s = ads_cursor_u64(cursor);

    if (auctions->n > ADS_AUCTION_COUNTS_MAX) {
        cursor->ok = false;
        return;
    }

    for (uint32_t i = 0; i < auctions->n; i++) {
        struct ads_auction_count *count = &auctions->counts[i];

        get_id(cursor, &count->campaign);
        count->count = ads_cursor_u32(cursor);
        count->outcome = ads_cursor_u8(cursor);
        (void)ads_cursor_u8(cursor);
        (void)ads_cursor_u16(cursor);
    }
}


/* The payload of an authentic record. */
static enum ads_err
payload_read(struct ads_event *event, struct ads_cursor *cursor)
{
    switch ((enum ads_event_type)event->type) {
    case ADS_EVENT_CLICK:
        get_click(cursor, &event->click);
        break;
    case ADS_EVENT_IMPRESSION:
        get_impression(cursor, &event->impression);
        break;
    case ADS_EVENT_DECISION:
        get_show(cursor, &event->show);
        break;
    case ADS_EVENT_NO_AD:
        get_no_ads(cursor, &event->no_ads);
        break;
    case ADS_EVENT_AUCTIONS:
        get_auctions(cursor, &event->auctions);
        break;
    default:
        return ADS_UNSUPPORTED;
    }

    /* authentic, yet not what its type says: set aside like a type unknown */
    return cursor->ok ? ADS_OK : ADS_UNSUPPORTED;
}


enum ads_err
ads_event_read(struct ads_event *event, size_t *used, const void *bytes,
               size_t len, const struct ads_event_seal *seal, uint64_t offset)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    uint32_t size = ads_cursor_u32(&cursor);
    uint64_t signature;

    if (!cursor.ok) {
        return ADS_BUSY;
    }
    if (size < ADS_RECORD_HEADER_LEN || size > ADS_RECORD_MAX || size % 8 != 0)
    {
        return ADS_DAMAGED;
    }
    if (size > len) {
        return ADS_BUSY;
    }

    cursor.last = (const uint8_t *)bytes + size;
    (void)ads_cursor_u32(&cursor);
    signature = ads_cursor_u64(&cursor);
    event->seq = ads_cursor_u64(&cursor);
    event->at_us = ads_cursor_u64(&cursor);
    event->type = ads_cursor_u16(&cursor);
    event->flags = ads_cursor_u16(&cursor);
    (void)ads_cursor_u32(&cursor);

    if (mac(bytes, size, seal, offset) != signature) {
        return ADS_DAMAGED;
    }

    *used = size;
    return payload_read(event, &cursor);
}
