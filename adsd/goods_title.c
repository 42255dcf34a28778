/*
 * A title names its product in the head of a phrase, mostly the first:
 * "Acme - Red Pillow with Heart", "Case for iPhone 6", "HP 15 Notebook, 8 GB".
 * Every mention gets points for where it stands.
 */
#include "goods_title.h"

/* Points. */
#define HEAD 8  /* the last mention of the phrase before "for", "with" */
#define FIRST 6 /* in the first phrase of more than a brand */
#define DOUBTFUL_HEAD 6    /* a doubtful name that ends the first phrase */
#define LATER 2            /* less for each phrase further on */
#define INNER (-8)         /* another mention follows right behind */
#define FOR (-60)          /* behind "for" */
#define WITH (-10)         /* behind "with" */
#define PIECE (-40)        /* a piece of it is what is named: "reader case" */
#define PIECE_LATER (-14)  /* one ends its phrase: "laptop USB adapter card" */
#define PIECE_EARLIER (-8) /* one stands before it in its phrase */
#define PIECES 8      /* its name says that it is a piece: "doll accessory" */
#define ATTACHED 5    /* it is one of another thing's, which is there, too */
#define TRAILED (-11) /* a word that is no name follows right behind */
#define FOREIGN (-22) /* a name of another language than the title's */
#define FOREIGN_MAX 5 /* bytes of one that may be a maker's by chance */
#define BELONGS 5     /* to another mention */
#define OWNS (-5)     /* another mention belongs to it */
#define BROAD (-10)   /* a kind of many narrower ones */
#define BROAD_MIN 24  /* of them */
#define JOIN_CUES (ADS_CUE_BIT(ADS_CUE_AND) | ADS_CUE_BIT(ADS_CUE_PLACE))
#define LANGUAGES                                            \
    (ADS_GOODS_ENGLISH | ADS_GOODS_GERMAN | ADS_GOODS_FRENCH \
     | ADS_GOODS_SPANISH)
#define OTHER_LANGUAGES                                        \
    (ADS_CUE_BIT(ADS_CUE_GERMAN) | ADS_CUE_BIT(ADS_CUE_FRENCH) \
     | ADS_CUE_BIT(ADS_CUE_SPANISH))


bool
goods_said_counts(const struct ads_mention *mention)
{
    return mention->says == ADS_GOODS_KIND
           && (mention->flags & (ADS_GOODS_NOT | ADS_MENTION_NEED)) == 0;
}


bool
goods_said_broad(const struct goods_said *said, uint32_t kind)
{
    return kind < said->goods->n_kinds && said->narrower[kind] > BROAD_MIN;
}


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


/* Is a thing named in the words [from, to), beyond doubt? */
static bool
names_thing(const struct ads_scan *scan, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *m = &scan->mentions[i];

        if (goods_said_counts(m) && m->from >= from && m->to <= to
            && (m->flags & ADS_GOODS_AMBIGUOUS) == 0)
        {
            return true;
        }
    }
    return false;
}


/* Is the word a part of another: "clip-on", "in" of "4 in."? */
static bool
is_attached(const struct goods_said *said, uint32_t i)
{
    const struct ads_scan_word *word = &said->scan.words[i];
    struct ads_str bytes = ads_scan_bytes(&said->scan, i);

    return (word->from > 0 && said->text.ptr[word->from - 1] == '-')
           || (word->to < said->text.len && said->text.ptr[word->to] == '-')
           || (i > 0 && said->scan.words[i - 1].kind == ADS_TEXT_NUMBER
               && ads_text_unit(bytes.ptr, bytes.len, false) != NULL);
}


/* The first word of [from, to) with one of the cues, or `to`.  "And" and "in"
 * end nothing before a thing is named: "tub and shower faucet". */
static uint32_t
cue_find(const struct goods_said *said, uint32_t from, uint32_t to,
         uint32_t cues)
{
    const struct ads_scan *scan = &said->scan;

    for (uint32_t i = from; i < to; i++) {
        uint32_t found = scan->words[i].cues & cues;

        if (found != 0 && !is_attached(said, i)
            && ((found & ~JOIN_CUES) != 0 || names_thing(scan, from, i)))
        {
            return i;
        }
    }
    return to;
}


static int
among_others(const struct goods_said *said, const struct ads_mention *m)
{
    const struct ads_scan *scan = &said->scan;
    bool belongs = false, owns = false, others = false;
    uint32_t n;

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (!goods_said_counts(other) || other->target == m->target) {
            continue;
        }
        others = true;
        belongs =
            belongs
            || ads_goods_relation(said->goods, m->target, other->target) != 0;
        owns =
            owns
            || ads_goods_relation(said->goods, other->target, m->target) != 0;
    }
    ads_goods_belongs(said->goods, m->target, &n);
    return (belongs ? BELONGS : 0) + (owns ? OWNS : 0)
           + (n > 0 && others ? ATTACHED : 0);
}


/* More English names around a mention than such of a language it is of? */
static bool
is_among_english(const struct ads_scan *scan, const struct ads_mention *m)
{
    int english = 0;

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];
        bool same = (other->flags & m->flags & LANGUAGES) != 0;

        if (other->from != m->from && (other->flags & LANGUAGES) != 0) {
            english += (other->flags & ADS_GOODS_ENGLISH) != 0 ? !same : -same;
        }
    }
    return english > 0;
}


bool
goods_said_foreign(const struct goods_said *said, const struct ads_mention *m)
{
    const struct ads_scan *scan = &said->scan;
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
           || scan->words[m->from].len <= FOREIGN_MAX
           || is_among_english(scan, m);
}


static bool
is_piece_word(const struct ads_scan_word *word)
{
    return (word->cues & ADS_CUE_OF_PRODUCTS) == ADS_CUE_BIT(ADS_CUE_PIECE);
}


/* Does the word behind a mention go on with a name of the same: "toner" and
 * "cartridge"? */
static bool
goes_on(const struct goods_said *said, const struct ads_mention *m)
{
    const struct ads_goods *goods = said->goods;
    const struct ads_scan_word *words = said->scan.words;
    uint32_t n, first = words[m->to - 1].state;
    const uint32_t *siblings;
    uint32_t tries[3] = {words[m->to].lemma};

    if (first == 0 || tries[0] == ADS_GOODS_NONE) {
        return false;
    }
    siblings = ads_goods_siblings(goods, tries[0]);
    tries[1] = siblings[0];
    tries[2] = siblings[1];
    for (int i = 0; i < 3 && tries[i] != ADS_GOODS_NONE; i++) {
        const struct ads_goods_name *names =
            ads_goods_names(goods, ads_goods_step(goods, first, tries[i]), &n);

        for (uint32_t k = 0; k < n; k++) {
            if (names[k].says == ADS_GOODS_KIND
                && ads_goods_in_line(goods, names[k].target, m->target))
            {
                return true;
            }
        }
    }
    return false;
}


bool
goods_said_piece(const struct goods_said *said, const struct ads_mention *m)
{
    const struct ads_scan_word *next = &said->scan.words[m->to];

    return m->to < said->scan.n_words && next->gap != ADS_TEXT_BREAK
           && !next->named && is_piece_word(next) && !goes_on(said, m);
}


/* What stands right behind a mention, and which language it is of. */
static int
points_of_words(const struct goods_said *said, const struct ads_mention *m)
{
    const struct ads_scan *scan = &said->scan;
    const struct ads_scan_word *next = &scan->words[m->to];
    int points = goods_said_piece(said, m) ? PIECE : 0;

    if (is_piece_word(&scan->words[m->to - 1]) && m->to - m->from > 1) {
        points += PIECES;
    }
    if (m->to < scan->n_words && next->gap != ADS_TEXT_BREAK
        && next->kind == ADS_TEXT_LETTERS && !next->named && next->cues == 0
        && next->len > 2)
    {
        points += TRAILED;
    }
    if (goods_said_foreign(said, m)) {
        points += FOREIGN;
    }
    return points;
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


/* Does another mention count beside one?  A doubtful name takes nothing from a
 * plain one. */
static bool
rivals(const struct ads_mention *other, const struct ads_mention *m)
{
    return goods_said_counts(other)
           && ((other->flags & ADS_GOODS_AMBIGUOUS) == 0
               || (m->flags & ADS_GOODS_AMBIGUOUS) != 0);
}


/* Does nothing but a set's words stand between word i and the next phrase? */
static bool
ends_phrase(const struct ads_scan *scan, uint32_t i, uint32_t head)
{
    while (i < head && scan->words[i].gap != ADS_TEXT_BREAK
           && (scan->words[i].cues & ADS_CUE_BIT(ADS_CUE_SET)) != 0)
    {
        i++;
    }
    return i >= head || scan->words[i].gap == ADS_TEXT_BREAK;
}


int
goods_title_points(struct goods_said *said, const struct ads_mention *m)
{
    const struct ads_scan *scan = &said->scan;
    uint32_t from, to;
    uint32_t before = phrase_of(scan, m->from, &from, &to);
    uint32_t bound_for = cue_find(said, from, to, GOODS_FOR_CUES);
    uint32_t bound_with = cue_find(said, from, to, GOODS_WITH_CUES);
    uint32_t head = bound_for < bound_with ? bound_for : bound_with;
    const struct ads_mention *next = ads_scan_beginning(scan, m->to);
    bool beside = m->from > bound_with && bound_with < to;
    int points = GOODS_WORDY * (m->to - m->from) - LATER * (int)before;

    points += before == 0 ? FIRST : 0;
    if (m->from > bound_for && bound_for < to) {
        points += FOR;
        said->of = said->of == ADS_GOODS_NONE ? m->target : said->of;
    } else if (beside) {
        points += WITH;
    } else {
        bool last = true;

        for (uint32_t i = 0; i < scan->n_mentions; i++) {
            const struct ads_mention *other = &scan->mentions[i];

            last = last
                   && !(rivals(other, m) && other->from >= m->to
                        && other->from < head);
        }
        points += last ? HEAD : 0;
        points += last && before == 0 && ends_phrase(scan, m->to, head)
                          && (m->flags & ADS_GOODS_AMBIGUOUS) != 0
                      ? DOUBTFUL_HEAD
                      : 0;
    }
    if (next != NULL && rivals(next, m) && m->to < scan->n_words
        && scan->words[m->to].gap != ADS_TEXT_BREAK)
    {
        points += INNER;
    }
    points += (m->flags & ADS_GOODS_AMBIGUOUS) != 0 ? GOODS_AMBIGUOUS : 0;
    points += goods_said_broad(said, m->target) ? BROAD : 0;
    points += points_of_pieces(scan, m, from, head);
    points += points_of_words(said, m);
    return beside ? points : points + among_others(said, m);
}
