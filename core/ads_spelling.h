/*
 * Disguised spellings: the words of a query as a person reads them and a word
 * list does not: "v i a g r a", "c.o.c.a.i.n.e", "c0caine", "$uicide",
 * "pooorn", Latin words with Cyrillic or Greek letters.
 *
 * A sign may stand for several letters ("1" for i and l), and a letter that is
 * repeated for one or two, so an odd word is kept as it was written and only
 * compared with a phrase; it is never turned into one spelling.
 *
 * What goods are called must not become a word: a model number has too few
 * letters ("p111"), sizes are too few single letters ("x x l"), and callers
 * leave out phrases of three letters.
 */
#ifndef ADS_SPELLING_H
#define ADS_SPELLING_H

#include "ads_bytes.h"
#include "ads_fold.h"

#define ADS_SPELLING_RUN_MAX 60 /* letters; a longer run is read in parts */
#define ADS_SPELLING_KEYS_MAX 64

/* A stretch of text without a separator in it. */
struct ads_spelling_piece {
    char text[ADS_FOLD_WORD_MAX];
    uint8_t len;
    uint8_t n_letters;
    bool foreign; /* a letter of it is read as the Latin one it looks like */
    bool opaque;  /* it has letters that look like no Latin one */
    bool glued;   /* to the piece before, by one sign that is no white space */
};

#define ADS_SPELLING_AHEAD 4

struct ads_spelling {
    struct ads_str rest;
    const char *begin; /* of the query */
    struct ads_spelling_piece ahead[ADS_SPELLING_AHEAD];
    unsigned n_ahead;
    unsigned overlap; /* letters of the last word that begin the next one */
};

struct ads_spelling_word {
    char text[ADS_SPELLING_RUN_MAX];
    uint8_t len;     /* 0: a word that is in no phrase */
    bool odd;        /* to be compared with ads_spelling_fits() */
    bool joined;     /* of several pieces */
    uint64_t begins; /* a bit for each letter of a joined one: a piece begins */
};

/* What in a query tells that it may be worth a second reading. */
#define ADS_SPELLING_SIGN 1   /* signs among letters, or other scripts */
#define ADS_SPELLING_GLUE 2   /* what may stand between letters of a word */
#define ADS_SPELLING_TRIPLE 4 /* three letters alike in a row */
#define ADS_SPELLING_DIGIT 8  /* a digit in a word of letters */

/* Which of those the text has; costs about a nanosecond a byte. */
unsigned
ads_spelling_look(struct ads_str text);

void
ads_spelling_init(struct ads_spelling *spelling, struct ads_str query);

/* Takes the next word; false when there is none left.  *word is that of the
 * call before, or new. */
bool
ads_spelling_next(struct ads_spelling *spelling,
                  struct ads_spelling_word *word);

/*
 * Does the odd word fit the one that the phrase goes on with?  *rest is then
 * what follows that: ' ' or the end.
 */
bool
ads_spelling_fits(const char *text, size_t len, const char *phrase,
                  const char **rest);

/* How many of these letters are the whole phrase, written without spaces; 0:
 * none. */
size_t
ads_spelling_fits_joined(const char *text, size_t len, const char *phrase);

/* The first n letters, 1 to 4, of all words that the text may be read as, as
 * ads_guard_key() has them.  Returns how many there are. */
size_t
ads_spelling_keys(const char *text, size_t len, unsigned n,
                  uint32_t keys[ADS_SPELLING_KEYS_MAX]);

#endif
