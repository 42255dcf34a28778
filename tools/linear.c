/*
 * The solver.
 */
#include "linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NEWTON_STEPS_MAX 100
#define NEWTON_ENOUGH 1e-3
#define WEIGHT_MAX 127


void *
linear_allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);

    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}


struct linear_sample
linear_sample_new(const struct ads_intent_features *features, unsigned bits)
{
    uint32_t *bucket = linear_allocate(features->n, sizeof(*bucket));

    for (uint32_t i = 0; i < features->n; i++) {
        bucket[i] = features->hash[i] >> (32 - bits);
    }
    return (struct linear_sample){
        .bucket = bucket,
        .n = features->n,
        .scale = ads_intent_scale(features->n) / 256.0,
    };
}


void
linear_samples_free(struct linear_sample *samples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free((uint32_t *)samples[i].bucket);
    }
    free(samples);
}


double
linear_score(const struct linear *linear, const struct linear_sample *sample)
{
    double sum = 0;

    for (uint32_t i = 0; i < sample->n; i++) {
        sum += linear->weight[sample->bucket[i]];
    }
    return linear->bias + sum * sample->scale;
}


static void
sample_add(struct linear *linear, const struct linear_sample *sample, double by)
{
    for (uint32_t i = 0; i < sample->n; i++) {
        linear->weight[sample->bucket[i]] += by * sample->scale;
    }
    linear->bias += by;
}


/*
 * Minimises the dual along one line's alpha by Newton's method on whichever of
 * the two halves is the safer to move, as in algorithm 5 of the paper.
 */
static void
sample_solve(struct linear *linear, struct linear_sample *sample)
{
    double cost = sample->cost;
    double norm = sample->n * sample->scale * sample->scale + 1;
    double margin = sample->sign * linear_score(linear, sample);
    int moved = 0.5 * norm * (sample->alpha[1] - sample->alpha[0]) + margin < 0;
    double direction = moved ? -1 : 1;
    double old = sample->alpha[moved];
    double now = cost - old < 0.5 * cost ? 0.1 * old : old;

    for (int i = 0; i < NEWTON_STEPS_MAX; i++) {
        double slope =
            norm * (now - old) + direction * margin + log(now / (cost - now));
        double next;

        if (fabs(slope) < NEWTON_ENOUGH) {
            break;
        }
        next = now - slope / (norm + cost / (cost - now) / now);
        now = next <= 0 ? now * 0.1 : next;
    }

    sample->alpha[moved] = now;
    sample->alpha[!moved] = cost - now;
    sample_add(linear, sample, direction * (now - old) * sample->sign);
}


static size_t
random_below(struct linear *linear, size_t n)
{
    linear->random ^= linear->random << 13;
    linear->random ^= linear->random >> 7;
    linear->random ^= linear->random << 17;
    return linear->random % n;
}


void
linear_train(struct linear *linear, unsigned epochs)
{
    size_t n_weights = (size_t)1 << linear->bits;

    linear->random = 88172645463325252u;
    linear->bias = 0;
    if (linear->weight == NULL) {
        linear->weight = linear_allocate(n_weights, sizeof(double));
    }
    memset(linear->weight, 0, n_weights * sizeof(double));

    for (size_t i = 0; i < linear->n; i++) {
        struct linear_sample *sample = &linear->sample[i];

        sample->alpha[0] = fmin(0.001 * sample->cost, 1e-8);
        sample->alpha[1] = sample->cost - sample->alpha[0];
        sample_add(linear, sample, sample->sign * sample->alpha[0]);
    }

    for (unsigned epoch = 0; epoch < epochs; epoch++) {
        for (size_t i = linear->n; i > 1; i--) {
            size_t other = random_below(linear, i);
            struct linear_sample swapped = linear->sample[i - 1];

            linear->sample[i - 1] = linear->sample[other];
            linear->sample[other] = swapped;
        }
        for (size_t i = 0; i < linear->n; i++) {
            sample_solve(linear, &linear->sample[i]);
        }
        fprintf(stderr, "\rtraining on %zu lines: pass %u of %u", linear->n,
                epoch + 1, epochs);
    }
    fputc('\n', stderr);
}


void
linear_quantise(const struct linear *linear, int8_t (*weights)[ADS_INTENT_SUMS],
                unsigned side, struct ads_intent_sum *sum)
{
    size_t n = (size_t)1 << linear->bits;
    double largest = 0, step;

    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(linear->weight[i]));
    }
    step = fmax(1, ceil(largest / WEIGHT_MAX * ADS_INTENT_UNIT * 256));
    sum->bias = (int32_t)lround(linear->bias * ADS_INTENT_UNIT);
    sum->step = (int32_t)step;
    for (size_t i = 0; i < n; i++) {
        weights[i][side] =
            (int8_t)lround(linear->weight[i] * ADS_INTENT_UNIT * 256 / step);
    }
}
