/*
 * Classifies a product by kind.  Every kind that the title, the categories or
 * the description names is a candidate.  Each has signs of how they name it
 * (goods_title.c, goods_heard.c); the model weighs them, and "none of these"
 * with them.
 */
#include "tables/goods_taken.h"

#include "ads_hint.h"
#include "ads_index.h"
#include "base/pool.h"
#include "tables/goods_heard.h"
#include "tables/goods_kind_model.h"
#include "tables/goods_score.h"
#include "tables/goods_title.h"

#include <stdlib.h>

#define HINTED 3       /* kinds that words only hint at */
#define HINT_LEAST 128 /* of them; ADS_HINT_UNIT */
#define HINT_WORDS 2
#define HINT_SOME 64
#define HINT_MUCH 128
#define SHARE_LEAST 1500 /* of a kind that is believed */
#define SHARE_UNIT 4096  /* of all that is likely */

#define NARROW_REACH 4 /* words from a kind to what makes it narrower */
#define NARROWED 8     /* kinds that the title's words make narrower */

/* A kind that the title names, and which one of it the title's other words
 * make it. */
struct narrowing {
    uint32_t kind;
    uint32_t narrower;
};

struct goods_taker {
    const struct ads_goods *goods;
    struct goods_said said; /* the text that is read */
    struct goods_heard heard;
    struct ads_hints hints;
    struct goods_candidate list[GOODS_CANDIDATES];
    uint32_t n;
    struct narrowing narrowed[NARROWED];
    uint32_t n_narrowed;
};


struct goods_taker *
goods_taker_new(const struct ads_goods *goods)
{
    struct goods_taker *taker = xcalloc(1, sizeof(*taker));

    taker->goods = taker->said.goods = goods;
    taker->said.narrower =
        xcalloc((size_t)goods->n_kinds + 1, sizeof(*taker->said.narrower));
    for (uint32_t i = 0; i < goods->n_kinds; i++) {
        uint32_t n;
        const uint32_t *broader = ads_goods_ancestors(goods, i, &n);

        for (uint32_t k = 0; k < n; k++) {
            taker->said.narrower[broader[k] % goods->n_kinds]++;
        }
    }
    return taker;
}


void
goods_taker_free(struct goods_taker *taker)
{
    if (taker != NULL) {
        free(taker->said.narrower);
    }
    free(taker);
}


/* ---- candidates ---------------------------------------------------------- */

static struct goods_candidate *
candidate_add(struct goods_taker *taker, uint32_t kind,
              enum goods_source source)
{
    struct goods_candidate *one;

    if (taker->n == GOODS_CANDIDATES) {
        return NULL;
    }
    one = &taker->list[taker->n++];
    *one = (struct goods_candidate){
        .kind = kind, .source = source, .lemma = ADS_GOODS_NONE};
    return one;
}


static bool
is_candidate(const struct goods_taker *taker, uint32_t kind)
{
    for (uint32_t i = 0; i < taker->n; i++) {
        if (taker->list[i].kind == kind) {
            return true;
        }
    }
    return false;
}


/* The kind that a mention's words name with one more before or behind them,
 * where that is a narrower one of its own; else ADS_GOODS_NONE. */
static uint32_t
named_with(const struct goods_taker *taker, const struct ads_mention *m,
           uint32_t word, bool before)
{
    const struct ads_scan *scan = &taker->said.scan;
    const struct ads_goods *goods = taker->goods;
    uint32_t lemma = scan->words[word].lemma, n;
    uint32_t state = before ? ads_goods_step(goods, 0, lemma) : 0;
    const struct ads_goods_name *names;

    for (uint32_t i = m->from; i < m->to; i++) {
        if (before && state == 0) {
            return ADS_GOODS_NONE;
        }
        state = ads_goods_step(goods, state, scan->words[i].lemma);
    }
    if (!before && state != 0) {
        state = ads_goods_step(goods, state, lemma);
    }
    names = state == 0 ? NULL : ads_goods_names(goods, state, &n);
    for (uint32_t i = 0; names != NULL && i < n; i++) {
        if (names[i].says == ADS_GOODS_KIND && names[i].target != m->target
            && (names[i].flags & (ADS_GOODS_AMBIGUOUS | ADS_GOODS_NOT)) == 0
            && ads_goods_is(goods, names[i].target, m->target))
        {
            return names[i].target;
        }
    }
    return ADS_GOODS_NONE;
}


/* "Gaming GE75 Notebook" is a gaming notebook: notes what a word near it makes
 * of a kind, of the same part of the title and before "for" and "with". */
static void
narrowed_note(struct goods_taker *taker, const struct ads_mention *m)
{
    const uint32_t ends = ADS_CUE_BIT(ADS_CUE_FOR) | ADS_CUE_BIT(ADS_CUE_WITH);
    const struct ads_scan_word *words = taker->said.scan.words;
    uint32_t from = m->from, to = m->to, kind = ADS_GOODS_NONE;

    while (from > 0 && m->from - from < NARROW_REACH
           && words[from].gap != ADS_TEXT_BREAK
           && (words[from - 1].cues & ends) == 0)
    {
        from--;
    }
    while (to < taker->said.scan.n_words && to - m->to < NARROW_REACH
           && words[to].gap != ADS_TEXT_BREAK && (words[to].cues & ends) == 0)
    {
        to++;
    }
    for (uint32_t i = from; i < to && kind == ADS_GOODS_NONE; i++) {
        if ((i < m->from || i >= m->to) && words[i].lemma != ADS_GOODS_NONE) {
            kind = named_with(taker, m, i, true);
            if (kind == ADS_GOODS_NONE && i >= m->to) {
                kind = named_with(taker, m, i, false);
            }
        }
    }
    if (kind != ADS_GOODS_NONE && taker->n_narrowed < NARROWED) {
        taker->narrowed[taker->n_narrowed++] =
            (struct narrowing){m->target, kind};
    }
}


static uint32_t
narrowed(const struct goods_taker *taker, uint32_t kind)
{
    for (uint32_t i = 0; i < taker->n_narrowed; i++) {
        if (taker->narrowed[i].kind == kind) {
            return taker->narrowed[i].narrower;
        }
    }
    return kind;
}


static void
title_read(struct goods_taker *taker, struct ads_str title)
{
    struct goods_said *said = &taker->said;
    struct ads_scan *scan = &said->scan;

    said->n_attributes = 0;
    goods_said_read(said, title);
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *m = &scan->mentions[i];
        struct goods_candidate *one;

        if (!goods_said_counts(m)) {
            continue;
        }
        one = candidate_add(taker, m->target, GOODS_FROM_TITLE);
        if (one != NULL) {
            one->lemma = scan->words[m->to - 1].lemma;
            one->doubtful = (m->flags & ADS_GOODS_AMBIGUOUS) != 0;
            goods_title_signs(said, m, &one->signs);
            narrowed_note(taker, m);
        }
    }
    ads_hints_read(&taker->hints, taker->goods, scan);
}


/* Does a category of that name only tell the field: "Toys and Games"? */
static bool
is_field(const struct goods_taker *taker, uint32_t kind)
{
    uint32_t n;

    ads_goods_ancestors(taker->goods, kind, &n);
    return goods_said_broad(&taker->said, kind)
           || (n == 0 && kind < taker->goods->n_kinds
               && taker->said.narrower[kind] > 0);
}


/* What only the category or the description names. */
static void
heard_add(struct goods_taker *taker)
{
    static const enum goods_source sources[] = {
        [GOODS_HEARD_CATEGORY] = GOODS_FROM_CATEGORY,
        [GOODS_HEARD_ABOVE] = GOODS_FROM_CATEGORY,
        [GOODS_HEARD_TOLD] = GOODS_FROM_DESCRIPTION,
        [GOODS_HEARD_TYPE] = GOODS_FROM_DESCRIPTION,
    };

    for (uint32_t i = 0; i < taker->heard.n; i++) {
        const struct goods_hearing *hearing = &taker->heard.list[i];

        if (!hearing->aside && !is_field(taker, hearing->kind)
            && !is_candidate(taker, hearing->kind))
        {
            candidate_add(taker, hearing->kind, sources[hearing->where]);
        }
    }
}


/* What only words hint at. */
static void
hinted_add(struct goods_taker *taker)
{
    struct ads_hint best[HINTED];
    uint32_t n = ads_hints_best(&taker->hints, HINT_LEAST, best, HINTED);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = best[i].kind - 1;
        struct goods_candidate *one;

        if (best[i].words >= HINT_WORDS && !is_candidate(taker, kind)
            && !is_field(taker, kind))
        {
            one = candidate_add(taker, kind, GOODS_FROM_TITLE);
            if (one != NULL) {
                goods_sign_set(&one->signs, GOODS_SIGN_HINT_ALONE, true);
            }
        }
    }
}


/* What is true of a kind wherever it is named. */
static void
kind_signs(const struct goods_taker *taker, struct goods_candidate *one)
{
    static const enum goods_sign relations[] = {
        [ADS_GOODS_ACCESSORY] = GOODS_SIGN_ACCESSORY,
        [ADS_GOODS_PART] = GOODS_SIGN_PART,
        [ADS_GOODS_CONSUMABLE] = GOODS_SIGN_CONSUMABLE,
        [ADS_GOODS_SERVICE] = GOODS_SIGN_SERVICE,
    };
    uint32_t n;
    const uint32_t *of = ads_goods_belongs(taker->goods, one->kind, &n);
    struct goods_signs *signs = &one->signs;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t relation = of[i] >> ADS_GOODS_LINK_SHIFT;

        if (relation >= ADS_GOODS_ACCESSORY && relation <= ADS_GOODS_SERVICE) {
            goods_sign_set(signs, relations[relation], true);
        }
    }
    goods_sign_set(signs, GOODS_SIGN_ANY, true);
    goods_sign_set(signs, GOODS_SIGN_FREE, n == 0);
    goods_sign_set(signs, GOODS_SIGN_BROAD,
                   goods_said_broad(&taker->said, one->kind));
    goods_sign_set(signs, GOODS_SIGN_FIELD, is_field(taker, one->kind));
}


static void
hint_signs(const struct goods_taker *taker, struct goods_candidate *one,
           uint32_t most)
{
    struct ads_hint hint = ads_hints_of(&taker->hints, one->kind);
    struct goods_signs *signs = &one->signs;

    goods_sign_set(signs, GOODS_SIGN_HINT_SOME, hint.score >= HINT_SOME);
    goods_sign_set(signs, GOODS_SIGN_HINT_MUCH, hint.score >= HINT_MUCH);
    goods_sign_set(signs, GOODS_SIGN_HINT_TOP,
                   hint.score > 0 && hint.score == most);
}


static void
candidates_read(struct goods_taker *taker, const struct goods_product *product)
{
    struct ads_hint best = {0};

    title_read(taker, product->title);
    goods_heard_read(&taker->heard, &taker->said, product);
    heard_add(taker);
    hinted_add(taker);
    ads_hints_best(&taker->hints, HINT_LEAST, &best, 1);
    for (uint32_t i = 0; i < taker->n; i++) {
        struct goods_candidate *one = &taker->list[i];

        kind_signs(taker, one);
        hint_signs(taker, one, best.score);
        goods_heard_signs(&taker->heard, &taker->said, one);
    }
}


/* ---- who it is ----------------------------------------------------------- */

/* SHARE_UNIT * e^-x, x in GOODS_SIGN_UNIT: by straight lines. */
static uint32_t
falling(int32_t x)
{
    static const uint16_t points[] = {4096, 2484, 1507, 914, 554, 336,
                                      204,  124,  75,   46,  28,  17,
                                      10,   6,    4,    2,   1,   0};
    const int32_t step = GOODS_SIGN_UNIT / 2;
    const int32_t most = (int32_t)(sizeof(points) / sizeof(*points) - 1) * step;
    int32_t at;

    if (x >= most) {
        return 0;
    }
    at = x / step;
    return (uint32_t)(points[at]
                      - (points[at] - points[at + 1]) * (x % step) / step);
}


/* How often a kind of such a share was right where the model had not seen the
 * product, of 255; straight lines between the rows. */
static uint8_t
sure_of(uint32_t share)
{
    const uint32_t step = SHARE_UNIT / (GOODS_KIND_SURE - 1);
    uint32_t i = share / step;
    int here, next;

    if (i + 1 >= GOODS_KIND_SURE) {
        return goods_kind_sure[GOODS_KIND_SURE - 1];
    }
    here = goods_kind_sure[i];
    next = goods_kind_sure[i + 1];
    return (uint8_t)(here + (next - here) * (int)(share % step) / (int)step);
}


/* What each candidate's chance is, beside that of none of them: SHARE_UNIT
 * together. */
static void
shares_read(const struct goods_taker *taker, uint32_t shares[GOODS_CANDIDATES])
{
    int32_t scores[GOODS_CANDIDATES], most = 0;
    uint32_t all = 0;

    for (uint32_t i = 0; i < taker->n; i++) {
        scores[i] = goods_score(&taker->list[i].signs);
        most = scores[i] > most ? scores[i] : most;
    }
    all = falling(most);
    for (uint32_t i = 0; i < taker->n; i++) {
        shares[i] = falling(most - scores[i]);
        all += shares[i];
    }
    for (uint32_t i = 0; i < taker->n; i++) {
        shares[i] = shares[i] * SHARE_UNIT / all;
    }
}


struct goods_taken
goods_take(struct goods_taker *taker, const struct goods_product *product)
{
    struct goods_taken best = {.kind = ADS_GOODS_NONE, .of = ADS_GOODS_NONE};
    uint32_t shares[GOODS_CANDIDATES], most = 0;

    taker->n = taker->n_narrowed = 0;
    taker->said.of = ADS_GOODS_NONE;
    if (taker->goods->n_kinds == 0) {
        return best;
    }
    taker->said.brand = product->brand;
    candidates_read(taker, product);
    shares_read(taker, shares);
    for (uint32_t i = 0; i < taker->n; i++) {
        const struct goods_candidate *one = &taker->list[i];
        uint32_t same = 0, line = 0;

        for (uint32_t k = 0; k < taker->n; k++) {
            uint32_t kind = taker->list[k].kind;

            same += kind == one->kind ? shares[k] : 0;
            line += ads_goods_in_line(taker->goods, kind, one->kind) ? shares[k]
                                                                     : 0;
        }
        if (same + line > most && line >= SHARE_LEAST) {
            most = same + line;
            best = (struct goods_taken){.kind = one->kind,
                                        .source = one->source,
                                        .sure = sure_of(line),
                                        .signs = one->signs};
        }
    }
    best.kind = narrowed(taker, best.kind);
    best.of = taker->said.of;
    return best;
}


const struct goods_candidate *
goods_taker_candidates(const struct goods_taker *taker, uint32_t *n)
{
    *n = taker->n;
    return taker->list;
}


/* ---- variants and words */

/* Does the attribute tell variants of one product apart? */
static bool
is_variant(const struct ads_goods *goods, const struct ads_mention *mention)
{
    const struct ads_goods_attribute *attribute =
        mention->says == ADS_GOODS_ATTRIBUTE
            ? ads_goods_attribute_peek(goods, mention->target)
            : NULL;

    return attribute != NULL
           && (attribute->family == ADS_GOODS_COLOUR
               || attribute->family == ADS_GOODS_SIZE
               || attribute->family == ADS_GOODS_STATE);
}


uint32_t
goods_group(struct goods_taker *taker, const struct goods_product *product)
{
    struct ads_scan *scan = &taker->said.scan;
    uint64_t group = 0;

    ads_scan_read(scan, taker->goods, product->title, ADS_SCAN_PRODUCT, NULL);
    for (uint32_t i = 0; i < scan->n_words; i++) {
        struct ads_str word = ads_scan_bytes(scan, i);
        bool variant = false;

        for (uint32_t k = 0; k < scan->n_mentions; k++) {
            const struct ads_mention *mention = &scan->mentions[k];

            variant = variant
                      || (mention->from <= i && i < mention->to
                          && is_variant(taker->goods, mention));
        }
        if (!variant) {
            group = group * UINT64_C(0x9e3779b97f4a7c15)
                    + ads_index_hash(word.ptr, word.len);
        }
    }
    return (uint32_t)(group >> 32);
}


static void
word_put(struct snap_text *text, char mark, struct ads_str id)
{
    snap_text_put(text, &mark, 1);
    snap_text_put(text, id.ptr, id.len);
    snap_text_put(text, " ", 1);
}


void
goods_attributes_put(const struct goods_taker *taker, struct snap_text *text)
{
    for (uint32_t i = 0; i < taker->said.n_attributes; i++) {
        word_put(
            text, ADS_INDEX_ATTRIBUTE,
            ads_goods_attribute_id(taker->goods, taker->said.attributes[i]));
    }
}


void
goods_words_put(const struct ads_goods *goods, uint32_t kind,
                struct snap_text *text)
{
    uint32_t n;
    const uint32_t *broader = ads_goods_ancestors(goods, kind, &n);

    if (kind >= goods->n_kinds) {
        return;
    }
    word_put(text, ADS_INDEX_KIND, ads_goods_id(goods, kind));
    for (uint32_t i = 0; i < n; i++) {
        word_put(text, ADS_INDEX_KIND, ads_goods_id(goods, broader[i]));
    }
}
