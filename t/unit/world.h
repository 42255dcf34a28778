/*
 * A request and the small ad tables that it is decided over, for tests of the
 * decision.  Rows may be changed until the first decide().
 */
#ifndef T_WORLD_H
#define T_WORLD_H

#include "tables.h"

static const char *const printer = "buy a laser printer";

struct world {
    struct t_tables t;
    struct ads_ask ask;
    struct ads_decision decision;
};


static inline int
setup(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    t_tables_rows(&world->t);
    world->ask = (struct ads_ask){
        .query = t_str(printer),
        .placement = ads_placement_make(ADS_STR("inline")),
        .max = 3,
        .now_ms = 1790000000000,
    };
    *state = world;
    return 0;
}


static inline int
teardown(void **state)
{
    struct world *world = *state;

    t_tables_free(&world->t);
    free(world);
    return 0;
}


static inline const struct ads_decision *
decide(struct world *world)
{
    if (world->t.base.bytes == NULL) {
        t_tables_build(&world->t);
    }
    ads_decide(&world->decision, &world->t.tables, &world->t.live, &world->ask,
               &world->t.text, world->t.scratch);
    return &world->decision;
}


static inline void
is_refused(struct world *world, enum ads_reason reason)
{
    const struct ads_decision *decision = decide(world);

    assert_int_equal(decision->n, 0);
    assert_string_equal(ads_reason_name(decision->reason),
                        ads_reason_name(reason));
}

#define CHECK(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
