/*
 * Base and head together are what one base of all rows is: a series of random
 * changes, published as heads that are carried over from head to head and
 * merged now and then, against a base built from the rows as they are.
 *
 * What must be equal: every ad's texts, address and campaign, whatever it is
 * now; under the statistics of the same base every decision; and after a merge
 * every byte.
 */
#include "tables.h"

#include "tables/snap_carry.h"

#define ADS_MAX 900
#define ADS_FIRST 500
#define CAMPAIGNS 12
#define ACCOUNTS 5
#define ROUNDS 60
#define SEEDS 4

static const char *const makers[] = {"acme",    "borealis", "cobalt",
                                     "dunmore", "everfast", "fjordic",
                                     "gable",   "hollis"};
static const char *const looks[] = {"red",     "blue",    "steel",  "wireless",
                                    "running", "compact", "heavy",  "folding",
                                    "bamboo",  "outdoor", "runner", "heavier"};
static const char *const things[] = {
    "kettle",  "jackets",  "shower head", "router", "tripod",     "drill",
    "toaster", "keyboard", "notebook",    "tent",   "showerhead", "lantern"};
/* the stem of "university" is the last word, which has another one */
static const char *const rare[] = {"zyxomma",    "quillfeather", "obsidianware",
                                   "marmalade",  "thistledown",  "gantries",
                                   "university", "univers"};
static const char *const queries[] = {"buy a red kettle",
                                      "buy acme drill",
                                      "buy a jaket",
                                      "buy showerhead steel",
                                      "buy compact wireless keyboard acme",
                                      "buy tripods",
                                      "buy running router",
                                      "buy blue tent lantern",
                                      "buy bamboo notebook",
                                      "buy a zyxomma kettle",
                                      "buy quillfeather tent",
                                      "buy obsidianware",
                                      "buy gantry",
                                      "buy marmalade toaster",
                                      "buy a toaster cobalt",
                                      "buy shower head red",
                                      "buy heavy heavier drill",
                                      "buy thistledown",
                                      "buy university kettle",
                                      "buy univers",
                                      "buy runner lantern",
                                      "buy nothing of this kind"};

#define N(list) ((uint32_t)(sizeof(list) / sizeof(*(list))))

struct world {
    struct pool *pool;
    uint64_t dice;
    struct snap_ad_row ads[ADS_MAX];
    bool live[ADS_MAX]; /* as far as the ad itself goes */
    uint32_t n;
    bool archived[CAMPAIGNS];
    struct snap_campaign_row campaigns[CAMPAIGNS];
    struct snap_account_row accounts[ACCOUNTS];
    char *model;
    size_t model_len;
    struct ads_str guard;
    struct ads_str goods;

    /* what is published */
    struct snap_image base;
    struct snap_source source;
    struct snap_image head;
    struct snap_pair pair;
    uint64_t generation;

    struct ads_text text;
};


static uint32_t
roll(struct world *w, uint32_t sides)
{
    w->dice = w->dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(w->dice >> 33) % sides;
}


static const char *
word(struct world *w)
{
    return roll(w, 6) == 0 ? rare[roll(w, N(rare))] : looks[roll(w, N(looks))];
}


static struct ads_str
text(const char *ptr)
{
    return (struct ads_str){ptr, strlen(ptr)};
}


/* Other words, another price, perhaps another address. */
static void
ad_write(struct world *w, uint32_t i)
{
    struct snap_ad_row *ad = &w->ads[i];
    const char *maker = makers[roll(w, N(makers))];

    ad->title.ptr =
        pool_format(w->pool, &ad->title.len, "%s %s %s %s %u", maker, word(w),
                    word(w), things[roll(w, N(things))], roll(w, 30));
    ad->brand = text(maker);
    ad->description.ptr = pool_format(w->pool, &ad->description.len,
                                      "A \"%s\" thing with a %s warranty, %s",
                                      word(w), word(w), maker);
    ad->categories = text(roll(w, 2) == 0 ? "home\nthings\n" : "office\n");
    ad->url.ptr =
        pool_format(w->pool, &ad->url.len, "https://shop.example/p?id=%u&v=%u",
                    i, roll(w, 1000));
    ad->price_micros = 1000000 + roll(w, 1000) * 1000;
    memcpy(ad->currency, roll(w, 8) == 0 ? "EUR" : "USD", 3);
    ad->further.ptr = NULL;
}


/* Some products are in two campaigns. */
static uint32_t
ad_add(struct world *w)
{
    uint32_t i = w->n++;
    uint32_t campaign = roll(w, CAMPAIGNS);

    w->ads[i] = (struct snap_ad_row){
        .campaign = w->campaigns[campaign].id,
        .product = t_uuid("product", i % 200),
    };
    w->ads[i].id = t_uuid("ad", i % 251);
    w->ads[i].id.b[9] = (uint8_t)(i / 251 + roll(w, 60) * 4);
    w->ads[i].id.b[12] = (uint8_t)roll(w, 256);
    w->ads[i].product.b[10] = (uint8_t)(i % 200 / 16);
    w->live[i] = roll(w, 10) > 0;
    ad_write(w, i);
    return i;
}


static void
world_init(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof(*w));
    w->pool = pool_new();
    w->dice = seed;
    w->text.stemmer = sb_stemmer_new("english", NULL);
    w->model = t_file("data/intent.model", &w->model_len);
    w->guard = t_guard();
    w->goods = t_goods();
    for (uint32_t i = 0; i < ACCOUNTS; i++) {
        w->accounts[i] = (struct snap_account_row){
            .id = t_uuid("account", i), .name = text("Shop"), .active = true};
    }
    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        w->campaigns[i] = (struct snap_campaign_row){
            .id = t_uuid("campaign", i),
            .account = t_uuid("account", i % ACCOUNTS),
            .bid_micros = 400000 + 50000 * i,
            .version = 1,
            .active = true,
            .slot = i,
        };
        w->campaigns[i].tag = ads_live_tag(&w->campaigns[i].id);
    }
    while (w->n < ADS_FIRST) {
        (void)ad_add(w);
    }
}


static void
world_end(struct world *w)
{
    free(w->base.bytes);
    free(w->head.bytes);
    free(w->model);
    free((char *)w->guard.ptr);
    free((char *)w->goods.ptr);
    sb_stemmer_delete(w->text.stemmer);
    pool_free(w->pool);
}


static uint32_t
campaign_of(const struct world *w, uint32_t i)
{
    uint32_t c = 0;

    while (!ads_uuid_equal(&w->campaigns[c].id, &w->ads[i].campaign)) {
        c++;
    }
    return c;
}


static bool
is_shown(const struct world *w, uint32_t i)
{
    return w->live[i] && !w->archived[campaign_of(w, i)];
}


/* The rows of these ads (NULL: all), as PostgreSQL would give them. */
static struct snap_base_rows
rows_of(struct world *w, const bool *these)
{
    struct snap_ad_row *ads = pool_array(w->pool, ADS_MAX, sizeof(*ads));
    struct snap_retired_row *retired =
        pool_array(w->pool, ADS_MAX, sizeof(*retired));
    struct snap_base_rows rows = {.ads = ads,
                                  .retired = retired,
                                  .intent_model = {w->model, w->model_len},
                                  .guard = w->guard,
                                  .goods = w->goods};

    /* in no order: that must not matter */
    for (uint32_t i = w->n; i-- > 0;) {
        if (these != NULL && !these[i]) {
            continue;
        }
        if (is_shown(w, i)) {
            ads[rows.n_ads++] = w->ads[i];
        } else {
            retired[rows.n_retired++] =
                (struct snap_retired_row){.id = w->ads[i].id,
                                          .campaign = w->ads[i].campaign,
                                          .url = w->ads[i].url};
        }
    }
    return rows;
}


static const struct snap_stamp stamp = {.id = 77, .made_us = 8, .change = 9};


static void
source_open(struct snap_source *source, const struct snap_image *image)
{
    struct ads_base base;

    assert_int_equal(ads_snap_verify(image->bytes, image->len), ADS_OK);
    assert_int_equal(ads_base_open(&base, image->bytes, image->len), ADS_OK);
    assert_int_equal(snap_source_open(source, &base), ADS_OK);
}


static void
head_build(struct world *w, struct snap_image *image,
           const struct snap_source *base, const struct snap_base_rows *changed,
           const struct ads_head *before)
{
    struct snap_campaign_row campaigns[CAMPAIGNS];
    struct snap_head_rows rows = {.campaigns = campaigns,
                                  .accounts = w->accounts,
                                  .n_accounts = ACCOUNTS,
                                  .before = before};
    struct snap_stamp now = stamp;

    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        if (!w->archived[i]) {
            campaigns[rows.n_campaigns++] = w->campaigns[i];
        }
    }
    if (changed != NULL) {
        rows.changed = *changed;
    }
    now.id = ++w->generation;
    snap_head_build(image, &rows, base, &now);
}


static void
head_take(struct world *w, struct snap_image image)
{
    assert_int_equal(ads_snap_verify(image.bytes, image.len), ADS_OK);
    free(w->head.bytes);
    w->head = image;
    assert_int_equal(
        snap_pair_open(&w->pair, &w->source, image.bytes, image.len), ADS_OK);
}


/* A base of all rows and an empty head. */
static void
publish_whole(struct world *w)
{
    struct snap_base_rows rows = rows_of(w, NULL);
    struct snap_image head;
    uint32_t n_refused;

    snap_base_build(&w->base, &n_refused, &rows, &stamp);
    assert_int_equal(n_refused, 0);
    source_open(&w->source, &w->base);
    head_build(w, &head, &w->source, NULL, NULL);
    head_take(w, head);
}


/* The next head: what was in the last one, but what changed. */
static void
publish_changed(struct world *w, const bool *these)
{
    struct snap_base_rows fresh = rows_of(w, these), rows;
    struct snap_carry carry = {0};
    struct snap_ids ids = {0};
    struct snap_image head;

    for (uint32_t i = 0; i < w->n; i++) {
        if (these[i]) {
            snap_ids_add(&ids, &w->ads[i].id);
        }
    }
    snap_ids_sort(&ids);
    snap_carry_head(&carry, &w->pair, &ids, false);
    snap_carry_add(&carry, &fresh);
    rows = snap_carry_rows(&carry);
    head_build(w, &head, &w->source, &rows, NULL);
    snap_carry_free(&carry);
    free(ids.ids);
    head_take(w, head);
}


/* ---- what is compared ---------------------------------------------------- */

static void
tables_open(struct ads_tables *tables, const struct snap_image *base,
            const struct snap_image *image)
{
    struct ads_head head;

    assert_int_equal(ads_head_open(&head, image->bytes, image->len), ADS_OK);
    assert_int_equal(ads_tables_open(tables, base->bytes, base->len, &head),
                     ADS_OK);
}


static void
str_equal(struct ads_str a, struct ads_str b)
{
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.ptr, b.ptr, a.len);
}


/* Every ad is what the base of all rows says, wherever it stands. */
static void
ads_equal(const struct world *w, const struct ads_tables *now,
          const struct ads_tables *whole)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        const struct ads_base *from, *other;
        const struct ads_snap_ad *a, *b;

        a = ads_tables_find(now, &w->ads[i].id, &from);
        b = ads_tables_find(whole, &w->ads[i].id, &other);
        if (a != NULL && ads_head_campaign_of(&now->head, a->campaign) == NULL)
        {
            /* of an archived campaign: not shown, its links work */
            assert_true(w->archived[campaign_of(w, i)]);
            str_equal(ads_base_url(from, a), w->ads[i].url);
            continue;
        }
        shown += a != NULL;
        assert_int_equal(a != NULL, is_shown(w, i));
        assert_int_equal(b != NULL, is_shown(w, i));
        if (a == NULL) {
            const struct ads_snap_retired *retired =
                ads_tables_find_retired(now, &w->ads[i].id, &from);

            assert_non_null(retired);
            str_equal(ads_base_retired_url(from, retired), w->ads[i].url);
            assert_true(
                ads_uuid_equal(&retired->campaign, &w->ads[i].campaign));
            continue;
        }
        str_equal(ads_base_json(from, a), ads_base_json(other, b));
        str_equal(ads_base_url(from, a), ads_base_url(other, b));
        str_equal(ads_base_categories(from, a), ads_base_categories(other, b));
        assert_true(ads_uuid_equal(ads_tables_campaign_id(now, a),
                                   &w->ads[i].campaign));
        assert_memory_equal(a->currency, b->currency, 3);
    }
    assert_true(shown > 0 && shown <= ads_tables_n_ads(now));
}


/* Lets few ads pass, so that all that are found are kept. */
struct sieve {
    const struct ads_tables *tables;
    uint32_t rest;
};


static int32_t
sieve_account(void *ctx, uint32_t doc)
{
    const struct sieve *sieve = ctx;
    const struct ads_base *from;
    const struct ads_snap_ad *ad = ads_tables_ad(sieve->tables, doc, &from);

    assert_non_null(ad);
    if (ads_head_campaign_of(&sieve->tables->head, ad->campaign) == NULL) {
        return -1;
    }
    return (ad->id.b[8] + ad->id.b[12]) % 8 == sieve->rest ? 1 : -1;
}


struct found {
    struct ads_uuid id;
    uint32_t score;
    uint32_t in_title;
    uint32_t groups;
};


static int
by_found(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ads_uuid));
}


static uint32_t
find(const struct world *w, const struct ads_tables *tables, const char *words,
     uint32_t rest, struct found found[ADS_MATCH_DEPTH])
{
    struct sieve sieve = {tables, rest};
    struct ads_match_filter filter = {sieve_account, &sieve, ADS_MATCH_DEPTH,
                                      NULL};
    void *scratch = xmalloc(ads_match_scratch_len(&tables->index));
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct ads_match_stats stats;
    uint32_t n;

    ads_match_read(&tables->index, &w->text, text(words), NULL, &query);
    n = ads_match_run(&tables->index, &query, &filter, 0, scratch, hits,
                      ADS_MATCH_DEPTH, &stats);
    assert_true(n < ADS_MATCH_DEPTH);
    for (uint32_t i = 0; i < n; i++) {
        const struct ads_base *from;

        found[i] = (struct found){
            .id = ads_tables_ad(tables, hits[i].doc, &from)->id,
            .score = hits[i].score,
            .in_title = hits[i].in_title,
            .groups = ads_match_groups(&tables->index, &query, hits[i].doc),
        };
    }
    qsort(found, n, sizeof(*found), by_found);
    free(scratch);
    return n;
}


/* The same ads are found for each query; with the same scores where both count
 * under the same statistics.  Returns how many. */
static uint32_t
finds_equal(const struct world *w, const struct ads_tables *a,
            const struct ads_tables *b, bool scores)
{
    struct found one[ADS_MATCH_DEPTH], other[ADS_MATCH_DEPTH];
    uint32_t total = 0;

    for (uint32_t q = 0; q < N(queries); q++) {
        for (uint32_t rest = 0; rest < 8; rest++) {
            uint32_t n = find(w, a, queries[q], rest, one);

            assert_int_equal(find(w, b, queries[q], rest, other), n);
            for (uint32_t i = 0; i < n; i++) {
                assert_true(ads_uuid_equal(&one[i].id, &other[i].id));
                assert_true(!scores
                            || (one[i].score == other[i].score
                                && one[i].in_title == other[i].in_title
                                && one[i].groups == other[i].groups));
            }
            total += n;
        }
    }
    return total;
}


/* Whole decisions: reason, ads in their order, prices, scores, words. */
static uint32_t
decisions_equal(const struct world *w, const struct ads_tables *a,
                const struct ads_tables *b)
{
    struct ads_decision *one = xcalloc(1, sizeof(*one));
    struct ads_decision *other = xcalloc(1, sizeof(*other));
    size_t len = ads_decide_scratch_len(a) + ads_decide_scratch_len(b);
    void *scratch = aligned_alloc(64, (len + 63) & ~(size_t)63);
    struct ads_text stems = w->text;
    uint32_t compared = 0;

    for (uint32_t q = 0; q < N(queries); q++) {
        struct ads_ask ask = {
            .query = text(queries[q]),
            .placement = ads_placement_make(ADS_STR("inline")),
            .max = 5,
            .test = true,
            .hash = q * UINT64_C(0x9e3779b97f4a7c15),
            .now_ms = 1790000000000,
        };

        ads_decide(one, a, NULL, &ask, &stems, scratch);
        ads_decide(other, b, NULL, &ask, &stems, scratch);
        assert_int_equal(one->trace.n_candidates, other->trace.n_candidates);
        if (one->trace.n_candidates == ADS_MATCH_DEPTH) {
            continue; /* which of equals is the last to be kept, is open */
        }
        compared += one->n;
        assert_int_equal(one->reason, other->reason);
        assert_int_equal(one->n, other->n);
        for (uint32_t i = 0; i < one->n; i++) {
            const struct ads_pick *x = &one->picks[i], *y = &other->picks[i];

            assert_true(ads_uuid_equal(&x->ad->id, &y->ad->id));
            assert_int_equal(x->score, y->score);
            assert_int_equal(x->rank, y->rank);
            assert_int_equal(x->price_micros, y->price_micros);
            assert_int_equal(x->terms, y->terms);
            assert_int_equal(one->words_len[i], other->words_len[i]);
            assert_memory_equal(one->words[i], other->words[i],
                                one->words_len[i]);
        }
    }
    free(scratch);
    free(one);
    free(other);
    return compared;
}


/* ---- the properties ------------------------------------------------------ */

static void
ads_that_move_to_the_head_change_no_decision(void **state)
{
    static struct world w;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct ads_tables before, after;
        struct snap_image base, head;
        bool these[ADS_MAX];
        uint32_t n = 0;

        world_init(&w, seed);
        publish_whole(&w);
        base = w.base;
        head = w.head;
        w.head = (struct snap_image){0};
        for (uint32_t i = 0; i < w.n; i++) {
            these[i] = is_shown(&w, i) && roll(&w, 3) == 0;
            n += these[i];
        }
        tables_open(&before, &base, &head);
        assert_int_equal(
            snap_pair_open(&w.pair, &w.source, head.bytes, head.len), ADS_OK);
        publish_changed(&w, these);
        tables_open(&after, &w.base, &w.head);

        assert_int_equal(after.head.more.ads.rows, n);
        assert_int_equal(ads_tables_n_ads(&after), ads_tables_n_ads(&before));
        assert_true(finds_equal(&w, &before, &after, true) > 500);
        assert_true(decisions_equal(&w, &before, &after) > 10);
        free(head.bytes);
        world_end(&w);
    }
}


/* Some changes of every kind; returns which ads PostgreSQL stamps. */
static void
change(struct world *w, bool *these)
{
    memset(these, 0, ADS_MAX * sizeof(*these));
    for (uint32_t k = 1 + roll(w, 12); k > 0; k--) {
        uint32_t i =
            roll(w, 8) == 0 && w->n < ADS_MAX ? ad_add(w) : roll(w, w->n);

        if (roll(w, 4) == 0) {
            w->live[i] = !w->live[i];
        } else {
            ad_write(w, i);
        }
        these[i] = true;
    }
    if (roll(w, 20) == 0) {
        w->archived[roll(w, CAMPAIGNS)] = true; /* stamps no ad */
    }
}


static void
whole_build(struct world *w, struct snap_image *base, struct snap_image *head)
{
    struct snap_base_rows rows = rows_of(w, NULL);
    struct snap_source source;
    uint32_t n_refused;

    snap_base_build(base, &n_refused, &rows, &stamp);
    source_open(&source, base);
    head_build(w, head, &source, NULL, NULL);
}


/* The base that base and head become, as a merge makes it. */
static void
merge(struct world *w, struct snap_image *merged)
{
    struct snap_carry carry = {0};
    struct snap_base_rows rows;
    uint32_t n_refused;

    snap_carry_all(&carry, &w->pair);
    rows = snap_carry_rows(&carry);
    rows.intent_model = (struct ads_str){w->model, w->model_len};
    rows.guard = w->guard;
    rows.goods = w->goods;
    snap_base_build(merged, &n_refused, &rows, &stamp);
    assert_int_equal(n_refused, 0);
    snap_carry_free(&carry);
}


/* The merge is done: what changed since it began is the delta to its base. */
static void
merge_take(struct world *w, struct snap_image merged, const bool *recent)
{
    struct snap_base_rows rows;
    struct snap_carry carry = {0};
    struct snap_ids ids = {0};
    struct snap_source source;
    struct snap_image head;

    for (uint32_t i = 0; i < w->n; i++) {
        if (recent[i]) {
            snap_ids_add(&ids, &w->ads[i].id);
        }
    }
    snap_ids_sort(&ids);
    source_open(&source, &merged);
    snap_carry_head(&carry, &w->pair, &ids, true);
    rows = snap_carry_rows(&carry);
    head_build(w, &head, &source, &rows, NULL);
    snap_carry_free(&carry);
    free(ids.ids);

    free(w->base.bytes);
    w->base = merged;
    w->source = source;
    head_take(w, head);
}


static void
compare(struct world *w, bool fresh_base)
{
    struct snap_image base, head;
    struct ads_tables now, whole;

    whole_build(w, &base, &head);
    tables_open(&now, &w->base, &w->head);
    tables_open(&whole, &base, &head);
    ads_equal(w, &now, &whole);
    if (fresh_base) {
        assert_true(snap_base_same(&now.base, &whole.base));
        assert_true(decisions_equal(w, &now, &whole) > 0);
        assert_true(finds_equal(w, &now, &whole, true) > 0);
    }
    free(base.bytes);
    free(head.bytes);
}


static void
a_carried_head_is_one_of_rows_to_the_byte(void **state)
{
    static struct world w;
    bool these[ADS_MAX], beside[ADS_MAX] = {false};

    (void)state;
    world_init(&w, 31);
    publish_whole(&w);
    for (int round = 0; round < ROUNDS; round++) {
        struct snap_base_rows rows;
        struct snap_image whole;

        memset(these, 0, sizeof(these));
        for (uint32_t k = 1 + roll(&w, 6); k > 0; k--) {
            uint32_t i = roll(&w, w.n);

            if (roll(&w, 4) == 0) {
                w.live[i] = !w.live[i];
            } else {
                ad_write(&w, i);
            }
            these[i] = beside[i] = true;
        }
        publish_changed(&w, these);
        rows = rows_of(&w, beside);
        w.generation--; /* the same head once more */
        head_build(&w, &whole, &w.source, &rows, NULL);
        assert_int_equal(whole.len, w.head.len);
        assert_memory_equal(whole.bytes, w.head.bytes, whole.len);
        free(whole.bytes);
    }
    assert_true(w.pair.more.shared != NULL);
    world_end(&w);
}


static void
a_merge_is_a_rebuild_to_the_byte(void **state)
{
    static struct world w;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        world_init(&w, seed * 1000);
        publish_whole(&w);
        for (int round = 1; round <= ROUNDS; round++) {
            struct snap_image merged, rebuilt, head;
            bool these[ADS_MAX];

            change(&w, these);
            publish_changed(&w, these);
            if (round % 7 == 0) {
                compare(&w, false);
            }
            if (round % 15 != 0) {
                continue;
            }
            merge(&w, &merged);
            whole_build(&w, &rebuilt, &head);
            assert_int_equal(merged.len, rebuilt.len);
            assert_memory_equal(merged.bytes, rebuilt.bytes, merged.len);
            free(rebuilt.bytes);
            free(head.bytes);
            memset(these, 0, sizeof(these));
            merge_take(&w, merged, these);
            compare(&w, true);
        }
        world_end(&w);
    }
}


static void
what_changes_during_a_merge_is_not_lost(void **state)
{
    static struct world w;
    bool these[ADS_MAX], recent[ADS_MAX];
    struct snap_image merged, head;

    (void)state;
    world_init(&w, 4711);
    publish_whole(&w);
    for (int merges = 0; merges < 4; merges++) {
        for (int round = 0; round < 5; round++) {
            change(&w, these);
            publish_changed(&w, these);
        }
        merge(&w, &merged);
        memset(recent, 0, sizeof(recent));
        for (int round = 0; round < 5; round++) {
            change(&w, these);
            publish_changed(&w, these);
            for (uint32_t i = 0; i < ADS_MAX; i++) {
                recent[i] |= these[i];
            }
        }
        merge_take(&w, merged, recent);
        compare(&w, false);

        /* a campaign changes, no ad does: the head's ads go on as they are */
        w.campaigns[0].bid_micros += 1000;
        head_build(&w, &head, &w.source, NULL, &w.pair.head);
        head_take(&w, head);
        compare(&w, false);
    }
    world_end(&w);
}


static void
an_ad_with_a_bad_url_goes_from_the_head_too(void **state)
{
    static struct world w;
    const struct ads_base *from;
    struct ads_tables tables;
    bool these[ADS_MAX] = {[3] = true};
    uint32_t n;

    (void)state;
    world_init(&w, 5);
    w.live[3] = true;
    publish_whole(&w);
    tables_open(&tables, &w.base, &w.head);
    n = ads_tables_n_ads(&tables);
    w.ads[3].url = text("javascript:alert(1)");
    publish_changed(&w, these);
    tables_open(&tables, &w.base, &w.head);
    assert_int_equal(ads_tables_n_ads(&tables), n - 1);
    assert_int_equal(tables.head.more.ads.rows, 0);
    (void)ads_tables_find(&tables, &w.ads[3].id, &from);
    assert_ptr_equal(from, &tables.base);
    world_end(&w);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ads_that_move_to_the_head_change_no_decision),
        cmocka_unit_test(a_carried_head_is_one_of_rows_to_the_byte),
        cmocka_unit_test(a_merge_is_a_rebuild_to_the_byte),
        cmocka_unit_test(what_changes_during_a_merge_is_not_lost),
        cmocka_unit_test(an_ad_with_a_bad_url_goes_from_the_head_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
