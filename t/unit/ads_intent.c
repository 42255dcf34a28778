/*
 * The intent model: what a model must be to be opened, what a score depends
 * on, and that any bytes may be asked about.
 */
#include "core/ads_intent.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define MODEL_PATH "data/intent.model"
#define BITS 10
#define N_WEIGHTS (ADS_INTENT_SUMS << BITS)
#define SMALL_LEN (ADS_INTENT_HEADER_LEN + N_WEIGHTS)

struct model {
    uint8_t bytes[SMALL_LEN];
};


static void
model_seal(struct model *model)
{
    uint32_t crc = ads_crc32c(0, model->bytes, CRC_POS);

    crc = ads_crc32c(crc, model->bytes + CRC_END, SMALL_LEN - CRC_END);
    memcpy(model->bytes + CRC_POS, &crc, sizeof(crc));
}


static void
model_put(struct model *model, size_t at, uint32_t value)
{
    memcpy(model->bytes + at, &value, sizeof(value));
    model_seal(model);
}


/* A model whose weights are all `weight` for intent, and its negative for what
 * is sensitive. */
static struct model
model_of(int8_t weight)
{
    struct model model = {.bytes = "ADSINTNT"};
    uint16_t version = VERSION;
    uint16_t bits = BITS;

    model_put(&model, 8, BYTE_ORDER_MARK);
    memcpy(model.bytes + 12, &version, sizeof(version));
    memcpy(model.bytes + 14, &bits, sizeof(bits));
    for (size_t i = 0; i < N_WEIGHTS; i += 2) {
        model.bytes[ADS_INTENT_HEADER_LEN + i] = (uint8_t)weight;
        model.bytes[ADS_INTENT_HEADER_LEN + i + 1] = (uint8_t)-weight;
    }
    model_put(&model, 16, 100); /* bias */
    model_put(&model, 20, 256); /* step */
    model_put(&model, 24, 500); /* threshold */
    model_put(&model, 32, 10);
    model_put(&model, 36, 512);
    model_put(&model, 40, 20);
    return model;
}


static enum ads_err
model_open(const struct model *model, struct ads_intent *intent)
{
    return ads_intent_open(model->bytes, sizeof(model->bytes), intent);
}


static struct ads_str
text(const char *query)
{
    return (struct ads_str){query, strlen(query)};
}


/* The score of commercial intent, by the letters alone. */
static int32_t
score_of(const struct ads_intent *intent, struct ads_str query)
{
    return ads_intent_score(intent, query, NULL).of[ADS_INTENT_COMMERCIAL];
}


/* The committed model, read once and never freed. */
static struct ads_intent
committed(void)
{
    static uint8_t bytes[4 << 20];
    struct ads_intent intent;
    FILE *file = fopen(MODEL_PATH, "rb");
    size_t len;

    assert_non_null(file);
    len = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    assert_true(len <= 2100 * 1024);
    assert_int_equal(ads_intent_open(bytes, len, &intent), ADS_OK);
    return intent;
}


static void
a_sealed_model_opens(void **state)
{
    struct model model = model_of(1);
    struct ads_intent intent;

    (void)state;
    assert_int_equal(model_open(&model, &intent), ADS_OK);
    assert_int_equal(intent.bits, BITS);
    assert_int_equal(intent.sums[ADS_INTENT_COMMERCIAL].bias, 100);
    assert_int_equal(intent.sums[ADS_INTENT_COMMERCIAL].step, 256);
    assert_int_equal(intent.sums[ADS_INTENT_COMMERCIAL].threshold, 500);
    assert_int_equal(intent.sums[ADS_INTENT_SENSITIVE].bias, 10);
    assert_int_equal(intent.sums[ADS_INTENT_SENSITIVE].step, 512);
    assert_int_equal(intent.sums[ADS_INTENT_SENSITIVE].threshold, 20);
}


static void
a_foreign_file_is_unsupported(void **state)
{
    static const size_t places[] = {0, 7, 8, 11, 12, 13};
    struct ads_intent intent;

    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        struct model model = model_of(1);

        model.bytes[places[i]] ^= 0x40;
        model_seal(&model);
        assert_int_equal(model_open(&model, &intent), ADS_UNSUPPORTED);
    }
    assert_int_equal(ads_intent_open("", 0, &intent), ADS_UNSUPPORTED);
}


static void
a_cut_or_longer_model_is_refused(void **state)
{
    struct model model = model_of(1);
    struct ads_intent intent;
    uint8_t longer[SMALL_LEN + 1];

    (void)state;
    for (size_t len = 0; len < SMALL_LEN; len++) {
        /* a copy of its own, so that a sanitizer sees a byte too far */
        uint8_t *cut = malloc(len + 1);

        memcpy(cut, model.bytes, len);
        assert_int_not_equal(ads_intent_open(cut, len, &intent), ADS_OK);
        free(cut);
    }

    memcpy(longer, model.bytes, SMALL_LEN);
    longer[SMALL_LEN] = 0;
    assert_int_equal(ads_intent_open(longer, sizeof(longer), &intent),
                     ADS_DAMAGED);
}


static void
a_flipped_bit_anywhere_is_refused(void **state)
{
    struct model model = model_of(1);
    struct ads_intent intent;

    (void)state;
    for (size_t i = 0; i < 8 * SMALL_LEN; i++) {
        model.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_not_equal(model_open(&model, &intent), ADS_OK);
        model.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
}


static void
sealed_nonsense_is_damaged(void **state)
{
    static const uint32_t steps[] = {0, STEP_MAX + 1, 0x80000000u};
    static const uint16_t bits[] = {0, 9, 11, 21, 40, 65535};
    struct ads_intent intent;

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        struct model model = model_of(1);

        model_put(&model, 20, steps[i]);
        assert_int_equal(model_open(&model, &intent), ADS_DAMAGED);

        model = model_of(1);
        model_put(&model, 36, steps[i]);
        assert_int_equal(model_open(&model, &intent), ADS_DAMAGED);
    }
    {
        struct model model = model_of(1);

        model_put(&model, 44, 1); /* is zero */
        assert_int_equal(model_open(&model, &intent), ADS_DAMAGED);
    }
    for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
        struct model model = model_of(1);

        memcpy(model.bytes + 14, &bits[i], sizeof(bits[i]));
        model_seal(&model);
        assert_int_equal(model_open(&model, &intent), ADS_DAMAGED);
    }
}


static void
a_score_is_the_bias_and_the_scaled_sum(void **state)
{
    struct model model = model_of(-3);
    struct ads_intent_features features;
    struct ads_intent intent;
    struct ads_str query = ADS_STR("red kettle");

    (void)state;
    ads_intent_features(query, NULL, &features);
    assert_int_equal(model_open(&model, &intent), ADS_OK);
    assert_int_equal(
        score_of(&intent, query),
        100
            + ((-3 * (int)features.n * 256 * (int)ads_intent_scale(features.n))
               >> 16));

    intent.sums[ADS_INTENT_COMMERCIAL].step = 100;
    assert_int_equal(
        score_of(&intent, query),
        100
            + ((-300 * (int)features.n * (int)ads_intent_scale(features.n))
               >> 16)); /* rounded down */
    assert_int_equal(ads_intent_scale(ADS_INTENT_USUAL), 256);
    assert_int_equal(ads_intent_scale(4 * ADS_INTENT_USUAL), 128);
    assert_true(ads_intent_scale(0) > 256);
}


static void
a_score_beyond_32_bits_is_held(void **state)
{
    struct model model = model_of(127);
    struct ads_intent intent;

    (void)state;
    assert_int_equal(model_open(&model, &intent), ADS_OK);
    intent.sums[ADS_INTENT_COMMERCIAL].step = STEP_MAX;
    intent.sums[ADS_INTENT_COMMERCIAL].bias = INT32_MAX;
    assert_int_equal(score_of(&intent, text("kettle")), INT32_MAX);

    model = model_of(-128);
    assert_int_equal(model_open(&model, &intent), ADS_OK);
    intent.sums[ADS_INTENT_COMMERCIAL].step = STEP_MAX;
    intent.sums[ADS_INTENT_COMMERCIAL].bias = INT32_MIN;
    assert_int_equal(score_of(&intent, text("kettle")), INT32_MIN);
}


static void
the_other_side_sums_weights_of_its_own(void **state)
{
    struct model model = model_of(3);
    struct ads_intent_features features;
    struct ads_intent_scores scores;
    struct ads_intent intent;
    struct ads_str query = ADS_STR("red kettle");

    (void)state;
    ads_intent_features(query, NULL, &features);
    assert_int_equal(model_open(&model, &intent), ADS_OK);
    scores = ads_intent_score(&intent, query, NULL);
    assert_true(scores.of[ADS_INTENT_COMMERCIAL] > 100);
    assert_int_equal(
        scores.of[ADS_INTENT_SENSITIVE],
        10
            + ((-3 * (int)features.n * 512 * (int)ads_intent_scale(features.n))
               >> 16));
}


static void
the_threshold_itself_is_reached(void **state)
{
    struct ads_intent intent = {
        .sums = {[ADS_INTENT_COMMERCIAL] = {.threshold = 7},
                 [ADS_INTENT_SENSITIVE] = {.threshold = 9}}};

    (void)state;
    assert_false(ads_intent_is(&intent, ADS_INTENT_COMMERCIAL, 6));
    assert_true(ads_intent_is(&intent, ADS_INTENT_COMMERCIAL, 7));
    assert_false(ads_intent_is(&intent, ADS_INTENT_SENSITIVE, 8));
    assert_true(ads_intent_is(&intent, ADS_INTENT_SENSITIVE, 9));
}


static void
spellings_of_one_query_score_alike(void **state)
{
    struct ads_intent intent = committed();
    int32_t score = score_of(&intent, text("cafe creme maker 20"));

    (void)state;
    assert_int_equal(score_of(&intent, text("  CAFE, creme-MAKER 20.")), score);
    assert_int_equal(
        score_of(&intent, text("Caf\xc3\xa9 cr\xc3\xa8me maker 20")), score);
    assert_int_equal(score_of(&intent, text("cafe\xcc\x81 creme maker 35")),
                     score);
    assert_int_equal(score_of(&intent, text("what\xe2\x80\x99s it")),
                     score_of(&intent, text("what's it")));
}


static void
the_order_of_words_counts(void **state)
{
    struct ads_intent intent = committed();

    (void)state;
    assert_int_not_equal(score_of(&intent, text("dog food bowl")),
                         score_of(&intent, text("bowl food dog")));
}


static void
a_query_without_words_has_a_score(void **state)
{
    struct ads_intent intent = committed();

    (void)state;
    assert_int_equal(score_of(&intent, text("")),
                     score_of(&intent, text(" \t.,;:!")));
    assert_int_equal(score_of(&intent, text("\xff\xfe\x80")),
                     score_of(&intent, text("")));
}


static void
the_middle_of_a_long_query_is_not_read(void **state)
{
    struct ads_intent intent = committed();
    char query[8192];
    int32_t score;

    (void)state;
    for (size_t i = 0; i < sizeof(query); i++) {
        query[i] = "some words of no matter "[i % 24];
    }
    score = score_of(&intent, (struct ads_str){query, sizeof(query)});

    memset(query + ADS_INTENT_HEAD_LEN, 'x',
           sizeof(query) - ADS_INTENT_HEAD_LEN - ADS_INTENT_TAIL_LEN);
    assert_int_equal(score_of(&intent, (struct ads_str){query, sizeof(query)}),
                     score);

    memcpy(query + sizeof(query) - 30, " where can i buy a new kettle ", 30);
    assert_true(score_of(&intent, (struct ads_str){query, sizeof(query)})
                > score);
}


static void
a_quoted_sentence_is_not_read(void **state)
{
    struct ads_intent intent = committed();

    (void)state;
    assert_int_equal(
        score_of(&intent, text("translate \"buy a red kettle\" now")),
        score_of(&intent, text("translate \"the cat sat\" now")));
    assert_int_equal(score_of(&intent, text("this: \"a b c\" and \"d e f\"")),
                     score_of(&intent, text("this: \"g h i\" and \"j k l\"")));

    /* not at the beginning, not a name, not inches, not left open */
    assert_int_equal(score_of(&intent, text("\"buy a red kettle\" now")),
                     score_of(&intent, text("buy a red kettle now")));
    assert_int_equal(score_of(&intent, text("mug \"best dad\" blue")),
                     score_of(&intent, text("mug best dad blue")));
    assert_int_equal(score_of(&intent, text("a 55\" tv and a 27\" monitor")),
                     score_of(&intent, text("a 55 tv and a 27 monitor")));
    assert_int_equal(score_of(&intent, text("mug \"best dad in town")),
                     score_of(&intent, text("mug best dad in town")));
}


static void
any_bytes_of_any_length_are_taken(void **state)
{
    struct ads_intent intent = committed();
    struct ads_intent_features features;
    uint32_t random = 1;

    (void)state;
    for (size_t len = 0; len <= 8192; len = len * 3 / 2 + 1) {
        /* a block of its own, so that a sanitizer sees a byte too far */
        char *query = malloc(len + 1);

        for (unsigned kind = 0; kind < 5; kind++) {
            for (size_t i = 0; i < len; i++) {
                random = random * 1664525u + 1013904223u;
                query[i] = kind == 0   ? (char)(random >> 24)
                           : kind == 1 ? "\xef\xb7\xba"[i % 3] /* 18 letters */
                           : kind == 2 ? '?'
                           : kind == 3 ? "\"a b c\" "[random % 9]
                                       : (char)('a' + (random >> 28));
            }
            ads_intent_features((struct ads_str){query, len}, NULL, &features);
            assert_true(features.n > 0);
            assert_true(features.n <= ADS_INTENT_FEATURES_MAX);
            assert_int_equal(score_of(&intent, (struct ads_str){query, len}),
                             score_of(&intent, (struct ads_str){query, len}));
        }
        free(query);
    }
}


static void
plain_text_never_has_too_many_features(void **state)
{
    struct ads_intent_features features;
    char query[ADS_INTENT_HEAD_LEN + ADS_INTENT_TAIL_LEN];

    (void)state;
    memset(query, '?', sizeof(query));
    ads_intent_features((struct ads_str){query, sizeof(query)}, NULL,
                        &features);
    assert_true(features.n < ADS_INTENT_FEATURES_MAX);

    memset(query, 'q', sizeof(query));
    ads_intent_features((struct ads_str){query, sizeof(query)}, NULL,
                        &features);
    assert_true(features.n < ADS_INTENT_FEATURES_MAX);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_model_opens),
        cmocka_unit_test(a_foreign_file_is_unsupported),
        cmocka_unit_test(a_cut_or_longer_model_is_refused),
        cmocka_unit_test(a_flipped_bit_anywhere_is_refused),
        cmocka_unit_test(sealed_nonsense_is_damaged),
        cmocka_unit_test(a_score_is_the_bias_and_the_scaled_sum),
        cmocka_unit_test(a_score_beyond_32_bits_is_held),
        cmocka_unit_test(the_other_side_sums_weights_of_its_own),
        cmocka_unit_test(the_threshold_itself_is_reached),
        cmocka_unit_test(spellings_of_one_query_score_alike),
        cmocka_unit_test(the_order_of_words_counts),
        cmocka_unit_test(a_query_without_words_has_a_score),
        cmocka_unit_test(the_middle_of_a_long_query_is_not_read),
        cmocka_unit_test(a_quoted_sentence_is_not_read),
        cmocka_unit_test(any_bytes_of_any_length_are_taken),
        cmocka_unit_test(plain_text_never_has_too_many_features),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
