/*
 * The guard: walks over the words of a query and asks the table, at each of
 * them, for the longest phrase that begins there.  A longer phrase beats a
 * shorter one and is stepped over whole, so that "glue gun" hides "gun".
 *
 * A young asker and something for grown-ups are no topic each; together they
 * are ADS_GUARD_MINORS.
 *
 * The first walk is over the words as they stand.  What finds nothing but looks
 * disguised is walked over again as ads_spelling.h reads it.  There a phrase
 * counts when an odd word is part of it, and it has more than three letters:
 * shorter ones are too easily met by chance.
 */
#include "ads_guard.h"
#include "ads_fold.h"
#include "ads_guard_table.h"
#include "ads_spelling.h"

#define YOUNG_MIN "10"
#define YOUNG_MAX "17"

/*
 * So many single letters, or short words, in a row are read again as one word.
 */
#define SINGLES_MIN 4
#define SHORT_MIN 3
#define SHORT_LEN_MAX 3

#define ODD_LETTERS_MIN 4    /* of a phrase with an odd word */
#define JOINED_LETTERS_MIN 5 /* of one inside of joined letters */
#define JOINED_WORDS_MAX 16  /* of a query; each costs microseconds */
#define JOINED_PIECES_MIN 3  /* that it covers: "pen-is" is two */

#define RING 8 /* words kept, a power of two: ADS_GUARD_WORDS_MAX or more */

struct word {
    char text[ADS_FOLD_WORD_MAX];
    uint8_t len;
    uint8_t stem_len;
    bool odd;
};

/* The words ahead: n of them, the first at words[first]. */
struct window {
    struct ads_str rest;
    struct ads_spelling *spelling; /* of the second walk, as is this */
    struct ads_spelling_word spelt;
    unsigned n_joined;
    struct word words[RING];
    unsigned first;
    unsigned n;
    unsigned n_singles; /* in a row, up to the last word */
    unsigned n_short;
    bool singles; /* there were SINGLES_MIN */
    bool shorts;  /* and SHORT_MIN */
};

/* What a walk has met so far. */
struct finding {
    enum ads_guard_topic topic;
    bool young;
    bool grown_up;
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


static bool
is_sign(const struct word *word)
{
    return word->len == 1 && (*word->text == '?' || *word->text == '$');
}


static const struct word *
window_peek(const struct window *window, unsigned ahead)
{
    return &window->words[(window->first + ahead) % RING];
}


/* Counts what may be a word in pieces. */
static void
window_count(struct window *window, size_t len)
{
    window->n_singles = len == 1 ? window->n_singles + 1 : 0;
    window->n_short = len <= SHORT_LEN_MAX ? window->n_short + 1 : 0;
    window->singles = window->singles || window->n_singles >= SINGLES_MIN;
    window->shorts = window->shorts || window->n_short >= SHORT_MIN;
}


static void
window_fill(struct window *window)
{
    while (window->n < ADS_GUARD_WORDS_MAX && window->rest.len > 0) {
        unsigned at = (window->first + window->n) % RING;
        struct word *word = &window->words[at];

        word->len = (uint8_t)ads_fold_word(&window->rest, word->text);
        word->stem_len = (uint8_t)ads_guard_stem(word->text, word->len);
        word->odd = false;
        if (word->len > 0 && !is_sign(word)) {
            window->n++;
            window_count(window, word->len);
        }
    }
}


static void
window_drop(struct window *window, unsigned n)
{
    window->first = (window->first + n) % RING;
    window->n -= n;
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
    if (word->odd) {
        return ads_spelling_fits(word->text, word->len, phrase, rest);
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


static size_t
n_letters(const char *phrase)
{
    size_t n = 0;

    for (; *phrase != '\0'; phrase++) {
        n += (uint8_t)*phrase > '*';
    }
    return n;
}


/* A phrase found at the head of the window. */
struct match {
    const struct ads_guard_phrase *phrase; /* NULL: none */
    unsigned n_words;
};


/* Most phrases that begin like the first word go on with another one: its first
 * letter tells. */
static inline bool
window_may_match(const struct window *window,
                 const struct ads_guard_phrase *phrase)
{
    const struct word *next = window_peek(window, 1);
    char letter = phrase->text[phrase->second];

    return phrase->second == 0
           || (window->n > 1
               && (*next->text == letter || letter == '#' || next->odd));
}


static int
rank(unsigned meaning)
{
    if (meaning == ADS_GUARD_HARMLESS) {
        return 2;
    }
    return meaning < ADS_GUARD_N_TOPICS;
}


/*
 * Among the phrases of a key the longest at the head of the window, if longer
 * than *match; of two as long the harmless one, then the one with a topic.
 */
static void
window_match_key(const struct ads_guard *guard, const struct window *window,
                 uint32_t key, struct match *match)
{
    const struct ads_guard_place *place = ads_guard_find(guard, key);
    const struct ads_guard_phrase *phrase = guard->phrases + place->first;
    const struct ads_guard_phrase *last = phrase + place->n;

    for (; phrase < last; phrase++) {
        unsigned n = window_may_match(window, phrase)
                         ? phrase_fits(window, phrase->text)
                         : 0;

        if (n > match->n_words
            || (n > 0 && n == match->n_words
                && rank(phrase->meaning) > rank(match->phrase->meaning)))
        {
            match->phrase = phrase;
            match->n_words = n;
        }
    }
}


static struct match
window_match(const struct ads_guard *guard, const struct window *window)
{
    const struct word *word = window_peek(window, 0);
    uint32_t keys[ADS_SPELLING_KEYS_MAX];
    struct match match = {NULL, 0};
    size_t n;

    if (!word->odd) {
        window_match_key(guard, window,
                         ads_guard_key(word->text, word->stem_len), &match);
        return match;
    }
    n = ads_spelling_keys(word->text, word->len, ADS_GUARD_KEY_LEN, keys);
    for (size_t i = 0; i < n; i++) {
        window_match_key(guard, window, keys[i], &match);
    }
    return match;
}


/* Takes in what a phrase means; true when that is a topic. */
static bool
finding_add(struct finding *finding, unsigned meaning)
{
    if (meaning < ADS_GUARD_N_TOPICS) {
        finding->topic = (enum ads_guard_topic)meaning;
        return true;
    }
    finding->young = finding->young || meaning == ADS_GUARD_YOUNG;
    finding->grown_up = finding->grown_up || meaning == ADS_GUARD_GROWN_UP;
    return false;
}


/* ---- the second walk ----------------------------------------------------- */

/* May a phrase be read from letter `at` of a joined word on, for n letters?  It
 * covers pieces from their begin to their end, and is most of the word when it
 * is short. */
static bool
joined_counts(const struct ads_spelling_word *word, size_t at, size_t n,
              const char *phrase)
{
    uint64_t begins = word->begins >> at;
    size_t last = at + n;
    bool most = at <= 1 && last + 1 >= word->len;

    return __builtin_popcountll(begins & (((uint64_t)1 << n) - 1))
               >= JOINED_PIECES_MIN
           && (last == word->len || (word->begins >> last & 1) != 0
               || phrase[strlen(phrase) - 1] == '*')
           && n >= (most ? ODD_LETTERS_MIN : JOINED_LETTERS_MIN);
}


/* The longest phrase that begins at letter `at`, its letters in *n. */
static const struct ads_guard_phrase *
joined_match(const struct ads_guard *guard,
             const struct ads_spelling_word *word, size_t at, size_t *n)
{
    const struct ads_guard_phrase *found = NULL;
    uint32_t keys[ADS_SPELLING_KEYS_MAX];

    *n = 0;
    for (unsigned bytes = 1; bytes <= ADS_GUARD_KEY_LEN; bytes++) {
        size_t n_keys =
            ads_spelling_keys(word->text + at, word->len - at, bytes, keys);

        for (size_t i = 0; i < n_keys; i++) {
            const struct ads_guard_place *place =
                ads_guard_find(guard, keys[i]);

            for (unsigned k = 0; k < place->n; k++) {
                const struct ads_guard_phrase *phrase =
                    &guard->phrases[place->first + k];
                size_t fits = ads_spelling_fits_joined(
                    word->text + at, word->len - at, phrase->text);

                if (fits > *n && joined_counts(word, at, fits, phrase->text)) {
                    *n = fits;
                    found = phrase;
                }
            }
        }
    }
    return found;
}


static bool
joined_check(const struct ads_guard *guard,
             const struct ads_spelling_word *word, struct finding *finding)
{
    for (size_t at = 0; at < word->len; at++) {
        const struct ads_guard_phrase *found;
        size_t n;

        if ((word->begins >> at & 1) == 0) {
            continue;
        }
        found = joined_match(guard, word, at, &n);
        if (found != NULL && finding_add(finding, found->meaning)) {
            return true;
        }
        at += found == NULL ? 0 : n - 1;
    }
    return false;
}


/* Fills the window with words as they are read the second time; false when a
 * joined one is a topic by itself. */
static bool
window_fill_odd(struct window *window, const struct ads_guard *guard,
                struct finding *finding)
{
    struct ads_spelling_word *spelt = &window->spelt;

    while (window->n < ADS_GUARD_WORDS_MAX
           && ads_spelling_next(window->spelling, spelt))
    {
        unsigned at = (window->first + window->n) % RING;
        struct word *word = &window->words[at];

        window->n_joined += spelt->joined;
        if (spelt->joined && window->n_joined <= JOINED_WORDS_MAX
            && joined_check(guard, spelt, finding))
        {
            return false;
        }
        /* a NUL is in no phrase */
        word->odd = spelt->odd && spelt->len <= ADS_FOLD_WORD_MAX;
        word->len = spelt->len <= ADS_FOLD_WORD_MAX ? spelt->len : 0;
        memcpy(word->text, spelt->text, word->len);
        if (word->len == 0) {
            word->text[0] = '\0';
            word->len = 1;
            word->odd = false;
        }
        word->stem_len = (uint8_t)ads_guard_stem(word->text, word->len);
        window->n++;
    }
    return true;
}


/* Does what was found have an odd word, and letters enough?  An ordinary one
 * had its say in the first walk. */
static bool
odd_counts(const struct window *window, const struct match *match)
{
    for (unsigned i = 0; i < match->n_words; i++) {
        if (window_peek(window, i)->odd) {
            return n_letters(match->phrase->text) >= ODD_LETTERS_MIN;
        }
    }
    return match->phrase->meaning >= ADS_GUARD_N_TOPICS;
}


static enum ads_guard_topic
walk_odd(const struct ads_guard *guard, struct ads_str query)
{
    struct finding finding = {ADS_GUARD_NONE, false, false};
    struct ads_spelling spelling;
    struct window window;

    ads_spelling_init(&spelling, query);
    window.spelling = &spelling;
    window.n_joined = 0;
    window.first = 0;
    window.n = 0;
    while (window_fill_odd(&window, guard, &finding) && window.n > 0) {
        struct match match = window_match(guard, &window);

        if (match.phrase == NULL || !odd_counts(&window, &match)) {
            window_drop(&window, 1);
            continue;
        }
        if (finding_add(&finding, match.phrase->meaning)) {
            break;
        }
        window_drop(&window, match.n_words);
    }
    if (finding.topic == ADS_GUARD_NONE && finding.young && finding.grown_up) {
        return ADS_GUARD_MINORS;
    }
    return finding.topic;
}


/* ---- the first walk ------------------------------------------------------ */

/* Is there anything in the query that the second walk may read otherwise? */
static bool
is_disguised(const struct window *window, struct ads_str query)
{
    unsigned seen = ads_spelling_look(query);

    return (seen & ~(unsigned)ADS_SPELLING_GLUE) != 0 || window->singles
           || (window->shorts && (seen & ADS_SPELLING_GLUE) != 0);
}


enum ads_guard_topic
ads_guard_check(const struct ads_guard *guard, struct ads_str query)
{
    struct finding finding = {ADS_GUARD_NONE, false, false};
    struct window window;

    window.rest = query;
    window.first = window.n = window.n_singles = window.n_short = 0;
    window.singles = window.shorts = false;
    for (window_fill(&window); window.n > 0; window_fill(&window)) {
        struct match match = window_match(guard, &window);

        if (match.phrase == NULL) {
            window_drop(&window, 1);
            continue;
        }
        if (finding_add(&finding, match.phrase->meaning)) {
            return finding.topic;
        }
        window_drop(&window, match.n_words);
    }
    if (finding.young && finding.grown_up) {
        return ADS_GUARD_MINORS;
    }
    return is_disguised(&window, query) ? walk_odd(guard, query)
                                        : ADS_GUARD_NONE;
}


const char *
ads_guard_name(enum ads_guard_topic topic)
{
    return (unsigned)topic < ADS_GUARD_N_TOPICS ? names[topic]
                                                : names[ADS_GUARD_NONE];
}
