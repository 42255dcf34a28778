/*
 * Places are recognised by code and by name, and nothing else is taken for
 * one.
 */
#include "core/ads_place.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>


/* What a text is read as: "US", "US-CA", or "" when it is no place. */
static const char *
place_of(const char *text)
{
    static char name[8];
    size_t len = strlen(text);
    char *copy = malloc(len + (len == 0));
    struct ads_place place;
    bool known;

    memcpy(copy, text, len);
    known = ads_place_read(&place, (struct ads_str){copy, len});
    free(copy);
    assert_int_equal(known, place.country[0] != '\0');
    snprintf(name, sizeof(name), "%.2s%s%.3s", place.country,
             place.region[0] != '\0' ? "-" : "", place.region);
    return name;
}


static void
the_tables_are_sorted_and_whole(void **state)
{
    (void)state;
    assert_int_equal(N_CODES, 249);
    for (size_t i = 1; i < N_CODES; i++) {
        assert_true(memcmp(place_codes + 2 * i - 2, place_codes + 2 * i, 2)
                    < 0);
    }
    for (size_t i = 1; i < N_NAMES; i++) {
        struct ads_str name = {place_names[i].name, place_names[i].len};
        int side = name_compare(&place_names[i - 1], name);

        /* the same name twice: first the country, then its region */
        assert_true(side < 0
                    || (side == 0 && place_names[i - 1].region[0] == '\0'
                        && place_names[i].region[0] != '\0'));
    }
}


static void
each_row_is_found_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_NAMES; i++) {
        const struct place_name *row = &place_names[i];
        char code[3] = {(char)(row->country[0] | 0x20),
                        (char)(row->country[1] | 0x20), '\0'};
        char expected[8];

        assert_string_equal(place_of(code), row->country);
        snprintf(expected, sizeof(expected), "%s%s%s", row->country,
                 row->region[0] != '\0' ? "-" : "", row->region);
        if (strcmp(row->name, "georgia") == 0) {
            strcpy(expected, "GE");
        }
        assert_string_equal(place_of(row->name), expected);
    }
}


static void
country_codes_are_taken_in_any_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CODES; i++) {
        char text[3] = {place_codes[2 * i], place_codes[2 * i + 1], '\0'};
        char expected[3];

        memcpy(expected, text, 3);
        assert_string_equal(place_of(text), expected);
        text[0] |= 0x20;
        assert_string_equal(place_of(text), expected);
        text[1] |= 0x20;
        assert_string_equal(place_of(text), expected);
    }
    assert_string_equal(place_of(" \tus\r\n"), "US");
}


static void
subdivisions_need_a_known_country(void **state)
{
    (void)state;
    assert_string_equal(place_of("US-CA"), "US-CA");
    assert_string_equal(place_of("us-ca"), "US-CA");
    assert_string_equal(place_of("GB-ENG"), "GB-ENG");
    assert_string_equal(place_of("FR-75"), "FR-75");
    assert_string_equal(place_of("AT-9"), "AT-9");
    assert_string_equal(place_of("XX-CA"), "");
    assert_string_equal(place_of("US-"), "");
    assert_string_equal(place_of("US-CALI"), "");
    assert_string_equal(place_of("US-C!"), "");
    assert_string_equal(place_of("US_CA"), "");
    assert_string_equal(place_of("UK-ENG"), "");
}


static void
names_are_taken_in_any_case(void **state)
{
    static const char *const cases[][2] = {
        {"Germany", "DE"},
        {"GERMANY", "DE"},
        {"Deutschland", "DE"},
        {"Österreich", "AT"},
        {"österreich", "AT"},
        {"Schweiz", "CH"},
        {"España", "ES"},
        {"France", "FR"},
        {"USA", "US"},
        {"U.S.A.", "US"},
        {"united states of america", "US"},
        {"UK", "GB"},
        {"Great Britain", "GB"},
        {"England", "GB-ENG"},
        {"Scotland", "GB-SCT"},
        {"California", "US-CA"},
        {"new york", "US-NY"},
        {"Washington, D.C.", "US-DC"},
        {"Bayern", "DE-BY"},
        {"Bavaria", "DE-BY"},
        {"Baden-Württemberg", "DE-BW"},
        {"Ontario", "CA-ON"},
        {"Québec", "CA-QC"},
        {"New South Wales", "AU-NSW"},
        {"Trinidad & Tobago", "TT"},
        {"Trinidad and Tobago", "TT"},
        {"Côte d'Ivoire", "CI"},
        {"Georgia", "GE"},
        {"  Japan  ", "JP"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(place_of(cases[i][0]), cases[i][1]);
    }
}


static void
region_and_country_come_as_a_pair(void **state)
{
    static const char *const cases[][2] = {
        {"New York, US", "US-NY"},
        {"California, USA", "US-CA"},
        {"CA, US", "US-CA"},
        {"Georgia, US", "US-GA"},
        {"Ontario,Canada", "CA-ON"},
        {"bayern , deutschland", "DE-BY"},
        {"NSW, Australia", "AU-NSW"},
        {"California, DE", ""},
        {"San Francisco, CA", ""}, /* not Canada */
        {"Paris, France", ""},
        {", US", ""},
        {"California,", ""},
        {"California, Nowhere", ""},
        {"California, California", ""},
        {"France, Germany", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(place_of(cases[i][0]), cases[i][1]);
    }
}


static void
anything_else_is_no_place(void **state)
{
    static char text[600];
    static const char *const others[] = {
        "",          " ",        "X",      "XX", "ZZ",
        "Atlantis",  "Germanyy", "German", "u",  "12",
        "new  york", "\xff\xfe", "US CA",  ",",  ",,",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_string_equal(place_of(others[i]), "");
    }
    memset(text, 'a', sizeof(text) - 1);
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        assert_string_equal(place_of(text + len), "");
    }
    memset(text, '&', sizeof(text) - 1);
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        assert_string_equal(place_of(text + len), "");
    }
}


static bool
covers(const char *target, const char *place)
{
    struct ads_place a;
    struct ads_place b;

    if (!ads_place_read(&a, (struct ads_str){target, strlen(target)})) {
        memset(&a, 0, sizeof(a));
    }
    if (!ads_place_read(&b, (struct ads_str){place, strlen(place)})) {
        memset(&b, 0, sizeof(b));
    }
    return ads_place_covers(&a, &b);
}


static void
a_country_covers_its_regions(void **state)
{
    (void)state;
    assert_true(covers("US", "US"));
    assert_true(covers("US", "US-CA"));
    assert_true(covers("US-CA", "US-CA"));
    assert_false(covers("US-CA", "US"));
    assert_false(covers("US-CA", "US-NY"));
    assert_false(covers("AU-NT", "CA-NT"));
    assert_false(covers("US", "DE"));
    assert_false(covers("US", "nowhere"));
    assert_false(covers("nowhere", "US"));
    assert_false(covers("nowhere", "nowhere"));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_are_sorted_and_whole),
        cmocka_unit_test(each_row_is_found_by_its_name),
        cmocka_unit_test(country_codes_are_taken_in_any_case),
        cmocka_unit_test(subdivisions_need_a_known_country),
        cmocka_unit_test(names_are_taken_in_any_case),
        cmocka_unit_test(region_and_country_come_as_a_pair),
        cmocka_unit_test(anything_else_is_no_place),
        cmocka_unit_test(a_country_covers_its_regions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
