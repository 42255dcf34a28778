/*
 * Opens a generation of the ad tables, and finds ads in its base and head.
 */
#include "ads_tables.h"


/* The index of the base, and beside it that of the head's ads. */
static enum ads_err
indexes_open(struct ads_tables *tables)
{
    const struct ads_head *head = &tables->head;
    enum ads_err err;

    err = ads_index_open(tables->base.index.bytes, tables->base.index.len,
                         &tables->index);
    if (err != ADS_OK) {
        return err;
    }
    ads_index_bury(&tables->index, head->dead.bytes, head->dead.len);
    if (head->more.ads.rows == 0) {
        return ADS_OK;
    }

    err = ads_index_open(head->more.index.bytes, head->more.index.len,
                         &tables->more);
    if (err == ADS_OK && head->shared.rows != tables->more.n_terms) {
        return ADS_DAMAGED;
    }
    if (err == ADS_OK) {
        ads_index_attach(&tables->index, &tables->more,
                         (const void *)head->shared.bytes,
                         (const void *)head->links.bytes, head->links.rows);
    }
    return err;
}


enum ads_err
ads_tables_open(struct ads_tables *tables, const void *base, uint64_t base_len,
                const struct ads_head *head)
{
    enum ads_err err;

    tables->head = *head;
    err = ads_base_open(&tables->base, base, base_len);
    if (err != ADS_OK) {
        return err;
    }

    err = ads_snap_pair(&tables->head, &tables->base);
    if (err != ADS_OK) {
        return err;
    }

    err = indexes_open(tables);
    if (err != ADS_OK) {
        return err;
    }

    err = ads_guard_open(tables->base.guard.bytes, tables->base.guard.len,
                         &tables->guard);
    if (err != ADS_OK) {
        return err;
    }
    err = ads_goods_open(tables->base.goods.bytes, tables->base.goods.len,
                         &tables->goods);
    if (err != ADS_OK) {
        return err;
    }
    return ads_intent_open(tables->base.intent.bytes, tables->base.intent.len,
                           &tables->intent);
}


const struct ads_snap_ad *
ads_tables_ad(const struct ads_tables *tables, uint32_t doc,
              const struct ads_base **from)
{
    uint32_t n = tables->index.n_docs;

    *from = doc < n ? &tables->base : &tables->head.more;
    return ads_base_ad(*from, doc < n ? doc : doc - n);
}


uint32_t
ads_tables_class(const struct ads_tables *tables, uint32_t doc)
{
    uint32_t n = tables->index.n_docs, class;

    if (doc < n) {
        return ads_base_class(&tables->base, doc);
    }
    class = ads_base_class(&tables->head.more, doc - n);
    return class == 0 ? 0 : tables->base.n_classes + class;
}


uint32_t
ads_tables_n_classes(const struct ads_tables *tables)
{
    return 1 + tables->base.n_classes + tables->head.more.n_classes;
}


const struct ads_snap_offer *
ads_tables_offer(const struct ads_tables *tables, uint32_t doc)
{
    uint32_t n = tables->index.n_docs;

    return doc < n ? ads_base_offer(&tables->base, doc)
                   : ads_base_offer(&tables->head.more, doc - n);
}


const struct ads_snap_ad *
ads_tables_find(const struct ads_tables *tables, const struct ads_uuid *id,
                const struct ads_base **from)
{
    const struct ads_snap_ad *ad;

    *from = &tables->head.more;
    ad = ads_base_find(*from, id, NULL);
    if (ad != NULL || ads_base_find_retired(*from, id) != NULL) {
        return ad;
    }
    *from = &tables->base;
    return ads_base_find(*from, id, NULL);
}


const struct ads_snap_retired *
ads_tables_find_retired(const struct ads_tables *tables,
                        const struct ads_uuid *id, const struct ads_base **from)
{
    const struct ads_snap_retired *retired;

    *from = &tables->head.more;
    retired = ads_base_find_retired(*from, id);
    if (retired == NULL) {
        *from = &tables->base;
        retired = ads_base_find_retired(*from, id);
    }
    return retired;
}


const struct ads_uuid *
ads_tables_campaign_id(const struct ads_tables *tables,
                       const struct ads_snap_ad *ad)
{
    const struct ads_snap_section *base = &tables->base.campaigns;
    const struct ads_snap_section *more = &tables->head.more.campaigns;

    if (ad->campaign < base->rows) {
        return (const struct ads_uuid *)base->bytes + ad->campaign;
    }
    return ad->campaign - base->rows < more->rows
               ? (const struct ads_uuid *)more->bytes + ad->campaign
                     - base->rows
               : NULL;
}


uint32_t
ads_tables_n_ads(const struct ads_tables *tables)
{
    const struct ads_snap_section *dead = &tables->head.dead;
    uint32_t n = tables->base.ads.rows + tables->head.more.ads.rows;

    for (uint64_t i = 0; i < dead->len; i++) {
        n -= (uint32_t)__builtin_popcount(dead->bytes[i]);
    }
    return n;
}
