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

#endif
