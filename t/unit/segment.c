/*
 * Segments: what is read, what is waited for, what is a torn tail and what is
 * a hole, from the file and from datagrams.
 */
#include "../../adsd/journal/segment.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../lib/journal_writer.h"

struct fixture {
    char folder[64];
    int dir;
    struct ads_ring ring;
    struct journal_writer writer;
    struct segment *segment;
    uint8_t *buffer;
};


static struct ads_event
impression(uint64_t at_us)
{
    return (struct ads_event){.at_us = at_us,
                              .type = ADS_EVENT_IMPRESSION,
                              .impression = {.occurred_ms = at_us}};
}


static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    strcpy(f->folder, "/tmp/adsunitXXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->dir = open(f->folder, O_RDONLY | O_DIRECTORY);
    f->buffer = xmalloc(SEGMENT_BUFFER_LEN);
    journal_ring(&f->ring, 7);
    journal_open(&f->writer, f->folder, &f->ring, 42, 'm');
    assert_int_equal(
        segment_open(&f->segment, f->dir, f->writer.name, &f->ring), ADS_OK);
    *state = f;
    return 0;
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;

    segment_close(f->segment);
    if (f->writer.fd >= 0) {
        journal_close(&f->writer);
    }
    unlinkat(f->dir, f->writer.name, 0);
    close(f->dir);
    rmdir(f->folder);
    free(f->buffer);
    free(f);
    return 0;
}


static struct segment_reader
begin(struct fixture *f)
{
    assert_int_equal(segment_probe(f->segment), ADS_OK);
    return segment_reader_init(f->segment, ADS_SEGMENT_HEADER_LEN, 0,
                               f->buffer);
}


/* Reads n records numbered from `from`; then what comes is `end`. */
static void
expect(struct segment_reader *reader, uint64_t from, uint64_t n,
       enum ads_err end)
{
    struct segment_item item;

    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(segment_next(reader, &item), ADS_OK);
        assert_int_equal(item.kind, SEGMENT_RECORD);
        assert_int_equal(item.event.at_us, from + i);
    }
    assert_int_equal(segment_next(reader, &item), end);
}


static void
append(struct fixture *f, uint64_t from, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct ads_event event = impression(from + i);

        journal_append(&f->writer, &event);
    }
}


static void
test_live_then_final(void **state)
{
    struct fixture *f = *state;
    struct segment_reader reader = begin(f);

    expect(&reader, 0, 0, ADS_BUSY);
    append(f, 1, 3);
    reader = begin(f);
    expect(&reader, 1, 3, ADS_BUSY);
    assert_false(f->segment->final);

    append(f, 4, 20000);
    journal_close(&f->writer);
    assert_int_equal(segment_probe(f->segment), ADS_OK);
    assert_true(f->segment->final);
    expect(&reader, 4, 20000, ADS_ABSENT);
    assert_int_equal(reader.off, f->writer.off);
    assert_int_equal(reader.n_gaps, 0);
}


static void
test_incomplete_record_is_waited_for(void **state)
{
    struct fixture *f = *state;
    _Alignas(8) uint8_t record[ADS_RECORD_MAX];
    struct ads_event event = impression(2);
    struct segment_reader reader;
    size_t len;

    append(f, 1, 1);
    len = journal_encode(&f->writer, record, &event);
    journal_append_raw(&f->writer, record, 60);
    reader = begin(f);
    expect(&reader, 1, 1, ADS_BUSY);

    journal_append_raw(&f->writer, record + 60, len - 60);
    assert_int_equal(segment_probe(f->segment), ADS_OK);
    expect(&reader, 2, 1, ADS_BUSY);
}


static void
test_torn_tail_ends_a_final_segment(void **state)
{
    struct fixture *f = *state;
    _Alignas(8) uint8_t record[ADS_RECORD_MAX];
    struct ads_event event = impression(3);
    struct segment_reader reader;
    uint64_t end;

    append(f, 1, 2);
    end = f->writer.off;
    (void)journal_encode(&f->writer, record, &event);
    journal_append_raw(&f->writer, record, 50);
    journal_close(&f->writer);

    reader = begin(f);
    expect(&reader, 1, 2, ADS_ABSENT);
    assert_int_equal(reader.off, end);
}


static void
test_hole_keeps_what_follows(void **state)
{
    struct fixture *f = *state;
    struct segment_reader reader;
    struct segment_item item;
    uint64_t off;
    int fd;

    append(f, 1, 2);
    off = f->writer.off;
    append(f, 3, 40);
    append(f, 43, 2);
    fd = openat(f->dir, f->writer.name, O_WRONLY);
    for (uint64_t i = 0; i < 40; i++) {
        assert_int_equal(
            pwrite(fd, "\xff\xff\xff\xff\xff", 5, (off_t)(off + i * 104)), 5);
    }
    close(fd);

    reader = begin(f);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(segment_next(&reader, &item), ADS_OK);
    }
    assert_int_equal(segment_next(&reader, &item), ADS_OK);
    assert_int_equal(item.kind, SEGMENT_HOLE);
    assert_int_equal(item.off, off);
    assert_int_equal(item.len, 40 * 104);
    assert_int_equal(item.bytes_len, ADS_RECORD_MAX);
    expect(&reader, 43, 2, ADS_BUSY);

    journal_close(&f->writer);
    assert_int_equal(segment_probe(f->segment), ADS_OK);
    expect(&reader, 0, 0, ADS_ABSENT);
}


static void
test_every_flipped_bit_is_noticed(void **state)
{
    struct fixture *f = *state;
    struct segment_reader reader;
    struct segment_item item;
    uint8_t byte, flipped;
    int fd;

    append(f, 1, 2);
    journal_close(&f->writer);
    fd = openat(f->dir, f->writer.name, O_RDWR);

    for (uint64_t bit = 0; bit < 104 * 8; bit++) {
        off_t at = (off_t)(ADS_SEGMENT_HEADER_LEN + bit / 8);

        assert_int_equal(pread(fd, &byte, 1, at), 1);
        flipped = byte ^ (uint8_t)(1u << (bit % 8));
        assert_int_equal(pwrite(fd, &flipped, 1, at), 1);

        reader = begin(f);
        assert_int_equal(segment_next(&reader, &item), ADS_OK);
        assert_int_equal(item.kind, SEGMENT_HOLE);
        assert_int_equal(item.len, 104);
        expect(&reader, 2, 1, ADS_ABSENT);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
}


static void
test_foreign_records_never_verify(void **state)
{
    struct fixture *f = *state;
    struct ads_event event = impression(1);
    struct journal_writer other = f->writer;
    _Alignas(8) uint8_t record[ADS_RECORD_MAX];
    struct segment_reader reader;
    size_t len;

    other.seal.segment.b[0] ^= 1;
    len = journal_encode(&other, record, &event);
    journal_append_raw(&f->writer, record, len);
    journal_close(&f->writer);
    reader = begin(f);
    expect(&reader, 0, 0, ADS_ABSENT);
}


static void
test_unknown_type_is_handed_out(void **state)
{
    struct fixture *f = *state;
    _Alignas(8) uint8_t record[ADS_RECORD_MAX];
    struct ads_event event = impression(1);
    struct segment_reader reader;
    struct segment_item item;
    size_t len = ads_event_write(record, &event);

    record[32] = 99;
    ads_event_stamp(record, &f->writer.seal, f->writer.off, ++f->writer.seq);
    journal_append_raw(&f->writer, record, len);
    append(f, 2, 1);

    reader = begin(f);
    assert_int_equal(segment_next(&reader, &item), ADS_OK);
    assert_int_equal(item.kind, SEGMENT_UNKNOWN);
    assert_int_equal(item.event.type, 99);
    assert_int_equal(item.len, len);
    expect(&reader, 2, 1, ADS_BUSY);
}


static void
test_datagrams_save_the_read(void **state)
{
    struct fixture *f = *state;
    _Alignas(8) uint8_t records[3][ADS_RECORD_MAX];
    uint64_t offs[3];
    size_t lens[3];
    struct segment_reader reader;
    struct segment *s = f->segment;

    for (uint64_t i = 0; i < 3; i++) {
        struct ads_event event = impression(i + 1);

        offs[i] = f->writer.off;
        lens[i] = journal_encode(&f->writer, records[i], &event);
        journal_append_raw(&f->writer, records[i], lens[i]);
    }

    /* one that is neither at the cursor nor continues is dropped */
    segment_feed(s, 64, offs[1], records[1], lens[1]);
    assert_int_equal(s->window_len, 0);
    segment_feed(s, 64, offs[0], records[0], lens[0]);
    segment_feed(s, 64, offs[1], records[1], lens[1]);
    assert_int_equal(s->window_len, lens[0] + lens[1]);

    reader = begin(f);
    expect(&reader, 1, 3, ADS_BUSY);

    /* what was committed makes room */
    segment_feed(s, offs[1], offs[2], records[2], lens[2]);
    assert_int_equal(s->window_off, offs[1]);
    assert_int_equal(s->window_len, lens[1] + lens[2]);
}


static void
test_a_lying_datagram_costs_nothing(void **state)
{
    struct fixture *f = *state;
    uint8_t junk[4000];
    struct segment_reader reader;

    append(f, 1, 2);
    memset(junk, 0x5a, sizeof(junk));
    segment_feed(f->segment, 64, 64, junk, sizeof(junk));
    assert_int_equal(f->segment->window_len, sizeof(junk));
    segment_feed(f->segment, 64, 65, junk, sizeof(junk));
    segment_feed(f->segment, 64, UINT64_MAX - 7, junk, sizeof(junk));

    reader = begin(f);
    expect(&reader, 1, 2, ADS_BUSY);
    assert_int_equal(f->segment->window_len, 0);
}


static void
test_headers_that_are_refused(void **state)
{
    struct fixture *f = *state;
    struct segment *segment;
    struct ads_ring other;
    int fd;

    journal_ring(&other, 8);
    other.keys[0].kid = 2;
    assert_int_equal(segment_open(&segment, f->dir, f->writer.name, &other),
                     ADS_DENIED);
    assert_int_equal(segment_open(&segment, f->dir, "absent.seg", &f->ring),
                     ADS_ABSENT);

    fd = openat(f->dir, "short.seg", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "ADSJ", 4), 4);
    close(fd);
    assert_int_equal(segment_open(&segment, f->dir, "short.seg", &f->ring),
                     ADS_DAMAGED);
    unlinkat(f->dir, "short.seg", 0);

    assert_int_equal(mkdirat(f->dir, "folder.seg", 0700), 0);
    assert_int_equal(segment_open(&segment, f->dir, "folder.seg", &f->ring),
                     ADS_DAMAGED);
    unlinkat(f->dir, "folder.seg", AT_REMOVEDIR);

    assert_int_equal(symlinkat(f->writer.name, f->dir, "link.seg"), 0);
    assert_int_equal(segment_open(&segment, f->dir, "link.seg", &f->ring),
                     ADS_DAMAGED);
    unlinkat(f->dir, "link.seg", 0);
}


static void
test_a_cursor_beyond_the_file_is_the_end(void **state)
{
    struct fixture *f = *state;
    struct segment_reader reader;
    struct segment_item item;

    append(f, 1, 1);
    journal_close(&f->writer);
    assert_int_equal(segment_probe(f->segment), ADS_OK);
    reader = segment_reader_init(f->segment, 100000, 900, f->buffer);
    assert_int_equal(segment_next(&reader, &item), ADS_ABSENT);
    assert_int_equal(reader.off, 100000);
}


#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_live_then_final),
        TEST(test_incomplete_record_is_waited_for),
        TEST(test_torn_tail_ends_a_final_segment),
        TEST(test_hole_keeps_what_follows),
        TEST(test_every_flipped_bit_is_noticed),
        TEST(test_foreign_records_never_verify),
        TEST(test_unknown_type_is_handed_out),
        TEST(test_datagrams_save_the_read),
        TEST(test_a_lying_datagram_costs_nothing),
        TEST(test_headers_that_are_refused),
        TEST(test_a_cursor_beyond_the_file_is_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
