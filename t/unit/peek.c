/*
 * Who asks, by the head of a request that is not read.
 */
#define _GNU_SOURCE /* memmem */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "adsd/http/peek.c"

struct pair {
    int ends[2];
};


static int
setup(void **state)
{
    struct pair *pair = calloc(1, sizeof(*pair));

    *state = pair;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair->ends);
}


static int
teardown(void **state)
{
    struct pair *pair = *state;

    (void)close(pair->ends[0]);
    (void)close(pair->ends[1]);
    free(pair);
    return 0;
}


/* Sends a head of that parameter, and says who asks. */
static uint64_t
asker(const char *name, const char *value)
{
    char head[3 * PEEK_MAX], text[4 * PEEK_MAX];
    struct pair *pair;
    uint64_t found;
    size_t len;
    int n;

    assert_int_equal(setup((void **)&pair), 0);
    len = (size_t)snprintf(head, sizeof(head), "CONTENT_LENGTH%c0%cSCGI%c1%c%s",
                           0, 0, 0, 0, name)
          + 1;
    len += (size_t)snprintf(head + len, sizeof(head) - len, "%s", value) + 1;
    n = snprintf(text, sizeof(text), "%zu:", len);
    memcpy(text + n, head, len);
    text[(size_t)n + len] = ',';
    assert_true(write(pair->ends[1], text, (size_t)n + len + 1) > 0);
    found = peek_asker(pair->ends[0], 0);
    assert_int_equal(peek_asker(pair->ends[0], 0), found); /* all is there */
    teardown((void **)&pair);
    return found;
}


static void
a_credential_is_one_asker_however_it_is_written(void **state)
{
    uint64_t one = asker("HTTP_X_API_KEY", "ads_live_a1");

    (void)state;
    assert_true(one > PEEK_ASKER_HIDDEN);
    assert_true(asker("HTTP_AUTHORIZATION", "Bearer ads_live_a1") == one);
    assert_true(asker("HTTP_AUTHORIZATION", "bearer   ads_live_a1 ") == one);
    assert_true(asker("HTTP_X_API_KEY", "ads_live_a2") != one);
}


static void
what_has_no_credential_counts_for_nobody(void **state)
{
    (void)state;
    assert_int_equal(asker("HTTP_HOST", "ads_live_a1"), PEEK_ASKER_NONE);
    assert_int_equal(asker("HTTP_AUTHORIZATION", "Basic x"), PEEK_ASKER_NONE);
    assert_int_equal(asker("HTTP_X_API_KEY", ""), PEEK_ASKER_NONE);
}


static void
who_hides_behind_a_long_head_is_one_of_those(void **state)
{
    char padding[PEEK_MAX + 1];

    (void)state;
    memset(padding, 'x', PEEK_MAX);
    padding[PEEK_MAX] = '\0';
    assert_int_equal(asker("HTTP_COOKIE", padding), PEEK_ASKER_HIDDEN);
}


static void
nothing_to_see_is_looked_at_later(void **state)
{
    struct pair *pair = *state;

    assert_int_equal(peek_asker(pair->ends[0], 0), PEEK_ASKER_LATER);
    assert_true(write(pair->ends[1], "nonsense", 8) == 8);
    assert_int_equal(peek_asker(pair->ends[0], 10), PEEK_ASKER_HIDDEN);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_credential_is_one_asker_however_it_is_written),
        cmocka_unit_test(what_has_no_credential_counts_for_nobody),
        cmocka_unit_test(who_hides_behind_a_long_head_is_one_of_those),
        cmocka_unit_test_setup_teardown(nothing_to_see_is_looked_at_later,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
