/*
 * Addresses are read as inet_pton() reads them, and masked.
 */
#include "core/ads_ip.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <arpa/inet.h>

#define ROUNDS 300000


static size_t
read_text(uint8_t ip[16], const char *text, size_t len)
{
    char *copy = malloc(len + (len == 0));
    size_t n;

    memcpy(copy, text, len);
    n = ads_ip_read(ip, (struct ads_str){copy, len});
    free(copy);
    return n;
}


static void
compare(const char *text)
{
    uint8_t ours[16];
    uint8_t theirs[16];
    size_t n = read_text(ours, text, strlen(text));
    size_t expected = inet_pton(AF_INET, text, theirs) == 1    ? 4
                      : inet_pton(AF_INET6, text, theirs) == 1 ? 16
                                                               : 0;

    if (n != expected || memcmp(ours, theirs, n) != 0) {
        fail_msg("\"%s\": %zu, not %zu", text, n, expected);
    }
}


static void
addresses_are_read(void **state)
{
    static const char *const texts[] = {
        "0.0.0.0",
        "203.0.113.7",
        "255.255.255.255",
        "256.1.1.1",
        "1.2.3",
        "1.2.3.4.",
        "1.2.3.4.5",
        ".1.2.3",
        "01.2.3.4",
        "1..2.3",
        "",
        ".",
        "1.2.3.4 ",
        " 1.2.3.4",
        "::",
        "::1",
        "1::",
        "2001:db8::1",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "::2:3",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1::3:4:5:6:7:8",
        "1:::2",
        "1::2::3",
        ":1",
        "1:",
        ":",
        ":::",
        "12345::",
        "g::",
        "::ffff:1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3",
        "1.2.3.4::",
        "1:2:3:4:5::1.2.3.4",
        "1:2:3:4:5:6::1.2.3.4",
        ":1.2.3.4",
        "1.2.3.4:1",
        "FE80::ABCD",
        "::1.2.3.4:5",
        "2001:db8::%eth0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        compare(texts[i]);
    }
}


static void
random_texts_are_read_as_by_libc(void **state)
{
    static const char alphabet[] = "0123456789abF::::....";
    uint64_t random = 0x5eed;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        char text[INET6_ADDRSTRLEN];
        uint8_t ip[16];

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        for (int k = 0; k < 16; k++) {
            ip[k] = (random >> k * 2 & 3) == 0 ? 0 : (uint8_t)(random >> 3 * k);
        }
        inet_ntop(random >> 40 & 1 ? AF_INET6 : AF_INET, ip, text,
                  sizeof(text));
        compare(text);
        text[random % strlen(text)] =
            alphabet[(random >> 20) % (sizeof(alphabet) - 1)];
        compare(text);
    }
}


static void
too_long_a_text_is_no_address(void **state)
{
    char text[200];
    uint8_t ip[16];

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i % 5 == 4 ? ':' : '1';
        assert_int_equal(read_text(ip, text, i), i >= 36 && i <= 39 ? 16 : 0);
    }
}


static void
only_the_network_is_kept(void **state)
{
    static const char *const cases[][2] = {
        {"203.0.113.7", "203.0.113.0"},
        {"2001:db8:1:abcd:3:4:5:6", "2001:db8:1::"},
        {"::ffff:203.0.113.7", "::ffff:203.0.113.0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t ip[16];
        uint8_t masked[16];
        size_t n = read_text(ip, cases[i][0], strlen(cases[i][0]));

        assert_int_equal(read_text(masked, cases[i][1], strlen(cases[i][1])),
                         n);
        ads_ip_mask(ip, n);
        assert_memory_equal(ip, masked, n);
    }
}


static bool
is_in(const char *range, const char *address)
{
    struct ads_ip_range read;
    uint8_t ip[16];
    size_t len = read_text(ip, address, strlen(address));

    assert_true(
        ads_ip_range_read(&read, (struct ads_str){range, strlen(range)}));
    return ads_ip_range_holds(&read, ip, len);
}


static void
a_range_holds_what_begins_like_it(void **state)
{
    static const struct {
        const char *range, *in, *out;
    } cases[] = {
        {"192.0.2.0/24", "192.0.2.255", "192.0.3.0"},
        {"192.0.2.64/26", "192.0.2.127", "192.0.2.128"},
        {"192.0.2.7", "192.0.2.7", "192.0.2.6"},
        {"192.0.2.7/32", "192.0.2.7", "192.0.2.8"},
        {"0.0.0.0/0", "255.255.255.255", "::1"},
        {"::/0", "2001:db8::1", "0.0.0.0"},
        {"128.0.0.0/1", "255.0.0.1", "127.255.255.255"},
        {"2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"},
        {"2001:db8::8000/113", "2001:db8::ffff", "2001:db8::7fff"},
        {"2001:db8::1", "2001:db8::1", "2001:db8::"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(is_in(cases[i].range, cases[i].in));
        assert_false(is_in(cases[i].range, cases[i].out));
    }
}


static void
what_is_no_range_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "/",
        "/8",
        "192.0.2.0/",
        "192.0.2.0/33",
        "192.0.2.0/024",
        "192.0.2.1/24",
        "192.0.2.0/-1",
        "192.0.2.0/24/24",
        "192.0.2/24",
        "2001:db8::/129",
        "2001:db8::1/64",
        "::ffff:192.0.2.0/120",
        "localhost",
        "192.0.2.0/+8",
        "192.0.2.0/ 8",
        "fe80::1%eth0",
    };
    struct ads_ip_range range;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (ads_ip_range_read(&range,
                              (struct ads_str){texts[i], strlen(texts[i])})) {
            fail_msg("%s", texts[i]);
        }
    }
}


static void
a_damaged_range_holds_nothing(void **state)
{
    const struct ads_ip_range ranges[] = {
        {{0}, 0, 0}, {{0}, 5, 0}, {{0}, 4, 33}, {{0}, 16, 255}, {{0}, 255, 0}};
    static const uint8_t ip[16];

    (void)state;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        assert_false(ads_ip_range_holds(&ranges[i], ip, 0));
        assert_false(ads_ip_range_holds(&ranges[i], ip, 4));
        assert_false(ads_ip_range_holds(&ranges[i], ip, 16));
    }
}


static void
ipv4_in_ipv6_is_ipv4(void **state)
{
    uint8_t ip[16];
    size_t len = read_text(ip, "::ffff:192.0.2.1", 16);

    (void)state;
    assert_int_equal(ads_ip_unmap(ip, len), 4);
    assert_memory_equal(ip, ((uint8_t[16]){192, 0, 2, 1}), 16);
    assert_int_equal(ads_ip_unmap(ip, 4), 4);

    len = read_text(ip, "::192.0.2.1", 11);
    assert_int_equal(ads_ip_unmap(ip, len), 16);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(random_texts_are_read_as_by_libc),
        cmocka_unit_test(too_long_a_text_is_no_address),
        cmocka_unit_test(only_the_network_is_kept),
        cmocka_unit_test(a_range_holds_what_begins_like_it),
        cmocka_unit_test(what_is_no_range_is_refused),
        cmocka_unit_test(a_damaged_range_holds_nothing),
        cmocka_unit_test(ipv4_in_ipv6_is_ipv4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
