/*
 * Queries that name one thing by another: which kind is "charger for my
 * iphone", which is "galaxy s7 case"?
 *
 * Where the first is a kind, the ontology knows what that is called when it
 * belongs to the second.  A word that alone names nothing ("case") is the kind
 * whose name it heads and that belongs to the other.
 */
#include "ads_scan.h"

#define LEAD_WORDS 5
#define HEAD_WORDS 3    /* before "for" that may be what belongs to it */
#define MAKER_WORDS 2   /* from a word to the thing that it is of */
#define ASK_WORDS 4     /* from "a" or "which" to what is asked for */
#define MODEL_LETTERS 5 /* of a word that may be of a model's name */
#define JOINS (ADS_CUE_BIT(ADS_CUE_FOR) | ADS_CUE_BIT(ADS_CUE_OF))


static bool
is_kind(const struct ads_mention *mention)
{
    return mention->says == ADS_GOODS_KIND
           && (mention->flags & (ADS_GOODS_NOT | ADS_MENTION_NEED)) == 0;
}


const struct ads_mention *
ads_scan_ending(const struct ads_scan *scan, uint32_t to)
{
    const struct ads_mention *found = NULL;

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *mention = &scan->mentions[i];

        if (is_kind(mention) && mention->to == to
            && (found == NULL || mention->from < found->from))
        {
            found = mention;
        }
    }
    return found;
}


const struct ads_mention *
ads_scan_beginning(const struct ads_scan *scan, uint32_t from)
{
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        if (is_kind(&scan->mentions[i]) && scan->mentions[i].from == from) {
            return &scan->mentions[i];
        }
    }
    return NULL;
}


/* Is there a kind, and no doubt of what its name means? */
static bool
is_sure(const struct ads_mention *mention)
{
    return mention != NULL && (mention->flags & ADS_GOODS_AMBIGUOUS) == 0;
}


uint32_t
ads_scan_lead(const struct ads_scan *scan, uint32_t from, uint32_t cues)
{
    for (uint32_t i = from; i > 0 && from - i < LEAD_WORDS; i--) {
        const struct ads_scan_word *word = &scan->words[i - 1];

        if (i < from && scan->words[i].gap == ADS_TEXT_BREAK) {
            break;
        }
        if ((word->cues & cues) != 0) {
            while (i > 1 && (scan->words[i - 2].cues & word->cues & cues) != 0)
            {
                i--; /* a cue of several words begins at its first */
            }
            return i - 1;
        }
        if (word->named && is_sure(ads_scan_ending(scan, i))) {
            break;
        }
    }
    return ADS_GOODS_NONE;
}


/* The kind that a word is when said of a kind: "case" of "iphone 6s". */
static uint32_t
named_together(const struct ads_scan *scan, const struct ads_goods *goods,
               uint32_t of, uint32_t word)
{
    uint32_t lemma = scan->words[word].lemma;
    const uint32_t *siblings = ads_goods_siblings(goods, lemma);
    const uint32_t tries[] = {lemma, siblings[0], siblings[1]};
    uint32_t kind = ADS_GOODS_NONE;

    for (int i = 0; i < 3 && kind == ADS_GOODS_NONE; i++) {
        if (tries[i] != ADS_GOODS_NONE) {
            kind = ads_goods_compose(goods, ADS_GOODS_WORD | tries[i], of);
        }
    }
    return kind;
}


/* A word that alone names nothing becomes a mention. */
static void
word_name(struct ads_scan *scan, uint32_t word, uint32_t kind)
{
    if (kind != ADS_GOODS_NONE && scan->n_mentions < ADS_SCAN_MENTIONS) {
        scan->mentions[scan->n_mentions++] =
            (struct ads_mention){.target = kind,
                                 .says = ADS_GOODS_KIND,
                                 .flags = ADS_MENTION_COMPOSED,
                                 .from = (uint16_t)word,
                                 .to = (uint16_t)(word + 1)};
        scan->words[word].named = true;
    }
}


/* Makes a mention the kind that it is when said of another, if the ontology
 * knows one. */
static void
kind_narrow(struct ads_scan *scan, const struct ads_goods *goods,
            const struct ads_mention *head, uint32_t of)
{
    struct ads_mention *mention = &scan->mentions[head - scan->mentions];
    uint32_t kind;

    if (ads_goods_relation(goods, head->target, of) != 0) {
        return; /* a screen protector is one of a phone's already */
    }
    kind = ads_goods_compose(goods, head->target, of);
    if (kind == ADS_GOODS_NONE && head->to - head->from == 1) {
        kind = named_together(scan, goods, of, head->from);
    }
    if (kind != ADS_GOODS_NONE) {
        mention->target = kind;
        mention->flags |= ADS_MENTION_COMPOSED;
        mention->flags &= (uint16_t)~ADS_GOODS_AMBIGUOUS;
    }
}


/* "X for Y", "X of Y": `lead` is the word between. */
static void
joined_compose(struct ads_scan *scan, const struct ads_goods *goods,
               const struct ads_mention *of, uint32_t lead)
{
    const struct ads_mention *head = ads_scan_ending(scan, lead);
    uint32_t kind;

    if (head != NULL) {
        kind_narrow(scan, goods, head, of->target);
        return;
    }
    for (uint32_t i = lead; i > 0 && lead - i < HEAD_WORDS; i--) {
        const struct ads_scan_word *word = &scan->words[i - 1];

        kind = word->named ? ADS_GOODS_NONE
                           : named_together(scan, goods, of->target, i - 1);
        if (kind != ADS_GOODS_NONE) {
            word_name(scan, i - 1, kind);
            return;
        }
        if (word->gap == ADS_TEXT_BREAK
            || (word->cues & ~ADS_CUE_BIT(ADS_CUE_SET)) != 0)
        {
            break; /* another clause, or another part of it */
        }
    }
}


/* Does the word tell which model a thing before it is: "6s", "plus"? */
static bool
is_of_model(const struct ads_scan_word *word)
{
    return word->gap != ADS_TEXT_BREAK && !word->named
           && (word->cues & ~ADS_CUE_BIT(ADS_CUE_SET)) == 0
           && (word->kind != ADS_TEXT_LETTERS || word->len <= MODEL_LETTERS);
}


/* "iphone 6s plus case": what stands behind a thing and its model. */
static void
behind_compose(struct ads_scan *scan, const struct ads_goods *goods,
               const struct ads_mention *of)
{
    uint32_t kind = of->target, to = of->to, at = to;
    const struct ads_mention *next;

    for (; at < scan->n_words && at < to + ADS_SCAN_MODEL; at++) {
        next = ads_scan_beginning(scan, at);
        if (scan->words[at].gap == ADS_TEXT_BREAK || next == of) {
            return;
        }
        if (next != NULL) {
            kind_narrow(scan, goods, next, kind);
            return;
        }
        if (!scan->words[at].named
            && (scan->words[at].cues & ~ADS_CUE_OF_PRODUCTS) == 0)
        {
            uint32_t found = named_together(scan, goods, kind, at);

            if (found != ADS_GOODS_NONE) {
                word_name(scan, at, found);
                return;
            }
        }
        if (!is_of_model(&scan->words[at])) {
            return;
        }
    }
}


/* "funda samsung galaxy s7": what stands before a thing and its maker. */
static void
before_compose(struct ads_scan *scan, const struct ads_goods *goods,
               const struct ads_mention *of)
{
    uint32_t target = of->target;

    for (uint32_t at = of->from; at > 0 && of->from - at < MAKER_WORDS; at--) {
        const struct ads_scan_word *word = &scan->words[at - 1];
        uint32_t kind;

        if (scan->words[at].gap == ADS_TEXT_BREAK || word->named
            || (word->cues & ~ADS_CUE_OF_PRODUCTS) != 0)
        {
            return;
        }
        kind = named_together(scan, goods, target, at - 1);
        if (kind != ADS_GOODS_NONE) {
            word_name(scan, at - 1, kind);
            return;
        }
    }
}


static bool
is_head(const struct ads_goods *goods, uint32_t lemma)
{
    const uint32_t *siblings = ads_goods_siblings(goods, lemma);

    return ads_goods_heads(goods, lemma) || ads_goods_heads(goods, siblings[0])
           || ads_goods_heads(goods, siblings[1]);
}


/* Is the word one that alone names nothing, and asked for: "a case", "which
 * tough case"? */
static bool
is_asked_for(const struct ads_scan *scan, const struct ads_goods *goods,
             uint32_t at)
{
    const uint32_t asks =
        ADS_CUE_BIT(ADS_CUE_ARTICLE) | ADS_CUE_BIT(ADS_CUE_WHICH);
    const struct ads_scan_word *word = &scan->words[at];

    if (word->named || word->kind != ADS_TEXT_LETTERS
        || (word->cues & ~ADS_CUE_OF_PRODUCTS) != 0
        || !is_head(goods, word->lemma))
    {
        return false;
    }
    for (uint32_t i = at; i > 0 && at - i < ASK_WORDS; i--) {
        if (scan->words[i].gap == ADS_TEXT_BREAK) {
            return false;
        }
        if ((scan->words[i - 1].cues & asks) != 0) {
            return true;
        }
    }
    return false;
}


/* "My galaxy s7 fell.  What case would you put on it?": what is asked for is of
 * a thing that is said elsewhere, of several the last. */
static void
apart_compose(struct ads_scan *scan, const struct ads_goods *goods, uint32_t n)
{
    for (uint32_t at = 0; at < scan->n_words; at++) {
        uint32_t kind = ADS_GOODS_NONE;

        if (!is_asked_for(scan, goods, at)) {
            continue;
        }
        for (uint32_t i = n; i > 0 && kind == ADS_GOODS_NONE; i--) {
            const struct ads_mention *of = &scan->mentions[i - 1];

            if (is_kind(of) && is_sure(of)) {
                kind = named_together(scan, goods, of->target, at);
            }
        }
        word_name(scan, at, kind);
    }
}


void
ads_scan_compose(struct ads_scan *scan, const struct ads_goods *goods)
{
    uint32_t n = scan->n_mentions;

    for (uint32_t i = 0; i < n; i++) {
        const struct ads_mention *of = &scan->mentions[i];
        uint32_t lead;

        if (!is_kind(of) || !is_sure(of)) {
            continue;
        }
        lead = ads_scan_lead(scan, of->from, JOINS);
        if (lead != ADS_GOODS_NONE) {
            joined_compose(scan, goods, of, lead);
        }
        behind_compose(scan, goods, of);
        before_compose(scan, goods, of);
    }
    apart_compose(scan, goods, n);
}
