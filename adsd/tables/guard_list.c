/*
 * Parses and compiles the guard's lists.
 */
#include "tables/guard_list.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ads_fold.h"
#include "ads_guard_table.h"
#include "ads_utf8.h"
#include "base/pool.h"

#define LINE_MAX_LEN 256
#define SPACES " \t\r\n"

struct entry {
    struct ads_guard_phrase phrase;
    unsigned line;
    bool own; /* of the operator's file */
};

struct reader {
    const char *folder;
    const char *file;
    FILE *errors;
    unsigned n_errors;
    bool failed; /* a file could not be read */

    /* where it stands */
    bool own;
    unsigned meaning; /* ADS_GUARD_NONE: no section has begun */
    unsigned line;

    struct entry *entries;
    size_t n;
    size_t room;
};


/* ---- names and mistakes -------------------------------------------------- */

/* What a section or a shipped file is called. */
static const char *
meaning_name(unsigned meaning)
{
    switch (meaning) {
    case ADS_GUARD_HARMLESS:
        return "harmless";
    case ADS_GUARD_YOUNG:
        return "young";
    case ADS_GUARD_GROWN_UP:
        return "grown_up";
    default:
        return ads_guard_name((enum ads_guard_topic)meaning);
    }
}


/* ADS_GUARD_NONE: there is no such meaning. */
static unsigned
meaning_find(const char *name)
{
    for (unsigned i = ADS_GUARD_NONE + 1; i < ADS_GUARD_N_MEANINGS; i++) {
        if (strcmp(meaning_name(i), name) == 0) {
            return i;
        }
    }
    return ADS_GUARD_NONE;
}


/* The path of the file that has the meaning's shipped phrases. */
static void
path_write(char path[PATH_MAX], const struct reader *reader, unsigned meaning)
{
    (void)snprintf(path, PATH_MAX, "%s/%s.txt", reader->folder,
                   meaning_name(meaning));
}


__attribute__((format(printf, 5, 6))) static void
mistake(struct reader *reader, bool own, unsigned meaning, unsigned line,
        const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;

    path_write(path, reader, meaning);
    (void)fprintf(reader->errors, "%s:%u: ", own ? reader->file : path, line);
    va_start(args, format);
    (void)vfprintf(reader->errors, format, args);
    va_end(args);
    (void)fputc('\n', reader->errors);
    reader->n_errors++;
}


/* ---- one phrase ---------------------------------------------------------- */

/* Appends a word; false when there are too many, or too long ones. */
static bool
word_add(struct ads_guard_phrase *phrase, unsigned *n_words, const char *word,
         size_t len)
{
    size_t at = strlen(phrase->text);

    if (*n_words == ADS_GUARD_WORDS_MAX
        || at + (at > 0) + len > ADS_GUARD_PHRASE_MAX)
    {
        return false;
    }
    if (at > 0) {
        phrase->text[at++] = ' ';
    }
    memcpy(phrase->text + at, word, len);
    (*n_words)++;
    return true;
}


/* The words of what stands between two spaces; NULL, or what is wrong. */
static const char *
token_read(struct ads_guard_phrase *phrase, unsigned *n_words,
           struct ads_str token)
{
    static const char too_long[] = "at most 6 words and 45 bytes";
    char word[ADS_FOLD_WORD_MAX + 1];
    bool open = token.len > 1 && token.ptr[token.len - 1] == '*';
    unsigned before = *n_words;
    size_t len;

    if (token.len == 1 && *token.ptr == '#') {
        if (*n_words == 0) {
            return "'#' cannot come first";
        }
        return word_add(phrase, n_words, "#", 1) ? NULL : too_long;
    }
    token.len -= open;
    if (memchr(token.ptr, '*', token.len) != NULL
        || memchr(token.ptr, '#', token.len) != NULL)
    {
        return "'*' stands only at the end of a word, '#' only alone";
    }
    while ((len = ads_fold_word(&token, word)) > 0) {
        if (len == 1 && (*word == '?' || *word == '$')) {
            break; /* the guard does not read them */
        }
        if (open && token.len == 0) {
            if (len < ADS_GUARD_PREFIX_MIN) {
                return "too few letters before '*', at least 4";
            }
            word[len++] = '*';
        } else {
            len = ads_guard_stem(word, len);
        }
        if (!word_add(phrase, n_words, word, len)) {
            return too_long;
        }
    }
    return *n_words == before ? "neither letters nor digits" : NULL;
}


/* NULL, or what is wrong with the phrase. */
static const char *
phrase_read(struct ads_guard_phrase *phrase, char *text)
{
    unsigned n_words = 0;
    char *rest = NULL;
    const char *why = NULL;

    for (char *token = strtok_r(text, SPACES, &rest);
         token != NULL && why == NULL; token = strtok_r(NULL, SPACES, &rest))
    {
        why = token_read(phrase, &n_words,
                         (struct ads_str){token, strlen(token)});
    }
    return why;
}


/* ---- files --------------------------------------------------------------- */

static void
entry_add(struct reader *reader, const struct ads_guard_phrase *phrase)
{
    if (reader->n == reader->room) {
        reader->room = 2 * reader->room + 1024;
        reader->entries =
            xrealloc(reader->entries, reader->room * sizeof(*reader->entries));
    }
    reader->entries[reader->n++] = (struct entry){
        .phrase = *phrase, .line = reader->line, .own = reader->own};
}


static void
section_read(struct reader *reader, char *text)
{
    size_t len = strlen(text);

    if (!reader->own) {
        mistake(reader, false, reader->meaning, reader->line,
                "a list of one meaning has no sections");
        return;
    }
    reader->meaning = ADS_GUARD_N_MEANINGS; /* known to be wrong */
    if (text[len - 1] == ']') {
        text[len - 1] = '\0';
        reader->meaning = meaning_find(text + 1);
    }
    if (reader->meaning == ADS_GUARD_NONE
        || reader->meaning == ADS_GUARD_N_MEANINGS)
    {
        mistake(reader, true, 0, reader->line,
                "no section \"%s\" (docs/guard.md lists them)", text + 1);
        reader->meaning = ADS_GUARD_N_MEANINGS;
    }
}


static void
line_read(struct reader *reader, char *text)
{
    struct ads_guard_phrase phrase = {.text = ""};
    const char *why;
    size_t len;

    text += strspn(text, SPACES);
    len = strlen(text);
    while (len > 0 && strchr(SPACES, text[len - 1]) != NULL) {
        text[--len] = '\0';
    }
    if (len == 0 || *text == '#') {
        return;
    }
    if (*text == '[') {
        section_read(reader, text);
        return;
    }
    if (reader->meaning == ADS_GUARD_N_MEANINGS) {
        return; /* of a section whose name is a mistake already */
    }
    if (reader->meaning == ADS_GUARD_NONE) {
        why = "a phrase before the first section, such as [harmless]";
    } else if (!ads_utf8_check((struct ads_str){text, len})) {
        why = "not UTF-8";
    } else {
        why = phrase_read(&phrase, text);
    }
    if (why != NULL) {
        mistake(reader, reader->own, reader->meaning, reader->line, "%s", why);
        return;
    }
    phrase.meaning = (uint8_t)reader->meaning;
    entry_add(reader, &phrase);
}


static void
file_read(struct reader *reader, const char *path)
{
    char text[LINE_MAX_LEN + 2];
    FILE *in = fopen(path, "re");

    reader->line = 0;
    while (in != NULL && fgets(text, sizeof(text), in) != NULL) {
        reader->line++;
        if (strchr(text, '\n') == NULL && !feof(in)) {
            mistake(reader, reader->own, reader->meaning, reader->line,
                    "a line of more than %d bytes", LINE_MAX_LEN);
            break;
        }
        line_read(reader, text);
    }
    if (in == NULL || ferror(in)) {
        (void)fprintf(reader->errors, "%s: %s\n", path, strerror(errno));
        reader->failed = true;
    }
    if (in != NULL) {
        (void)fclose(in);
    }
}


/* ---- all of them --------------------------------------------------------- */

/* By text; of the same the operator's first, then in file order. */
static int
entry_compare(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    int order = strcmp(one->phrase.text, other->phrase.text);

    if (order == 0) {
        order = (int)other->own - (int)one->own;
    }
    if (order == 0) {
        order = (int)one->phrase.meaning - (int)other->phrase.meaning;
    }
    return order != 0 ? order
                      : (one->line > other->line) - (one->line < other->line);
}


/* Puts the entries in order, each text once; one that is twice in what ships,
 * or in the operator's file, is a mistake. */
static void
entries_settle(struct reader *reader)
{
    size_t n = 0;

    if (reader->n > 0) {
        qsort(reader->entries, reader->n, sizeof(*reader->entries),
              entry_compare);
    }
    for (size_t i = 0; reader->entries != NULL && i < reader->n; i++) {
        const struct entry *entry = &reader->entries[i];
        const struct entry *before = n > 0 ? &reader->entries[n - 1] : NULL;

        if (before == NULL
            || strcmp(before->phrase.text, entry->phrase.text) != 0) {
            reader->entries[n++] = *entry;
        } else if (before->own == entry->own) {
            mistake(reader, entry->own, entry->phrase.meaning, entry->line,
                    "\"%s\" is already in %s, line %u", entry->phrase.text,
                    meaning_name(before->phrase.meaning), before->line);
        }
    }
    reader->n = n;
    if (n > ADS_GUARD_PHRASES_MAX) {
        (void)fprintf(reader->errors, "%s: %zu phrases, at most %d\n",
                      reader->folder, n, ADS_GUARD_PHRASES_MAX);
        reader->n_errors++;
    }
}


static void
section_write(struct ads_str *section, const struct reader *reader)
{
    struct ads_guard_phrase *phrases = xcalloc(reader->n + 1, sizeof(*phrases));
    void *bytes;

    for (size_t i = 0; i < reader->n; i++) {
        phrases[i] = reader->entries[i].phrase;
    }
    section->len = ads_guard_measure(phrases, reader->n);
    bytes = xmalloc(section->len);
    ads_guard_write(bytes, phrases, reader->n);
    section->ptr = bytes;
    free(phrases);
}


enum ads_err
guard_list_compile(struct ads_str *section, const char *folder,
                   const char *file, FILE *errors)
{
    struct reader reader = {.folder = folder, .file = file, .errors = errors};
    char path[PATH_MAX];

    *section = (struct ads_str){NULL, 0};
    for (unsigned i = ADS_GUARD_NONE + 1; i < ADS_GUARD_N_MEANINGS; i++) {
        reader.meaning = i;
        path_write(path, &reader, i);
        file_read(&reader, path);
    }
    if (*file != '\0') {
        reader.own = true;
        reader.meaning = ADS_GUARD_NONE;
        file_read(&reader, file);
    }
    entries_settle(&reader);
    if (!reader.failed && reader.n_errors == 0) {
        section_write(section, &reader);
    }
    free(reader.entries);
    if (reader.failed) {
        return ADS_IO;
    }
    return reader.n_errors > 0 ? ADS_INVALID : ADS_OK;
}
