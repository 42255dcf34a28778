/*
 * The words and phrases of the guard.
 *
 * A phrase is one to ADS_GUARD_WORDS_MAX words with a space between them, each
 * folded as by ads_fold_word() and without its plural s (ads_guard.c), or the
 * beginning of a word and '*'.  '#' stands for a number from 10 to 17, not in
 * first place.  The table is in byte order; t/unit/ads_guard.c checks both.
 */
#ifndef ADS_GUARD_TABLE_H
#define ADS_GUARD_TABLE_H

#include "ads_guard.h"

#define ADS_GUARD_WORDS_MAX 6
#define ADS_GUARD_PHRASE_MAX 38

/* What a phrase may say besides a topic. */
#define ADS_GUARD_HARMLESS (ADS_GUARD_N_TOPICS + 0) /* its words mean goods */
#define ADS_GUARD_YOUNG (ADS_GUARD_N_TOPICS + 1)    /* a minor asks */
#define ADS_GUARD_GROWN_UP (ADS_GUARD_N_TOPICS + 2) /* nothing for a minor */

/* The text stands in the entry itself: no pointer to follow, and nothing for
 * the dynamic linker to relocate. */
struct ads_guard_entry {
    char phrase[ADS_GUARD_PHRASE_MAX + 1];
    uint8_t meaning;
};

extern const struct ads_guard_entry ads_guard_table[];
extern const size_t ads_guard_table_len;

#endif
