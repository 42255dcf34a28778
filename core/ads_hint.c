/*
 * Finds the kinds that the words of a request hint at, in a table of all kinds.
 */
#include "ads_hint.h"

#include "ads_cue.h"

#define WORD 0x10000u /* one in an entry of kinds[] */
#define SHORT_WORDS 6 /* of a request that mostly is a name */


static struct ads_hint
hint_of(const struct ads_hints *hints, uint32_t kind)
{
    uint32_t entry = hints->kinds[kind];

    return (struct ads_hint){kind + 1, (uint16_t)entry,
                             (uint16_t)(entry / WORD)};
}


/* A word hints at kinds: rows[] says at which and how much.  Whether a kind is
 * met for the first time cannot be foreseen, so nothing branches on it. */
static void
hints_add(struct ads_hints *hints, const uint32_t *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = rows[i] & ADS_GOODS_HINT_KIND;

        if (kind >= hints->n_kinds) {
            continue;
        }
        hints->used[hints->n] = (uint16_t)kind;
        hints->n += hints->kinds[kind] == 0;
        hints->kinds[kind] += WORD + (rows[i] >> ADS_GOODS_HINT_SHIFT);
    }
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
    hints->n_kinds =
        goods->n_kinds < ADS_HINT_KINDS ? goods->n_kinds : ADS_HINT_KINDS;
    memset(hints->kinds, 0, hints->n_kinds * sizeof(*hints->kinds));
    for (uint32_t i = from; i < scan->n_words; i++) {
        const uint32_t *rows;
        uint32_t n;

        if (!counts(scan, from, i)) {
            continue;
        }
        rows = ads_goods_hints(goods, scan->words[i].lemma, &n);
        hints_add(hints, rows, n);
    }
}


struct ads_hint
ads_hints_of(const struct ads_hints *hints, uint32_t kind)
{
    return kind < hints->n_kinds ? hint_of(hints, kind)
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
        struct ads_hint hint;
        uint32_t at;

        if ((uint16_t)hints->kinds[hints->used[i]] < least) {
            continue;
        }
        hint = hint_of(hints, hints->used[i]);
        if (n == room && !is_better(&hint, &best[n - 1])) {
            continue;
        }
        at = n < room ? n++ : n - 1;
        for (; at > 0 && is_better(&hint, &best[at - 1]); at--) {
            best[at] = best[at - 1];
        }
        best[at] = hint;
    }
    return n;
}
