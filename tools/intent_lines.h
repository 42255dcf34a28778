/*
 * Labelled queries for the intent tools: `label<TAB>source<TAB>text` files,
 * plain or .zst, and the hand-written intent_extra.tsv with its lists and
 * slots.  What is read lives until the process ends; a file that cannot be
 * read or understood ends it with a message that names file and line.
 */
#ifndef INTENT_LINES_H
#define INTENT_LINES_H

#include "../core/ads_bytes.h"

/* What is learnt from lines is tried on lines that it was not learnt from: on
 * one part of so many at a time. */
#define INTENT_FOLDS 4

struct intent_line {
    const char *source;
    struct ads_str text;
    struct ads_str language; /* of natural lines: en, de, fr, es */
    struct ads_str kinds;    /* ids, separated by commas; len 0: not said */
    bool commercial;
    unsigned fold; /* of natural lines, in turn; below INTENT_FOLDS */
};

struct intent_lines {
    struct intent_line *line;
    size_t n;
};

/*
 * Appends the natural lines of a file of data/intent/lines/, five fields: label
 * (SHOW or NO_AD), language, style, the ids of the wanted kinds (or -), text.
 * Their source is "natural"; they are numbered on from those read before.
 */
void
intent_lines_read_natural(struct intent_lines *lines, const char *path);

/* Appends one line. */
void
intent_lines_add(struct intent_lines *lines, struct intent_line line);

/* Appends the lines of a labelled file. */
void
intent_lines_read(struct intent_lines *lines, const char *path);

/*
 * Appends the lines of a file of hand-written ones, source "own".  A text with
 * {slots} is drawn `draws` times, one that is nothing but a slot gives each
 * item of that list once, one without slots is taken twice; some get a
 * greeting, a closing word, a capital letter, a question mark less, or two
 * letters swapped.  The same file gives the same lines each time.
 */
void
intent_lines_expand(struct intent_lines *lines, const char *path,
                    unsigned draws);

#endif
