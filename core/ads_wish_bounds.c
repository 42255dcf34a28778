/*
 * The price bounds of a request: "under $80", "bis 50 EUR".
 */
#include "ads_wish_parts.h"


static void
currency_read(struct ads_wish *wish, struct ads_str near)
{
    static const struct {
        const char *sign;
        const char *code;
    } signs[] = {{"\xe2\x82\xac", "EUR"}, {"\xc2\xa3", "GBP"}, {"$", "USD"},
                 {"eur", "EUR"},          {"usd", "USD"},      {"gbp", "GBP"},
                 {"pound", "GBP"},        {"dollar", "USD"},   {"buck", "USD"},
                 {"chf", "CHF"}};

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


/* An amount with the words around it becomes a bound. */
static void
bound_read(struct ads_wish *wish, const struct ads_scan *scan, uint32_t at)
{
    int64_t micros = scan->words[at].micros;
    uint32_t cues = ads_scan_cues(scan, ads_scan_back(at, 3), at);
    uint32_t behind = ads_scan_cues(scan, at + 1, at + 4);

    /* the first rule that holds: NOLINTBEGIN(bugprone-branch-clone) */
    if (ads_cue_has(cues, ADS_CUE_BETWEEN) && wish->least_micros < 0) {
        wish->least_micros = micros;
    } else if (wish->least_micros >= 0 && wish->most_micros < 0
               && ads_cue_has(cues, ADS_CUE_AND) && micros > wish->least_micros)
    {
        wish->most_micros = micros;
    } else if (ads_cue_has(cues, ADS_CUE_AROUND)) {
        wish->least_micros = micros / 2;
        wish->most_micros = micros / 4 * 5;
    } else if (ads_cue_has(cues, ADS_CUE_UNDER)
               || ads_cue_has(behind, ADS_CUE_UNDER))
    {
        wish->most_micros = micros;
    } else if (ads_cue_has(cues, ADS_CUE_OVER)) {
        wish->least_micros = micros;
    } else if (scan->words[at].kind == ADS_TEXT_PRICE) {
        wish->most_micros = micros / 4 * 5;
    }
    /* NOLINTEND(bugprone-branch-clone) */
}


/* Is a number without a sign of currency an amount: "under 80", "between 20
 * and 50 pounds"? */
static bool
is_bare_amount(const struct ads_scan *scan, uint32_t i)
{
    const struct ads_scan_word *next = &scan->words[i + 1];
    const uint32_t bounds =
        ADS_CUE_BIT(ADS_CUE_UNDER) | ADS_CUE_BIT(ADS_CUE_BETWEEN);
    uint32_t before = i > 0 ? scan->words[i - 1].cues : 0;
    bool second = i > 2 && ads_cue_has(before, ADS_CUE_AND)
                  && ads_cue_has(scan->words[i - 3].cues, ADS_CUE_BETWEEN);

    if (scan->words[i].kind != ADS_TEXT_NUMBER || scan->words[i].micros < 0
        || ((before & bounds) == 0 && !second))
    {
        return false;
    }
    return i + 1 == scan->n_words || next->kind != ADS_TEXT_LETTERS
           || next->gap == ADS_TEXT_BREAK
           || (next->cues & ~ADS_CUE_BIT(ADS_CUE_SET)) != 0
           || ads_str_is(ads_scan_bytes(scan, i + 1), "pound");
}


void
ads_wish_bounds_read(struct ads_wish *wish, const struct ads_scan *scan,
                     struct ads_str text)
{
    for (uint32_t i = 0; i < scan->n_words; i++) {
        const struct ads_scan_word *word = &scan->words[i];

        if ((word->micros >= 0 && word->kind == ADS_TEXT_PRICE)
            || is_bare_amount(scan, i))
        {
            size_t from = word->from > 4 ? word->from - 4 : 0;
            size_t to = word->to + 8 < text.len ? word->to + 8 : text.len;

            bound_read(wish, scan, i);
            currency_read(wish, (struct ads_str){text.ptr + from, to - from});
        }
    }
}
