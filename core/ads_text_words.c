/*
 * What words mean to matching: units, currencies, stop words, fillers, stems.
 * The lists are English; words of other languages pass through unchanged.
 */
#include "ads_text.h"


/* A unit as it is written after a number, and the one word it becomes. */
static const struct unit {
    const char *written;
    const char *word;
} units[] = {
    {"a", "amp"},        {"amp", "amp"},         {"amps", "amp"},
    {"cu", "cubic"},     {"cuft", "cubicfoot"},  {"feet", "foot"},
    {"foot", "foot"},    {"ft", "foot"},         {"ga", "gauge"},
    {"gal", "gallon"},   {"gallon", "gallon"},   {"gallons", "gallon"},
    {"gauge", "gauge"},  {"gb", "gb"},           {"gig", "gb"},
    {"ghz", "ghz"},      {"in", "inch"},         {"inch", "inch"},
    {"inches", "inch"},  {"kg", "kg"},           {"lb", "pound"},
    {"lbs", "pound"},    {"mah", "mah"},         {"mb", "mb"},
    {"mhz", "mhz"},      {"ml", "ml"},           {"mm", "mm"},
    {"cm", "cm"},        {"mp", "megapixel"},    {"ounce", "ounce"},
    {"ounces", "ounce"}, {"oz", "ounce"},        {"pack", "pack"},
    {"pc", "piece"},     {"pcs", "piece"},       {"piece", "piece"},
    {"pieces", "piece"}, {"pk", "pack"},         {"pound", "pound"},
    {"pounds", "pound"}, {"qt", "quart"},        {"quart", "quart"},
    {"sq", "square"},    {"sqft", "squarefoot"}, {"tb", "tb"},
    {"v", "volt"},       {"volt", "volt"},       {"volts", "volt"},
    {"w", "watt"},       {"watt", "watt"},       {"watts", "watt"},
    {"yard", "yard"},    {"yards", "yard"},      {"yd", "yard"},
};

static const char *const currencies[] = {
    "buck", "bucks", "dollar", "dollars", "eur", "euro", "euros", "gbp", "usd",
};


const char *
ads_text_unit(const char *bytes, size_t len)
{
    if (len > 7) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (strlen(units[i].written) == len
            && memcmp(units[i].written, bytes, len) == 0)
        {
            return units[i].word;
        }
    }
    return NULL;
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
static const char *const stops[] = {
    "a",     "am",    "an",   "and",  "are",   "as",    "at",   "be",
    "been",  "but",   "by",   "did",  "do",    "does",  "for",  "from",
    "had",   "has",   "have", "he",   "her",   "his",   "how",  "i",
    "if",    "in",    "into", "is",   "it",    "its",   "me",   "my",
    "of",    "on",    "or",   "our",  "she",   "so",    "than", "that",
    "the",   "their", "them", "then", "there", "these", "they", "this",
    "to",    "too",   "was",  "we",   "were",  "what",  "when", "where",
    "which", "while", "who",  "will", "with",  "would", "you",  "your",
};

static const char *const fillers[] = {
    "anyone",
    "around",
    "best",
    "better",
    "between",
    "budget",
    "buy",
    "buying",
    "can",
    "cheap",
    "cheapest",
    "could",
    "find",
    "get",
    "give",
    "good",
    "great",
    "help",
    "im",
    "ive",
    "know",
    "less",
    "like",
    "looking",
    "love",
    "need",
    "nice",
    "one",
    "please",
    "purchase",
    "recommend",
    "recommendation",
    "recommendations",
    "recommended",
    "shop",
    "should",
    "show",
    "some",
    "something",
    "store",
    "suggest",
    "suggestions",
    "tell",
    "top",
    "under",
    "want",
};


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


bool
ads_text_is_filler(struct ads_str word)
{
    return list_has(fillers, sizeof(fillers) / sizeof(*fillers), word);
}
