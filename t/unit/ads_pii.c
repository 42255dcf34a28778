/*
 * Personal data is found where it stands free, and ids are left alone.
 */
#include "core/ads_pii.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "vectors.h"


static bool
found(const char *text, size_t len)
{
    char *copy = malloc(len + (len == 0));
    bool result;

    memcpy(copy, text, len);
    result = ads_pii_find((struct ads_str){copy, len});
    free(copy);
    return result;
}


static void
all_are(bool pii, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (found(texts[i], strlen(texts[i])) != pii) {
            fail_msg("\"%s\" should%s be personal data", texts[i],
                     pii ? "" : " not");
        }
    }
}

#define ALL_ARE(pii, texts) \
    all_are(pii, texts, sizeof(texts) / sizeof(*(texts)))


static void
email_addresses_are_found(void **state)
{
    static const char *const yes[] = {
        "alice@example.com",     "x alice@example.com y", "A@B.CO",
        "\"a b\"@example.com",   "<alice@example.com>",   "alice@example.com.",
        "a.b+c@mail.example.de", "alice%40example.com",   "u@x.xn--p1ai",
        "u@\xc3\xbc.de",         "mailto:a@b.org?x",
    };
    static const char *const no[] = {
        "@",          "@handle",   "a@",     "@example.com", "a@b",   "a@b.c",
        "pkg@1.2.30", "a @ b.com", "a@.com", "user at x.de", "100%4", "@@x.de",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static void
spelt_addresses_are_found(void **state)
{
    static const char *const yes[] = {
        "name (at) host dot com",
        "name(at)host.com",
        "name [at] host [dot] com",
        "name {AT} host {DOT} co.uk",
        "name <at> host.com",
        "name (@) host.com",
        "name at host dot com",
        "my.name at mail dot host dot de",
        "name_at_host_dot_com",
        "name-at-host-dot-com",
        "name.at.host.dot.com",
        "id:name(at)host(.)com",
        "\xef\xbd\x8e\xef\xbd\x81 (\xef\xbd\x81\xef\xbd\x94) host.com",
        ("n\xe2\x80\x8b"
         "ame (a\xe2\x80\x8bt) host dot com"),
    };
    static const char *const no[] = {
        "user at x.de",     "cat dot com",   "at host dot com",
        "name (at) home",   "gaze at this",  "seat-at-row",
        "format.dot.com",   "name at host",  "order (at) 5 dot 30",
        "at_dot_at_dot_at", "(at) (dot) de", "dot at dot",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static void
cards_are_found(void **state)
{
    static const char *const yes[] = {
        "4111111111111111",       "4111 1111 1111 1111",
        "4111-1111-1111-1111",    "378282246310005",
        "3782 822463 10005",      "5555555555554444",
        "6011111111111117",       "x:4111111111111111",
        "30569309025904",         "card_4222222222222",
        "4111.1111.1111.1111",    "12 4111111111111111 34",
        "6304000000000000",       "135412345678911",
        "4111_1111_1111_1111",    "4111 - 1111 - 1111 - 1111",
        "4111  1111  1111  1111",
    };
    static const char *const no[] = {
        "4111111111111112",  "411111111111111",      "a4111111111111111",
        "4111111111111111z", "1700000000009",        "0000000000000000",
        "3.14159265358979",  "41111111111111111111",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static void
times_in_milliseconds_are_no_cards(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        char text[24];
        int len = snprintf(text, sizeof(text), "%u", 1700000000u + i);

        assert_false(found(text, (size_t)len));
        len = snprintf(text, sizeof(text), "%llu", 1700000000000ull + i);
        assert_false(found(text, (size_t)len));
        len = snprintf(text, sizeof(text), "%llu", 1700000000000000ull + i);
        assert_false(found(text, (size_t)len));
    }
}


static void
account_numbers_are_found(void **state)
{
    static const char *const yes[] = {
        "GB82 WEST 1234 5698 7654 32",
        "GB82WEST12345698765432",
        "gb82west12345698765432",
        "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "FR1420041010050500013M02606",
        "NO9386011117947",
        "x:DE89-3704-0044-0532-0130-00;",
        "MT84MALT011000012345MTLCAST001S",
    };
    static const char *const no[] = {
        "GB83WEST12345698765432",     "GB81WEST12345698765432",
        "GB82WEST1234569876543",      "XX82WEST12345698765432",
        "aGB82WEST12345698765432",    "GB82WEST12345698765432a",
        "01HZX3K5N8Q7V2W4Y6A9B1C3D5", "G8B2WEST12345698765432",
        "DE8937040044053201300",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static void
folded_forms_are_found(void **state)
{
    static const char *const yes[] = {
        "alice＠example.com",
        "ａｌｉｃｅ@ｅｘａｍｐｌｅ．ｃｏｍ",
        "alice@example。com",
        "alice﹫example.com",
        "４１１１１１１１１１１１１１１１",
        "4111\u200b111111111111",
        "4111‑1111‑1111‑1111",
        "٤١١١١١١١١١١١١١١١",
        "＋４４ ２０ ７９４６ ０９５８",
        "ＧＢ82WEST12345698765432",
        "203．0．113．7",
        "2001：db8：：1",
        "𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏",
    };
    static const char *const no[] = {
        "注文１２３４", "ｏｒｄｅｒ－７", "Größe 42", "٢٠٢٤", "@注文",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static void
the_registry_is_sorted(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof(countries) / sizeof(countries[0]); i++) {
        assert_true(memcmp(countries[i - 1].code, countries[i].code, 2) < 0);
        assert_in_range(countries[i].len, 15, 34);
    }
}


static void
phone_numbers_are_found(void **state)
{
    static const char *const yes[] = {
        "+44 20 7946 0958",
        "+442079460958",
        "tel:+1-555-123-4567",
        "+49 (171) 1234567",
        "+1 (555) 123-4567 2024-01-01",
        "555-123-4567",
        "1-800-555-1234",
        "(555) 123-4567",
        "(020) 7946 0958",
        "020 7946 0958",
        "0171 1234567",
        "0171/1234567",
        "06 12 34 56 78",
        "0049 171 1234567",
        "00 49 171 1234567",
        "555.123.4567",
        "call 5 +4420 79460958",
    };
    static const char *const no[] = {
        "1700000000", "s:1234567890", "10:20",      "2024-01-15",
        "12-34-56",   "+12345",       "a+12345678", "1234-5678-9012",
        "01-15-2024", "0.1234567890", "anon-7f3a",  "0001-0002-0003",
        "15.01.2024", "2079460958",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static void
ip_addresses_are_found(void **state)
{
    static const char *const yes[] = {
        "203.0.113.7",
        "x 203.0.113.7, y",
        "203.0.113.7:8080",
        "id.203.0.113.7",
        "2001:db8::1",
        "[2001:db8::1]:443",
        "::ffff:203.0.113.7",
        "fe80::1%eth0",
        "2001:DB8::",
        "session:2001:db8::1",
        "1:2:3:4:5:6:7:8",
        "is 2001:db8::1.",
        "::1",
    };
    static const char *const no[] = {
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "v1.2.3.4",
        "1.2.3.4a",
        "v9.1.2.3.4",
        "1.2.3.1234",
        "::",
        "10:20:30",
        "a:b:c",
        "user::abc",
        "00:1a:2b:3c:4d:5e",
        "1:2:3:4:5:6:7:8:9",
    };

    (void)state;
    ALL_ARE(true, yes);
    ALL_ARE(false, no);
}


static uint64_t
random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}


static void
random_ids_are_left_alone(void **state)
{
    static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "abcdefghijklmnopqrstuvwxyz_-";
    uint64_t random = 0x5eed;
    int hits = 0;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char text[40];

        /* UUIDs, of digits only now and then */
        snprintf(text, sizeof(text), "%08x-%04x-4%03x-8%03x-%012llx",
                 (unsigned)random_next(&random) & 0x99999999,
                 (unsigned)random_next(&random) & 0x9999,
                 (unsigned)random_next(&random) & 0x999,
                 (unsigned)random_next(&random) & 0x999,
                 (unsigned long long)random_next(&random) & 0x999999999999);
        assert_false(found(text, 36));

        for (int k = 0; k < 32; k++) {
            text[k] = alphabet[random_next(&random) % 16];
        }
        hits += found(text, 32);
        for (int k = 0; k < 22; k++) {
            text[k] = alphabet[random_next(&random) % 64];
        }
        hits += found(text, 22);
    }
    assert_in_range(hits, 0, 20); /* of 200,000 */
}


static void
a_card_is_found_among_any_number_of_groups(void **state)
{
    char text[1024];
    size_t len;

    (void)state;
    for (size_t before = 0; before < 150; before++) {
        len = 0;
        for (size_t i = 0; i < before; i++) {
            len += (size_t)sprintf(text + len, "7 ");
        }
        len += (size_t)sprintf(text + len, "4111 1111 1111 1111");
        assert_true(found(text, len));
    }
}


static void
the_vectors_are_classified_right(void **state)
{
    json_t *document = vectors_load("pii_values.json");
    json_t *item;
    size_t i;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        json_t *value = json_object_get(item, "value");

        if (found(json_string_value(value), json_string_length(value))
            != json_is_true(json_object_get(item, "pii")))
        {
            fail_msg("%s", json_string_value(value));
        }
    }
    json_decref(document);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(email_addresses_are_found),
        cmocka_unit_test(spelt_addresses_are_found),
        cmocka_unit_test(cards_are_found),
        cmocka_unit_test(times_in_milliseconds_are_no_cards),
        cmocka_unit_test(account_numbers_are_found),
        cmocka_unit_test(folded_forms_are_found),
        cmocka_unit_test(the_registry_is_sorted),
        cmocka_unit_test(phone_numbers_are_found),
        cmocka_unit_test(ip_addresses_are_found),
        cmocka_unit_test(random_ids_are_left_alone),
        cmocka_unit_test(a_card_is_found_among_any_number_of_groups),
        cmocka_unit_test(the_vectors_are_classified_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
