/*
 * Only URLs that every reader understands alike are accepted, and a click goes
 * to exactly what the advertiser gave, with its id.
 */
#include "core/ads_url.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "vectors.h"

#define CLICK "01234567-89ab-8cde-8f01-23456789abcd"

static const struct ads_url_click click = {
    ADS_STR(CLICK),
    ADS_STR("11111111-2222-4333-8444-555555555555"),
    ADS_STR("66666666-7777-4888-8999-aaaaaaaaaaaa"),
    ADS_STR("search_results"),
};


static enum ads_err
check(const char *url, size_t len, enum ads_url_use use)
{
    char *copy = malloc(len + (len == 0));
    const char *why = "unset";
    enum ads_err err;

    memcpy(copy, url, len);
    err = ads_url_check((struct ads_str){copy, len}, use, &why);
    free(copy);
    assert_int_equal(err == ADS_OK, why == NULL);
    return err;
}


static void
all_are(enum ads_err err, enum ads_url_use use, const char *const *urls,
        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (check(urls[i], strlen(urls[i]), use) != err) {
            fail_msg("%s", urls[i]);
        }
    }
}

#define ALL_ARE(err, use, urls) \
    all_are(err, use, urls, sizeof(urls) / sizeof(*(urls)))


static void
plain_destinations_are_accepted(void **state)
{
    static const char *const urls[] = {
        "https://shop.example/",
        "https://shop.example",
        "https://shop.example?q",
        "https://shop.example#f",
        "https://shop.example:443/",
        "https://a.b.c.example/p#frag",
        "https://shop.example/p?id=1&x=%20y",
        "https://shop.example/a;b,c!$&'()*+=:@~_-.",
        "https://xn--bcher-kva.example/",
        "https://bcher.xn--p1ai/",
        "https://1a.example.com/",
        "https://a--b.example/",
        "https://xn--4dbrk0ce.example/",
    };

    (void)state;
    ALL_ARE(ADS_OK, ADS_URL_DESTINATION, urls);
    ALL_ARE(ADS_OK, ADS_URL_IMAGE, urls);
}


static void
other_schemes_are_refused(void **state)
{
    static const char *const urls[] = {
        "",
        "https",
        "https:",
        "https:/",
        "https://",
        "http://shop.example/",
        "HTTPS://shop.example/",
        "javascript:alert(1)",
        "ftp://shop.example/",
        "//shop.example/",
        "shop.example",
        " https://shop.example/",
        "https:/shop.example/",
        "https:shop.example",
        "https:///shop.example/",
        "https:\\\\shop.example/",
        "view-source:https://shop.example/",
    };
    static const char *const images[] = {
        "http://img.example/a.jpg",
        "http://img.example:80/a.jpg",
        "https://img.example/a.jpg",
    };
    static const char *const no_images[] = {
        "http://img.example:443/a.jpg",
        "https://img.example:80/a.jpg",
        "data:image/png;base64,AAAA",
        "https://img.example/{click_id}.jpg",
    };

    (void)state;
    ALL_ARE(ADS_INVALID, ADS_URL_DESTINATION, urls);
    ALL_ARE(ADS_OK, ADS_URL_IMAGE, images);
    ALL_ARE(ADS_INVALID, ADS_URL_IMAGE, no_images);
}


static void
hosts_that_are_no_public_name_are_refused(void **state)
{
    static const char *const urls[] = {
        "https://localhost/",
        "https://localhost./",
        "https://shop/",
        "https://shop.example./",
        "https://.example/",
        "https://a..example/",
        "https://a.localhost/",
        "https://printer.local/",
        "https://a.internal/",
        "https://a.onion/",
        "https://a.test/",
        "https://a.invalid/",
        "https://a.home.arpa/",
        "https://a.lan/",
        "https://-a.example/",
        "https://a-.example/",
        "https://a_b.example/",
        "https://A.example/",
        "https://b\xc3\xbc.example/",
        "https://xn--a.example/",
        "https://xn--.example/",
        "https://a.xn--ls8h/",
        "https://shop.e/",
        "https://shop.e1/",
        "https://shop.1e/",
        "https://shop.0x1/",
    };

    (void)state;
    ALL_ARE(ADS_INVALID, ADS_URL_DESTINATION, urls);
}


static void
addresses_in_any_spelling_are_refused(void **state)
{
    static const char *const urls[] = {
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://8.8.8.8/",
        "https://1.2.3.4./",
        "https://a.b.0x10/",
        "https://[::1]/",
        "https://[2001:4860:4860::8888]/",
        "https://[v1.x]/",
        "https://1.example.1/",
        "https://0x.0x.0/",
    };

    (void)state;
    ALL_ARE(ADS_INVALID, ADS_URL_DESTINATION, urls);
}


static void
users_and_ports_are_refused(void **state)
{
    static const char *const urls[] = {
        "https://a@shop.example/",
        "https://a:b@shop.example/",
        "https://@shop.example/",
        "https://:@shop.example/",
        "https://shop.example\\@evil.example/",
        "https://shop.example%40evil.example/",
        "https://shop.example%2fevil.example/",
        "https://shop.example:/",
        "https://shop.example:80/",
        "https://shop.example:8443/",
        "https://shop.example:0443/",
        "https://shop.example:443:443/",
        "https://shop.example:443@evil.example/",
        "https://shop.example:0/",
        "https://shop.example|evil/",
        "https://sh op.example/",
    };

    (void)state;
    ALL_ARE(ADS_INVALID, ADS_URL_DESTINATION, urls);
}


static void
each_byte_beyond_the_alphabet_is_refused(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char url[] = "https://shop.example/a?b#c ";
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || (c != 0 && strchr("-._~:/?[]@!$&'()*+,;=", c) != NULL);

        url[26] = (char)c;
        assert_int_equal(check(url, 27, ADS_URL_DESTINATION),
                         fine ? ADS_OK : ADS_INVALID);
        url[21] = (char)c; /* in the path; "#" would be the first of two */
        url[26] = 'x';
        assert_int_equal(check(url, 27, ADS_URL_DESTINATION),
                         fine ? ADS_OK : ADS_INVALID);
        url[21] = 'a';
        url[10] = (char)c; /* in the host; a dot makes one more label */
        fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
               || c == '.';
        assert_int_equal(check(url, 27, ADS_URL_DESTINATION),
                         fine ? ADS_OK : ADS_INVALID);
    }
}


static void
percent_signs_need_two_hex_digits(void **state)
{
    static const char *const good[] = {
        "https://shop.example/%E2%9c%93",
        "https://shop.example/a%0d%0aSet-Cookie:x=1",
    };
    static const char *const bad[] = {
        "https://shop.example/%",        "https://shop.example/%4",
        "https://shop.example/%4g",      "https://shop.example/%%41",
        "https://shop.example/100%?a=b",
    };

    (void)state;
    ALL_ARE(ADS_OK, ADS_URL_DESTINATION, good);
    ALL_ARE(ADS_INVALID, ADS_URL_DESTINATION, bad);
}


static void
only_known_macros_may_stand_in_path_and_query(void **state)
{
    static const char *const good[] = {
        "https://shop.example/{click_id}/{ad_id}?c={campaign_id}&p={placement}",
        "https://shop.example?{click_id}",
    };
    static const char *const bad[] = {
        "https://shop.example/#{click_id}",  "https://shop.example/{clickid}",
        "https://shop.example/{click_id",    "https://shop.example/click_id}",
        "https://shop.example/{{click_id}}", "https://shop.example/{}",
        "https://{click_id}.example/",
    };

    (void)state;
    ALL_ARE(ADS_OK, ADS_URL_DESTINATION, good);
    ALL_ARE(ADS_INVALID, ADS_URL_DESTINATION, bad);
}


static void
two_kib_are_the_limit(void **state)
{
    static char url[ADS_URL_MAX + 2];
    static char dst[ADS_URL_CLICK_MAX];
    struct ads_url_click longest = click;
    struct ads_str text = {url, 0};
    static char placement[64];
    size_t len;

    (void)state;
    memset(url, 'a', sizeof(url));
    memcpy(url, "https://shop.example/", 21);
    assert_int_equal(check(url, ADS_URL_MAX, ADS_URL_DESTINATION), ADS_OK);
    assert_int_equal(check(url, ADS_URL_MAX + 1, ADS_URL_DESTINATION),
                     ADS_TOO_LARGE);

    /* as many macros as are allowed still fit when they are filled */
    memset(placement, 'p', sizeof(placement));
    longest.placement = (struct ads_str){placement, sizeof(placement)};
    for (text.len = 21; text.len + 11 <= ADS_URL_MAX; text.len += 11) {
        memcpy(url + text.len, "{placement}", 11);
        if (ads_url_check(text, ADS_URL_DESTINATION, NULL) == ADS_OK) {
            assert_int_equal(
                ads_url_click_write(dst, sizeof(dst), &len, text, &longest),
                ADS_OK);
        } else {
            break;
        }
    }
    assert_in_range(text.len, 500, 1000);
}


static void
the_host_is_found(void **state)
{
    static const char *const cases[][2] = {
        {"https://shop.example/p", "shop.example"},
        {"https://shop.example:443?x", "shop.example"},
        {"http://img.example", "img.example"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ads_str host = ads_url_host_find(
            (struct ads_str){cases[i][0], strlen(cases[i][0])});

        assert_int_equal(host.len, strlen(cases[i][1]));
        assert_memory_equal(host.ptr, cases[i][1], host.len);
    }
}


/* The address of a click; every capacity up to the length is tried too. */
static const char *
click_of(const char *url, const struct ads_url_click *with)
{
    static char dst[ADS_URL_CLICK_MAX + 1];
    struct ads_str text = {url, strlen(url)};
    size_t need;
    size_t len;

    assert_int_equal(
        ads_url_click_write(dst, ADS_URL_CLICK_MAX, &need, text, with), ADS_OK);
    for (size_t cap = 0; cap < need; cap++) {
        char *small = malloc(cap + (cap == 0));

        assert_int_equal(ads_url_click_write(small, cap, &len, text, with),
                         ADS_TOO_LARGE);
        assert_int_equal(len, need);
        free(small);
    }
    dst[need] = '\0';
    return dst;
}


static void
the_click_id_is_added_before_any_fragment(void **state)
{
    static const char *const cases[][2] = {
        {"https://shop.example", "https://shop.example?ads_click_id=" CLICK},
        {"https://shop.example/", "https://shop.example/?ads_click_id=" CLICK},
        {"https://shop.example/p?a=b",
         "https://shop.example/p?a=b&ads_click_id=" CLICK},
        {"https://shop.example/p?",
         "https://shop.example/p?ads_click_id=" CLICK},
        {"https://shop.example/p?a&",
         "https://shop.example/p?a&ads_click_id=" CLICK},
        {"https://shop.example/p#f",
         "https://shop.example/p?ads_click_id=" CLICK "#f"},
        {"https://shop.example/p?a=b#f?g",
         "https://shop.example/p?a=b&ads_click_id=" CLICK "#f?g"},
        {"https://shop.example/p&#",
         "https://shop.example/p&?ads_click_id=" CLICK "#"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(click_of(cases[i][0], &click), cases[i][1]);
    }
}


static void
macros_are_filled_instead(void **state)
{
    struct ads_url_click odd = click;

    (void)state;
    assert_string_equal(
        click_of("https://shop.example/{ad_id}?c={click_id}&c={click_id}#x",
                 &click),
        "https://shop.example/66666666-7777-4888-8999-aaaaaaaaaaaa?c=" CLICK
        "&c=" CLICK "#x");
    assert_string_equal(
        click_of("https://shop.example/?{campaign_id}={placement}", &click),
        "https://shop.example/?11111111-2222-4333-8444-555555555555="
        "search_results");

    odd.placement = ADS_STR("a b/\r\n\xc3\xa9?&%");
    assert_string_equal(click_of("https://shop.example/?{placement}", &odd),
                        "https://shop.example/?a%20b%2F%0D%0A%C3%A9%3F%26%25");
    assert_string_equal(click_of("https://shop.example/?{x}", &odd),
                        "https://shop.example/?{x}&ads_click_id=" CLICK);
}


static void
no_click_goes_to_a_url_with_a_bad_byte(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char url[] = "https://shop.example/a ";
        char dst[256];
        size_t len;
        bool bad = c < 0x21 || c > 0x7e;

        url[22] = (char)c;
        assert_int_equal(ads_url_click_write(dst, sizeof(dst), &len,
                                             (struct ads_str){url, 23}, &click),
                         bad ? ADS_INVALID : ADS_OK);
        assert_true(bad == (len == 0));
        for (size_t i = 0; i < len; i++) {
            assert_in_range((unsigned char)dst[i], 0x21, 0x7e);
        }
    }
}


static void
the_destination_vectors_are_classified_right(void **state)
{
    json_t *document = vectors_load("destination_urls.json");
    json_t *item;
    size_t i;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        json_t *url = json_object_get(item, "url");
        const char *expected =
            json_string_value(json_object_get(item, "result"));
        bool fine = check(json_string_value(url), json_string_length(url),
                          ADS_URL_DESTINATION)
                    == ADS_OK;

        if ((strcmp(expected, "accept") == 0 && !fine)
            || (strcmp(expected, "reject") == 0 && fine))
        {
            fail_msg("%s", json_string_value(url));
        }
    }
    json_decref(document);
}


/* Whatever we accept has the same host there.   As images, so
 * that http counts too. */
static void
accepted_urls_have_the_host_of_whatwg(void **state)
{
    json_t *document = vectors_load("public/url_parsing.json");
    json_t *item;
    size_t i;
    int n_fine = 0;

    (void)state;
    json_array_foreach(json_object_get(document, "cases"), i, item)
    {
        json_t *input = json_object_get(item, "input");
        const char *theirs =
            json_string_value(json_object_get(item, "hostname"));
        struct ads_str url = {json_string_value(input),
                              json_string_length(input)};
        struct ads_str host;

        if (ads_url_check(url, ADS_URL_IMAGE, NULL) != ADS_OK) {
            continue;
        }
        n_fine++;
        host = ads_url_host_find(url);
        if (theirs == NULL || strlen(theirs) != host.len
            || memcmp(theirs, host.ptr, host.len) != 0)
        {
            fail_msg("%s", url.ptr);
        }
    }
    assert_true(document == NULL || n_fine > 5);
    json_decref(document);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_destinations_are_accepted),
        cmocka_unit_test(other_schemes_are_refused),
        cmocka_unit_test(hosts_that_are_no_public_name_are_refused),
        cmocka_unit_test(addresses_in_any_spelling_are_refused),
        cmocka_unit_test(users_and_ports_are_refused),
        cmocka_unit_test(each_byte_beyond_the_alphabet_is_refused),
        cmocka_unit_test(percent_signs_need_two_hex_digits),
        cmocka_unit_test(only_known_macros_may_stand_in_path_and_query),
        cmocka_unit_test(two_kib_are_the_limit),
        cmocka_unit_test(the_host_is_found),
        cmocka_unit_test(the_click_id_is_added_before_any_fragment),
        cmocka_unit_test(macros_are_filled_instead),
        cmocka_unit_test(no_click_goes_to_a_url_with_a_bad_byte),
        cmocka_unit_test(the_destination_vectors_are_classified_right),
        cmocka_unit_test(accepted_urls_have_the_host_of_whatwg),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
