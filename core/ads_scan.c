/*
 * Finds kinds, attributes and cues in a text: words, then names, then needs.  A
 * text has few words that begin a name, so most of the work is one look-up a
 * word.
 */
#include "ads_scan.h"

#define COMPOUND_MIN 8     /* bytes of a word that may be a compound */
#define COMPOUND_TAIL 5    /* bytes of its last part, at least */
#define COMPOUND_HEAD 3    /* of what stands before that */
#define NEEDS_OPEN 512     /* needs followed at a time, a power of 2 */
#define NEEDS_PROBES 8     /* places where one may stand */
#define LEMMA_BITS 512     /* a multiple of 64 */
#define SHARED_MAX 8       /* meanings of one name that are kept */
#define COST_CUE 16        /* over any number of changed words */
#define ABBREVIATION_MAX 2 /* letters before a full stop that ends nothing */
#define JOINED_MIN 3       /* letters of each of two words that are joined */
#define MICROS_DIGITS 6
#define NUMBER_MAX INT64_C(1000000000)

struct reading {
    const struct ads_goods *goods;
    struct ads_scan *scan;
    struct ads_str text;
    enum ads_scan_of of;
};


/* ---- words --------------------------------------------------------------- */

static bool
is_apostrophe(struct ads_str text, size_t at)
{
    return (at < text.len && text.ptr[at] == '\'')
           || (at + 2 < text.len
               && memcmp(text.ptr + at, "\xe2\x80\x99", 3) == 0);
}


struct ads_str
ads_scan_bare(const struct ads_text_word *word, struct ads_str text)
{
    struct ads_str bytes = {word->bytes, word->len};

    if (word->kind != ADS_TEXT_LETTERS || bytes.len < 4) {
        return bytes;
    }
    if (memchr("ldjnscmt", bytes.ptr[0], 8) != NULL
        && is_apostrophe(text, (size_t)word->from + 1))
    {
        return ads_str_tail(bytes, 1);
    }
    if (bytes.ptr[0] == 'q' && bytes.ptr[1] == 'u'
        && is_apostrophe(text, (size_t)word->from + 2))
    {
        return ads_str_tail(bytes, 2);
    }
    return bytes;
}


/* Does a sentence end between the two bytes? */
static bool
sentence_ends(struct ads_str text, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < text.len; i++) {
        if (memchr(".?!;\n", text.ptr[i], 5) != NULL) {
            return true;
        }
    }
    return false;
}


/* Does a full stop between the two bytes end the sentence?  "4 in. x 2 in." and
 * "St. Paul" go on. */
static bool
stop_ends(const struct reading *reading, size_t from, size_t to)
{
    const struct ads_scan *scan = reading->scan;
    struct ads_str text = reading->text, word;

    if (scan->n_words == 0 || to <= from + 1 || to > text.len
        || text.ptr[from] != '.'
        || (text.ptr[from + 1] != ' ' && text.ptr[from + 1] != '\n'))
    {
        return false;
    }
    word = ads_scan_bytes(scan, scan->n_words - 1);
    return scan->words[scan->n_words - 1].kind != ADS_TEXT_LETTERS
           || (word.len > ABBREVIATION_MAX
               && (scan->n_words == 1
                   || scan->words[scan->n_words - 2].kind != ADS_TEXT_NUMBER
                   || ads_text_unit(word.ptr, word.len, false) == NULL));
}


/* A number as it was folded ("1299", "2.5") in micros, or -1. */
static int64_t
micros_read(struct ads_str digits)
{
    int64_t value = 0;
    int decimals = -1;

    for (size_t i = 0; i < digits.len; i++) {
        char c = digits.ptr[i];

        if (c == '.' && decimals < 0) {
            decimals = 0;
        } else if (!ads_char_is_digit(c)) {
            return -1;
        } else if (decimals < MICROS_DIGITS) {
            value = value * 10 + (c - '0');
            decimals += decimals >= 0;
        }
        if (value > NUMBER_MAX * 1000000) {
            return -1;
        }
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < MICROS_DIGITS;
         decimals++)
    {
        if (value > NUMBER_MAX * 1000000) {
            return -1;
        }
        value *= 10;
    }
    return digits.len > 0 ? value : -1;
}


static uint32_t
lemma_of(const struct reading *reading, const struct ads_text_word *word,
         const struct ads_scan_speller *spell)
{
    char corrected[ADS_TEXT_WORD_MAX];
    struct ads_str bytes = {word->bytes, word->len};
    struct ads_str bare = ads_scan_bare(word, reading->text);
    uint32_t lemma = ads_goods_lemma(reading->goods, bare);
    size_t len;

    if (lemma == ADS_GOODS_NONE && bare.len < bytes.len) {
        lemma = ads_goods_lemma(reading->goods, bytes);
    }
    if (lemma != ADS_GOODS_NONE || spell == NULL
        || word->kind != ADS_TEXT_LETTERS) {
        return lemma;
    }
    len = spell->correct(spell->ctx, word, corrected);
    return len == 0 ? ADS_GOODS_NONE
                    : ads_goods_lemma(reading->goods,
                                      (struct ads_str){corrected, len});
}


/* ---- names --------------------------------------------------------------- */

/* Is a cue of other languages than the text's?  The French "a" is no place in
 * English.  What bounds a price is mistaken for nothing else. */
static bool
is_foreign(const struct ads_scan *scan, const struct ads_goods_name *cue)
{
    return scan->language != ADS_CUE_END && cue->target != ADS_CUE_UNDER
           && (cue->flags & ads_scan_language_flag(scan->language)) == 0;
}


static void
mention_add(struct ads_scan *scan, const struct ads_goods_name *name,
            uint32_t from, uint32_t to, uint16_t flags)
{
    if (name->says == ADS_GOODS_CUE
        && (name->target >= ADS_CUE_END || is_foreign(scan, name)))
    {
        return;
    }
    if (name->says != ADS_GOODS_CUE && scan->n_mentions < ADS_SCAN_MENTIONS) {
        scan->mentions[scan->n_mentions++] =
            (struct ads_mention){.target = name->target,
                                 .says = name->says,
                                 .flags = (uint16_t)(name->flags | flags),
                                 .from = (uint16_t)from,
                                 .to = (uint16_t)to};
    }
    for (uint32_t i = from; i < to; i++) {
        if (name->says == ADS_GOODS_CUE) {
            scan->words[i].cues |= ADS_CUE_BIT(name->target);
        } else {
            scan->words[i].named = true;
        }
    }
}


/* Does the text use such names?  People ask for nothing as merchants call it:
 * "booster", "elbow"; and in a product's texts a maker's line mostly says what
 * the product is for. */
static bool
is_read(const struct reading *reading, const struct ads_goods_name *name)
{
    uint16_t others =
        reading->of == ADS_SCAN_PRODUCT ? ADS_GOODS_LINE : ADS_GOODS_SHOP;

    return name->says != ADS_GOODS_KIND || (name->flags & others) == 0;
}


/* All that a state is a name of. */
static void
state_add(const struct reading *reading, uint32_t state, uint32_t from,
          uint32_t to, uint16_t flags)
{
    uint32_t n;
    const struct ads_goods_name *names =
        ads_goods_names(reading->goods, state, &n);

    for (uint32_t i = 0; i < n && i < SHARED_MAX; i++) {
        if (is_read(reading, &names[i])) {
            mention_add(reading->scan, &names[i], from, to, flags);
        }
    }
}


/* Where a search for the longest name is. */
struct found {
    uint32_t state;
    uint32_t to;
    uint32_t changed; /* words that are another form than the name's; more by
                         COST_CUE when it is a cue alone */
};


/* What a name that ends in a state costs, UINT32_MAX: there is none. */
static uint32_t
cost_of(const struct reading *reading, uint32_t state)
{
    uint32_t n, cost = UINT32_MAX;
    const struct ads_goods_name *names =
        ads_goods_names(reading->goods, state, &n);

    for (uint32_t i = 0; i < n && cost != 0; i++) {
        if (is_read(reading, &names[i])) {
            cost = names[i].says != ADS_GOODS_CUE ? 0 : COST_CUE;
        }
    }
    return cost;
}


/* The longest name that goes on from `state` at word i; of two as long a thing
 * rather than a cue, then the one that is written as it stands. */
static void
name_search(const struct reading *reading, uint32_t state, uint32_t i,
            uint32_t first, uint32_t changed, struct found *found)
{
    const struct ads_scan *scan = reading->scan;
    const uint32_t *siblings;
    uint32_t tries[3];

    if (i > first) {
        uint32_t cost = cost_of(reading, state);

        if (cost != UINT32_MAX
            && (i > found->to
                || (i == found->to && changed + cost < found->changed)))
        {
            *found = (struct found){state, i, changed + cost};
        }
    }
    if (i == scan->n_words || i - first == ADS_GOODS_NAME_WORDS
        || scan->words[i].lemma == ADS_GOODS_NONE
        || (i > first && scan->words[i].ends))
    {
        return;
    }
    siblings = ads_goods_siblings(reading->goods, scan->words[i].lemma);
    tries[0] = scan->words[i].lemma;
    tries[1] = siblings[0];
    tries[2] = siblings[1];
    for (uint32_t k = 0; k < 3 && tries[k] != ADS_GOODS_NONE; k++) {
        uint32_t next = i == first && k == 0
                            ? scan->words[i].state
                            : ads_goods_step(reading->goods, state, tries[k]);

        if (next != 0) {
            name_search(reading, next, i + 1, first, changed + (k > 0), found);
        }
    }
}


/* The state of a single folded word that is a whole name; 0: it is none. */
static uint32_t
state_of(const struct ads_goods *goods, struct ads_str word)
{
    uint32_t lemma = ads_goods_lemma(goods, word), state, n = 0;

    if (lemma == ADS_GOODS_NONE) {
        return 0;
    }
    state = ads_goods_step(goods, 0, lemma);
    if (state != 0) {
        ads_goods_names(goods, state, &n);
    }
    return n > 0 ? state : 0;
}


/* The first part of a compound, without the letters that join. */
static uint32_t
prefix_state(const struct ads_goods *goods, struct ads_str prefix)
{
    static const char *const joints[] = {"", "s", "n", "en", "es", "er", "e"};

    for (size_t i = 0; i < sizeof(joints) / sizeof(*joints); i++) {
        size_t len = strlen(joints[i]);
        uint32_t state = 0;

        if (prefix.len >= len + COMPOUND_HEAD
            && memcmp(prefix.ptr + prefix.len - len, joints[i], len) == 0)
        {
            state =
                state_of(goods, (struct ads_str){prefix.ptr, prefix.len - len});
        }
        if (state != 0) {
            return state;
        }
    }
    return 0;
}


/* Has the state a German name, one that may end a compound? */
static bool
ends_compound(const struct ads_goods *goods, uint32_t state)
{
    uint32_t n;
    const struct ads_goods_name *names = ads_goods_names(goods, state, &n);

    for (uint32_t i = 0; i < n; i++) {
        if ((names[i].flags & ADS_GOODS_GERMAN) != 0
            && names[i].says == ADS_GOODS_KIND) {
            return true;
        }
    }
    return false;
}


/* Reads a word of letters that is no lemma as a compound. */
static void
compound_read(const struct reading *reading, struct ads_str word, uint32_t at)
{
    for (size_t cut = COMPOUND_HEAD; cut + COMPOUND_TAIL <= word.len; cut++) {
        uint32_t state = state_of(reading->goods, ads_str_tail(word, cut));

        if (state != 0 && ends_compound(reading->goods, state)) {
            uint32_t prefix =
                prefix_state(reading->goods, (struct ads_str){word.ptr, cut});

            if (prefix != 0) {
                state_add(reading, prefix, at, at + 1, ADS_MENTION_PREFIX);
            }
            state_add(reading, state, at, at + 1, ADS_MENTION_COMPOUND);
            return;
        }
    }
}


/* ---- needs --------------------------------------------------------------- */

struct open_need {
    uint32_t need; /* + 1 */
    uint32_t slots;
    uint16_t from;
    uint16_t to;
};


/* Where a need stands, or may be put: in place of another where all are
 * taken. */
static struct open_need *
need_place(struct open_need *open, uint32_t need)
{
    for (uint32_t i = 0; i < NEEDS_PROBES; i++) {
        struct open_need *place = &open[(need + i) % NEEDS_OPEN];

        if (place->need == need || place->need == 0) {
            return place;
        }
    }
    return &open[need % NEEDS_OPEN];
}


static void
need_meet(const struct reading *reading, struct open_need *open, uint32_t entry,
          uint32_t word)
{
    const struct ads_goods_need *need =
        ads_goods_need_peek(reading->goods, entry >> 3);
    struct open_need *place = need_place(open, (entry >> 3) + 1);
    struct ads_goods_name name;

    if (need == NULL) {
        return;
    }
    if (place->need != (entry >> 3) + 1) {
        *place = (struct open_need){.need = (entry >> 3) + 1,
                                    .from = (uint16_t)word};
    }
    place->slots |= 1u << (entry & 7);
    place->to = (uint16_t)(word + 1);
    if (place->slots == (1u << need->n_slots) - 1) {
        place->slots |= 1u << 31; /* once */
        name = (struct ads_goods_name){.target = need->kind,
                                       .says = ADS_GOODS_KIND};
        mention_add(reading->scan, &name, place->from, place->from,
                    ADS_MENTION_NEED);
    }
}


static void
needs_read(const struct reading *reading)
{
    struct open_need open[NEEDS_OPEN];
    const struct ads_scan *scan = reading->scan;

    memset(open, 0, sizeof(open));
    for (uint32_t i = 0; i < scan->n_words; i++) {
        uint32_t n;
        const uint32_t *slots =
            ads_goods_need_slots(reading->goods, scan->words[i].lemma, &n);

        for (uint32_t k = 0; k < n; k++) {
            need_meet(reading, open, slots[k], i);
        }
    }
}


/* ---- ambiguous names ----------------------------------------------------- */

/*
 * The lemmas of a text as bits of their lowest digits: most that it lacks are
 * ruled out by them at once.
 */
struct lemmas {
    uint64_t bits[LEMMA_BITS / 64];
};


static void
lemmas_read(struct lemmas *lemmas, const struct ads_scan *scan)
{
    memset(lemmas, 0, sizeof(*lemmas));
    for (uint32_t i = 0; i < scan->n_words; i++) {
        uint32_t bit = scan->words[i].lemma % LEMMA_BITS;

        lemmas->bits[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}


static bool
has_lemma(const struct ads_scan *scan, const struct lemmas *lemmas,
          uint32_t lemma)
{
    uint32_t bit = lemma % LEMMA_BITS;

    if ((lemmas->bits[bit / 64] >> bit % 64 & 1) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < scan->n_words; i++) {
        if (scan->words[i].lemma == lemma) {
            return true;
        }
    }
    return false;
}


/* Is there anything in the text that tells that the kind is meant? */
static bool
is_meant(const struct reading *reading, const struct lemmas *lemmas,
         const struct ads_mention *mention)
{
    const struct ads_scan *scan = reading->scan;
    uint32_t n;
    const uint64_t *near = ads_goods_near(reading->goods, mention->target, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (has_lemma(scan, lemmas, (uint32_t)near[i])) {
            return true;
        }
    }
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        const struct ads_mention *other = &scan->mentions[i];

        if (other->says == ADS_GOODS_KIND
            && (other->flags & (ADS_GOODS_AMBIGUOUS | ADS_GOODS_NOT)) == 0
            && (other->from != mention->from
                || (other->flags & ADS_MENTION_NEED) != 0)
            && (ads_goods_is(reading->goods, other->target, mention->target)
                || ads_goods_relation(reading->goods, other->target,
                                      mention->target)
                       != 0
                || ads_goods_relation(reading->goods, mention->target,
                                      other->target)
                       != 0))
        {
            return true;
        }
    }
    return false;
}


static void
ambiguous_settle(const struct reading *reading)
{
    struct ads_scan *scan = reading->scan;
    struct lemmas lemmas;

    lemmas_read(&lemmas, scan);
    for (uint32_t i = 0; i < scan->n_mentions; i++) {
        struct ads_mention *mention = &scan->mentions[i];

        if (mention->says == ADS_GOODS_KIND
            && (mention->flags & ADS_GOODS_AMBIGUOUS) != 0
            && ((uint32_t)(mention->to - mention->from) == scan->n_words
                || is_meant(reading, &lemmas, mention)))
        {
            mention->flags &= (uint16_t)~ADS_GOODS_AMBIGUOUS;
            mention->flags |= ADS_MENTION_SETTLED;
        }
    }
}


/* ---- all of it ----------------------------------------------------------- */

/* The cues that a word has even within a name: it names a piece of something,
 * or a language. */
static uint32_t
own_cues(const struct ads_goods *goods, uint32_t state)
{
    uint32_t n, cues = 0;
    const struct ads_goods_name *names = ads_goods_names(goods, state, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (names[i].says == ADS_GOODS_CUE && names[i].target >= ADS_CUE_PIECE
            && names[i].target < ADS_CUE_END)
        {
            cues |= ADS_CUE_BIT(names[i].target);
        }
    }
    return cues;
}


static void
word_settle(const struct ads_goods *goods, struct ads_scan_word *word)
{
    if (word->lemma != ADS_GOODS_NONE) {
        word->state = ads_goods_step(goods, 0, word->lemma);
        word->cues = own_cues(goods, word->state);
    }
}


/* The language that most words tell, ADS_CUE_END: none does. */
static uint8_t
language_of(const struct ads_scan *scan)
{
    uint32_t count[4] = {0}, best = 0;

    for (uint32_t i = 0; i < scan->n_words; i++) {
        for (int k = 0; k < 4; k++) {
            count[k] += scan->words[i].cues >> (ADS_CUE_ENGLISH + k) & 1;
        }
    }
    for (uint32_t k = 1; k < 4; k++) {
        best = count[k] > count[best] ? k : best;
    }
    return count[best] == 0 ? ADS_CUE_END : (uint8_t)(ADS_CUE_ENGLISH + best);
}


static void
words_read(const struct reading *reading, const struct ads_scan_speller *spell)
{
    struct ads_scan *scan = reading->scan;
    struct ads_text_reader reader;
    struct ads_text_word word;
    size_t before = 0;

    ads_text_init(&reader, reading->text);
    while (scan->n_words < ADS_SCAN_WORDS && ads_text_next(&reader, &word)
           && scan->n_bytes + word.len <= ADS_SCAN_BYTES)
    {
        struct ads_str bytes = {word.bytes, word.len};

        if (stop_ends(reading, before, word.from)) {
            word.gap = ADS_TEXT_BREAK;
        }
        memcpy(scan->bytes + scan->n_bytes, word.bytes, word.len);
        scan->words[scan->n_words++] = (struct ads_scan_word){
            .from = word.from,
            .to = word.to,
            .lemma = lemma_of(reading, &word, spell),
            .kind = (uint8_t)word.kind,
            .gap = (uint8_t)word.gap,
            .ends = word.gap == ADS_TEXT_BREAK
                    && sentence_ends(reading->text, before, word.from),
            .at = (uint16_t)scan->n_bytes,
            .len = word.len,
            .micros = micros_read(bytes),
        };
        word_settle(reading->goods, &scan->words[scan->n_words - 1]);
        scan->n_bytes += word.len;
        before = word.to;
    }
    scan->language = language_of(scan);
}


/* The state of two neighbouring words that are a name together: their bytes
 * lie behind each other. */
static uint32_t
joined_state(const struct reading *reading, uint32_t i)
{
    const struct ads_scan *scan = reading->scan;
    const struct ads_scan_word *one = &scan->words[i], *other = one + 1;

    if (i + 1 >= scan->n_words || one->kind != ADS_TEXT_LETTERS
        || other->kind != ADS_TEXT_LETTERS || other->gap == ADS_TEXT_BREAK
        || one->len < JOINED_MIN || other->len < JOINED_MIN)
    {
        return 0;
    }
    return state_of(
        reading->goods,
        (struct ads_str){scan->bytes + one->at, (size_t)one->len + other->len});
}


/* A word that begins no name as it stands. */
static uint32_t
loose_read(const struct reading *reading, uint32_t i)
{
    const struct ads_scan_word *word = &reading->scan->words[i];
    uint32_t state = joined_state(reading, i);

    if (state != 0) {
        state_add(reading, state, i, i + 2, 0);
        return i + 2;
    }
    if (word->kind == ADS_TEXT_LETTERS && word->lemma == ADS_GOODS_NONE
        && word->len >= COMPOUND_MIN)
    {
        compound_read(reading, ads_scan_bytes(reading->scan, i), i);
    }
    return i + 1;
}


static bool
names_kind(const struct ads_goods *goods, uint32_t state)
{
    uint32_t n;
    const struct ads_goods_name *names = ads_goods_names(goods, state, &n);

    return n > 0 && names[0].says == ADS_GOODS_KIND
           && (names[0].flags & ADS_GOODS_NOT) == 0;
}


/* Behind a name that ends at `to`: "bedside clock radio" is a bedside clock and
 * a clock radio.  The name that begins within the first, goes on behind it and
 * has two words or more is read, too. */
static uint32_t
overlap_read(const struct reading *reading, uint32_t from, uint32_t to)
{
    for (uint32_t i = from + 1; i < to; i++) {
        struct found found = {0, i, 0};

        name_search(reading, 0, i, i, 0, &found);
        if (found.state != 0 && found.to > to
            && names_kind(reading->goods, found.state))
        {
            state_add(reading, found.state, i, found.to, 0);
            return found.to;
        }
    }
    return to;
}


void
ads_scan_read(struct ads_scan *scan, const struct ads_goods *goods,
              struct ads_str text, enum ads_scan_of of,
              const struct ads_scan_speller *spell)
{
    const struct reading reading = {goods, scan, text, of};

    scan->n_words = scan->n_mentions = scan->n_bytes = 0;
    words_read(&reading, spell);
    for (uint32_t i = 0; i < scan->n_words;) {
        struct found found = {0, i, 0};

        name_search(&reading, 0, i, i, 0, &found);
        if (found.state != 0) {
            state_add(&reading, found.state, i, found.to, 0);
            i = of == ADS_SCAN_REQUEST ? overlap_read(&reading, i, found.to)
                                       : found.to;
        } else {
            i = loose_read(&reading, i);
        }
    }
    needs_read(&reading);
    ads_scan_compose(scan, goods);
    ambiguous_settle(&reading);
}
