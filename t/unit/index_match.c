/*
 * The index as it is built and the match over it: what is found, in which
 * order, what the filter keeps out, and that no damage to the bytes can do
 * more than lose a hit.
 */
#include "../../core/ads_match.c"
#include "../../adsd/tables/index_build.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "match_keys.h"

#define MANY 30000 /* products: several windows */
#define FEW 400
#define FLIPS 6000

struct shop {
    struct index_doc *docs;
    uint32_t n;
    struct index_image image;
    struct ads_index index;
    struct ads_text text;
    void *scratch;
    char *titles;
};

static const char *const makers[] = {"acme",    "borealis", "cobalt",
                                     "dunmore", "everfast", "fjordic",
                                     "gable",   "hollis"};
static const char *const looks[] = {"red",    "blue",    "steel", "wireless",
                                    "large",  "compact", "heavy", "folding",
                                    "bamboo", "outdoor"};
static const char *const things[] = {
    "kettle", "jacket",  "shower head", "router",   "tripod", "backpack",
    "drill",  "toaster", "keyboard",    "notebook", "tent",   "lantern"};
static const char *const queries[] = {
    "red kettle",
    "acme drill 18v",
    "jaket",
    "showerhead steel",
    "compact wireless keyboard acme",
    "tripods for routers",
    "large",
    "model 77 backpack",
    "blue folding tent lantern",
    "i need the best outdoor jacket under $80",
    "12 inch bamboo notebook",
    "heavy heavy heavy kettle",
    "gable",
    "tosater cobalt",
    "lan tern",
    "18 volt",
    "nothing of this kind",
    "",
    ("acme borealis cobalt dunmore everfast "
     "fjordic gable hollis red blue steel "
     "large compact heavy kettle drill tent"),
    "3/4 in. x 12 in."};

#define N(list) (sizeof(list) / sizeof(*(list)))


static void
shop_open(struct shop *shop)
{
    index_build(shop->docs, shop->n, &shop->image);
    assert_int_equal(
        ads_index_open(shop->image.bytes, shop->image.len, &shop->index),
        ADS_OK);
    shop->text.stemmer = sb_stemmer_new("english", NULL);
    shop->scratch = xmalloc(ads_match_scratch_len(&shop->index));
}


/* Made-up products, the same ones each time. */
static void
shop_fill(struct shop *shop, uint32_t n)
{
    static const struct ads_str description =
        ADS_STR("A thing with a warranty of two years, about 12 inches long.");
    uint32_t dice = 1;

    memset(shop, 0, sizeof(*shop));
    shop->n = n;
    shop->docs = xcalloc(n, sizeof(*shop->docs));
    shop->titles = xmalloc((size_t)n * 80);
    for (uint32_t i = 0; i < n; i++) {
        char *title = shop->titles + (size_t)i * 80;
        const char *maker;

        dice = dice * 1664525 + 1013904223;
        maker = makers[dice >> 8 & 7];
        shop->docs[i].title.ptr = title;
        shop->docs[i].title.len = (size_t)sprintf(
            title, "%s %s %s %s %u, %u V", maker,
            looks[(dice >> 11) % N(looks)], looks[(dice >> 15) % N(looks)],
            things[(dice >> 19) % N(things)], dice >> 24, dice >> 28);
        shop->docs[i].brand =
            (struct ads_str){.ptr = maker, .len = strlen(maker)};
        shop->docs[i].category = (struct ads_str)ADS_STR("Home > Things");
        if (i % 3 == 0) {
            shop->docs[i].description = description;
        }
    }
    shop_open(shop);
}


static void
shop_close(struct shop *shop)
{
    free(shop->image.bytes);
    free(shop->image.order);
    free(shop->docs);
    free(shop->titles);
    free(shop->scratch);
    sb_stemmer_delete(shop->text.stemmer);
}


static uint32_t
ask(struct shop *shop, const char *words, const struct ads_match_filter *filter,
    uint32_t options, struct ads_match_query *query,
    struct ads_match_hit hits[ADS_MATCH_DEPTH])
{
    struct ads_match_stats stats;

    ads_match_read(&shop->index, &shop->text,
                   (struct ads_str){.ptr = words, .len = strlen(words)}, NULL,
                   query);
    return ads_match_run(&shop->index, query, filter, options, shop->scratch,
                         hits, ADS_MATCH_DEPTH, &stats);
}


/* A shop of the given titles; hits are then positions in them. */
static void
shop_of(struct shop *shop, const char *const *titles, uint32_t n)
{
    memset(shop, 0, sizeof(*shop));
    shop->n = n;
    shop->docs = xcalloc(n, sizeof(*shop->docs));
    for (uint32_t i = 0; i < n; i++) {
        shop->docs[i].title =
            (struct ads_str){.ptr = titles[i], .len = strlen(titles[i])};
    }
    shop_open(shop);
}


static uint32_t
first_of(struct shop *shop, const char *words)
{
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;

    if (ask(shop, words, NULL, 0, &query, hits) == 0) {
        return ADS_INDEX_NONE;
    }
    return shop->image.order[hits[0].doc];
}


static void
each_field_is_searched(void **state)
{
    struct index_doc docs[2] = {
        {.title = ADS_STR("Kettle"),
         .brand = ADS_STR("Borealis"),
         .category = ADS_STR("Kitchen"),
         .description = ADS_STR("Boils quickly, 1,500 watts")},
        {.title = ADS_STR("Tent")}};
    struct shop shop = {.docs = docs, .n = 2};

    (void)state;
    shop_open(&shop);
    assert_int_equal(first_of(&shop, "kettles"), 0);
    assert_int_equal(first_of(&shop, "BOREALIS"), 0);
    assert_int_equal(first_of(&shop, "kitchen"), 0);
    assert_int_equal(first_of(&shop, "1500w"), 0);
    assert_int_equal(first_of(&shop, "tent"), 1);
    assert_int_equal(first_of(&shop, "lantern"), ADS_INDEX_NONE);
    assert_int_equal(first_of(&shop, "with the"), ADS_INDEX_NONE);
    shop.docs = NULL;
    shop_close(&shop);
}


static void
titles_decide_between_equals(void **state)
{
    static const char *const titles[] = {
        "Case for Garden Hose", "Hose Garden Gnome, Ceramic Figure",
        "Garden Hose, 50 ft.", "Rubber Boots for the Garden and the Yard"};
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct shop shop;

    (void)state;
    shop_of(&shop, titles, N(titles));
    assert_int_equal(ask(&shop, "garden hose", NULL, 0, &query, hits), 4);
    assert_int_equal(shop.image.order[hits[0].doc], 2);
    assert_true(hits[0].head);
    assert_int_equal(hits[0].coverage, 256);
    assert_int_equal(hits[0].in_title, 3);
    assert_int_equal(shop.image.order[hits[3].doc], 3);
    assert_false(hits[3].head);
    assert_true(ads_match_is_relevant(&query, &hits[0]));
    assert_false(ads_match_is_relevant(&query, &hits[3]));
    assert_int_equal(ads_match_groups(&shop.index, &query, hits[3].doc), 1);
    shop_close(&shop);
}


static void
words_say_what_became_of_them(void **state)
{
    static const char *const titles[] = {
        "Red Jacket",  "Blue Jacket",        "Green Jacket",
        "Shower Head", "Shower Head, Steel", "Wallpaper Paste",
        "Wall Clock",  "Paper Tray",         "Wallpaper Roll"};
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    const char *words = "please find jaket showerhead wall paper under $20";
    static const enum ads_match_state states[] = {
        ADS_MATCH_STOP,  ADS_MATCH_STOP,  ADS_MATCH_CORRECTED, ADS_MATCH_SPLIT,
        ADS_MATCH_KNOWN, ADS_MATCH_KNOWN, ADS_MATCH_STOP};
    struct ads_match_query query;
    struct shop shop;

    (void)state;
    shop_of(&shop, titles, N(titles));
    assert_true(ask(&shop, words, NULL, 0, &query, hits) > 0);
    assert_int_equal(query.n_words, N(states));
    for (uint32_t i = 0; i < query.n_words; i++) {
        assert_int_equal(query.words[i].state, states[i]);
    }
    assert_memory_equal(words + query.words[2].from, "jaket", 5);
    assert_int_equal(query.words[2].to - query.words[2].from, 5);
    assert_int_equal(query.n_unknown, 0);

    assert_int_equal(first_of(&shop, "wall paper roll"), 8);
    assert_int_equal(ask(&shop, "roll xyzzyplugh", NULL, 0, &query, hits), 1);
    assert_int_equal(query.words[1].state, ADS_MATCH_UNKNOWN);
    assert_true(hits[0].coverage < 256);
    shop_close(&shop);
}


static int32_t
account_of(void *ctx, uint32_t doc)
{
    uint32_t share = *(uint32_t *)ctx;

    /* one account in five has half of all; of the rest some are not allowed */
    if (doc % 2 == 0) {
        return share == 1 ? 7 : (int32_t)(doc % 5);
    }
    return doc % share == 1 ? -1 : (int32_t)(doc % 1000);
}


static void
pruning_loses_nothing(void **state)
{
    uint32_t keys[ADS_MATCH_DEPTH], all_keys[ADS_MATCH_DEPTH];
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct shop shop;
    struct run *run;

    (void)state;
    shop_fill(&shop, MANY);
    run = shop.scratch;
    assert_true(shop.index.n_windows > 5);
    for (size_t i = 0; i < N(queries) * 3; i++) {
        uint32_t share = i / N(queries) == 1 ? 3 : 7, n, n_all;
        struct ads_match_filter filter = {
            .account = account_of, .ctx = &share, .per_account = 8};
        const struct ads_match_filter *used =
            i / N(queries) == 0 ? NULL : &filter;
        const char *words = queries[i % N(queries)];

        if (ask(&shop, words, used, ADS_MATCH_EXHAUSTIVE, &query, hits) == 0) {
            assert_int_equal(ask(&shop, words, used, 0, &query, hits), 0);
            continue;
        }
        n_all = keys_of(run->found, run->n_found, all_keys);
        assert_int_equal(ask(&shop, words, used, 0, &query, hits), n_all);
        n = keys_of(run->found, run->n_found, keys);
        assert_int_equal(n, n_all);
        assert_memory_equal(keys, all_keys, n * sizeof(*keys));
    }
    shop_close(&shop);
}


static void
one_account_never_fills_the_answer(void **state)
{
    uint32_t share = 1, owned[1000] = {0}, n;
    struct ads_match_filter filter = {
        .account = account_of, .ctx = &share, .per_account = 8};
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct shop shop;

    (void)state;
    shop_fill(&shop, MANY);
    share = 3;
    n = ask(&shop, "red kettle", &filter, 0, &query, hits);
    assert_int_equal(n, ADS_MATCH_DEPTH);
    for (uint32_t i = 0; i < n; i++) {
        int32_t account = account_of(&share, hits[i].doc);

        assert_true(account >= 0);
        assert_true(++owned[account] <= 8);
        assert_true(i == 0 || hits[i - 1].score >= hits[i].score);
        assert_true(hits[i].score <= ADS_MATCH_UNIT);
    }
    shop_close(&shop);
}


static void
the_same_products_give_the_same_bytes(void **state)
{
    struct index_image again;
    uint8_t *seen;
    struct shop shop;

    (void)state;
    shop_fill(&shop, 5000);
    index_build(shop.docs, shop.n, &again);
    assert_int_equal(again.len, shop.image.len);
    assert_memory_equal(again.bytes, shop.image.bytes, again.len);
    assert_memory_equal(again.order, shop.image.order, 4 * shop.n);

    seen = xcalloc(shop.n, 1);
    for (uint32_t i = 0; i < shop.n; i++) {
        assert_true(again.order[i] < shop.n);
        assert_int_equal(seen[again.order[i]]++, 0);
    }
    free(seen);
    free(again.bytes);
    free(again.order);
    shop_close(&shop);
}


static void
an_empty_shop_has_an_index(void **state)
{
    struct shop shop = {.docs = NULL, .n = 0};

    (void)state;
    shop_open(&shop);
    for (size_t i = 0; i < N(queries); i++) {
        assert_int_equal(first_of(&shop, queries[i]), ADS_INDEX_NONE);
    }
    shop_close(&shop);
}


static void
hostile_queries_end(void **state)
{
    static char text[8192];
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct ads_match_stats stats;
    struct shop shop;
    uint32_t dice = 7;

    (void)state;
    shop_fill(&shop, FEW);
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof(text); i++) {
            dice = dice * 1664525 + 1013904223;
            text[i] = round % 2 == 0 ? (char)(dice >> 24)
                                     : "ab 1/.,'x\"$-"[(dice >> 24) % 13];
        }
        ads_match_read(&shop.index, &shop.text,
                       (struct ads_str){.ptr = text, .len = sizeof(text)}, NULL,
                       &query);
        assert_true(query.n_words <= ADS_MATCH_WORDS);
        assert_true(query.n_groups <= ADS_MATCH_GROUPS);
        (void)ads_match_run(&shop.index, &query, NULL, 0, shop.scratch, hits,
                            ADS_MATCH_DEPTH, &stats);
    }
    shop_close(&shop);
}


static void
a_foreign_or_cut_block_is_refused(void **state)
{
    struct ads_index index;
    struct shop shop;
    uint8_t *bytes;

    (void)state;
    shop_fill(&shop, FEW);
    for (size_t len = 0; len < shop.image.len; len += 1 + len / 16) {
        bytes = xmalloc(len + 1);
        memcpy(bytes, shop.image.bytes, len);
        assert_int_equal(ads_index_open(bytes, len, &index), ADS_DAMAGED);
        free(bytes);
    }
    for (size_t i = 0; i < 8; i++) {
        shop.image.bytes[i] ^= 0x41;
        assert_int_equal(
            ads_index_open(shop.image.bytes, shop.image.len, &index),
            ADS_UNSUPPORTED);
        shop.image.bytes[i] ^= 0x41;
    }
    shop_close(&shop);
}


/* Every query on a damaged copy; nothing is asked of the answer. */
static void
damaged_run(const struct shop *shop, const uint8_t *bytes)
{
    struct ads_match_hit hits[ADS_MATCH_DEPTH];
    struct ads_match_query query;
    struct ads_match_stats stats;
    struct ads_index index;
    void *scratch;

    if (ads_index_open(bytes, shop->image.len, &index) != ADS_OK) {
        return;
    }
    scratch = xmalloc(ads_match_scratch_len(&index));
    for (size_t i = 0; i < N(queries); i++) {
        struct ads_str words = {.ptr = queries[i], .len = strlen(queries[i])};
        uint32_t n;

        ads_match_read(&index, &shop->text, words, NULL, &query);
        n = ads_match_run(&index, &query, NULL, 0, scratch, hits,
                          ADS_MATCH_DEPTH, &stats);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(hits[k].doc < index.n_docs);
            (void)ads_match_groups(&index, &query, hits[k].doc);
            (void)ads_match_is_relevant(&query, &hits[k]);
        }
    }
    free(scratch);
}


/* At a million ads some pairs are in more titles than 15 bits count. */
static void
neighbours_are_counted_in_many_titles(void **state)
{
    struct shop shop = {.n = 1 << 16};
    uint32_t shower, head;

    (void)state;
    shop.docs = xcalloc(shop.n, sizeof(*shop.docs));
    for (uint32_t i = 0; i < shop.n; i++) {
        shop.docs[i].title = (struct ads_str)ADS_STR("Shower head");
    }
    shop_open(&shop);
    shower = ads_index_word_term(
        &shop.index, ads_index_word_find(&shop.index, ADS_STR("shower")));
    head = ads_index_word_term(
        &shop.index, ads_index_word_find(&shop.index, ADS_STR("head")));
    assert_int_equal(ads_index_pair_find(&shop.index, shower, head), 16);
    assert_int_equal(ads_index_pair_find(&shop.index, head, shower), 0);
    shop_close(&shop);
}


static void
damage_never_leaves_the_block(void **state)
{
    struct shop shop;
    uint8_t *bytes;
    uint32_t dice = 99;

    (void)state;
    shop_fill(&shop, FEW);
    bytes = xmalloc(shop.image.len);
    for (int flip = 0; flip < FLIPS; flip++) {
        uint32_t n = 1 + flip % 16;

        memcpy(bytes, shop.image.bytes, shop.image.len);
        for (uint32_t i = 0; i < n; i++) {
            size_t at;

            dice = dice * 1664525 + 1013904223;
            at = flip % 5 == 0 ? (dice >> 8) % ADS_INDEX_HEAD_LEN
                               : (dice >> 8) % shop.image.len;
            dice = dice * 1664525 + 1013904223;
            bytes[at] ^= (uint8_t)(1 + (dice >> 24) % 255);
        }
        damaged_run(&shop, bytes);
    }
    free(bytes);
    shop_close(&shop);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_is_searched),
        cmocka_unit_test(titles_decide_between_equals),
        cmocka_unit_test(words_say_what_became_of_them),
        cmocka_unit_test(pruning_loses_nothing),
        cmocka_unit_test(one_account_never_fills_the_answer),
        cmocka_unit_test(the_same_products_give_the_same_bytes),
        cmocka_unit_test(an_empty_shop_has_an_index),
        cmocka_unit_test(hostile_queries_end),
        cmocka_unit_test(a_foreign_or_cut_block_is_refused),
        cmocka_unit_test(neighbours_are_counted_in_many_titles),
        cmocka_unit_test(damage_never_leaves_the_block),
    };

    return cmocka_run_group_tests_name("index and match", tests, NULL, NULL);
}
