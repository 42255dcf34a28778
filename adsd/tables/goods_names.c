/*
 * Compiles names and needs of kinds: names become paths of a tree over lemmas;
 * needs become sets of lemmas.
 */
#include "tables/goods_parts.h"

#include <stdlib.h>

#include "ads_scan.h"

#define LEMMAS_MAX 0xfffff0u
#define LONG_MAX 128 /* words read of a field's part */

/* What counts for a hint, in halves of a line whose first wanted kind it is. */
#define NAMED 4   /* a word of a name of the kind */
#define WRITTEN 2 /* one that somebody wrote down as a hint */
#define SEEN_MAX 99999

/* A name's words as lemmas. */
struct path {
    uint32_t lemmas[LONG_MAX];
    uint32_t n;
};


/* The lemma of a folded word, noted to be of that language. */
static uint32_t
lemma_put(struct goods_compiler *c, struct ads_str word, unsigned language)
{
    uint32_t lemma = index_set_put(&c->lemmas, word, LEMMAS_MAX);

    if (lemma == ADS_GOODS_NONE) {
        return lemma;
    }
    while (c->languages.n <= lemma) {
        goods_rows_add(&c->languages, &(uint8_t){0});
    }
    c->languages.bytes[lemma] |= (uint8_t)language;
    return lemma;
}


static void
path_read(struct goods_compiler *c, struct ads_str text, unsigned language,
          struct path *path)
{
    struct ads_text_reader reader;
    struct ads_text_word word;

    path->n = 0;
    ads_text_init(&reader, text);
    while (path->n < LONG_MAX && ads_text_next(&reader, &word)) {
        path->lemmas[path->n++] =
            lemma_put(c, ads_scan_bare(&word, text), language);
    }
}


/* The state behind a lemma; it is made when it is new. */
static uint32_t
step_put(struct goods_compiler *c, uint32_t state, uint32_t lemma)
{
    uint32_t edge[2] = {state, lemma};

    return 1
           + index_set_put(&c->edges,
                           (struct ads_str){(const char *)edge, sizeof(edge)},
                           UINT32_MAX - 1);
}


static void
ending_add(struct goods_compiler *c, const struct path *path,
           struct ads_goods_name name)
{
    struct goods_ending ending = {.order = (uint32_t)c->endings.n};

    for (uint32_t i = 0; i < path->n; i++) {
        ending.state = step_put(c, ending.state, path->lemmas[i]);
    }
    name.n_words = (uint8_t)path->n;
    ending.name = name;
    goods_rows_add(&c->endings, &ending);
}


/* "air fryer" is written "airfryer", too. */
static void
joined_add(struct goods_compiler *c, const struct path *path,
           struct ads_goods_name name, unsigned language)
{
    char bytes[2 * ADS_TEXT_WORD_MAX];
    struct path one = {.n = 1};
    struct ads_str a, b;

    if (path->n != 2) {
        return;
    }
    a = index_set_peek(&c->lemmas, path->lemmas[0]);
    b = index_set_peek(&c->lemmas, path->lemmas[1]);
    if (a.len < 3 || b.len < 3 || a.len + b.len > ADS_TEXT_WORD_MAX
        || !ads_char_is_lower(a.ptr[a.len - 1]) || !ads_char_is_lower(b.ptr[0]))
    {
        return;
    }
    memcpy(bytes, a.ptr, a.len);
    memcpy(bytes + a.len, b.ptr, b.len);
    one.lemmas[0] =
        lemma_put(c, (struct ads_str){bytes, a.len + b.len}, language);
    ending_add(c, &one, name);
}


/* The words hint at the kind. */
static void
hints_of(struct goods_compiler *c, const struct path *path, uint32_t kind,
         uint32_t given, uint32_t seen)
{
    for (uint32_t i = 0; i < path->n; i++) {
        goods_rows_add(&c->hints, &(struct goods_hint){path->lemmas[i], kind,
                                                       given, seen});
    }
}


/* The word of a name that says what it is: "case" of "phone case" and of "coque
 * de téléphone". */
static void
head_add(struct goods_compiler *c, const struct path *path,
         enum goods_key language, uint32_t kind, uint32_t rank)
{
    bool last = language == GOODS_EN || language == GOODS_DE;
    struct goods_head head = {
        path->lemmas[last ? path->n - 1 : 0], kind, rank, path->n - 1, {0}};

    if (path->n > 1) {
        memcpy(head.rest, path->lemmas + (last ? 0 : 1),
               (path->n - 1) * sizeof(*head.rest));
        goods_rows_add(&c->heads, &head);
    }
}


static void
name_add(struct goods_compiler *c, const struct goods_block *block,
         const struct goods_field *field, struct ads_str text,
         struct ads_goods_name name, uint32_t rank)
{
    unsigned language =
        field->key <= GOODS_ES ? 1u << field->key : 1u << GOODS_EN;
    struct path path;

    if (text.len > 1 && text.ptr[text.len - 1] == '?') {
        name.flags |= ADS_GOODS_AMBIGUOUS;
        text.len--;
    }
    if (name.says == ADS_GOODS_ATTRIBUTE
        && memchr(text.ptr, ' ', text.len) == NULL) {
        language |= GOODS_INFLECTS;
    } else if (name.says == ADS_GOODS_CUE) {
        language = 0;
    }
    path_read(c, text, language, &path);
    if (path.n == 0 || path.n > ADS_GOODS_NAME_WORDS) {
        goods_fault(c, block, field->line, "a name has 1 to 8 words", text);
        return;
    }
    ending_add(c, &path, name);
    if (name.says != ADS_GOODS_KIND || field->key > GOODS_ES) {
        return;
    }
    hints_of(c, &path, name.target, NAMED,
             0); /* "wifi stick" of "usb wifi adapter" */
    head_add(c, &path, field->key, name.target, rank);
    if (field->key == GOODS_EN) {
        joined_add(c, &path, name, language);
    }
}


/* Sets of words of one need. */
static void
need_add(struct goods_compiler *c, const struct goods_block *block,
         const struct goods_field *field, struct ads_str text, uint32_t kind)
{
    struct ads_goods_need need = {.kind = kind};
    uint32_t number = (uint32_t)c->needs.n;
    struct ads_str slot, word, rest = text;
    struct path path;

    while (goods_part(&rest, '+', &slot)) {
        if (need.n_slots == ADS_GOODS_NEED_SLOTS) {
            goods_fault(c, block, field->line, "a need has 2 to 6 sets", text);
            return;
        }
        while (goods_part(&slot, '|', &word)) {
            path_read(c, word, 0, &path);
            if (path.n > 0) { /* of several words the last is asked for */
                struct goods_need_word entry = {path.lemmas[path.n - 1],
                                                number << 3 | need.n_slots};

                goods_rows_add(&c->need_words, &entry);
                goods_rows_add(&c->hints, &(struct goods_hint){
                                              entry.lemma, kind, WRITTEN, 0});
            }
        }
        need.n_slots++;
    }
    if (need.n_slots < 2) {
        goods_fault(c, block, field->line, "a need has 2 to 6 sets", text);
    }
    goods_rows_add(&c->needs, &need);
}


static void
near_add(struct goods_compiler *c, struct ads_str text, uint32_t kind)
{
    struct path path;

    path_read(c, text, 0, &path);
    for (uint32_t i = 0; i < path.n; i++) {
        uint64_t near = (uint64_t)kind << 32 | path.lemmas[i];

        goods_rows_add(&c->near, &near);
    }
}


/* How often a learnt word was seen: the number behind its `*`, which is cut
 * off.  0: the word was written by hand. */
static uint32_t
seen_cut(struct ads_str *word)
{
    const char *star = memchr(word->ptr, '*', word->len);
    uint32_t seen = 0;

    if (star == NULL) {
        return 0;
    }
    for (const char *at = star + 1; at < word->ptr + word->len; at++) {
        if (!ads_char_is_digit(*at) || seen > SEEN_MAX) {
            return SEEN_MAX;
        }
        seen = 10 * seen + (uint32_t)(*at - '0');
    }
    word->len = (size_t)(star - word->ptr);
    return seen;
}


/* Words that hint at the kind: English, German, French and Spanish ones, with
 * `|` between the languages. */
static void
hint_add(struct goods_compiler *c, const struct goods_block *block,
         const struct goods_field *field, uint32_t kind)
{
    struct ads_str words, word, rest = field->value;
    unsigned language = GOODS_EN;
    struct path path;

    while (goods_part(&rest, '|', &words)) {
        if (language > GOODS_ES) {
            goods_fault(c, block, field->line, "hints are of four languages",
                        field->value);
            return;
        }
        while (goods_part(&words, ' ', &word)) {
            uint32_t seen = seen_cut(&word);

            path_read(c, word, 1u << language | GOODS_ACTS, &path);
            hints_of(c, &path, kind, seen == 0 ? WRITTEN : 0, seen);
        }
        language++;
    }
}


static void
google_add(struct goods_compiler *c, const struct goods_block *block,
           const struct goods_field *field, struct ads_str text, uint32_t kind)
{
    struct ads_goods_google google = {.kind = kind};

    for (size_t i = 0; i < text.len; i++) {
        if (!ads_char_is_digit(text.ptr[i]) || text.len > 8) {
            goods_fault(c, block, field->line, "not a category number", text);
            return;
        }
        google.number = 10 * google.number + (uint32_t)(text.ptr[i] - '0');
    }
    goods_rows_add(&c->google, &google);
}


static void
field_add(struct goods_compiler *c, const struct goods_block *block,
          const struct goods_field *field, struct ads_goods_name name)
{
    static const uint16_t flags[GOODS_KEYS] = {
        [GOODS_EN] = ADS_GOODS_ENGLISH,
        [GOODS_DE] = ADS_GOODS_GERMAN,
        [GOODS_FR] = ADS_GOODS_FRENCH,
        [GOODS_ES] = ADS_GOODS_SPANISH,
        [GOODS_SHOP] = ADS_GOODS_SHOP,
        [GOODS_NOT] = ADS_GOODS_NOT,
        [GOODS_LINE] = ADS_GOODS_LINE | ADS_GOODS_LANGUAGES,
    };
    struct ads_str part, rest = field->value;
    uint32_t rank = 0;

    if (field->key == GOODS_HINT) {
        hint_add(c, block, field, name.target);
        return;
    }
    name.flags = flags[field->key];
    while (goods_part(&rest, field->key == GOODS_GOOGLE ? ',' : ';', &part)) {
        if (field->key <= GOODS_NOT) {
            name_add(c, block, field, part, name, rank++);
        } else if (field->key == GOODS_NEED) {
            need_add(c, block, field, part, name.target);
        } else if (field->key == GOODS_NEAR) {
            near_add(c, part, name.target);
        } else if (field->key == GOODS_GOOGLE) {
            google_add(c, block, field, part, name.target);
        }
    }
}


void
goods_names_read(struct goods_compiler *c)
{
    for (size_t i = 0; i < c->text->n; i++) {
        const struct goods_block *block = &c->text->blocks[i];
        struct ads_goods_name name = {
            .says = (uint8_t)block->says,
            .target = block->says == ADS_GOODS_CUE
                          ? block->cue
                          : goods_number(c, block->says, block->id)};

        for (size_t k = 0; k < block->n_fields; k++) {
            field_add(c, block, &block->fields[k], name);
        }
    }
}
