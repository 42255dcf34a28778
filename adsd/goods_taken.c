/*
 * A title names its product in the head of a phrase, mostly the first:
 * "Acme - Red Pillow with Heart", "Case for iPhone 6", "HP 15 Notebook, 8 GB".
 * Every mention gets points for where it stands; categories and the
 * description confirm one, or speak where the title is silent.
 */
#include "goods_taken.h"

#include "ads_index.h"
#include "ads_scan.h"
#include "pool.h"

#include <stdlib.h>

#define CANDIDATES 128
#define DESCRIPTION_LEN 400 /* read of it */
#define DESCRIPTION_HEAD 8  /* words in which a name of one word counts */
#define TITLE_FLOOR 0       /* points of a candidate that is believed */
#define TITLE_NO (-8)       /* points of one that the title speaks against */
#define CATEGORY_SURE 155   /* how often right, of 255 */
#define DESCRIPTION_WELL 12 /* points of a description that is confirmed */
#define DESCRIPTION_SURE 165
#define DESCRIPTION_GUESS 135

/* Points. */
#define HEAD 8     /* the last mention of the phrase before "for", "with" */
#define FIRST 6    /* in the first phrase of more than a brand */
#define LATER 2    /* less for each phrase further on */
#define INNER (-8) /* another mention follows right behind */
#define FOR (-24)  /* behind "for" */
#define WITH (-10) /* behind "with" */
#define AMBIGUOUS (-18)
#define PIECE (-22)        /* a piece of it is what is named: "reader case" */
#define PIECE_LATER (-14)  /* one ends its phrase: "laptop USB adapter card" */
#define PIECE_EARLIER (-8) /* one stands before it in its phrase */
#define PIECES 8      /* its name says that it is a piece: "doll accessory" */
#define ATTACHED 5    /* it is one of another thing's, which is there, too */
#define WORDY 2       /* per word of the name */
#define TRAILED (-11) /* a word that is no name follows right behind */
#define FOREIGN (-22) /* a name of another language than the title's */
#define FOREIGN_MAX 5 /* bytes of one that may be a maker's by chance */
#define VETO (-30)    /* the title names it as what the product is for */
#define BELONGS 5     /* to another mention */
#define OWNS (-5)     /* another mention belongs to it */
#define BROAD (-10)   /* a root */
#define CATEGORY 10   /* it says the same */
#define CATEGORY_ALONE 5
#define DESCRIPTION 3
#define DESCRIPTION_ALONE 2
#define NARROW 3 /* narrower than another candidate */

#define FOR_CUES ADS_CUE_BIT(ADS_CUE_FOR)
#define OTHER_LANGUAGES                                        \
    (ADS_CUE_BIT(ADS_CUE_GERMAN) | ADS_CUE_BIT(ADS_CUE_FRENCH) \
     | ADS_CUE_BIT(ADS_CUE_SPANISH))
#define WITH_CUES                                         \
    (ADS_CUE_BIT(ADS_CUE_WITH) | ADS_CUE_BIT(ADS_CUE_AND) \
     | ADS_CUE_BIT(ADS_CUE_WITHOUT) | ADS_CUE_BIT(ADS_CUE_PLACE))

struct candidate {
    uint32_t kind;
    int points;
    enum goods_source source;
};

struct goods_taker {
    const struct ads_goods *goods;
    struct ads_scan scan;
    struct candidate list[CANDIDATES];
    uint32_t n;
    uint32_t of;
};


struct goods_taker *
goods_taker_new(const struct ads_goods *goods)
{
    struct goods_taker *taker = xcalloc(1, sizeof(*taker));

    taker->goods = goods;
    return taker;
}


void
goods_taker_free(struct goods_taker *taker)
{
    free(taker);
}


static bool
counts(const struct ads_mention *mention)
{
    return mention->says == ADS_GOODS_KIND
           && (mention->flags & (ADS_GOODS_NOT | ADS_MENTION_NEED)) == 0;
}


static void
candidate_add(struct goods_taker *taker, uint32_t kind, int points,
              enum goods_source source)
{
    for (uint32_t i = 0; i < taker->n; i++) {
        struct candidate *known = &taker->list[i];

        if (known->kind == kind && known->source == source) {
            known->points = points > known->points ? points : known->points;
            return;
        }
    }
    if (taker->n < CANDIDATES) {
        taker->list[taker->n++] = (struct candidate){kind, points, source};
    }
}


/* ---- the title ----------------------------------------------------------- */

/* The phrase that a word is in: [*from, *to), and how many with more than one
 * word, or a mention, stand before it. */
static uint32_t
phrase_of(const struct ads_scan *scan, uint32_t word, uint32_t *from,
          uint32_t *to)
{
    uint32_t before = 0;

    *from = 0;
    for (uint32_t i = 1; i <= word && i < scan->n_words; i++) {
        if (scan->words[i].gap == ADS_TEXT_BREAK) {
            before += i - *from > 1 || scan->words[*from].named;
            *from = i;
        }
    }
    *to = word + 1;
    while (*to < scan->n_words && scan->words[*to].gap != ADS_TEXT_BREAK) {
        (*to)++;
    }
    return before;
}


/* The first word of [from, to) with one of the cues, or `to`. */
static uint32_t
cue_find(const struct ads_scan *scan, uint32_t from, uint32_t to, uint32_t cues)
{
    while (from < to && (scan->words[from].cues & cues) == 0) {
        from++;
    }
    return from;
}


static int
among_others(const struct goods_taker *taker, const struct ads_mention *m)
{
    const struct ads_scan *scan = &taker->scan;
    bool belongs = false, owns = false, others = false;
    uint32_t n;

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (!counts(other) || other->target == m->target) {
            continue;
        }
        others = true;
        belongs =
            belongs
            || ads_goods_relation(taker->goods, m->target, other->target) != 0;
        owns =
            owns
            || ads_goods_relation(taker->goods, other->target, m->target) != 0;
    }
    ads_goods_belongs(taker->goods, m->target, &n);
    return (belongs ? BELONGS : 0) + (owns ? OWNS : 0)
           + (n > 0 && others ? ATTACHED : 0);
}


/* Is the name of no language that the title can be of?  One without words that
 * tell is taken for English where the name is short. */
static bool
is_foreign(const struct goods_taker *taker, const struct ads_mention *m)
{
    const struct ads_scan *scan = &taker->scan;
    uint32_t cues = 0;

    if ((m->flags & (ADS_GOODS_ENGLISH | ADS_GOODS_SHOP | ADS_MENTION_COMPOSED))
            != 0
        || m->to - m->from > 1)
    {
        return false;
    }
    for (uint32_t i = 0; i < scan->n_words; i++) {
        cues |= scan->words[i].cues;
    }
    if ((cues & OTHER_LANGUAGES) != 0) {
        return false;
    }
    return (cues & ADS_CUE_BIT(ADS_CUE_ENGLISH)) != 0
           || scan->words[m->from].len <= FOREIGN_MAX;
}


/* What stands right behind a mention, and which language it is of. */
static int
points_of_words(const struct goods_taker *taker, const struct ads_mention *m)
{
    const struct ads_scan *scan = &taker->scan;
    const struct ads_scan_word *next = &scan->words[m->to];
    int points = 0;

    if (m->to < scan->n_words && next->gap != ADS_TEXT_BREAK && !next->named
        && (next->cues & ADS_CUE_BIT(ADS_CUE_PIECE)) != 0)
    {
        points += PIECE;
    }
    if ((scan->words[m->to - 1].cues & ADS_CUE_BIT(ADS_CUE_PIECE)) != 0
        && m->to - m->from > 1)
    {
        points += PIECES;
    }
    if (m->to < scan->n_words && next->gap != ADS_TEXT_BREAK
        && next->kind == ADS_TEXT_LETTERS && !next->named && next->cues == 0
        && next->len > 2)
    {
        points += TRAILED;
    }
    if (is_foreign(taker, m)) {
        points += FOREIGN;
    }
    return points;
}


static bool
is_piece_word(const struct ads_scan_word *word)
{
    return (word->cues & ADS_CUE_BIT(ADS_CUE_PIECE)) != 0;
}


/* Words for pieces of things elsewhere in the phrase [from, to) of a mention
 * that is none itself. */
static int
points_of_pieces(const struct ads_scan *scan, const struct ads_mention *m,
                 uint32_t from, uint32_t to)
{
    uint32_t last = to;
    int points = 0;

    for (uint32_t i = m->from; i < m->to; i++) {
        if (is_piece_word(&scan->words[i])) {
            return 0;
        }
    }
    while (last > m->to
           && (scan->words[last - 1].kind != ADS_TEXT_LETTERS
               || (scan->words[last - 1].named
                   && !is_piece_word(&scan->words[last - 1]))))
    {
        last--;
    }
    if (last > m->to + 1u && is_piece_word(&scan->words[last - 1])) {
        points += PIECE_LATER;
    }
    for (uint32_t i = from; i < m->from; i++) {
        if (is_piece_word(&scan->words[i])) {
            return points + PIECE_EARLIER;
        }
    }
    return points;
}


static int
points_of(struct goods_taker *taker, const struct ads_mention *m)
{
    const struct ads_scan *scan = &taker->scan;
    uint32_t from, to, n;
    uint32_t before = phrase_of(scan, m->from, &from, &to);
    uint32_t bound_for = cue_find(scan, from, to, FOR_CUES);
    uint32_t bound_with = cue_find(scan, from, to, WITH_CUES);
    uint32_t head = bound_for < bound_with ? bound_for : bound_with;
    const struct ads_mention *next = ads_scan_beginning(scan, m->to);
    bool beside = m->from > bound_with && bound_with < to;
    int points = WORDY * (m->to - m->from) - LATER * (int)before;

    points += before == 0 ? FIRST : 0;
    if (m->from > bound_for && bound_for < to) {
        points += FOR;
        taker->of = taker->of == ADS_GOODS_NONE ? m->target : taker->of;
    } else if (beside) {
        points += WITH;
    } else {
        bool last = true;

        for (uint32_t i = 0; i < scan->n_mentions; i++) {
            const struct ads_mention *other = &scan->mentions[i];

            last = last
                   && !(counts(other) && other->from >= m->to
                        && other->from < head);
        }
        points += last ? HEAD : 0;
    }
    if (next != NULL && m->to < scan->n_words
        && scan->words[m->to].gap != ADS_TEXT_BREAK)
    {
        points += INNER;
    }
    points += (m->flags & ADS_GOODS_AMBIGUOUS) != 0 ? AMBIGUOUS : 0;
    ads_goods_ancestors(taker->goods, m->target, &n);
    points += n == 0 ? BROAD : 0;
    points += points_of_pieces(scan, m, from, head);
    points += points_of_words(taker, m);
    return beside ? points : points + among_others(taker, m);
}


static void
title_read(struct goods_taker *taker, struct ads_str title)
{
    ads_scan_read(&taker->scan, taker->goods, title, NULL);
    for (uint32_t i = 0; i < taker->scan.n_mentions; i++) {
        const struct ads_mention *mention = &taker->scan.mentions[i];

        if (counts(mention)) {
            candidate_add(taker, mention->target, points_of(taker, mention),
                          GOODS_FROM_TITLE);
        }
    }
}


/* Is a piece of it what is named, or something else that it belongs to? */
static bool
is_piece(const struct ads_scan *scan, const struct ads_mention *m)
{
    const struct ads_scan_word *next = &scan->words[m->to];

    return m->to < scan->n_words && next->gap != ADS_TEXT_BREAK && !next->named
           && (next->cues & ADS_CUE_BIT(ADS_CUE_PIECE)) != 0;
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
        candidate_add(taker, kind, points, GOODS_FROM_CATEGORY);
        return;
    }
    ads_scan_read(&taker->scan, taker->goods, line, NULL);
    for (uint32_t i = 0; i < taker->scan.n_mentions; i++) {
        const struct ads_mention *m = &taker->scan.mentions[i];
        const struct ads_mention *next =
            ads_scan_beginning(&taker->scan, m->to);

        if (counts(m) && next == NULL && !is_piece(&taker->scan, m)
            && !is_foreign(taker, m))
        {
            candidate_add(
                taker, m->target,
                points + WORDY * (m->to - m->from)
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
    ads_scan_read(&taker->scan, taker->goods, text, NULL);
    for (uint32_t i = 0; i < taker->scan.n_mentions && points > -4; i++) {
        const struct ads_mention *m = &taker->scan.mentions[i];

        if (!counts(m) || (m->flags & ADS_GOODS_AMBIGUOUS) != 0
            || (m->to - m->from < 2 && m->from > DESCRIPTION_HEAD)
            || ads_scan_lead(&taker->scan, m->from, FOR_CUES | WITH_CUES)
                   != ADS_GOODS_NONE
            || ads_scan_beginning(&taker->scan, m->to) != NULL
            || is_piece(&taker->scan, m) || is_foreign(taker, m))
        {
            continue;
        }
        candidate_add(taker, m->target, points, GOODS_FROM_DESCRIPTION);
        points -= 2;
    }
}


/* ---- who it is ----------------------------------------------------------- */

/* What other sources say of a candidate. */
static int
confirmed(const struct goods_taker *taker, const struct candidate *one)
{
    int points = 0, category = 0, description = 0, narrow = 0, veto = 0;

    for (uint32_t i = 0; i < taker->n; i++) {
        const struct candidate *other = &taker->list[i];
        bool same = other->kind == one->kind;
        bool narrower =
            !same && ads_goods_is(taker->goods, one->kind, other->kind);
        bool broader =
            !same && ads_goods_is(taker->goods, other->kind, one->kind);

        if (other == one || !(same || narrower || broader)) {
            continue;
        }
        if (other->points >= 0 && narrower) {
            narrow = NARROW;
        }
        if (other->source == one->source) {
            continue;
        }
        if (other->source == GOODS_FROM_TITLE && other->points <= TITLE_NO) {
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
    return points + category + description + narrow + veto;
}


/* How often a kind of so many points was right on 500 products that people
 * looked at (docs/relevance.md), of 255; straight lines between the rows. */
static uint8_t
sure_of(int points, enum goods_source source)
{
    static const struct {
        int points;
        int sure;
    } title[] = {{0, 80}, {12, 190}, {24, 230}, {40, 252}, {INT16_MAX, 253}};
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
    taker->of = ADS_GOODS_NONE;
    if (taker->goods->n_kinds == 0) {
        return best;
    }
    title_read(taker, product->title);
    categories_read(taker, product->categories);
    description_read(taker, product->description);

    for (uint32_t i = 0; i < taker->n; i++) {
        const struct candidate *one = &taker->list[i];
        int points = one->points + confirmed(taker, one);

        if (points > best.score) {
            best = (struct goods_taken){one->kind, ADS_GOODS_NONE, one->source,
                                        points, sure_of(points, one->source)};
        }
    }
    best.of = taker->of;
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
    struct ads_scan *scan = &taker->scan;
    uint64_t group = 0;

    ads_scan_read(scan, taker->goods, product->title, NULL);
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
