/*
 * A small pair of ad tables for unit tests, built by the very code of adsd:
 * three advertisers with two campaigns each and a few products.  Run from the
 * root of the project: the intent model and the guard are read from data/.
 */
#ifndef T_TABLES_H
#define T_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libstemmer.h>

#include "ads_decide.h"
#include "tables/goods.h"
#include "tables/guard_list.h"
#include "tables/snap_build.h"

#define T_ADS 12
#define T_ADS_ROOM 200
#define T_CAMPAIGNS 6
#define T_ACCOUNTS 4 /* three advertisers, one publisher */
#define T_KEYS 3     /* of the publisher: the second and third for addresses */

struct t_tables {
    struct snap_image base;
    struct snap_image head;
    struct ads_tables tables;
    uint8_t *live_bytes;
    struct ads_live live;
    struct ads_text text;
    void *scratch;
    char *model;
    void *guard;
    void *goods;

    /* may be changed before t_tables_build() */
    struct snap_ad_row ads[T_ADS_ROOM];
    uint32_t n_ads;
    struct snap_campaign_row campaigns[T_CAMPAIGNS];
    struct snap_account_row accounts[T_ACCOUNTS];
    struct snap_key_row keys[T_KEYS];
    struct ads_ip_range ranges[2];
};

static inline struct ads_uuid
t_uuid(const char *kind, unsigned number)
{
    struct ads_uuid id = {{0}};

    memcpy(id.b, kind, strlen(kind));
    id.b[8] = (uint8_t)(number * 37 + 1);
    id.b[15] = (uint8_t)number;
    return id;
}

static inline struct ads_str
t_str(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}

static inline char *
t_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(4 << 20);

    assert_non_null(file);
    *len = fread(bytes, 1, 4 << 20, file);
    fclose(file);
    return bytes;
}

/* The shipped lists of sensitive topics, compiled; free(ptr). */
static inline struct ads_str
t_guard(void)
{
    struct ads_str section;

    assert_int_equal(guard_list_compile(&section, "data/guard", "", stderr),
                     ADS_OK);
    return section;
}

/* A small ontology of their own and the shipped cues, compiled; free(ptr). */
static inline struct ads_str
t_goods(void)
{
    struct ads_str section;

    assert_int_equal(
        goods_load("t/goods", "data/goods/cues.txt", &section, stderr), ADS_OK);
    return section;
}

/* Twelve laser printers and headphones: ad i is in campaign i % 6, campaign c
 * is account c % 3's. */
static inline void
t_tables_rows(struct t_tables *t)
{
    static const char *const titles[T_ADS] = {
        "Acme Laser Printer 100",     "Bolt Wireless Headphones",
        "Corvo Laser Printer Duplex", "Delta Noise Cancelling Headphones",
        "Acme Color Laser Printer",   "Bolt Studio Headphones",
        "Corvo Laser Printer Mini",   "Delta Running Headphones",
        "Acme Office Laser Printer",  "Bolt Kids Headphones",
        "Corvo Mono Laser Printer",   "Delta Gaming Headphones",
    };

    t->n_ads = T_ADS;
    for (unsigned i = 0; i < T_ADS; i++) {
        t->ads[i] = (struct snap_ad_row){
            .id = t_uuid("ad", i),
            .campaign = t_uuid("campaign", i % T_CAMPAIGNS),
            .product = t_uuid("product", i),
            .title = t_str(titles[i]),
            .description = t_str("A fine \"thing\" to own."),
            .brand = t_str(i % 2 == 0 ? "Acme" : "Bolt"),
            .categories = t_str("electronics\noffice\n"),
            .url = t_str("https://shop.example/p?id=1"),
            .price_micros = 12500000 + i,
            .currency = {'U', 'S', 'D'},
        };
    }
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        t->campaigns[i] = (struct snap_campaign_row){
            .id = t_uuid("campaign", i),
            .account = t_uuid("account", i % 3),
            .bid_micros = 500000,
            .version = 1,
            .active = true,
            .slot = i,
        };
        t->campaigns[i].tag = ads_live_tag(&t->campaigns[i].id);
    }
    for (unsigned i = 0; i < T_ACCOUNTS; i++) {
        t->accounts[i] = (struct snap_account_row){
            .id = t_uuid("account", i),
            .name = t_str(i == 0 ? "Tom \"Q\" Ltd" : "Shop"),
            .publisher = i == 3,
            .active = true,
        };
    }
    for (uint8_t i = 0; i < T_KEYS; i++) {
        t->keys[i] = (struct snap_key_row){.hash = {1, 2, (uint8_t)(3 + i)},
                                           .account = t_uuid("account", 3),
                                           .type = 'p',
                                           .ranges = t->ranges,
                                           .n_ranges = i};
    }
    assert_true(ads_ip_range_read(&t->ranges[0], t_str("192.0.2.0/24")));
    assert_true(ads_ip_range_read(&t->ranges[1], t_str("2001:db8::/32")));
}

static inline void
t_tables_build(struct t_tables *t)
{
    struct snap_base_rows base_rows = {.ads = t->ads, .n_ads = t->n_ads};
    const struct snap_head_rows head_rows = {
        .campaigns = t->campaigns,
        .n_campaigns = T_CAMPAIGNS,
        .accounts = t->accounts,
        .n_accounts = T_ACCOUNTS,
        .keys = t->keys,
        .n_keys = T_KEYS,
    };
    struct snap_stamp stamp = {.id = 7, .made_us = 8, .change = 9, .node = 10};
    uint64_t live_len = ads_live_measure(T_CAMPAIGNS, 64);
    uint32_t n_refused, used = 0, slot;
    struct snap_source source;
    struct ads_base base;
    struct ads_head head;

    t->model = t_file("data/intent.model", &base_rows.intent_model.len);
    base_rows.intent_model.ptr = t->model;
    base_rows.guard = t_guard();
    t->guard = (char *)base_rows.guard.ptr;
    base_rows.goods = t_goods();
    t->goods = (char *)base_rows.goods.ptr;
    snap_base_build(&t->base, &n_refused, &base_rows, &stamp);
    assert_int_equal(ads_base_open(&base, t->base.bytes, t->base.len), ADS_OK);
    assert_int_equal(snap_source_open(&source, &base), ADS_OK);
    snap_head_build(&t->head, &head_rows, &source, &stamp);
    assert_int_equal(ads_head_open(&head, t->head.bytes, t->head.len), ADS_OK);
    assert_int_equal(
        ads_tables_open(&t->tables, t->base.bytes, t->base.len, &head), ADS_OK);

    t->live_bytes = calloc(1, live_len);
    ads_live_write(t->live_bytes, T_CAMPAIGNS, 64, 1, 2, 3);
    assert_int_equal(ads_live_open(&t->live, t->live_bytes, live_len), ADS_OK);
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        assert_int_equal(
            ads_live_claim(&t->live, t->campaigns[i].tag, &used, &slot),
            ADS_OK);
        ads_live_allow(ads_live_slot(&t->live, slot, t->campaigns[i].tag),
                       1000000000, ADS_LIVE_THROTTLE_OPEN);
    }

    t->text.stemmer = sb_stemmer_new("english", NULL);
    t->scratch = aligned_alloc(64, (ads_decide_scratch_len(&t->tables) + 63)
                                       & ~(size_t)63);
}

static inline void
t_tables_free(struct t_tables *t)
{
    free(t->base.bytes);
    free(t->head.bytes);
    free(t->live_bytes);
    free(t->scratch);
    free(t->model);
    free(t->guard);
    free(t->goods);
    sb_stemmer_delete(t->text.stemmer);
    *t = (struct t_tables){0};
}

#endif
