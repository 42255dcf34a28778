/*
 * Trains core/ads_wish_model.h, which says which kind that a request mentions
 * or hints at is wanted: of each natural line one of them, or none, by a
 * conditional logistic regression over the features of core/ads_wish.h.  A
 * mention is wanted when the line names its kind, a broader or a narrower one;
 * of a line that wants nothing none is.
 *
 *     wish_train [-g GOODS] [-h HINTS] [-t] LINES... > core/ads_wish_model.h
 *
 * -g  folder of the ontology (data/goods)
 * -h  HINTS.0 to HINTS.3: hints that were learnt from other lines than those
 *     of each part (tools/intent_folds.h)
 * -t  prints to standard error how often the first choice is right
 *
 * Full batches, so the same lines give the same weights.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ads_focus.h"
#include "intent_folds.h"
#include "tables/goods.h"

#define STEPS 600
#define RATE 2.0
#define DECAY 2e-3 /* pull towards the guess */

/* Whether anything is wanted at all, the intent model decides: what a request
 * mentions that wants nothing says little of which mention is wanted. */
#define UNWANTED 0.12

/*
 * What a person would guess of each feature, in nats: the weights stay near it
 * where lines say little.
 */
static const double guess[ADS_WISH_FEATURES] = {
    [ADS_WISH_ANY] = -0.3,          [ADS_WISH_NEED] = 0.2,
    [ADS_WISH_AMBIGUOUS] = -2,      [ADS_WISH_PREFIX] = -4,
    [ADS_WISH_ALONE] = 0.6,         [ADS_WISH_FIRST] = 0.2,
    [ADS_WISH_LAST] = 0.3,          [ADS_WISH_WHOLE] = 3,
    [ADS_WISH_WANT_BEFORE] = 0.8,   [ADS_WISH_WANT_EARLIER] = 0.2,
    [ADS_WISH_WANT_NEAR] = 1,       [ADS_WISH_WANT_BEHIND] = 0.5,
    [ADS_WISH_WHICH] = 1,           [ADS_WISH_MINE_BEFORE] = -0.8,
    [ADS_WISH_OWN_BEFORE] = -1.2,   [ADS_WISH_BROKEN] = 0.5,
    [ADS_WISH_INSTEAD] = -2.5,      [ADS_WISH_WITHOUT] = -2,
    [ADS_WISH_FOR_BEFORE] = -2.5,   [ADS_WISH_FOR_ALONE] = -1.2,
    [ADS_WISH_PLACE_BEFORE] = -2.5, [ADS_WISH_PLACE_ALONE] = -1.5,
    [ADS_WISH_FOR_BEHIND] = 0.8,    [ADS_WISH_WITH_BEFORE] = -1.5,
    [ADS_WISH_WITH_BEHIND] = 0.5,   [ADS_WISH_OF_BEFORE] = -1,
    [ADS_WISH_OF_BEHIND] = 0.2,     [ADS_WISH_KIND_BEFORE] = 0.4,
    [ADS_WISH_KIND_BEHIND] = -1.5,  [ADS_WISH_WRITE] = -2,
    [ADS_WISH_HOWTO] = -1,          [ADS_WISH_FIX] = -1.2,
    [ADS_WISH_AFTER] = -1.2,        [ADS_WISH_ARTICLE] = 0.3,
    [ADS_WISH_THE] = -0.4,          [ADS_WISH_LATE] = 0.5,
    [ADS_WISH_EARLY] = -0.3,        [ADS_WISH_OF_ANOTHER] = 0.6,
    [ADS_WISH_HAS_ANOTHER] = -0.6,  [ADS_WISH_NARROWER] = 0.4,
    [ADS_WISH_BROADER] = -0.3,      [ADS_WISH_BROAD] = -0.8,
    [ADS_WISH_PRICE] = 0.4,         [ADS_WISH_LONG] = -0.3,
    [ADS_WISH_FOREIGN] = -2,        [ADS_WISH_CLAUSE_LAST] = 0.3,
    [ADS_WISH_TRAILED] = -0.4,      [ADS_WISH_TRAILED_SHORT] = -1,
    [ADS_WISH_PIECE] = -2,          [ADS_WISH_HINTED] = -2,
    [ADS_WISH_HINT_SOME] = 0.2,     [ADS_WISH_HINT_MORE] = 0.4,
    [ADS_WISH_HINT_MUCH] = 0.6,     [ADS_WISH_HINT_MOST] = 0.6,
    [ADS_WISH_HINT_TOP] = 0.5,      [ADS_WISH_HINT_LEAD] = 0.7,
    [ADS_WISH_HINT_FEW] = -0.3,     [ADS_WISH_PLAIN] = 0.5,
    [ADS_WISH_LINE] = -0.3,         [ADS_WISH_COMPOSED] = 0.3,
    [ADS_WISH_HINTS_ALL] = 0.2,     [ADS_WISH_HINTS_AHEAD] = 0.4,
};

/* What a line mentions: `n` from `first` on. */
struct sample {
    size_t first;
    unsigned n;
    unsigned fold;
    double weight;
};

struct candidate {
    uint64_t features;
    double hints;
    double ahead;
    bool wanted;
};

struct samples {
    struct sample *list;
    size_t n;
    size_t room;
    struct candidate *candidates;
    size_t n_candidates;
    size_t candidates_room;
};

struct tally {
    unsigned lines;    /* that want a kind that is mentioned */
    unsigned right;    /* of them: the first choice is it */
    unsigned unwanted; /* lines that want nothing */
    unsigned chosen;   /* of them: a kind is chosen all the same */
    unsigned unnamed;  /* lines whose kind is not mentioned */
};


/* Does the list of ids name the kind, a broader or a narrower one? */
static bool
is_named(const struct ads_goods *goods, struct ads_str ids, uint32_t kind)
{
    while (ids.len > 0) {
        const char *end = memchr(ids.ptr, ',', ids.len);
        size_t len = end == NULL ? ids.len : (size_t)(end - ids.ptr);
        uint32_t other = ads_goods_find(
            goods, ads_str_trim((struct ads_str){ids.ptr, len}, " "));

        if (other != ADS_GOODS_NONE && ads_goods_in_line(goods, kind, other)) {
            return true;
        }
        ids = ads_str_tail(ids, len + (end != NULL));
    }
    return false;
}


static void
sample_add(struct samples *samples, unsigned fold, double weight)
{
    struct sample sample = {
        .first = samples->n_candidates,
        .fold = fold,
        .weight = weight,
    };

    if (samples->n == samples->room) {
        samples->room = 2 * samples->room + 4096;
        samples->list = xrealloc(samples->list, samples->room * sizeof(sample));
    }
    samples->list[samples->n++] = sample;
}


static void
candidate_add(struct samples *samples, const struct ads_wish_mention *mention,
              bool wanted)
{
    if (samples->n_candidates == samples->candidates_room) {
        samples->candidates_room = 2 * samples->candidates_room + 4096;
        samples->candidates =
            xrealloc(samples->candidates,
                     samples->candidates_room * sizeof(*samples->candidates));
    }
    samples->candidates[samples->n_candidates++] = (struct candidate){
        mention->features, (double)mention->hints / ADS_WISH_BYTE,
        (double)mention->ahead / ADS_WISH_BYTE, wanted};
    samples->list[samples->n - 1].n++;
}


static void
line_read(struct samples *samples, struct tally *tally,
          const struct intent_folds *folds, const struct intent_line *line)
{
    static struct ads_understood understood;
    const struct ads_goods *goods = &folds->goods[line->fold];
    const struct ads_wish *wish = &understood.wish;
    bool mentioned = false;

    ads_understand(&understood, goods, NULL, line->text, ADS_STR(""));
    if (line->commercial && line->kinds.len == 0) {
        return; /* any gift will do: nothing is said of kinds */
    }
    sample_add(samples, line->fold, line->commercial ? 1 : UNWANTED);
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];
        bool wanted =
            line->commercial && is_named(goods, line->kinds, mention->kind);

        mentioned = mentioned || wanted;
        candidate_add(samples, mention, wanted);
    }
    if (!line->commercial) {
        tally->unwanted++;
        tally->chosen += wish->n_kinds > 0;
    } else if (mentioned) {
        tally->lines++;
        tally->right +=
            wish->n_kinds > 0 && is_named(goods, line->kinds, wish->kinds[0]);
    } else {
        tally->unnamed++;
    }
}


static double
score_of(const double weights[ADS_WISH_FEATURES],
         const struct candidate *candidate)
{
    double score = weights[ADS_WISH_HINTS_ALL] * candidate->hints
                   + weights[ADS_WISH_HINTS_AHEAD] * candidate->ahead;

    for (uint64_t features = candidate->features; features != 0;
         features &= features - 1)
    {
        score += weights[__builtin_ctzll(features)];
    }
    return score;
}


/* Adds how one sample pulls at the weights; nothing wanted weighs e^0. */
static void
sample_pull(const struct samples *samples, const struct sample *sample,
            const double weights[ADS_WISH_FEATURES],
            double slope[ADS_WISH_FEATURES])
{
    const struct candidate *list = &samples->candidates[sample->first];
    double share[ADS_SCAN_MENTIONS + ADS_WISH_HINTS], all = 1, right = 0;

    for (unsigned i = 0; i < sample->n; i++) {
        share[i] = exp(score_of(weights, &list[i]));
        all += share[i];
        right += list[i].wanted ? share[i] : 0;
    }
    for (unsigned i = 0; i < sample->n; i++) {
        double aim = list[i].wanted ? share[i] / right : 0;
        double error = sample->weight * (aim - share[i] / all);

        slope[ADS_WISH_HINTS_ALL] += error * list[i].hints;
        slope[ADS_WISH_HINTS_AHEAD] += error * list[i].ahead;
        for (uint64_t bits = list[i].features; bits != 0; bits &= bits - 1) {
            slope[__builtin_ctzll(bits)] += error;
        }
    }
}


/* Trains on all samples but those of the fold (INTENT_FOLDS: on all). */
static void
train(const struct samples *samples, unsigned but,
      double weights[ADS_WISH_FEATURES])
{
    double sum[ADS_WISH_FEATURES] = {0};

    memcpy(weights, guess, sizeof(guess));
    for (int step = 0; step < STEPS; step++) {
        double slope[ADS_WISH_FEATURES] = {0};

        for (size_t i = 0; i < samples->n; i++) {
            if (samples->list[i].fold != but) {
                sample_pull(samples, &samples->list[i], weights, slope);
            }
        }
        for (int k = 0; k < ADS_WISH_FEATURES; k++) {
            double by =
                slope[k] / (double)samples->n - DECAY * (weights[k] - guess[k]);

            sum[k] += by * by;
            weights[k] += RATE * by / (sqrt(sum[k]) + 1e-6) / 4;
        }
    }
}


/* How often the first choice is right on lines that were left out, by how sure
 * it is. */
static void
told_print(const struct samples *samples)
{
    enum { STEPS_OF = 10 };
    unsigned n[STEPS_OF + 1] = {0}, right[STEPS_OF + 1] = {0}, wishes = 0;

    for (unsigned fold = 0; fold < INTENT_FOLDS; fold++) {
        double weights[ADS_WISH_FEATURES];

        train(samples, fold, weights);
        for (size_t i = 0; i < samples->n; i++) {
            const struct sample *sample = &samples->list[i];
            const struct candidate *list = &samples->candidates[sample->first];
            double all = 1, best = 0, share, of_it = 0;
            unsigned at = 0;

            if (sample->fold != fold || sample->weight < 1) {
                continue;
            }
            wishes++;
            for (unsigned k = 0; k < sample->n; k++) {
                share = exp(score_of(weights, &list[k]));
                all += share;
                if (share > best) {
                    best = share;
                    at = k;
                }
            }
            of_it = best / all;
            if (sample->n > 0) {
                int step = (int)(of_it * STEPS_OF);

                n[step]++;
                right[step] += list[at].wanted;
            }
        }
    }
    for (int step = STEPS_OF; step >= 0; step--) {
        if (n[step] > 0) {
            fprintf(stderr, "sure %.1f: %5u of %u wishes, right %.3f\n",
                    (double)step / STEPS_OF, n[step], wishes,
                    (double)right[step] / n[step]);
        }
    }
}


static void
model_print(const double weights[ADS_WISH_FEATURES])
{
    printf("/*\n"
           " * Model that says which mention of a request is wanted: a "
           "weight for each\n"
           " * feature of core/ads_wish.h, 256 is one nat.  Made by "
           "tools/wish_train from\n"
           " * data/intent/lines/; do not edit.\n"
           " */\n"
           "#ifndef ADS_WISH_MODEL_H\n"
           "#define ADS_WISH_MODEL_H\n\n#include \"ads_wish.h\"\n\n"
           "static const int16_t ads_wish_model[ADS_WISH_FEATURES] = {\n");
    for (int k = 0; k < ADS_WISH_FEATURES; k++) {
        const char *name = ads_wish_feature_name(k);

        printf("    [ADS_WISH_");
        for (; *name != '\0'; name++) {
            putchar(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
        }
        printf("] = %ld,\n", lround(weights[k] * ADS_WISH_UNIT));
    }
    printf("};\n\n#endif\n");
}


int
main(int argc, char **argv)
{
    const char *folder = "data/goods";
    double weights[ADS_WISH_FEATURES] = {0};
    struct intent_lines lines = {0};
    struct samples samples = {0};
    struct tally tally = {0};
    struct intent_folds folds;
    const char *hints = NULL;
    bool told = false;
    int option;

    while ((option = getopt(argc, argv, "g:h:t")) != -1) {
        if (option == 'g') {
            folder = optarg;
        } else if (option == 'h') {
            hints = optarg;
        } else if (option == 't') {
            told = true;
        } else {
            return 2;
        }
    }
    intent_folds_load(&folds, folder, hints);
    for (int i = optind; i < argc; i++) {
        intent_lines_read_natural(&lines, argv[i]);
    }
    for (size_t i = 0; i < lines.n; i++) {
        line_read(&samples, &tally, &folds, &lines.line[i]);
    }
    if (told) {
        fprintf(stderr,
                "%u lines want a kind that they mention: the first choice is "
                "right in %u\n%u want nothing: a kind is chosen in %u\n"
                "%u want a kind that no name in them is\n",
                tally.lines, tally.right, tally.unwanted, tally.chosen,
                tally.unnamed);
        told_print(&samples);
    }
    train(&samples, INTENT_FOLDS, weights);
    model_print(weights);
    free(samples.list);
    free(samples.candidates);
    return 0;
}
