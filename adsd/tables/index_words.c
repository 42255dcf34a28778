/*
 * Compiles the vocabulary: every folded word of the products, its stem, and the
 * products as numbers of words.  Words are most of the work of a build, so each
 * distinct word is stemmed and classified once.
 */
#include "tables/index_parts.h"

#include <stdlib.h>

#include "base/pool.h"


/* ---- products as words --------------------------------------------------- */

static void
vocabulary_grow(struct index_vocabulary *v)
{
    if (v->words.n <= v->room) {
        return;
    }
    v->room = 2 * v->room + 4096;
    v->term = xrealloc(v->term, v->room * sizeof(*v->term));
    v->docs = xrealloc(v->docs, v->room * sizeof(*v->docs));
    v->last = xrealloc(v->last, v->room * sizeof(*v->last));
    v->kind = xrealloc(v->kind, v->room * sizeof(*v->kind));
}


/* The number of the word; ADS_INDEX_NONE when the vocabulary is full.  *added
 * when it is new: then its term is still to be said. */
static uint32_t
word_put(struct index_vocabulary *v, struct ads_str bytes, uint8_t kind,
         bool *added)
{
    uint32_t n = v->words.n, number;

    /* stems become words of the index too, so both together are limited */
    number = index_set_put(&v->words, bytes, ADS_INDEX_WORDS_MAX / 2 - 2);
    *added = number == n;
    if (*added) {
        vocabulary_grow(v);
        v->docs[number] = 0;
        v->last[number] = 0;
        v->kind[number] = kind;
        v->term[number] = ADS_INDEX_NONE;
    }
    return number;
}


static uint32_t
vocabulary_put(struct index_vocabulary *v, const struct ads_text *text,
               const struct ads_text_word *word)
{
    struct ads_str bytes = {.ptr = word->bytes, .len = word->len};
    bool added;
    uint32_t number = word_put(v, bytes, (uint8_t)word->kind, &added);

    if (!added) {
        return number;
    }
    if (word->kind != ADS_TEXT_LETTERS
        || ads_text_filler(bytes) != ADS_TEXT_STOP) {
        v->term[number] = index_set_put(&v->stems, ads_text_stem(text, word),
                                        ADS_INDEX_WORDS_MAX / 2 - 2);
    }
    return number;
}


static void
tokens_add(struct index_tokens *tokens, uint32_t token)
{
    if (tokens->n == tokens->room) {
        tokens->room = 2 * tokens->room + 65536;
        tokens->tokens =
            xrealloc(tokens->tokens, tokens->room * sizeof(*tokens->tokens));
    }
    tokens->tokens[tokens->n++] = token;
}


/* Adds a word of the document at hand; of a stop word, or one too many, its
 * place in a title. */
static void
token_put(struct index_vocabulary *v, struct index_tokens *tokens,
          uint32_t token, uint32_t number)
{
    uint32_t field = token >> ADS_TOKEN_FIELD_SHIFT & 3;
    uint32_t doc = tokens->n_docs;

    if (number == ADS_INDEX_NONE || v->term[number] == ADS_INDEX_NONE) {
        if (field == INDEX_TITLE) {
            tokens_add(tokens, token | ADS_TOKEN_STOP);
        }
        return;
    }
    if (v->last[number] != doc + 1) {
        v->last[number] = doc + 1;
        v->docs[number]++;
    }
    tokens_add(tokens, token | number);
}


static void
field_read(struct index_vocabulary *v, struct index_tokens *tokens,
           const struct ads_text *text, struct ads_str source,
           enum index_field field)
{
    uint32_t shifted = (uint32_t)field << ADS_TOKEN_FIELD_SHIFT;
    struct ads_text_reader reader;
    struct ads_text_word word;

    ads_text_init(&reader, source);
    while (ads_text_next(&reader, &word)) {
        uint32_t token = word.gap == ADS_TEXT_BREAK ? ADS_TOKEN_BREAK : 0;
        uint32_t number;

        if (word.kind == ADS_TEXT_PRICE) {
            continue;
        }
        number = vocabulary_put(v, text, &word);
        token_put(v, tokens, token | shifted, number);
    }
}


/* The number of a word of a source, which is added when it is new. */
static uint32_t
kept_word_put(struct index_vocabulary *v, const struct index_source *source,
              uint32_t word)
{
    uint32_t term = ads_index_word_term(source->index, word);
    bool added;
    uint32_t number = word_put(v, ads_index_word_peek(source->index, word),
                               source->tokens->kind[word], &added);

    if (added && term < source->tokens->n_terms) {
        v->term[number] = index_set_put(
            &v->stems,
            ads_index_word_peek(source->index, source->tokens->stem[term]),
            ADS_INDEX_WORDS_MAX / 2 - 2);
    }
    return number;
}


/* The words of a document as they were kept; numbers[] holds those of its
 * source that were met, + 1. */
static void
kept_read(struct index_vocabulary *v, struct index_tokens *tokens,
          const struct index_source *source, uint32_t doc, uint32_t *numbers)
{
    const struct ads_doc_words *kept = source->tokens;

    for (uint64_t i = kept->start[doc]; i < kept->start[doc + 1]; i++) {
        uint32_t word = kept->tokens[i] & ADS_TOKEN_WORD;
        uint32_t number = ADS_INDEX_NONE;

        if (word != ADS_TOKEN_STOP) {
            if (numbers[word] == 0) {
                numbers[word] = kept_word_put(v, source, word) + 1;
            }
            number = numbers[word] - 1;
        }
        token_put(v, tokens, kept->tokens[i] & ~ADS_TOKEN_WORD, number);
    }
}


/* A word that no text has. */
static void
fact_put(struct index_vocabulary *v, struct index_tokens *tokens,
         struct ads_str word)
{
    bool added;
    uint32_t number = word_put(v, word, ADS_TEXT_KIND, &added);

    if (added) {
        v->term[number] =
            index_set_put(&v->stems, word, ADS_INDEX_WORDS_MAX / 2 - 2);
    }
    token_put(v, tokens, INDEX_CATEGORY << ADS_TOKEN_FIELD_SHIFT, number);
}


/* The words of the kinds that a document is taken for. */
static void
kinds_read(struct index_vocabulary *v, struct index_tokens *tokens,
           struct ads_str kinds)
{
    while (kinds.len > 0) {
        const char *end = memchr(kinds.ptr, ' ', kinds.len);
        size_t len = end == NULL ? kinds.len : (size_t)(end - kinds.ptr);

        fact_put(v, tokens, (struct ads_str){kinds.ptr, len});
        kinds = ads_str_tail(kinds, len + (end != NULL));
    }
}


/* The first word of the brand as a fact of its own: which words are brands is
 * asked of the index. */
static void
brand_read(struct index_vocabulary *v, struct index_tokens *tokens,
           struct ads_str brand)
{
    char bytes[1 + ADS_TEXT_WORD_MAX] = {ADS_INDEX_BRAND};
    struct ads_text_reader reader;
    struct ads_text_word word;

    ads_text_init(&reader, brand);
    if (ads_text_next(&reader, &word) && word.len > 1
        && word.kind == ADS_TEXT_LETTERS)
    {
        memcpy(bytes + 1, word.bytes, word.len);
        fact_put(v, tokens, (struct ads_str){bytes, 1u + word.len});
    }
}


static void
texts_read(struct index_vocabulary *v, struct index_tokens *tokens,
           const struct ads_text *text, const struct index_doc *doc,
           const char *kinds)
{
    field_read(v, tokens, text, doc->title, INDEX_TITLE);
    field_read(v, tokens, text, doc->brand, INDEX_BRAND);
    field_read(v, tokens, text, doc->category, INDEX_CATEGORY);
    brand_read(v, tokens, doc->brand);
    if (doc->kinds_len > 0) {
        kinds_read(v, tokens,
                   (struct ads_str){kinds + doc->kinds_at, doc->kinds_len});
    }
    field_read(v, tokens, text, doc->description, INDEX_DESCRIPTION);
}


void
index_words_read(struct index_vocabulary *v, struct index_tokens *tokens,
                 const struct index_input *input)
{
    struct ads_text text = {.stemmer = sb_stemmer_new("english", NULL)};
    uint32_t **numbers =
        xcalloc((size_t)input->n_sources + 1, sizeof(*numbers));
    uint32_t n = input->n;

    if (text.stemmer == NULL) {
        abort(); /* out of memory: the name is one the library always has */
    }

    memset(v, 0, sizeof(*v));
    memset(tokens, 0, sizeof(*tokens));
    tokens->start = xcalloc((size_t)n + 1, sizeof(*tokens->start));
    for (uint32_t i = 0; i < input->n_sources; i++) {
        numbers[i] = xcalloc((size_t)input->sources[i].tokens->n_words + 1,
                             sizeof(**numbers));
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct index_doc *doc = &input->docs[i];

        tokens->start[i] = tokens->n;
        if (doc->source == 0) {
            texts_read(v, tokens, &text, doc, input->kinds);
        } else {
            kept_read(v, tokens, &input->sources[doc->source - 1], doc->doc,
                      numbers[doc->source - 1]);
        }
        tokens->n_docs++;
    }
    tokens->start[n] = tokens->n;
    for (uint32_t i = 0; i < input->n_sources; i++) {
        free(numbers[i]);
    }
    free(numbers);
    sb_stemmer_delete(text.stemmer);
}


void
index_words_free(struct index_vocabulary *v, struct index_tokens *tokens)
{
    index_set_free(&v->words);
    index_set_free(&v->stems);
    free(v->term);
    free(v->docs);
    free(v->last);
    free(v->kind);
    free(v->heads);
    free(v->rank);
    free(v->final);
    free(v->stem);
    free(tokens->tokens);
    free(tokens->start);
}


/* ---- titles -------------------------------------------------------------- */

/* The attributes of the product, behind the words of its title. */
static void
attributes_read(const struct index_vocabulary *v,
                const struct index_tokens *tokens, uint32_t doc,
                struct index_title *title)
{
    title->n_text = title->n;
    for (size_t i = tokens->start[doc]; i < tokens->start[doc + 1]; i++) {
        uint32_t word = tokens->tokens[i] & ADS_TOKEN_WORD;

        if (word != ADS_TOKEN_STOP && v->kind[word] == ADS_TEXT_KIND
            && index_set_peek(&v->words, word).ptr[0] == ADS_INDEX_ATTRIBUTE
            && title->n < ADS_INDEX_TITLE)
        {
            title->terms[title->n++] = v->term[word];
        }
    }
}


/*
 * The head noun of "Acme - Red Pillow with Heart" is "pillow": the last word
 * of letters, not a unit, before the phrase ends.  A first phrase of one word
 * is mostly a brand, so its successor gives a head noun too.
 */
void
index_title_read(const struct index_vocabulary *v,
                 const struct index_tokens *tokens, uint32_t doc,
                 struct index_title *title)
{
    uint32_t head = ADS_INDEX_NONE, words = 0, phrases = 0;
    bool after_number = false;

    memset(title, 0, offsetof(struct index_title, terms));
    for (size_t i = tokens->start[doc]; i < tokens->start[doc + 1]; i++) {
        uint32_t token = tokens->tokens[i];
        uint32_t word = token & ADS_TOKEN_WORD;
        bool stop = word == ADS_TOKEN_STOP;

        if ((token >> ADS_TOKEN_FIELD_SHIFT & 3) != INDEX_TITLE
            || title->n == ADS_INDEX_TITLE)
        {
            break;
        }

        if (phrases < 2 && words > 0
            && (stop || (token & ADS_TOKEN_BREAK) != 0)) {
            phrases = words > 1 ? 2 : phrases + 1;
            if (head < 32) {
                title->head |= (uint32_t)1 << head;
            }
            words = 0;
        }
        if (!stop) {
            bool letters = v->kind[word] != ADS_TEXT_NUMBER
                           && v->kind[word] != ADS_TEXT_MIXED;

            words++;
            title->n_words++;
            if ((letters && !after_number) || head == ADS_INDEX_NONE) {
                head = title->n;
            }
            after_number = v->kind[word] == ADS_TEXT_NUMBER;
        }
        title->terms[title->n++] = stop ? ADS_INDEX_NONE : v->term[word];
    }

    if (phrases < 2 && head < 32) {
        title->head |= (uint32_t)1 << head;
    }
    attributes_read(v, tokens, doc, title);
}


/* ---- the sections -------------------------------------------------------- */

/* Numbers the words of the index: stop words have none, and stems that no
 * product has as a word are added behind. */
static uint32_t
words_number(struct index_vocabulary *v)
{
    uint32_t n = 0;

    v->final = xcalloc(v->words.n + 1, sizeof(*v->final));
    for (uint32_t i = 0; i < v->words.n; i++) {
        v->final[i] = v->term[i] == ADS_INDEX_NONE ? ADS_INDEX_NONE : n++;
    }
    return n;
}


static void
hash_write(struct index_block *block, struct index_counts *counts,
           const struct index_set *words)
{
    uint32_t *slots = NULL;
    uint32_t mask, i;

    counts->hash_bits = 4;
    while ((uint64_t)words->n * 3 > (uint64_t)2 << counts->hash_bits) {
        counts->hash_bits++;
    }

    do { /* again and larger when a word would need too many probes */
        free(slots);
        mask = ((uint32_t)1 << counts->hash_bits) - 1;
        slots = xcalloc((size_t)mask + 1, sizeof(*slots));
        for (i = 0; i < words->n; i++) {
            uint32_t slot =
                (uint32_t)(words->hash[i] >> (64 - counts->hash_bits));
            uint32_t probes = 0;

            while (probes < ADS_INDEX_PROBES && slots[slot & mask] != 0) {
                slot++;
                probes++;
            }
            if (probes == ADS_INDEX_PROBES) {
                break;
            }
            slots[slot & mask] = i + 1;
        }
    } while (i < words->n && ++counts->hash_bits <= 26);

    index_block_begin(block, ADS_INDEX_HASH);
    index_block_add(block, slots, ((size_t)mask + 1) * sizeof(*slots));
    index_block_end(block, ADS_INDEX_HASH);
    free(slots);
}


void
index_words_write(struct index_block *block, struct index_counts *counts,
                  struct index_vocabulary *v)
{
    uint32_t n = words_number(v), number;
    struct index_set words = {0};
    uint32_t *terms =
        xcalloc((size_t)v->words.n + v->stems.n + 1, sizeof(*terms));

    for (uint32_t i = 0; i < v->words.n; i++) {
        if (v->final[i] != ADS_INDEX_NONE) {
            number =
                index_set_put_from(&words, &v->words, i, ADS_INDEX_WORDS_MAX);
            terms[number] = v->rank[v->term[i]];
        }
    }
    v->stem = xcalloc((size_t)v->stems.n + 1, sizeof(*v->stem));
    for (uint32_t i = 0; i < v->stems.n; i++) {
        number = index_set_put_from(&words, &v->stems, i, ADS_INDEX_WORDS_MAX);
        v->stem[v->rank[i]] = number;
        if (number == n) {
            terms[n++] = v->rank[i];
        }
    }

    counts->n_words = words.n;
    hash_write(block, counts, &words);

    index_block_begin(block, ADS_INDEX_WORDS);
    for (uint32_t i = 0; i <= words.n; i++) {
        struct ads_index_word word = {
            .string = i < words.n ? words.start[i] : (uint32_t)words.len,
            .term = i < words.n ? terms[i] : 0};

        index_block_add(block, &word, sizeof(word));
    }
    index_block_end(block, ADS_INDEX_WORDS);

    index_block_begin(block, ADS_INDEX_STRINGS);
    index_block_add(block, words.bytes, words.len);
    index_block_end(block, ADS_INDEX_STRINGS);

    index_set_free(&words);
    free(terms);
}


void
index_tokens_write(struct index_image *image, const struct index_counts *counts,
                   const struct index_vocabulary *v,
                   const struct index_tokens *tokens, const uint32_t *order)
{
    struct ads_doc_words kept = {.n_docs = tokens->n_docs,
                                 .n_terms = counts->n_terms,
                                 .n_words = counts->n_words,
                                 .n_counted = counts->n_counted,
                                 .n_tokens = tokens->n};
    uint64_t *start;
    uint32_t *at;
    uint8_t *kind;

    memcpy(kept.mean, counts->mean, sizeof(kept.mean));
    image->tokens_len = ads_doc_words_measure(&kept);
    image->tokens = xcalloc(1, image->tokens_len);
    ads_doc_words_head_write(image->tokens, &kept);

    start = (uint64_t *)(void *)(image->tokens + ADS_DOC_WORDS_HEAD_LEN);
    at = (uint32_t *)(start + kept.n_docs + 1);
    for (uint32_t doc = 0; doc < kept.n_docs; doc++) {
        size_t from = tokens->start[order[doc]];
        size_t n = tokens->start[order[doc] + 1] - from;

        start[doc + 1] = start[doc] + n;
        for (size_t i = from; i < from + n; i++) {
            uint32_t word = tokens->tokens[i] & ADS_TOKEN_WORD;

            *at++ =
                word == ADS_TOKEN_STOP
                    ? tokens->tokens[i]
                    : (tokens->tokens[i] & ~ADS_TOKEN_WORD) | v->final[word];
        }
    }
    memcpy(at, v->stem, kept.n_terms * sizeof(*at));
    image->stem = at;
    kind = (uint8_t *)(at + kept.n_terms);
    for (uint32_t i = 0; i < v->words.n; i++) {
        if (v->final[i] != ADS_INDEX_NONE) {
            kind[v->final[i]] = v->kind[i];
        }
    }
}
