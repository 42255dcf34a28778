/*
 * Tokenises text in three steps: folded code points, one at a time; chunks of
 * them that touch ("2x4in", "o'neill"); pieces of a chunk, which are the words.
 * Text that is plain ASCII never meets utf8proc.
 */
#include "ads_text.h"

#include <utf8proc.h>

#define CODE_END (-1)

enum code_class {
    CLASS_OTHER,
    CLASS_LETTER,
    CLASS_DIGIT,
    CLASS_MARK,  /* belongs to the character before it */
    CLASS_DENSE, /* of a script without spaces */
    CLASS_SIGN   /* of a currency */
};

/* Written without spaces between words; sorted. */
static const struct {
    int32_t first;
    int32_t last;
} dense_scripts[] = {
    {0x0e00, 0x0eff},   /* Thai, Lao */
    {0x1000, 0x109f},   /* Myanmar */
    {0x1100, 0x115f},   /* Hangul, leading consonants */
    {0x1780, 0x17ff},   /* Khmer */
    {0x3005, 0x3007},   /* ideographic marks */
    {0x3040, 0x30ff},   /* kana */
    {0x31f0, 0x31ff},   /* kana extensions */
    {0x3400, 0x4dbf},   /* Han */
    {0x4e00, 0x9fff},   /* Han */
    {0xac00, 0xd7a3},   /* Hangul syllables */
    {0xf900, 0xfaff},   /* Han */
    {0x20000, 0x3ffff}, /* Han */
};


/* Not a table lookup: with optimisation these are range compares. */
static enum code_class
class_of(int32_t code)
{
    if (code < 128) {
        if (code >= 'a' && code <= 'z') {
            return CLASS_LETTER;
        }
        if (code >= '0' && code <= '9') {
            return CLASS_DIGIT;
        }
        return code == '$' ? CLASS_SIGN : CLASS_OTHER;
    }

    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return CLASS_MARK;
    case UTF8PROC_CATEGORY_SC:
        return CLASS_SIGN;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
        break;
    default:
        return CLASS_OTHER;
    }

    if (code >= 0x1160 && code <= 0x11ff) { /* Hangul vowels and endings */
        return CLASS_MARK;
    }
    for (size_t i = 0; i < sizeof(dense_scripts) / sizeof(*dense_scripts); i++)
    {
        if (code >= dense_scripts[i].first && code <= dense_scripts[i].last) {
            return CLASS_DENSE;
        }
    }
    return CLASS_LETTER;
}


/* Folds the character at pos, which is not ASCII, into code[]. */
static void
fold(struct ads_text_reader *reader)
{
    utf8proc_ssize_t len, n;
    utf8proc_int32_t code, out[ADS_TEXT_FOLDED];
    int boundclass = UTF8PROC_BOUNDCLASS_START;

    reader->n_folded = 0;
    reader->folded = 0;
    len = utf8proc_iterate(reader->pos, reader->last - reader->pos, &code);
    if (len <= 0) {
        reader->ahead = reader->pos + 1;
        reader->code[reader->n_folded++] = ' ';
        return;
    }

    reader->ahead = reader->pos + len;
    n = utf8proc_decompose_char(code, out, ADS_TEXT_FOLDED,
                                UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE
                                    | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE,
                                &boundclass);
    for (utf8proc_ssize_t i = 0; i < n && i < ADS_TEXT_FOLDED; i++) {
        code = out[i];
        if (code >= 0x300 && code <= 0x36f) {
            continue; /* accents of Latin, Greek and Cyrillic */
        }
        if (code == 0x2019 || code == 0x2032) {
            code = '\'';
        } else if (code == 0x201d) {
            code = '"';
        } else if (code == 0x2044) {
            code = '/';
        } else if (code == 0xd7) {
            code = 'x';
        }
        reader->code[reader->n_folded++] = code;
    }
}


/* The folded code point that is next; CODE_END at the end. */
static int32_t
code_peek(struct ads_text_reader *reader)
{
    while (reader->folded >= reader->n_folded) {
        if (reader->pos >= reader->last) {
            return CODE_END;
        }
        if (*reader->pos < 128) {
            int32_t code = *reader->pos;

            return code >= 'A' && code <= 'Z' ? code + 32 : code;
        }
        fold(reader);
        if (reader->n_folded == 0) {
            reader->pos = reader->ahead;
        }
    }
    return reader->code[reader->folded];
}


static void
code_take(struct ads_text_reader *reader)
{
    if (reader->n_folded == 0) {
        reader->pos++;
        return;
    }

    reader->folded++;
    if (reader->folded >= reader->n_folded) {
        reader->n_folded = 0;
        reader->folded = 0;
        reader->pos = reader->ahead;
    }
}


/* The code point i after the peeked one (i from 1), where that is known
 * without folding; else 0. */
static int32_t
code_after(const struct ads_text_reader *reader, uint32_t i)
{
    const uint8_t *at = reader->pos + i;

    if (reader->n_folded > 0) {
        if (reader->folded + i < reader->n_folded) {
            return reader->code[reader->folded + i];
        }
        at = reader->ahead + (reader->folded + i - reader->n_folded);
    }
    if (at >= reader->last || *at >= 128) {
        return 0;
    }
    return *at >= 'A' && *at <= 'Z' ? *at + 32 : *at;
}


static bool
is_digit(int32_t code)
{
    return code >= '0' && code <= '9';
}


static bool
is_letter(int32_t code)
{
    return (code >= 'a' && code <= 'z') || code >= 128;
}


/* Where the text taken so far ends in the source. */
static uint32_t
here(const struct ads_text_reader *reader)
{
    const uint8_t *at = reader->folded > 0 ? reader->ahead : reader->pos;

    return (uint32_t)(at - reader->first);
}


/* ---- numbers and units --------------------------------------------------- */

/* Is the text after the number that was just read an amount's currency? */
static bool
currency_follows(const struct ads_text_reader *reader)
{
    const uint8_t *at = reader->pos;
    char word[8];
    size_t len = 0;

    while (at < reader->last && *at == ' ') {
        at++;
    }
    while (at < reader->last && len < sizeof(word)) {
        int32_t code = *at >= 'A' && *at <= 'Z' ? *at + 32 : *at;

        if (!is_letter(code)) {
            break;
        }
        word[len++] = (char)code;
        at++;
    }
    return ads_text_is_currency(word, len);
}


/* ---- chunks and their pieces --------------------------------------------- */

static void
piece_add(struct ads_text_reader *reader, size_t from, size_t len,
          enum ads_text_kind kind)
{
    if (reader->n_pieces < ADS_TEXT_PIECES && len > 0) {
        reader->pieces[reader->n_pieces++] = (struct ads_text_piece){
            .from = (uint8_t)from, .len = (uint8_t)len, .kind = kind};
    }
}


/* The chunk becomes one word of letters: a unit that was written otherwise. */
static void
chunk_set(struct ads_text_reader *reader, const char *word)
{
    reader->chunk_len = (uint8_t)strlen(word);
    memcpy(reader->chunk, word, reader->chunk_len);
    piece_add(reader, 0, reader->chunk_len, ADS_TEXT_LETTERS);
}


/* Bytes at the start that form a number: digits, and . or / between them. */
static size_t
number_len(const char *at, size_t len)
{
    size_t n = 0;

    while (n < len && (is_digit(at[n]) || at[n] == '.' || at[n] == '/')) {
        n++;
    }
    return n;
}


/* Adds the number at [at, at + n) of the chunk, and the dimensions that it
 * makes with the number before an "x", kept behind the chunk. */
static void
piece_add_number(struct ads_text_reader *reader, size_t at, size_t n)
{
    char *number = reader->chunk + at;
    char *free = reader->chunk + reader->chunk_len;
    size_t before = reader->number_len;

    piece_add(reader, at, n, ADS_TEXT_NUMBER);
    if (reader->after_by && before > 0 && n <= ADS_TEXT_NUMBER_MAX
        && reader->chunk_len + before + 1 + n <= sizeof(reader->chunk))
    {
        memcpy(free, reader->number, before);
        free[before] = 'x';
        memcpy(free + before + 1, number, n);
        piece_add(reader, reader->chunk_len, before + 1 + n, ADS_TEXT_MIXED);
        reader->chunk_len += (uint8_t)(before + 1 + n);
    }

    reader->after_by = false;
    reader->number_len = 0;
    if (n <= ADS_TEXT_NUMBER_MAX) {
        memcpy(reader->number, number, n);
        reader->number_len = (uint8_t)n;
    }
}


/* Adds the unit written at [at, at + n) of the chunk, by its one name, which is
 * kept behind the chunk.  False: no unit. */
static bool
piece_add_unit(struct ads_text_reader *reader, size_t at, size_t n)
{
    const char *unit = ads_text_unit(reader->chunk + at, n, false);
    size_t len = unit == NULL ? 0 : strlen(unit);

    if (unit == NULL || reader->chunk_len + len > sizeof(reader->chunk)) {
        return false;
    }
    memcpy(reader->chunk + reader->chunk_len, unit, len);
    piece_add(reader, reader->chunk_len, len, ADS_TEXT_LETTERS);
    reader->chunk_len += (uint8_t)len;
    return true;
}


/*
 * Cuts a chunk that begins with a digit and holds letters: "55inch",
 * "20cmx30cm", "10guage".  False when it is one mixed word: "4k", "802.11ac".
 */
static bool
chunk_cut_number(struct ads_text_reader *reader)
{
    const char *chunk = reader->chunk;
    size_t len = reader->chunk_len;
    size_t at = 0;

    for (;;) {
        size_t n = number_len(chunk + at, len - at);

        if (n == 0 || (n > 1 && chunk[at] == '0' && is_digit(chunk[at + 1]))) {
            return false; /* "05A" is no current */
        }
        piece_add_number(reader, at, n);
        at += n;
        for (n = 0; at + n < len && !is_digit(chunk[at + n]); n++) {
        }
        if (at + n == len) {
            if (n > 0 && !piece_add_unit(reader, at, n)) {
                piece_add(reader, at, n, ADS_TEXT_LETTERS);
                return n >= 3;
            }
            return true;
        }
        if (chunk[at + n - 1] != 'x'
            || (n > 1 && !piece_add_unit(reader, at, n - 1))) {
            return false;
        }
        reader->after_by = true;
        at += n;
    }
}


/* Decides what a chunk of letters is. */
static void
chunk_cut_letters(struct ads_text_reader *reader, enum ads_text_measure after)
{
    const char *chunk = reader->chunk;
    uint8_t len = reader->chunk_len;
    const char *unit;

    unit = ads_text_unit(chunk, len,
                         after != ADS_TEXT_AFTER_NUMBER
                             && after != ADS_TEXT_AFTER_AREA);

    if (unit != NULL) {
        bool area = unit[0] == 's' || memcmp(unit, "cub", 3) == 0;

        chunk_set(reader, unit);
        reader->measure = area ? ADS_TEXT_AFTER_AREA : ADS_TEXT_AFTER_UNIT;
    } else if (after != ADS_TEXT_AFTER_WORD && len == 1 && chunk[0] == 'x') {
        reader->after_by = true; /* "24 in. x 36 in." */
    } else if (after == ADS_TEXT_AFTER_NUMBER
               && ads_text_is_currency(chunk, len)) {
        piece_add(reader, 0, len, ADS_TEXT_PRICE);
    } else {
        piece_add(reader, 0, len, ADS_TEXT_LETTERS);
    }
}


/* Decides what words the chunk is, given whether it has letters and digits. */
static void
chunk_cut(struct ads_text_reader *reader, bool letters, bool digits)
{
    enum ads_text_measure after = reader->measure;
    uint8_t len = reader->chunk_len;

    reader->measure = ADS_TEXT_AFTER_WORD;
    if (!digits) {
        reader->after_by = false;
        chunk_cut_letters(reader, after);
    } else if (!letters) {
        bool price = reader->after_sign || currency_follows(reader);

        if (price) {
            piece_add(reader, 0, reader->chunk_len, ADS_TEXT_PRICE);
        } else {
            piece_add_number(reader, 0, reader->chunk_len);
        }
        reader->measure = ADS_TEXT_AFTER_NUMBER;
    } else if (is_digit(reader->chunk[0]) && chunk_cut_number(reader)) {
        reader->measure = ADS_TEXT_AFTER_UNIT;
    } else {
        reader->n_pieces = 0;
        reader->after_by = false;
        piece_add(reader, 0, len, ADS_TEXT_MIXED);
    }
}


/* Appends the peeked code point to the chunk (as long as there is room) and
 * takes it. */
static void
chunk_append(struct ads_text_reader *reader, int32_t code)
{
    if (code < 128) {
        if (reader->chunk_len < ADS_TEXT_WORD_MAX) {
            reader->chunk[reader->chunk_len++] = (char)code;
        }
    } else if (reader->chunk_len + 4 <= ADS_TEXT_WORD_MAX) {
        reader->chunk_len += (uint8_t)utf8proc_encode_char(
            code, (utf8proc_uint8_t *)reader->chunk + reader->chunk_len);
    }
    code_take(reader);
}


/* Does the comma that is next stand before one or two digits that end a number,
 * "15,6 Zoll", rather than in a list of numbers? */
static bool
is_decimal_comma(struct ads_text_reader *reader)
{
    uint32_t n = is_digit(code_after(reader, 2)) ? 2 : 1;
    int32_t behind = code_after(reader, n + 1);

    return !is_digit(behind)
           && !(behind == ',' && is_digit(code_after(reader, n + 2)))
           && memchr(reader->chunk, '.', reader->chunk_len) == NULL;
}


/*
 * Inside a chunk, at a character that is neither letter nor digit: takes it
 * when it belongs there.  False: the chunk ends before it.
 */
static bool
chunk_inner(struct ads_text_reader *reader, int32_t code, int32_t before,
            bool letters, bool *ends)
{
    int32_t next = code_after(reader, 1);

    if (code == '\'' && is_letter(before) && is_letter(next)) {
        int32_t then = code_after(reader, 2);

        code_take(reader);
        if (next == 's' && !is_letter(then) && !is_digit(then)) {
            code_take(reader);
            *ends = true;
        }
        return true;
    }
    /* a fraction, but two models: "HQ9/11" */
    if ((code == '.' || (code == '/' && !letters)) && is_digit(before)
        && is_digit(next))
    {
        chunk_append(reader, code);
        return true;
    }
    if (code == ',' && is_digit(before) && is_digit(next) && !letters
        && is_decimal_comma(reader))
    {
        chunk_append(reader, '.');
        return true;
    }
    if (code == ',' && is_digit(before) && is_digit(next)
        && is_digit(code_after(reader, 2)) && is_digit(code_after(reader, 3))
        && !is_digit(code_after(reader, 4)))
    {
        code_take(reader);
        return true;
    }
    return false;
}


/* Is an ASCII letter next? */
static bool
is_plain(const struct ads_text_reader *reader)
{
    return reader->n_folded == 0 && reader->pos < reader->last
           && ads_char_is_letter((char)*reader->pos);
}


/* Takes the ASCII letters that are next, one at least, which need no folding;
 * returns the last of them. */
static int32_t
chunk_append_plain(struct ads_text_reader *reader)
{
    const uint8_t *at = reader->pos;

    int32_t code;

    do {
        code = (uint8_t)ads_char_lower((char)*at++);
        if (reader->chunk_len < ADS_TEXT_WORD_MAX) {
            reader->chunk[reader->chunk_len++] = (char)code;
        }
    } while (at < reader->last && ads_char_is_letter((char)*at));
    reader->pos = at;
    return code;
}


/* Reads a run of letters and digits and cuts it. */
static void
chunk_run(struct ads_text_reader *reader)
{
    bool letters = false, digits = false, ends = false;
    int32_t before = 0;

    reader->chunk_len = 0;
    if (code_peek(reader) == '.') {
        reader->chunk[reader->chunk_len++] = '0'; /* ".5" */
        before = '0';
    }
    while (!ends) {
        enum code_class class;
        int32_t code;

        if (is_plain(reader)) {
            before = chunk_append_plain(reader);
            letters = true;
        }
        code = code_peek(reader);
        if (code == CODE_END) {
            break;
        }
        if (reader->n_folded >= 3 && reader->folded == 0 && is_digit(code)
            && is_digit(before))
        {
            break; /* "1" before a fraction that is one character */
        }

        class = class_of(code);
        if (class == CLASS_LETTER || class == CLASS_MARK) {
            letters = true;
        } else if (class == CLASS_DIGIT) {
            digits = true;
        } else {
            if (!chunk_inner(reader, code, before, letters, &ends)) {
                break;
            }
            before = code;
            continue;
        }
        before = code;
        chunk_append(reader, code);
    }

    reader->chunk_to = here(reader);
    chunk_cut(reader, letters, digits);
    reader->after_sign = false;
}


/* Takes one character of a dense script with its marks into pair[]. */
static void
pair_take(struct ads_text_reader *reader)
{
    int32_t code = code_peek(reader);

    reader->pair_from = (uint32_t)(reader->pos - reader->first);
    reader->pair_len = 0;
    do {
        if (reader->pair_len + 4u <= sizeof(reader->pair)) {
            reader->pair_len += (uint8_t)utf8proc_encode_char(
                code, (utf8proc_uint8_t *)reader->pair + reader->pair_len);
        }
        code_take(reader);
        code = code_peek(reader);
    } while (code != CODE_END && class_of(code) == CLASS_MARK);
    reader->pair_to = here(reader);
}


/* In a run of a dense script: the next two characters that touch. */
static void
pair_run(struct ads_text_reader *reader)
{
    int32_t code;

    if (reader->pair_len == 0) {
        pair_take(reader);
        reader->pair_open = true;
    }

    reader->chunk_from = reader->pair_from;
    reader->chunk_to = reader->pair_to;
    reader->chunk_len = reader->pair_len;
    memcpy(reader->chunk, reader->pair, reader->pair_len);

    code = code_peek(reader);
    if (code != CODE_END && class_of(code) == CLASS_DENSE) {
        pair_take(reader);
        memcpy(reader->chunk + reader->chunk_len, reader->pair,
               reader->pair_len);
        reader->chunk_len += reader->pair_len;
        reader->chunk_to = reader->pair_to;
        reader->pair_open = false;
        piece_add(reader, 0, reader->chunk_len, ADS_TEXT_PAIR);
        return;
    }

    if (reader->pair_open) {
        piece_add(reader, 0, reader->chunk_len, ADS_TEXT_PAIR);
    }
    reader->pair_len = 0;
    reader->measure = ADS_TEXT_AFTER_WORD;
}


/* Takes what separates words.  An inch or foot mark is a word. */
static void
separator_run(struct ads_text_reader *reader, int32_t code)
{
    bool touches =
        reader->measure == ADS_TEXT_AFTER_NUMBER
        && reader->chunk_to == (uint32_t)(reader->pos - reader->first);
    const uint8_t *at = reader->pos;

    reader->chunk_from = (uint32_t)(reader->pos - reader->first);
    code_take(reader);
    if (touches && (code == '"' || code == '\'')) {
        if (code == '\'' && code_peek(reader) == '\'') {
            code_take(reader);
            code = '"';
        }
        reader->chunk_to = here(reader);
        chunk_set(reader, code == '"' ? "inch" : "foot");
        reader->measure = ADS_TEXT_AFTER_UNIT;
        return;
    }

    if (code == ' ' || code == '.' || code == '/') {
        return;
    }
    if (code == '-'
        && !(at > reader->first && at[-1] == ' ' && at + 1 < reader->last
             && at[1] == ' '))
    {
        return;
    }
    reader->measure = ADS_TEXT_AFTER_WORD;
    reader->after_sign = false;
    if (code >= 128 || strchr(",;:()[]{}|!?-\n\t", code) != NULL) {
        reader->gap = ADS_TEXT_BREAK;
    }
}


/* Is the dot that is next the first character of a number? */
static bool
is_leading_dot(const struct ads_text_reader *reader)
{
    return is_digit(code_after(reader, 1))
           && (reader->pos == reader->first || reader->pos[-1] == ' '
               || reader->pos[-1] == '(');
}


/* Reads on until there are pieces; false at the end of the text. */
static bool
chunk_next(struct ads_text_reader *reader)
{
    reader->n_pieces = 0;
    reader->piece = 0;
    do {
        int32_t code = code_peek(reader);
        enum code_class class;

        if (reader->pair_len > 0) {
            pair_run(reader);
            continue;
        }
        if (code == CODE_END) {
            return false;
        }

        class = class_of(code);
        if (class == CLASS_LETTER || class == CLASS_DIGIT
            || (code == '.' && is_leading_dot(reader)))
        {
            reader->chunk_from = (uint32_t)(reader->pos - reader->first);
            chunk_run(reader);
        } else if (class == CLASS_DENSE) {
            pair_run(reader);
        } else if (class == CLASS_SIGN) {
            code_take(reader);
            reader->after_sign = true;
        } else {
            separator_run(reader, code);
        }
    } while (reader->n_pieces == 0);
    return true;
}


void
ads_text_init(struct ads_text_reader *reader, struct ads_str text)
{
    memset(reader, 0, sizeof(*reader));
    reader->first = (const uint8_t *)(text.len > 0 ? text.ptr : "");
    reader->pos = reader->first;
    reader->last = reader->first + text.len;
}


bool
ads_text_next(struct ads_text_reader *reader, struct ads_text_word *word)
{
    const struct ads_text_piece *piece;

    if (reader->n_words >= ADS_TEXT_WORDS_MAX
        || (reader->piece >= reader->n_pieces && !chunk_next(reader)))
    {
        return false;
    }

    piece = &reader->pieces[reader->piece++];
    word->from = reader->chunk_from;
    word->to = reader->chunk_to;
    word->kind = piece->kind;
    word->gap = reader->gap;
    word->len = piece->len;
    memcpy(word->bytes, reader->chunk + piece->from, piece->len);
    reader->gap = ADS_TEXT_NEAR;
    reader->n_words++;
    return true;
}
