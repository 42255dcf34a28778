/*
 * Lines of files: plain and packed, however they are cut into blocks, and what
 * is cut, damaged or endless is reported and never taken for the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adsd/catalog/feed.c"

#define PATH_LEN 64

struct text {
    char *bytes;
    size_t len;
};

/* A file of those bytes; its path, to be given to file_drop(). */
static void
file_make(char path[PATH_LEN], const void *bytes, size_t len)
{
    FILE *file;
    int fd;

    strcpy(path, "/tmp/ads-feed-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}


static struct text
gzip(const char *bytes, size_t len)
{
    z_stream stream = {0};
    struct text packed = {.len = len + 1024};

    packed.bytes = malloc(packed.len);
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, GZIP_WINDOW, 8,
                                  Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)len;
    stream.next_out = (Bytef *)packed.bytes;
    stream.avail_out = (uInt)packed.len;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.len -= stream.avail_out;
    deflateEnd(&stream);
    return packed;
}


/* One frame, without a checksum behind it: nothing follows the last block. */
static struct text
zstd(const char *bytes, size_t len)
{
    struct text packed = {.len = ZSTD_compressBound(len)};

    packed.bytes = malloc(packed.len);
    packed.len = ZSTD_compress(packed.bytes, packed.len, bytes, len, 3);
    assert_false(ZSTD_isError(packed.len));
    return packed;
}


/* Reads everything; the lines joined by '|', and how it ended. */
static enum ads_err
read_all(const void *bytes, size_t len, char *joined, size_t room)
{
    struct feed *feed;
    char path[PATH_LEN], *line;
    size_t n, used = 0;
    enum ads_err err;

    file_make(path, bytes, len);
    assert_int_equal(feed_open(&feed, path), ADS_OK);
    assert_int_equal(unlink(path), 0);

    while ((err = feed_line(feed, &line, &n)) == ADS_OK || err == ADS_TOO_LARGE)
    {
        if (err == ADS_TOO_LARGE) {
            line = "(long)";
            n = strlen(line);
        }
        assert_true(used + n + 2 < room);
        memcpy(joined + used, line, n);
        used += n;
        joined[used++] = '|';
    }
    joined[used] = '\0';
    feed_close(feed);
    return err;
}


static void
expect(const char *bytes, size_t len, enum ads_err end, const char *lines)
{
    static char joined[2 * FEED_LINE_MAX];

    assert_int_equal(read_all(bytes, len, joined, sizeof(joined)), end);
    assert_string_equal(joined, lines);
}


static void
lines_end_in_lf_or_crlf_or_the_file(void **state)
{
    (void)state;
    expect("", 0, ADS_ABSENT, "");
    expect("\n", 1, ADS_ABSENT, "|");
    expect("a", 1, ADS_ABSENT, "a|");
    expect("a\nb\n", 4, ADS_ABSENT, "a|b|");
    expect("a\r\nb\r\n", 6, ADS_ABSENT, "a|b|");
    expect("a\r\n\r\nb", 6, ADS_ABSENT, "a||b|");
    expect("a\rb\n", 4, ADS_ABSENT, "a\rb|");
}


static void
a_byte_order_mark_is_no_text(void **state)
{
    (void)state;
    expect("\xef\xbb\xbf"
           "a\nb",
           6, ADS_ABSENT, "a|b|");
    expect("\xef\xbb\xbf", 3, ADS_ABSENT, "");
    expect("a\n\xef\xbb\xbf"
           "b",
           6, ADS_ABSENT,
           "a|\xef\xbb\xbf"
           "b|");
}


static void
packed_files_are_told_by_their_first_bytes(void **state)
{
    struct text gz = gzip("a\r\nb", 4), zst = zstd("a\r\nb", 4);
    char both[256];

    (void)state;
    expect(gz.bytes, gz.len, ADS_ABSENT, "a|b|");
    expect(zst.bytes, zst.len, ADS_ABSENT, "a|b|");

    /* several, one behind the other, are one text */
    memcpy(both, gz.bytes, gz.len);
    memcpy(both + gz.len, gz.bytes, gz.len);
    expect(both, 2 * gz.len, ADS_ABSENT, "a|ba|b|");
    memcpy(both, zst.bytes, zst.len);
    memcpy(both + zst.len, zst.bytes, zst.len);
    expect(both, 2 * zst.len, ADS_ABSENT, "a|ba|b|");

    free(gz.bytes);
    free(zst.bytes);
}


/* At every length, a cut file ends in ADS_DAMAGED, and whole lines before the
 * cut are given out. */
static void
a_cut_file_is_never_taken_for_a_whole_one(void **state)
{
    static const char text[] = "first line\nsecond line\n";
    struct text packed[] = {gzip(text, sizeof(text) - 1),
                            zstd(text, sizeof(text) - 1)};
    char joined[256];

    (void)state;
    for (int i = 0; i < 2; i++) {
        for (size_t len = 4; len < packed[i].len; len++) {
            assert_int_equal(
                read_all(packed[i].bytes, len, joined, sizeof(joined)),
                ADS_DAMAGED);
        }
        free(packed[i].bytes);
    }
}


static void
flipped_bytes_are_damage_or_other_lines_and_nothing_worse(void **state)
{
    char text[4096], *joined = malloc(1 << 20);
    struct text packed[2];
    int n_damaged = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i % 64 == 63 ? '\n' : (char)('a' + i * 7 % 26);
    }
    packed[0] = gzip(text, sizeof(text));
    packed[1] = zstd(text, sizeof(text));
    for (int i = 0; i < 2; i++) {
        for (size_t at = 4; at < packed[i].len; at++) {
            packed[i].bytes[at] ^= 0x10;
            n_damaged +=
                read_all(packed[i].bytes, packed[i].len, joined, 1 << 20)
                == ADS_DAMAGED;
            packed[i].bytes[at] ^= 0x10;
        }
        free(packed[i].bytes);
    }
    assert_true(n_damaged > 0);
    free(joined);
}


/* Reads lines of 39 bytes, LF included, the last one cut by the end. */
static void
expect_numbered(const struct text *packed, const char *text, size_t len)
{
    struct feed *feed;
    char path[PATH_LEN], *line;
    size_t at, n;

    file_make(path, packed->bytes, packed->len);
    assert_int_equal(feed_open(&feed, path), ADS_OK);
    unlink(path);
    for (at = 0; at < len; at += n + 1) {
        assert_int_equal(feed_line(feed, &line, &n), ADS_OK);
        assert_int_equal(n, len - at < 39 ? len - at : 38);
        assert_memory_equal(line, text + at, n);
    }
    assert_int_equal(feed_line(feed, &line, &n), ADS_ABSENT);
    assert_int_equal(feed_permille(feed), 1000);
    feed_close(feed);
}


/* The whole packed file is read at once and what it holds fills the output
 * twice: the end of the input is not the end of the text. */
static void
a_small_file_may_hold_much(void **state)
{
    const size_t len = 2 * sizeof(((struct feed *)NULL)->out);
    char *text = malloc(len + 64), line[40];
    struct text packed;

    (void)state;
    for (size_t at = 0; at < len + 20; at += 39) {
        snprintf(line, sizeof(line), "%08zu %029d\n", at, 7);
        memcpy(text + at, line, len + 64 - at < 39 ? len + 64 - at : 39);
    }

    for (size_t n = len - 20; n < len + 20; n++) {
        if (text[n - 1] == '\n') {
            continue;
        }
        packed = zstd(text, n);
        assert_true(packed.len < BLOCK);
        expect_numbered(&packed, text, n);
        free(packed.bytes);
    }
    packed = gzip(text, len);
    assert_true(packed.len < BLOCK);
    expect_numbered(&packed, text, len);
    free(packed.bytes);
    free(text);
}


static void
a_line_too_long_is_stepped_over(void **state)
{
    size_t len = FEED_LINE_MAX + 16;
    char *text = malloc(4 * len);
    struct text packed;
    char *p;

    (void)state;
    memset(text, 'x', 4 * len);
    p = text + FEED_LINE_MAX; /* as long as a line may be */
    *p++ = '\n';
    *p++ = 'a';
    *p++ = '\n';
    {
        struct feed *feed;
        char path[PATH_LEN], *line;
        size_t n;

        file_make(path, text, (size_t)(p - text));
        assert_int_equal(feed_open(&feed, path), ADS_OK);
        unlink(path);
        assert_int_equal(feed_line(feed, &line, &n), ADS_OK);
        assert_int_equal(n, FEED_LINE_MAX);
        assert_int_equal(feed_line(feed, &line, &n), ADS_OK);
        assert_int_equal(n, 1);
        assert_int_equal(feed_line(feed, &line, &n), ADS_ABSENT);
        feed_close(feed);
    }

    memset(text, 'x', 4 * len);
    p = text;
    *p++ = 'a';
    *p++ = '\n';
    p += 3 * len; /* far longer than what is held at once */
    *p++ = '\n';
    *p++ = 'b';
    expect(text, (size_t)(p - text), ADS_ABSENT, "a|(long)|b|");
    packed = zstd(text, (size_t)(p - text));
    expect(packed.bytes, packed.len, ADS_ABSENT, "a|(long)|b|");
    free(packed.bytes);

    /* also when nothing follows it, and when the file is cut inside it */
    expect(text, 2 * len, ADS_ABSENT, "a|(long)|");
    packed = zstd(text, 2 * len);
    expect(packed.bytes, packed.len - 1, ADS_DAMAGED, "a|");
    free(packed.bytes);
    free(text);
}


static void
what_cannot_be_opened_is_told(void **state)
{
    struct feed *feed;

    (void)state;
    errno = 0;
    assert_int_equal(feed_open(&feed, "/nowhere/at/all"), ADS_IO);
    assert_int_equal(errno, ENOENT);
    assert_null(feed);
    assert_int_equal(feed_open(&feed, "/tmp"), ADS_IO);
    assert_int_equal(errno, EISDIR);
    feed_close(NULL);
}


static void
utf16_becomes_utf8(void **state)
{
    static char expected[2 * FEED_LINE_MAX], text[4 * FEED_LINE_MAX];
    size_t n = 0, m = 0;

    (void)state;
    expect("\xff\xfe"
           "a\0\r\0\n\0\xe9\0",
           10, ADS_ABSENT, "a|\xc3\xa9|");
    expect("\xfe\xff\0a\0\n\x20\xac", 8, ADS_ABSENT, "a|\xe2\x82\xac|");
    /* a pair, and halves of one */
    expect("\xff\xfe\x3d\xd8\x00\xde", 6, ADS_ABSENT, "\xf0\x9f\x98\x80|");
    expect("\xff\xfe\x3d\xd8"
           "a\0\x00\xde",
           8, ADS_ABSENT,
           "\xef\xbf\xbd"
           "a\xef\xbf\xbd|");
    expect("\xff\xfe\x3d\xd8", 4, ADS_ABSENT, "\xef\xbf\xbd|");
    expect("\xff\xfe"
           "a\0"
           "b",
           5, ADS_DAMAGED, "");
    expect("\xff\xfe", 2, ADS_ABSENT, "");

    /* over many blocks, in lines of three bytes a character */
    text[n++] = '\xff';
    text[n++] = '\xfe';
    for (int i = 0; i < 500000; i++) {
        bool end = i % 1000 == 999;

        text[n++] = end ? '\n' : '\xac';
        text[n++] = end ? '\0' : '\x20';
        memcpy(expected + m, end ? "|" : "\xe2\x82\xac", end ? 1 : 3);
        m += end ? 1 : 3;
    }
    expected[m] = '\0';
    expect(text, n, ADS_ABSENT, expected);
}


static void
what_comes_next_can_be_seen(void **state)
{
    struct feed *feed;
    char path[PATH_LEN], *line;
    const char *block;
    size_t n;

    (void)state;
    file_make(path,
              "\xef\xbb\xbf"
              "a\nb",
              6);
    assert_int_equal(feed_open(&feed, path), ADS_OK);
    assert_int_equal(unlink(path), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(feed_peek(feed, &block, &n), ADS_OK);
        assert_int_equal(n, 3);
        assert_memory_equal(block, "a\nb", 3);
    }
    assert_int_equal(feed_line(feed, &line, &n), ADS_OK);
    assert_int_equal(line[0], 'a');
    assert_int_equal(feed_block(feed, &block, &n), ADS_OK);
    assert_int_equal(n, 1);
    assert_int_equal(feed_block(feed, &block, &n), ADS_ABSENT);
    feed_close(feed);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_lf_or_crlf_or_the_file),
        cmocka_unit_test(a_byte_order_mark_is_no_text),
        cmocka_unit_test(packed_files_are_told_by_their_first_bytes),
        cmocka_unit_test(a_cut_file_is_never_taken_for_a_whole_one),
        cmocka_unit_test(
            flipped_bytes_are_damage_or_other_lines_and_nothing_worse),
        cmocka_unit_test(a_small_file_may_hold_much),
        cmocka_unit_test(a_line_too_long_is_stepped_over),
        cmocka_unit_test(utf16_becomes_utf8),
        cmocka_unit_test(what_comes_next_can_be_seen),
        cmocka_unit_test(what_cannot_be_opened_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
