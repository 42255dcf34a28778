/*
 * Tokeniser: the words of a text, read the same way when products are indexed
 * and when queries are asked.  Nothing else in the service may split text for
 * matching.
 *
 * Folding: NFKC case folding (utf8proc, only where a byte is above 127), then
 * accents are dropped ("Café" is "cafe").  Bytes that are not UTF-8 separate
 * words.
 *
 * Words:
 *   letters            "hiking"; "men's" is "men", "o'neill" is "oneill"
 *   numbers            "80", "2.5" (".5" is "0.5"), "1/2", "1,000" is "1000"
 *   a number's unit    "55inch", 55", "55 in." and "55-Inch" are all "55" and
 *                      "inch"
 *   dimensions         "2x4", "2 x 4" and "2 in. x 4 in." hold "2", "4" and,
 *                      as a word of its own, "2x4"
 *   anything mixed     "iphone6", "sms6zci00g", "4k": one word
 *   an amount          "$80", "80 dollars": kind ADS_TEXT_PRICE, never matched
 *   Han, kana, Hangul  and scripts written without spaces: overlapping pairs
 *                      of characters; a lone character stands alone
 */
#ifndef ADS_TEXT_H
#define ADS_TEXT_H

#include "ads_bytes.h"

#include <libstemmer.h>

#define ADS_TEXT_WORDS_MAX 512 /* read of one text; the rest is not seen */
#define ADS_TEXT_WORD_MAX 64   /* bytes; a longer word is cut there */

/* What word reading needs beyond the text.  The stemmer is the caller's,
 * sb_stemmer_new("english", NULL), one per thread; NULL: words that the index
 * has not seen are looked up unstemmed. */
struct ads_text {
    struct sb_stemmer *stemmer;
};

enum ads_text_kind {
    ADS_TEXT_LETTERS,
    ADS_TEXT_NUMBER,
    ADS_TEXT_MIXED,
    ADS_TEXT_PAIR, /* of characters, from a script without spaces */
    ADS_TEXT_PRICE,
    ADS_TEXT_KIND /* of goods, "=printer": no text has it, the index does */
};

enum ads_text_gap {
    ADS_TEXT_NEAR,  /* a space, hyphen or slash, or nothing, stands before */
    ADS_TEXT_BREAK, /* punctuation stands before: a phrase ended there */
};

struct ads_text_word {
    uint32_t from; /* the source bytes it was read from: [from, to) */
    uint32_t to;
    enum ads_text_kind kind;
    enum ads_text_gap gap;
    uint8_t len;
    char bytes[ADS_TEXT_WORD_MAX]; /* folded, no NUL */
};

/* What the word before was: a unit is read only after a number. */
enum ads_text_measure {
    ADS_TEXT_AFTER_WORD,
    ADS_TEXT_AFTER_NUMBER,
    ADS_TEXT_AFTER_UNIT,
    ADS_TEXT_AFTER_AREA /* "square", "cubic": another unit may follow */
};

/* A piece of a chunk that is not yet given out. */
struct ads_text_piece {
    uint8_t from;
    uint8_t len;
    enum ads_text_kind kind;
};

#define ADS_TEXT_PIECES 10
#define ADS_TEXT_NUMBER_MAX 15 /* of dimensions */
#define ADS_TEXT_FOLDED 32

/* Where a reader stands; its fields are its own. */
struct ads_text_reader {
    const uint8_t *first;
    const uint8_t *pos;
    const uint8_t *last;
    uint32_t n_words;
    enum ads_text_measure measure;
    bool after_by;   /* an "x" stands before, and a number before that */
    bool after_sign; /* a currency sign stands before */
    enum ads_text_gap gap;

    uint8_t number_len; /* the number before */
    char number[ADS_TEXT_NUMBER_MAX];

    uint32_t chunk_from; /* source span of the chunk */
    uint32_t chunk_to;
    uint8_t n_pieces;
    uint8_t piece;
    uint8_t chunk_len;
    struct ads_text_piece pieces[ADS_TEXT_PIECES];
    char chunk[ADS_TEXT_WORD_MAX];

    const uint8_t *ahead; /* one past the character being folded */
    uint8_t n_folded;     /* code points of it, and how many were taken */
    uint8_t folded;
    int32_t code[ADS_TEXT_FOLDED];

    uint8_t pair_len; /* the character before, in a run without spaces */
    bool pair_open;   /* it was not part of any pair yet */
    uint32_t pair_from;
    uint32_t pair_to;
    char pair[ADS_TEXT_WORD_MAX / 2];
};

/* Begins to read the text, which is borrowed until the last call of next. */
void
ads_text_init(struct ads_text_reader *reader, struct ads_str text);

/* The next word; false at the end of the text or past ADS_TEXT_WORDS_MAX. */
bool
ads_text_next(struct ads_text_reader *reader, struct ads_text_word *word);

/*
 * The stem of a word of letters, borrowed from the stemmer until its next
 * call; the word itself where there is no stemmer or nothing to take off.
 */
struct ads_str
ads_text_stem(const struct ads_text *text, const struct ads_text_word *word);

/* The one name of a unit written after a number ("in", "lbs") or `alone`
 * ("lbs"), or NULL. */
const char *
ads_text_unit(const char *bytes, size_t len, bool alone);

/* Is a word of digits and letters a count, an age or a time rather than a name:
 * "12yo", "4th", "40ish", "2x"? */
bool
ads_text_is_count(struct ads_str word);

/* A word that makes the number before it an amount ("dollars"). */
bool
ads_text_is_currency(const char *bytes, size_t len);

/* What a word is worth that others are wrapped in.  All but stop words are
 * indexed, and asked for only when a query holds nothing better. */
enum ads_text_filler {
    ADS_TEXT_CONTENT,
    ADS_TEXT_STOP,   /* "the", "with": never; in titles it ends a phrase */
    ADS_TEXT_FILLER, /* "best", "can": content when right behind content */
    ADS_TEXT_TAIL,   /* "deals", "reviews": content when right before it */
    ADS_TEXT_WISH    /* "recommend", "need": never */
};

enum ads_text_filler
ads_text_filler(struct ads_str word);

#endif
