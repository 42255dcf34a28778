/*
 * Reads titles for a product's kind.  A title names its product in the head of
 * a phrase, mostly the first: "Acme - Red Pillow with Heart", "Case for iPhone
 * 6", "HP 15 Notebook, 8 GB".  Every mention gets signs of what its name is
 * like and where it stands.
 */
#include "tables/goods_title.h"

#include <strings.h>

#define FOREIGN_MAX 5 /* bytes of a name that may be a maker's by chance */
#define BROAD_MIN 24  /* narrower kinds of one that tells little */
#define BRIEF_MAX 4   /* bytes of a brief name */
#define LENGTHY_MIN 12
#define TRAILED_MIN 3 /* bytes of a word that tells */
#define MANY 3        /* mentions */
#define MODEL_DIGITS 4
#define JOIN_CUES (ADS_CUE_BIT(ADS_CUE_AND) | ADS_CUE_BIT(ADS_CUE_PLACE))
#define LANGUAGES                                            \
    (ADS_GOODS_ENGLISH | ADS_GOODS_GERMAN | ADS_GOODS_FRENCH \
     | ADS_GOODS_SPANISH)
#define OTHER_LANGUAGES                                        \
    (ADS_CUE_BIT(ADS_CUE_GERMAN) | ADS_CUE_BIT(ADS_CUE_FRENCH) \
     | ADS_CUE_BIT(ADS_CUE_SPANISH))


static void
attribute_add(struct goods_said *said, uint32_t attribute)
{
    for (uint32_t i = 0; i < said->n_attributes; i++) {
        if (said->attributes[i] == attribute) {
            return;
        }
    }
    if (said->n_attributes < GOODS_ATTRIBUTES) {
        said->attributes[said->n_attributes++] = attribute;
    }
}


/* The attributes that the text says, also within the name of a kind: "wireless
 * headphones". */
static void
attributes_read(struct goods_said *said)
{
    const struct ads_scan *scan = &said->scan;

    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *m = &scan->mentions[i];

        if (m->says == ADS_GOODS_ATTRIBUTE && !goods_said_foreign(said, m)) {
            attribute_add(said, m->target);
        }
    }
    for (uint32_t i = 0; i < scan->n_words; i++) {
        uint32_t attribute =
            scan->words[i].named ? ads_goods_attribute_named(
                said->goods, scan->words[i].state, ADS_GOODS_ENGLISH)
                                 : ADS_GOODS_NONE;

        if (attribute != ADS_GOODS_NONE) {
            attribute_add(said, attribute);
        }
    }
}


void
goods_said_read(struct goods_said *said, struct ads_str text)
{
    said->text = text;
    ads_scan_read(&said->scan, said->goods, text, ADS_SCAN_PRODUCT, NULL);
    attributes_read(said);
}


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


/* Is its name also that of other things, whatever the title tells? */
static bool
is_doubtful(const struct ads_mention *mention)
{
    return (mention->flags & (ADS_GOODS_AMBIGUOUS | ADS_MENTION_SETTLED)) != 0;
}


/* Is another thing named before a mention, from word `from` on? */
static bool
follows_another(const struct ads_scan *scan, const struct ads_mention *m,
                uint32_t from)
{
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (goods_said_counts(other) && other->from >= from
            && other->to <= m->from) {
            return true;
        }
    }
    return false;
}


static bool
is_piece_word(const struct ads_scan_word *word)
{
    return (word->cues & ADS_CUE_OF_PRODUCTS) == ADS_CUE_BIT(ADS_CUE_PIECE);
}


/* What the other things of the title are to it. */
static bool
is_for(const struct ads_scan *scan, const struct ads_mention *m)
{
    return ads_scan_lead(scan, m->from, ADS_CUE_BIT(ADS_CUE_FOR))
           != ADS_GOODS_NONE;
}


/* Is there a number right before it, or one with its unit: "16 GB RAM"? */
static bool
is_counted(const struct ads_scan *scan, const struct ads_mention *m)
{
    for (uint32_t i = m->from; i > 0 && m->from - i < 2; i--) {
        if (scan->words[i - 1].kind == ADS_TEXT_NUMBER) {
            return true;
        }
    }
    return false;
}


/* A title that names a thing and then its parts sells the thing, unless it says
 * "for": "server, Xeon, 16 GB DDR4". */
static void
specs_sign(const struct goods_said *said, const struct ads_mention *m,
           struct goods_signs *signs)
{
    const struct ads_goods *goods = said->goods;
    const struct ads_scan *scan = &said->scan;
    uint32_t first = ADS_GOODS_NONE;

    if (is_for(scan, m)) {
        return;
    }
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (!goods_said_counts(other) || other == m || is_doubtful(other)
            || is_for(scan, other))
        {
            continue;
        }
        if (ads_goods_relation(goods, m->target, other->target)
            == ADS_GOODS_PART) {
            goods_sign_set(signs, GOODS_SIGN_SPEC, true);
            goods_sign_set(signs, GOODS_SIGN_SPEC_NUMBER, is_counted(scan, m));
        }
        if (ads_goods_relation(goods, other->target, m->target)
            == ADS_GOODS_PART) {
            goods_sign_set(signs, GOODS_SIGN_SPECS, true);
            goods_sign_set(
                signs, GOODS_SIGN_SPECS_MANY,
                first != ADS_GOODS_NONE
                    && !ads_goods_in_line(goods, first, other->target));
            first = first == ADS_GOODS_NONE ? other->target : first;
        }
    }
}


static void
others_sign(const struct goods_said *said, const struct ads_mention *m,
            struct goods_signs *signs)
{
    const struct ads_goods *goods = said->goods;
    const struct ads_scan *scan = &said->scan;
    uint32_t n, n_others = 0, before = 0, behind = 0;

    ads_goods_belongs(goods, m->target, &n);
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (!goods_said_counts(other) || other == m) {
            continue;
        }
        before += other->to <= m->from;
        behind += other->from >= m->to;
        if (other->from == m->from) {
            goods_sign_set(signs, GOODS_SIGN_SHARED, true);
        } else if (ads_goods_in_line(goods, other->target, m->target)) {
            goods_sign_set(signs, GOODS_SIGN_TWICE, true);
        }
        if (other->target == m->target || is_doubtful(other)) {
            continue;
        }
        n_others++;
        goods_sign_set(signs, GOODS_SIGN_BELONGS,
                       ads_goods_relation(goods, m->target, other->target)
                           != 0);
        if (ads_goods_relation(goods, other->target, m->target) != 0) {
            goods_sign_set(signs,
                           other->from < m->from ? GOODS_SIGN_OWNS_BEFORE
                                                 : GOODS_SIGN_OWNS_BEHIND,
                           true);
        }
        goods_sign_set(signs, GOODS_SIGN_NARROWER,
                       ads_goods_is(goods, m->target, other->target));
        goods_sign_set(signs, GOODS_SIGN_BROADER,
                       ads_goods_is(goods, other->target, m->target));
    }
    goods_sign_set(signs, GOODS_SIGN_ATTACHED, n > 0 && n_others > 0);
    goods_sign_set(signs, GOODS_SIGN_FIRST_MENTION, before == 0);
    goods_sign_set(signs, GOODS_SIGN_LAST_MENTION, behind == 0);
    goods_sign_set(signs, GOODS_SIGN_ONLY_MENTION, before + behind == 0);
    goods_sign_set(signs, GOODS_SIGN_MANY_BEHIND, behind >= MANY);
    goods_sign_set(signs, GOODS_SIGN_MANY_BEFORE, before >= MANY);
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


static bool
has_text(struct ads_str text, struct ads_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++) {
        if (strncasecmp(text.ptr + i, part.ptr, part.len) == 0) {
            return true;
        }
    }
    return false;
}


/* What its name is like. */
static void
name_sign(const struct goods_said *said, const struct ads_mention *m,
          struct goods_signs *signs)
{
    static const struct {
        uint16_t flag;
        enum goods_sign sign;
    } flags[] = {
        {ADS_GOODS_AMBIGUOUS, GOODS_SIGN_DOUBTFUL},
        {ADS_MENTION_SETTLED, GOODS_SIGN_SETTLED},
        {ADS_GOODS_SHOP, GOODS_SIGN_MERCHANT},
        {ADS_MENTION_COMPOSED, GOODS_SIGN_COMPOSED},
    };
    const struct ads_scan_word *words = said->scan.words;
    int n = m->to - m->from;
    uint32_t len = words[m->to - 1].to - words[m->from].from;

    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        goods_sign_set(signs, flags[i].sign, (m->flags & flags[i].flag) != 0);
    }
    goods_sign_set(signs, GOODS_SIGN_TWO_WORDS, n == 2);
    goods_sign_set(signs, GOODS_SIGN_MORE_WORDS, n > 2);
    goods_sign_set(signs, GOODS_SIGN_BRIEF, len <= BRIEF_MAX);
    goods_sign_set(signs, GOODS_SIGN_LENGTHY, len >= LENGTHY_MIN);
    goods_sign_set(signs, GOODS_SIGN_FOREIGN, goods_said_foreign(said, m));
    goods_sign_set(signs, GOODS_SIGN_PIECE_NAME,
                   n > 1 && is_piece_word(&words[m->to - 1]));
    goods_sign_set(signs, GOODS_SIGN_HALF,
                   2 * (uint32_t)n >= said->scan.n_words);
    goods_sign_set(
        signs, GOODS_SIGN_MAKER,
        has_text(said->brand,
                 (struct ads_str){said->text.ptr + words[m->from].from, len}));
}


static bool
is_model(const struct ads_scan_word *word)
{
    return word->kind == ADS_TEXT_MIXED
           || (word->kind == ADS_TEXT_NUMBER && word->len >= MODEL_DIGITS);
}


/* The characters right before and behind it. */
static void
marks_sign(const struct goods_said *said, const struct ads_mention *m,
           struct goods_signs *signs)
{
    struct ads_str text = said->text;
    size_t from = said->scan.words[m->from].from;
    size_t to = said->scan.words[m->to - 1].to;
    int depth = 0;

    for (size_t i = 0; i < from; i++) {
        depth += (text.ptr[i] == '(') - (text.ptr[i] == ')');
    }
    goods_sign_set(signs, GOODS_SIGN_BRACKETS, depth > 0);
    while (from > 0 && text.ptr[from - 1] == ' ') {
        from--;
    }
    while (to < text.len && text.ptr[to] == ' ') {
        to++;
    }
    goods_sign_set(signs, GOODS_SIGN_SLASHED,
                   (from > 0 && text.ptr[from - 1] == '/')
                       || (to < text.len && text.ptr[to] == '/'));
    goods_sign_set(
        signs, GOODS_SIGN_PLUS_BEFORE,
        from > 0 && (text.ptr[from - 1] == '+' || text.ptr[from - 1] == '&'));
    goods_sign_set(signs, GOODS_SIGN_PLUS_BEHIND,
                   to < text.len
                       && (text.ptr[to] == '+' || text.ptr[to] == '&'));
}


/* The words right before and behind it. */
static void
neighbours_sign(const struct goods_said *said, const struct ads_mention *m,
                struct goods_signs *signs)
{
    const struct ads_scan *scan = &said->scan;
    const struct ads_scan_word *next = &scan->words[m->to];
    const struct ads_scan_word *before;

    goods_sign_set(signs, GOODS_SIGN_PIECE, goods_said_piece(said, m));
    if (m->to == scan->n_words) {
        goods_sign_set(signs, GOODS_SIGN_TITLE_END, true);
    } else if (next->gap != ADS_TEXT_BREAK) {
        bool kind = ads_scan_beginning(scan, m->to) != NULL;
        bool plain = !next->named && next->cues == 0;

        goods_sign_set(signs, GOODS_SIGN_TRAILED,
                       plain && next->kind == ADS_TEXT_LETTERS
                           && next->len >= TRAILED_MIN);
        goods_sign_set(signs, GOODS_SIGN_TRAILED_NUMBER,
                       plain && next->kind != ADS_TEXT_LETTERS);
        goods_sign_set(signs, GOODS_SIGN_TRAILED_MODEL, is_model(next));
        goods_sign_set(signs, GOODS_SIGN_TRAILED_SAID, next->named && !kind);
        goods_sign_set(signs, GOODS_SIGN_FOR_BEHIND,
                       (next->cues & GOODS_FOR_CUES) != 0);
        goods_sign_set(signs, GOODS_SIGN_WITH_BEHIND,
                       (next->cues & GOODS_WITH_CUES) != 0);
        goods_sign_set(signs, GOODS_SIGN_OF_BEHIND,
                       (next->cues & ADS_CUE_BIT(ADS_CUE_OF)) != 0);
    }
    if (m->from == 0 || scan->words[m->from].gap == ADS_TEXT_BREAK) {
        goods_sign_set(signs, GOODS_SIGN_BEGINS, true);
        return;
    }
    before = &scan->words[m->from - 1];
    goods_sign_set(signs, GOODS_SIGN_OF_BEFORE,
                   (before->cues & ADS_CUE_BIT(ADS_CUE_OF)) != 0);
    goods_sign_set(signs, GOODS_SIGN_OUTER,
                   ads_scan_ending(scan, m->from) != NULL);
    goods_sign_set(signs, GOODS_SIGN_AFTER_NUMBER,
                   before->kind == ADS_TEXT_NUMBER
                       || (m->from > 1 && is_attached(said, m->from - 1u)
                           && (before - 1)->kind == ADS_TEXT_NUMBER));
    goods_sign_set(signs, GOODS_SIGN_AFTER_MODEL, is_model(before));
    goods_sign_set(signs, GOODS_SIGN_AFTER_SAID,
                   before->named && ads_scan_ending(scan, m->from) == NULL);
    goods_sign_set(signs, GOODS_SIGN_AFTER_WORD,
                   !before->named && before->cues == 0
                       && before->kind == ADS_TEXT_LETTERS);
}


/* Words for pieces of things elsewhere in the phrase [from, to) of a mention
 * that is none itself. */
static void
pieces_sign(const struct ads_scan *scan, const struct ads_mention *m,
            uint32_t from, uint32_t to, struct goods_signs *signs)
{
    uint32_t last = to;

    for (uint32_t i = m->from; i < m->to; i++) {
        if (is_piece_word(&scan->words[i])) {
            return;
        }
    }
    while (last > m->to
           && (scan->words[last - 1].kind != ADS_TEXT_LETTERS
               || (scan->words[last - 1].named
                   && !is_piece_word(&scan->words[last - 1]))))
    {
        last--;
    }
    goods_sign_set(signs, GOODS_SIGN_PIECE_BEHIND,
                   last > m->to + 1u && is_piece_word(&scan->words[last - 1]));
    for (uint32_t i = from; i < m->from; i++) {
        goods_sign_set(signs, GOODS_SIGN_PIECE_BEFORE,
                       is_piece_word(&scan->words[i]));
    }
}


/* Is a mention a doubtful name of what belongs to another: "Windows 10" of a
 * notebook? */
static bool
is_extra(const struct goods_said *said, const struct ads_mention *m,
         const struct ads_mention *of)
{
    return goods_said_counts(of) && is_doubtful(m)
           && ads_goods_relation(said->goods, m->target, of->target) != 0;
}


/* Does another mention count beside one?  A doubtful name takes nothing from a
 * plain one, nor from what it belongs to. */
static bool
rivals(const struct goods_said *said, const struct ads_mention *other,
       const struct ads_mention *m)
{
    return goods_said_counts(other)
           && ((other->flags & ADS_GOODS_AMBIGUOUS) == 0
               || (m->flags & ADS_GOODS_AMBIGUOUS) != 0)
           && !is_extra(said, other, m);
}


/* Is it a doubtful name of what belongs to a thing before it? */
static bool
is_behind_owner(const struct goods_said *said, const struct ads_mention *m)
{
    for (uint32_t i = 0; i < said->scan.n_mentions; i++) {
        const struct ads_mention *of = &said->scan.mentions[i];

        if (of->to <= m->from && is_extra(said, m, of)) {
            return true;
        }
    }
    return false;
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


/* Is it the last that counts before word `head`? */
static bool
is_head(const struct goods_said *said, const struct ads_mention *m,
        uint32_t head)
{
    for (uint32_t i = 0; i < said->scan.n_mentions; i++) {
        const struct ads_mention *other = &said->scan.mentions[i];

        if (rivals(said, other, m) && other->from >= m->to
            && other->from < head) {
            return false;
        }
    }
    return true;
}


/* What leads to a mention that is not in the head of its phrase: the nearest
 * of the words of `cues`. */
static void
lead_sign(const struct ads_scan *scan, const struct ads_mention *m,
          uint32_t from, struct goods_signs *signs)
{
    static const struct {
        enum ads_cue cue;
        enum goods_sign sign;
    } leads[] = {
        {ADS_CUE_WITHOUT, GOODS_SIGN_WITHOUT},
        {ADS_CUE_WITH, GOODS_SIGN_WITH},
        {ADS_CUE_PLACE, GOODS_SIGN_PLACE},
        {ADS_CUE_AND, GOODS_SIGN_AND},
    };

    for (uint32_t i = m->from; i > from; i--) {
        for (size_t k = 0; k < sizeof(leads) / sizeof(*leads); k++) {
            if ((scan->words[i - 1].cues & ADS_CUE_BIT(leads[k].cue)) != 0) {
                goods_sign_set(signs, leads[k].sign, true);
                return;
            }
        }
    }
}


/* Its place in its phrase, and that among the phrases. */
static void
place_sign(struct goods_said *said, const struct ads_mention *m,
           struct goods_signs *signs)
{
    const struct ads_scan *scan = &said->scan;
    uint32_t from, to;
    uint32_t before = phrase_of(scan, m->from, &from, &to);
    uint32_t bound_for = cue_find(said, from, to, GOODS_FOR_CUES);
    uint32_t bound_with = cue_find(said, from, to, GOODS_WITH_CUES);
    uint32_t head = bound_for < bound_with ? bound_for : bound_with;
    const struct ads_mention *next = ads_scan_beginning(scan, m->to);
    bool inner = next != NULL && rivals(said, next, m)
                 && scan->words[m->to].gap != ADS_TEXT_BREAK;

    goods_sign_set(signs,
                   before == 0   ? GOODS_SIGN_FIRST
                   : before == 1 ? GOODS_SIGN_SECOND
                                 : GOODS_SIGN_LATER,
                   true);
    goods_sign_set(signs, GOODS_SIGN_EARLY, 3u * m->from < scan->n_words);
    goods_sign_set(signs, GOODS_SIGN_INNER, inner);
    goods_sign_set(
        signs, GOODS_SIGN_INNER_OF,
        inner && ads_goods_relation(said->goods, next->target, m->target) != 0);
    if (m->from > bound_for && bound_for < to) {
        goods_sign_set(signs, GOODS_SIGN_FOR, true);
        said->of = said->of == ADS_GOODS_NONE ? m->target : said->of;
    } else if (m->from > bound_with && bound_with < to) {
        lead_sign(scan, m, from, signs);
    } else {
        bool last = is_head(said, m, head);
        bool ends = last && ends_phrase(scan, m->to, head);

        goods_sign_set(signs, GOODS_SIGN_HEAD, last);
        goods_sign_set(signs, GOODS_SIGN_FIRST_HEAD, last && before == 0);
        goods_sign_set(signs, GOODS_SIGN_ENDS, ends);
        goods_sign_set(signs, GOODS_SIGN_FIRST_ENDS, ends && before == 0);
        goods_sign_set(signs, GOODS_SIGN_DOUBTFUL_HEAD,
                       ends && before == 0
                           && (m->flags & ADS_GOODS_AMBIGUOUS) != 0
                           && !follows_another(scan, m, from));
    }
    pieces_sign(scan, m, from, head, signs);
}


void
goods_title_signs(struct goods_said *said, const struct ads_mention *m,
                  struct goods_signs *signs)
{
    goods_sign_set(signs, GOODS_SIGN_TITLE, true);
    name_sign(said, m, signs);
    neighbours_sign(said, m, signs);
    marks_sign(said, m, signs);
    place_sign(said, m, signs);
    others_sign(said, m, signs);
    specs_sign(said, m, signs);
    goods_sign_set(signs, GOODS_SIGN_EXTRA, is_behind_owner(said, m));
}
