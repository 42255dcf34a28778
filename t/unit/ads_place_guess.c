/*
 * A place is guessed from what clients write for it, and not where it may be
 * two.
 */
#include "core/ads_place_guess.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>


static const char *
place_of(const char *text)
{
    static char name[8];
    size_t len = strlen(text);
    char *copy = malloc(len + (len == 0));
    struct ads_place place;
    bool known;

    memcpy(copy, text, len);
    known = ads_place_guess(&place, (struct ads_str){copy, len});
    free(copy);
    assert_int_equal(known, place.country[0] != '\0');
    snprintf(name, sizeof(name), "%.2s%s%.3s", place.country,
             place.region[0] != '\0' ? "-" : "", place.region);
    return name;
}


static void
clients_ways_of_naming_a_place_are_known(void **state)
{
    static const char *const cases[][2] = {
        {"New York, NY", "US-NY"},
        {"NEW YORK, ny, usa", "US-NY"},
        {"London, UK", "GB-ENG"},
        {"London", "GB-ENG"},
        {"London, Ontario", "CA-ON"},
        {"Paris, France", "FR"},
        {"Paris", "FR"},
        {"Paris, Texas", "US-TX"},
        {"Munich, Germany", "DE-BY"},
        {"M\xc3\xbcnchen", "DE-BY"},
        {"Munich, DE", "DE-BY"},
        {"Austin, Texas", "US-TX"},
        {"Austin, TX", "US-TX"},
        {"San Francisco, CA", "US-CA"},
        {"Toronto, ON, Canada", "CA-ON"},
        {"Toronto, CA", "CA-ON"},
        {"Smallville, TX", "US-TX"},
        {"Smallville, Germany", "DE"},
        {"Smallville, CA", ""},
        {"Smallville", ""},
        {"Berlin, Mitte", "DE-BE"},
        {"DEU", "DE"},
        {"gbr", "GB"},
        {"en-US", "US"},
        {"en_GB", "GB"},
        {"fr-CA", "CA"},
        {"pt-BR", "BR"},
        {"zh-CN", "CN"},
        {"de-DE", "DE-DE"},
        {"US-CA", "US-CA"},
        {"Germany", "DE"},
        {"Georgia", "GE"},
        {"Washington, D.C.", "US-DC"},
        {"", ""},
        {",", ""},
        {", , ,", ""},
        {"Nowhere, Atlantis", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(place_of(cases[i][0]), cases[i][1]) != 0) {
            fail_msg("%s: %s", cases[i][0], place_of(cases[i][0]));
        }
    }
}


static void
the_tables_are_sorted_and_of_known_places(void **state)
{
    struct ads_place place;

    (void)state;
    for (size_t i = 0; i < N_CITIES; i++) {
        struct ads_str name = {place_cities[i].name, place_cities[i].len};

        assert_true(i == 0 || city_compare(&place_cities[i - 1], name) < 0);
        assert_true(country_set(&place, place_cities[i].country));
        assert_false(ads_place_read(&place, name));
    }
    assert_int_equal(sizeof(thirds) - 1, 249 * 5);
    for (size_t i = 0; i < sizeof(thirds) - 1; i += 5) {
        assert_true(country_set(&place, thirds + i + 3));
    }
    for (size_t i = 0; i < sizeof(languages) - 1; i += 2) {
        assert_true(!country_set(&place, languages + i)
                    || memcmp(languages + i, "uk", 2) == 0); /* Ukrainian */
    }
    for (size_t i = 0; i < sizeof(locales) - 1; i += 4) {
        assert_true(country_set(&place, locales + i));
        assert_true(country_set(&place, locales + i + 2));
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_ways_of_naming_a_place_are_known),
        cmocka_unit_test(the_tables_are_sorted_and_of_known_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
