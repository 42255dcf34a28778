/*
 * Which type a client likes best, after RFC 9110, 12.5.1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/ads_accept.c"

#define NONE "none"

static const char *const types[] = {"application/json", "text/csv",
                                    "application/x-ndjson", NULL};

static const struct {
    const char *header;
    const char *chosen;
} rows[] = {
    /* what clients send */
    {"*/*", "application/json"},
    {"application/json, text/plain, */*", "application/json"},
    {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
     "application/json"},
    {"text/csv", "text/csv"},
    {"text/csv, */*", "text/csv"},
    {"text/csv, */*;q=0.1", "text/csv"},
    {"application/x-ndjson", "application/x-ndjson"},

    /* weights */
    {"text/csv;q=0.5, application/json", "application/json"},
    {"text/csv;q=0.5, application/json;q=0.4", "text/csv"},
    {"application/json;q=0.2, application/x-ndjson;q=0.201",
     "application/x-ndjson"},
    {"text/csv;q=0.3, */*;q=0.4", "application/json"},
    {"text/csv ; Q=0.001", "text/csv"},
    {"application/json;q=1.000, text/csv;q=0.999", "application/json"},
    {"application/json;q=1., text/csv;q=0.", "application/json"},

    /* of the same weight: exactness, order of the header, our order */
    {"*/*, application/*, text/csv", "text/csv"},
    {"*/*, text/*", "text/csv"},
    {"text/csv, application/json", "text/csv"},
    {"application/json, text/csv", "application/json"},
    {"application/*", "application/json"},

    /* refused */
    {"application/json;q=0, */*", "text/csv"},
    {"application/json;q=0.000, text/*;q=0, */*;q=0.1", "application/x-ndjson"},
    {"text/csv;q=0", NONE},
    {"*/*;q=0", NONE},
    {"*/*;q=0, text/csv;q=0.1", "text/csv"},
    {"text/*;q=0, text/csv", "text/csv"},
    {"text/csv;q=0, text/*, application/json;q=0.1", "application/json"},
    {"text/html, image/png", NONE},
    {"", NONE},

    /* other parameters, quoted strings, any case */
    {"TEXT/CSV", "text/csv"},
    {"text/csv; charset=utf-8; header=present", "text/csv"},
    {"text/csv;header=present;q=0.1, application/json;q=0.2",
     "application/json"},
    {"text/csv;a=\"x,application/json;q=1\";q=0.5, text/plain", "text/csv"},
    {"text/csv;a=\"\\\",application/json\"", "text/csv"},
    {"text/csv;q=0, text/csv;header=absent", "text/csv"},

    /* what is no range, or no weight, is passed over */
    {"text/csv;q=2, application/json;q=0.1", "application/json"},
    {"text/csv;q=1.1, application/json;q=0.1", "application/json"},
    {"text/csv;q=0.1234, application/json;q=0.1", "application/json"},
    {"text/csv;q=-1, application/json;q=0.1", "application/json"},
    {"text/csv;q=.5, application/json;q=0.1", "application/json"},
    {"text/csv;q=, application/json;q=0.1", "application/json"},
    {"text/csv;q=0x1, application/json;q=0.1", "application/json"},
    {"text/csv;q=10, application/json;q=0.1", "application/json"},
    {",, ;, text/csv ,", "text/csv"},
    {"text", NONE},
    {"text/", NONE},
    {"text/cs", NONE},
    {"text/csvx", NONE},
    {"text/**", NONE},
    {"*/csv", NONE},
    {"*", NONE},
    {"text/csv\"", NONE},
};


static void
test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ads_str header = {rows[i].header, strlen(rows[i].header)};
        int chosen = ads_accept_choose(header, types);

        if (strcmp(chosen < 0 ? NONE : types[chosen], rows[i].chosen) != 0) {
            fail_msg("%s: %s instead of %s", rows[i].header,
                     chosen < 0 ? NONE : types[chosen], rows[i].chosen);
        }
    }
}


static void
test_no_header_is_the_first(void **state)
{
    (void)state;
    assert_int_equal(ads_accept_choose((struct ads_str){NULL, 0}, types), 0);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_no_header_is_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
