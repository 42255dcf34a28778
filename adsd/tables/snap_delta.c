/*
 * Compiles the delta of a head: its ads compared with those of its base.
 */
#include "tables/snap_delta.h"

#include <assert.h>
#include <stdlib.h>


static void
dead_mark(struct snap_delta *beside, const struct ads_base *base,
          const struct ads_uuid *id)
{
    uint32_t row;

    if (ads_base_find(base, id, &row) != NULL) {
        beside->dead[row / 8] |= (uint8_t)(1 << row % 8);
    }
}


/* Whatever became of an ad, the base's is not it any more. */
static void
dead_write(struct snap_delta *beside, const struct snap_base_rows *rows,
           const struct ads_base *base)
{
    beside->dead_len = ((size_t)base->ads.rows + 7) / 8;
    beside->dead = xcalloc(beside->dead_len, 1);
    for (uint32_t i = 0; i < rows->n_ads; i++) {
        dead_mark(beside, base, &rows->ads[i].id);
    }
    for (uint32_t i = 0; i < rows->n_retired; i++) {
        dead_mark(beside, base, &rows->retired[i].id);
    }
}


static int
by_term(const void *a, const void *b)
{
    const struct ads_index_link *one = a, *other = b;

    return one->term < other->term ? -1 : one->term > other->term;
}


/* Finds the terms of a source by their stems. */
struct stems {
    const struct snap_source *source;
    uint32_t *by_word; /* term + 1 of the word that is its stem; made when it
                          is needed */
};


static uint32_t
stem_find(struct stems *stems, struct ads_str stem)
{
    const struct ads_doc_words *tokens = &stems->source->tokens;
    uint32_t word = ads_index_word_find(&stems->source->index, stem), term;

    if (word == ADS_INDEX_NONE) {
        return ADS_INDEX_NONE;
    }
    term = ads_index_word_term(&stems->source->index, word);
    if (term < tokens->n_terms && tokens->stem[term] == word) {
        return term;
    }

    /* a word that is no stem, or one whose own stem is another one */
    if (stems->by_word == NULL) {
        stems->by_word = xcalloc(tokens->n_words, sizeof(*stems->by_word));
        for (uint32_t i = 0; i < tokens->n_terms; i++) {
            stems->by_word[tokens->stem[i]] = i + 1;
        }
    }
    return stems->by_word[word] == 0 ? ADS_INDEX_NONE
                                     : stems->by_word[word] - 1;
}


/* The head that ads are carried over from, when it stands beside this base:
 * which terms it shares is known. */
static const struct snap_source *
linked_before(const struct snap_base_rows *rows, const struct snap_source *base)
{
    return rows->n_sources == 2 && rows->sources[1].shared != NULL
                   && rows->sources[0].base.id == base->base.id
               ? &rows->sources[1]
               : NULL;
}


/* Terms are the same when their stems are. */
static void
terms_link(struct snap_delta *beside, const struct snap_base_rows *rows,
           const struct snap_source *base)
{
    const struct index_image *image = &beside->ads.index;
    const struct snap_source *before = linked_before(rows, base);
    struct stems ours = {.source = base}, befores = {.source = before};
    struct ads_index index;
    enum ads_err err;

    err = ads_index_open(image->bytes, image->len, &index);
    assert(err == ADS_OK);
    (void)err;

    beside->n_terms = index.n_terms;
    beside->shared = xcalloc(index.n_terms, sizeof(*beside->shared));
    beside->links = xcalloc(index.n_terms, sizeof(*beside->links));
    for (uint32_t i = 0; i < index.n_terms; i++) {
        struct ads_str stem = ads_index_word_peek(&index, image->stem[i]);
        uint32_t term =
            before == NULL ? ADS_INDEX_NONE : stem_find(&befores, stem);

        term = term != ADS_INDEX_NONE ? before->shared[term]
                                      : stem_find(&ours, stem);
        beside->shared[i] = term;
        if (term != ADS_INDEX_NONE) {
            beside->links[beside->n_links++] =
                (struct ads_index_link){.term = term, .more = i};
        }
    }
    qsort(beside->links, beside->n_links, sizeof(*beside->links), by_term);
    free(ours.by_word);
    free(befores.by_word);
}


void
snap_delta_build(struct snap_delta *beside, const struct snap_base_rows *rows,
                 const struct snap_source *base)
{
    *beside = (struct snap_delta){.any = rows->n_ads + rows->n_retired > 0};
    if (beside->any) {
        snap_ads_build(&beside->ads, rows, base);
        dead_write(beside, rows, &base->base);
        terms_link(beside, rows, base);
    }
}


void
snap_delta_free(struct snap_delta *beside)
{
    snap_ads_free(&beside->ads);
    free(beside->dead);
    free(beside->shared);
    free(beside->links);
}


void
snap_delta_parts(const struct snap_delta *beside,
                 struct ads_snap_part parts[SNAP_BESIDE_PARTS])
{
    snap_ads_parts(&beside->ads, parts);
    parts[SNAP_ADS_PARTS] = (struct ads_snap_part){
        .kind = ADS_SNAP_HEAD_DEAD,
        .bytes = beside->dead,
        .len = beside->dead_len,
    };
    parts[SNAP_ADS_PARTS + 1] = (struct ads_snap_part)ADS_SNAP_ROWS(
        ADS_SNAP_HEAD_SHARED, beside->shared, beside->n_terms);
    parts[SNAP_ADS_PARTS + 2] = (struct ads_snap_part)ADS_SNAP_ROWS(
        ADS_SNAP_HEAD_LINKS, beside->links, beside->n_links);
}


static struct ads_snap_part
part_again(uint32_t kind, const struct ads_snap_section *section,
           uint32_t row_len)
{
    return (struct ads_snap_part){.kind = kind,
                                  .bytes = section->bytes,
                                  .len = section->len,
                                  .rows = section->rows,
                                  .row_len = row_len};
}


void
snap_delta_again(const struct ads_head *head,
                 struct ads_snap_part parts[SNAP_BESIDE_PARTS])
{
    const struct ads_base *more = &head->more;
    const struct ads_snap_part all[SNAP_BESIDE_PARTS] = {
        part_again(ADS_SNAP_BASE_ADS, &more->ads, sizeof(struct ads_snap_ad)),
        part_again(ADS_SNAP_BASE_LOOKUP, &more->lookup, sizeof(uint32_t)),
        part_again(ADS_SNAP_BASE_TEXT, &more->text, 0),
        part_again(ADS_SNAP_BASE_CAMPAIGNS, &more->campaigns,
                   sizeof(struct ads_uuid)),
        part_again(ADS_SNAP_BASE_INDEX, &more->index, 0),
        part_again(ADS_SNAP_BASE_RETIRED, &more->retired,
                   sizeof(struct ads_snap_retired)),
        part_again(ADS_SNAP_BASE_PRODUCTS, &more->products,
                   sizeof(struct ads_uuid)),
        part_again(ADS_SNAP_BASE_TOKENS, &more->tokens, 0),
        part_again(ADS_SNAP_BASE_OFFERS, &more->offers,
                   sizeof(struct ads_snap_offer)),
        part_again(ADS_SNAP_BASE_CLASSES, &more->classes, sizeof(uint16_t)),
        part_again(ADS_SNAP_HEAD_DEAD, &head->dead, 0),
        part_again(ADS_SNAP_HEAD_SHARED, &head->shared, sizeof(uint32_t)),
        part_again(ADS_SNAP_HEAD_LINKS, &head->links,
                   sizeof(struct ads_index_link)),
    };

    memcpy(parts, all, sizeof(all));
}
