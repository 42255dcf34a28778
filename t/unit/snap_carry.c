/*
 * Campaigns carried over from head to head: a series of random changes, each
 * head of what changed and the head before, against one of all rows as they
 * are.  Every byte must be equal, whatever a campaign asks of requests.
 */
#include "tables.h"

#include "ads_target.h"
#include "tables/snap_carry.h"

#define CAMPAIGNS 40
#define ROUNDS 200
#define KEYWORDS 6

static const char *const phrases[] = {
    "running shoes", "red kettle", "used",          "laser printers",
    "toner",         "espresso",   "trail running", "noise cancelling"};

struct world {
    struct pool *pool;
    struct t_tables tables; /* accounts, and ads for a base */
    struct snap_image base;
    struct snap_source source;
    struct ads_text text;
    uint64_t dice;
    struct snap_campaign_row campaigns[CAMPAIGNS];
    bool served[CAMPAIGNS];
    struct snap_image head;
    struct ads_head before;
};


static uint32_t
roll(struct world *w, uint32_t sides)
{
    w->dice = w->dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(w->dice >> 33) % sides;
}


static struct ads_snap_keyword *
keywords_write(struct world *w, uint16_t *n)
{
    struct ads_snap_keyword *keywords =
        pool_array(w->pool, KEYWORDS, sizeof(*keywords));

    *n = (uint16_t)roll(w, KEYWORDS + 1);
    for (uint16_t i = 0; i < *n; i++) {
        assert_true(ads_target_keyword_read(&keywords[i], &w->text,
                                            t_str(phrases[roll(w, 8)])));
    }
    return keywords;
}


static const struct ads_snap_place *
places_write(struct world *w, uint16_t *n)
{
    struct ads_snap_place *places = pool_array(w->pool, 3, sizeof(*places));

    *n = (uint16_t)roll(w, 4);
    for (uint16_t i = 0; i < *n; i++) {
        assert_true(ads_place_read(&places[i].place,
                                   t_str(roll(w, 2) == 0 ? "DE" : "US-CA")));
    }
    return places;
}


static void
target_write(struct world *w, struct snap_campaign_row *row)
{
    static const char *const lists[] = {"", "de\n", "de\nen\n"};
    struct ads_placement *placements =
        pool_array(w->pool, 2, sizeof(*placements));
    struct ads_uuid *publishers = pool_array(w->pool, 2, sizeof(*publishers));

    row->places = places_write(w, &row->n_places);
    row->not_places = places_write(w, &row->n_not_places);
    row->n_placements = (uint16_t)roll(w, 3);
    row->target.n_publishers = (uint16_t)roll(w, 3);
    for (unsigned i = 0; i < 2; i++) {
        placements[i] = ads_placement_make(t_str(i == 0 ? "inline" : "side"));
        publishers[i] = t_uuid("publisher", roll(w, 9));
    }
    row->placements = placements;
    row->target.publishers = publishers;
    row->target.keywords = keywords_write(w, &row->target.n_keywords);
    row->target.not_keywords = keywords_write(w, &row->target.n_not_keywords);
    row->target.languages = t_str(lists[roll(w, 3)]);
    row->target.categories = t_str(lists[roll(w, 3)]);
    row->target.frequency_count = (uint16_t)roll(w, 2);
    row->target.frequency_s = row->target.frequency_count * 3600u;
}


/* Another version: other keywords and places, or other money alone. */
static void
campaign_change(struct world *w, uint32_t i)
{
    struct snap_campaign_row *row = &w->campaigns[i];

    row->version++;
    row->bid_micros = 100000 + roll(w, 900000);
    row->active = roll(w, 4) > 0;
    row->cpm = roll(w, 4) == 0;
    row->start_ms = roll(w, 1000);
    row->end_ms = row->start_ms + roll(w, 1000);
    if (roll(w, 3) == 0) {
        bool aims = roll(w, 3) > 0;

        *row = (struct snap_campaign_row){.id = row->id,
                                          .account = row->account,
                                          .bid_micros = row->bid_micros,
                                          .version = row->version,
                                          .active = row->active,
                                          .slot = row->slot,
                                          .tag = row->tag};
        if (aims) {
            target_write(w, row);
        }
    }
}


static void
world_init(struct world *w)
{
    struct snap_base_rows rows = {0};
    const struct snap_stamp stamp = {.id = 7, .made_us = 8, .change = 9};
    struct ads_base base;
    uint32_t n_refused;

    memset(w, 0, sizeof(*w));
    w->pool = pool_new();
    w->dice = 99;
    w->text.stemmer = sb_stemmer_new("english", NULL);
    t_tables_rows(&w->tables);
    rows.ads = w->tables.ads;
    rows.n_ads = w->tables.n_ads;
    snap_base_build(&w->base, &n_refused, &rows, &stamp);
    assert_int_equal(ads_base_open(&base, w->base.bytes, w->base.len), ADS_OK);
    assert_int_equal(snap_source_open(&w->source, &base), ADS_OK);
    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        w->campaigns[i] = (struct snap_campaign_row){
            .account = t_uuid("account", i % 3), .slot = i};
        /* rows are in order of their ids */
        w->campaigns[i].id.b[0] = (uint8_t)(i + 1);
        w->campaigns[i].tag = ads_live_tag(&w->campaigns[i].id);
        campaign_change(w, i);
        w->served[i] = i % 2 == 0;
    }
}


static void
world_end(struct world *w)
{
    free(w->base.bytes);
    free(w->head.bytes);
    sb_stemmer_delete(w->text.stemmer);
    pool_free(w->pool);
}


/* The head of these campaigns; the publisher says slot and tag of each. */
static void
head_build(struct world *w, struct snap_image *image,
           struct snap_campaign_row *campaigns, uint32_t n)
{
    const struct snap_head_rows rows = {.campaigns = campaigns,
                                        .n_campaigns = n,
                                        .accounts = w->tables.accounts,
                                        .n_accounts = T_ACCOUNTS};
    const struct snap_stamp stamp = {.id = 1, .made_us = 2, .change = 3};

    for (uint32_t i = 0; i < n; i++) {
        campaigns[i].slot = (uint32_t)campaigns[i].id.b[0] - 1;
        campaigns[i].tag = ads_live_tag(&campaigns[i].id);
    }
    snap_head_build(image, &rows, &w->source, &stamp);
}


/* Those that are served, of these (NULL: of all). */
static uint32_t
rows_of(const struct world *w, const bool *these,
        struct snap_campaign_row *rows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        if (w->served[i] && (these == NULL || these[i])) {
            rows[n++] = w->campaigns[i];
        }
    }
    return n;
}


static void
head_take(struct world *w, struct snap_image image)
{
    free(w->head.bytes);
    w->head = image;
    assert_int_equal(ads_head_open(&w->before, image.bytes, image.len), ADS_OK);
}


/* What PostgreSQL stamps: changed, made, archived. */
static void
change(struct world *w, bool *these, struct snap_ids *ids)
{
    memset(these, 0, CAMPAIGNS * sizeof(*these));
    for (uint32_t k = roll(w, 4); k > 0; k--) {
        uint32_t i = roll(w, CAMPAIGNS);

        these[i] = true;
        if (!w->served[i] || roll(w, 4) == 0) {
            w->served[i] = !w->served[i];
        } else {
            campaign_change(w, i);
        }
    }
    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        if (these[i]) {
            snap_ids_add(ids, &w->campaigns[i].id);
        }
    }
    snap_ids_sort(ids);
}


static void
a_head_of_what_changed_is_one_of_all_rows(void **state)
{
    static struct world w;
    struct snap_campaign_row all[CAMPAIGNS], fresh[CAMPAIGNS];
    struct snap_campaign_row carried[2 * CAMPAIGNS];
    struct snap_image whole, next;
    bool these[CAMPAIGNS];
    uint32_t n_aimed = 0;

    (void)state;
    world_init(&w);
    head_build(&w, &whole, all, rows_of(&w, NULL, all));
    head_take(&w, whole);
    for (int round = 0; round < ROUNDS; round++) {
        struct snap_ids ids = {0};
        uint32_t n;

        change(&w, these, &ids);
        n = snap_carry_campaigns(carried, &w.before, &ids, fresh,
                                 rows_of(&w, these, fresh));
        assert_int_equal(n, rows_of(&w, NULL, all));
        for (uint32_t i = 0; i < n; i++) {
            assert_true(ads_uuid_equal(&carried[i].id, &all[i].id));
            assert_int_equal(carried[i].carried, !these[all[i].slot]);
            assert_int_equal(carried[i].version, all[i].version);
        }
        head_build(&w, &next, carried, n);
        head_build(&w, &whole, all, n);
        assert_int_equal(next.len, whole.len);
        assert_memory_equal(next.bytes, whole.bytes, whole.len);
        free(whole.bytes);
        free(ids.ids);
        head_take(&w, next);
        n_aimed += w.before.keywords.rows > 0;
    }
    assert_true(n_aimed > ROUNDS / 2);
    world_end(&w);
}


static void
a_head_that_leads_outside_is_not_carried_from(void **state)
{
    static struct world w;
    struct snap_campaign_row all[CAMPAIGNS], carried[CAMPAIGNS];
    const struct snap_ids none = {0};
    struct snap_image image;
    uint32_t n;

    (void)state;
    world_init(&w);
    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        w.served[i] = true;
        target_write(&w, &w.campaigns[i]);
    }
    head_build(&w, &image, all, rows_of(&w, NULL, all));
    head_take(&w, image);
    n = snap_carry_campaigns(carried, &w.before, &none, NULL, 0);
    assert_int_equal(n, CAMPAIGNS);
    for (int part = 0; part < 6; part++) {
        struct ads_head head = w.before;
        struct ads_snap_section *const sections[] = {
            &head.accounts, &head.targets,    &head.keywords,
            &head.places,   &head.placements, &head.target_ids};

        sections[part]->rows = 1;
        assert_int_equal(snap_carry_campaigns(carried, &head, &none, NULL, 0),
                         ADS_SNAP_NONE);
    }
    world_end(&w);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_of_what_changed_is_one_of_all_rows),
        cmocka_unit_test(a_head_that_leads_outside_is_not_carried_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
