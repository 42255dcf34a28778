/*
 * Does a query have commercial intent?  A linear model over hashed words, word
 * pairs and character n-grams, trained offline by tools/intent_train and
 * evaluated here with integers only: the same model and query give the same
 * score on every machine.
 *
 * The model is a file (data/intent.model) that the caller has in memory; it is
 * borrowed, never copied, and must outlive the struct ads_intent.
 */
#ifndef ADS_INTENT_H
#define ADS_INTENT_H

#include "ads_bytes.h"
#include "ads_err.h"

/* A score is a natural log-odds in units of 1 / ADS_INTENT_UNIT. */
#define ADS_INTENT_UNIT 1024

struct ads_intent {
    const int8_t *weights;
    uint32_t mask;
    int32_t bias;
    int32_t scale;
    int32_t threshold; /* a score at or above it means commercial */
};

/*
 * Looks at a model of len bytes and fills *intent.  ADS_UNSUPPORTED: not a
 * model, or of a version not known here.  ADS_DAMAGED: a size or the checksum
 * does not fit.  The bytes stay the caller's.
 */
ADS_MUST enum ads_err
ads_intent_open(const void *bytes, size_t len, struct ads_intent *intent);

/*
 * The log-odds that the query is commercial, in 1 / ADS_INTENT_UNIT, for the
 * mixture that the model was trained on; compare it with intent->threshold.
 * Any bytes of any length are taken: of a long query the beginning and the end
 * are read, invalid UTF-8 separates words.
 */
int32_t
ads_intent_score(const struct ads_intent *intent, struct ads_str query);

/* score >= threshold, spelt once. */
bool
ads_intent_is_commercial(const struct ads_intent *intent, int32_t score);

#endif
