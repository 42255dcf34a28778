/*
 * Trains core/ads_fit_model.h, which says how likely a hit is a good answer:
 * for each class of hits a logistic regression over the features of
 * core/ads_fit.h, from hits that were labelled.
 *
 *     fit_train < ROWS > core/ads_fit_model.h
 *
 * ROWS  a hit each, tab-separated: class, how good it is from 0 to 1, what the
 *       row weighs, the features (tools/fit_rows makes them)
 *
 * Newton's method from zero: the same rows give the same weights.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ads_fit.h"
#include "base/pool.h"

#define FEATURES ADS_FIT_FEATURES
#define STEPS 12
#define DECAY 5.0 /* pull of each weight towards the guess, in rows */

/*
 * What a person demands, in nats, and how many rows that is worth: labellers
 * are patient, and who asks for an 85A cartridge cannot use another.
 */
static const struct {
    double weight;
    double rows;
} guess[FEATURES] = {
    [ADS_FIT_REFUSED] = {-5, 500},    [ADS_FIT_LOST] = {-2.5, 300},
    [ADS_FIT_NO_MODEL] = {-1.5, 200}, [ADS_FIT_MEASURE_ELSE] = {-4, 300},
    [ADS_FIT_MODEL_ELSE] = {-4, 300}, [ADS_FIT_NO_MEASURE] = {-0.8, 100},
    [ADS_FIT_NO_BRAND] = {-1.2, 100}, [ADS_FIT_NAMELESS] = {1.2, 400},
    [ADS_FIT_BELONGING] = {-2, 300},  [ADS_FIT_IS_SIBLING] = {-0.5, 100},
    [ADS_FIT_LONGER] = {-2.5, 200},   [ADS_FIT_UNWANTED] = {-4, 400},
    [ADS_FIT_LACKS] = {-1.2, 300},    [ADS_FIT_CONTRARY] = {-2.5, 200},
    [ADS_FIT_IS_NARROWED] = {1, 30},  [ADS_FIT_TOO_BROAD] = {-1, 60},
};

struct row {
    double good;
    double weight;
    double features[FEATURES];
};

struct rows {
    struct row *list;
    size_t n;
    size_t room;
};


static void
fail(const char *what)
{
    fprintf(stderr, "fit_train: %s\n", what);
    exit(1);
}


static void
rows_read(struct rows classes[ADS_FIT_CLASSES], FILE *file)
{
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, file) > 0) {
        char *at = line;
        unsigned long class = strtoul(at, &at, 10);
        struct rows *rows;
        struct row *row;

        if (class >= ADS_FIT_CLASSES) {
            fail("no such class");
        }
        rows = &classes[class];
        if (rows->n == rows->room) {
            rows->room = 2 * rows->room + 4096;
            rows->list = xrealloc(rows->list, rows->room * sizeof(*rows->list));
        }
        row = &rows->list[rows->n++];
        row->good = strtod(at, &at);
        row->weight = strtod(at, &at);
        for (int i = 0; i < FEATURES; i++) {
            char *from = at;

            row->features[i] = (double)strtol(at, &at, 10) / ADS_FIT_NAT;
            if (at == from) {
                fail("a row has too few features");
            }
        }
    }
    free(line);
}


/* Solves a x = b in place, a symmetric and positive: x comes in b. */
static void
solve(double a[FEATURES][FEATURES], double b[FEATURES])
{
    for (int k = 0; k < FEATURES; k++) {
        for (int i = k + 1; i < FEATURES; i++) {
            double factor = a[i][k] / a[k][k];

            for (int j = k; j < FEATURES; j++) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = FEATURES; k-- > 0;) {
        for (int j = k + 1; j < FEATURES; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}


static double
chance_of(const struct row *row, const double weights[FEATURES])
{
    double sum = 0;

    for (int i = 0; i < FEATURES; i++) {
        sum += row->features[i] * weights[i];
    }
    return 1 / (1 + exp(-sum));
}


static void
train(const struct rows *rows, double weights[FEATURES])
{
    for (int step = 0; step < STEPS; step++) {
        static double curve[FEATURES][FEATURES];
        double slope[FEATURES];

        memset(curve, 0, sizeof(curve));
        for (int i = 0; i < FEATURES; i++) {
            double pull = i == ADS_FIT_ANY ? 1e-6 : DECAY + guess[i].rows;

            slope[i] = -pull * (weights[i] - guess[i].weight);
            curve[i][i] = pull;
        }
        for (size_t r = 0; r < rows->n; r++) {
            const struct row *row = &rows->list[r];
            double chance = chance_of(row, weights);
            double bend = row->weight * chance * (1 - chance);

            for (int i = 0; i < FEATURES; i++) {
                if (row->features[i] == 0) {
                    continue;
                }
                slope[i] +=
                    row->weight * (row->good - chance) * row->features[i];
                for (int j = 0; j < FEATURES; j++) {
                    curve[i][j] += bend * row->features[i] * row->features[j];
                }
            }
        }
        solve(curve, slope);
        for (int i = 0; i < FEATURES; i++) {
            weights[i] += slope[i];
        }
    }
}


static void
class_print(const char *name, const double weights[FEATURES])
{
    printf("    [%s] = {\n", name);
    for (int i = 0; i < FEATURES; i++) {
        const char *feature = ads_fit_feature_name(i);

        printf("        [ADS_FIT_");
        for (; *feature != '\0'; feature++) {
            putchar(*feature >= 'a' && *feature <= 'z' ? *feature - 'a' + 'A'
                                                       : *feature);
        }
        printf("] = %ld,\n", lround(weights[i] * ADS_FIT_NAT));
    }
    printf("    },\n");
}


int
main(void)
{
    static const char *const names[ADS_FIT_CLASSES] = {
        [ADS_FIT_OF_KIND] = "ADS_FIT_OF_KIND",
        [ADS_FIT_OF_ANOTHER] = "ADS_FIT_OF_ANOTHER",
        [ADS_FIT_OF_WORDS] = "ADS_FIT_OF_WORDS",
    };
    struct rows classes[ADS_FIT_CLASSES] = {0};

    rows_read(classes, stdin);
    printf("/*\n"
           " * The model that says how likely a hit is a good answer: for each "
           "class of hits\n"
           " * a weight for each feature of core/ads_fit.h, 256 is one nat.  "
           "Made by\n"
           " * tools/fit_train from labelled requests; do not edit.\n"
           " */\n"
           "#ifndef ADS_FIT_MODEL_H\n"
           "#define ADS_FIT_MODEL_H\n\n#include \"ads_fit.h\"\n\n"
           "static const int16_t "
           "ads_fit_model[ADS_FIT_CLASSES][ADS_FIT_FEATURES] = {\n");
    for (int class = 0; class < ADS_FIT_CLASSES; class ++) {
        double weights[FEATURES] = {0};

        fprintf(stderr, "%s: %zu rows\n", names[class], classes[class].n);
        train(&classes[class], weights);
        class_print(names[class], weights);
        free(classes[class].list);
    }
    printf("};\n\n#endif\n");
    return 0;
}
