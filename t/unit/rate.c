/*
 * Buckets of people: as many at once as a minute holds, then one for each
 * minute's share, each person for themselves.
 */
#include "adsd/http/rate.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PER_MINUTE 600


static struct ads_uuid
person(unsigned n)
{
    return (struct ads_uuid){
        .b = {1, [13] = (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
}


/* How many of `most` are let through at that time. */
static int
taken(struct rate *rate, unsigned who, int64_t now_ms, int most)
{
    struct ads_uuid id = person(who);
    int64_t wait_s;
    int n = 0;

    while (n < most && rate_take(rate, &id, now_ms, &wait_s)) {
        n++;
    }
    return n;
}


static void
a_minute_at_once_and_then_its_share(void **state)
{
    struct rate *rate = rate_new(PER_MINUTE);
    struct ads_uuid ann = person(1);
    int64_t wait_s;

    (void)state;
    assert_int_equal(taken(rate, 1, 5000, 10000), PER_MINUTE);
    assert_false(rate_take(rate, &ann, 5000, &wait_s));
    assert_int_equal(wait_s, 1);
    assert_int_equal(taken(rate, 1, 6000, 10000), 10);
    assert_int_equal(taken(rate, 1, 6099, 10000), 0);
    assert_int_equal(taken(rate, 1, 6100, 10000), 1);
    assert_int_equal(taken(rate, 1, 600000, 10000), PER_MINUTE);
    rate_free(rate);
}


static void
each_for_themselves(void **state)
{
    struct rate *rate = rate_new(PER_MINUTE);

    (void)state;
    assert_int_equal(taken(rate, 1, 0, 10000), PER_MINUTE);
    for (unsigned who = 2; who < 1000; who++) {
        assert_int_equal(taken(rate, who, 0, 1), 1);
    }
    assert_int_equal(taken(rate, 1, 0, 10000), 0);
    rate_free(rate);
}


static void
a_crowd_forgets_who_has_most_left(void **state)
{
    struct rate *rate = rate_new(PER_MINUTE);

    (void)state;
    assert_int_equal(taken(rate, 0, 0, 10000), PER_MINUTE);
    for (unsigned n = 1; n < 100; n++) { /* all in one set */
        assert_int_equal(taken(rate, n << 16, 0, 1), 1);
    }
    assert_int_equal(taken(rate, 0, 0, 10000), 0);
    rate_free(rate);
}


static void
one_a_minute_is_slow(void **state)
{
    struct rate *rate = rate_new(1);
    struct ads_uuid ann = person(1);
    int64_t wait_s;

    (void)state;
    assert_true(rate_take(rate, &ann, 1000, &wait_s));
    assert_false(rate_take(rate, &ann, 2000, &wait_s));
    assert_in_range(wait_s, 59, 60);
    assert_true(rate_take(rate, &ann, 61000, &wait_s));
    rate_free(rate);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute_at_once_and_then_its_share),
        cmocka_unit_test(each_for_themselves),
        cmocka_unit_test(a_crowd_forgets_who_has_most_left),
        cmocka_unit_test(one_a_minute_is_slow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
