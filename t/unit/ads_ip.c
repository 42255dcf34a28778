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


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(random_texts_are_read_as_by_libc),
        cmocka_unit_test(too_long_a_text_is_no_address),
        cmocka_unit_test(only_the_network_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
