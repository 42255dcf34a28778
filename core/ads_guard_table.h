/*
 * Table of the guard's phrases, found by the first letters of the first word.
 * Most words of a query begin no phrase, and one look-up says so.
 */
#ifndef ADS_GUARD_TABLE_H
#define ADS_GUARD_TABLE_H

#include "ads_guard.h"

/* Length without a plural s: "pills" is "pill"; "glass", "virus" and "iris"
 * stay. */
static inline size_t
ads_guard_stem(const char *text, size_t len)
{
    char before;

    if (len <= 3 || text[len - 1] != 's') {
        return len;
    }
    before = text[len - 2];
    return before == 's' || before == 'i' || before == 'u' ? len : len - 1;
}

/* Up to four bytes as a number; a missing one is 0. */
static inline uint32_t
ads_guard_key(const char *text, size_t len)
{
    uint32_t key = (uint32_t)(uint8_t)text[0] << 24;

    if (len > 1) {
        key |= (uint32_t)(uint8_t)text[1] << 16;
    }
    if (len > 2) {
        key |= (uint32_t)(uint8_t)text[2] << 8;
    }
    if (len > 3) {
        key |= (uint8_t)text[3];
    }
    return key;
}

/* The place of a key, or the empty one where it would be. */
static inline const struct ads_guard_place *
ads_guard_find(const struct ads_guard *guard, uint32_t key)
{
    uint32_t at = key * 0x9e3779b1u >> 16 & guard->mask;

    while (guard->places[at].key != key && guard->places[at].key != 0) {
        at = (at + 1) & guard->mask;
    }
    return &guard->places[at];
}

#endif
