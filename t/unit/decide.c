/*
 * The decision: what is shown, what is not, and the reason that is given.
 */
#define _GNU_SOURCE /* memmem */

#include "world.h"


static void
a_commercial_query_shows_what_it_asks_for(void **state)
{
    const struct ads_decision *decision = decide(*state);

    assert_int_equal(decision->reason, ADS_REASON_NONE);
    assert_int_equal(decision->n, 3);
    for (uint32_t i = 0; i < decision->n; i++) {
        struct ads_str json = ads_base_json(
            &((struct world *)*state)->t.tables.base, decision->picks[i].ad);

        assert_non_null(memmem(json.ptr, json.len, "Laser Printer", 13));
        assert_true(decision->picks[i].price_micros == 500000);
        assert_int_equal(decision->words_len[i], strlen("laser printer"));
        assert_memory_equal(decision->words[i], "laser printer",
                            decision->words_len[i]);
    }
}


static void
an_advertiser_gets_two_places_at_most(void **state)
{
    struct world *world = *state;
    uint32_t per_account[T_ACCOUNTS] = {0};
    const struct ads_decision *decision;

    world->ask.max = ADS_DECIDE_MAX;
    decision = decide(world);
    assert_true(decision->n > 3);
    for (uint32_t i = 0; i < decision->n; i++) {
        assert_true(++per_account[decision->picks[i].campaign->account] <= 2);
    }
}


static void
a_product_is_shown_once_whatever_its_campaigns(void **state)
{
    struct world *world = *state;
    const struct ads_decision *decision;

    for (unsigned i = 0; i < T_ADS; i++) {
        world->t.ads[i].product = t_uuid("product", 0);
    }
    decision = decide(world);
    assert_int_equal(decision->n, 1);
}


static void
one_huge_advertiser_never_empties_the_result(void **state)
{
    struct world *world = *state;
    const struct ads_decision *decision;
    struct t_tables *t = &world->t;
    static char titles[T_ADS_ROOM][24];
    /* enough of the first advertiser's to fill all that one match keeps */
    for (t->n_ads = T_ADS; t->n_ads < T_ADS_ROOM; t->n_ads++) {
        struct snap_ad_row *ad = &t->ads[t->n_ads];

        *ad = t->ads[0];
        ad->id = t_uuid("more", t->n_ads);
        ad->product = t_uuid("more", t->n_ads);
        sprintf(titles[t->n_ads], "Laser Printer %u", 1000 + t->n_ads);
        ad->title = t_str(titles[t->n_ads]);
    }
    for (unsigned i = 2; i < T_ADS; i += 2) {
        t->ads[i].title = t_str("Laser Printer with a tray, a stand, two"
                                " cables, a quick guide and a warm cover");
    }
    world->ask.max = 4;
    decision = decide(world);
    assert_int_equal(decision->n, 4);
    assert_int_equal(decision->picks[0].campaign->account, 0);
    assert_int_equal(decision->picks[1].campaign->account, 0);
    assert_int_not_equal(decision->picks[2].campaign->account, 0);
    assert_int_not_equal(decision->picks[3].campaign->account, 0);
}


static void
the_same_ask_gives_the_same_answer(void **state)
{
    struct world *world = *state;
    struct ads_decision first = *decide(world);
    const struct ads_decision *again = decide(world);

    assert_int_equal(first.n, again->n);
    for (uint32_t i = 0; i < first.n; i++) {
        assert_ptr_equal(first.picks[i].ad, again->picks[i].ad);
    }
}


static void
a_higher_bid_wins_among_equals(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_ADS; i++) {
        world->t.ads[i].title = t_str("Plain Laser Printer");
    }
    world->t.campaigns[4].bid_micros = 900000;
    assert_true(ads_uuid_equal(&decide(world)->picks[0].campaign->id,
                               &world->t.campaigns[4].id));
}


static void
what_is_not_commercial_gets_no_ad(void **state)
{
    struct world *world = *state;

    world->ask.query = t_str("who invented the laser printer");
    is_refused(world, ADS_REASON_NOT_COMMERCIAL);
}


static void
no_bid_passes_the_guard(void **state)
{
    struct world *world = *state;

    world->t.campaigns[0].bid_micros = INT64_C(1000000000000);
    world->ask.query = t_str("buy ammunition for a handgun");
    is_refused(world, ADS_REASON_SENSITIVE_TOPIC);
}


static void
no_keyword_passes_the_guard(void **state)
{
    struct world *world = *state;
    struct ads_str keywords[] = {t_str("laser printer"), t_str("handgun ammo")};

    world->ask.keywords = keywords;
    world->ask.n_keywords = 2;
    is_refused(world, ADS_REASON_SENSITIVE_TOPIC);
    assert_string_equal(world->decision.trace.guard, "weapons");

    /* side by side they would be a harmless tool */
    keywords[0] = t_str("glue");
    keywords[1] = t_str("gun");
    is_refused(world, ADS_REASON_SENSITIVE_TOPIC);
    keywords[1] = t_str("laser");
    world->ask.keywords = keywords + 1;
    world->ask.n_keywords = 1;
    assert_int_equal(decide(world)->n, 3);
}


static void
what_nobody_sells_is_no_match(void **state)
{
    struct world *world = *state;

    world->ask.query = t_str("cheap lawn mower best price");
    is_refused(world, ADS_REASON_NO_MATCH);
}


static void
currency_filters_and_never_converts(void **state)
{
    struct world *world = *state;

    memcpy(world->ask.currency, "EUR", 3);
    is_refused(world, ADS_REASON_CURRENCY);
    memcpy(world->ask.currency, "USD", 3);
    assert_int_equal(decide(world)->n, 3);
}


static void
places_are_obeyed_and_unknown_ones_match_no_target(void **state)
{
    static const struct ads_snap_place germany = {{{'D', 'E'}, {0}}, {0}};
    static const struct ads_snap_place bavaria = {{{'D', 'E'}, {'B', 'Y', 0}},
                                                  {0}};
    struct world *world = *state;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].places = &germany;
        world->t.campaigns[i].n_places = 1;
        world->t.campaigns[i].not_places = &bavaria;
        world->t.campaigns[i].n_not_places = 1;
    }
    is_refused(world, ADS_REASON_LOCATION);
    world->ask.place = germany.place;
    assert_int_equal(decide(world)->n, 3);
    world->ask.place = bavaria.place;
    is_refused(world, ADS_REASON_LOCATION);
    world->ask.place = (struct ads_place){{'F', 'R'}, {0}};
    is_refused(world, ADS_REASON_LOCATION);
}


static void
placements_are_obeyed(void **state)
{
    struct world *world = *state;
    struct ads_placement card = ads_placement_make(ADS_STR("card"));

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].placements = &card;
        world->t.campaigns[i].n_placements = 1;
    }
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.placement = card;
    assert_int_equal(decide(world)->n, 3);
}


static void
a_campaign_out_of_funds_is_not_shown(void **state)
{
    struct world *world = *state;

    decide(world);
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        ads_live_allow(
            ads_live_slot(&world->t.live, i, world->t.campaigns[i].tag), 0,
            ADS_LIVE_THROTTLE_OPEN);
    }
    is_refused(world, ADS_REASON_NO_BUDGET);

    world->ask.test = true;
    assert_int_equal(decide(world)->n, 3);
}


static void
a_throttled_campaign_is_paced(void **state)
{
    struct world *world = *state;

    decide(world);
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        ads_live_allow(
            ads_live_slot(&world->t.live, i, world->t.campaigns[i].tag),
            1000000, 0);
    }
    is_refused(world, ADS_REASON_PACED);
}


static void
without_live_nothing_is_sold(void **state)
{
    struct world *world = *state;

    decide(world);
    ads_decide(&world->decision, &world->t.tables, NULL, &world->ask,
               &world->t.text, world->t.scratch);
    assert_int_equal(world->decision.n, 0);
    assert_int_equal(world->decision.reason, ADS_REASON_NO_BUDGET);
}


static void
paused_ended_and_unborn_campaigns_are_not_shown(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].active = i % 3 != 0;
        world->t.campaigns[i].end_ms =
            i % 3 == 1 ? (int64_t)world->ask.now_ms : 0;
        world->t.campaigns[i].start_ms =
            i % 3 == 2 ? (int64_t)world->ask.now_ms + 1 : 0;
    }
    is_refused(world, ADS_REASON_NO_MATCH);
    world->ask.now_ms += 1;
    assert_in_range(decide(world)->n, 1, 2);
}


static void
a_suspended_advertiser_is_not_shown(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_ACCOUNTS; i++) {
        world->t.accounts[i].active = false;
    }
    is_refused(world, ADS_REASON_NO_MATCH);
}


static void
the_publisher_can_ask_for_a_floor_and_exclude(void **state)
{
    struct world *world = *state;
    struct ads_str names[] = {t_str("shop"), t_str("tom \"q\" ltd")};
    struct ads_str category = t_str("Office");

    world->ask.floor_micros = 500001;
    is_refused(world, ADS_REASON_BELOW_FLOOR);
    world->ask.test = true;
    assert_int_equal(decide(world)->n, 3);
    world->ask.test = false;
    world->ask.floor_micros = 500000;
    assert_int_equal(decide(world)->n, 3);

    world->ask.not_advertisers = names;
    world->ask.n_not_advertisers = 2;
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.n_not_advertisers = 0;

    world->ask.not_categories = &category;
    world->ask.n_not_categories = 1;
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.n_not_categories = 0;

    world->ask.not_ads = &decide(world)->picks[0].ad->id;
    world->ask.n_not_ads = 1;
    assert_false(
        ads_uuid_equal(&decide(world)->picks[0].ad->id, world->ask.not_ads));
}


static void
an_exclusion_holds_as_it_is_written(void **state)
{
    struct world *world = *state;
    struct ads_str name = t_str("B\xc3\x84R \\ \"S\xc3\xb6hne\"\x7f");
    struct ads_str category = t_str("\xc3\x89lectronique");

    for (unsigned i = 0; i < T_ACCOUNTS; i++) {
        world->t.accounts[i].name = t_str("B\xc3\xa4r \\ \"S\xc3\x96hne\"\x7f");
    }
    for (unsigned i = 0; i < T_ADS; i++) {
        world->t.ads[i].categories = t_str("home\n\xc3\xa9lectronique\n");
    }
    world->ask.not_advertisers = &name;
    world->ask.n_not_advertisers = 1;
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.n_not_advertisers = 0;

    world->ask.not_categories = &category;
    world->ask.n_not_categories = 1;
    is_refused(world, ADS_REASON_BLOCKED);
    category = t_str("lectronique");
    assert_int_equal(decide(world)->n, 3);
}


static void
keywords_help_to_find(void **state)
{
    struct world *world = *state;
    struct ads_str keyword = t_str("laser printer");

    world->ask.query = t_str("buy the best one for my office");
    world->ask.keywords = &keyword;
    world->ask.n_keywords = 1;
    assert_int_not_equal(decide(world)->n, 0);
}


static void
impressions_are_not_given_away(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].cpm = true;
    }
    is_refused(world, ADS_REASON_NO_MATCH);
}


/* ---- what campaigns ask of a request ---- */

/* Gives every campaign these keywords. */
static void
keywords_give(struct world *world, struct ads_snap_keyword *room,
              const char *const *written, uint16_t n, bool negative)
{
    const struct ads_text text = {sb_stemmer_new("english", NULL)};

    for (uint16_t i = 0; i < n; i++) {
        assert_true(
            ads_target_keyword_read(&room[i], &text, t_str(written[i])));
    }
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        struct snap_campaign_row *row = &world->t.campaigns[i];

        *(negative ? &row->target.not_keywords : &row->target.keywords) = room;
        *(negative ? &row->target.n_not_keywords : &row->target.n_keywords) = n;
    }
    sb_stemmer_delete(text.stemmer);
}


static void
a_campaign_with_keywords_waits_for_one_of_them(void **state)
{
    static const char *const written[] = {"toner", "the printers for lasers"};
    struct ads_snap_keyword room[2];
    struct world *world = *state;

    keywords_give(world, room, written, 2, false);
    world->ask.query = t_str("buy a printer");
    is_refused(world, ADS_REASON_NO_MATCH);
    world->ask.query = t_str("buy a laser printer");
    assert_int_equal(decide(world)->n, 3);
}


static void
a_negative_keyword_keeps_a_campaign_away(void **state)
{
    static const char *const written[] = {"used", "printers, laser"};
    struct ads_snap_keyword room[2];
    struct world *world = *state;

    keywords_give(world, room, written, 2, true);
    world->ask.query = t_str("buy a printer");
    assert_int_equal(decide(world)->n, 3);
    world->ask.query = t_str("buy a laser printer");
    is_refused(world, ADS_REASON_BLOCKED);
}


static void
of_two_thousand_keywords_each_is_found(void **state)
{
    static struct ads_snap_keyword room[2000];
    struct world *world = *state;
    const struct ads_head *head;
    const struct ads_text text = {NULL};
    struct ads_target_words words;
    char written[64];

    for (int i = 0; i < 2000; i++) {
        (void)snprintf(written, sizeof(written), "printer model%d x%d", i,
                       i % 7);
        assert_true(ads_target_keyword_read(&room[i], &text, t_str(written)));
    }
    world->t.campaigns[0].target.keywords = room;
    world->t.campaigns[0].target.n_keywords = 2000;
    t_tables_build(&world->t);
    head = &world->t.tables.head;
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(written, sizeof(written), "a x%d printer: model%d",
                       i % 7, i);
        ads_target_words_read(&words, &text, t_str(written));
        assert_true(ads_target_keywords_fit(head, 0, 2000, &words));
        (void)snprintf(written, sizeof(written), "a x%d printer: model%d",
                       (i + 1) % 7, i);
        ads_target_words_read(&words, &text, t_str(written));
        assert_false(ads_target_keywords_fit(head, 0, 2000, &words));
    }
    assert_false(ads_target_keywords_fit(head, 5000, 2000, &words));
    assert_false(ads_target_keywords_fit(head, UINT32_MAX, 2, &words));
}


static void
a_keyword_has_one_to_eight_words(void **state)
{
    const struct ads_text text = {NULL};
    struct ads_snap_keyword keyword;

    (void)state;
    assert_true(ads_target_keyword_read(&keyword, &text, t_str("a b c d e f")));
    assert_true(ads_target_keyword_read(&keyword, &text, t_str("the who")));
    assert_false(ads_target_keyword_read(&keyword, &text, t_str("... !")));
    assert_false(ads_target_keyword_read(&keyword, &text, t_str("$80")));
    assert_false(ads_target_keyword_read(&keyword, &text,
                                         t_str("b1 b2 b3 b4 b5 b6 b7 b8 b9")));
}


static void
keywords_that_say_nothing_match_nothing(void **state)
{
    static struct ads_snap_keyword nothing;
    struct world *world = *state;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.keywords = &nothing;
        world->t.campaigns[i].target.n_keywords = 1;
    }
    is_refused(world, ADS_REASON_NO_MATCH);
}


static void
languages_are_obeyed(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.languages = t_str("de\npt-br\n");
    }
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.language = t_str("en");
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.language = t_str("pt");
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.language = t_str("den");
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.language = t_str("DE-at");
    assert_int_equal(decide(world)->n, 3);
    world->ask.language = t_str("pt-BR");
    assert_int_equal(decide(world)->n, 3);
}


static void
a_product_of_another_language_is_not_shown(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_ADS; i++) {
        memcpy(world->t.ads[i].language, "de", 2);
    }
    assert_int_equal(decide(world)->n, 3);
    world->ask.language = t_str("en-GB");
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.language = t_str("de-CH");
    assert_int_equal(decide(world)->n, 3);
}


static void
publishers_are_obeyed(void **state)
{
    struct world *world = *state;
    const struct ads_uuid wanted[] = {t_uuid("other", 1), t_uuid("site", 1)};

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.publishers = wanted;
        world->t.campaigns[i].target.n_publishers = 2;
    }
    world->ask.publisher = t_uuid("site", 2);
    is_refused(world, ADS_REASON_BLOCKED);
    world->ask.publisher = wanted[1];
    assert_int_equal(decide(world)->n, 3);
}


static void
categories_choose_among_the_products(void **state)
{
    struct world *world = *state;
    const struct ads_decision *decision;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.categories = t_str("garden\nprinters\n");
    }
    world->t.ads[4].categories = t_str("office\nprinters\n");
    decision = decide(world);
    assert_int_equal(decision->n, 1);
    assert_true(
        ads_uuid_equal(&decision->picks[0].ad->id, &world->t.ads[4].id));
}


static void
a_session_sees_a_campaign_as_often_as_it_may(void **state)
{
    struct world *world = *state;
    const struct ads_decision *decision;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.frequency_count = 2;
        world->t.campaigns[i].target.frequency_s = 60;
    }
    world->ask.session = 4711;
    for (int i = 0; i < 2; i++) {
        decision = decide(world);
        assert_int_equal(decision->n, 3);
        for (uint32_t k = 0; k < decision->n; k++) {
            const struct ads_cap *cap = &decision->picks[k].cap;

            if (cap->window_s > 0) {
                assert_int_equal(cap->window_s, 60);
                ads_live_show(&world->t.live, cap->key,
                              world->ask.now_ms / 1000, cap->window_s);
            }
        }
    }
    world->ask.max = ADS_DECIDE_MAX;
    decision = decide(world);
    assert_true(decision->trace.refused[ADS_REASON_FREQUENCY_CAPPED] > 0);

    world->ask.session = 4712;
    assert_int_equal(decide(world)->trace.refused[ADS_REASON_FREQUENCY_CAPPED],
                     0);
    world->ask.session = 0;
    decision = decide(world);
    assert_int_equal(decision->trace.refused[ADS_REASON_FREQUENCY_CAPPED], 0);
    assert_int_equal(decision->picks[0].cap.window_s, 0);

    world->ask.session = 4711;
    world->ask.test = true;
    assert_int_equal(decide(world)->trace.refused[ADS_REASON_FREQUENCY_CAPPED],
                     0);
    world->ask.test = false;
    world->ask.now_ms += 60000;
    assert_int_equal(decide(world)->trace.refused[ADS_REASON_FREQUENCY_CAPPED],
                     0);
}


static void
two_ads_of_a_campaign_are_one_answer_to_its_cap(void **state)
{
    struct world *world = *state;

    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        world->t.campaigns[i].target.frequency_count = 2;
        world->t.campaigns[i].target.frequency_s = 60;
    }
    world->ask.session = 4711;
    world->ask.max = ADS_DECIDE_MAX;
    for (int i = 0; i < 2; i++) {
        const struct ads_decision *decision = decide(world);

        assert_in_range(decision->n, 2, 6);
        for (uint32_t k = 0; k < decision->n; k++) {
            const struct ads_cap *cap = &decision->picks[k].cap;

            if (cap->window_s > 0) {
                ads_live_show(&world->t.live, cap->key,
                              world->ask.now_ms / 1000, cap->window_s);
            }
        }
    }
    is_refused(world, ADS_REASON_FREQUENCY_CAPPED);
}


static void
an_older_reader_shows_no_campaign_that_is_aimed(void **state)
{
    struct world *world = *state;

    world->t.campaigns[0].target.languages = t_str("de\n");
    t_tables_build(&world->t);
    for (uint32_t i = 0; i < T_CAMPAIGNS; i++) {
        const struct ads_snap_campaign *campaign =
            ads_head_campaign(&world->t.tables.head, i);

        assert_true((campaign->target != 0)
                    == (campaign->status == ADS_SNAP_AIMED));
        assert_true(ads_snap_is_active(campaign));
    }
}


/* ---- previews ---- */

static void
a_preview_takes_a_paused_campaign_for_active(void **state)
{
    struct world *world = *state;
    struct ads_uuid mine = world->t.campaigns[2].id;
    const struct ads_decision *decision;

    world->t.campaigns[2].active = false;
    world->t.campaigns[2].start_ms = INT64_MAX;
    world->t.campaigns[2].target.languages = t_str("de\n");
    world->ask.max = ADS_DECIDE_MAX;
    decision = decide(world);
    for (uint32_t i = 0; i < decision->n; i++) {
        assert_false(ads_uuid_equal(&decision->picks[i].campaign->id, &mine));
    }

    ads_live_allow(ads_live_slot(&world->t.live, 2, world->t.campaigns[2].tag),
                   0, 0);
    world->ask.as_if = &mine;
    world->ask.alone = true;
    is_refused(world, ADS_REASON_BLOCKED); /* no one said German */
    world->ask.language = t_str("de");
    decision = decide(world);
    assert_in_range(decision->n, 1, 2);
    for (uint32_t i = 0; i < decision->n; i++) {
        assert_true(ads_uuid_equal(&decision->picks[i].campaign->id, &mine));
    }
    world->ask.alone = false;
    assert_true(decide(world)->n > 2);

    /* one that has nothing for the query learns that, not its rivals' faults */
    mine = world->t.campaigns[1].id;
    world->ask.alone = true;
    decision = decide(world);
    assert_int_equal(decision->n, 0);
    assert_true(decision->reason == ADS_REASON_NO_MATCH
                || decision->reason == ADS_REASON_BELOW_RELEVANCE);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(a_commercial_query_shows_what_it_asks_for),
        CHECK(an_advertiser_gets_two_places_at_most),
        CHECK(a_product_is_shown_once_whatever_its_campaigns),
        CHECK(one_huge_advertiser_never_empties_the_result),
        CHECK(the_same_ask_gives_the_same_answer),
        CHECK(a_higher_bid_wins_among_equals),
        CHECK(what_is_not_commercial_gets_no_ad),
        CHECK(no_bid_passes_the_guard),
        CHECK(no_keyword_passes_the_guard),
        CHECK(what_nobody_sells_is_no_match),
        CHECK(currency_filters_and_never_converts),
        CHECK(places_are_obeyed_and_unknown_ones_match_no_target),
        CHECK(placements_are_obeyed),
        CHECK(a_campaign_out_of_funds_is_not_shown),
        CHECK(a_throttled_campaign_is_paced),
        CHECK(without_live_nothing_is_sold),
        CHECK(paused_ended_and_unborn_campaigns_are_not_shown),
        CHECK(a_suspended_advertiser_is_not_shown),
        CHECK(the_publisher_can_ask_for_a_floor_and_exclude),
        CHECK(an_exclusion_holds_as_it_is_written),
        CHECK(keywords_help_to_find),
        CHECK(impressions_are_not_given_away),
        CHECK(a_campaign_with_keywords_waits_for_one_of_them),
        CHECK(a_negative_keyword_keeps_a_campaign_away),
        CHECK(of_two_thousand_keywords_each_is_found),
        CHECK(a_keyword_has_one_to_eight_words),
        CHECK(keywords_that_say_nothing_match_nothing),
        CHECK(languages_are_obeyed),
        CHECK(a_product_of_another_language_is_not_shown),
        CHECK(publishers_are_obeyed),
        CHECK(categories_choose_among_the_products),
        CHECK(a_session_sees_a_campaign_as_often_as_it_may),
        CHECK(two_ads_of_a_campaign_are_one_answer_to_its_cap),
        CHECK(an_older_reader_shows_no_campaign_that_is_aimed),
        CHECK(a_preview_takes_a_paused_campaign_for_active),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
