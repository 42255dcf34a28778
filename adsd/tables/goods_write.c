/*
 * Writes the compiled ontology (layout: core/ads_goods.h).
 */
#include "tables/goods_parts.h"

#include <stdlib.h>

#include "ads_index.h"

/* What a name keeps only if each that wrote it says so. */
#define LIMITS (ADS_GOODS_AMBIGUOUS | ADS_GOODS_SHOP | ADS_GOODS_LINE)

/* A word that hints at more kinds tells nothing. */
#define HINTED_MAX 300
#define HINT_BIT 16   /* of a hint's weight: one bit of information */
#define HINT_LEAST 32 /* less says nothing */
#define HINT_DOUBT 3  /* kinds' worth of words that nothing is known of */


/* ---- forms --------------------------------------------------------------- */

struct forms {
    struct index_set set;
    struct goods_rows lemma; /* of a form: u32 */
    uint32_t *siblings;      /* of a lemma: two */
    uint32_t n_lemmas;
    uint32_t from; /* the lemma at hand */
    bool inflects; /* as an adjective: "boxer" is no form of "box" */
};


static void
sibling_add(struct forms *forms, uint32_t a, uint32_t b)
{
    uint32_t *pair = &forms->siblings[2 * (size_t)a];

    if (pair[0] == ADS_GOODS_NONE) {
        pair[0] = b;
    } else if (pair[0] != b && pair[1] == ADS_GOODS_NONE) {
        pair[1] = b;
    }
}


/* A form of the lemma at hand: another lemma, a new form, or taken. */
static void
form_put(void *ctx, struct ads_str form)
{
    struct forms *forms = ctx;
    uint32_t n = forms->set.n;
    uint32_t number = index_set_put(&forms->set, form, UINT32_MAX - 1);

    if (number == n) {
        goods_rows_add(&forms->lemma, &forms->from);
    } else if (number < forms->n_lemmas && number != forms->from
               && !forms->inflects)
    {
        sibling_add(forms, forms->from, number);
        sibling_add(forms, number, forms->from);
    }
}


static void
forms_make(const struct goods_compiler *c, struct forms *forms)
{
    *forms = (struct forms){.n_lemmas = c->lemmas.n,
                            .lemma = {.row = sizeof(uint32_t)}};
    forms->siblings =
        xcalloc((size_t)c->lemmas.n + 1, 2 * sizeof(*forms->siblings));
    memset(forms->siblings, 0xff,
           (size_t)c->lemmas.n * 2 * sizeof(*forms->siblings));
    for (uint32_t i = 0; i < c->lemmas.n; i++) {
        index_set_put_from(&forms->set, &c->lemmas, i, UINT32_MAX - 1);
        goods_rows_add(&forms->lemma, &i);
    }
    for (enum goods_key language = GOODS_EN; language <= GOODS_ES; language++) {
        for (uint32_t i = 0; i < c->lemmas.n; i++) {
            forms->from = i;
            forms->inflects = (c->languages.bytes[i] & GOODS_INFLECTS) != 0;
            if ((c->languages.bytes[i] >> language & 1) != 0) {
                goods_forms(index_set_peek(&c->lemmas, i), language,
                            forms->inflects, form_put, forms);
            }
        }
    }
    forms->inflects = true;
    for (enum goods_key language = GOODS_EN; language <= GOODS_ES; language++) {
        for (uint32_t i = 0; i < c->lemmas.n; i++) {
            forms->from = i;
            if ((c->languages.bytes[i] & GOODS_ACTS) != 0
                && (c->languages.bytes[i] >> language & 1) != 0)
            {
                goods_verb_forms(index_set_peek(&c->lemmas, i), language,
                                 form_put, forms);
            }
        }
    }
}


/* ---- sections ------------------------------------------------------------ */

struct block {
    uint8_t *bytes;
    size_t len;
    size_t room;
};


static void
block_put(struct block *block, const void *bytes, size_t len)
{
    if (block->len + len > block->room) {
        block->room = 2 * block->room + len + 65536;
        block->bytes = xrealloc(block->bytes, block->room);
    }
    if (len > 0 && bytes == NULL) {
        memset(block->bytes + block->len, 0, len);
    } else if (len > 0) {
        memcpy(block->bytes + block->len, bytes, len);
    }
    block->len += len;
}


static void
section_put(struct block *block, enum ads_goods_section section,
            const void *bytes, size_t len)
{
    uint64_t entry[2];

    block_put(block, NULL, -block->len & 7);
    entry[0] = block->len;
    entry[1] = len;
    memcpy(block->bytes + ADS_GOODS_HEADER_LEN + 16 * section, entry,
           sizeof(entry));
    block_put(block, bytes, len);
}


static void
rows_put(struct block *block, enum ads_goods_section section,
         const struct goods_rows *rows)
{
    section_put(block, section, rows->bytes, rows->n * rows->row);
}


/* The slots of a hash table with n entries; hash(i) and taken(slot) say where
 * each goes.  Twice as many as there are entries, more where one would need
 * too many probes. */
static uint32_t
bits_for(uint32_t n)
{
    uint32_t bits = 4;

    while ((uint64_t)1 << bits < 2 * (uint64_t)n) {
        bits++;
    }
    return bits;
}


/* The place of a hash in a table of `bits` whose slots are `row` bytes and
 * empty where the u32 at `at` is 0; ADS_GOODS_NONE: too many probes. */
static uint32_t
place_find(const uint8_t *slots, size_t row, size_t at, uint32_t bits,
           uint64_t hash)
{
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    uint32_t slot = (uint32_t)(hash >> (64 - bits));

    for (uint32_t i = 0; i < ADS_GOODS_PROBES; i++, slot++) {
        uint32_t used;

        memcpy(&used, slots + (slot & mask) * row + at, sizeof(used));
        if (used == 0) {
            return slot & mask;
        }
    }
    return ADS_GOODS_NONE;
}


static void
forms_put(struct block *block, const struct forms *forms)
{
    uint32_t bits = bits_for(forms->set.n), i;
    uint64_t *slots = NULL;

    do {
        free(slots);
        slots = xcalloc((size_t)1 << bits, sizeof(*slots));
        for (i = 0; i < forms->set.n; i++) {
            uint64_t hash = forms->set.hash[i];
            uint32_t lemma,
                place = place_find((const uint8_t *)slots, 8, 0, bits, hash);

            if (place == ADS_GOODS_NONE) {
                break;
            }
            memcpy(&lemma, forms->lemma.bytes + 4 * (size_t)i, 4);
            slots[place] = (hash & 0xffffffffffu) << 24 | (lemma + 1);
        }
    } while (i < forms->set.n && ++bits < 26);
    section_put(block, ADS_GOODS_FORMS, slots, sizeof(*slots) << bits);
    free(slots);
}


static void
edges_put(struct block *block, const struct index_set *edges)
{
    uint32_t bits = bits_for(edges->n), i;
    struct ads_goods_edge *slots = NULL;

    do {
        free(slots);
        slots = xcalloc((size_t)1 << bits, sizeof(*slots));
        for (i = 0; i < edges->n; i++) {
            uint32_t edge[2], place;

            memcpy(edge, index_set_peek(edges, i).ptr, sizeof(edge));
            place = place_find((const uint8_t *)slots, sizeof(*slots),
                               offsetof(struct ads_goods_edge, to), bits,
                               ads_index_pair_hash(edge[0], edge[1]));
            if (place == ADS_GOODS_NONE) {
                break;
            }
            slots[place] = (struct ads_goods_edge){edge[0], edge[1], i + 1};
        }
    } while (i < edges->n && ++bits < 26);
    section_put(block, ADS_GOODS_EDGES, slots, sizeof(*slots) << bits);
    free(slots);
}


static int
by_state(const void *a, const void *b)
{
    const struct goods_ending *one = a, *other = b;

    if (one->state != other->state) {
        return one->state < other->state ? -1 : 1;
    }
    return one->order < other->order ? -1 : one->order > other->order;
}


/* Names by state; the same target twice is one name that has the flags of
 * both, and is ambiguous only when both are. */
static void
names_put(struct block *block, struct goods_compiler *c)
{
    struct goods_ending *endings =
        (struct goods_ending *)(void *)c->endings.bytes;
    struct goods_rows names = {.row = sizeof(struct ads_goods_name)};
    uint32_t *starts = xcalloc((size_t)c->edges.n + 2, sizeof(*starts));
    uint32_t state = 0;

    qsort(endings, c->endings.n, sizeof(*endings), by_state);
    for (size_t i = 0; i < c->endings.n; i++) {
        struct ads_goods_name *list;
        size_t k;

        while (state < endings[i].state) {
            starts[++state] = (uint32_t)names.n;
        }
        list = (struct ads_goods_name *)(void *)names.bytes;
        for (k = starts[state]; k < names.n; k++) {
            if (list[k].target == endings[i].name.target
                && list[k].says == endings[i].name.says)
            {
                uint16_t both = list[k].flags & endings[i].name.flags;

                list[k].flags |= endings[i].name.flags;
                list[k].flags &= (uint16_t)~LIMITS;
                list[k].flags |= both & LIMITS;
                break;
            }
        }
        if (k == names.n) {
            goods_rows_add(&names, &endings[i].name);
        }
    }
    while (state <= c->edges.n) {
        starts[++state] = (uint32_t)names.n;
    }
    section_put(block, ADS_GOODS_STATES, starts,
                ((size_t)c->edges.n + 2) * sizeof(*starts));
    rows_put(block, ADS_GOODS_NAMES, &names);
    free(names.bytes);
    free(starts);
}


static int
by_u64(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}


/* Rows of two u32, by the first and then the second, or by the first two. */
static int
by_two(const void *a, const void *b)
{
    uint32_t x[2], y[2];

    memcpy(x, a, sizeof(x));
    memcpy(y, b, sizeof(y));
    if (x[0] != y[0]) {
        return x[0] < y[0] ? -1 : 1;
    }
    return x[1] < y[1] ? -1 : x[1] > y[1];
}


/* Is a kind that was written already one of another? */
static bool
is_one_of(const struct goods_compiler *c, uint32_t kind, uint32_t broader)
{
    const struct ads_goods_kind *row =
        (const struct ads_goods_kind *)(const void *)c->kind_rows.bytes + kind;
    const uint32_t *links = (const uint32_t *)(const void *)c->links.bytes;
    bool found = kind == broader;

    for (uint32_t i = 0; i < row->n_ancestors; i++) {
        found = found || links[row->links + i] == broader;
    }
    return found;
}


/* The state behind words from the root on; 0: no name begins so. */
static uint32_t
state_find(struct goods_compiler *c, const uint32_t *lemmas, uint32_t n)
{
    uint32_t state = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t edge[2] = {state, lemmas[i]};
        uint32_t number = index_set_put(
            &c->edges, (struct ads_str){(const char *)edge, sizeof(edge)},
            0); /* none is added */

        if (number == ADS_INDEX_NONE) {
            return 0;
        }
        state = number + 1;
    }
    return state;
}


/* Do the words name the kind, a broader or a narrower one?  The names are in
 * order of their states. */
static bool
is_name_of(const struct goods_compiler *c, uint32_t state, uint32_t kind)
{
    const struct goods_ending *endings =
        (const struct goods_ending *)(const void *)c->endings.bytes;
    size_t from = 0, to = c->endings.n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (endings[middle].state < state) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    for (; to < c->endings.n && endings[to].state == state; to++) {
        const struct ads_goods_name *name = &endings[to].name;

        if (name->says == ADS_GOODS_KIND
            && (is_one_of(c, name->target, kind)
                || is_one_of(c, kind, name->target)))
        {
            return true;
        }
    }
    return false;
}


/* What words that head names are, of what their kinds belong to: where the
 * other words of the name are a name of that. */
static void
pairs_of_words(struct goods_compiler *c)
{
    const uint32_t *links = (const uint32_t *)(const void *)c->links.bytes;

    for (size_t i = 0; i < c->heads.n; i++) {
        const struct goods_head *head =
            (const struct goods_head *)(const void *)c->heads.bytes + i;
        const struct ads_goods_kind *row =
            (const struct ads_goods_kind *)(const void *)c->kind_rows.bytes
            + head->kind;
        uint32_t state = state_find(c, head->rest, head->n);

        for (uint32_t k = 0; k < row->n_of && state != 0; k++) {
            struct goods_pair pair = {ADS_GOODS_WORD | head->lemma,
                                      links[row->links + row->n_ancestors + k]
                                          & ADS_GOODS_LINK_KIND,
                                      head->rank, head->kind};

            if (is_name_of(c, state, pair.of)) {
                goods_rows_add(&c->pairs, &pair);
            }
        }
    }
}


static int
by_four(const void *a, const void *b)
{
    uint32_t x[4], y[4];

    memcpy(x, a, sizeof(x));
    memcpy(y, b, sizeof(y));
    for (int i = 0; i < 4; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}


/* Of pairs of one head and one owner the one whose name is best known, of
 * several such the broadest; none when neither decides. */
static void
pairs_put(struct block *block, struct goods_compiler *c)
{
    struct goods_rows rows = {.row = sizeof(struct ads_goods_pair)};
    const struct goods_pair *list;

    pairs_of_words(c);
    if (c->pairs.n > 0) {
        qsort(c->pairs.bytes, c->pairs.n, c->pairs.row, by_four);
    }
    list = (const struct goods_pair *)(const void *)c->pairs.bytes;
    for (size_t i = 0, to; i < c->pairs.n; i = to) {
        struct ads_goods_pair pair = {list[i].head, list[i].of, list[i].kind};
        bool settled = true;
        size_t end = i;

        for (to = i; to < c->pairs.n && by_two(&list[i], &list[to]) == 0; to++)
        {
            if (list[to].rank == list[i].rank) {
                end = to + 1;
                if (is_one_of(c, pair.kind, list[to].kind)) {
                    pair.kind = list[to].kind;
                }
            }
        }
        for (size_t k = i; k < end; k++) {
            settled = settled && is_one_of(c, list[k].kind, pair.kind);
        }
        if (settled) {
            goods_rows_add(&rows, &pair);
        }
    }
    rows_put(block, ADS_GOODS_PAIRS, &rows);
    free(rows.bytes);
}


static void
need_words_put(struct block *block, struct goods_compiler *c)
{
    uint32_t n = c->lemmas.n;
    uint32_t *words = xcalloc((size_t)n + 1 + c->need_words.n, sizeof(*words));
    const struct goods_need_word *list;
    uint32_t at = 0;

    if (c->need_words.n > 0) {
        qsort(c->need_words.bytes, c->need_words.n, c->need_words.row, by_two);
    }
    list = (const struct goods_need_word *)(void *)c->need_words.bytes;
    for (uint32_t lemma = 0; lemma <= n; lemma++) {
        words[lemma] = at;
        for (; at < c->need_words.n && list[at].lemma == lemma; at++) {
            words[n + 1 + at] = list[at].entry;
        }
    }
    section_put(block, ADS_GOODS_NEED_WORDS, words,
                ((size_t)n + 1 + c->need_words.n) * sizeof(*words));
    free(words);
}


/* log2(a / b) in HINT_BITs, by straight lines between powers of 2. */
static uint32_t
bits_of(uint32_t a, uint32_t b)
{
    uint32_t ratio = b == 0 ? 0 : (uint32_t)(((uint64_t)a << 8) / b), whole;

    if (ratio < 256) {
        return 0;
    }
    whole = 31 - (uint32_t)__builtin_clz(ratio);
    return (whole - 8) * HINT_BIT
           + (uint32_t)(((uint64_t)ratio * HINT_BIT >> whole) - HINT_BIT);
}


/* Makes one row of those of the same word and kind: of what is given the most
 * counts, what was seen adds up.  Returns how many rows are left. */
static uint32_t
hints_merge(struct goods_hint *list, size_t n)
{
    uint32_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct goods_hint *last = kept == 0 ? NULL : &list[kept - 1];

        if (last == NULL || by_two(last, &list[i]) != 0) {
            list[kept++] = list[i];
            continue;
        }
        last->seen += list[i].seen;
        last->given = last->given > list[i].given ? last->given : list[i].given;
    }
    return kept;
}


static uint32_t
times_of(const struct goods_hint *hint)
{
    return hint->given + hint->seen;
}


/* What a word weighs for a kind: how much more often it stands where that is
 * meant than elsewhere, in bits, the less so the less the kind is known. */
static uint32_t
hint_weight(uint32_t times, uint32_t of_kind, uint32_t of_word, uint32_t all,
            uint32_t doubt)
{
    uint32_t more = (uint32_t)((uint64_t)times * all / of_word);
    uint32_t weight = bits_of(more + doubt, of_kind + doubt);

    return weight > 255 ? 255 : weight;
}


/* What each word hints at. */
static void
hints_put(struct block *block, struct goods_compiler *c)
{
    uint32_t n = c->lemmas.n, at = 0, n_words = 0, n_hints;
    uint32_t *words = xcalloc((size_t)n + 1 + c->hints.n, sizeof(*words));
    uint32_t *of_kind = xcalloc((size_t)c->n_kinds + 1, sizeof(*of_kind));
    struct goods_hint *list = (struct goods_hint *)(void *)c->hints.bytes;
    uint32_t all = 0, doubt;

    if (c->hints.n > 0) {
        qsort(c->hints.bytes, c->hints.n, c->hints.row, by_two);
    }
    n_hints = hints_merge(list, c->hints.n);
    for (uint32_t i = 0; i < n_hints; i++) {
        of_kind[list[i].kind] += times_of(&list[i]);
        all += times_of(&list[i]);
    }
    doubt = HINT_DOUBT * (all / (c->n_kinds + 1));
    for (uint32_t lemma = 0; lemma <= n; lemma++) {
        uint32_t first = n_words, from = at, of_word = 0;

        words[lemma] = first;
        for (; at < n_hints && list[at].lemma == lemma; at++) {
            of_word += times_of(&list[at]);
        }
        for (uint32_t i = from; i < at; i++) {
            uint32_t weight = hint_weight(
                times_of(&list[i]), of_kind[list[i].kind], of_word, all, doubt);

            if (weight >= HINT_LEAST) {
                words[n + 1 + n_words++] =
                    list[i].kind | weight << ADS_GOODS_HINT_SHIFT;
            }
        }
        if (n_words - first > HINTED_MAX) {
            n_words = first;
        }
    }
    section_put(block, ADS_GOODS_HINTS, words,
                ((size_t)n + 1 + n_words) * sizeof(*words));
    free(of_kind);
    free(words);
}


static void
sections_put(struct block *block, struct goods_compiler *c,
             const struct forms *forms)
{
    if (c->near.n > 0) {
        qsort(c->near.bytes, c->near.n, c->near.row, by_u64);
    }
    if (c->google.n > 0) {
        qsort(c->google.bytes, c->google.n, c->google.row, by_two);
    }
    rows_put(block, ADS_GOODS_KINDS, &c->kind_rows);
    rows_put(block, ADS_GOODS_LINKS, &c->links);
    rows_put(block, ADS_GOODS_STRINGS, &c->strings);
    forms_put(block, forms);
    section_put(block, ADS_GOODS_SIBLINGS, forms->siblings,
                (size_t)c->lemmas.n * 2 * sizeof(*forms->siblings));
    edges_put(block, &c->edges);
    names_put(block, c);
    rows_put(block, ADS_GOODS_NEAR, &c->near);
    rows_put(block, ADS_GOODS_NEEDS, &c->needs);
    need_words_put(block, c);
    hints_put(block, c);
    pairs_put(block, c);
    rows_put(block, ADS_GOODS_GOOGLE, &c->google);
    rows_put(block, ADS_GOODS_ATTRIBUTES, &c->attribute_rows);
    rows_put(block, ADS_GOODS_WORDS, &c->words);
}


static void
image_make(struct goods_compiler *c, struct goods_image *image)
{
    const uint16_t version[2] = {ADS_GOODS_VERSION, ADS_GOODS_ORDER_MARK};
    const uint32_t magic = ADS_GOODS_MAGIC;
    uint32_t counts[4] = {0, c->n_kinds, c->lemmas.n, c->n_attributes};
    struct block block = {0};
    struct forms forms;
    uint64_t len;

    forms_make(c, &forms);
    block_put(&block, NULL, ADS_GOODS_HEAD_LEN);
    sections_put(&block, c, &forms);
    len = block.len;
    counts[0] = ads_crc32c(0, block.bytes + ADS_GOODS_HEADER_LEN,
                           block.len - ADS_GOODS_HEADER_LEN);
    memcpy(block.bytes, &magic, 4);
    memcpy(block.bytes + 4, version, 4);
    memcpy(block.bytes + 8, &len, 8);
    memcpy(block.bytes + 16, counts, 16);
    *image = (struct goods_image){block.bytes, block.len, c->n_kinds};

    index_set_free(&forms.set);
    free(forms.lemma.bytes);
    free(forms.siblings);
}


static void
compiler_free(struct goods_compiler *c)
{
    struct goods_rows *const rows[] = {
        &c->languages,  &c->endings,   &c->near,  &c->needs,
        &c->need_words, &c->hints,     &c->heads, &c->pairs,
        &c->google,     &c->kind_rows, &c->links, &c->attribute_rows,
        &c->words,      &c->strings};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        free(rows[i]->bytes);
    }
    index_set_free(&c->lemmas);
    index_set_free(&c->edges);
    free(c->kinds);
    free(c->attributes);
}


enum ads_err
goods_compile(const struct goods_text *text, struct goods_image *image,
              FILE *errors)
{
    struct goods_compiler c = {
        .text = text,
        .errors = errors,
        .err = ADS_OK,
        .languages = {.row = 1},
        .endings = {.row = sizeof(struct goods_ending)},
        .near = {.row = sizeof(uint64_t)},
        .needs = {.row = sizeof(struct ads_goods_need)},
        .need_words = {.row = sizeof(struct goods_need_word)},
        .hints = {.row = sizeof(struct goods_hint)},
        .heads = {.row = sizeof(struct goods_head)},
        .pairs = {.row = sizeof(struct goods_pair)},
        .google = {.row = sizeof(struct ads_goods_google)},
        .kind_rows = {.row = sizeof(struct ads_goods_kind)},
        .links = {.row = sizeof(uint32_t)},
        .attribute_rows = {.row = sizeof(struct ads_goods_attribute)},
        .words = {.row = sizeof(uint32_t)},
        .strings = {.row = 1},
    };

    c.kinds = goods_ids_new(text, ADS_GOODS_KIND, &c.n_kinds);
    c.attributes = goods_ids_new(text, ADS_GOODS_ATTRIBUTE, &c.n_attributes);
    goods_names_read(&c);
    goods_kinds_read(&c);
    image_make(&c, image);
    compiler_free(&c);
    return c.err;
}
