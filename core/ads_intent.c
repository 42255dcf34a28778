/*
 * Intent model: features of a query, and the sums of their weights.
 *
 * For each folded word there are: the word; the pair with the word before it;
 * the pair with the word before that one; and its character 4- and 5-grams,
 * the word's borders included.  The first word is paired with the beginning,
 * the last one with the end, which is how "kettle" alone differs from "who
 * invented the kettle".  Digits are alike, so that unseen part numbers and
 * prices meet seen ones.
 *
 * A sentence in quotation marks behind other words stands as one sign: who asks
 * to translate "where can i buy a kettle" wants no kettle.
 *
 * Two passes, hashing first and look-ups second, let the processor fetch many
 * weights at a time.
 */
#include "ads_intent.h"
#include "ads_fold.h"
#include "ads_index.h"

#define BYTE_ORDER_MARK 0x01020304u
#define VERSION 3
#define CRC_POS 28
#define CRC_END 32
#define STEP_MAX 65536

#define GRAM_MIN 4
#define GRAM_MAX 5

/* Placeholders for words at the two ends and where a long query was cut. */
#define BEGINNING 0
#define END 1
#define GAP 2
#define QUOTE 3

/* Fewer words between quotation marks are a name, and read. */
#define QUOTE_WORDS_MIN 3

/* Longer queries count as having this many words. */
#define COUNT_MAX 12

enum kind {
    KIND_WORD = 16,
    KIND_PAIR,
    KIND_SKIP,
    KIND_COUNT,
    /* of what was understood */
    KIND_SHAPE_PAIR,
    KIND_SHAPE_SKIP,
    KIND_SHAPE_TRIPLE,
    KIND_ROLE,
    KIND_CUE,
    KIND_SURE,
    KIND_MANY,
    KIND_ASKED
};

/*
 * Placeholder in a shape for words that are understood; what they are is in the
 * other features.
 */
enum sign {
    SIGN_BEGIN = 4,
    SIGN_END,
    SIGN_WANTED,
    SIGN_THING,
    SIGN_QUALITY,
    SIGN_PRICE,
    SIGN_NUMBER,
    SIGN_MODEL
};

#define SURE_STEP (ADS_WISH_UNIT / 2)
#define SURE_MAX 8
#define MANY_MAX 4

struct reader {
    struct ads_intent_features *features;
    uint64_t before;  /* hash of the word before this one */
    uint64_t before2; /* and of the one before that */
    uint32_t n_words;
};

static const char magic[8] = "ADSINTNT";


static uint64_t
mix(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ (b * 0xff51afd7ed558ccdu)) * 0x9e3779b97f4a7c15u;

    return hash ^ hash >> 32;
}


static void
feature_add(struct ads_intent_features *features, uint64_t kind, uint64_t value)
{
    if (features->n < ADS_INTENT_FEATURES_MAX + ADS_INTENT_SHAPE_MAX) {
        features->hash[features->n++] =
            (uint32_t)((mix(kind, value) * 0x9e3779b97f4a7c15u) >> 32);
    }
}


/* Both read eight bytes at a time, so the word is padded with zeros. */
static uint64_t
word_hash(const char *padded, size_t len)
{
    uint64_t hash = len;

    for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
        uint64_t chunk;

        memcpy(&chunk, padded + i, sizeof(chunk));
        hash = mix(hash, chunk);
    }
    return hash;
}


static void
grams_add(struct ads_intent_features *features, const char *padded, size_t len)
{
    for (size_t i = 0; i + GRAM_MIN <= len; i++) {
        uint64_t chunk;

        memcpy(&chunk, padded + i, sizeof(chunk));
        for (size_t n = GRAM_MIN; n <= GRAM_MAX && i + n <= len; n++) {
            feature_add(features, n, chunk & (((uint64_t)1 << 8 * n) - 1));
        }
    }
}


/* The features of the next word, given by its hash. */
static void
reader_pass(struct reader *reader, uint64_t hash)
{
    feature_add(reader->features, KIND_PAIR, mix(reader->before, hash));
    feature_add(reader->features, KIND_SKIP, mix(reader->before2, hash));
    reader->before2 = reader->before;
    reader->before = hash;
}


static void
reader_read(struct reader *reader, struct ads_str text)
{
    char padded[1 + ADS_FOLD_WORD_MAX + 1 + sizeof(uint64_t)];
    size_t len;

    padded[0] = ' ';
    while ((len = ads_fold_word(&text, padded + 1)) > 0) {
        uint64_t hash;

        for (size_t i = 1; i <= len; i++) {
            if (padded[i] >= '0' && padded[i] <= '9') {
                padded[i] = '0';
            }
        }
        padded[len + 1] = ' ';
        memset(padded + len + 2, 0, sizeof(uint64_t));

        hash = word_hash(padded, len + 2);
        feature_add(reader->features, KIND_WORD, hash);
        reader_pass(reader, hash);
        grams_add(reader->features, padded, len + 2);
        reader->n_words++;
    }
}


/*
 * Finds a quoted sentence in the text and cuts it out: *before is what comes
 * before it, *text what comes after.  A mark that measures inches follows a
 * digit, and one at the very beginning quotes nothing.
 */
static bool
quote_cut(struct ads_str *text, struct ads_str *before)
{
    const char *last = text->ptr + text->len;
    const char *from = text->ptr;
    const char *open;

    while ((open = memchr(from, '"', (size_t)(last - from))) != NULL) {
        const char *first = open + 1;
        const char *close = memchr(first, '"', (size_t)(last - first));
        unsigned words = 1;

        if (close == NULL) {
            return false;
        }
        for (const char *at = first; at < close; at++) {
            words += *at == ' ';
        }
        if (open > text->ptr && (open[-1] == ' ' || open[-1] == ':')
            && *first != ' ' && words >= QUOTE_WORDS_MIN)
        {
            *before = (struct ads_str){text->ptr, (size_t)(open - text->ptr)};
            *text = (struct ads_str){close + 1, (size_t)(last - close - 1)};
            return true;
        }
        from = close;
    }
    return false;
}


static void
reader_read_around_quotes(struct reader *reader, struct ads_str text)
{
    struct ads_str before;

    while (quote_cut(&text, &before)) {
        reader_read(reader, before);
        feature_add(reader->features, KIND_WORD, QUOTE);
        reader_pass(reader, QUOTE);
    }
    reader_read(reader, text);
}


/* Cuts a part word off the front, if there is a space to cut at. */
static struct ads_str
tail_of(struct ads_str query)
{
    struct ads_str tail = {query.ptr + query.len - ADS_INTENT_TAIL_LEN,
                           ADS_INTENT_TAIL_LEN};
    const char *space = memchr(tail.ptr, ' ', tail.len);

    if (space != NULL) {
        tail.len -= (size_t)(space - tail.ptr);
        tail.ptr = space;
    }
    return tail;
}


/* ---- what was understood */

/* The sign of a word that is understood, 0 of another. */
static uint64_t
sign_of(const struct ads_understood *understood, uint32_t i)
{
    const struct ads_scan *scan = &understood->scan;
    const struct ads_wish *wish = &understood->wish;

    for (uint32_t k = 0; k < wish->n_mentions; k++) {
        if (wish->mentions[k].from <= i && i < wish->mentions[k].to) {
            return wish->mentions[k].role == ADS_WISH_WANTED ? SIGN_WANTED
                                                             : SIGN_THING;
        }
    }
    if (scan->words[i].named) {
        return SIGN_QUALITY;
    }
    switch (scan->words[i].kind) {
    case ADS_TEXT_PRICE:
        return SIGN_PRICE;
    case ADS_TEXT_NUMBER:
        return SIGN_NUMBER;
    case ADS_TEXT_MIXED:
        return SIGN_MODEL;
    default:
        return 0;
    }
}


/* The words with what is understood replaced, in pairs and triples: "recommend
 * a good X for Y" is one thing, whatever X and Y are. */
static void
shape_add(const struct ads_understood *understood,
          struct ads_intent_features *features)
{
    const struct ads_scan *scan = &understood->scan;
    uint64_t before = SIGN_BEGIN, before2 = SIGN_BEGIN, last = 0;
    uint32_t n = scan->n_words < ADS_INTENT_SHAPE_WORDS
                     ? scan->n_words
                     : ADS_INTENT_SHAPE_WORDS;

    for (uint32_t i = 0; i <= n; i++) {
        uint64_t sign = i == n ? SIGN_END : sign_of(understood, i);
        struct ads_str bytes;

        if (sign == 0) {
            bytes = ads_scan_bytes(scan, i);
            sign = ads_index_hash(bytes.ptr, bytes.len) | SIGN_BEGIN << 1;
        } else if (sign == last) {
            continue; /* a name of several words is one */
        }
        feature_add(features, KIND_SHAPE_PAIR, mix(before, sign));
        feature_add(features, KIND_SHAPE_SKIP, mix(before2, sign));
        feature_add(features, KIND_SHAPE_TRIPLE,
                    mix(mix(before2, before), sign));
        before2 = before;
        before = last = sign;
    }
}


static void
understood_add(const struct ads_understood *understood,
               struct ads_intent_features *features)
{
    const struct ads_wish *wish = &understood->wish;
    const struct ads_wish_mention *best = NULL;
    int32_t sure = -SURE_MAX;

    shape_add(understood, features);
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        if (best == NULL || wish->mentions[i].score > best->score) {
            best = &wish->mentions[i];
        }
    }
    if (best != NULL) {
        sure = best->score / SURE_STEP;
        sure = sure > SURE_MAX       ? SURE_MAX
               : sure < 1 - SURE_MAX ? 1 - SURE_MAX
                                     : sure;
        for (uint64_t bits = best->features; bits != 0; bits &= bits - 1) {
            feature_add(features, KIND_ROLE, (uint64_t)__builtin_ctzll(bits));
        }
    }
    feature_add(features, KIND_SURE, (uint64_t)sure + SURE_MAX);
    feature_add(features, KIND_MANY,
                wish->n_mentions < MANY_MAX ? wish->n_mentions : MANY_MAX);
    for (uint32_t bits = wish->cues; bits != 0; bits &= bits - 1) {
        feature_add(features, KIND_CUE, (uint64_t)__builtin_ctz(bits));
    }
    feature_add(features, KIND_ASKED,
                (uint64_t)(wish->n_kinds > 0) << 2
                    | (uint64_t)(wish->n_attributes > 0) << 1
                    | (wish->most_micros >= 0 || wish->least_micros >= 0));
}


void
ads_intent_features(struct ads_str query,
                    const struct ads_understood *understood,
                    struct ads_intent_features *features)
{
    struct reader reader = {
        .features = features, .before = BEGINNING, .before2 = BEGINNING};

    features->n = 0;
    if (query.len <= ADS_INTENT_HEAD_LEN + ADS_INTENT_TAIL_LEN) {
        reader_read_around_quotes(&reader, query);
    } else {
        reader_read_around_quotes(
            &reader, (struct ads_str){query.ptr, ADS_INTENT_HEAD_LEN});
        reader.before = GAP;
        reader.before2 = GAP;
        reader_read_around_quotes(&reader, tail_of(query));
    }

    reader_pass(&reader, END);
    feature_add(features, KIND_COUNT,
                reader.n_words < COUNT_MAX ? reader.n_words : COUNT_MAX);
    if (features->n > ADS_INTENT_FEATURES_MAX) {
        features->n = ADS_INTENT_FEATURES_MAX;
    }
    if (understood != NULL) {
        understood_add(understood, features);
    }
}


static void
sum_read(struct ads_intent_sum *sum, struct ads_cursor *cursor)
{
    sum->bias = (int32_t)ads_cursor_u32(cursor);
    sum->step = (int32_t)ads_cursor_u32(cursor);
    sum->threshold = (int32_t)ads_cursor_u32(cursor);
}


static bool
sum_check(const struct ads_intent_sum *sum)
{
    return sum->step >= 1 && sum->step <= STEP_MAX;
}


enum ads_err
ads_intent_open(const void *bytes, size_t len, struct ads_intent *intent)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    const uint8_t *found = ads_cursor_peek(&cursor, sizeof(magic));
    uint32_t order = ads_cursor_u32(&cursor);
    uint16_t version = ads_cursor_u16(&cursor);
    uint32_t checksum, crc;

    if (!cursor.ok || memcmp(found, magic, sizeof(magic)) != 0
        || order != BYTE_ORDER_MARK || version != VERSION)
    {
        return ADS_UNSUPPORTED;
    }

    intent->bits = ads_cursor_u16(&cursor);
    sum_read(&intent->sums[ADS_INTENT_COMMERCIAL], &cursor);
    checksum = ads_cursor_u32(&cursor);
    sum_read(&intent->sums[ADS_INTENT_SENSITIVE], &cursor);
    if (ads_cursor_u32(&cursor) != 0 || !cursor.ok
        || intent->bits < ADS_INTENT_BITS_MIN
        || intent->bits > ADS_INTENT_BITS_MAX
        || !sum_check(&intent->sums[ADS_INTENT_COMMERCIAL])
        || !sum_check(&intent->sums[ADS_INTENT_SENSITIVE])
        || len
               != ADS_INTENT_HEADER_LEN
                      + ((size_t)ADS_INTENT_SUMS << intent->bits))
    {
        return ADS_DAMAGED;
    }

    crc = ads_crc32c(0, bytes, CRC_POS);
    crc = ads_crc32c(crc, (const uint8_t *)bytes + CRC_END, len - CRC_END);
    if (crc != checksum) {
        return ADS_DAMAGED;
    }
    intent->weights = (const void *)cursor.pos;
    return ADS_OK;
}


uint32_t
ads_intent_scale(uint32_t n)
{
    uint32_t square = (ADS_INTENT_USUAL << 16) / (n < 1 ? 1 : n);
    uint32_t root = 0;

    for (uint32_t bit = 1u << 11; bit > 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= square) {
            root += bit;
        }
    }
    return root;
}


/* |total| < 2^19, step <= 2^16 and a scale below 2^12: the product has room in
 * 64 bits, and a shift rounds down on every compiler we build with. */
static int32_t
sum_score(const struct ads_intent_sum *sum, int32_t total, uint32_t scale)
{
    int64_t score =
        sum->bias + ((int64_t)total * sum->step * (int64_t)scale >> 16);

    if (score > INT32_MAX) {
        return INT32_MAX;
    }
    return score < INT32_MIN ? INT32_MIN : (int32_t)score;
}


struct ads_intent_scores
ads_intent_score(const struct ads_intent *intent, struct ads_str query,
                 const struct ads_understood *understood)
{
    struct ads_intent_features features;
    unsigned shift = 32 - intent->bits;
    int32_t totals[ADS_INTENT_SUMS] = {0};
    struct ads_intent_scores scores;
    uint32_t scale;

    ads_intent_features(query, understood, &features);
    for (uint32_t i = 0; i < features.n; i++) {
        const int8_t *pair = intent->weights[features.hash[i] >> shift];

        totals[ADS_INTENT_COMMERCIAL] += pair[ADS_INTENT_COMMERCIAL];
        totals[ADS_INTENT_SENSITIVE] += pair[ADS_INTENT_SENSITIVE];
    }
    scale = ads_intent_scale(features.n);
    for (unsigned side = 0; side < ADS_INTENT_SUMS; side++) {
        scores.of[side] = sum_score(&intent->sums[side], totals[side], scale);
    }
    return scores;
}


bool
ads_intent_is(const struct ads_intent *intent, enum ads_intent_side side,
              int32_t score)
{
    return score >= intent->sums[side].threshold;
}
