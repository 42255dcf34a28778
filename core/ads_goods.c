/*
 * Opens the compiled product ontology and answers look-ups in it.  Every number
 * that was read from it is checked before it is used as an offset or index.
 */
#include "ads_goods.h"

#include "ads_index.h"

_Static_assert(sizeof(struct ads_goods_kind) == 16, "layout");
_Static_assert(sizeof(struct ads_goods_edge) == 12, "layout");
_Static_assert(sizeof(struct ads_goods_name) == 8, "layout");
_Static_assert(sizeof(struct ads_goods_need) == 8, "layout");
_Static_assert(sizeof(struct ads_goods_pair) == 12, "layout");
_Static_assert(sizeof(struct ads_goods_google) == 8, "layout");
_Static_assert(sizeof(struct ads_goods_attribute) == 16, "layout");

#define FORM_LEMMA 0xffffffu
#define BITS_MAX 26

/* What opening reads besides the sections. */
struct sections {
    const void *at[ADS_GOODS_SECTIONS];
    uint64_t len[ADS_GOODS_SECTIONS];
};


/* The number of rows of a section that must be whole ones. */
static bool
rows_read(const struct sections *sections, enum ads_goods_section section,
          size_t row, uint32_t *n)
{
    uint64_t len = sections->len[section];

    if (len % row != 0 || len / row > UINT32_MAX) {
        return false;
    }
    *n = (uint32_t)(len / row);
    return true;
}


/* log2 of the slots of a hash table; false when they are not a power of 2. */
static bool
bits_read(const struct sections *sections, enum ads_goods_section section,
          size_t row, uint32_t *bits)
{
    uint32_t n;

    if (!rows_read(sections, section, row, &n) || n < 2 || (n & (n - 1)) != 0) {
        return false;
    }
    *bits = (uint32_t)__builtin_ctz(n);
    return *bits <= BITS_MAX;
}


static bool
table_read(struct sections *sections, const uint8_t *bytes, size_t len)
{
    for (int i = 0; i < ADS_GOODS_SECTIONS; i++) {
        uint64_t entry[2];

        memcpy(entry, bytes + ADS_GOODS_HEADER_LEN + 16 * i, sizeof(entry));
        if (entry[0] % 8 != 0 || entry[0] < ADS_GOODS_HEAD_LEN || entry[0] > len
            || entry[1] > len - entry[0])
        {
            return false;
        }
        sections->at[i] = bytes + entry[0];
        sections->len[i] = entry[1];
    }
    return true;
}


/* The rows, a u32 each, behind where each lemma's begin. */
static bool
lists_read(const struct sections *sections, enum ads_goods_section section,
           uint32_t n_lemmas, uint32_t *n)
{
    if (!rows_read(sections, section, 4, n) || *n < n_lemmas + 1) {
        return false;
    }
    *n -= n_lemmas + 1;
    return true;
}


static bool
counts_read(struct ads_goods *goods, const struct sections *s)
{
    uint32_t kinds, siblings, attributes;

    if (!rows_read(s, ADS_GOODS_KINDS, sizeof(*goods->kinds), &kinds)
        || !rows_read(s, ADS_GOODS_LINKS, 4, &goods->n_links)
        || !rows_read(s, ADS_GOODS_STRINGS, 1, &goods->strings_len)
        || !bits_read(s, ADS_GOODS_FORMS, 8, &goods->form_bits)
        || !rows_read(s, ADS_GOODS_SIBLINGS, 8, &siblings)
        || !bits_read(s, ADS_GOODS_EDGES, sizeof(*goods->edges),
                      &goods->edge_bits)
        || !rows_read(s, ADS_GOODS_STATES, 4, &goods->n_states)
        || !rows_read(s, ADS_GOODS_NAMES, sizeof(*goods->names),
                      &goods->n_names)
        || !rows_read(s, ADS_GOODS_NEAR, 8, &goods->n_near)
        || !rows_read(s, ADS_GOODS_NEEDS, sizeof(*goods->needs),
                      &goods->n_needs)
        || !lists_read(s, ADS_GOODS_NEED_WORDS, goods->n_lemmas,
                       &goods->n_need_words)
        || !lists_read(s, ADS_GOODS_HINTS, goods->n_lemmas, &goods->n_hints)
        || !rows_read(s, ADS_GOODS_PAIRS, sizeof(*goods->pairs),
                      &goods->n_pairs)
        || !rows_read(s, ADS_GOODS_GOOGLE, sizeof(*goods->google),
                      &goods->n_google)
        || !rows_read(s, ADS_GOODS_ATTRIBUTES, sizeof(*goods->attributes),
                      &attributes)
        || !rows_read(s, ADS_GOODS_WORDS, 4, &goods->n_words))
    {
        return false;
    }
    return kinds == goods->n_kinds && siblings == goods->n_lemmas
           && attributes == goods->n_attributes && goods->n_states >= 1;
}


static void
sections_take(struct ads_goods *goods, const struct sections *s)
{
    goods->kinds = s->at[ADS_GOODS_KINDS];
    goods->links = s->at[ADS_GOODS_LINKS];
    goods->strings = s->at[ADS_GOODS_STRINGS];
    goods->forms = s->at[ADS_GOODS_FORMS];
    goods->siblings = s->at[ADS_GOODS_SIBLINGS];
    goods->edges = s->at[ADS_GOODS_EDGES];
    goods->states = s->at[ADS_GOODS_STATES];
    goods->names = s->at[ADS_GOODS_NAMES];
    goods->near = s->at[ADS_GOODS_NEAR];
    goods->needs = s->at[ADS_GOODS_NEEDS];
    goods->need_starts = s->at[ADS_GOODS_NEED_WORDS];
    goods->need_words = goods->need_starts + goods->n_lemmas + 1;
    goods->hint_starts = s->at[ADS_GOODS_HINTS];
    goods->hints = goods->hint_starts + goods->n_lemmas + 1;
    goods->pairs = s->at[ADS_GOODS_PAIRS];
    goods->google = s->at[ADS_GOODS_GOOGLE];
    goods->attributes = s->at[ADS_GOODS_ATTRIBUTES];
    goods->words = s->at[ADS_GOODS_WORDS];
}


enum ads_err
ads_goods_open(const void *block, size_t len, struct ads_goods *goods)
{
    const uint8_t *bytes = block;
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    struct sections sections;

    *goods = (struct ads_goods){0};
    if (len == 0) {
        return ADS_OK;
    }
    if (ads_cursor_u32(&cursor) != ADS_GOODS_MAGIC
        || ads_cursor_u16(&cursor) != ADS_GOODS_VERSION
        || ads_cursor_u16(&cursor) != ADS_GOODS_ORDER_MARK)
    {
        return ADS_UNSUPPORTED;
    }
    if (ads_cursor_u64(&cursor) != len || len < ADS_GOODS_HEAD_LEN) {
        return ADS_DAMAGED;
    }
    goods->checksum = ads_cursor_u32(&cursor);
    goods->n_kinds = ads_cursor_u32(&cursor);
    goods->n_lemmas = ads_cursor_u32(&cursor);
    goods->n_attributes = ads_cursor_u32(&cursor);
    if (goods->n_kinds >= ADS_GOODS_KINDS_MAX || goods->n_lemmas >= FORM_LEMMA
        || !table_read(&sections, bytes, len) || !counts_read(goods, &sections))
    {
        return ADS_DAMAGED;
    }
    sections_take(goods, &sections);
    return ADS_OK;
}


/* ---- words and states ---------------------------------------------------- */

uint32_t
ads_goods_lemma(const struct ads_goods *goods, struct ads_str word)
{
    uint64_t hash, mask = ((uint64_t)1 << goods->form_bits) - 1;
    uint64_t slot;

    if (goods->n_lemmas == 0) {
        return ADS_GOODS_NONE;
    }
    hash = ads_index_hash(word.ptr, word.len);
    slot = hash >> (64 - goods->form_bits);
    for (uint32_t i = 0; i < ADS_GOODS_PROBES; i++, slot++) {
        uint64_t form = goods->forms[slot & mask];

        if (form == 0) {
            break;
        }
        if (form >> 24 == (hash & 0xffffffffffu)) {
            return (uint32_t)(form & FORM_LEMMA) - 1;
        }
    }
    return ADS_GOODS_NONE;
}


uint32_t
ads_goods_step(const struct ads_goods *goods, uint32_t state, uint32_t lemma)
{
    uint64_t mask = ((uint64_t)1 << goods->edge_bits) - 1;
    uint64_t slot;

    if (goods->n_lemmas == 0) {
        return 0;
    }
    slot = ads_index_pair_hash(state, lemma) >> (64 - goods->edge_bits);
    for (uint32_t i = 0; i < ADS_GOODS_PROBES; i++, slot++) {
        const struct ads_goods_edge *edge = &goods->edges[slot & mask];

        if (edge->to == 0) {
            break;
        }
        if (edge->from == state && edge->lemma == lemma) {
            return edge->to;
        }
    }
    return 0;
}


const uint32_t *
ads_goods_siblings(const struct ads_goods *goods, uint32_t lemma)
{
    static const uint32_t none[2] = {ADS_GOODS_NONE, ADS_GOODS_NONE};

    return lemma < goods->n_lemmas ? &goods->siblings[2 * (size_t)lemma] : none;
}


const struct ads_goods_name *
ads_goods_names(const struct ads_goods *goods, uint32_t state, uint32_t *n)
{
    uint32_t from, to;

    *n = 0;
    if (goods->n_states < 1 || state >= goods->n_states - 1) {
        return NULL;
    }
    from = goods->states[state];
    to = goods->states[state + 1];
    if (from > to || to > goods->n_names) {
        return NULL;
    }
    *n = to - from;
    return &goods->names[from];
}


/* ---- kinds --------------------------------------------------------------- */

static struct ads_str
string_peek(const struct ads_goods *goods, uint32_t at, uint32_t len)
{
    if (at > goods->strings_len || len > goods->strings_len - at) {
        return (struct ads_str){"", 0};
    }
    return (struct ads_str){goods->strings + at, len};
}


struct ads_str
ads_goods_id(const struct ads_goods *goods, uint32_t kind)
{
    return kind < goods->n_kinds ? string_peek(goods, goods->kinds[kind].id,
                                               goods->kinds[kind].id_len)
                                 : (struct ads_str){"", 0};
}


struct ads_str
ads_goods_shown(const struct ads_goods *goods, uint32_t kind)
{
    return kind < goods->n_kinds ? string_peek(goods, goods->kinds[kind].name,
                                               goods->kinds[kind].name_len)
                                 : (struct ads_str){"", 0};
}


const struct ads_goods_attribute *
ads_goods_attribute_peek(const struct ads_goods *goods, uint32_t attribute)
{
    return attribute < goods->n_attributes ? &goods->attributes[attribute]
                                           : NULL;
}


uint32_t
ads_goods_attribute_named(const struct ads_goods *goods, uint32_t state,
                          uint16_t languages)
{
    uint32_t n;
    const struct ads_goods_name *names = ads_goods_names(goods, state, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (names[i].says == ADS_GOODS_ATTRIBUTE
            && (names[i].flags & languages) != 0) {
            return names[i].target;
        }
    }
    return ADS_GOODS_NONE;
}


uint32_t
ads_goods_attribute_said(const struct ads_goods *goods, struct ads_str word)
{
    uint32_t lemma = ads_goods_lemma(goods, word);
    uint32_t attribute = ADS_GOODS_NONE;
    const uint32_t *forms;

    if (lemma == ADS_GOODS_NONE) {
        return lemma;
    }
    forms = ads_goods_siblings(goods, lemma);
    for (int i = 0; i < 3 && attribute == ADS_GOODS_NONE; i++) {
        uint32_t form = i == 0 ? lemma : forms[i - 1];

        if (form != ADS_GOODS_NONE) {
            attribute = ads_goods_attribute_named(
                goods, ads_goods_step(goods, 0, form), UINT16_MAX);
        }
    }
    return attribute;
}


struct ads_str
ads_goods_attribute_id(const struct ads_goods *goods, uint32_t attribute)
{
    return attribute < goods->n_attributes
               ? string_peek(goods, goods->attributes[attribute].id,
                             goods->attributes[attribute].id_len)
               : (struct ads_str){"", 0};
}


struct ads_str
ads_goods_attribute_word(const struct ads_goods *goods,
                         const struct ads_goods_attribute *attribute,
                         uint32_t i)
{
    uint32_t row = attribute->words + i;
    uint32_t at;

    if (i >= attribute->n_words || row >= goods->n_words) {
        return (struct ads_str){"", 0};
    }
    at = goods->words[row];
    return at < goods->strings_len
               ? string_peek(goods, at + 1, (uint8_t)goods->strings[at])
               : (struct ads_str){"", 0};
}


uint32_t
ads_goods_find(const struct ads_goods *goods, struct ads_str id)
{
    uint32_t from = 0, to = goods->n_kinds;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        struct ads_str other = ads_goods_id(goods, middle);
        size_t len = id.len < other.len ? id.len : other.len;
        int order = len == 0 ? 0 : memcmp(id.ptr, other.ptr, len);

        if (order == 0 && id.len == other.len) {
            return middle;
        }
        if (order < 0 || (order == 0 && id.len < other.len)) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return ADS_GOODS_NONE;
}


static const uint32_t *
links_peek(const struct ads_goods *goods, uint32_t kind, bool of, uint32_t *n)
{
    const struct ads_goods_kind *row;
    uint32_t from;

    *n = 0;
    if (kind >= goods->n_kinds) {
        return NULL;
    }
    row = &goods->kinds[kind];
    from = row->links + (of ? row->n_ancestors : 0);
    if (row->links > goods->n_links
        || (uint32_t)row->n_ancestors + row->n_of > goods->n_links - row->links)
    {
        return NULL;
    }
    *n = of ? row->n_of : row->n_ancestors;
    return &goods->links[from];
}


const uint32_t *
ads_goods_ancestors(const struct ads_goods *goods, uint32_t kind, uint32_t *n)
{
    return links_peek(goods, kind, false, n);
}


const uint32_t *
ads_goods_belongs(const struct ads_goods *goods, uint32_t kind, uint32_t *n)
{
    return links_peek(goods, kind, true, n);
}


bool
ads_goods_is(const struct ads_goods *goods, uint32_t kind, uint32_t broader)
{
    uint32_t n;
    const uint32_t *ancestors = ads_goods_ancestors(goods, kind, &n);

    if (kind == broader) {
        return kind < goods->n_kinds;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ancestors[i] == broader) {
            return true;
        }
    }
    return false;
}


bool
ads_goods_in_line(const struct ads_goods *goods, uint32_t a, uint32_t b)
{
    return ads_goods_is(goods, a, b) || ads_goods_is(goods, b, a);
}


enum ads_goods_relation
ads_goods_relation(const struct ads_goods *goods, uint32_t kind, uint32_t of)
{
    uint32_t n;
    const uint32_t *links = ads_goods_belongs(goods, kind, &n);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = links[i] & ADS_GOODS_LINK_KIND;

        if (ads_goods_in_line(goods, of, to)) {
            return links[i] >> ADS_GOODS_LINK_SHIFT;
        }
    }
    return 0;
}


static uint32_t
pair_find(const struct ads_goods *goods, uint32_t head, uint32_t of)
{
    uint32_t from = 0, to = goods->n_pairs;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const struct ads_goods_pair *pair = &goods->pairs[middle];

        if (pair->head == head && pair->of == of) {
            return pair->kind;
        }
        if (pair->head < head || (pair->head == head && pair->of < of)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return ADS_GOODS_NONE;
}


bool
ads_goods_heads(const struct ads_goods *goods, uint32_t lemma)
{
    uint32_t from = 0, to = goods->n_pairs, head = ADS_GOODS_WORD | lemma;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (goods->pairs[middle].head < head) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return lemma != ADS_GOODS_NONE && from < goods->n_pairs
           && goods->pairs[from].head == head;
}


uint32_t
ads_goods_compose(const struct ads_goods *goods, uint32_t head, uint32_t of)
{
    uint32_t n, found = pair_find(goods, head, of);
    const uint32_t *ancestors = ads_goods_ancestors(goods, of, &n);

    for (uint32_t i = 0; i < n && found == ADS_GOODS_NONE; i++) {
        found = pair_find(goods, head, ancestors[i]);
    }
    return found;
}


const uint64_t *
ads_goods_near(const struct ads_goods *goods, uint32_t kind, uint32_t *n)
{
    uint32_t from = 0, to = goods->n_near;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (goods->near[middle] >> 32 < kind) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    while (to < goods->n_near && goods->near[to] >> 32 == kind) {
        to++;
    }
    *n = to - from;
    return *n > 0 ? &goods->near[from] : NULL;
}


/* The rows of a lemma, of which starts[] says where each one's begin. */
static const uint32_t *
list_peek(const struct ads_goods *goods, const uint32_t *starts,
          const uint32_t *rows, uint32_t n_rows, uint32_t lemma, uint32_t *n)
{
    uint32_t from, to;

    *n = 0;
    if (lemma >= goods->n_lemmas) {
        return NULL;
    }
    from = starts[lemma];
    to = starts[lemma + 1];
    if (from > to || to > n_rows) {
        return NULL;
    }
    *n = to - from;
    return &rows[from];
}


const uint32_t *
ads_goods_need_slots(const struct ads_goods *goods, uint32_t lemma, uint32_t *n)
{
    return list_peek(goods, goods->need_starts, goods->need_words,
                     goods->n_need_words, lemma, n);
}


const uint32_t *
ads_goods_hints(const struct ads_goods *goods, uint32_t lemma, uint32_t *n)
{
    return list_peek(goods, goods->hint_starts, goods->hints, goods->n_hints,
                     lemma, n);
}


const struct ads_goods_need *
ads_goods_need_peek(const struct ads_goods *goods, uint32_t need)
{
    return need < goods->n_needs ? &goods->needs[need] : NULL;
}


uint32_t
ads_goods_google(const struct ads_goods *goods, uint32_t number)
{
    uint32_t from = 0, to = goods->n_google;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (goods->google[middle].number == number) {
            return goods->google[middle].kind;
        }
        if (goods->google[middle].number < number) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return ADS_GOODS_NONE;
}
