/*
 * A waiter for a change learns that it is served only when it is: also while
 * part of a bulk of earlier or later changes is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "daemon/adsd.h"


static bool
is_told(struct adsd *adsd, uint64_t change, uint64_t generation)
{
    uint64_t told;

    if (!adsd_wait_published(adsd, change, 1, &told)) {
        return false;
    }
    assert_int_equal(told, generation);
    return true;
}


static void
nothing_is_served_at_first(void **state)
{
    struct adsd adsd = {0};

    (void)state;
    assert_int_equal(adsd_init(&adsd), ADS_OK);
    assert_false(is_told(&adsd, 1, 0));
    adsd_end(&adsd);
}


static void
what_waits_is_not_served(void **state)
{
    const struct adsd_served some = {
        .change = 9, .from = 13, .last = 20, .generation = 4};
    const struct adsd_served all = {.change = 21, .generation = 5};
    struct adsd adsd = {0};

    (void)state;
    assert_int_equal(adsd_init(&adsd), ADS_OK);
    adsd_published(&adsd, &some);
    assert_true(is_told(&adsd, 9, 4));
    assert_false(is_told(&adsd, 10, 4));
    assert_false(is_told(&adsd, 12, 4));
    assert_true(is_told(&adsd, 13, 4));
    assert_true(is_told(&adsd, 20, 4));
    assert_false(is_told(&adsd, 21, 4));
    assert_int_equal(adsd.published_change, 9);

    adsd_published(&adsd, &all);
    assert_true(is_told(&adsd, 10, 5));
    assert_true(is_told(&adsd, 21, 5));
    assert_false(is_told(&adsd, 22, 5));
    adsd_end(&adsd);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_served_at_first),
        cmocka_unit_test(what_waits_is_not_served),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
