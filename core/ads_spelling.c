/*
 * Undoes disguised spellings of words.
 *
 * First the text is cut into pieces at all that is no letter, digit or sign
 * that may stand for a letter.  Then pieces that only together are a word are
 * joined: four single letters or more, whatever stands between them, or three
 * short pieces or more with one sign between each two.
 */
#include "ads_spelling.h"

#include <utf8proc.h>

#include "ads_confusable.h"

#define SINGLES_MIN 4
#define GLUED_MIN 3
#define GLUED_LEN_MAX 3 /* letters of a piece of "vi-ag-ra" */
#define TAIL_LEN_MAX 12 /* of its last one: "c.o.caine" */
#define OVERLAP 24      /* letters of a run that is read in parts */
#define ODD_LEN_MIN 3
#define FOREIGN_LEN_MIN 4
#define LONG_LEN 6 /* a word so long may have two signs for each letter */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define KEY_LEN 4
#define SELF (1u << 26)
#define LETTER(c) (1u << ((c) - 'a'))
#define VOWELS \
    (LETTER('a') | LETTER('e') | LETTER('i') | LETTER('o') | LETTER('u'))

#define ROW16(v) v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v

#define SG ADS_SPELLING_SIGN
#define GL ADS_SPELLING_GLUE
#define DI ADS_SPELLING_DIGIT

/*
 * Accented letters of Western Europe (0xc3) and punctuation (0xe2) need no
 * second look-up; 0x98 and 0xb8 end a stroked o, which folding leaves.
 */
/* clang-format off */
static const uint8_t looks[256] = {
    ROW16(0), ROW16(0),
    0, SG, 0, 0, SG, 0, 0, 0, 0, 0, SG | GL, SG | GL, GL, GL, GL, GL,
    DI, DI, DI, DI, DI, DI, DI, DI, DI, DI, GL, GL, 0, GL, 0, 0,
    SG, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, GL, 0, GL, GL,
    GL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, SG | GL, 0, GL, 0,
    ROW16(0),
    0, 0, 0, 0, 0, 0, 0, 0, SG, 0, 0, 0, 0, 0, 0, 0,
    ROW16(0),
    0, 0, 0, 0, 0, 0, 0, 0, SG, 0, 0, 0, 0, 0, 0, 0,
    0, 0, GL, 0, SG, SG, SG, SG, SG, SG, SG, SG, 0, 0, SG, SG,
    SG, SG, SG, SG, SG, SG, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, SG, GL, GL, 0, 0, 0, 0, 0, 0, SG, 0, 0, 0, 0, GL,
    SG, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
/* clang-format on */

enum unit { UNIT_SEPARATES, UNIT_SILENT, UNIT_ADDS };


static bool
is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}


static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}


static bool
is_alnum(char c)
{
    char lower = (char)(c | 0x20);

    return is_letter(lower) || is_digit(c) || (uint8_t)c >= 0x80;
}


/* Letters enough, among digits and signs, to be a word and not a number? */
static bool
is_wordy(size_t n_letters, size_t len)
{
    return n_letters >= 2 && n_letters * (len >= LONG_LEN ? 3 : 2) >= len;
}


/* Is there a word of ASCII letters and digits that could be read as another
 * one? */
static bool
has_mixed(struct ads_str text)
{
    size_t len = 0, n_letters = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool letter = is_letter((char)(text.ptr[i] | 0x20));

        if (letter || is_digit(text.ptr[i])) {
            len++;
            n_letters += letter;
            continue;
        }
        if (n_letters < len && is_wordy(n_letters, len)) {
            return true;
        }
        len = n_letters = 0;
    }
    return n_letters < len && is_wordy(n_letters, len);
}


/* Do two signs stand between letters, as in "vi-ag-ra"? */
static bool
has_glued(struct ads_str text)
{
    const uint8_t *at = (const uint8_t *)text.ptr;
    unsigned n = 0;

    for (size_t i = 1; i + 1 < text.len; i++) {
        n += (looks[at[i]] & GL) != 0 && is_alnum(text.ptr[i - 1])
             && is_alnum(text.ptr[i + 1]);
    }
    return n >= GLUED_MIN - 1;
}


/* Three letters alike; not three dots or spaces. */
static bool
has_triple(struct ads_str text)
{
    for (size_t i = 2; i < text.len; i++) {
        char c = (char)(text.ptr[i] | 0x20);

        if (is_letter(c) && (text.ptr[i - 1] | 0x20) == c
            && (text.ptr[i - 2] | 0x20) == c)
        {
            return true;
        }
    }
    return false;
}


static uint64_t
eight(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}


/* Is a byte followed by two that differ from it in nothing but case?  Eight are
 * compared at a time; the last few are not worth that. */
static bool
may_have_triple(const uint8_t *at, size_t len)
{
    uint64_t zeros = 0;
    size_t i = 0;

    for (; i + 10 <= len; i += 8) {
        uint64_t first = eight(at + i);
        uint64_t unlike =
            ((first ^ eight(at + i + 1)) | (first ^ eight(at + i + 2)))
            & ~EACH(0x20);

        zeros |= (unlike - EACH(0x01)) & ~unlike & EACH(0x80);
    }
    for (; i + 2 < len; i++) {
        zeros |= (((at[i] ^ at[i + 1]) | (at[i] ^ at[i + 2])) & ~0x20u) == 0;
    }
    return zeros != 0;
}


unsigned
ads_spelling_look(struct ads_str text)
{
    const uint8_t *at = (const uint8_t *)text.ptr;
    unsigned seen = 0;
    size_t i = 0;

    for (; i + 4 <= text.len; i += 4) {
        seen |= looks[at[i]] | looks[at[i + 1]] | looks[at[i + 2]]
                | looks[at[i + 3]];
    }
    for (; i < text.len; i++) {
        seen |= looks[at[i]];
    }
    if ((seen & GL) != 0 && !has_glued(text)) {
        seen &= ~(unsigned)GL;
    }
    if ((seen & DI) != 0 && !has_mixed(text)) {
        seen &= ~(unsigned)DI;
    }
    if (may_have_triple(at, text.len) && has_triple(text)) {
        seen |= ADS_SPELLING_TRIPLE;
    }
    return seen;
}


/* ---- pieces -------------------------------------------------------------- */

/* A sign is a letter only beside one, and not where it stands between all
 * letters, as in "c*o*c*a". */
static bool
is_sign(const struct ads_spelling *spelling)
{
    const char *at = spelling->rest.ptr;
    bool left = at > spelling->begin && is_alnum(at[-1]);
    bool right = spelling->rest.len > 1 && is_alnum(at[1]);
    bool again = spelling->rest.len > 1 && at[1] == *at;
    bool between = (spelling->rest.len > 2 && at[2] == *at)
                   || (at - spelling->begin >= 2 && at[-2] == *at);

    switch (*at) {
    case '@':
        return right;
    case '$':
        return left || right || again;
    case '!':
        return (right || again) && !between;
    case '|':
    case '+':
    case '*':
        return left && right && !between;
    default:
        return false;
    }
}


static void
piece_add(struct ads_spelling_piece *piece, char c)
{
    if (piece->len < sizeof(piece->text)) {
        piece->text[piece->len++] = c;
        piece->n_letters += is_letter(c);
    }
}


/* What a code point beyond ASCII adds to the piece. */
static enum unit
long_add(struct ads_spelling_piece *piece, int32_t code)
{
    int32_t codes[ADS_FOLD_CODES_MAX];
    char like = ads_confusable(code);
    size_t n;

    if (like != 0) {
        piece->foreign = true;
        piece_add(piece, like);
        return UNIT_ADDS;
    }
    if (!ads_fold_code(code, codes, &n)) {
        return UNIT_SEPARATES;
    }
    for (size_t i = 0; i < n; i++) {
        like = codes[i] < 0x80 ? 0 : ads_confusable(codes[i]);
        piece->foreign = piece->foreign || like != 0;
        piece->opaque = piece->opaque || (codes[i] >= 0x80 && like == 0);
        piece_add(piece, codes[i] < 0x80 ? (char)codes[i] : like);
    }
    return n == 0 ? UNIT_SILENT : UNIT_ADDS;
}


/* Reads one code point off the rest. */
static enum unit
unit_read(struct ads_spelling *spelling, struct ads_spelling_piece *piece)
{
    struct ads_str *rest = &spelling->rest;
    char c = *rest->ptr;
    char lower = (char)(c | 0x20);
    enum unit unit = UNIT_SEPARATES;
    utf8proc_ssize_t len = 1;
    utf8proc_int32_t code;

    if ((uint8_t)c >= 0x80) {
        len = utf8proc_iterate((const utf8proc_uint8_t *)rest->ptr,
                               (utf8proc_ssize_t)rest->len, &code);
        if (len > 0) {
            unit = long_add(piece, code);
        } else {
            len = 1;
        }
    } else if (is_letter(lower) || is_digit(c) || is_sign(spelling)) {
        piece_add(piece, is_letter(lower) ? lower : c);
        unit = UNIT_ADDS;
    } else if (c == '\'' && piece->len > 1) {
        unit = UNIT_SILENT;
    }
    rest->ptr += len;
    rest->len -= (size_t)len;
    return unit;
}


/* The next piece, empty at the end. */
static void
piece_read(struct ads_spelling *spelling, struct ads_spelling_piece *piece)
{
    unsigned gap = 0;
    bool space = false;

    *piece = (struct ads_spelling_piece){0};
    while (spelling->rest.len > 0 && piece->len < sizeof(piece->text)) {
        struct ads_str before = spelling->rest;

        if (unit_read(spelling, piece) != UNIT_SEPARATES) {
            continue;
        }
        if (piece->len > 0) {
            spelling->rest = before; /* it is the gap before the next one */
            break;
        }
        gap++;
        space = space || *before.ptr == ' '
                || (*before.ptr >= '\t' && *before.ptr <= '\r');
    }
    piece->glued = gap == 1 && !space;
}


static void
pieces_fill(struct ads_spelling *spelling)
{
    while (spelling->n_ahead < ADS_SPELLING_AHEAD) {
        struct ads_spelling_piece *piece = &spelling->ahead[spelling->n_ahead];

        piece_read(spelling, piece);
        if (piece->len == 0) {
            break;
        }
        spelling->n_ahead++;
    }
}


static void
pieces_drop(struct ads_spelling *spelling)
{
    spelling->n_ahead--;
    memmove(spelling->ahead, spelling->ahead + 1,
            spelling->n_ahead * sizeof(spelling->ahead[0]));
}


/* ---- words --------------------------------------------------------------- */

static bool
is_short(const struct ads_spelling_piece *piece, size_t len_max)
{
    return piece->len <= len_max && !piece->opaque;
}


/* Do single letters begin here, enough to be a word? */
static bool
singles_begin(const struct ads_spelling *spelling)
{
    unsigned n = 0;

    while (n < spelling->n_ahead && is_short(&spelling->ahead[n], 1)) {
        n++;
    }
    return n >= SINGLES_MIN;
}


/* Do short pieces begin here with one sign between each two, one of them a
 * single letter or all of them shorter than words are? */
static bool
glued_begin(const struct ads_spelling *spelling)
{
    const struct ads_spelling_piece *ahead = spelling->ahead;

    if (spelling->n_ahead < GLUED_MIN || !is_short(&ahead[0], GLUED_LEN_MAX)) {
        return false;
    }
    for (unsigned i = 1; i < GLUED_MIN; i++) {
        size_t len_max = i == GLUED_MIN - 1 ? TAIL_LEN_MAX : GLUED_LEN_MAX;

        if (!ahead[i].glued || !is_short(&ahead[i], len_max)) {
            return false;
        }
    }
    return true;
}


/* What the next word begins with again of one that had no more room. */
static void
overlap_read(struct ads_spelling *spelling, struct ads_spelling_word *word)
{
    unsigned from = word->len - spelling->overlap;

    memmove(word->text, word->text + from, spelling->overlap);
    word->begins >>= from;
    word->len = (uint8_t)spelling->overlap;
}


/* Joins the pieces of a run to a word. */
static void
run_read(struct ads_spelling *spelling, struct ads_spelling_word *word)
{
    const struct ads_spelling_piece *piece = &spelling->ahead[0];
    bool singles = singles_begin(spelling);
    bool glued = true;
    bool more;

    do {
        memcpy(word->text + word->len, piece->text, piece->len);
        word->begins |= (uint64_t)1 << word->len;
        word->len = (uint8_t)(word->len + piece->len);
        pieces_drop(spelling);
        pieces_fill(spelling);
        glued = glued && spelling->n_ahead > 0 && piece->glued;
        more = spelling->n_ahead > 0
               && ((singles && is_short(piece, 1))
                   || (glued && is_short(piece, TAIL_LEN_MAX)));
    } while (more && word->len + TAIL_LEN_MAX <= ADS_SPELLING_RUN_MAX);
    spelling->overlap = more ? OVERLAP : 0;
}


/* Digits and signs alone are no word. */
static bool
run_is_wordy(const struct ads_spelling_word *word)
{
    size_t n_letters = 0;

    for (size_t i = 0; i < word->len; i++) {
        n_letters += is_letter(word->text[i]);
    }
    return is_wordy(n_letters, word->len);
}


static bool
text_has_triple(const struct ads_spelling_piece *piece)
{
    return has_triple((struct ads_str){piece->text, piece->len});
}


/* Is the piece by itself one that reads as another word? */
static bool
is_odd(const struct ads_spelling_piece *piece)
{
    return !piece->opaque && is_wordy(piece->n_letters, piece->len)
           && ((piece->n_letters < piece->len && piece->len >= ODD_LEN_MIN)
               || (piece->len >= FOREIGN_LEN_MIN
                   && (piece->foreign || text_has_triple(piece))));
}


void
ads_spelling_init(struct ads_spelling *spelling, struct ads_str query)
{
    spelling->rest = query;
    spelling->begin = query.ptr;
    spelling->n_ahead = 0;
    spelling->overlap = 0;
}


bool
ads_spelling_next(struct ads_spelling *spelling, struct ads_spelling_word *word)
{
    const struct ads_spelling_piece *piece = &spelling->ahead[0];

    pieces_fill(spelling);
    if (spelling->n_ahead == 0) {
        return false;
    }
    if (singles_begin(spelling) || glued_begin(spelling)
        || spelling->overlap > 0) {
        if (spelling->overlap > 0) {
            overlap_read(spelling, word);
        } else {
            word->begins = word->len = 0;
        }
        run_read(spelling, word);
        word->odd = word->joined = run_is_wordy(word);
        return true;
    }
    word->odd = is_odd(piece);
    word->joined = false;
    word->len = piece->opaque ? 0 : piece->len;
    memcpy(word->text, piece->text, piece->len);
    pieces_drop(spelling);
    return true;
}


/* ---- comparing ----------------------------------------------------------- */

/* The letters that a sign may stand for. */
static uint32_t
letters_of(char c)
{
    switch (c) {
    case '0':
        return LETTER('o');
    case '1':
    case '!':
    case '|':
        return LETTER('i') | LETTER('l');
    case '2':
        return LETTER('z');
    case '3':
        return LETTER('e');
    case '4':
    case '@':
        return LETTER('a');
    case '5':
    case '$':
        return LETTER('s');
    case '6':
    case '9':
        return LETTER('g');
    case '7':
    case '+':
        return LETTER('t');
    case '8':
        return LETTER('b');
    case '*':
        return VOWELS;
    default:
        return is_letter(c) ? LETTER(c) : 0;
    }
}


/* '*' of the text is a vowel, '*' of a phrase is none of its letters. */
static bool
is_read_as(char c, char letter)
{
    return (c == letter && letter > '*')
           || (is_letter(letter) && (letters_of(c) & LETTER(letter)) != 0);
}


static bool
is_triple(const char *text, size_t len)
{
    return len >= 3 && text[1] == text[0] && text[2] == text[0];
}


/* How many signs from here on are one letter, repeated: 1, or 3 and more. */
static size_t
repeated(const char *text, size_t len)
{
    size_t n = 3;

    if (!is_triple(text, len)) {
        return 1;
    }
    while (n < len && text[n] == text[0]) {
        n++;
    }
    return n;
}


bool
ads_spelling_fits(const char *text, size_t len, const char *phrase,
                  const char **rest)
{
    size_t at = 0;

    while (at < len && is_read_as(text[at], *phrase)) {
        size_t n = repeated(text + at, len - at);

        phrase += n > 1 && phrase[1] == phrase[0] ? 2 : 1;
        at += n;
    }
    *rest = phrase + (*phrase == '*');
    if (*phrase == '*') {
        return true;
    }
    if (at > 2 && at == len - 1 && is_read_as(text[at], 's')) {
        at = len; /* a plural */
    }
    return at == len && (*phrase == ' ' || *phrase == '\0');
}


size_t
ads_spelling_fits_joined(const char *text, size_t len, const char *phrase)
{
    size_t at = 0;

    for (; *phrase != '\0' && *phrase != '*'; phrase++) {
        if (*phrase == ' ') {
            continue;
        }
        if (at == len || !is_read_as(text[at], *phrase)) {
            return 0;
        }
        at++;
    }
    return *phrase == '*' && phrase[1] != '\0' ? 0 : at;
}


/* The keys that begin with `key` and have `depth` bytes more. */
static size_t
keys_add(const char *text, size_t len, unsigned depth, uint32_t key,
         uint32_t *keys, size_t n_max)
{
    /* what is no letter may stand for itself, too: bit 26 */
    uint32_t letters;
    size_t step, n = 0;

    if (depth == 0 || len == 0) {
        *keys = depth < KEY_LEN ? key << 8 * depth : 0;
        return 1;
    }
    letters = letters_of(*text);
    letters |= is_letter(*text) || *text == '*' ? 0 : SELF;
    step = repeated(text, len);
    for (; letters != 0 && n < n_max; letters &= letters - 1) {
        int i = __builtin_ctz(letters);
        uint32_t c = i == 26 ? (uint8_t)*text : (uint8_t)('a' + i);

        n += keys_add(text + step, len - step, depth - 1, key << 8 | c,
                      keys + n, n_max - n);
        if (step > 1 && depth > 1 && n < n_max) {
            n += keys_add(text + step, len - step, depth - 2,
                          key << 16 | c << 8 | c, keys + n, n_max - n);
        }
    }
    return n;
}


size_t
ads_spelling_keys(const char *text, size_t len, unsigned n,
                  uint32_t keys[ADS_SPELLING_KEYS_MAX])
{
    size_t found;

    if (len == 0) {
        return 0;
    }
    found = keys_add(text, len, n, 0, keys, ADS_SPELLING_KEYS_MAX);
    for (size_t i = 0; i < found; i++) {
        keys[i] <<= n < KEY_LEN && n > 0 ? 8 * (KEY_LEN - n) : 0;
    }
    return found;
}
