/*
 * Ads beside a base.
 */
#include "snap_beside.h"

#include <assert.h>
#include <stdlib.h>


static void
dead_mark(struct snap_beside *beside, const struct ads_base *base,
          const struct ads_uuid *id)
{
    uint32_t row;

    if (ads_base_find(base, id, &row) != NULL) {
        beside->dead[row / 8] |= (uint8_t)(1 << row % 8);
    }
}


/* Whatever became of an ad, the base's is not it any more. */
static void
dead_write(struct snap_beside *beside, const struct snap_base_rows *rows,
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


/* Terms are the same when their stems are. */
static void
terms_link(struct snap_beside *beside, const struct snap_source *base)
{
    const struct index_image *image = &beside->ads.index;
    uint32_t *by_word =
        xcalloc((size_t)base->tokens.n_words + 1, sizeof(*by_word));
    struct ads_tokens tokens;
    struct ads_index index;
    enum ads_err err;

    err = ads_index_open(image->bytes, image->len, &index);
    if (err == ADS_OK) {
        err = ads_tokens_open(&tokens, image->tokens, image->tokens_len);
    }
    assert(err == ADS_OK);
    for (uint32_t i = 0; i < base->tokens.n_terms; i++) {
        by_word[base->tokens.stem[i]] = i + 1;
    }

    beside->n_terms = tokens.n_terms;
    beside->shared = xcalloc(tokens.n_terms, sizeof(*beside->shared));
    beside->links = xcalloc(tokens.n_terms, sizeof(*beside->links));
    for (uint32_t i = 0; i < tokens.n_terms; i++) {
        uint32_t word = ads_index_word_find(
            &base->index, ads_index_word_peek(&index, tokens.stem[i]));

        beside->shared[i] = ADS_INDEX_NONE;
        if (word != ADS_INDEX_NONE && by_word[word] != 0) {
            beside->shared[i] = by_word[word] - 1;
            beside->links[beside->n_links++] =
                (struct ads_index_link){.term = by_word[word] - 1, .more = i};
        }
    }
    qsort(beside->links, beside->n_links, sizeof(*beside->links), by_term);
    free(by_word);
}


void
snap_beside_build(struct snap_beside *beside, const struct snap_base_rows *rows,
                  const struct snap_source *base)
{
    *beside = (struct snap_beside){.any = rows->n_ads + rows->n_retired > 0};
    if (beside->any) {
        snap_ads_build(&beside->ads, rows, base);
        dead_write(beside, rows, &base->base);
        terms_link(beside, base);
    }
}


void
snap_beside_free(struct snap_beside *beside)
{
    snap_ads_free(&beside->ads);
    free(beside->dead);
    free(beside->shared);
    free(beside->links);
}


void
snap_beside_parts(const struct snap_beside *beside,
                  struct ads_snap_part parts[SNAP_BESIDE_PARTS])
{
    snap_ads_parts(&beside->ads, parts);
    parts[SNAP_ADS_PARTS] = (struct ads_snap_part){
        .kind = ADS_SNAP_HEAD_DEAD,
        .bytes = beside->dead,
        .len = beside->dead_len,
    };
    parts[SNAP_ADS_PARTS + 1] = (struct ads_snap_part)SNAP_ROWS(
        ADS_SNAP_HEAD_SHARED, beside->shared, beside->n_terms);
    parts[SNAP_ADS_PARTS + 2] = (struct ads_snap_part)SNAP_ROWS(
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
snap_beside_again(const struct ads_head *head,
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
        part_again(ADS_SNAP_HEAD_DEAD, &head->dead, 0),
        part_again(ADS_SNAP_HEAD_SHARED, &head->shared, sizeof(uint32_t)),
        part_again(ADS_SNAP_HEAD_LINKS, &head->links,
                   sizeof(struct ads_index_link)),
    };

    memcpy(parts, all, sizeof(all));
}
