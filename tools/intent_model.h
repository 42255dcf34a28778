/*
 * Making data/intent.model: the bytes whose layout core/ads_intent.h describes.
 */
#ifndef INTENT_MODEL_H
#define INTENT_MODEL_H

#include "../core/ads_intent.h"

struct intent_model {
    uint8_t *bytes; /* lives until the process ends */
    size_t len;
    int8_t (*weights)[ADS_INTENT_SUMS]; /* in the bytes */
    struct ads_intent_sum sums[ADS_INTENT_SUMS];
};

/* A model of 2^bits pairs of weights, all 0, that says no to everything. */
void
intent_model_init(struct intent_model *model, unsigned bits);

/* Reads a model; one that is none ends the process with a message. */
void
intent_model_read(struct intent_model *model, const char *path);

/* Writes the sums into the bytes, seals them and opens them as *intent, which
 * borrows them; a model that does not open ends the process with a message. */
void
intent_model_seal(struct intent_model *model, struct ads_intent *intent);

/* Writes the sealed model; a file that cannot be written ends the process with
 * a message. */
void
intent_model_write(const struct intent_model *model, const char *path);

#endif
