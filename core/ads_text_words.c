/*
 * What words mean to matching: units, currencies, stop words, fillers, stems.
 * The lists are English; words of other languages pass through unchanged.
 */
#include "ads_text.h"


/* A unit as it is written after a number, and the one word it becomes.
 * Sorted: a binary search relies on it. */
static const struct unit {
    char written[8];
    const char *word;
    bool alone; /* means nothing else where no number stands before it */
} units[] = {
    {"a", "amp", false},         {"amp", "amp", false},
    {"amps", "amp", true},       {"cm", "cm", false},
    {"cu", "cubic", false},      {"cuft", "cubicfoot", true},
    {"feet", "foot", true},      {"foot", "foot", false},
    {"ft", "foot", true},        {"ga", "gauge", false},
    {"gal", "gallon", true},     {"gallon", "gallon", false},
    {"gallons", "gallon", true}, {"gauge", "gauge", false},
    {"gb", "gb", false},         {"ghz", "ghz", true},
    {"gig", "gb", false},        {"in", "inch", false},
    {"inch", "inch", false},     {"inches", "inch", true},
    {"kg", "kg", false},         {"lb", "pound", true},
    {"lbs", "pound", true},      {"mah", "mah", false},
    {"mb", "mb", false},         {"mhz", "mhz", false},
    {"ml", "ml", false},         {"mm", "mm", false},
    {"mp", "megapixel", false},  {"ounce", "ounce", false},
    {"ounces", "ounce", true},   {"oz", "ounce", true},
    {"pack", "pack", false},     {"pc", "piece", false},
    {"pcs", "piece", true},      {"piece", "piece", false},
    {"pieces", "piece", false},  {"pk", "pack", true},
    {"pound", "pound", false},   {"pounds", "pound", true},
    {"qt", "quart", true},       {"quart", "quart", false},
    {"sq", "square", false},     {"sqft", "squarefoot", true},
    {"tb", "tb", false},         {"v", "volt", false},
    {"volt", "volt", false},     {"volts", "volt", true},
    {"w", "watt", false},        {"watt", "watt", false},
    {"watts", "watt", true},     {"yard", "yard", false},
    {"yards", "yard", true},     {"yd", "yard", true},
};

static const char *const currencies[] = {
    "buck", "bucks", "dollar", "dollars", "eur", "euro", "euros", "gbp", "usd",
};


/* Eight bytes as a number that sorts as they do. */
static uint64_t
rank_of(const char bytes[8])
{
    const uint8_t *at = (const uint8_t *)bytes;

    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40
           | (uint64_t)at[3] << 32 | (uint64_t)at[4] << 24
           | (uint64_t)at[5] << 16 | (uint64_t)at[6] << 8 | at[7];
}


const char *
ads_text_unit(const char *bytes, size_t len, bool alone)
{
    size_t low = 0, high = sizeof(units) / sizeof(*units);
    char word[8] = {0};
    uint64_t rank;

    if (len >= sizeof(word)) {
        return NULL;
    }
    memcpy(word, bytes, len);
    rank = rank_of(word);
    while (low < high) {
        size_t mid = (low + high) / 2;

        if (rank_of(units[mid].written) < rank) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low == sizeof(units) / sizeof(*units)
        || rank_of(units[low].written) != rank || (alone && !units[low].alone))
    {
        return NULL;
    }
    return units[low].word;
}


bool
ads_text_is_currency(const char *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(currencies) / sizeof(*currencies); i++) {
        if (strlen(currencies[i]) == len
            && memcmp(currencies[i], bytes, len) == 0) {
            return true;
        }
    }
    return false;
}


struct ads_str
ads_text_stem(const struct ads_text *text, const struct ads_text_word *word)
{
    struct ads_str stem = {.ptr = word->bytes, .len = word->len};
    const sb_symbol *bytes;

    if (text->stemmer == NULL || word->kind != ADS_TEXT_LETTERS) {
        return stem;
    }

    bytes = sb_stemmer_stem(text->stemmer, (const sb_symbol *)word->bytes,
                            word->len);
    if (bytes != NULL) { /* NULL: the library found no memory */
        stem.ptr = (const char *)bytes;
        stem.len = (size_t)sb_stemmer_length(text->stemmer);
    }
    return stem;
}


/* Sorted: a binary search relies on it. */
/* clang-format off */
static const char *const stops[] = {
    "a", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "but", "by", "did", "do", "does", "for", "from", "had", "has",
    "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "me", "my", "of", "on", "or", "our", "really", "she", "so",
    "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "to", "too", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "will", "with", "would", "you", "your",
};

static const char *const wishes[] = {
    "anyone", "buying", "cheapest", "could", "expensive", "help", "im", "ive",
    "looking", "need", "needs", "please", "purchase", "purchasing", "rated",
    "recommend", "recommendation", "recommendations", "recommended",
    "recommending", "should", "suggest", "suggestion", "suggestions", "tell",
    "want", "wants", "wondering",
};

static const char *const tails[] = {
    "cost", "costs", "coupon", "coupons", "deal", "deals", "discount",
    "discounts", "idea", "ideas", "online", "price", "prices", "rating",
    "ratings", "review", "reviews", "sale", "sales",
};

static const char *const fillers[] = {
    "about", "around", "below", "best", "better", "between", "budget", "buy",
    "can", "cheap", "find", "get", "getting", "give", "good", "great", "know",
    "less", "like", "love", "nice", "one", "over", "shop", "show", "some",
    "something", "store", "under", "use", "using",
};
/* clang-format on */


static bool
list_has(const char *const *list, size_t n, struct ads_str word)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t mid = (low + high) / 2;
        int order = strncmp(word.ptr, list[mid], word.len);

        if (order == 0 && list[mid][word.len] != '\0') {
            order = -1;
        }
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return false;
}


bool
ads_text_is_stop(struct ads_str word)
{
    return list_has(stops, sizeof(stops) / sizeof(*stops), word);
}


enum ads_text_filler
ads_text_filler(struct ads_str word)
{
    if (list_has(wishes, sizeof(wishes) / sizeof(*wishes), word)) {
        return ADS_TEXT_WISH;
    }
    if (list_has(tails, sizeof(tails) / sizeof(*tails), word)) {
        return ADS_TEXT_TAIL;
    }
    return list_has(fillers, sizeof(fillers) / sizeof(*fillers), word)
               ? ADS_TEXT_FILLER
               : ADS_TEXT_CONTENT;
}
