/*
 * Things that belong to others: which kind "charger for my iphone" is.
 *
 * Where the first is a kind, the ontology knows what that is called when it
 * belongs to the second.  Where it is a word that alone names nothing
 * ("case"), the two together may be a name ("iphone case").
 */
#include "ads_scan.h"

#define LEAD_WORDS 5
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


/* The state behind words [from, to), from `state` on; 0: no name has them. */
static uint32_t
walk(const struct ads_scan *scan, const struct ads_goods *goods, uint32_t state,
     uint32_t from, uint32_t to)
{
    bool first = true;

    for (uint32_t i = from; i < to; i++) {
        uint32_t lemma = scan->words[i].lemma, next;
        const uint32_t *siblings = ads_goods_siblings(goods, lemma);

        next = ads_goods_step(goods, state, lemma);
        for (int k = 0; k < 2 && next == 0; k++) {
            if (siblings[k] != ADS_GOODS_NONE) {
                next = ads_goods_step(goods, state, siblings[k]);
            }
        }
        if (next == 0 && (state != 0 || !first)) {
            return 0;
        }
        state = next;
        first = false;
        if (state == 0) {
            return 0;
        }
    }
    return state;
}


/* The kind that a word is when said of a mention: "case" of "iphone". */
static uint32_t
named_together(const struct ads_scan *scan, const struct ads_goods *goods,
               const struct ads_mention *of, uint32_t word)
{
    uint32_t state = walk(scan, goods, 0, of->from, of->to), n;
    const struct ads_goods_name *names;

    state = state == 0 ? 0 : walk(scan, goods, state, word, word + 1);
    if (state == 0) {
        return ADS_GOODS_NONE;
    }
    names = ads_goods_names(goods, state, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (names[i].says == ADS_GOODS_KIND
            && (names[i].flags & ADS_GOODS_NOT) == 0) {
            return names[i].target;
        }
    }
    return ADS_GOODS_NONE;
}


static void
kind_narrow(struct ads_scan *scan, const struct ads_goods *goods,
            const struct ads_mention *head, uint32_t of)
{
    struct ads_mention *mention = &scan->mentions[head - scan->mentions];
    uint32_t kind = ads_goods_compose(goods, head->target, of);

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
    if (lead == 0 || scan->words[lead - 1].lemma == ADS_GOODS_NONE
        || scan->n_mentions == ADS_SCAN_MENTIONS)
    {
        return;
    }
    kind = named_together(scan, goods, of, lead - 1);
    if (kind != ADS_GOODS_NONE) {
        scan->mentions[scan->n_mentions++] =
            (struct ads_mention){.target = kind,
                                 .says = ADS_GOODS_KIND,
                                 .flags = ADS_MENTION_COMPOSED,
                                 .from = (uint16_t)(lead - 1),
                                 .to = (uint16_t)lead};
        scan->words[lead - 1].named = true;
    }
}


void
ads_scan_compose(struct ads_scan *scan, const struct ads_goods *goods)
{
    uint32_t n = scan->n_mentions;

    for (uint32_t i = 0; i < n; i++) {
        const struct ads_mention *of = &scan->mentions[i], *next;
        uint32_t lead;

        if (!is_kind(of) || !is_sure(of)) {
            continue;
        }
        lead = ads_scan_lead(scan, of->from, JOINS);
        if (lead != ADS_GOODS_NONE) {
            joined_compose(scan, goods, of, lead);
        }
        next = ads_scan_beginning(scan, of->to);
        if (next != NULL && next != of
            && scan->words[next->from].gap != ADS_TEXT_BREAK) {
            kind_narrow(scan, goods, next, of->target);
        }
    }
}
