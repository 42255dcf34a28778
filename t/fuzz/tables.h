/*
 * A small pair of ad tables of unit tests, with a small intent model for which
 * every query is commercial, so that queries reach the match.
 */
#ifndef T_FUZZ_TABLES_H
#define T_FUZZ_TABLES_H

#include "t/unit/tables.h"

#include "ads_key.h"

#include "fuzz.h"

#define FUZZ_MODEL_BITS 10
#define FUZZ_MODEL_LEN \
    (ADS_INTENT_HEADER_LEN + (ADS_INTENT_SUMS << FUZZ_MODEL_BITS))


static inline void
fuzz_model_sign(uint8_t *model, size_t len)
{
    uint32_t crc = ads_crc32c(0, model, 28);

    crc = ads_crc32c(crc, model + 32, len - 32);
    memcpy(model + 28, &crc, 4);
}


/* Weights of zero, a bias above the threshold of intent, and one below that of
 * what is sensitive. */
static inline void
fuzz_model_write(uint8_t model[FUZZ_MODEL_LEN])
{
    const uint32_t bom = 0x01020304;
    const uint16_t version = 3, bits = FUZZ_MODEL_BITS;
    /* bias, step, threshold */
    const int32_t numbers[] = {100, 256, 50}, others[] = {0, 256, 50};

    memset(model, 0, FUZZ_MODEL_LEN);
    memcpy(model, "ADSINTNT", 8);
    memcpy(model + 8, &bom, 4);
    memcpy(model + 12, &version, 2);
    memcpy(model + 14, &bits, 2);
    memcpy(model + 16, numbers, sizeof(numbers));
    memcpy(model + 32, others, sizeof(others));
    fuzz_model_sign(model, FUZZ_MODEL_LEN);
}


/* The text of a key of the tables: 0 explains, 1 and 2 have addresses, 2 is a
 * test key. */
static inline void
fuzz_key(char text[ADS_KEY_TEXT_LEN], unsigned number)
{
    uint8_t random[ADS_KEY_RANDOM_LEN];

    memset(random, (int)number + 1, sizeof(random));
    fuzz_must(ads_key_make(text, ADS_KEY_PUBLISHER, number == 2, random)
                  == ADS_OK,
              "a key can be made");
}


static inline void
fuzz_keys_build(struct t_tables *t)
{
    char text[ADS_KEY_TEXT_LEN];
    struct ads_key key;

    for (unsigned i = 0; i < T_KEYS; i++) {
        fuzz_key(text, i);
        fuzz_must(ads_key_read(&key, NULL, (struct ads_str){text, sizeof(text)})
                      == ADS_OK,
                  "and read");
        memcpy(t->keys[i].hash, key.hash, sizeof(key.hash));
        t->keys[i].explain = i == 0;
        t->keys[i].test = key.test;
    }
}


#define FUZZ_CHANGED 4 /* ads that are in the head, too */

/* Fills t->base, t->head and t->live. */
static inline void
fuzz_tables_build(struct t_tables *t)
{
    static uint8_t model[FUZZ_MODEL_LEN];
    struct snap_base_rows base_rows;
    const struct snap_retired_row retired = {.id = t_uuid("ad", T_ADS - 1),
                                             .campaign = t_uuid("campaign", 5),
                                             .url = t_str("https://a.example")};
    const struct snap_head_rows head_rows = {
        .changed = {.ads = t->ads,
                    .n_ads = FUZZ_CHANGED,
                    .retired = &retired,
                    .n_retired = 1},
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

    fuzz_model_write(model);
    t_tables_rows(t);
    fuzz_keys_build(t);
    t->campaigns[1].target.frequency_count = 2; /* an hour, for each session */
    t->campaigns[1].target.frequency_s = 3600;
    base_rows = (struct snap_base_rows){
        .ads = t->ads,
        .n_ads = t->n_ads,
        .intent_model = {(const char *)model, sizeof(model)},
        .guard = t_guard(),
        .goods = t_goods(),
    };
    snap_base_build(&t->base, &n_refused, &base_rows, &stamp);
    free((char *)base_rows.guard.ptr);
    free((char *)base_rows.goods.ptr);
    fuzz_must(ads_base_open(&base, t->base.bytes, t->base.len) == ADS_OK,
              "the good base is one");
    fuzz_must(snap_source_open(&source, &base) == ADS_OK,
              "and can be carried over from");
    snap_head_build(&t->head, &head_rows, &source, &stamp);

    t->live_bytes = calloc(1, live_len);
    ads_live_write(t->live_bytes, T_CAMPAIGNS, 64, 1, 2, 3);
    fuzz_must(ads_live_open(&t->live, t->live_bytes, live_len) == ADS_OK,
              "the good live file is one");
    for (unsigned i = 0; i < T_CAMPAIGNS; i++) {
        fuzz_must(ads_live_claim(&t->live, t->campaigns[i].tag, &used, &slot)
                      == ADS_OK,
                  "a slot for each campaign");
        ads_live_allow(ads_live_slot(&t->live, slot, t->campaigns[i].tag),
                       1000000000, ADS_LIVE_THROTTLE_OPEN);
    }
    t->text.stemmer = sb_stemmer_new("english", NULL);
}

#endif
