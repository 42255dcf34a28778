/*
 * Reads categories and descriptions for a product's kind.  Categories and the
 * description confirm a kind that the title names, tell which of several it is,
 * or name one where the title is silent.
 */
#include "tables/goods_heard.h"

#define DESCRIPTION_LEN 400 /* read of it */
#define DESCRIPTION_HEAD 8  /* words in which a name of one word counts */
#define TOLD_MAX 24         /* hearings of it */
#define TYPE_LEN 60         /* of what stands behind "type:" */
#define TYPE_MARK "type: "
#define THIS_WORDS 4 /* from "this" to the last word of the name */
#define OFTEN 3
#define THE_CUES (ADS_CUE_BIT(ADS_CUE_THE) | ADS_CUE_BIT(ADS_CUE_ARTICLE))


static struct goods_hearing *
hearing_add(struct goods_heard *heard, uint32_t kind, enum goods_where where)
{
    struct goods_hearing *one = &heard->list[heard->n];

    heard->n += heard->n < GOODS_HEARINGS;
    *one = (struct goods_hearing){.kind = kind, .where = (uint8_t)where};
    return one;
}


/* ---- categories ---------------------------------------------------------- */

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
category_read(struct goods_heard *heard, struct goods_said *said,
              struct ads_str line, enum goods_where where)
{
    uint32_t kind = google_of(said->goods, line);

    if (kind != ADS_GOODS_NONE) {
        hearing_add(heard, kind, where);
        return;
    }
    goods_said_read(said, line);
    for (uint32_t i = 0; i < said->scan.n_mentions; i++) {
        const struct ads_mention *m = &said->scan.mentions[i];
        struct goods_hearing *one;

        if (!goods_said_counts(m) || goods_said_foreign(said, m)
            || ads_scan_beginning(&said->scan, m->to) != NULL)
        {
            continue;
        }
        one = hearing_add(heard, m->target, where);
        one->doubtful = (m->flags & ADS_GOODS_AMBIGUOUS) != 0;
        one->piece = one->aside = goods_said_piece(said, m);
        one->n_words = (uint8_t)(m->to - m->from);
    }
    if (where == GOODS_HEARD_CATEGORY) {
        for (uint32_t i = 0;
             i < said->scan.n_words && heard->n_words < GOODS_HEARD_WORDS; i++)
        {
            heard->words[heard->n_words++] = said->scan.words[i].lemma;
        }
    }
}


/* The narrowest category, and the one above it. */
static void
categories_read(struct goods_heard *heard, struct goods_said *said,
                struct ads_str lines)
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
    heard->category = last.len > 0;
    if (last.len > 0) {
        category_read(heard, said, last, GOODS_HEARD_CATEGORY);
    }
    if (before.len > 0) {
        category_read(heard, said, before, GOODS_HEARD_ABOVE);
    }
}


/* ---- the description ----------------------------------------------------- */

/* Does "this" or "a" stand before it: "this compact printer"? */
static bool
is_this(const struct ads_scan *scan, const struct ads_mention *m)
{
    for (uint32_t i = m->from; i > 0 && m->to - i < THIS_WORDS; i--) {
        if ((scan->words[i - 1].cues & THE_CUES) != 0) {
            return true;
        }
        if (scan->words[i].gap == ADS_TEXT_BREAK) {
            return false;
        }
    }
    return false;
}


static void
told_read(struct goods_heard *heard, struct goods_said *said,
          struct ads_str text)
{
    const struct ads_scan *scan = &said->scan;

    goods_said_read(said, text);
    for (uint32_t i = 0, n = 0; i < scan->n_mentions && n < TOLD_MAX; i++) {
        const struct ads_mention *m = &scan->mentions[i];
        struct goods_hearing *one;

        if (!goods_said_counts(m) || (m->flags & ADS_GOODS_AMBIGUOUS) != 0
            || goods_said_foreign(said, m))
        {
            continue;
        }
        one = hearing_add(heard, m->target, GOODS_HEARD_TOLD);
        one->n_words = (uint8_t)(m->to - m->from);
        one->first = m->from <= DESCRIPTION_HEAD;
        one->this = is_this(scan, m);
        one->piece = goods_said_piece(said, m)
                     || ads_scan_beginning(scan, m->to) != NULL;
        one->aside =
            one->piece
            || ads_scan_lead(scan, m->from, GOODS_FOR_CUES | GOODS_WITH_CUES)
                   != ADS_GOODS_NONE;
        n++;
    }
}


/* What stands behind "type: ", as data sheets have it. */
static void
types_read(struct goods_heard *heard, struct goods_said *said,
           struct ads_str text)
{
    const size_t mark = sizeof(TYPE_MARK) - 1;

    for (size_t i = 0; i + mark < text.len; i++) {
        struct ads_str rest;
        size_t len = 0;

        if (text.ptr[i] != 't' || memcmp(text.ptr + i, TYPE_MARK, mark) != 0) {
            continue;
        }
        rest = ads_str_tail(text, i + mark);
        while (len < rest.len && len < TYPE_LEN && rest.ptr[len] != '.'
               && rest.ptr[len] != '\n')
        {
            len++;
        }
        goods_said_read(said, (struct ads_str){rest.ptr, len});
        for (uint32_t k = 0; k < said->scan.n_mentions; k++) {
            const struct ads_mention *m = &said->scan.mentions[k];

            if (goods_said_counts(m) && !goods_said_piece(said, m)
                && !goods_said_foreign(said, m))
            {
                hearing_add(heard, m->target, GOODS_HEARD_TYPE)->n_words =
                    (uint8_t)(m->to - m->from);
            }
        }
        i += mark;
    }
}


void
goods_heard_read(struct goods_heard *heard, struct goods_said *said,
                 const struct goods_product *product)
{
    struct ads_str text = product->description;

    heard->n = heard->n_words = 0;
    categories_read(heard, said, product->categories);
    text.len = text.len < DESCRIPTION_LEN ? text.len : DESCRIPTION_LEN;
    heard->told = text.len > 0;
    told_read(heard, said, text);
    types_read(heard, said, text);
}


/* ---- signs --------------------------------------------------------------- */

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


/* How a candidate stands to what is said of one place. */
struct stand {
    bool any;
    bool same;
    bool wider; /* what is said is broader */
    bool narrower;
    bool of;
    bool field;
    bool kin;
    bool piece;
    bool settles;
};


static void
stand_add(struct stand *stand, const struct ads_goods *goods,
          const struct goods_hearing *hearing,
          const struct goods_candidate *one)
{
    uint32_t n, n_other;
    const uint32_t *broader = ads_goods_ancestors(goods, one->kind, &n);
    const uint32_t *other = ads_goods_ancestors(goods, hearing->kind, &n_other);
    bool same = hearing->kind == one->kind;
    bool wider = ads_goods_is(goods, one->kind, hearing->kind);
    bool narrower = ads_goods_is(goods, hearing->kind, one->kind);

    if (hearing->piece) {
        stand->piece = stand->piece || wider || narrower;
        stand->of = stand->of
                    || ads_goods_relation(goods, one->kind, hearing->kind) != 0;
        return;
    }
    stand->any = true;
    stand->same = stand->same || same;
    stand->wider = stand->wider || (wider && !same);
    stand->narrower = stand->narrower || (narrower && !same);
    stand->of =
        stand->of || ads_goods_relation(goods, one->kind, hearing->kind) != 0;
    stand->field = stand->field || is_of_field(goods, one->kind, hearing->kind);
    stand->kin = stand->kin || (n > 0 && n_other > 0 && broader[0] == other[0]);
    stand->settles = stand->settles || (one->doubtful && !hearing->doubtful);
}


static bool
is_form_of(const struct ads_goods *goods, uint32_t lemma, uint32_t other)
{
    const uint32_t *siblings;

    if (lemma == ADS_GOODS_NONE || other == ADS_GOODS_NONE) {
        return false;
    }
    siblings = ads_goods_siblings(goods, lemma);
    return other == lemma || other == siblings[0] || other == siblings[1];
}


static void
category_signs(const struct goods_heard *heard, const struct goods_said *said,
               struct goods_candidate *one)
{
    const struct ads_goods *goods = said->goods;
    struct goods_signs *signs = &one->signs;
    struct stand here = {0}, above = {0};
    bool alone = one->source == GOODS_FROM_CATEGORY;

    for (uint32_t i = 0; i < heard->n; i++) {
        const struct goods_hearing *hearing = &heard->list[i];

        if (hearing->where == GOODS_HEARD_CATEGORY) {
            stand_add(&here, goods, hearing, one);
        } else if (hearing->where == GOODS_HEARD_ABOVE) {
            stand_add(&above, goods, hearing, one);
        }
        if (alone && hearing->kind == one->kind) {
            goods_sign_set(signs,
                           hearing->where == GOODS_HEARD_CATEGORY
                               ? GOODS_SIGN_CATEGORY_ALONE
                               : GOODS_SIGN_ABOVE_ALONE,
                           true);
            goods_sign_set(signs, GOODS_SIGN_CATEGORY_ALONE_WORDS,
                           hearing->n_words > 1);
            goods_sign_set(signs, GOODS_SIGN_CATEGORY_ALONE_DOUBTFUL,
                           hearing->doubtful);
        }
    }
    goods_sign_set(signs, GOODS_SIGN_CATEGORY, true);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_SAME, here.same);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_WIDER, here.wider);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_NARROWER, here.narrower);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_OTHER,
                   here.any && !here.same && !here.wider && !here.narrower);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_OF, here.of || above.of);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_FIELD, here.field || above.field);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_PIECE, here.piece);
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_KIN, here.kin && !here.same);
    goods_sign_set(signs, GOODS_SIGN_ABOVE_SAME, above.same);
    goods_sign_set(signs, GOODS_SIGN_ABOVE_WIDER, above.wider);
    goods_sign_set(signs, GOODS_SIGN_ABOVE_OTHER,
                   above.any && !above.same && !above.wider && !above.narrower);
    goods_sign_set(
        signs, GOODS_SIGN_CATEGORY_SETTLES,
        one->doubtful
            && ((here.settles && (here.same || here.wider || here.narrower))
                || here.field));
    goods_sign_set(signs, GOODS_SIGN_CATEGORY_AGAINST,
                   (here.same || here.wider || here.narrower)
                       && (goods_sign_is(signs, GOODS_SIGN_FOR)
                           || goods_sign_is(signs, GOODS_SIGN_PIECE)));
    for (uint32_t i = 0; i < heard->n_words; i++) {
        goods_sign_set(signs, GOODS_SIGN_CATEGORY_WORD,
                       is_form_of(goods, heard->words[i], one->lemma));
    }
}


static void
told_signs(const struct goods_heard *heard, const struct ads_goods *goods,
           struct goods_candidate *one)
{
    struct goods_signs *signs = &one->signs;
    bool alone = one->source == GOODS_FROM_DESCRIPTION, plain = false;
    bool others = false, in_line = false;
    uint32_t n = 0;

    for (uint32_t i = 0; i < heard->n; i++) {
        const struct goods_hearing *hearing = &heard->list[i];
        bool same = hearing->kind == one->kind;
        bool line = ads_goods_in_line(goods, hearing->kind, one->kind);

        if (hearing->where == GOODS_HEARD_TYPE) {
            goods_sign_set(signs, GOODS_SIGN_TOLD_TYPE, line);
            goods_sign_set(signs, GOODS_SIGN_TYPE_ALONE, alone && same);
        }
        if (hearing->where != GOODS_HEARD_TOLD) {
            continue;
        }
        n += same;
        if (hearing->aside) {
            goods_sign_set(signs, GOODS_SIGN_TOLD_FOR, same && !plain);
            continue;
        }
        plain = plain || same;
        goods_sign_set(signs, GOODS_SIGN_TOLD_FIRST, line && !others);
        goods_sign_set(signs, GOODS_SIGN_TOLD_SAME, same);
        goods_sign_set(signs, GOODS_SIGN_TOLD_NARROWER,
                       !same && ads_goods_is(goods, hearing->kind, one->kind));
        goods_sign_set(signs, GOODS_SIGN_TOLD_WIDER,
                       !same && ads_goods_is(goods, one->kind, hearing->kind));
        goods_sign_set(signs, GOODS_SIGN_TOLD_THIS, same && hearing->this);
        goods_sign_set(signs, GOODS_SIGN_TOLD_ALONE_FIRST,
                       alone && same && hearing->first);
        goods_sign_set(signs, GOODS_SIGN_TOLD_ALONE_WORDS,
                       alone && same && hearing->n_words > 1);
        in_line = in_line || line;
        others = others || !line;
    }
    goods_sign_set(signs, GOODS_SIGN_TOLD, true);
    goods_sign_set(signs, GOODS_SIGN_TOLD_ALONE, alone && n > 0);
    goods_sign_set(signs, GOODS_SIGN_TOLD_OFTEN, n >= OFTEN);
    goods_sign_set(signs, GOODS_SIGN_TOLD_OTHER, others && !in_line);
}


void
goods_heard_signs(const struct goods_heard *heard,
                  const struct goods_said *said, struct goods_candidate *one)
{
    if (heard->category) {
        category_signs(heard, said, one);
    }
    if (heard->told) {
        told_signs(heard, said->goods, one);
    }
}
