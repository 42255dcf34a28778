/*
 * Word lists of the tokeniser: units, currencies, stop words, fillers, stems.
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
    {"a", "amp", false},           {"amp", "amp", false},
    {"amps", "amp", true},         {"bay", "bay", false},
    {"bays", "bay", false},        {"blatt", "sheet", false},
    {"btu", "btu", false},         {"btus", "btu", false},
    {"cm", "cm", false},           {"cu", "cubic", false},
    {"cuft", "cubicfoot", true},   {"cup", "cup", false},
    {"cups", "cup", false},        {"dpi", "dpi", false},
    {"feet", "foot", true},        {"feuilles", "sheet", false},
    {"foot", "foot", false},       {"ft", "foot", true},
    {"ga", "gauge", false},        {"gal", "gallon", true},
    {"gallon", "gallon", false},   {"gallons", "gallon", true},
    {"gauge", "gauge", false},     {"gb", "gb", false},
    {"gbps", "gbps", false},       {"ghz", "ghz", true},
    {"gig", "gb", false},          {"gigabyte", "gb", true},
    {"gigas", "gb", false},        {"gigs", "gb", false},
    {"go", "gb", false},           {"hojas", "sheet", false},
    {"hz", "hz", false},           {"in", "inch", false},
    {"inch", "inch", false},       {"inches", "inch", true},
    {"kg", "kg", false},           {"l", "liter", false},
    {"lb", "pound", true},         {"lbs", "pound", true},
    {"liter", "liter", false},     {"liters", "liter", false},
    {"litre", "liter", false},     {"litres", "liter", false},
    {"litros", "liter", false},    {"lumen", "lumen", false},
    {"lumenes", "lumen", true},    {"lumens", "lumen", true},
    {"m", "meter", false},         {"mah", "mah", false},
    {"mb", "mb", false},           {"mbps", "mbps", false},
    {"meter", "meter", false},     {"meters", "meter", false},
    {"metre", "meter", false},     {"metres", "meter", false},
    {"metros", "meter", false},    {"mhz", "mhz", false},
    {"ml", "ml", false},           {"mm", "mm", false},
    {"mp", "megapixel", false},    {"ounce", "ounce", false},
    {"ounces", "ounce", true},     {"outlet", "outlet", false},
    {"outlets", "outlet", false},  {"oz", "ounce", true},
    {"pack", "pack", false},       {"page", "page", false},
    {"pages", "page", false},      {"pc", "piece", false},
    {"pcs", "piece", true},        {"people", "person", false},
    {"person", "person", false},   {"personas", "person", false},
    {"personen", "person", false}, {"persons", "person", false},
    {"piece", "piece", false},     {"pieces", "piece", false},
    {"piezas", "piece", false},    {"pk", "pack", true},
    {"port", "port", false},       {"ports", "port", false},
    {"pouce", "inch", false},      {"pouces", "inch", false},
    {"pound", "pound", false},     {"pounds", "pound", true},
    {"pulgada", "inch", true},     {"pulgadas", "inch", true},
    {"qt", "quart", true},         {"quart", "quart", false},
    {"rpm", "rpm", false},         {"sheet", "sheet", false},
    {"sheets", "sheet", false},    {"slot", "slot", false},
    {"slots", "slot", false},      {"sq", "square", false},
    {"sqft", "squarefoot", true},  {"tassen", "cup", false},
    {"tasses", "cup", false},      {"tazas", "cup", false},
    {"tb", "tb", false},           {"teile", "piece", false},
    {"teilen", "piece", false},    {"teilig", "piece", false},
    {"tera", "tb", false},         {"terabyte", "tb", true},
    {"v", "volt", false},          {"va", "va", false},
    {"volt", "volt", false},       {"volts", "volt", true},
    {"w", "watt", false},          {"watt", "watt", false},
    {"watts", "watt", true},       {"yard", "yard", false},
    {"yards", "yard", true},       {"yd", "yard", true},
    {"zoll", "inch", false},
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

    if (len > sizeof(word)) {
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
        if (ads_str_is((struct ads_str){bytes, len}, currencies[i])) {
            return true;
        }
    }
    return false;
}


bool
ads_text_is_count(struct ads_str word)
{
    static const char *const behind[] = {
        "st", "nd", "rd",  "th",   "yo",  "yr",    "yrs", "ish",
        "am", "pm", "hrs", "mths", "ans", "jahre", "eme", "ere",
    };
    size_t digits = 0;

    while (digits < word.len && ads_char_is_digit(word.ptr[digits])) {
        digits++;
    }
    return digits > 0 && digits < 4
           && ads_str_is_one_of(ads_str_tail(word, digits), behind,
                                sizeof(behind) / sizeof(*behind));
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


#define STOP ADS_TEXT_STOP
#define FILLER ADS_TEXT_FILLER
#define TAIL ADS_TEXT_TAIL
#define WISH ADS_TEXT_WISH

/* The words that say little or nothing, sorted: the search relies on it. */
/* clang-format off */
static const struct filler {
    char text[16];
    enum ads_text_filler kind;
} fillers[] = {
    {"a", STOP}, {"about", FILLER}, {"also", STOP}, {"am", STOP}, {"an", STOP},
    {"and", STOP}, {"any", STOP}, {"anyone", WISH}, {"are", STOP},
    {"around", FILLER}, {"as", STOP}, {"at", STOP}, {"be", STOP},
    {"because", STOP}, {"been", STOP}, {"below", FILLER}, {"best", FILLER},
    {"better", FILLER}, {"between", FILLER}, {"budget", FILLER}, {"but", STOP},
    {"buy", FILLER}, {"buying", WISH}, {"by", STOP}, {"can", FILLER},
    {"cheap", FILLER}, {"cheapest", WISH}, {"cost", TAIL}, {"costs", TAIL},
    {"could", WISH}, {"coupon", TAIL}, {"coupons", TAIL}, {"deal", TAIL},
    {"deals", TAIL}, {"did", STOP}, {"discount", TAIL}, {"discounts", TAIL},
    {"do", STOP}, {"does", STOP}, {"expensive", WISH}, {"find", FILLER},
    {"for", STOP}, {"from", STOP}, {"get", FILLER}, {"getting", FILLER},
    {"give", FILLER}, {"good", FILLER}, {"great", FILLER}, {"had", STOP},
    {"has", STOP}, {"have", STOP}, {"he", STOP}, {"help", WISH}, {"her", STOP},
    {"his", STOP}, {"how", STOP}, {"i", STOP}, {"idea", TAIL}, {"ideas", TAIL},
    {"if", STOP}, {"im", WISH}, {"in", STOP}, {"into", STOP}, {"is", STOP},
    {"it", STOP}, {"its", STOP}, {"ive", WISH}, {"just", STOP},
    {"know", FILLER}, {"less", FILLER}, {"like", FILLER}, {"looking", WISH},
    {"love", FILLER}, {"me", STOP}, {"my", STOP}, {"need", WISH},
    {"needs", WISH}, {"nice", FILLER}, {"of", STOP}, {"on", STOP},
    {"one", FILLER}, {"online", TAIL}, {"or", STOP}, {"our", STOP},
    {"over", FILLER}, {"please", WISH}, {"price", TAIL}, {"prices", TAIL},
    {"purchase", WISH}, {"purchasing", WISH}, {"rated", WISH}, {"rating", TAIL},
    {"ratings", TAIL}, {"really", STOP}, {"recommend", WISH},
    {"recommendation", WISH}, {"recommendations", WISH}, {"recommended", WISH},
    {"recommending", WISH}, {"review", TAIL}, {"reviews", TAIL}, {"sale", TAIL},
    {"sales", TAIL}, {"she", STOP}, {"shop", FILLER}, {"should", WISH},
    {"show", FILLER}, {"so", STOP}, {"some", FILLER}, {"something", FILLER},
    {"store", FILLER}, {"suggest", WISH}, {"suggestion", WISH},
    {"suggestions", WISH}, {"tell", WISH}, {"than", STOP}, {"that", STOP},
    {"the", STOP}, {"their", STOP}, {"them", STOP}, {"then", STOP},
    {"there", STOP}, {"these", STOP}, {"they", STOP}, {"this", STOP},
    {"to", STOP}, {"too", STOP}, {"under", FILLER}, {"use", FILLER},
    {"using", FILLER}, {"want", WISH}, {"wants", WISH}, {"was", STOP},
    {"we", STOP}, {"were", STOP}, {"what", STOP}, {"when", STOP},
    {"where", STOP}, {"which", STOP}, {"while", STOP}, {"who", STOP},
    {"will", STOP}, {"with", STOP}, {"wondering", WISH}, {"would", STOP},
    {"you", STOP}, {"your", STOP},
};
/* clang-format on */

#define N_FILLERS (sizeof(fillers) / sizeof(fillers[0]))


enum ads_text_filler
ads_text_filler(struct ads_str word)
{
    char text[sizeof(fillers[0].text)] = {0};
    uint64_t rank;
    size_t at = 0;

    if (word.len == 0 || word.len >= sizeof(text)) {
        return ADS_TEXT_CONTENT;
    }
    memcpy(text, word.ptr, word.len);
    rank = rank_of(text);

    /* halves without a branch that the processor would have to guess */
    for (size_t n = N_FILLERS; n > 0;) {
        size_t half = (n + 1) / 2;

        at += rank_of(fillers[at + half - 1].text) < rank ? half : 0;
        n -= half;
    }
    for (; at < N_FILLERS && rank_of(fillers[at].text) == rank; at++) {
        if (memcmp(fillers[at].text, text, sizeof(text)) == 0) {
            return fillers[at].kind;
        }
    }
    return ADS_TEXT_CONTENT;
}
