/*
 * Trains the side of data/intent.model that tells sensitive requests, and puts
 * it beside the one of intent: logistic regression over the same features
 * (linear.h), quantised to int8.
 *
 * It learns from lines that ship (data/intent/lines/, data/intent/guard/,
 * tools/intent_extra.tsv).
 * Sensitive is a NO_AD line that the phrases of data/guard/ stop, and every
 * NO_AD line of the files that --sensitive names.  Ordinary is every SHOW line;
 * those of the same files are near misses.  The other NO_AD lines weigh little:
 * nothing is shown beside them anyway, and some of them are sensitive.
 *
 * The threshold is chosen by cross-validation: on lines left out, it lets
 * through all but a given share of ordinary wishes.
 */
#include "../adsd/tables/guard_list.h"
#include "../core/ads_guard.h"
#include "intent_folds.h"
#include "intent_model.h"
#include "linear.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SENSITIVE_FILES_MAX 8
#define PARTS 5 /* of the cross-validation */
#define N_LANGUAGES 5
#define DRAWS 6 /* of a line with slots */

enum group {
    GROUP_STORY,   /* sensitive, and no phrase stops it */
    GROUP_STOPPED, /* sensitive, and a phrase stops it */
    GROUP_WISH,
    GROUP_NEAR, /* a wish that looks like a story */
    GROUP_OTHER,
    GROUP_FRAME, /* a hand-written sentence about goods */
    GROUP_LEFT,  /* a wish that a phrase stops: not used */
    N_GROUPS
};

struct options {
    const char *model;
    const char *goods;
    const char *guard;
    const char *hints;
    const char *extra;
    const char *sensitive[SENSITIVE_FILES_MAX];
    int n_sensitive;
    double alarms;
    unsigned epochs;
};

struct line {
    struct linear_sample sample;
    struct ads_str language;
    enum group group;
    double score; /* by weights that were not trained on it */
};

struct lines {
    struct line *line;
    size_t n;
};

static const char *const group_names[N_GROUPS] = {"stories found",
                                                  "stopped ones found",
                                                  "alarms at wishes",
                                                  "alarms at near misses",
                                                  "found of other NO_AD lines",
                                                  "alarms at frames",
                                                  NULL};

/* What a line weighs; stories more, see costs_balance(). */
static const double costs[N_GROUPS] = {
    [GROUP_STORY] = 4, [GROUP_STOPPED] = 0.5, [GROUP_WISH] = 2,
    [GROUP_FRAME] = 1, [GROUP_NEAR] = 2,      [GROUP_OTHER] = 1,
};

/* All sensitive lines of a language together, of its wishes. */
#define SENSITIVE_WEIGHT 0.3

/* The first is all of them. */
static const char *const languages[N_LANGUAGES] = {"", "en", "de", "fr", "es"};

static const char usage[] =
    "usage: guard_train --model MODEL [options] NATURAL ...\n"
    "\n"
    "  --model FILE      read, and written with the other side's weights\n"
    "  --sensitive FILE  one of NATURAL whose NO_AD lines are sensitive; may "
    "be\n"
    "                    given several times\n"
    "  --extra FILE      hand-written lines with lists and slots, as of\n"
    "                    intent_train: ordinary ones\n"
    "  --alarms SHARE    of ordinary wishes, at the threshold (0.005)\n"
    "  --epochs N        passes over the lines (12)\n"
    "  --goods DIR       folder of the ontology (data/goods)\n"
    "  --guard DIR       folder of the phrases (data/guard)\n"
    "  --hints FILE      FILE.0 to FILE.3, as of intent_train\n"
    "  NATURAL           files of data/intent/lines/ as intent_train has "
    "them,\n"
    "                    and behind them those of data/intent/guard/\n"
    "\n"
    "tools/learn calls it.\n";


static void
options_read(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"model", 1, NULL, 'm'},     {"goods", 1, NULL, 'g'},
        {"guard", 1, NULL, 'u'},     {"hints", 1, NULL, 'i'},
        {"sensitive", 1, NULL, 's'}, {"alarms", 1, NULL, 'a'},
        {"extra", 1, NULL, 'x'},     {"epochs", 1, NULL, 'e'},
        {"help", 0, NULL, 'h'},      {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (option) {
        case 'm':
            options->model = optarg;
            break;
        case 'g':
            options->goods = optarg;
            break;
        case 'u':
            options->guard = optarg;
            break;
        case 'i':
            options->hints = optarg;
            break;
        case 's':
            if (options->n_sensitive < SENSITIVE_FILES_MAX) {
                options->sensitive[options->n_sensitive++] = optarg;
            }
            break;
        case 'x':
            options->extra = optarg;
            break;
        case 'a':
            options->alarms = atof(optarg);
            break;
        case 'e':
            options->epochs = (unsigned)atoi(optarg);
            break;
        default:
            fputs(usage, option == 'h' ? stdout : stderr);
            exit(option == 'h' ? 0 : 2);
        }
    }
    if (options->model == NULL || optind == argc || options->epochs == 0) {
        fputs(usage, stderr);
        exit(2);
    }
}


static bool
is_sensitive(const struct options *options, const char *path)
{
    for (int i = 0; i < options->n_sensitive; i++) {
        if (strcmp(options->sensitive[i], path) == 0) {
            return true;
        }
    }
    return false;
}


static enum group
group_of(const struct intent_line *line, bool stopped, bool sensitive_file)
{
    if (strcmp(line->source, "natural") != 0) {
        return stopped ? GROUP_LEFT : GROUP_FRAME;
    }
    if (line->commercial) {
        return stopped ? GROUP_LEFT : sensitive_file ? GROUP_NEAR : GROUP_WISH;
    }
    return stopped ? GROUP_STOPPED : sensitive_file ? GROUP_STORY : GROUP_OTHER;
}


static void
guard_open(struct ads_guard *guard, const char *folder)
{
    struct ads_str section;

    if (guard_list_compile(&section, folder, "", stderr) != ADS_OK
        || ads_guard_open(section.ptr, section.len, guard) != ADS_OK)
    {
        exit(1);
    }
}


/* What all lines are read with. */
struct reader {
    struct intent_folds folds;
    struct ads_guard guard;
    unsigned bits;
};


/* Adds the lines of `read` that lines does not have yet. */
static void
lines_add(struct lines *lines, const struct intent_lines *read,
          const struct reader *reader, bool sensitive_file)
{
    static struct ads_intent_features features;
    static struct ads_understood understood;

    lines->line = realloc(lines->line, read->n * sizeof(*lines->line));
    for (; lines->n < read->n; lines->n++) {
        const struct intent_line *from = &read->line[lines->n];
        struct line *line = &lines->line[lines->n];
        bool stopped =
            ads_guard_check(&reader->guard, from->text) != ADS_GUARD_NONE;

        ads_understand(&understood, &reader->folds.goods[from->fold], NULL,
                       from->text, ADS_STR(""));
        ads_intent_features(from->text, &understood, &features);
        line->sample = linear_sample_new(&features, reader->bits);
        line->language = from->language;
        line->group = group_of(from, stopped, sensitive_file);
        line->sample.sign = line->group <= GROUP_STOPPED ? 1 : -1;
        line->sample.cost = costs[line->group];
    }
}


/* Reads the files; the lines keep their order, by which their parts of the
 * hints go. */
static void
lines_read(struct lines *lines, const struct options *options, unsigned bits,
           char *const *paths)
{
    struct intent_lines read = {0};
    struct reader reader = {.bits = bits};

    guard_open(&reader.guard, options->guard);
    intent_folds_load(&reader.folds, options->goods, options->hints);
    for (; *paths != NULL; paths++) {
        intent_lines_read_natural(&read, *paths);
        lines_add(lines, &read, &reader, is_sensitive(options, *paths));
    }
    if (options->extra != NULL) {
        intent_lines_expand(&read, options->extra, DRAWS);
        lines_add(lines, &read, &reader, false);
    }
}


/* There are many more English wishes than English stories, beside the other
 * languages: unbalanced, to write English would speak against a story. */
static void
costs_balance(struct lines *lines)
{
    for (size_t k = 1; k < N_LANGUAGES; k++) {
        double yes = 0, no = 0;

        for (size_t i = 0; i < lines->n; i++) {
            const struct line *line = &lines->line[i];

            if (ads_str_is(line->language, languages[k])) {
                yes += line->group <= GROUP_STOPPED ? line->sample.cost : 0;
                no += line->group == GROUP_WISH || line->group == GROUP_NEAR
                          ? line->sample.cost
                          : 0;
            }
        }
        for (size_t i = 0; i < lines->n; i++) {
            struct line *line = &lines->line[i];

            if (line->group <= GROUP_STOPPED
                && ads_str_is(line->language, languages[k])) {
                line->sample.cost *= SENSITIVE_WEIGHT * no / yes;
            }
        }
    }
}


/* Trains on all lines but those of a part; PARTS: on all. */
static void
train_without(struct linear *linear, const struct lines *lines, size_t part,
              unsigned epochs)
{
    linear->n = 0;
    for (size_t i = 0; i < lines->n; i++) {
        if (i % PARTS != part && lines->line[i].sample.cost > 0) {
            linear->sample[linear->n++] = lines->line[i].sample;
        }
    }
    linear_train(linear, epochs);
}


static int
score_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left < right) - (left > right);
}


/* The lowest threshold that at most this share of ordinary wishes reaches. */
static double
threshold_choose(const struct lines *lines, double alarms)
{
    double *scores = linear_allocate(lines->n, sizeof(*scores)), at;
    size_t n = 0;

    for (size_t i = 0; i < lines->n; i++) {
        if (lines->line[i].group == GROUP_WISH) {
            scores[n++] = lines->line[i].score;
        }
    }
    qsort(scores, n, sizeof(*scores), score_compare);
    at = n == 0 ? 0 : scores[(size_t)((double)n * alarms)];
    free(scores);
    return nextafter(at, INFINITY);
}


static void
report(const struct lines *lines, double at)
{
    for (unsigned group = 0; group < GROUP_LEFT; group++) {
        printf("%-27s", group_names[group]);
        for (size_t k = 0; k < N_LANGUAGES; k++) {
            size_t n = 0, n_reach = 0;

            for (size_t i = 0; i < lines->n; i++) {
                const struct line *line = &lines->line[i];

                if (line->group == group
                    && (k == 0 || ads_str_is(line->language, languages[k])))
                {
                    n++;
                    n_reach += line->score >= at;
                }
            }
            printf("  %s %.4f of %zu", k == 0 ? "all" : languages[k],
                   n == 0 ? 0 : (double)n_reach / (double)n, n);
        }
        putchar('\n');
    }
}


int
main(int argc, char **argv)
{
    struct options options = {.goods = "data/goods",
                              .guard = "data/guard",
                              .alarms = 0.005,
                              .epochs = 12};
    struct intent_model model;
    struct ads_intent_sum *sum = &model.sums[ADS_INTENT_SENSITIVE];
    struct ads_intent intent;
    struct linear linear = {0};
    struct lines lines = {0};
    double threshold;

    options_read(&options, argc, argv);
    intent_model_read(&model, options.model);
    intent_model_seal(&model, &intent);
    linear.bits = intent.bits;
    lines_read(&lines, &options, linear.bits, argv + optind);
    costs_balance(&lines);
    linear.sample = linear_allocate(lines.n, sizeof(*linear.sample));

    for (size_t part = 0; part < PARTS; part++) {
        train_without(&linear, &lines, part, options.epochs);
        for (size_t i = part; i < lines.n; i += PARTS) {
            lines.line[i].score = linear_score(&linear, &lines.line[i].sample);
        }
    }
    threshold = threshold_choose(&lines, options.alarms);
    printf("left-out lines, threshold %.3f:\n", threshold);
    report(&lines, threshold);

    train_without(&linear, &lines, PARTS, options.epochs);
    linear_quantise(&linear, model.weights, ADS_INTENT_SENSITIVE, sum);
    sum->threshold = (int32_t)lround(threshold * ADS_INTENT_UNIT);
    intent_model_seal(&model, &intent);
    intent_model_write(&model, options.model);
    return 0;
}
