/*
 * Selects the words of a request that are searched for.
 */
#include "ads_focus.h"

#include "ads_match_parts.h"
#include "ads_wish_parts.h"

#define BEFORE_WORDS 2 /* read before the wanted thing, and after it */
#define BEHIND_WORDS 2
#define CORRECTIONS 4
#define CORRECT_MIN 5 /* letters of a word that is corrected */

#define MODEL_MIN 3  /* digits of a number that names a model */
#define UNIT_WORDS 2 /* between a number and its unit */
#define LIMITS (ADS_CUE_BIT(ADS_CUE_OVER) | ADS_CUE_BIT(ADS_CUE_UNDER))
#define PRICE_CUES                                          \
    (ADS_CUE_BIT(ADS_CUE_UNDER) | ADS_CUE_BIT(ADS_CUE_OVER) \
     | ADS_CUE_BIT(ADS_CUE_AROUND))

/* Words that end what stands around a thing. */
#define ENDS                                                       \
    (ADS_CUE_BIT(ADS_CUE_WANT) | ADS_CUE_BIT(ADS_CUE_OWN)          \
     | ADS_CUE_BIT(ADS_CUE_INSTEAD) | ADS_CUE_BIT(ADS_CUE_WITHOUT) \
     | ADS_CUE_BIT(ADS_CUE_FOR) | ADS_CUE_BIT(ADS_CUE_PLACE)       \
     | ADS_CUE_BIT(ADS_CUE_WITH) | ADS_CUE_BIT(ADS_CUE_AND)        \
     | ADS_CUE_BIT(ADS_CUE_HOWTO) | ADS_CUE_BIT(ADS_CUE_MINE)      \
     | ADS_CUE_BIT(ADS_CUE_ARTICLE) | ADS_CUE_BIT(ADS_CUE_THE)     \
     | ADS_CUE_BIT(ADS_CUE_UNDER) | ADS_CUE_BIT(ADS_CUE_OVER)      \
     | ADS_CUE_BIT(ADS_CUE_AROUND) | ADS_CUE_BIT(ADS_CUE_BROKEN)   \
     | ADS_CUE_BIT(ADS_CUE_GIFT) | ADS_CUE_BIT(ADS_CUE_ENGLISH)    \
     | ADS_CUE_BIT(ADS_CUE_GERMAN) | ADS_CUE_BIT(ADS_CUE_FRENCH)   \
     | ADS_CUE_BIT(ADS_CUE_SPANISH))

struct reading {
    struct ads_focus *focus;
    const struct ads_scan *scan;
    const struct ads_wish *wish;
    const struct ads_index *index; /* or NULL */
    struct ads_str request;
    uint8_t known[ADS_SCAN_WORDS]; /* enum ads_match_known + 2; 1: taken; 0 */
    uint32_t attribute[ADS_SCAN_WORDS];
};

struct speller {
    const struct ads_index *index;
    uint32_t left;
};


/* The nearest word of products to one that no product has. */
static size_t
correct(void *ctx, const struct ads_text_word *word, char *dst)
{
    struct speller *speller = ctx;
    struct ads_str bytes = {word->bytes, word->len};
    uint32_t found;

    if (speller->left == 0 || word->len < CORRECT_MIN
        || ads_index_word_find(speller->index, bytes) != ADS_INDEX_NONE)
    {
        return 0;
    }
    speller->left--;
    found = ads_match_correct(speller->index, bytes, 1, ADS_INDEX_NONE,
                              ADS_INDEX_NONE);
    bytes = ads_index_word_peek(speller->index, found);
    if (bytes.len == 0 || bytes.len > ADS_TEXT_WORD_MAX) {
        return 0;
    }
    memcpy(dst, bytes.ptr, bytes.len);
    return bytes.len;
}


/* ---- which words */

static void
mark(struct reading *reading, uint32_t from, uint32_t to,
     enum ads_match_known known)
{
    for (uint32_t i = from; i < to && i < reading->scan->n_words; i++) {
        reading->known[i] = (uint8_t)(known + 2);
    }
}


static void
take(struct reading *reading, uint32_t i)
{
    if (reading->known[i] == 0) {
        reading->known[i] = 1;
    }
}


/* The words right before and behind the wanted thing, as far as no other part
 * of the sentence begins. */
static void
around_take(struct reading *reading, uint32_t from, uint32_t to)
{
    const struct ads_scan *scan = reading->scan;

    for (uint32_t i = from; i > 0 && from - i < BEFORE_WORDS; i--) {
        if (scan->words[i].gap == ADS_TEXT_BREAK
            || (scan->words[i - 1].cues & ENDS) != 0)
        {
            break;
        }
        take(reading, i - 1);
    }
    for (uint32_t i = to; i < scan->n_words && i < to + BEHIND_WORDS; i++) {
        if (scan->words[i].gap == ADS_TEXT_BREAK
            || (scan->words[i].cues & ENDS) != 0) {
            break;
        }
        take(reading, i);
    }
}


/* Is the word the brand of a product? */
static bool
is_brand(const struct reading *reading, uint32_t i)
{
    struct ads_str bytes = ads_scan_bytes(reading->scan, i);

    return reading->index != NULL && bytes.len >= 2
           && ads_index_fact_find(reading->index, ADS_INDEX_BRAND, bytes)
                  != ADS_INDEX_NONE;
}


/* Is a thing, a maker or a model named in the word? */
static bool
is_name(const struct reading *reading, uint32_t i)
{
    return i < reading->scan->n_words
           && (reading->scan->words[i].named
               || reading->scan->words[i].kind == ADS_TEXT_MIXED
               || is_brand(reading, i));
}


/* Is it a number that may be a model's, "the 364 cartridges"?  A bound of the
 * price is none, nor is a year. */
static bool
is_model_number(const struct reading *reading, uint32_t i)
{
    const struct ads_scan_word *word = &reading->scan->words[i];
    const struct ads_wish *wish = reading->wish;
    const char *digits = reading->scan->bytes + word->at;

    for (uint32_t k = 0; k < word->len; k++) {
        if (!ads_char_is_digit(digits[k])) {
            return false;
        }
    }
    return word->kind == ADS_TEXT_NUMBER && word->len >= MODEL_MIN
           && !(word->len == 4
                && (memcmp(digits, "19", 2) == 0
                    || memcmp(digits, "20", 2) == 0))
           && (is_name(reading, i + 1) || (i > 0 && is_name(reading, i - 1))
               || (i > 0
                   && ads_cue_has(reading->scan->words[i - 1].cues,
                                  ADS_CUE_THE)))
           && word->micros != wish->most_micros
           && word->micros != wish->least_micros
           && (ads_scan_cues(reading->scan, ads_scan_back(i, 3), i)
               & PRICE_CUES)
                  == 0;
}


/* Is it of the sort that names brand and model, or measures? */
static bool
is_telling(const struct reading *reading, uint32_t i)
{
    const struct ads_scan_word *word = &reading->scan->words[i];

    if ((word->cues & ~ADS_CUE_OF_PRODUCTS) != 0
        || word->kind == ADS_TEXT_PRICE) {
        return false;
    }
    if (word->kind == ADS_TEXT_MIXED
        && ads_text_is_count(ads_scan_bytes(reading->scan, i)))
    {
        return false;
    }
    if (word->kind == ADS_TEXT_MIXED || is_model_number(reading, i)) {
        return true;
    }
    return word->kind == ADS_TEXT_LETTERS && !word->named
           && is_brand(reading, i);
}


/* May the word be one of a name that titles have? */
static bool
is_plain(const struct reading *reading, uint32_t i)
{
    const struct ads_scan_word *word = &reading->scan->words[i];

    return word->kind == ADS_TEXT_LETTERS && word->len > 1
           && (word->cues & ~ADS_CUE_OF_PRODUCTS) == 0
           && ads_text_filler(ads_scan_bytes(reading->scan, i))
                  == ADS_TEXT_CONTENT;
}


/* Is the word part of the name of a kind? */
static bool
is_of_kind(const struct reading *reading, uint32_t i)
{
    for (uint32_t k = 0; k < reading->wish->n_mentions; k++) {
        if (reading->wish->mentions[k].from <= i
            && i < reading->wish->mentions[k].to) {
            return true;
        }
    }
    return false;
}


/* Takes two words that titles put side by side, such as "Kate Spade" or "Paw
 * Patrol": of a brand or a series, wherever in the request they are. */
static void
pairs_take(struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_index *index = reading->index;

    for (uint32_t i = 0; index != NULL && i + 1 < scan->n_words; i++) {
        uint32_t terms[2];

        if (scan->words[i + 1].gap == ADS_TEXT_BREAK || reading->known[i] > 1
            || reading->known[i + 1] > 1
            || (is_of_kind(reading, i) && is_of_kind(reading, i + 1))
            || !is_plain(reading, i) || !is_plain(reading, i + 1))
        {
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            terms[k] = ads_index_word_term(
                index, ads_index_word_find(index, ads_scan_bytes(scan, i + k)));
        }
        if (terms[0] != ADS_INDEX_NONE && terms[1] != ADS_INDEX_NONE
            && ads_index_pair_find(index, terms[0], terms[1]) > 0)
        {
            take(reading, i);
            take(reading, i + 1);
        }
    }
}


/* Does a kind that is not wanted begin at the word? */
static bool
is_of_another(const struct reading *reading, uint32_t i)
{
    const struct ads_wish *wish = reading->wish;
    bool other = false;

    for (uint32_t k = 0; k < wish->n_mentions; k++) {
        if (wish->mentions[k].from == i && wish->mentions[k].to > i) {
            other = true;
            if (wish->mentions[k].role == ADS_WISH_WANTED) {
                return false;
            }
        }
    }
    return other;
}


/* Does punctuation stand between two words? */
static bool
is_broken(const struct ads_scan *scan, uint32_t from, uint32_t to)
{
    for (uint32_t i = from + 1; i <= to && i < scan->n_words; i++) {
        if (scan->words[i].gap == ADS_TEXT_BREAK) {
            return true;
        }
    }
    return false;
}


/* Is the word said of another thing, "my desk is only 55 cm deep"?  Of the one
 * that is named last before it in its clause, if that is neither wanted nor
 * what the wanted thing belongs to. */
static bool
is_aside(const struct reading *reading, uint32_t i)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_wish *wish = reading->wish;
    const struct ads_wish_mention *last = NULL;
    bool wanted = false;

    for (uint32_t k = 0; k < wish->n_mentions; k++) {
        const struct ads_wish_mention *mention = &wish->mentions[k];

        if (mention->to > i || mention->to <= mention->from
            || is_broken(scan, mention->to - 1u, i)
            || (last != NULL && mention->to < last->to))
        {
            continue;
        }
        wanted = (last != NULL && mention->to == last->to && wanted)
                 || mention->role == ADS_WISH_WANTED
                 || (wish->n_kinds > 0
                     && ads_goods_relation(reading->focus->match.goods,
                                           wish->kinds[0], mention->kind)
                            != 0);
        last = mention;
    }
    return last != NULL && !wanted;
}


static bool
is_number(const struct ads_scan *scan, uint32_t i)
{
    return i < scan->n_words && scan->words[i].kind == ADS_TEXT_NUMBER;
}


/* The unit that word i is, or NULL. */
static const char *
unit_of(const struct ads_scan *scan, uint32_t i)
{
    struct ads_str word = ads_scan_bytes(scan, i);

    return i >= scan->n_words || ads_text_is_currency(word.ptr, word.len)
               ? NULL
               : ads_text_unit(word.ptr, word.len, false);
}


/* The word that is the unit of the number at word i, 0: none.  "40 or more
 * sheets". */
static uint32_t
unit_behind(const struct ads_scan *scan, uint32_t i)
{
    uint32_t unit = i + 1;

    while (unit < scan->n_words && unit <= i + UNIT_WORDS
           && (scan->words[unit].cues & LIMITS) != 0)
    {
        unit++;
    }
    return is_number(scan, i) && unit < scan->n_words
                   && scan->words[unit].gap != ADS_TEXT_BREAK
                   && unit_of(scan, unit) != NULL
               ? unit
               : 0;
}


/* Is it a number with a unit behind it, said of what is wanted?  "A backpack
 * for a 15 inch laptop" need not have 15 inches. */
static bool
is_measure(const struct reading *reading, uint32_t i)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t unit = unit_behind(scan, i);

    return unit > 0 && !is_aside(reading, i)
           && (unit + 1 >= scan->n_words
               || scan->words[unit + 1].gap == ADS_TEXT_BREAK
               || !is_of_another(reading, unit + 1));
}


static bool
is_one_of_the_words(const struct ads_scan *scan, uint32_t i,
                    const char *const *words, size_t n)
{
    return i < scan->n_words
           && ads_str_is_one_of(ads_scan_bytes(scan, i), words, n);
}


static const char *const ors[] = {"or", "oder", "ou", "o"};
#define N_ORS (sizeof(ors) / sizeof(*ors))

static const char *const tos[] = {"to", "bis", "a"};
#define N_TOS (sizeof(tos) / sizeof(*tos))


static const char *const mores[] = {"more", "mehr", "plus", "mas"};
#define N_MORES (sizeof(mores) / sizeof(*mores))


/* Are words i and i + 2 two models or numbers of which one will do? */
static bool
is_either(const struct ads_scan *scan, uint32_t i)
{
    return is_one_of_the_words(scan, i + 1, ors, N_ORS)
           && scan->words[i].kind == scan->words[i + 2].kind
           && (scan->words[i].kind == ADS_TEXT_MIXED
               || scan->words[i].kind == ADS_TEXT_NUMBER);
}


/* Takes the number before a measure that shares its unit: "2 or 4 GB", "15 to
 * 23 inches". */
static void
number_before_take(struct reading *reading, uint32_t i)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t before = ads_scan_back(i, 2);

    if (before + 2 != i || !is_number(scan, before)
        || is_broken(scan, before + 1, i))
    {
        return;
    }
    if (is_one_of_the_words(scan, before + 1, ors, N_ORS)) {
        take(reading, before);
    } else if (is_one_of_the_words(scan, before + 1, tos, N_TOS)
               && reading->known[before] == 0)
    {
        mark(reading, before, before + 1, ADS_MATCH_LEAST);
        mark(reading, i, i + 1, ADS_MATCH_MOST);
    }
}


/* May the product have more than the measure at word i, or less: "at least 2000
 * lumens", "4 GB or more"? */
static void
limit_note(struct reading *reading, uint32_t i, uint32_t unit)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t cues = ads_scan_cues(scan, ads_scan_back(i, 1), unit);

    if (is_one_of_the_words(scan, unit + 1, ors, N_ORS)
        && !is_number(scan, unit + 2))
    {
        cues |= ads_scan_cues(scan, unit + 1, unit + 3);
    }
    if (ads_cue_has(cues, ADS_CUE_OVER)
        || (is_one_of_the_words(scan, unit + 1, ors, N_ORS)
            && is_one_of_the_words(scan, unit + 2, mores, N_MORES)))
    {
        mark(reading, i, i + 1, ADS_MATCH_LEAST);
    } else if (ads_cue_has(cues, ADS_CUE_UNDER)) {
        mark(reading, i, i + 1, ADS_MATCH_MOST);
    }
}


/* Of two measures in one unit either will do: "not the 500 pieces, 1000". */
static void
measures_pair(struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;
    const char *before = NULL;
    uint32_t at = 0;

    for (uint32_t i = 0; i < scan->n_words; i++) {
        uint32_t unit = reading->known[i] == 1 ? unit_behind(scan, i) : 0;

        if (unit == 0 || reading->known[unit] != 1) {
            continue;
        }
        if (before == unit_of(scan, unit)) {
            mark(reading, at, at + 1, ADS_MATCH_EITHER);
            mark(reading, i, i + 1, ADS_MATCH_EITHER);
        }
        before = unit_of(scan, unit);
        at = i;
    }
}


static void
measures_take(struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;

    for (uint32_t i = 0; i < scan->n_words; i++) {
        uint32_t unit = unit_behind(scan, i);

        if (unit > 0 && reading->known[i] <= 1 && is_measure(reading, i)) {
            take(reading, i);
            take(reading, unit);
            number_before_take(reading, i);
            if (reading->known[i] == 1) {
                limit_note(reading, i, unit);
            }
        }
    }
    measures_pair(reading);
}


/* Takes the model of what the wanted thing is for, as far as it stands right
 * behind it: "iPhone 7 Plus". */
static void
model_behind_take(struct reading *reading, uint32_t i)
{
    const struct ads_scan *scan = reading->scan;
    bool model = false;

    for (; i < scan->n_words && scan->words[i].gap != ADS_TEXT_BREAK; i++) {
        if (!model && is_number(scan, i) && unit_behind(scan, i) == 0
            && scan->words[i].micros != reading->wish->most_micros)
        {
            model = true;
        } else if (!is_one_of_the_words(scan, i, ads_match_longer,
                                        ADS_MATCH_LONGER)) {
            break;
        }
        mark(reading, i, i + 1, ADS_MATCH_CONTEXT);
    }
}


static void
words_choose(struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_wish *wish = reading->wish;

    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];
        bool wanted = false;

        for (uint32_t k = 0; k < wish->n_kinds; k++) {
            wanted = wanted
                     || (wish->kinds[k] == mention->kind
                         && mention->role == ADS_WISH_WANTED);
        }
        if (wanted && mention->to > mention->from) {
            mark(reading, mention->from, mention->to, ADS_MATCH_NAMES);
            around_take(reading, mention->from, mention->to);
        } else if (wish->of != ADS_GOODS_NONE && mention->kind == wish->of) {
            mark(reading, mention->from, mention->to, ADS_MATCH_CONTEXT);
            model_behind_take(reading, mention->to);
        }
    }
    for (uint32_t i = 0; i < wish->n_bounds; i++) {
        mark(reading, wish->bounds[i].from, wish->bounds[i].to,
             ADS_MATCH_BOUND);
    }
    for (uint32_t i = 0; i < wish->n_attributes; i++) {
        enum ads_match_known as = wish->attributes[i].without
                                      ? ADS_MATCH_REFUSED
                                      : ADS_MATCH_DESCRIBES;

        for (uint32_t k = wish->attributes[i].from;
             k < wish->attributes[i].to && k < scan->n_words; k++)
        {
            if (reading->known[k] <= 1) {
                reading->known[k] = (uint8_t)(as + 2);
                reading->attribute[k] = wish->attributes[i].attribute;
            }
        }
    }
    for (uint32_t i = 0; i < scan->n_words; i++) {
        if (reading->known[i] == 0 && is_telling(reading, i)) {
            take(reading, i);
        }
    }
    pairs_take(reading);
    measures_take(reading);
    for (uint32_t i = 0; i + 2 < scan->n_words; i++) {
        if (reading->known[i] == 1 && reading->known[i + 2] == 1
            && is_either(scan, i)) {
            reading->known[i] = reading->known[i + 2] = ADS_MATCH_EITHER + 2;
        }
    }
}


/* ---- the words as a text */

static void
span_add(struct reading *reading, uint32_t i, uint32_t from, uint32_t to)
{
    struct ads_match_focus *match = &reading->focus->match;

    if (reading->known[i] >= 2 && match->n_spans < ADS_MATCH_SPANS) {
        match->spans[match->n_spans++] = (struct ads_match_span){
            from, to, (enum ads_match_known)(reading->known[i] - 2),
            reading->attribute[i]};
    }
}


static uint32_t
text_put(struct ads_focus *focus, uint32_t len, const char *bytes, size_t n)
{
    if (n > ADS_FOCUS_ROOM - len) {
        return len;
    }
    memcpy(focus->room + len, bytes, n);
    return len + (uint32_t)n;
}


/* The chosen words behind each other; context stands as "for" it. */
static void
words_write(struct reading *reading)
{
    struct ads_focus *focus = reading->focus;
    const struct ads_scan *scan = reading->scan;
    uint32_t len = 0, before = ADS_GOODS_NONE;

    for (int context = 0; context < 2; context++) {
        for (uint32_t i = 0; i < scan->n_words; i++) {
            const struct ads_scan_word *word = &scan->words[i];
            uint32_t from, end;

            if (reading->known[i] == 0
                || reading->known[i] == ADS_MATCH_BOUND + 2
                || (reading->known[i] == ADS_MATCH_CONTEXT + 2)
                       != (context == 1))
            {
                continue;
            }
            if (before != ADS_GOODS_NONE) {
                bool near = before + 1 == i && word->gap != ADS_TEXT_BREAK;
                bool touches = near && scan->words[before].to == word->from;

                len = touches                 ? len /* 24" */
                      : context == 1 && !near ? text_put(focus, len, " for ", 5)
                      : near                  ? text_put(focus, len, " ", 1)
                                              : text_put(focus, len, ", ", 2);
            }
            from = len;
            end = word->to > word->from ? word->to : word->from;
            len = text_put(focus, len, reading->request.ptr + word->from,
                           end - word->from);
            span_add(reading, i, from, len);
            before = i;
        }
    }
    focus->words = (struct ads_str){focus->room, len};
}


/* Is the request in another language than English, as far as is known? */
static bool
is_other_language(const struct ads_wish *wish)
{
    return wish->language != ADS_CUE_END && wish->language != ADS_CUE_ENGLISH;
}


/* What is left of the taken words is known to be words at least: it is not
 * misspelt English. */
static void
words_note(struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;

    for (uint32_t i = 0; i < scan->n_words; i++) {
        if (reading->known[i] == 1 && scan->words[i].lemma != ADS_GOODS_NONE) {
            reading->known[i] = ADS_MATCH_WORD + 2;
        }
    }
}


/* The whole request, with what is known of it. */
static void
whole_take(struct reading *reading)
{
    const struct ads_scan *scan = reading->scan;

    reading->focus->words = reading->request;
    reading->focus->whole = true;
    for (uint32_t i = 0; i < scan->n_words; i++) {
        span_add(reading, i, scan->words[i].from, scan->words[i].to);
    }
}


/* How much a wanted kind of that score weighs, of 256: in a long request, of
 * which few words are about the thing, at least half. */
static uint32_t
sure_of(int32_t score, uint32_t n_words)
{
    int32_t sure = 96 + score / 2, least = n_words > ADS_FOCUS_SHORT ? 128 : 32;

    return (uint32_t)(sure > 256 ? 256 : sure < least ? least : sure);
}


void
ads_understand(struct ads_understood *understood, const struct ads_goods *goods,
               const struct ads_index *index, struct ads_str request,
               struct ads_str language)
{
    struct ads_focus *focus = &understood->focus;
    struct ads_scan *scan = &understood->scan;
    struct ads_wish *wish = &understood->wish;
    struct speller speller = {index, CORRECTIONS};
    const struct ads_scan_speller spell = {correct, &speller};
    struct reading reading = {.focus = focus,
                              .scan = scan,
                              .wish = wish,
                              .index = index,
                              .request = request};

    focus->words = request;
    focus->whole = true;
    focus->match.goods = goods;
    focus->match.n_kinds = focus->match.n_spans = 0;
    ads_scan_read(scan, goods, request, ADS_SCAN_REQUEST,
                  index == NULL ? NULL : &spell);
    ads_wish_read(wish, scan, goods, request, language);
    if (goods->n_kinds == 0) {
        return;
    }
    focus->match.n_kinds = wish->n_kinds;
    focus->match.sure = sure_of(wish->score, scan->n_words);
    memcpy(focus->match.kinds, wish->kinds, sizeof(focus->match.kinds));

    memset(reading.known, 0, sizeof(reading.known));
    words_choose(&reading);
    if (wish->n_kinds == 0
        || (scan->n_words <= ADS_FOCUS_SHORT && !is_other_language(wish)))
    {
        whole_take(&reading);
        return;
    }
    focus->whole = false;
    if (is_other_language(wish)) {
        words_note(&reading);
    }
    words_write(&reading);
}
