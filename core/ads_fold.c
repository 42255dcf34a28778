/*
 * Folds words (case, accents, compatibility forms).  ASCII goes through one
 * table; anything else through utf8proc, one code point at a time, into a
 * buffer on the stack.
 */
#include "ads_fold.h"

#include <utf8proc.h>

/* Classes in ascii[]; any other value is the folded byte itself. */
#define SEPARATOR 0
#define APOSTROPHE 1
#define MORE 2 /* first byte of a longer sequence */

#define RIGHT_QUOTE 0x2019 /* the typographic apostrophe */
#define EURO_SIGN 0x20ac
#define POUND_SIGN 0xa3
#define YEN_SIGN 0xa5

/* A longer code point begins a new word when less than this is left; the few
 * that fold to more than that lose their end. */
#define ROOM 8

#define ROW16(v) v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v

/* clang-format off */
static const uint8_t ascii[256] = {
    ROW16(SEPARATOR), ROW16(SEPARATOR),
    0, 0, 0, 0, '$', 0, 0, APOSTROPHE, 0, 0, 0, 0, 0, 0, 0, 0,
    '0', '1', '2', '3', '4', '5', '6', '7',
    '8', '9', 0, 0, 0, 0, 0, '?',
    0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n',
    'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 0, 0, 0, 0, 0,
    APOSTROPHE, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l',
    'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    0, 0, 0, 0, 0,
    ROW16(MORE), ROW16(MORE), ROW16(MORE), ROW16(MORE),
    ROW16(MORE), ROW16(MORE), ROW16(MORE), ROW16(MORE),
};
/* clang-format on */

struct word {
    char *bytes;
    size_t len;
};


static bool
is_sign(char c)
{
    return c == '$' || c == '?';
}


static void
word_add(struct word *word, const void *bytes, size_t len)
{
    if (word->len + len <= ADS_FOLD_WORD_MAX) {
        memcpy(word->bytes + word->len, bytes, len);
        word->len += len;
    }
}


bool
ads_fold_code(int32_t code, int32_t codes[ADS_FOLD_CODES_MAX], size_t *n)
{
    utf8proc_ssize_t len;
    int boundary = 0;

    len = utf8proc_decompose_char(code, codes, ADS_FOLD_CODES_MAX,
                                  UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE
                                      | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK
                                      | UTF8PROC_IGNORE,
                                  &boundary);
    *n = len > 0 && len <= ADS_FOLD_CODES_MAX ? (size_t)len : 0;

    for (size_t i = 0; i < *n; i++) {
        utf8proc_category_t category = utf8proc_category(codes[i]);

        if (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_NO)
        {
            *n = i;
            return false;
        }
    }
    return true; /* a bare mark folds to nothing and joins */
}


/* Adds the folded letters of one code point; false when a separator is in it.
 */
static bool
word_add_folded(struct word *word, utf8proc_int32_t code)
{
    int32_t codes[ADS_FOLD_CODES_MAX];
    size_t n;
    bool joins = ads_fold_code(code, codes, &n);

    for (size_t i = 0; i < n; i++) {
        utf8proc_uint8_t bytes[4];

        word_add(word, bytes, (size_t)utf8proc_encode_char(codes[i], bytes));
    }
    return joins;
}


/*
 * Reads one code point beyond ASCII at the head of *rest into the word; true
 * while the word goes on.  A currency sign that would end a word is left for
 * the next call.
 */
static bool
word_read_long(struct word *word, struct ads_str *rest)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t len;
    bool joins;

    if (word->len > ADS_FOLD_WORD_MAX - ROOM) {
        return false;
    }

    len = utf8proc_iterate((const utf8proc_uint8_t *)rest->ptr,
                           (utf8proc_ssize_t)rest->len, &code);
    if (len <= 0) {
        rest->ptr++;
        rest->len--;
        return false;
    }

    if (code == EURO_SIGN || code == POUND_SIGN || code == YEN_SIGN) {
        if (word->len > 0) {
            return false;
        }
        word_add(word, rest->ptr, (size_t)len);
        joins = false;
    } else if (code == RIGHT_QUOTE) {
        joins = word->len > 0;
    } else {
        joins = word_add_folded(word, code);
    }

    rest->ptr += len;
    rest->len -= (size_t)len;
    return joins;
}


/* Reads what is at the head of *rest into the word; true while it goes on. */
static bool
word_read(struct word *word, struct ads_str *rest)
{
    char folded = (char)ascii[(uint8_t)*rest->ptr];

    if (folded == MORE) {
        return word_read_long(word, rest);
    }
    if (word->len > 0 && (is_sign(folded) || word->len == ADS_FOLD_WORD_MAX)) {
        return false;
    }

    rest->ptr++;
    rest->len--;
    if (folded == SEPARATOR || folded == APOSTROPHE) {
        return folded == APOSTROPHE && word->len > 0;
    }
    word->bytes[word->len++] = folded;
    return !is_sign(folded);
}


/* What is left to word_read() is the exception: take plain letters at once. */
static void
word_read_plain(struct word *word, struct ads_str *rest)
{
    const char *at = rest->ptr;
    const char *last = at + rest->len;
    size_t len = word->len;

    while (at < last && len < ADS_FOLD_WORD_MAX) {
        char folded = (char)ascii[(uint8_t)*at];

        if (folded <= MORE || is_sign(folded)) {
            break;
        }
        word->bytes[len++] = folded;
        at++;
    }

    word->len = len;
    rest->len -= (size_t)(at - rest->ptr);
    rest->ptr = at;
}


size_t
ads_fold_word(struct ads_str *rest, char word[ADS_FOLD_WORD_MAX])
{
    struct word w = {.bytes = word, .len = 0};

    for (;;) {
        word_read_plain(&w, rest);
        if (rest->len == 0 || (!word_read(&w, rest) && w.len > 0)) {
            break;
        }
    }
    return w.len;
}
