/*
 * Compiles a base: the sections of its ads, the intent model and the guard.
 */
#include "tables/snap_ads.h"

#include <stdlib.h>


void
snap_base_build(struct snap_image *image, uint32_t *n_refused,
                const struct snap_base_rows *rows,
                const struct snap_stamp *stamp)
{
    struct ads_snap_part parts[SNAP_ADS_PARTS + 3];
    const struct ads_snap_file file = {
        .id = stamp->id,
        .made_us = stamp->made_us,
        .change = stamp->change,
        .node = stamp->node,
        .n_parts = SNAP_ADS_PARTS + 3,
        .parts = parts,
    };
    struct snap_ads ads;

    snap_ads_build(&ads, rows, NULL);
    *n_refused = ads.n_refused;
    snap_ads_parts(&ads, parts);
    parts[SNAP_ADS_PARTS] = (struct ads_snap_part){
        .kind = ADS_SNAP_BASE_INTENT,
        .bytes = rows->intent_model.ptr,
        .len = rows->intent_model.len,
    };
    parts[SNAP_ADS_PARTS + 1] = (struct ads_snap_part){
        .kind = ADS_SNAP_BASE_GUARD,
        .bytes = rows->guard.ptr,
        .len = rows->guard.len,
    };
    parts[SNAP_ADS_PARTS + 2] = (struct ads_snap_part){
        .kind = ADS_SNAP_BASE_GOODS,
        .bytes = rows->goods.ptr,
        .len = rows->goods.len,
    };

    image->len = ads_snap_measure(&file);
    image->bytes = xmalloc(image->len);
    ads_snap_write(image->bytes, &file);
    snap_ads_free(&ads);
}


enum ads_err
snap_source_open(struct snap_source *source, const struct ads_base *base)
{
    enum ads_err err;

    *source = (struct snap_source){.base = *base};
    err = ads_index_open(base->index.bytes, base->index.len, &source->index);
    if (err == ADS_OK) {
        err = ads_doc_words_open(&source->tokens, base->tokens.bytes,
                                 base->tokens.len);
    }
    if (err == ADS_OK
        && (source->tokens.n_docs != base->ads.rows
            || source->index.n_docs != base->ads.rows
            || source->tokens.n_terms != source->index.n_terms
            || source->tokens.n_words != source->index.n_words))
    {
        err = ADS_DAMAGED;
    }
    return err;
}


static bool
section_same(const struct ads_snap_section *a, const struct ads_snap_section *b)
{
    return a->len == b->len
           && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}


/* The texts of ads stand before those of retired ones. */
static uint64_t
texts_len(const struct ads_base *base)
{
    uint64_t len = 0;

    if (base->ads.rows > 0) {
        const struct ads_snap_ad *last = ads_base_ad(base, base->ads.rows - 1);

        len = last->text_off + last->json_len + last->url_len
              + last->category_len;
    }
    return len <= base->text.len ? len : base->text.len;
}


bool
snap_base_same(const struct ads_base *a, const struct ads_base *b)
{
    uint64_t len = texts_len(a);

    return section_same(&a->ads, &b->ads)
           && section_same(&a->lookup, &b->lookup)
           && section_same(&a->campaigns, &b->campaigns)
           && section_same(&a->products, &b->products)
           && section_same(&a->index, &b->index)
           && section_same(&a->tokens, &b->tokens)
           && section_same(&a->offers, &b->offers)
           && section_same(&a->classes, &b->classes) && len == texts_len(b)
           && (len == 0 || memcmp(a->text.bytes, b->text.bytes, len) == 0);
}
