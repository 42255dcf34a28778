/*
 * Every rule of eligibility refuses in one story at least, and gives its
 * reason.  A rule of the table without a story here fails.
 */
#include "core/ads_eligible.c"

#include "world.h"

/* Changes a world in which three ads are shown until this rule shows none. */
struct story {
    const char *rule;
    void (*tell)(struct world *world);
};

#define EACH_CAMPAIGN(world, field, value)       \
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) { \
        (world)->t.campaigns[i].field = value;   \
    }


static void
nobody_pays_for_clicks(struct world *world)
{
    EACH_CAMPAIGN(world, cpm, true);
}


static void
a_preview_asks_for_another_campaign(struct world *world)
{
    static struct ads_uuid other;

    other = t_uuid("other", 1);
    world->ask.as_if = &other;
    world->ask.alone = true;
}


static void
all_are_paused(struct world *world)
{
    EACH_CAMPAIGN(world, active, false);
}


static void
all_advertisers_are_suspended(struct world *world)
{
    for (unsigned i = 0; i < T_ACCOUNTS; i++) {
        world->t.accounts[i].active = false;
    }
}


static void
all_want_another_placement(struct world *world)
{
    static struct ads_placement card;

    card = ads_placement_make(ADS_STR("card"));
    EACH_CAMPAIGN(world, placements, &card);
    EACH_CAMPAIGN(world, n_placements, 1);
}


static void
all_advertisers_are_excluded(struct world *world)
{
    static const struct ads_str names[] = {{"shop", 4}, {"tom \"q\" ltd", 11}};

    world->ask.not_advertisers = names;
    world->ask.n_not_advertisers = 2;
}


static void
all_want_another_place(struct world *world)
{
    static const struct ads_snap_place germany = {{{'D', 'E'}, {0}}, {0}};

    EACH_CAMPAIGN(world, places, &germany);
    EACH_CAMPAIGN(world, n_places, 1);
}


static void
all_bid_too_little(struct world *world)
{
    world->ask.floor_micros = 500001;
}


/* Only damaged tables say so: what is pointed at is not there. */
static void
what_is_aimed_at_was_lost(struct world *world)
{
    EACH_CAMPAIGN(world, target.languages, t_str("de\n"));
    decide(world);
    world->t.tables.head.targets.rows = 0;
}


static void
all_want_another_publisher(struct world *world)
{
    static struct ads_uuid wanted;

    wanted = t_uuid("site", 1);
    EACH_CAMPAIGN(world, target.publishers, &wanted);
    EACH_CAMPAIGN(world, target.n_publishers, 1);
    world->ask.publisher = t_uuid("site", 2);
}


static void
all_want_another_language(struct world *world)
{
    EACH_CAMPAIGN(world, target.languages, t_str("de\n"));
    world->ask.language = t_str("en");
}


static void
the_session_saw_all_of_them(struct world *world)
{
    EACH_CAMPAIGN(world, target.frequency_count, 1);
    EACH_CAMPAIGN(world, target.frequency_s, 60);
    world->ask.session = 4711;
    decide(world);
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        uint64_t key = (world->ask.session ^ world->t.campaigns[i].tag)
                       * UINT64_C(0x9e3779b97f4a7c15);

        ads_live_show(&world->t.live, key ^ key >> 32, world->ask.now_ms / 1000,
                      60);
    }
}


/* One keyword, for every campaign. */
static const struct ads_snap_keyword *
keyword_of(const char *written)
{
    static struct ads_snap_keyword keyword;
    const struct ads_text text = {NULL};

    assert_true(ads_target_keyword_read(&keyword, &text, t_str(written)));
    return &keyword;
}


static void
all_keep_away_from_the_words(struct world *world)
{
    EACH_CAMPAIGN(world, target.not_keywords, keyword_of("laser"));
    EACH_CAMPAIGN(world, target.n_not_keywords, 1);
}


static void
all_wait_for_other_words(struct world *world)
{
    EACH_CAMPAIGN(world, target.keywords, keyword_of("toner"));
    EACH_CAMPAIGN(world, target.n_keywords, 1);
}


static void
all_allow(struct world *world, int64_t micros, uint32_t throttle)
{
    decide(world);
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        ads_live_allow(
            ads_live_slot(&world->t.live, i, world->t.campaigns[i].tag), micros,
            throttle);
    }
}


static void
all_have_spent_everything(struct world *world)
{
    all_allow(world, 0, ADS_LIVE_THROTTLE_OPEN);
}


static void
all_are_throttled(struct world *world)
{
    all_allow(world, 1000000, 0);
}


static void
prices_are_in_another_currency(struct world *world)
{
    memcpy(world->ask.currency, "EUR", 3);
}


static void
everything_costs_too_much(struct world *world)
{
    world->ask.query = t_str("buy a laser printer under $5");
}


static void
products_are_in_another_language(struct world *world)
{
    for (unsigned i = 0; i < T_ADS; i++) {
        memcpy(world->t.ads[i].language, "de", 2);
    }
    world->ask.language = t_str("en");
}


static void
the_category_is_excluded(struct world *world)
{
    static const struct ads_str category = {"Office", 6};

    world->ask.not_categories = &category;
    world->ask.n_not_categories = 1;
}


static void
all_ads_are_excluded(struct world *world)
{
    static struct ads_uuid ids[T_ADS];

    for (unsigned i = 0; i < T_ADS; i++) {
        ids[i] = world->t.ads[i].id;
    }
    world->ask.not_ads = ids;
    world->ask.n_not_ads = T_ADS;
}


static const struct story stories[] = {
    {"billing", nobody_pays_for_clicks},
    {"preview", a_preview_asks_for_another_campaign},
    {"schedule", all_are_paused},
    {"account", all_advertisers_are_suspended},
    {"placements", all_want_another_placement},
    {"advertisers", all_advertisers_are_excluded},
    {"locations", all_want_another_place},
    {"floor", all_bid_too_little},
    {"target", what_is_aimed_at_was_lost},
    {"publishers", all_want_another_publisher},
    {"languages", all_want_another_language},
    {"frequency_cap", the_session_saw_all_of_them},
    {"negative_keywords", all_keep_away_from_the_words},
    {"keywords", all_wait_for_other_words},
    {"funds", all_have_spent_everything},
    {"pace", all_are_throttled},
    {"currency", prices_are_in_another_currency},
    {"price", everything_costs_too_much},
    {"language", products_are_in_another_language},
    {"categories", the_category_is_excluded},
    {"ad_ids", all_ads_are_excluded},
};


static void
every_rule_refuses_with_its_reason(void **state)
{
    (void)state;
    assert_int_equal(sizeof(stories) / sizeof(stories[0]), N_RULES);
    for (uint8_t i = 0; i < N_RULES; i++) {
        struct world *world;
        void *fresh;

        assert_string_equal(stories[i].rule, rules[i].name);
        setup(&fresh);
        world = fresh;
        stories[i].tell(world);
        print_message("# %s\n", rules[i].name);
        is_refused(world, rules[i].reason);
        teardown(&fresh);
    }
}


static void
rules_of_campaigns_come_first(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < N_RULES; i++) {
        bool of_campaign =
            rules[i].scope == CAMPAIGN || rules[i].scope == TARGET;

        assert_int_equal(of_campaign, i < N_OF_CAMPAIGN);
    }
}


/* What a preview lets pass, and nothing else. */
static void
only_time_and_money_are_waived_in_a_preview(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < N_RULES; i++) {
        bool waived = strcmp(rules[i].name, "schedule") == 0
                      || strcmp(rules[i].name, "funds") == 0
                      || strcmp(rules[i].name, "pace") == 0;

        assert_int_equal(rules[i].preview, waived ? WAIVED : ASKED);
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_refuses_with_its_reason),
        cmocka_unit_test(rules_of_campaigns_come_first),
        cmocka_unit_test(only_time_and_money_are_waived_in_a_preview),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
