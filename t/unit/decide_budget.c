/*
 * What a decision may cost: products that are alike are checked once, and
 * what campaigns, publishers and requests ask of them ends at a budget.
 */
#include "world.h"


static void
what_is_excluded_costs_no_more_than_its_budget(void **state)
{
    struct world *world = *state;
    struct t_tables *t = &world->t;
    static char categories[40000];
    struct ads_str category = t_str("toys");
    const struct ads_decision *decision;

    memset(categories, 'x', sizeof(categories));
    memcpy(categories + sizeof(categories) - 6, "\ntoys\n", 6);
    for (t->n_ads = 0; t->n_ads < T_ADS_ROOM; t->n_ads++) {
        struct snap_ad_row *ad = &t->ads[t->n_ads];

        *ad = t->ads[0];
        ad->id = t_uuid("more", t->n_ads);
        ad->product = t_uuid("more", t->n_ads);
        ad->categories = (struct ads_str){categories, sizeof(categories)};
        ad->language[0] = (char)('a' + t->n_ads / 26); /* none is like it */
        ad->language[1] = (char)('a' + t->n_ads % 26);
    }
    world->ask.not_categories = &category;
    world->ask.n_not_categories = 1;
    is_refused(world, ADS_REASON_BLOCKED);
    decision = &world->decision;
    assert_true(decision->trace.match.cut);
    assert_true(decision->trace.match.refused > 5);
    assert_true(decision->trace.match.refused < 40);
}


static void
products_that_are_alike_are_looked_at_once(void **state)
{
    struct world *world = *state;
    struct t_tables *t = &world->t;
    static char categories[40000];
    const struct ads_decision *decision;

    memset(categories, 'x', sizeof(categories));
    memcpy(categories + sizeof(categories) - 6, "\ntoys\n", 6);
    for (t->n_ads = 0; t->n_ads < T_ADS_ROOM; t->n_ads++) {
        struct snap_ad_row *ad = &t->ads[t->n_ads];

        *ad = t->ads[0];
        ad->id = t_uuid("more", t->n_ads);
        ad->product = t_uuid("more", t->n_ads);
        ad->categories = (struct ads_str){categories, sizeof(categories)};
    }
    t->campaigns[0].target.categories = t_str("garden\nprinters\n");
    is_refused(world, ADS_REASON_BLOCKED);
    decision = &world->decision;
    assert_false(decision->trace.match.cut);
    assert_int_equal(decision->trace.match.refused, T_ADS_ROOM);
    assert_int_equal(decision->trace.refused[ADS_REASON_BLOCKED], T_ADS_ROOM);
}


static void
what_campaigns_ask_costs_no_more_than_its_budget(void **state)
{
    struct world *world = *state;
    static struct ads_uuid others[60000];

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.publishers = others;
        world->t.campaigns[i].target.n_publishers = 60000;
    }
    world->ask.publisher = t_uuid("site", 1);
    world->ask.query = t_str("buy a laser printer or headphones");
    is_refused(world, ADS_REASON_BLOCKED);
    assert_true(world->decision.trace.match.cut);
}


/* As what older programs wrote. */
static void
tables_without_classes_and_hashes_decide_the_same(void **state)
{
    struct world *world = *state;
    struct ads_tables *tables = &world->t.tables;
    struct ads_str excluded = t_str("toys");
    struct ads_decision first;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.categories =
            t_str(i % 2 == 0 ? "none\noffice\nnothing\n" : "none\n");
    }
    for (unsigned i = 0; i < T_ADS; i += 4) {
        world->t.ads[i].categories = t_str("toys\noffice\n");
    }
    world->ask.query = t_str("buy a laser printer or headphones");
    world->ask.not_categories = &excluded;
    world->ask.n_not_categories = 1;
    first = *decide(world);
    assert_true(first.n > 0);
    assert_true(first.trace.match.refused > 0);
    assert_true(tables->base.n_classes > 0);
    assert_true(tables->head.categories.rows > 0);

    tables->base.classes = (struct ads_snap_section){0};
    tables->base.n_classes = 0;
    for (uint32_t i = 0; i < tables->head.targets.rows; i++) {
        ((struct ads_snap_target *)(void *)tables->head.targets.bytes)[i]
            .n_categories = 0;
    }
    decide(world);
    assert_int_equal(world->decision.n, first.n);
    for (uint32_t i = 0; i < first.n; i++) {
        assert_ptr_equal(world->decision.picks[i].ad, first.picks[i].ad);
    }
    assert_memory_equal(world->decision.trace.refused, first.trace.refused,
                        sizeof(first.trace.refused));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(what_is_excluded_costs_no_more_than_its_budget),
        CHECK(products_that_are_alike_are_looked_at_once),
        CHECK(what_campaigns_ask_costs_no_more_than_its_budget),
        CHECK(tables_without_classes_and_hashes_decide_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
