/*
 * The arena: aligned, zeroed, undone in reverse order, reused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/base/pool.c"


static void
test_bytes_are_zeroed_and_aligned(void **state)
{
    struct pool *pool = pool_new();

    (void)state;
    for (size_t len = 0; len < 3000; len += 7) {
        uint8_t *bytes = pool_alloc(pool, len);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % ALIGNMENT, 0);
        for (size_t i = 0; i < len; i++) {
            assert_int_equal(bytes[i], 0);
        }
        memset(bytes, 0xff, len);
    }
    pool_reset(pool);
    assert_int_equal(*(uint8_t *)pool_alloc(pool, 64), 0);
    pool_free(pool);
}


static void
test_a_reset_gives_back_all_but_the_first_block(void **state)
{
    struct pool *pool = pool_new();
    size_t first = pool_len(pool);

    (void)state;
    (void)pool_alloc(pool, 10 * LARGEST_LEN);
    (void)pool_alloc(pool, 10);
    assert_true(pool_len(pool) > 10 * LARGEST_LEN);
    pool_reset(pool);
    assert_int_equal(pool_len(pool), first);
    pool_free(pool);
    pool_free(NULL);
}


static char order[8];


static void
note(void *what)
{
    size_t len = strlen(order);

    order[len] = *(char *)what;
    order[len + 1] = '\0';
}


static void
test_the_latest_is_undone_first(void **state)
{
    struct pool *pool = pool_new();
    char names[] = "abc";

    (void)state;
    order[0] = '\0';
    for (int i = 0; i < 3; i++) {
        pool_defer(pool, note, &names[i]);
    }
    pool_reset(pool);
    assert_string_equal(order, "cba");
    pool_defer(pool, note, &names[0]);
    pool_free(pool);
    assert_string_equal(order, "cbaa");
}


static void
test_texts(void **state)
{
    struct pool *pool = pool_new();
    size_t len;

    (void)state;
    assert_string_equal(pool_text(pool, ADS_STR("ab")), "ab");
    assert_string_equal(pool_text(pool, (struct ads_str){NULL, 0}), "");
    assert_string_equal(pool_format(pool, &len, "%s-%d", "x", 7), "x-7");
    assert_int_equal(len, 3);
    pool_free(pool);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_zeroed_and_aligned),
        cmocka_unit_test(test_a_reset_gives_back_all_but_the_first_block),
        cmocka_unit_test(test_the_latest_is_undone_first),
        cmocka_unit_test(test_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
