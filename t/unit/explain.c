/*
 * What explain tells is JSON, whatever was decided, and fits its room.
 */
#define _GNU_SOURCE /* memmem */

#include "tables.h"

#include "ads_explain.h"
#include "ads_json.h"

struct world {
    struct t_tables t;
    struct ads_ask ask;
    struct ads_notes notes;
    struct ads_decision decision;
    char text[ADS_EXPLAIN_LEN_MAX];
    size_t len;
};


static int
setup(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    t_tables_rows(&world->t);
    t_tables_build(&world->t);
    world->ask = (struct ads_ask){
        .query = t_str("buy a laser printer"),
        .placement = ads_placement_make(ADS_STR("inline")),
        .max = 3,
        .now_ms = 1790000000000,
        .notes = &world->notes,
    };
    *state = world;
    return 0;
}


static int
teardown(void **state)
{
    struct world *world = *state;

    t_tables_free(&world->t);
    free(world);
    return 0;
}


static void
explain(struct world *world)
{
    static char copy[ADS_EXPLAIN_LEN_MAX];
    struct ads_json_value value;
    struct ads_json json;

    world->len = ads_explain_write(world->text, &world->t.tables,
                                   &world->decision, &world->notes, 31, true);
    memcpy(copy, world->text, world->len);
    ads_json_init(&json, copy, world->len);
    ads_json_read(&json, &value);
    assert_int_equal(value.type, ADS_JSON_OBJECT);
    ads_json_skip(&json, &value);
    assert_int_equal(ads_json_end(&json), ADS_OK);
}


static void
decide(struct world *world)
{
    ads_decide(&world->decision, &world->t.tables, &world->t.live, &world->ask,
               &world->t.text, world->t.scratch);
    explain(world);
}


static bool
tells(const struct world *world, const char *part)
{
    return memmem(world->text, world->len, part, strlen(part)) != NULL;
}


static void
a_show_tells_its_candidates_and_prices(void **state)
{
    struct world *world = *state;

    decide(world);
    assert_int_equal(world->notes.n, 6);
    assert_true(tells(world, "\"decision\":\"SHOW\",\"reason\":null"));
    assert_true(tells(world, "\"guard\":{\"passed\":true,\"topic\":null}"));
    assert_true(tells(world, "\"bid_micros\":500000,\"state\":\"shown\""));
    assert_true(tells(world, "\"state\":\"outranked\""));
    assert_true(tells(world, "\"words\":\"laser printer\""));
    assert_true(tells(world, "\"times\":{\"decide_us\":31}}"));
}


static void
what_others_bid_is_left_out(void **state)
{
    static const char *const money[] = {"\"bid_micros\"", "\"price_micros\"",
                                        "\"rank\""};
    struct world *world = *state;

    decide(world);
    for (size_t i = 0; i < sizeof(money) / sizeof(money[0]); i++) {
        assert_true(tells(world, money[i]));
    }
    world->len = ads_explain_write(world->text, &world->t.tables,
                                   &world->decision, &world->notes, 31, false);
    for (size_t i = 0; i < sizeof(money) / sizeof(money[0]); i++) {
        assert_false(tells(world, money[i]));
    }
    assert_true(tells(world, "\"state\":\"shown\""));
}


static void
a_refusal_tells_its_stage(void **state)
{
    struct world *world = *state;

    memcpy(world->ask.currency, "EUR", 3);
    decide(world);
    assert_true(tells(world, "\"reason\":\"currency\""));
    assert_true(tells(world, "\"refused\":{\"currency\":"));
    world->ask.query = t_str("why is the sky blue");
    decide(world);
    assert_true(tells(world, "\"intent\":{\"passed\":false,\"score\":-"));
    assert_false(tells(world, "\"match\""));
    world->ask.query = t_str("I want to kill myself");
    decide(world);
    assert_true(tells(world, "{\"passed\":false,\"topic\":\"self_harm\"}"));
    assert_false(tells(world, "\"intent\""));
}


static void
the_longest_fits(void **state)
{
    struct world *world = *state;

    decide(world);
    world->decision.n = ADS_DECIDE_MAX;
    world->notes.n = ADS_NOTES_MAX;
    for (uint32_t i = 0; i < ADS_DECIDE_MAX; i++) {
        struct ads_pick *pick = &world->decision.picks[i];

        *pick = world->decision.picks[0];
        pick->rank = UINT64_MAX;
        pick->price_micros = INT64_MAX;
        pick->score = UINT32_MAX;
        pick->doc = UINT32_MAX;
        world->decision.words_len[i] = ADS_TOKEN_WORDS_MAX;
        memset(world->decision.words[i], '"', ADS_TOKEN_WORDS_MAX);
        world->notes.list[i] = world->notes.list[0];
        world->notes.list[i].score = UINT32_MAX;
        world->notes.list[i].relevant = false;
    }
    for (uint32_t i = 0; i < ADS_REASON_END; i++) {
        world->decision.trace.refused[i] = UINT32_MAX;
    }
    explain(world);
    assert_true(world->len < ADS_EXPLAIN_LEN_MAX - 1024);
}


static void
who_does_not_ask_pays_nothing(void **state)
{
    struct world *world = *state;

    world->ask.notes = NULL;
    decide(world);
    assert_int_equal(world->notes.n, 0);
    assert_int_equal(world->decision.n, 3);
}


#define CHECK(name) cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(a_show_tells_its_candidates_and_prices),
        CHECK(what_others_bid_is_left_out),
        CHECK(a_refusal_tells_its_stage),
        CHECK(the_longest_fits),
        CHECK(who_does_not_ask_pays_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
