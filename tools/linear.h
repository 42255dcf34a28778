/*
 * L2-regularised logistic regression over hashed features, by coordinate
 * descent in the dual (Yu, Huang, Lin 2011: what LIBLINEAR offers as solver 7,
 * with a weight for each line), for the trainers of data/intent.model.
 *
 * Same samples in the same order, same machine type, same weights.  What is
 * allocated lives until the process ends unless said otherwise; without memory
 * it ends with a message.
 */
#ifndef LINEAR_H
#define LINEAR_H

#include "../core/ads_intent.h"

/* One line as the solver sees it; alpha[0] + alpha[1] = cost at all times. */
struct linear_sample {
    const uint32_t *bucket; /* of each feature */
    uint32_t n;
    double scale; /* what each feature counts */
    double sign;  /* +1 yes, -1 no */
    double cost;  /* what the line weighs, above 0 */
    double alpha[2];
};

struct linear {
    unsigned bits; /* there are 2^bits weights */
    double *weight;
    double bias;
    struct linear_sample *sample; /* the caller's; training reorders them */
    size_t n;
    uint64_t random;
};

/* n * size bytes of zeros. */
void *
linear_allocate(size_t n, size_t size);

/* The sample of features, its sign and cost left 0; its buckets are allocated,
 * to be freed by linear_samples_free(). */
struct linear_sample
linear_sample_new(const struct ads_intent_features *features, unsigned bits);

/* Frees n samples and the array. */
void
linear_samples_free(struct linear_sample *samples, size_t n);

/* The log-odds of a sample. */
double
linear_score(const struct linear *linear, const struct linear_sample *sample);

/* Trains again, in that many passes: allocates the weights when there are none,
 * else clears them. */
void
linear_train(struct linear *linear, unsigned epochs);

/* Writes the weights into one side of a model's and fills bias and step of
 * *sum (core/ads_intent.h); its threshold stays. */
void
linear_quantise(const struct linear *linear, int8_t (*weights)[ADS_INTENT_SUMS],
                unsigned side, struct ads_intent_sum *sum);

#endif
