/*
 * Reads amounts of money, in digits and in words.
 *
 * Digits are read as written; number words by a table of what each word does to
 * the sum so far.
 */
#include "ads_amount.h"

#define MICROS 1000000
#define LEAST 10 /* of a number in words */

/* What a word does: it adds, or it multiplies what stands before it.  English,
 * German (longer ones are taken apart), French and Spanish; sorted. */
static const struct numeral {
    char word[16];
    int16_t value;
    bool times;
} numerals[] = {
    {"acht", 8, false},          {"achtzig", 80, false},
    {"cent", 100, true},         {"cents", 100, true},
    {"cien", 100, true},         {"ciento", 100, true},
    {"cinco", 5, false},         {"cincuenta", 50, false},
    {"cinq", 5, false},          {"cinquante", 50, false},
    {"couple", 2, false},        {"cuarenta", 40, false},
    {"cuatro", 4, false},        {"cuatrocientos", 400, false},
    {"deux", 2, false},          {"diez", 10, false},
    {"dix", 10, false},          {"dos", 2, false},
    {"doscientos", 200, false},  {"drei", 3, false},
    {"dreissig", 30, false},     {"eight", 8, false},
    {"eighty", 80, false},       {"fifteen", 15, false},
    {"fifty", 50, false},        {"five", 5, false},
    {"forty", 40, false},        {"four", 4, false},
    {"fourty", 40, false},       {"fuenfzig", 50, false},
    {"funf", 5, false},          {"funfzehn", 15, false},
    {"funfzig", 50, false},      {"grand", 1000, true},
    {"huit", 8, false},          {"hundert", 100, true},
    {"hundred", 100, true},      {"mil", 1000, true},
    {"mille", 1000, true},       {"neuf", 9, false},
    {"neun", 9, false},          {"neunzig", 90, false},
    {"nine", 9, false},          {"ninety", 90, false},
    {"novecientos", 900, false}, {"noventa", 90, false},
    {"nueve", 9, false},         {"ochenta", 80, false},
    {"ocho", 8, false},          {"ochocientos", 800, false},
    {"quarante", 40, false},     {"quatre", 4, false},
    {"quince", 15, false},       {"quinientos", 500, false},
    {"quinze", 15, false},       {"sechs", 6, false},
    {"sechzig", 60, false},      {"seis", 6, false},
    {"seiscientos", 600, false}, {"sept", 7, false},
    {"sesenta", 60, false},      {"setecientos", 700, false},
    {"setenta", 70, false},      {"seven", 7, false},
    {"seventy", 70, false},      {"sieben", 7, false},
    {"siebzig", 70, false},      {"siete", 7, false},
    {"six", 6, false},           {"sixty", 60, false},
    {"soixante", 60, false},     {"tausend", 1000, true},
    {"ten", 10, false},          {"thirty", 30, false},
    {"thousand", 1000, true},    {"three", 3, false},
    {"treinta", 30, false},      {"trente", 30, false},
    {"tres", 3, false},          {"trescientos", 300, false},
    {"trois", 3, false},         {"twelve", 12, false},
    {"twenty", 20, false},       {"two", 2, false},
    {"veinte", 20, false},       {"vier", 4, false},
    {"vierzig", 40, false},      {"vingt", 20, false},
    {"vingts", 20, false},       {"zehn", 10, false},
    {"zwanzig", 20, false},      {"zwei", 2, false},
    {"zwolf", 12, false},
};

static const char *const currencies[] = {
    "balles", "buck",    "bucks",  "chf",    "dolar", "dolares",
    "dollar", "dollars", "eur",    "euro",   "euros", "franken",
    "gbp",    "libras",  "livres", "mark",   "pavos", "piepen",
    "pound",  "pounds",  "quid",   "tacken", "usd",
};

static const char *const joints[] = {"and", "und", "et", "y"};


bool
ads_amount_is_currency(struct ads_str word)
{
    return ads_str_is_one_of(word, currencies,
                             sizeof(currencies) / sizeof(*currencies));
}


static const struct numeral *
numeral_find(struct ads_str word)
{
    size_t low = 0, high = sizeof(numerals) / sizeof(*numerals);

    if (word.len < 3 || word.len >= sizeof(numerals->word)) {
        return NULL;
    }
    while (low < high) {
        size_t mid = (low + high) / 2;
        int by = strncmp(numerals[mid].word, word.ptr, word.len);

        if (by == 0 && numerals[mid].word[word.len] == '\0') {
            return &numerals[mid];
        }
        if (by < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return NULL;
}


/* What a word adds to the sum so far; false: no numeral, or too much. */
static bool
numeral_add(struct ads_str word, int64_t *sum)
{
    const struct numeral *numeral = numeral_find(word);
    int64_t low = *sum % 1000;

    if (numeral == NULL) {
        return false;
    }
    if (!numeral->times) {
        /* "quatre vingts" */
        *sum = low == 4 && numeral->value == 20 ? *sum + 76
                                                : *sum + numeral->value;
    } else if (numeral->value == 100) {
        *sum += low == 0 ? 100 : 99 * low;
    } else {
        *sum = *sum == 0 ? 1000 : *sum * 1000;
    }
    return *sum <= ADS_AMOUNT_MOST;
}


/* The longest numeral that the word begins with; NULL: none. */
static const struct numeral *
numeral_begin(struct ads_str word)
{
    const struct numeral *numeral = NULL;

    for (; word.len > 2 && numeral == NULL; word.len--) {
        numeral = numeral_find(word);
    }
    return numeral;
}


static bool
ends_with(struct ads_str word, const char *end)
{
    size_t len = strlen(end);

    return word.len > len && memcmp(word.ptr + word.len - len, end, len) == 0;
}


/* A German numeral is one word: "zweihundertfunfzig", "funfunddreissig". */
static bool
compound_add(struct ads_str word, int64_t *sum)
{
    int64_t value = 0;

    if (!ends_with(word, "zig") && !ends_with(word, "ssig")
        && !ends_with(word, "hundert") && !ends_with(word, "tausend"))
    {
        return false;
    }
    while (word.len > 0) {
        const struct numeral *numeral = numeral_begin(word);
        size_t len = numeral == NULL ? 0 : strlen(numeral->word);

        if (numeral == NULL
            || !numeral_add((struct ads_str){word.ptr, len}, &value)) {
            return false;
        }
        word = ads_str_tail(word, len);
        if (word.len > 3 && memcmp(word.ptr, "und", 3) == 0) {
            word = ads_str_tail(word, 3);
        }
    }
    *sum += value;
    return *sum <= ADS_AMOUNT_MOST;
}


/* Three digits behind a point are thousands: there is no tenth of a cent. */
static int64_t
thousands_of(struct ads_str digits, int64_t micros)
{
    const char *point = memchr(digits.ptr, '.', digits.len);

    return point != NULL && point != digits.ptr
                   && point + 4 == digits.ptr + digits.len
               ? micros * 1000
               : micros;
}


/* "2k", "1k" */
static bool
kilo_read(struct ads_str word, int64_t *micros)
{
    int64_t value = 0;

    if (word.len < 2 || word.len > 4 || word.ptr[word.len - 1] != 'k') {
        return false;
    }
    for (size_t i = 0; i + 1 < word.len; i++) {
        if (!ads_char_is_digit(word.ptr[i])) {
            return false;
        }
        value = 10 * value + (word.ptr[i] - '0');
    }
    *micros = value * 1000 * MICROS;
    return true;
}


/* Is word i only what joins two numerals: "hundred and fifty"? */
static bool
is_joint(const struct ads_scan *scan, uint32_t i)
{
    return i + 1 < scan->n_words
           && ads_str_is_one_of(ads_scan_bytes(scan, i), joints,
                                sizeof(joints) / sizeof(*joints))
           && numeral_find(ads_scan_bytes(scan, i + 1)) != NULL;
}


uint32_t
ads_amount_read(const struct ads_scan *scan, uint32_t i, int64_t *micros)
{
    struct ads_str word = ads_scan_bytes(scan, i);
    int64_t sum = 0;
    uint32_t n = 0;

    if (scan->words[i].micros >= 0) {
        *micros = thousands_of(word, scan->words[i].micros);
        return 1;
    }
    if (kilo_read(word, micros)) {
        return 1;
    }
    for (; i + n < scan->n_words; n++) {
        word = ads_scan_bytes(scan, i + n);
        if ((n > 0 && scan->words[i + n].gap == ADS_TEXT_BREAK)
            || !(numeral_add(word, &sum) || compound_add(word, &sum)
                 || (n > 0 && is_joint(scan, i + n))))
        {
            break;
        }
    }
    *micros = sum * MICROS;
    return sum < LEAST || sum > ADS_AMOUNT_MOST ? 0 : n;
}
