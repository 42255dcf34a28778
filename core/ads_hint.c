/*
 * Words that hint at kinds, gathered in a small hash table.
 */
#include "ads_hint.h"

#include "ads_cue.h"

#define PROBES 16
#define SHORT_WORDS 6 /* of a request that mostly is a name */


/* The slot where a kind is, or may be put; ADS_HINT_SLOTS: there is no room. */
static uint32_t
slot_find(const struct ads_hints *hints, uint32_t kind)
{
    uint32_t at = kind * 0x9e3779b1u >> 16;

    for (uint32_t i = 0; i < PROBES; i++, at++) {
        uint32_t found = hints->slots[at % ADS_HINT_SLOTS].kind;

        if (found == kind + 1 || found == 0) {
            return at % ADS_HINT_SLOTS;
        }
    }
    return ADS_HINT_SLOTS;
}


/* A word hints at a kind. */
static void
hint_add(struct ads_hints *hints, uint32_t kind, uint32_t weight)
{
    uint32_t at = slot_find(hints, kind);
    struct ads_hint *slot = &hints->slots[at];

    if (at == ADS_HINT_SLOTS) {
        return;
    }
    if (slot->kind == 0) {
        slot->kind = kind + 1;
        hints->used[hints->n++] = (uint16_t)at;
    }
    slot->score += (uint16_t)weight;
    slot->words++;
}


/* May the word hint at something?  Words that say what is wanted with a thing
 * do not, nor those of a name in a request that is little more than that; and a
 * word counts once. */
static bool
counts(const struct ads_scan *scan, uint32_t from, uint32_t i)
{
    const struct ads_scan_word *word = &scan->words[i];

    if (word->lemma == ADS_GOODS_NONE
        || (word->named && scan->n_words <= SHORT_WORDS)
        || (word->cues & ~ADS_CUE_OF_PRODUCTS) != 0)
    {
        return false;
    }
    for (uint32_t k = from; k < i; k++) {
        if (scan->words[k].lemma == word->lemma) {
            return false;
        }
    }
    return true;
}


void
ads_hints_read(struct ads_hints *hints, const struct ads_goods *goods,
               const struct ads_scan *scan)
{
    uint32_t from =
        scan->n_words > ADS_HINT_WORDS ? scan->n_words - ADS_HINT_WORDS : 0;

    hints->n = 0;
    memset(hints->slots, 0, sizeof(hints->slots));
    for (uint32_t i = from; i < scan->n_words; i++) {
        const uint32_t *rows;
        uint32_t n;

        if (!counts(scan, from, i)) {
            continue;
        }
        rows = ads_goods_hints(goods, scan->words[i].lemma, &n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t kind = rows[k] & ADS_GOODS_HINT_KIND;

            if (kind < goods->n_kinds) {
                hint_add(hints, kind, rows[k] >> ADS_GOODS_HINT_SHIFT);
            }
        }
    }
}


struct ads_hint
ads_hints_of(const struct ads_hints *hints, uint32_t kind)
{
    uint32_t at = slot_find(hints, kind);

    return at < ADS_HINT_SLOTS && hints->slots[at].kind != 0
               ? hints->slots[at]
               : (struct ads_hint){kind + 1, 0, 0};
}


static bool
is_better(const struct ads_hint *a, const struct ads_hint *b)
{
    return a->score != b->score ? a->score > b->score : a->kind < b->kind;
}


uint32_t
ads_hints_best(const struct ads_hints *hints, uint32_t least,
               struct ads_hint *best, uint32_t room)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < hints->n; i++) {
        const struct ads_hint *slot = &hints->slots[hints->used[i]];
        uint32_t at;

        if (slot->score < least
            || (n == room && !is_better(slot, &best[n - 1]))) {
            continue;
        }
        at = n < room ? n++ : n - 1;
        for (; at > 0 && is_better(slot, &best[at - 1]); at--) {
            best[at] = best[at - 1];
        }
        best[at] = *slot;
    }
    return n;
}
