/*
 * What the title names has points for where it stands (goods_title.c);
 * categories and the description confirm it, or speak where the title is
 * silent.
 */
#include "goods_taken.h"

#include "ads_index.h"
#include "goods_title.h"
#include "pool.h"

#include <stdlib.h>

#define CANDIDATES 128
#define DESCRIPTION_LEN 400 /* read of it */
#define DESCRIPTION_HEAD 8  /* words in which a name of one word counts */
#define TITLE_FLOOR 0       /* points of a candidate that is believed */
#define TITLE_NO (-8)       /* points of one that the title speaks against */
#define CATEGORY_SURE 128   /* how often right, of 255 */
#define DESCRIPTION_WELL 12 /* points of a description that is confirmed */
#define DESCRIPTION_SURE 165
#define DESCRIPTION_GUESS 135

/* Points. */
#define VETO (-30)  /* the title names it as what the product is for */
#define CATEGORY 10 /* it says the same */
#define CATEGORY_ALONE 5
#define DESCRIPTION 3
#define DESCRIPTION_ALONE 2
#define NARROW 3 /* narrower than another candidate */

struct candidate {
    uint32_t kind;
    int points;
    enum goods_source source;
    bool ambiguous;
};

struct goods_taker {
    const struct ads_goods *goods;
    struct goods_said said; /* the text that is read */
    struct candidate list[CANDIDATES];
    uint32_t n;
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


static void
text_read(struct goods_taker *taker, struct ads_str text)
{
    taker->said.text = text;
    ads_scan_read(&taker->said.scan, taker->goods, text, ADS_SCAN_PRODUCT,
                  NULL);
}


static void
candidate_add(struct goods_taker *taker, const struct ads_mention *mention,
              int points, enum goods_source source)
{
    const struct candidate one = {mention->target, points, source,
                                  (mention->flags & ADS_GOODS_AMBIGUOUS) != 0};

    for (uint32_t i = 0; i < taker->n; i++) {
        struct candidate *known = &taker->list[i];

        if (known->kind == one.kind && known->source == source) {
            *known = points > known->points ? one : *known;
            return;
        }
    }
    if (taker->n < CANDIDATES) {
        taker->list[taker->n++] = one;
    }
}


/* ---- the title ----------------------------------------------------------- */

static void
title_read(struct goods_taker *taker, struct ads_str title)
{
    text_read(taker, title);
    for (uint32_t i = 0; i < taker->said.scan.n_mentions; i++) {
        const struct ads_mention *mention = &taker->said.scan.mentions[i];

        if (goods_said_counts(mention)) {
            candidate_add(taker, mention,
                          goods_title_points(&taker->said, mention),
                          GOODS_FROM_TITLE);
        }
    }
}


/* ---- categories and description ------------------------------------------ */

/* The number that a category is, when it is one of Google's. */
static uint32_t
google_of(const struct ads_goods *goods, struct ads_str line)
{
    uint32_t number = 0;

    for (size_t i = 0; i < line.len; i++) {
        if (!ads_char_is_digit(line.ptr[i]) || i > 7) {
            return ADS_GOODS_NONE;
        }
        number = 10 * number + (uint32_t)(line.ptr[i] - '0');
    }
    return ads_goods_google(goods, number);
}


static void
category_read(struct goods_taker *taker, struct ads_str line, int points)
{
    uint32_t kind = google_of(taker->goods, line);

    if (kind != ADS_GOODS_NONE) {
        candidate_add(taker, &(struct ads_mention){.target = kind}, points,
                      GOODS_FROM_CATEGORY);
        return;
    }
    text_read(taker, line);
    for (uint32_t i = 0; i < taker->said.scan.n_mentions; i++) {
        const struct ads_mention *m = &taker->said.scan.mentions[i];
        const struct ads_mention *next =
            ads_scan_beginning(&taker->said.scan, m->to);

        if (goods_said_counts(m) && next == NULL
            && !goods_said_piece(&taker->said, m)
            && !goods_said_foreign(&taker->said, m))
        {
            candidate_add(
                taker, m,
                points + GOODS_WORDY * (m->to - m->from)
                    + ((m->flags & ADS_GOODS_AMBIGUOUS) != 0 ? -4 : 0),
                GOODS_FROM_CATEGORY);
        }
    }
}


/* The narrowest category counts most, the one above it a little. */
static void
categories_read(struct goods_taker *taker, struct ads_str lines)
{
    struct ads_str last = {"", 0}, before = last;

    while (lines.len > 0) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end == NULL ? lines.len : (size_t)(end - lines.ptr);

        if (len > 0) {
            before = last;
            last = (struct ads_str){lines.ptr, len};
        }
        lines = ads_str_tail(lines, len + (end != NULL));
    }
    /* some shops write the path into one text */
    for (size_t i = last.len; i-- > 1 && i + 2 < last.len;) {
        if (last.ptr[i] == '>') {
            last = ads_str_tail(last, i + 1);
        }
    }
    if (before.len > 0) {
        category_read(taker, before, CATEGORY_ALONE - 6);
    }
    if (last.len > 0) {
        category_read(taker, last, CATEGORY_ALONE);
    }
}


static void
description_read(struct goods_taker *taker, struct ads_str text)
{
    int points = DESCRIPTION_ALONE;

    text.len = text.len < DESCRIPTION_LEN ? text.len : DESCRIPTION_LEN;
    text_read(taker, text);
    for (uint32_t i = 0; i < taker->said.scan.n_mentions && points > -4; i++) {
        const struct ads_mention *m = &taker->said.scan.mentions[i];

        if (!goods_said_counts(m) || (m->flags & ADS_GOODS_AMBIGUOUS) != 0
            || (m->to - m->from < 2 && m->from > DESCRIPTION_HEAD)
            || ads_scan_lead(&taker->said.scan, m->from,
                             GOODS_FOR_CUES | GOODS_WITH_CUES)
                   != ADS_GOODS_NONE
            || ads_scan_beginning(&taker->said.scan, m->to) != NULL
            || goods_said_piece(&taker->said, m)
            || goods_said_foreign(&taker->said, m))
        {
            continue;
        }
        candidate_add(taker, m, points, GOODS_FROM_DESCRIPTION);
        points -= 2;
    }
}


/* ---- who it is ----------------------------------------------------------- */

/* Does a kind, or what is broader, belong to something of a field: a drum case
 * to musical instruments? */
static bool
is_of_field(const struct ads_goods *goods, uint32_t kind, uint32_t field)
{
    uint32_t n, n_of;
    const uint32_t *broader = ads_goods_ancestors(goods, kind, &n);

    for (uint32_t i = 0; i <= n; i++) {
        const uint32_t *of =
            ads_goods_belongs(goods, i < n ? broader[i] : kind, &n_of);

        for (uint32_t k = 0; k < n_of; k++) {
            if (ads_goods_is(goods, of[k] & ADS_GOODS_LINK_KIND, field)) {
                return true;
            }
        }
    }
    return false;
}


/* What other sources say of a candidate. */
static int
confirmed(const struct goods_taker *taker, const struct candidate *one)
{
    int points = 0, category = 0, description = 0, narrow = 0, veto = 0;
    int settled = 0;

    for (uint32_t i = 0; i < taker->n; i++) {
        const struct candidate *other = &taker->list[i];
        bool same = other->kind == one->kind;
        bool narrower =
            !same && ads_goods_is(taker->goods, one->kind, other->kind);
        bool broader =
            !same && ads_goods_is(taker->goods, other->kind, one->kind);

        if (one->ambiguous && other->source == GOODS_FROM_CATEGORY
            && is_of_field(taker->goods, one->kind, other->kind))
        {
            settled = -GOODS_AMBIGUOUS;
        }
        if (other == one || !(same || narrower || broader)) {
            continue;
        }
        if (other->points >= 0 && narrower) {
            narrow = NARROW;
        }
        if (other->source == one->source) {
            continue;
        }
        if (one->ambiguous && !other->ambiguous) {
            settled = -GOODS_AMBIGUOUS;
        }
        if (other->source == GOODS_FROM_TITLE && other->points <= TITLE_NO
            && !other->ambiguous)
        {
            veto = VETO;
        }
        if (other->source == GOODS_FROM_CATEGORY && other->points > 0) {
            category = CATEGORY;
        } else if (other->source == GOODS_FROM_DESCRIPTION
                   && other->points > -2) {
            description = DESCRIPTION;
        } else if (other->source == GOODS_FROM_TITLE && other->points > -6) {
            points = CATEGORY;
        }
    }
    return points + category + description + narrow + veto + settled;
}


/* Where a candidate is from: the title, if that names it, too. */
static enum goods_source
source_of(const struct goods_taker *taker, const struct candidate *one)
{
    for (uint32_t i = 0; i < taker->n; i++) {
        const struct candidate *other = &taker->list[i];

        if (other->kind == one->kind && other->source == GOODS_FROM_TITLE
            && other->points > TITLE_NO)
        {
            return GOODS_FROM_TITLE;
        }
    }
    return one->source;
}


/* How often a kind of so many points was right on 500 products that people
 * looked at (docs/relevance.md), of 255; straight lines between the rows. */
static uint8_t
sure_of(int points, enum goods_source source)
{
    static const struct {
        int points;
        int sure;
    } title[] = {{0, 105},  {8, 132},  {12, 200},
                 {24, 224}, {40, 240}, {INT16_MAX, 241}};
    size_t i = 1;

    if (source == GOODS_FROM_CATEGORY) {
        return CATEGORY_SURE;
    }
    if (source == GOODS_FROM_DESCRIPTION) {
        return points >= DESCRIPTION_WELL ? DESCRIPTION_SURE
                                          : DESCRIPTION_GUESS;
    }
    while (points >= title[i].points) {
        i++;
    }
    return (uint8_t)(title[i - 1].sure
                     + (title[i].sure - title[i - 1].sure)
                           * (points - title[i - 1].points)
                           / (title[i].points - title[i - 1].points));
}


struct goods_taken
goods_take(struct goods_taker *taker, const struct goods_product *product)
{
    struct goods_taken best = {ADS_GOODS_NONE, ADS_GOODS_NONE,
                               GOODS_FROM_NOTHING, TITLE_FLOOR - 1, 0};

    taker->n = 0;
    taker->said.of = ADS_GOODS_NONE;
    if (taker->goods->n_kinds == 0) {
        return best;
    }
    title_read(taker, product->title);
    categories_read(taker, product->categories);
    description_read(taker, product->description);

    for (uint32_t i = 0; i < taker->n; i++) {
        const struct candidate *one = &taker->list[i];
        int points = one->points + confirmed(taker, one);
        enum goods_source source = source_of(taker, one);

        if (points > best.score
            && (source == GOODS_FROM_TITLE || !is_field(taker, one->kind)))
        {
            best = (struct goods_taken){one->kind, ADS_GOODS_NONE, source,
                                        points, sure_of(points, source)};
        }
    }
    best.of = taker->said.of;
    return best;
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
word_put(const struct ads_goods *goods, uint32_t kind, struct snap_text *text)
{
    struct ads_str id = ads_goods_id(goods, kind);

    snap_text_put(text, "=", 1);
    snap_text_put(text, id.ptr, id.len);
    snap_text_put(text, " ", 1);
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
    word_put(goods, kind, text);
    for (uint32_t i = 0; i < n; i++) {
        word_put(goods, broader[i], text);
    }
}
