/*
 * A journal record is read where it was written, whole, or not at all.
 */
#include "core/ads_event.c"

#include <stdlib.h>

#include "ring.h"

static const struct ads_uuid segment_id = {"segment-0123456"};

static struct ads_event
click_event(void)
{
    return (struct ads_event){
        .at_us = 1790000000000000,
        .type = ADS_EVENT_CLICK,
        .flags = ADS_EVENT_TEST,
        .click =
            {
                .click_id = {"click-0123456789"},
                .request_id = {"request-01234567"},
                .ad_id = {"ad-0123456789012"},
                .publisher = {"publisher-012345"},
                .price_micros = -5,
                .session_hash = 6,
                .address_hash = 7,
                .campaign_version = 8,
                .class = ADS_CLICK_OPERATOR,
                .country = {'F', 'R'},
                .placement = {6, "inline"},
            },
    };
}


static size_t
write_at(uint8_t *bytes, const struct ads_event *event,
         const struct ads_ring_key *key, uint64_t offset, uint64_t seq)
{
    struct ads_event_seal seal = {key, segment_id};
    size_t len = ads_event_write(bytes, event);

    assert_int_equal(len % 8, 0);
    ads_event_stamp(bytes, &seal, offset, seq);
    return len;
}


static void
reads_back(const struct ads_event *event, size_t payload_len)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_event_seal seal = {key, segment_id};
    uint8_t bytes[ADS_RECORD_MAX], again[ADS_RECORD_MAX];
    struct ads_event back;
    size_t used, len = write_at(bytes, event, key, 4096, 17);

    assert_int_equal(len, ADS_RECORD_HEADER_LEN + payload_len);
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 4096),
                     ADS_OK);
    assert_int_equal(used, len);
    assert_true(back.seq == 17 && back.at_us == event->at_us
                && back.type == event->type && back.flags == event->flags);

    /* what was read encodes to the same bytes: nothing was lost */
    assert_int_equal(write_at(again, &back, key, 4096, 17), len);
    assert_memory_equal(bytes, again, len);
}


static void
every_kind_of_record_is_read_back(void **state)
{
    struct ads_event event = click_event();

    (void)state;
    reads_back(&event, CLICK_LEN);

    event = (struct ads_event){
        .type = ADS_EVENT_IMPRESSION,
        .impression = {.ad_id = {"ad"}, .session_hash = 3, .occurred_ms = 4}};
    reads_back(&event, IMPRESSION_LEN);

    for (uint32_t n = 1; n <= ADS_DECISION_MAX; n++) {
        event = (struct ads_event){.type = ADS_EVENT_DECISION,
                                   .show = {.n = n, .country = {'U', 'S'}}};
        event.show.shown[n - 1].price_micros = n;
        reads_back(&event, ALIGN8(SHOW_LEN + n * SHOWN_LEN));
    }

    event = (struct ads_event){.type = ADS_EVENT_NO_AD,
                               .no_ads = {.n = ADS_NO_AD_MAX}};
    event.no_ads.counts[63].count = 9;
    memcpy(event.no_ads.counts[63].country, "NL", 2);
    reads_back(&event, NO_ADS_LEN + ADS_NO_AD_MAX * NO_AD_LEN);

    event = (struct ads_event){
        .type = ADS_EVENT_AUCTIONS,
        .auctions = {.n = ADS_AUCTION_COUNTS_MAX, .bucket_s = 1763769600}};
    event.auctions.counts[0].campaign.b[15] = 1;
    event.auctions.counts[159].count = UINT32_MAX;
    event.auctions.counts[159].outcome = 31;
    reads_back(&event,
               AUCTIONS_LEN + ADS_AUCTION_COUNTS_MAX * (size_t)AUCTION_LEN);
}


static void
no_byte_of_a_record_can_be_changed(void **state)
{
    struct ads_ring ring = t_ring();
    const struct ads_ring_key *key = ads_ring_seal(&ring);
    struct ads_event_seal seal = {key, segment_id};
    struct ads_event back, event = click_event();
    uint8_t bytes[ADS_RECORD_MAX];
    size_t used, len = write_at(bytes, &event, key, 64, 1);

    (void)state;
    for (size_t at = 0; at < len; at++) {
        for (int bit = 0; bit < 8; bit++) {
            enum ads_err err;

            bytes[at] ^= (uint8_t)(1 << bit);
            err = ads_event_read(&back, &used, bytes, len, &seal, 64);
            if (err != ADS_DAMAGED && err != ADS_BUSY) {
                fail_msg("byte %zu bit %d: %s", at, bit, ads_strerror(err));
            }
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    }
}


static void
a_record_of_another_place_is_refused(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_event_seal seal = {ads_ring_seal(&ring), segment_id};
    struct ads_event back, event = click_event();
    uint8_t bytes[ADS_RECORD_MAX];
    size_t used, len = write_at(bytes, &event, seal.key, 64, 1);

    (void)state;
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 72),
                     ADS_DAMAGED);
    seal.segment.b[15] ^= 1;
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 64),
                     ADS_DAMAGED);
    seal.segment.b[15] ^= 1;
    seal.key = &ring.keys[0];
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 64),
                     ADS_DAMAGED);
}


static void
a_record_may_be_stamped_again_for_another_place(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_event_seal seal = {ads_ring_seal(&ring), segment_id};
    struct ads_event back, event = click_event();
    uint8_t bytes[ADS_RECORD_MAX];
    size_t used, len = write_at(bytes, &event, seal.key, 64, 1);

    (void)state;
    ads_event_stamp(bytes, &seal, 8000, 2);
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 8000),
                     ADS_OK);
    assert_true(back.seq == 2);
}


static void
a_record_that_is_not_all_there_is_waited_for(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_event_seal seal = {ads_ring_seal(&ring), segment_id};
    struct ads_event back, event = click_event();
    uint8_t bytes[ADS_RECORD_MAX];
    size_t used, len = write_at(bytes, &event, seal.key, 64, 1);

    (void)state;
    for (size_t have = 0; have < len; have++) {
        uint8_t *part = malloc(have + (have == 0));

        memcpy(part, bytes, have);
        assert_int_equal(ads_event_read(&back, &used, part, have, &seal, 64),
                         ADS_BUSY);
        free(part);
    }
}


static void
an_authentic_record_of_unknown_type_is_told_apart(void **state)
{
    struct ads_ring ring = t_ring();
    struct ads_event_seal seal = {ads_ring_seal(&ring), segment_id};
    struct ads_event back, event = click_event();
    uint8_t bytes[ADS_RECORD_MAX];
    size_t used = 0, len = ads_event_write(bytes, &event);

    (void)state;
    bytes[32] = 200;
    ads_event_stamp(bytes, &seal, 64, 1);
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 64),
                     ADS_UNSUPPORTED);
    assert_int_equal(used, len);

    /* a placement longer than its field is authentic, yet no click */
    ads_event_write(bytes, &event);
    bytes[ADS_RECORD_HEADER_LEN + 95] = 25;
    ads_event_stamp(bytes, &seal, 64, 1);
    assert_int_equal(ads_event_read(&back, &used, bytes, len, &seal, 64),
                     ADS_UNSUPPORTED);
}


static void
a_segment_header_is_read_back(void **state)
{
    struct ads_segment back, segment = {
                                 .class = 'm',
                                 .kid = 2,
                                 .flags = ADS_SEGMENT_NO_SYNC,
                                 .pid = 4711,
                                 .node = 0xfeedfacecafebeef,
                                 .uuid = {"segment-0123456"},
                                 .start_ns = 1,
                                 .monotonic_ns = 2,
                                 .boot = 3,
                             };
    uint8_t bytes[ADS_SEGMENT_HEADER_LEN];

    (void)state;
    ads_segment_write(bytes, &segment);
    assert_int_equal(ads_segment_read(&back, bytes, sizeof(bytes)), ADS_OK);
    assert_true(back.class == 'm' && back.kid == 2
                && back.flags == ADS_SEGMENT_NO_SYNC && back.pid == 4711
                && back.node == segment.node && back.start_ns == 1
                && back.monotonic_ns == 2 && back.boot == 3
                && ads_uuid_equal(&back.uuid, &segment.uuid));

    for (size_t at = 0; at < sizeof(bytes); at++) {
        bytes[at] ^= 0x10;
        assert_int_not_equal(ads_segment_read(&back, bytes, sizeof(bytes)),
                             ADS_OK);
        bytes[at] ^= 0x10;
    }
    for (size_t len = 0; len < sizeof(bytes); len++) {
        assert_int_equal(ads_segment_read(&back, bytes, len), ADS_DAMAGED);
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_record_is_read_back),
        cmocka_unit_test(no_byte_of_a_record_can_be_changed),
        cmocka_unit_test(a_record_of_another_place_is_refused),
        cmocka_unit_test(a_record_may_be_stamped_again_for_another_place),
        cmocka_unit_test(a_record_that_is_not_all_there_is_waited_for),
        cmocka_unit_test(an_authentic_record_of_unknown_type_is_told_apart),
        cmocka_unit_test(a_segment_header_is_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
