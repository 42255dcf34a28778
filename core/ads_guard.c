/*
 * The guard: walks over the words of a query and asks the table, at each of
 * them, for the longest phrase that begins there.  A longer phrase beats a
 * shorter one and is stepped over whole, so that "glue gun" hides "gun".
 *
 * A young asker and something for grown-ups are no topic each; together they
 * are ADS_GUARD_MINORS.
 */
#include "ads_guard.h"
#include "ads_fold.h"
#include "ads_guard_table.h"

#include <assert.h>

#define YOUNG_MIN "10"
#define YOUNG_MAX "17"

struct word {
    char text[ADS_FOLD_WORD_MAX];
    uint8_t len;
    uint8_t stem_len;
};

/* The words ahead: n of them, the first at words[first]. */
struct window {
    struct ads_str rest;
    struct word words[ADS_GUARD_WORDS_MAX];
    unsigned first;
    unsigned n;
};

static const char *const names[ADS_GUARD_N_TOPICS] = {
    [ADS_GUARD_NONE] = "none",       [ADS_GUARD_SELF_HARM] = "self_harm",
    [ADS_GUARD_HEALTH] = "health",   [ADS_GUARD_PREGNANCY] = "pregnancy",
    [ADS_GUARD_ABUSE] = "abuse",     [ADS_GUARD_GRIEF] = "grief",
    [ADS_GUARD_DEBT] = "debt",       [ADS_GUARD_LEGAL] = "legal",
    [ADS_GUARD_BELIEF] = "belief",   [ADS_GUARD_MINORS] = "minors",
    [ADS_GUARD_SEXUAL] = "sexual",   [ADS_GUARD_WEAPONS] = "weapons",
    [ADS_GUARD_DRUGS] = "drugs",     [ADS_GUARD_GAMBLING] = "gambling",
    [ADS_GUARD_FORGERY] = "forgery", [ADS_GUARD_SPYING] = "spying",
    [ADS_GUARD_HARM] = "harm",
};


/* Length without a plural s: "pills" is "pill"; "glass", "virus" and "iris"
 * stay. */
static size_t
stem_len(const char *text, size_t len)
{
    char before;

    if (len <= 3 || text[len - 1] != 's') {
        return len;
    }
    before = text[len - 2];
    return before == 's' || before == 'i' || before == 'u' ? len : len - 1;
}


static bool
is_sign(const struct word *word)
{
    return word->len == 1 && (*word->text == '?' || *word->text == '$');
}


static const struct word *
window_peek(const struct window *window, unsigned ahead)
{
    return &window->words[(window->first + ahead) % ADS_GUARD_WORDS_MAX];
}


static void
window_fill(struct window *window)
{
    while (window->n < ADS_GUARD_WORDS_MAX && window->rest.len > 0) {
        unsigned at = (window->first + window->n) % ADS_GUARD_WORDS_MAX;
        struct word *word = &window->words[at];

        word->len = (uint8_t)ads_fold_word(&window->rest, word->text);
        word->stem_len = (uint8_t)stem_len(word->text, word->len);
        if (word->len > 0 && !is_sign(word)) {
            window->n++;
        }
    }
}


static void
window_drop(struct window *window, unsigned n)
{
    window->first = (window->first + n) % ADS_GUARD_WORDS_MAX;
    window->n -= n;
}


/* Up to three letters of a first word as a number that sorts like them. */
static uint32_t
word_key(const struct word *word)
{
    uint32_t key = (uint32_t)(uint8_t)word->text[0] << 16;

    if (word->stem_len > 1) {
        key |= (uint32_t)(uint8_t)word->text[1] << 8;
    }
    if (word->stem_len > 2) {
        key |= (uint8_t)word->text[2];
    }
    return key;
}


/* The same of a phrase; what ends a word in one, ' ', '*' or NUL, lies below
 * every letter and digit. */
static uint32_t
phrase_key(const char *phrase)
{
    uint32_t first = (uint8_t)phrase[0];
    uint32_t second = (uint8_t)phrase[1];
    uint32_t third = (uint8_t)phrase[2];

    second = second > '*' ? second : 0;
    third = second > 0 && third > '*' ? third : 0;
    return first << 16 | second << 8 | third;
}


static bool
is_young(const struct word *word)
{
    return word->len == 2 && memcmp(word->text, YOUNG_MIN, 2) >= 0
           && memcmp(word->text, YOUNG_MAX, 2) <= 0;
}


/* Does the word fit the one that the phrase goes on with?  *rest is then what
 * follows that: ' ' or the end. */
static bool
word_fits(const struct word *word, const char *phrase, const char **rest)
{
    size_t n = 0;

    if (*phrase == '#') {
        *rest = phrase + 1;
        return is_young(word);
    }

    /* most phrases differ within few letters */
    while (n < word->len && word->text[n] == phrase[n]) {
        n++;
    }
    *rest = phrase + n + (phrase[n] == '*');
    return phrase[n] == '*'
           || (n == word->stem_len && (phrase[n] == ' ' || phrase[n] == '\0'));
}


/* How many words of the window the phrase covers; 0 when it does not fit. */
static unsigned
phrase_fits(const struct window *window, const char *phrase)
{
    unsigned n = 0;

    while (n < window->n && word_fits(window_peek(window, n), phrase, &phrase))
    {
        n++;
        if (*phrase == '\0') {
            return n;
        }
        phrase++;
    }
    return 0;
}


/* The place of a key, or the empty one where it would be put. */
static uint32_t
place_find(const struct ads_guard *guard, uint32_t key)
{
    uint32_t place = (key * 0x9e3779b1u >> 16) % ADS_GUARD_PLACES;

    while (guard->first[place] != 0
           && phrase_key(ads_guard_table[guard->first[place] - 1].phrase)
                  != key)
    {
        place = (place + 1) % ADS_GUARD_PLACES;
    }
    return place;
}


void
ads_guard_init(struct ads_guard *guard)
{
    assert(ads_guard_table_len <= ADS_GUARD_PLACES / 2);
    memset(guard, 0, sizeof(*guard));
    for (size_t i = 0; i < ads_guard_table_len; i++) {
        uint32_t place =
            place_find(guard, phrase_key(ads_guard_table[i].phrase));

        if (guard->first[place] == 0) {
            guard->first[place] = (uint16_t)(i + 1);
        }
    }
}


/*
 * The longest phrase at the head of the window, NULL if there is none; of two
 * as long the harmless one.  *n_words is what it covers.
 */
static const struct ads_guard_entry *
window_match(const struct ads_guard *guard, const struct window *window,
             unsigned *n_words)
{
    const struct ads_guard_entry *found = NULL;
    uint32_t key = word_key(window_peek(window, 0));
    size_t first = guard->first[place_find(guard, key)];

    *n_words = 0;
    for (size_t i = first - 1; first > 0 && i < ads_guard_table_len; i++) {
        const struct ads_guard_entry *entry = &ads_guard_table[i];
        unsigned n;

        if (phrase_key(entry->phrase) != key) {
            break;
        }
        n = phrase_fits(window, entry->phrase);
        if (n > *n_words
            || (n > 0 && n == *n_words && entry->meaning == ADS_GUARD_HARMLESS))
        {
            found = entry;
            *n_words = n;
        }
    }
    return found;
}


enum ads_guard_topic
ads_guard_check(const struct ads_guard *guard, struct ads_str query)
{
    struct window window;
    bool young = false;
    bool grown_up = false;

    window.rest = query;
    window.first = 0;
    window.n = 0;
    for (window_fill(&window); window.n > 0; window_fill(&window)) {
        unsigned n_words;
        const struct ads_guard_entry *entry =
            window_match(guard, &window, &n_words);

        if (entry == NULL) {
            window_drop(&window, 1);
            continue;
        }
        if (entry->meaning < ADS_GUARD_N_TOPICS) {
            return (enum ads_guard_topic)entry->meaning;
        }
        young = young || entry->meaning == ADS_GUARD_YOUNG;
        grown_up = grown_up || entry->meaning == ADS_GUARD_GROWN_UP;
        window_drop(&window, n_words);
    }
    return young && grown_up ? ADS_GUARD_MINORS : ADS_GUARD_NONE;
}


const char *
ads_guard_name(enum ads_guard_topic topic)
{
    return (unsigned)topic < ADS_GUARD_N_TOPICS ? names[topic]
                                                : names[ADS_GUARD_NONE];
}
