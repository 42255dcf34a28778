/*
 * Addresses with letters of any language become URLs; what is one already stays
 * byte for byte.
 */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/catalog/import_link.c"
#include "ads_url.h"


static void
test_links(void **state)
{
    static const struct {
        const char *link;
        const char *url;
        bool good;
    } cases[] = {
        {"https://shop.example/a?b=%20#c", NULL, true},
        {"https://shop.example/?q={click_id}", NULL, true},
        {"HTTPS://Shop.Example/A", "https://shop.example/A", true},
        {"https://bücher.example/", "https://xn--bcher-kva.example/", true},
        {"https://пример.example/чай",
         "https://xn--e1afmkfd.example/%D1%87%D0%B0%D0%B9", true},
        {"https://例え.example/", "https://xn--r8jz45g.example/", true},
        {"https://shop.example/100%/a b", "https://shop.example/100%25/a%20b",
         true},
        {"https://münchen.bücher.example",
         "https://xn--mnchen-3ya.xn--bcher-kva.example", true},
        {"https://ada:pw@shop.example/", NULL, false},
        {"https://shop..example/", NULL, false},
        {"https://shop\xff.example/", NULL, false},
        {"javascript:alert(1)", NULL, false},
        {"", NULL, false},
    };
    struct pool *pool = pool_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ads_str link = {cases[i].link, strlen(cases[i].link)};
        const struct ads_str url = import_link_fit(link, pool);
        const char *want = cases[i].url == NULL ? cases[i].link : cases[i].url;

        if (!ads_str_is(url, want)
            || (ads_url_check(url, ADS_URL_DESTINATION, NULL) == ADS_OK)
                   != cases[i].good)
        {
            print_error("%s: %.*s\n", cases[i].link, (int)url.len, url.ptr);
            fail();
        }
    }
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
