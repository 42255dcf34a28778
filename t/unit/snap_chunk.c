/*
 * Chunks: single changes are never behind a bulk, a bulk is taken a bounded
 * piece at a time, and in the end every ad was taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tables/snap_chunk.h"

#define ROOM 2000
#define MAX 100
#define BULK 950

struct world {
    struct snap_change changes[ROOM];
    uint32_t n;
    uint32_t made;
    bool taken[ROOM];
};


/* So many more ads of one change. */
static void
add(struct world *w, uint64_t change, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct snap_change *one = &w->changes[w->n++];
        uint32_t number = w->made++;

        *one = (struct snap_change){.n = change};
        /* in no order */
        one->id.b[0] = (uint8_t)(number * 151);
        memcpy(one->id.b + 4, &number, sizeof(number));
    }
}


/* How many of the first `n` are of that change. */
static uint32_t
count(const struct world *w, uint64_t change, uint32_t n)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < n; i++) {
        found += w->changes[i].n == change;
    }
    return found;
}


/* Takes the next chunk away. */
static uint32_t
take(struct world *w)
{
    uint32_t n = snap_chunk_take(w->changes, w->n, MAX);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t number;

        memcpy(&number, w->changes[i].id.b + 4, sizeof(number));
        assert_false(w->taken[number]);
        w->taken[number] = true;
    }
    w->n -= n;
    memmove(w->changes, w->changes + n, w->n * sizeof(*w->changes));
    return n;
}


static void
few_changes_are_taken_all_at_once(void **state)
{
    struct world w = {0};

    (void)state;
    assert_int_equal(snap_chunk_take(NULL, 0, MAX), 0);
    add(&w, 7, MAX);
    assert_int_equal(take(&w), MAX);
    assert_int_equal(w.n, 0);
}


static void
single_changes_go_before_a_bulk(void **state)
{
    struct world w = {0};

    (void)state;
    add(&w, 50, BULK);
    add(&w, 51, 1);
    add(&w, 49, MAX); /* not too many for one chunk */
    add(&w, 1048600, 1);
    assert_int_equal(snap_chunk_take(w.changes, w.n, MAX), 2 * MAX + 2);
    assert_int_equal(count(&w, 51, 2 * MAX + 2), 1);
    assert_int_equal(count(&w, 49, 2 * MAX + 2), MAX);
    assert_int_equal(count(&w, 1048600, 2 * MAX + 2), 1);
    assert_int_equal(count(&w, 50, 2 * MAX + 2), MAX);
}


static void
ended_sales_do_not_wait(void **state)
{
    struct world w = {0};

    (void)state;
    add(&w, 50, BULK);
    add(&w, 0, BULK); /* no number would bring them back after a restart */
    assert_int_equal(snap_chunk_take(w.changes, w.n, MAX), BULK + MAX);
    assert_int_equal(count(&w, 0, BULK + MAX), BULK);
}


static void
of_two_bulks_the_earlier_goes_first(void **state)
{
    struct world w = {0};
    uint64_t least, greatest;

    (void)state;
    add(&w, 60, BULK);
    add(&w, 50, BULK);
    assert_int_equal(take(&w), MAX);
    assert_int_equal(count(&w, 50, w.n), BULK - MAX);
    assert_int_equal(count(&w, 60, w.n), BULK);
    snap_chunk_range(w.changes, w.n, &least, &greatest);
    assert_int_equal(least, 50);
    assert_int_equal(greatest, 60);
}


static void
everything_is_taken_in_the_end(void **state)
{
    struct world w = {0};
    uint64_t least, greatest;
    uint32_t chunks = 0;

    (void)state;
    add(&w, 50, BULK);
    while (w.n > 0) {
        add(&w, 51 + chunks, 1); /* somebody writes meanwhile */
        assert_true(take(&w) <= MAX + 1);
        assert_int_equal(count(&w, 51 + chunks, w.n), 0);
        assert_true(++chunks <= BULK / MAX + 1);
    }
    for (uint32_t i = 0; i < w.made; i++) {
        assert_true(w.taken[i]);
    }
    snap_chunk_range(w.changes, w.n, &least, &greatest);
    assert_int_equal(least, 0);
    assert_int_equal(greatest, 0);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_changes_are_taken_all_at_once),
        cmocka_unit_test(single_changes_go_before_a_bulk),
        cmocka_unit_test(ended_sales_do_not_wait),
        cmocka_unit_test(of_two_bulks_the_earlier_goes_first),
        cmocka_unit_test(everything_is_taken_in_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
