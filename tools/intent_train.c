/*
 * Trains the side of data/intent.model that tells commercial intent (tools/
 * guard_train adds the other one): logistic regression over the features of
 * core/ads_intent.c (linear.h), quantised to int8.
 *
 * It is a program of its own rather than a call of liblinear-train so that
 * lines can weigh by source and features never pass through a text file; one
 * run takes seconds.  Same input, same machine type, same model.
 *
 * The threshold is chosen on development lines: see threshold_choose().
 */
#include "../core/ads_intent.h"
#include "intent_folds.h"
#include "intent_model.h"
#include "linear.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One natural line in so many is kept back, for the threshold. */
#define KEPT_BACK 10

struct options {
    const char *train;
    const char *dev;
    const char *extra;
    const char *goods;
    const char *hints;
    const char *const *natural; /* files */
    int n_natural;
    const char *out;
    double cost;
    double recall;
    unsigned bits;
    unsigned epochs;
    unsigned draws;
};

/* How much a line of a source counts.  Real queries of the web are few and the
 * nearest to what publishers send; frames are many and regular. */
static const struct {
    const char *source;
    double weight;
} source_weights[] = {
    {"natural", 12},
    {"web-mq", 4},
    {"esci", 2},
};

/* The development sources that are real queries, for the threshold. */
static const char *const real_sources[] = {"web-mq", "clinc-oos", "chorus",
                                           "esci", "trec"};

static const char usage[] =
    "usage: intent_train --train FILE --dev FILE [options] --out MODEL "
    "[NATURAL ...]\n"
    "\n"
    "  --train FILE   labelled lines (label<TAB>source<TAB>text, plain or "
    ".zst)\n"
    "  --dev FILE     lines for the threshold and the report\n"
    "  --extra FILE   hand-written lines with lists and slots\n"
    "  --draws N      times a line with slots is drawn (30)\n"
    "  --cost C       inverse of the regularisation (1)\n"
    "  --bits N       log2 of the number of weights (20)\n"
    "  --epochs N     passes over the lines (12)\n"
    "  --recall R     least recall of real commercial queries (0.88)\n"
    "  --goods DIR    folder of the ontology (data/goods)\n"
    "  --hints FILE   FILE.0 to FILE.3: hints that were learnt from other\n"
    "                 natural lines than those of each part (hints_learn)\n"
    "  --out MODEL    the file to write\n"
    "  NATURAL        files of data/intent/lines/\n"
    "\n"
    "The committed model:\n"
    "  intent_train --train ../shared/data/intent/train.tsv.zst \\\n"
    "      --dev ../shared/data/intent/dev.tsv.zst \\\n"
    "      --extra tools/intent_extra.tsv --out data/intent.model "
    "\\\n"
    "      data/intent/lines/*.tsv\n";


static double
source_weight(const char *source)
{
    for (size_t i = 0; i < sizeof(source_weights) / sizeof(*source_weights);
         i++) {
        if (strcmp(source, source_weights[i].source) == 0) {
            return source_weights[i].weight;
        }
    }
    return 1;
}


/* The solver's view of the lines; the buckets are never freed. */
static struct linear_sample *
samples_new(const struct intent_lines *lines, const struct intent_folds *folds,
            unsigned bits, double cost)
{
    struct linear_sample *samples = linear_allocate(lines->n, sizeof(*samples));
    static struct ads_intent_features features;
    static struct ads_understood understood;

    for (size_t i = 0; i < lines->n; i++) {
        ads_understand(&understood, &folds->goods[lines->line[i].fold], NULL,
                       lines->line[i].text, ADS_STR(""));
        ads_intent_features(lines->line[i].text, &understood, &features);
        samples[i] = linear_sample_new(&features, bits);
        samples[i].sign = lines->line[i].commercial ? 1 : -1;
        samples[i].cost = cost * source_weight(lines->line[i].source);
    }
    return samples;
}


struct scored {
    double score;
    bool commercial;
    bool real;
    bool natural;
};


static int
scored_compare(const void *a, const void *b)
{
    const struct scored *left = a;
    const struct scored *right = b;

    return (left->score < right->score) - (left->score > right->score);
}


static bool
is_real(const char *source)
{
    for (size_t i = 0; i < sizeof(real_sources) / sizeof(*real_sources); i++) {
        if (strcmp(source, real_sources[i]) == 0) {
            return true;
        }
    }
    return false;
}


/* Hits and alarms of one kind of lines, as a threshold falls. */
struct tally {
    double n_show;
    double hits;
    double alarms;
};


static double
tally_f1(const struct tally *tally)
{
    double shown = tally->hits + tally->alarms;

    return tally->hits == 0 ? 0 : 2 * tally->hits / (shown + tally->n_show);
}


/*
 * The threshold at which the F1 of the development lines and that of natural
 * lines kept back from training are best together, among those that keep the
 * asked recall of real queries: a missed wish costs a publisher more than an
 * ad that the match stage will mostly find nothing for.
 */
static double
threshold_choose(const struct scored *scored, size_t n, double recall_min)
{
    struct tally tallies[3] = {{0}}; /* development, natural, real */
    double best = -1, at = 0;

    for (size_t i = 0; i < n; i++) {
        tallies[scored[i].natural].n_show += scored[i].commercial;
        tallies[2].n_show += scored[i].real && scored[i].commercial;
    }
    for (size_t i = 0; i < n; i++) {
        double sum;

        tallies[scored[i].natural].hits += scored[i].commercial;
        tallies[scored[i].natural].alarms += !scored[i].commercial;
        tallies[2].hits += scored[i].real && scored[i].commercial;
        if (i + 1 < n && scored[i + 1].score == scored[i].score) {
            continue;
        }
        sum = tally_f1(&tallies[0]) + tally_f1(&tallies[1]);
        if (tallies[2].hits >= recall_min * tallies[2].n_show && sum > best) {
            best = sum;
            at = scored[i].score;
        }
    }
    return at;
}


/* AUC by counting for each commercial line the others below it; ties count
 * half.  `scored` is sorted, highest first. */
static double
auc(const struct scored *scored, size_t n, bool natural)
{
    double n_show = 0, n_no_ad = 0, above = 0, sum = 0;

    for (size_t i = 0; i < n;) {
        double show = 0, no_ad = 0;
        size_t last = i;

        for (; last < n && scored[last].score == scored[i].score; last++) {
            show += scored[last].natural == natural && scored[last].commercial;
            no_ad +=
                scored[last].natural == natural && !scored[last].commercial;
        }
        sum += no_ad * (above + show / 2);
        above += show;
        n_show += show;
        n_no_ad += no_ad;
        i = last;
    }
    return n_show * n_no_ad > 0 ? sum / (n_show * n_no_ad) : 0;
}


static void
report(const char *what, const struct scored *scored, size_t n, double at,
       bool natural)
{
    double hits = 0, alarms = 0, n_show = 0;

    for (size_t i = 0; i < n; i++) {
        if (scored[i].natural == natural) {
            n_show += scored[i].commercial;
            hits += scored[i].commercial && scored[i].score >= at;
            alarms += !scored[i].commercial && scored[i].score >= at;
        }
    }
    printf("%s: AUC %.4f, threshold %.3f: precision %.4f, recall %.4f, "
           "F1 %.4f\n",
           what, auc(scored, n, natural), at, hits / (hits + alarms),
           hits / n_show, 2 * hits / (hits + alarms + n_show));
}


/* Scores the lines by the weights as trained, or by the model when there is
 * one; sorted, highest first. */
static struct scored *
score(const struct linear *linear, const struct intent_folds *folds,
      const struct ads_intent *intent, const struct intent_lines *lines)
{
    struct scored *scored = linear_allocate(lines->n, sizeof(*scored));
    struct linear_sample *samples = samples_new(lines, folds, linear->bits, 1);
    static struct ads_understood understood;

    for (size_t i = 0; i < lines->n; i++) {
        ads_understand(&understood, &folds->goods[lines->line[i].fold], NULL,
                       lines->line[i].text, ADS_STR(""));
        scored[i].score = intent == NULL
                              ? linear_score(linear, &samples[i])
                              : (double)ads_intent_score(
                                    intent, lines->line[i].text, &understood)
                                        .of[ADS_INTENT_COMMERCIAL]
                                    / ADS_INTENT_UNIT;
        scored[i].commercial = lines->line[i].commercial;
        scored[i].real = is_real(lines->line[i].source);
        scored[i].natural = strcmp(lines->line[i].source, "natural") == 0;
    }
    linear_samples_free(samples, lines->n);
    qsort(scored, lines->n, sizeof(*scored), scored_compare);
    return scored;
}


static void
options_read(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"train", 1, NULL, 't'},  {"dev", 1, NULL, 'd'},
        {"extra", 1, NULL, 'x'},  {"out", 1, NULL, 'o'},
        {"cost", 1, NULL, 'c'},   {"bits", 1, NULL, 'b'},
        {"epochs", 1, NULL, 'e'}, {"draws", 1, NULL, 'n'},
        {"recall", 1, NULL, 'r'}, {"help", 0, NULL, 'h'},
        {"goods", 1, NULL, 'g'},  {"hints", 1, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (option) {
        case 't':
            options->train = optarg;
            break;
        case 'd':
            options->dev = optarg;
            break;
        case 'x':
            options->extra = optarg;
            break;
        case 'o':
            options->out = optarg;
            break;
        case 'g':
            options->goods = optarg;
            break;
        case 'h':
            options->hints = optarg;
            break;
        case 'c':
            options->cost = atof(optarg);
            break;
        case 'b':
            options->bits = (unsigned)atoi(optarg);
            break;
        case 'e':
            options->epochs = (unsigned)atoi(optarg);
            break;
        case 'n':
            options->draws = (unsigned)atoi(optarg);
            break;
        case 'r':
            options->recall = atof(optarg);
            break;
        default:
            fputs(usage, option == 'h' ? stdout : stderr);
            exit(option == 'h' ? 0 : 2);
        }
    }
    options->natural = (const char *const *)(argv + optind);
    options->n_natural = argc - optind;
    if (options->train == NULL || options->dev == NULL || options->out == NULL
        || options->cost <= 0 || options->bits < ADS_INTENT_BITS_MIN
        || options->bits > ADS_INTENT_BITS_MAX)
    {
        fputs(usage, stderr);
        exit(2);
    }
}


static void
natural_read(struct intent_lines *train, struct intent_lines *dev,
             const struct options *options)
{
    struct intent_lines natural = {0};

    for (int i = 0; i < options->n_natural; i++) {
        intent_lines_read_natural(&natural, options->natural[i]);
    }
    for (size_t i = 0; i < natural.n; i++) {
        intent_lines_add(i % KEPT_BACK == 0 ? dev : train, natural.line[i]);
    }
}


int
main(int argc, char **argv)
{
    struct options options = {.cost = 1,
                              .bits = 20,
                              .epochs = 12,
                              .draws = 30,
                              .recall = 0.88,
                              .goods = "data/goods"};
    struct intent_lines lines = {0}, dev = {0};
    struct intent_model model;
    struct linear linear = {0};
    struct ads_intent intent;
    struct intent_folds folds;
    struct ads_intent_sum *sum = &model.sums[ADS_INTENT_COMMERCIAL];
    struct scored *scored;
    double threshold;

    options_read(&options, argc, argv);
    intent_folds_load(&folds, options.goods, options.hints);
    intent_lines_read(&lines, options.train);
    intent_lines_read(&dev, options.dev);
    natural_read(&lines, &dev, &options);
    if (options.extra != NULL) {
        intent_lines_expand(&lines, options.extra, options.draws);
    }

    linear.bits = options.bits;
    linear.sample = samples_new(&lines, &folds, options.bits, options.cost);
    linear.n = lines.n;
    linear_train(&linear, options.epochs);

    scored = score(&linear, &folds, NULL, &dev);
    threshold = threshold_choose(scored, dev.n, options.recall);
    report("as trained", scored, dev.n, threshold, false);

    intent_model_init(&model, options.bits);
    linear_quantise(&linear, model.weights, ADS_INTENT_COMMERCIAL, sum);
    intent_model_seal(&model, &intent);
    scored = score(&linear, &folds, &intent, &dev);
    threshold = threshold_choose(scored, dev.n, options.recall);
    report("quantised", scored, dev.n, threshold, false);
    report("natural", scored, dev.n, threshold, true);

    sum->threshold = (int32_t)lround(threshold * ADS_INTENT_UNIT);
    intent_model_seal(&model, &intent);
    intent_model_write(&model, options.out);
    return 0;
}
