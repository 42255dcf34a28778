/*
 * Names that a request gives, found whatever their case and however the text
 * they are looked for in is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/ads_names.c"

static const struct {
    const char *name;
    const char *text;
    bool escaped;
    bool held;
} rows[] = {
    {"Office", "office", false, true},
    {"office", "offices", false, false},
    {"offices", "office", false, false},
    {"\xc3\x89lectronique", "\xc3\xa9LECTRONIQUE", false, true},
    {"\xc3\x89lectronique", "electronique", false, false},
    {"\xce\xa3\xce\x9f\xce\xa3", "\xcf\x83\xce\xbf\xcf\x82", false, true},
    {"\xe6\x9c\xac", "\xe6\x9c\xac", false, true},
    {"a\"b", "A\\\"B", true, true},
    {"a\"b", "a\\\"b", false, false},
    {"a\\b", "a\\\\b", true, true},
    {"a\tb", "a\\u0009b", true, true},
    {"a\x7f", "a\\u007F", true, true},
    {"\xc3\xb6", "\xc3\x96", true, true},
    /* what no table holds is read to its end all the same */
    {"a\\", "a\\", true, true},
    {"au12", "a\\u12", true, true},
    {"a\xff", "A\xff", true, true},
    {"a\xc3", "a\\\xc3", true, true},
};


static struct ads_str
str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


static void
test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ads_str given[] = {str("another"), str(rows[i].name)};
        struct ads_names names;

        ads_names_read(&names, given, 2);
        if (rows[i].held
            != (rows[i].escaped
                    ? ads_names_hold_escaped(&names, str(rows[i].text))
                    : ads_names_hold(&names, str(rows[i].text))))
        {
            fail_msg("row %zu: %s", i, rows[i].text);
        }
    }
}


static void
test_no_names_hold_nothing(void **state)
{
    struct ads_names names;

    (void)state;
    ads_names_read(&names, NULL, 0);
    assert_false(ads_names_hold(&names, str("")));
    assert_false(ads_names_hold_escaped(&names, str("")));
}


static void
test_more_names_than_fit_are_left_out(void **state)
{
    struct ads_str given[ADS_NAMES_MAX + 1];
    struct ads_names names;

    (void)state;
    for (uint32_t i = 0; i < ADS_NAMES_MAX + 1; i++) {
        given[i] = str(i < ADS_NAMES_MAX ? "one" : "two");
    }
    ads_names_read(&names, given, ADS_NAMES_MAX + 1);
    assert_true(ads_names_hold(&names, str("ONE")));
    assert_false(ads_names_hold(&names, str("two")));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_no_names_hold_nothing),
        cmocka_unit_test(test_more_names_than_fit_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
