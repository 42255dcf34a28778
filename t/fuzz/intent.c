/*
 * Any bytes as a query before the intent model and the guard: words are folded
 * inside their bounds, the score is the sum it is said to be, both give the
 * same answer twice, and work is bounded by the length.  Bytes that begin with
 * the magic are also read as a model, its checksum made right.
 */
#include "ads_intent.h"

#include "ads_fold.h"
#include "ads_guard.h"
#include "fuzz.h"
#include "tables/guard_list.h"

#define LEN_MAX 16384
#define WORK_US 200000 /* many times what 16 KiB take, sanitized */
#define BITS 10
#define MODEL_LEN (ADS_INTENT_HEADER_LEN + (ADS_INTENT_SUMS << BITS))


/* A small model, every weight another. */
static void
model_write(uint8_t model[MODEL_LEN])
{
    const uint32_t bom = 0x01020304;
    const uint16_t version = 3, bits = BITS;
    /* bias, step, threshold */
    const int32_t numbers[] = {-100, 300, 50}, others[] = {70, 90, -50};

    memset(model, 0, ADS_INTENT_HEADER_LEN);
    memcpy(model, "ADSINTNT", 8);
    memcpy(model + 8, &bom, 4);
    memcpy(model + 12, &version, 2);
    memcpy(model + 14, &bits, 2);
    memcpy(model + 16, numbers, sizeof(numbers));
    memcpy(model + 32, others, sizeof(others));
    for (int i = 0; i < ADS_INTENT_SUMS << BITS; i++) {
        model[ADS_INTENT_HEADER_LEN + i] = (uint8_t)(i * 37);
    }
}


static void
model_sign(uint8_t *model, size_t len)
{
    uint32_t crc = ads_crc32c(0, model, 28);

    crc = ads_crc32c(crc, model + 32, len - 32);
    memcpy(model + 28, &crc, 4);
}


static void
words_must(struct ads_str query)
{
    struct ads_str rest = query;
    char word[ADS_FOLD_WORD_MAX];
    size_t len, before;

    for (;;) {
        before = rest.len;
        len = ads_fold_word(&rest, word);
        if (len == 0) {
            break;
        }
        fuzz_must(len <= ADS_FOLD_WORD_MAX, "a word inside its bounds");
        fuzz_must(rest.len <= before
                      && rest.ptr + rest.len == query.ptr + query.len,
                  "the rest is the end of the query");
    }
}


static void
score_must(const struct ads_intent *model, struct ads_str query)
{
    static struct ads_intent_features features;
    struct ads_intent_scores scores = ads_intent_score(model, query, NULL);

    features.n = UINT32_MAX;
    ads_intent_features(query, NULL, &features);
    fuzz_must(features.n <= ADS_INTENT_FEATURES_MAX, "features inside bounds");
    for (unsigned side = 0; side < ADS_INTENT_SUMS; side++) {
        const struct ads_intent_sum *of = &model->sums[side];
        int32_t score = scores.of[side];
        int64_t sum = 0, scaled;

        for (uint32_t i = 0; i < features.n; i++) {
            sum += model->weights[features.hash[i] >> (32 - model->bits)][side];
        }
        scaled = sum * of->step * ads_intent_scale(features.n);
        scaled = (scaled - (((scaled % 65536) + 65536) % 65536)) / 65536;
        fuzz_must(score == of->bias + scaled, "the score is that sum");
        fuzz_must(ads_intent_is(model, side, score) == (score >= of->threshold),
                  "reached from the threshold on");
    }
}


/* The bytes over a good model, signed: bounds are checked where they must. */
static void
model_must(const uint8_t *bytes, size_t len)
{
    uint8_t *model = aligned_alloc(8, MODEL_LEN);
    struct ads_intent intent;

    model_write(model);
    for (size_t i = 0; i < len && i < MODEL_LEN; i++) {
        model[i] ^= bytes[i];
    }
    model_sign(model, MODEL_LEN);
    if (ads_intent_open(model, MODEL_LEN, &intent) == ADS_OK) {
        fuzz_must(
            intent.bits >= ADS_INTENT_BITS_MIN
                && intent.bits <= ADS_INTENT_BITS_MAX
                && intent.sums[0].step >= 1 && intent.sums[0].step <= 65536
                && intent.sums[1].step >= 1 && intent.sums[1].step <= 65536,
            "a model inside its bounds");
        (void)ads_intent_score(&intent, ADS_STR("buy a laser printer"), NULL);
    }
    free(model);
}


/* The shipped lists, which the first input's process keeps. */
static void
guard_open(struct ads_guard *guard)
{
    struct ads_str lists;

    fuzz_must(guard_list_compile(&lists, "data/guard", "", stderr) == ADS_OK
                  && ads_guard_open(lists.ptr, lists.len, guard) == ADS_OK,
              "the shipped lists are a table");
}


/* The bytes over a small good table, signed. */
static void
guard_must(const uint8_t *bytes, size_t len)
{
    static const struct ads_guard_phrase phrases[] = {
        {.text = "glue gun", .meaning = ADS_GUARD_HARMLESS},
        {.text = "gun", .meaning = ADS_GUARD_WEAPONS},
        {.text = "my # year", .meaning = ADS_GUARD_YOUNG},
        {.text = "porn*", .meaning = ADS_GUARD_SEXUAL},
    };
    size_t table_len = ads_guard_measure(phrases, 4);
    uint8_t *table = aligned_alloc(8, table_len);
    struct ads_guard guard;

    ads_guard_write(table, phrases, 4);
    for (size_t i = 0; i < len && i < table_len; i++) {
        table[i] ^= bytes[i];
    }
    model_sign(table, table_len); /* its checksum lies where a model's does */
    if (ads_guard_open(table, table_len, &guard) == ADS_OK) {
        (void)ads_guard_check(&guard, ADS_STR("my 14 year p0rn g l u e gun"));
    }
    free(table);
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static _Alignas(8) uint8_t model[MODEL_LEN];
    static struct ads_intent intent;
    static struct ads_guard guard;
    enum ads_guard_topic topic;
    struct ads_str query;
    int64_t begin;
    char *text;

    if (intent.weights == NULL) {
        model_write(model);
        model_sign(model, sizeof(model));
        fuzz_must(ads_intent_open(model, sizeof(model), &intent) == ADS_OK,
                  "the small model is one");
        guard_open(&guard);
    }
    if (len > LEN_MAX) {
        return 0;
    }
    text = fuzz_copy(bytes, len);
    query = (struct ads_str){text, len};
    begin = fuzz_cpu_us();
    topic = ads_guard_check(&guard, query);
    words_must(query);
    score_must(&intent, query);
    fuzz_must(fuzz_cpu_us() - begin < WORK_US, "work is bounded");

    fuzz_must(topic < ADS_GUARD_N_TOPICS && ads_guard_name(topic) != NULL,
              "a topic that has a name");
    fuzz_must(ads_guard_check(&guard, query) == topic, "the same topic twice");
    if (len > 8 && memcmp(text, "ADSINTNT", 8) == 0) {
        model_must(bytes + 8, len - 8);
    }
    if (len > 8 && memcmp(text, "ADSGUARD", 8) == 0) {
        guard_must(bytes + 8, len - 8);
    }
    free(text);
    return 0;
}
