/*
 * The match leaves most of the postings unread.  Here every query is walked
 * over in full as well, and both walks must have kept the same keys: on real
 * products, with real words and made-up ones, with the kinds that a request
 * wants, and under filters that let one product in ten thousand pass.
 *
 * ADS_LONG asks all of it; $ADS_SHARED has more products and queries.
 *
 * Runs: long
 */
#include "../../core/ads_match.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "ads_decide.h"
#include "match_keys.h"
#include "tools/shop.h"

#define DEMO "data/demo-catalog.jsonl.zst"
#define ASKED 150 /* queries of a short run */
#define ASKED_LONG 2000
#define WORDS_MAX 12 /* of a made-up query */
#define QUERY_MAX 512

struct world {
    struct shop shop;
    struct ads_tables tables;
    struct ads_understood understood;
    struct ads_text text;
    void *scratch;
    uint32_t dice;
    uint32_t n_asked;
    uint32_t n_found; /* documents, of all of them */
    uint64_t windows; /* visited for a query without a filter */
    uint64_t windows_all;
};

/* Which documents pass: of 10,000 so many, of so many accounts. */
struct sieve {
    uint32_t share;
    uint32_t seed;
    uint32_t n_accounts;
    uint32_t per_account;
};

static const struct sieve sieves[] = {
    {10000, 1, 50, ADS_MATCH_DEPTH}, {10000, 2, 7, 8},
    {1000, 3, 50, ADS_MATCH_DEPTH},  {100, 4, 5, 8},
    {100, 5, 50, ADS_MATCH_DEPTH},   {10, 6, 50, ADS_MATCH_DEPTH},
    {1, 7, 50, ADS_MATCH_DEPTH},
};

#define N(list) (sizeof(list) / sizeof(*(list)))


static bool
is_long(void)
{
    return getenv("ADS_LONG") != NULL;
}


static const char *
shared(char path[512], const char *name)
{
    const char *folder = getenv("ADS_SHARED");

    snprintf(path, 512, "%s/data/%s", folder != NULL ? folder : "../shared",
             name);
    return path;
}


static uint32_t
roll(struct world *world, uint32_t n)
{
    world->dice = world->dice * 1664525 + 1013904223;
    return (world->dice >> 8) % n;
}


static void
world_make(struct world *world, const char *products)
{
    memset(world, 0, sizeof(*world));
    shop_read(&world->shop, products);
    shop_base(&world->shop, "data/goods");
    shop_tables(&world->tables, &world->shop);
    world->scratch = xmalloc(ads_match_scratch_len(&world->tables.index));
    world->text.stemmer = sb_stemmer_new("english", NULL);
}


static void
world_free(struct world *world)
{
    sb_stemmer_delete(world->text.stemmer);
    free(world->scratch);
    shop_free(&world->shop);
}


static int32_t
account_of(void *ctx, uint32_t doc)
{
    const struct sieve *sieve = ctx;
    uint32_t hash = (doc + sieve->seed * 1000003) * 0x9e3779b1u;

    hash = (hash ^ hash >> 15) * 0x85ebca6bu;
    return (hash >> 8) % 10000 < sieve->share
               ? (int32_t)((hash >> 3) % sieve->n_accounts)
               : -1;
}


/* ---- one query ----------------------------------------------------------- */

static uint32_t
run(struct world *world, const struct ads_match_query *query,
    const struct ads_match_filter *filter, uint32_t options,
    uint32_t keys[ADS_MATCH_DEPTH])
{
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct run *run = world->scratch;
    struct ads_match_stats stats;

    run->n_found = 0;
    (void)ads_match_run(&world->tables.index, query, filter, options,
                        world->scratch, hits, ADS_MATCH_DEPTH, &stats);
    assert_false(stats.cut);
    if (filter == NULL) {
        *((options & ADS_MATCH_EXHAUSTIVE) != 0 ? &world->windows_all
                                                : &world->windows) +=
            stats.windows;
    }
    return keys_of(run->found, run->n_found, keys);
}


/* What a filtered walk met must be the best of all, at least as many as are
 * kept whatever their kind. */
static void
met_compare(struct world *world, const struct ads_match_query *query,
            const uint32_t *all_keys, uint32_t n_all)
{
    uint32_t n = query->kind == ADS_MATCH_NO_GROUP
                     ? ADS_MATCH_DEPTH
                     : ADS_MATCH_DEPTH - ADS_MATCH_OF_KIND;
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct run *run = world->scratch;
    uint32_t keys[ADS_MATCH_DEPTH], n_met;

    (void)ads_match_met(&world->tables.index, query, world->scratch, hits,
                        ADS_MATCH_DEPTH);
    n_met = keys_of(run->refused.items, run->refused.n, keys);
    n = n < n_all ? n : n_all;
    assert_true(n_met >= n);
    assert_memory_equal(keys, all_keys, n * sizeof(*keys));
}


static void
query_compare(struct world *world, const struct ads_match_query *query,
              struct sieve sieve, const uint32_t *unfiltered,
              uint32_t n_unfiltered)
{
    const struct ads_match_filter filter = {
        .account = account_of, .ctx = &sieve, .per_account = sieve.per_account};
    uint32_t keys[ADS_MATCH_DEPTH], all_keys[ADS_MATCH_DEPTH], n, n_all;

    n_all = run(world, query, &filter, ADS_MATCH_EXHAUSTIVE, all_keys);
    n = run(world, query, &filter, 0, keys);
    assert_int_equal(n, n_all);
    assert_memory_equal(keys, all_keys, n * sizeof(*keys));
    world->n_found += n;
    if (sieve.per_account == ADS_MATCH_DEPTH && query->n_groups > 0) {
        met_compare(world, query, unfiltered, n_unfiltered);
    }
}


/* One request: its words alone, or as it is understood. */
static void
ask(struct world *world, struct ads_str request, bool understand)
{
    uint32_t keys[ADS_MATCH_DEPTH], all_keys[ADS_MATCH_DEPTH], n, n_all;
    const struct ads_match_focus *focus = NULL;
    struct ads_match_query query;

    if (understand) {
        ads_understand(&world->understood, &world->tables.goods,
                       &world->tables.index, request,
                       (struct ads_str){NULL, 0});
        request = world->understood.focus.words;
        focus = &world->understood.focus.match;
    }
    ads_match_read(&world->tables.index, &world->text, request, focus, &query);
    n_all = run(world, &query, NULL, ADS_MATCH_EXHAUSTIVE, all_keys);
    n = run(world, &query, NULL, 0, keys);
    assert_int_equal(n, n_all);
    assert_memory_equal(keys, all_keys, n * sizeof(*keys));
    for (size_t i = 0; i < N(sieves); i++) {
        struct sieve sieve = sieves[i];

        sieve.seed += world->n_asked * 31;
        query_compare(world, &query, sieve, all_keys, n_all);
    }
    world->n_asked++;
}


/* ---- queries ------------------------------------------------------------- */

/* Appends a word of the product's title or description. */
static size_t
word_take(struct world *world, char *query, size_t len)
{
    const struct snap_ad_row *ad =
        &world->shop.ads[roll(world, world->shop.n_ads)];
    struct ads_str text = roll(world, 4) == 0 ? ad->description : ad->title;
    size_t from, to;

    if (text.len == 0) {
        return len;
    }
    from = to = roll(world, (uint32_t)text.len);
    while (from > 0 && text.ptr[from - 1] != ' ') {
        from--;
    }
    while (to < text.len && text.ptr[to] != ' ') {
        to++;
    }
    if (to - from + 1 > QUERY_MAX - len) {
        return len;
    }
    memcpy(query + len, text.ptr + from, to - from);
    query[len + to - from] = ' ';
    return len + to - from + 1;
}


static void
words_ask(struct world *world, uint32_t n)
{
    char query[QUERY_MAX];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_words = 1 + roll(world, WORDS_MAX);
        size_t len = 0;

        for (uint32_t k = 0; k < n_words; k++) {
            len = word_take(world, query, len);
        }
        ask(world, (struct ads_str){query, len}, i % 2 == 1);
    }
}


/* Each `step`th line of a file: the second column, or a JSON's "query". */
static uint32_t
file_ask(struct world *world, const char *name, uint32_t step)
{
    char path[512], *line = NULL;
    FILE *file = fopen(shared(path, name), "r");
    size_t room = 0;
    uint32_t n = 0;

    if (file == NULL) {
        return 0;
    }
    while (getline(&line, &room, file) > 0) {
        json_t *json = json_loads(line, 0, NULL);
        const char *tab = strchr(line, '\t');
        const char *query = json_string_value(json_object_get(json, "query"));

        if (query == NULL && tab != NULL) {
            query = tab + 1;
        }
        if (query != NULL && n++ % step == 0) {
            struct ads_str text = {query, strcspn(query, "\n\t")};

            ask(world, text, false);
            ask(world, text, true);
        }
        json_decref(json);
    }
    free(line);
    (void)fclose(file);
    return n;
}


static void
files_ask(struct world *world, uint32_t step)
{
    (void)file_ask(world, "retail/queries.public.tsv", step);
    (void)file_ask(world, "diy/queries.public.tsv", step);
    (void)file_ask(world, "electronics/queries.public.tsv", step);
    (void)file_ask(world, "asks/requests.jsonl", step);
}


/* ---- tests --------------------------------------------------------------- */

static void
pruned_is_exhaustive_on_the_demo(void **state)
{
    struct world world;

    (void)state;
    world_make(&world, DEMO);
    words_ask(&world, is_long() ? ASKED_LONG : ASKED);
    files_ask(&world, is_long() ? 1 : 100);
    assert_true(world.n_asked >= ASKED);
    assert_true(world.n_found > 100 * world.n_asked);
    assert_true(world.windows < world.windows_all);
    world_free(&world);
}


static void
pruned_is_exhaustive_on_a_large_catalogue(void **state)
{
    struct world world;
    char path[512];

    (void)state;
    if (!is_long() || access(shared(path, "catalog.jsonl.zst"), R_OK) != 0) {
        return;
    }
    world_make(&world, path);
    words_ask(&world, ASKED_LONG);
    files_ask(&world, 1);
    assert_true(world.windows < world.windows_all);
    world_free(&world);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pruned_is_exhaustive_on_the_demo),
        cmocka_unit_test(pruned_is_exhaustive_on_a_large_catalogue),
    };

    return cmocka_run_group_tests_name("pruning", tests, NULL, NULL);
}
