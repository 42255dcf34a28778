/*
 * Intent model: does a query have commercial intent, and does it read like one
 * for which no ad is shown?  Two linear models over the same hashed words, word
 * pairs and character n-grams, trained offline by tools/intent_train and
 * tools/guard_train and evaluated here with integers only: the same model and
 * query give the same scores on every machine.
 *
 * The model is a file (data/intent.model) that the caller has in memory; it is
 * borrowed, never copied, and must outlive the struct ads_intent.
 *
 * Layout of a model, version 3, little-endian:
 *
 *    0  u8[8]   magic "ADSINTNT"
 *    8  u32     byte order mark 0x01020304
 *   12  u16     version, 3
 *   14  u16     bits: there are 2^bits pairs of weights, 10 <= bits <= 20
 *   16  of commercial intent:
 *      +0  i32  bias, in score units (1 / ADS_INTENT_UNIT nat)
 *      +4  i32  step: one weight step is step / 256 score units,
 *               1 <= step <= 65,536
 *      +8  i32  threshold, in score units
 *   28  u32     CRC-32C of bytes 0..27 and of everything from 32 on
 *   32  of sensitive requests: bias, step and threshold as at 16
 *   44  u32     zero
 *   48  i8[2][2^bits]  pairs of weights, of intent and of what is sensitive:
 *               those of a feature at the highest `bits` bits of its 32-bit
 *               hash; the file ends with them
 *
 *   score = bias + floor(step * (sum of the weights of all features) * scale
 *                        / 65,536)
 *
 * where scale is 256 for ADS_INTENT_USUAL features and falls with the root of
 * their number, so that a long friendly message is no more of a wish, or less
 * of one, than a short one.  The weights of a feature lie side by side, so the
 * second sum costs no further look into memory.
 *
 * A change of the layout or of what ads_intent_features() yields takes a new
 * version, since either makes older weights meaningless.
 */
#ifndef ADS_INTENT_H
#define ADS_INTENT_H

#include "ads_bytes.h"
#include "ads_err.h"
#include "ads_focus.h"

/* A score is a natural log-odds in units of 1 / ADS_INTENT_UNIT. */
#define ADS_INTENT_UNIT 1024

#define ADS_INTENT_HEADER_LEN 48
#define ADS_INTENT_BITS_MIN 10
#define ADS_INTENT_BITS_MAX 20

/* What is read of a long query; a shorter one is read whole. */
#define ADS_INTENT_HEAD_LEN 208
#define ADS_INTENT_TAIL_LEN 144

/* Plain text has at most three features a byte read, a run of "?" being the
 * worst; rare ligatures fold to more, and what goes beyond is left out.  What
 * was understood has four for each word that is read, and some more. */
#define ADS_INTENT_FEATURES_MAX 1280
#define ADS_INTENT_SHAPE_WORDS 64
#define ADS_INTENT_SHAPE_MAX (4 * ADS_INTENT_SHAPE_WORDS + 128)

/* Features that count for what they weigh; more count less each, fewer more. */
#define ADS_INTENT_USUAL 128

/* What is asked of a query, and the side of a pair that answers. */
enum ads_intent_side {
    ADS_INTENT_COMMERCIAL,
    ADS_INTENT_SENSITIVE,
    ADS_INTENT_SUMS /* not a side */
};

struct ads_intent_sum {
    int32_t bias;
    int32_t step;
    int32_t threshold; /* a score at or above it means yes */
};

struct ads_intent {
    const int8_t (*weights)[ADS_INTENT_SUMS];
    uint32_t bits;
    struct ads_intent_sum sums[ADS_INTENT_SUMS];
};

/* Log-odds in 1 / ADS_INTENT_UNIT, by side. */
struct ads_intent_scores {
    int32_t of[ADS_INTENT_SUMS];
};

struct ads_intent_features {
    uint32_t n;
    uint32_t hash[ADS_INTENT_FEATURES_MAX + ADS_INTENT_SHAPE_MAX];
};

/*
 * Opens a model of len bytes and fills *intent.  ADS_UNSUPPORTED: not a
 * model, or of a version or byte order not known here.  ADS_DAMAGED: a size, a
 * bound or the checksum does not fit.  The bytes stay the caller's.
 */
ADS_MUST enum ads_err
ads_intent_open(const void *bytes, size_t len, struct ads_intent *intent);

/*
 * The log-odds that the query is commercial, and that it is sensitive, for the
 * mixtures that the model was trained on; compare them with the thresholds.
 * Any bytes of any length are taken: of a long query the beginning and the end
 * are read, invalid UTF-8 separates words.  `understood` is what the query was
 * read as; NULL: its letters alone tell.
 */
struct ads_intent_scores
ads_intent_score(const struct ads_intent *intent, struct ads_str query,
                 const struct ads_understood *understood);

/* Does a score of a side reach its threshold? */
bool
ads_intent_is(const struct ads_intent *intent, enum ads_intent_side side,
              int32_t score);

/* What each of n features counts, of 256. */
uint32_t
ads_intent_scale(uint32_t n);

/*
 * The features of a query, for the trainer, which must see the same as the
 * model is asked with later.
 */
void
ads_intent_features(struct ads_str query,
                    const struct ads_understood *understood,
                    struct ads_intent_features *features);

#endif
