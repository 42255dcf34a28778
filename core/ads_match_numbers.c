/*
 * Numbers and model names in a query: how products write them otherwise, and
 * which numbers are within a limit.
 */
#include "ads_match_words.h"

#define NUMBER_REACH 3   /* words from a number to its unit */
#define PAIRED 32        /* more than term_often() says */
#define LIMIT_PROBES 512 /* numbers that are looked up for one query */
#define LIMIT_REACH 5    /* "at least 10" is met by 50, "at most 50" by 10 */


/* Adds the two terms of a word that is written as two; false: no product has
 * both. */
static bool
two_add(const struct ads_match_reading *reading, struct ads_str first,
        struct ads_str second, struct ads_match_group *group)
{
    const struct ads_index *index = reading->index;
    uint32_t one = ads_match_term_find(index, first);
    uint32_t other = ads_match_term_find(index, second);

    if (one == ADS_INDEX_NONE || other == ADS_INDEX_NONE
        || ads_index_pair_find(index, one, other) == 0)
    {
        return false;
    }
    ads_match_alternative_add(group, one, other, ADS_MATCH_WHOLE);
    group->idf = ads_match_term_idf(index, other) > group->idf
                     ? ads_match_term_idf(index, other)
                     : group->idf;
    return true;
}


bool
ads_match_model_guess(const struct ads_match_reading *reading,
                      const struct ads_match_token *token,
                      struct ads_match_group *group)
{
    static const char *const behind[] = {"", "bk", "c", "m", "y", "xl", "n"};
    struct ads_str word = ads_match_token_bytes(token);
    char bytes[ADS_TEXT_WORD_MAX + 4];
    bool found = false;
    size_t letters = 0;

    while (letters < word.len && ads_char_is_letter(word.ptr[letters])) {
        letters++;
    }
    if (letters == word.len || word.len > ADS_TEXT_WORD_MAX) {
        return false;
    }
    memcpy(bytes, word.ptr, word.len);
    for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
        size_t len = word.len + strlen(behind[i]);
        uint32_t term;

        memcpy(bytes + word.len, behind[i], strlen(behind[i]));
        term =
            ads_match_term_find(reading->index, (struct ads_str){bytes, len});
        if (term != ADS_INDEX_NONE) {
            ads_match_alternative_add(group, term, ADS_INDEX_NONE,
                                      ADS_MATCH_WHOLE);
            group->idf = ads_match_term_idf(reading->index, term);
            found = true;
        }
        if (letters > 0) {
            found |= two_add(reading, (struct ads_str){bytes, letters},
                             (struct ads_str){bytes + letters, len - letters},
                             group);
        }
    }
    return found;
}


/* A number of terabytes is written in gigabytes, too: 1 TB is 1000 GB or 1024.
 * Adds what stands for word i, the number or the unit. */
static void
terabytes_widen(const struct ads_match_reading *reading, uint32_t i,
                struct ads_match_group *group)
{
    static const char *const more[][2] = {{"1000", "1024"}, {"2000", "2048"}};
    const struct ads_match_token *token = &reading->tokens[i];
    uint32_t n = reading->query->n_words;

    if (token->text.kind == ADS_TEXT_NUMBER && token->text.len == 1
        && (token->text.bytes[0] == '1' || token->text.bytes[0] == '2')
        && i + 1 < n && token[1].follows
        && ads_str_is(ads_match_token_bytes(token + 1), "tb"))
    {
        for (int k = 0; k < 2; k++) {
            const char *number = more[token->text.bytes[0] - '1'][k];
            uint32_t term = ads_match_term_find(reading->index,
                                                (struct ads_str){number, 4});

            if (term != ADS_INDEX_NONE) {
                ads_match_alternative_add(group, term, ADS_INDEX_NONE,
                                          ADS_MATCH_WHOLE);
            }
        }
    } else if (i > 0 && token->follows
               && ads_str_is(ads_match_token_bytes(token), "tb")
               && token[-1].text.kind == ADS_TEXT_NUMBER)
    {
        uint32_t term = ads_match_term_find(reading->index, ADS_STR("gb"));

        if (term != ADS_INDEX_NONE) {
            ads_match_alternative_add(group, term, ADS_INDEX_NONE,
                                      ADS_MATCH_WHOLE);
        }
    }
}


/* The whole part of the number that a token is; 0: none, or a huge one. */
static int64_t
number_of(const struct ads_match_token *token)
{
    struct ads_str digits = ads_match_token_bytes(token);
    int64_t whole = 0;
    bool point = false;

    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] == '.' && !point) {
            point = true;
        } else if (!ads_char_is_digit(digits.ptr[i]) || digits.len >= 10) {
            return 0;
        } else if (!point) {
            whole = 10 * whole + (digits.ptr[i] - '0');
        }
    }
    return whole;
}


const struct ads_match_token *
ads_match_unit(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_query *query = reading->query;

    for (uint32_t k = i + 1; k < query->n_words && k <= i + NUMBER_REACH; k++) {
        const struct ads_match_token *token = &reading->tokens[k];

        if (token->text.kind == ADS_TEXT_LETTERS) {
            return ads_text_unit(token->text.bytes, token->text.len, false)
                           != NULL
                       ? token
                       : NULL;
        }
    }
    return NULL;
}


/* How many products have the term, as 1 + log2. */
static uint32_t
term_often(const struct ads_index *index, uint32_t term)
{
    uint32_t n = ads_index_term_peek(index, term)->n;

    return 32 - (uint32_t)__builtin_clz(n | 1);
}


/* Adds the number in the place of one that fewer titles have before the unit,
 * or at all; it is looked for in titles in any case. */
static void
limit_add(const struct ads_match_reading *reading,
          const struct ads_match_token *unit, int64_t value,
          struct ads_match_group *group, uint32_t often[ADS_MATCH_ALTERNATIVES])
{
    struct ads_match_query *query = reading->query;
    char digits[24];
    struct ads_str bytes = {digits, 0};
    uint32_t term, n, at = 0;

    for (int64_t rest = value; rest > 0 || bytes.len == 0; rest /= 10) {
        memmove(digits + 1, digits, bytes.len++);
        digits[0] = (char)('0' + rest % 10);
    }
    term = ads_match_term_find(reading->index, bytes);
    if (term == ADS_INDEX_NONE || unit->term == ADS_INDEX_NONE) {
        return;
    }
    if (query->n_within < ADS_MATCH_WITHIN) {
        query->within[query->n_within++] =
            (struct ads_match_within){term, group->word};
    }
    n = ads_index_pair_find(reading->index, term, unit->term);
    n = n > 0 ? PAIRED + n : term_often(reading->index, term);
    if (group->n_alternatives < ADS_MATCH_ALTERNATIVES) {
        at = group->n_alternatives++;
    } else {
        for (uint32_t i = 1; i < ADS_MATCH_ALTERNATIVES; i++) {
            at = often[i] < often[at] ? i : at;
        }
        if (often[at] >= n) {
            return;
        }
    }
    often[at] = n;
    group->alternatives[at] =
        (struct ads_match_alternative){term, ADS_INDEX_NONE, ADS_MATCH_WHOLE};
    if (group->idf == 0
        || ads_match_term_idf(reading->index, term) < group->idf) {
        group->idf = ads_match_term_idf(reading->index, term);
    }
}


/* Of a number that is a limit: the numbers within it that titles have most
 * often before the unit.  Round ones, each a tenth or less from the next. */
static void
limit_widen(struct ads_match_reading *reading, uint32_t i,
            struct ads_match_group *group)
{
    const struct ads_match_token *token = &reading->tokens[i];
    const struct ads_match_token *unit = ads_match_unit(reading, i);
    bool least = ads_match_is_known_as(reading, i, ADS_MATCH_LEAST);
    uint32_t often[ADS_MATCH_ALTERNATIVES] = {0};
    int64_t from = number_of(token), to = LIMIT_REACH * from;
    int64_t step = 1;

    if (unit == NULL || from <= 0
        || !(least || ads_match_is_known_as(reading, i, ADS_MATCH_MOST)))
    {
        return;
    }
    if (!least) {
        to = from;
        from = from / LIMIT_REACH + 1;
    } else if (i + 1 < reading->query->n_words
               && ads_match_is_known_as(reading, i + 1, ADS_MATCH_MOST))
    {
        to = number_of(token + 1);
    }
    for (int64_t value = from; value <= to && reading->probes < LIMIT_PROBES;
         value += step - value % step, reading->probes++)
    {
        limit_add(reading, unit, value, group, often);
        while (value >= 100 * step) {
            step *= 10;
        }
    }
}


void
ads_match_number_widen(struct ads_match_reading *reading, uint32_t i,
                       struct ads_match_group *group)
{
    terabytes_widen(reading, i, group);
    limit_widen(reading, i, group);
}
