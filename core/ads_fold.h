/*
 * The words of a query, folded so that spellings of one word meet: lower case,
 * compatibility forms and accents taken off ("Café" and "CAFE" are "cafe"),
 * apostrophes dropped inside a word.  The intent model and the guard read
 * queries through this and nothing else.
 *
 * A word is a run of letters, marks and digits; '?' and the currency signs are
 * words of their own; everything else, invalid UTF-8 included, separates.
 */
#ifndef ADS_FOLD_H
#define ADS_FOLD_H

#include "ads_bytes.h"

/* A longer run is cut into several words. */
#define ADS_FOLD_WORD_MAX 30

/*
 * Takes the next word off *rest and writes it, folded and without NUL, to
 * word[].  Returns its length, 0 when there is none left.
 */
size_t
ads_fold_word(struct ads_str *rest, char word[ADS_FOLD_WORD_MAX]);

/* A code point has at most 18 in its compatibility decomposition. */
#define ADS_FOLD_CODES_MAX 18

/*
 * One code point beyond ASCII, folded: writes its letters and digits to codes[]
 * and how many they are to *n, 0 for what stands for nothing between letters (a
 * mark, a soft hyphen, a joiner).  False when it separates words.
 */
bool
ads_fold_code(int32_t code, int32_t codes[ADS_FOLD_CODES_MAX], size_t *n);

#endif
