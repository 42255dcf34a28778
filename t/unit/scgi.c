/*
 * SCGI heads as nginx sends them, cut, grown and forged; and a request over a
 * socket in pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "adsd/http/scgi.c"

/* The example of the protocol's own page, with what nginx adds. */
static const char whole[] = "70:"
                            "CONTENT_LENGTH\0"
                            "27\0"
                            "SCGI\0"
                            "1\0"
                            "REQUEST_METHOD\0"
                            "POST\0"
                            "REQUEST_URI\0"
                            "/deepthought\0"
                            ","
                            "What is the answer to life?";

#define WHOLE_LEN (sizeof(whole) - 1)
#define HEAD_LEN 74


static enum ads_err
read_text(const char *text, size_t len, struct scgi_head *head)
{
    size_t used;

    return scgi_head_read(head, text, len, &used);
}


static void
test_a_head_is_read(void **state)
{
    struct scgi_head head;
    struct ads_str value;
    size_t used;

    (void)state;
    assert_int_equal(scgi_head_read(&head, whole, WHOLE_LEN, &used), ADS_OK);
    assert_int_equal(used, HEAD_LEN);
    assert_int_equal(head.content_length, 27);
    assert_int_equal(head.n, 4);
    value = scgi_find(&head, "REQUEST_URI");
    assert_int_equal(value.len, 12);
    assert_memory_equal(value.ptr, "/deepthought", 12);
    assert_null(scgi_find(&head, "REQUEST_UR").ptr);
    assert_null(scgi_find(&head, "HTTP_X").ptr);
}


static void
test_every_cut_head_waits_for_more(void **state)
{
    struct scgi_head head;

    (void)state;
    for (size_t len = 0; len < HEAD_LEN; len++) {
        assert_int_equal(read_text(whole, len, &head), ADS_BUSY);
    }
}


static void
test_what_is_no_scgi_is_refused(void **state)
{
    static const struct {
        const char *text;
        size_t len;
    } bad[] = {
#define CASE(literal) {literal, sizeof(literal) - 1}
        CASE("GET / HTTP/1.1\r\n"),
        CASE(":"),
        CASE("-1:"),
        CASE("01:x"),
        CASE("0:,"),
        CASE("4:ab\0c,"),   /* a name without a value */
        CASE("5:a\0b\0c,"), /* and one without its NUL */
        CASE("24:CONTENT_LENGTH\0000\0SCGI\0001\0;"), /* no comma */
        CASE("24:CONTENT_LENGTH\0000\0SCGI\0002\0,"), /* another version */
        CASE("24:SCGI\0001\0CONTENT_LENGTH\0000\0,"), /* wrong order */
        CASE("24:CONTENT_LENGTH\000x\0SCGI\0001\0,"),
        CASE("23:CONTENT_LENGTH\0\0SCGI\0001\0,"),
        CASE("41:CONTENT_LENGTH\0000\0SCGI\0001\0CONTENT_LENGTH\0001\0,"),
        CASE("27:CONTENT_LENGTH\0000\0SCGI\0001\0\0x\0,"), /* no name */
#undef CASE
    };
    struct scgi_head head;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (read_text(bad[i].text, bad[i].len, &head) != ADS_INVALID) {
            fail_msg("case %zu: %s", i, bad[i].text);
        }
    }
}


static void
test_sizes_are_bounded(void **state)
{
    static char text[SCGI_HEAD_MAX];
    struct scgi_head head;
    int n = 0;
    char *at;

    (void)state;
    assert_int_equal(read_text("65537:", 6, &head), ADS_TOO_LARGE);
    assert_int_equal(read_text("99999:", 6, &head), ADS_TOO_LARGE);
    assert_int_equal(read_text("999999", 6, &head), ADS_TOO_LARGE);

    /* one pair too many: 24 bytes, then (SCGI_PARAMS_MAX - 1) x "a\0b\0" */
    n = snprintf(text, sizeof(text), "%d:", 24 + (SCGI_PARAMS_MAX - 1) * 4);
    at = text + n;
    memcpy(at, "CONTENT_LENGTH\0000\0SCGI\0001\0", 24);
    at += 24;
    for (int i = 0; i < SCGI_PARAMS_MAX - 1; i++) {
        memcpy(at, "a\0b\0", 4);
        at += 4;
    }
    *at++ = ',';
    assert_int_equal(read_text(text, (size_t)(at - text), &head),
                     ADS_TOO_LARGE);
}


/* No byte of a head may be trusted: each one flipped never leads outside. */
static void
test_flipped_bytes_do_no_harm(void **state)
{
    struct scgi_head head;
    char text[WHOLE_LEN];

    (void)state;
    for (size_t at = 0; at < HEAD_LEN; at++) {
        for (unsigned flip = 1; flip < 256; flip++) {
            memcpy(text, whole, WHOLE_LEN);
            text[at] = (char)((uint8_t)text[at] ^ flip);
            if (read_text(text, WHOLE_LEN, &head) == ADS_OK) {
                assert_in_range(head.n, 2, SCGI_PARAMS_MAX);
            }
        }
    }
}


static void
test_a_request_in_pieces(void **state)
{
    struct pool *pool = pool_new();
    struct scgi_conn conn = {.deadline_ms = clock_monotonic_ms() + 5000};
    struct scgi_head head;
    char *body;
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    conn.fd = fds[0];
    assert_int_equal(send(fds[1], whole, 40, 0), 40);
    assert_int_equal(send(fds[1], whole + 40, WHOLE_LEN - 40, 0),
                     WHOLE_LEN - 40);
    assert_int_equal(scgi_receive_head(&conn, pool, &head), ADS_OK);
    assert_int_equal(scgi_receive_body(&conn, pool, &head, &body), ADS_OK);
    assert_string_equal(body, "What is the answer to life?");
    assert_int_equal(scgi_send(&conn, "ok", 2), ADS_OK);
    (void)shutdown(fds[1], SHUT_WR);
    scgi_close(&conn);
    (void)close(fds[1]);
    pool_free(pool);
}


static void
test_a_silent_peer_costs_no_more_than_the_deadline(void **state)
{
    struct pool *pool = pool_new();
    struct scgi_conn conn = {.deadline_ms = clock_monotonic_ms() + 50};
    int64_t began_ms = clock_monotonic_ms();
    struct scgi_head head;
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    conn.fd = fds[0];
    assert_int_equal(send(fds[1], whole, 10, 0), 10);
    assert_int_equal(scgi_receive_head(&conn, pool, &head), ADS_UNAVAILABLE);
    assert_in_range(clock_monotonic_ms() - began_ms, 40, 2000);
    (void)close(fds[1]);
    scgi_close(&conn);
    pool_free(pool);
}


static void
test_more_body_than_announced_is_refused(void **state)
{
    struct pool *pool = pool_new();
    struct scgi_conn conn = {.deadline_ms = clock_monotonic_ms() + 5000};
    struct scgi_head head;
    char *body;
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    conn.fd = fds[0];
    assert_int_equal(send(fds[1], whole, WHOLE_LEN + 1, 0), WHOLE_LEN + 1);
    assert_int_equal(scgi_receive_head(&conn, pool, &head), ADS_OK);
    assert_int_equal(scgi_receive_body(&conn, pool, &head, &body), ADS_INVALID);
    (void)close(fds[1]);
    scgi_close(&conn);
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_head_is_read),
        cmocka_unit_test(test_every_cut_head_waits_for_more),
        cmocka_unit_test(test_what_is_no_scgi_is_refused),
        cmocka_unit_test(test_sizes_are_bounded),
        cmocka_unit_test(test_flipped_bytes_do_no_harm),
        cmocka_unit_test(test_a_request_in_pieces),
        cmocka_unit_test(test_a_silent_peer_costs_no_more_than_the_deadline),
        cmocka_unit_test(test_more_body_than_announced_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
