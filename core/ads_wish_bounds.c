/*
 * Parses the price bounds of a request: "under $80", "bis 50 EUR".
 */
#include "ads_amount.h"
#include "ads_wish_parts.h"

#define DENIAL_WORDS 8 /* between "not" and the amount, at most */


static void
currency_read(struct ads_wish *wish, struct ads_str near)
{
    static const struct {
        const char *sign;
        const char *code;
    } signs[] = {{"\xe2\x82\xac", "EUR"}, {"\xc2\xa3", "GBP"}, {"$", "USD"},
                 {"eur", "EUR"},          {"usd", "USD"},      {"gbp", "GBP"},
                 {"pound", "GBP"},        {"dollar", "USD"},   {"buck", "USD"},
                 {"chf", "CHF"},          {"quid", "GBP"}};

    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        size_t len = strlen(signs[i].sign);

        for (size_t at = 0; at + len <= near.len; at++) {
            size_t k = 0;

            while (k < len
                   && ads_char_lower(near.ptr[at + k]) == signs[i].sign[k]) {
                k++;
            }
            if (k == len) {
                memcpy(wish->currency, signs[i].code, 3);
                return;
            }
        }
    }
}


/* A number that is said, in words [from, to) with the name of a currency. */
struct amount {
    uint32_t from;
    uint32_t to;
    int64_t micros;
    bool money;
};


/* An amount with the words around it becomes a bound. */
static void
bound_read(struct ads_wish *wish, const struct ads_scan *scan,
           const struct amount *amount)
{
    uint32_t at = amount->from;
    uint32_t cues = ads_scan_cues(scan, ads_scan_back(at, 3), at);
    uint32_t before = ads_scan_cues(scan, ads_scan_back(at, 1), at);
    uint32_t behind = ads_scan_cues(scan, amount->to, amount->to + 3);
    int64_t micros = amount->micros;

    /* the first rule that holds: NOLINTBEGIN(bugprone-branch-clone) */
    if (ads_cue_has(cues, ADS_CUE_BETWEEN) && wish->least_micros < 0) {
        wish->least_micros = micros;
    } else if (wish->least_micros >= 0 && wish->most_micros < 0
               && ads_cue_has(cues, ADS_CUE_AND) && micros > wish->least_micros)
    {
        wish->most_micros = micros;
    } else if (ads_cue_has(cues, ADS_CUE_AROUND)) {
        wish->most_micros = micros / 4 * 5; /* less is as welcome */
    } else if (ads_cue_has(cues, ADS_CUE_UNDER)
               || ads_cue_has(behind, ADS_CUE_UNDER)
               || (ads_cue_has(cues, ADS_CUE_OVER)
                   && ads_scan_denied(scan, at, DENIAL_WORDS)))
    {
        wish->most_micros = micros;
    } else if (ads_cue_has(before, ADS_CUE_OVER)
               || ads_cue_has(behind, ADS_CUE_OVER))
    {
        wish->least_micros = micros;
    } else if (amount->money) {
        wish->most_micros = micros / 4 * 5;
    }
    /* NOLINTEND(bugprone-branch-clone) */
}


/* May an amount end before the word?  What is counted, "up to 40 sheets", may
 * not follow it. */
static bool
may_end(const struct ads_scan *scan, uint32_t i)
{
    static const char *const followers[] = {
        "altogether", "all",        "total",  "kosten",    "kostet", "ausgeben",
        "zahlen",     "bezahlen",   "sein",   "insgesamt", "bitte",  "danke",
        "please",     "pls",        "thanks", "would",     "is",     "if",
        "wenn",       "si",         "oder",   "or",        "ou",     "o",
        "et",         "y",          "und",    "en",        "para",   "pour",
        "por",        "ttc",        "it",     "on",        "tops",   "max",
        "ideally",    "preferably", "only",   "but",       "aber",   "mais",
        "pero",       "so",         "that",   "piece",
    };
    const struct ads_scan_word *word = &scan->words[i];

    if (i >= scan->n_words || word->kind != ADS_TEXT_LETTERS
        || word->gap == ADS_TEXT_BREAK || word->ends
        || (word->cues & ~ADS_CUE_BIT(ADS_CUE_SET)) != 0)
    {
        return true;
    }
    return ads_str_is_one_of(ads_scan_bytes(scan, i), followers,
                             sizeof(followers) / sizeof(*followers));
}


static bool
is_number(const struct ads_scan *scan, uint32_t i)
{
    return i < scan->n_words && scan->words[i].micros >= 0;
}


/* Is a number that no currency is said of an amount: "under 80", "between 20
 * and 50", "80 max", "shouldn't be more than 130"? */
static bool
is_bare_amount(const struct ads_scan *scan, const struct amount *amount)
{
    const uint32_t bounds =
        ADS_CUE_BIT(ADS_CUE_UNDER) | ADS_CUE_BIT(ADS_CUE_BETWEEN);
    uint32_t at = amount->from;
    uint32_t before = ads_scan_cues(scan, ads_scan_back(at, 1), at);
    bool second = at > 2 && ads_cue_has(before, ADS_CUE_AND)
                  && ads_cue_has(scan->words[at - 3].cues, ADS_CUE_BETWEEN);
    bool denied = ads_cue_has(before, ADS_CUE_OVER)
                  && ads_scan_denied(scan, at, DENIAL_WORDS);
    bool limited = amount->to < scan->n_words
                   && ads_cue_has(scan->words[amount->to].cues, ADS_CUE_UNDER)
                   && !is_number(scan, amount->to + 1); /* "8 bis 12 Zoll" */

    return ((before & bounds) != 0 || second || denied || limited)
           && may_end(scan, amount->to);
}


/* Reads the amount that begins at word i; false: none does. */
static bool
amount_read(const struct ads_scan *scan, uint32_t i, struct amount *amount)
{
    uint32_t n = ads_amount_read(scan, i, &amount->micros);

    if (n == 0) {
        return false;
    }
    /* "a hundred" */
    amount->from =
        i > 0 && ads_str_is(ads_scan_bytes(scan, i - 1), "a") ? i - 1 : i;
    amount->to = i + n;
    amount->money = scan->words[i].kind == ADS_TEXT_PRICE;
    while (amount->to < scan->n_words
           && scan->words[amount->to].gap != ADS_TEXT_BREAK
           && ads_amount_is_currency(ads_scan_bytes(scan, amount->to)))
    {
        amount->money = true;
        amount->to++;
    }
    return amount->money || is_bare_amount(scan, amount);
}


void
ads_wish_bounds_read(struct ads_wish *wish, const struct ads_scan *scan,
                     struct ads_str text)
{
    for (uint32_t i = 0; i < scan->n_words;) {
        struct amount amount;

        if (amount_read(scan, i, &amount)) {
            const struct ads_scan_word *last = &scan->words[amount.to - 1];
            uint32_t from = scan->words[i].from;
            size_t to = last->to + 8u < text.len ? last->to + 8u : text.len;

            if (wish->n_bounds < ADS_WISH_BOUNDS) {
                wish->bounds[wish->n_bounds].from = (uint16_t)amount.from;
                wish->bounds[wish->n_bounds++].to = (uint16_t)amount.to;
            }
            from = from > 4 ? from - 4 : 0;
            bound_read(wish, scan, &amount);
            currency_read(wish, (struct ads_str){text.ptr + from, to - from});
            i = amount.to;
        } else {
            i++;
        }
    }
}
