/*
 * Carries ads and campaigns over to the next base or head.
 */
#include "tables/snap_carry.h"

#include <stdlib.h>

#define FIRST_ROOM 1024


enum ads_err
snap_pair_open(struct snap_pair *pair, const struct snap_source *base,
               const void *head, uint64_t len)
{
    enum ads_err err;

    *pair = (struct snap_pair){.base = base};
    err = ads_head_open(&pair->head, head, len);
    if (err == ADS_OK) {
        err = ads_snap_pair(&pair->head, &base->base);
    }
    pair->has_more = pair->head.more.index.len > 0;
    if (err == ADS_OK && pair->has_more) {
        err = snap_source_open(&pair->more, &pair->head.more);
        if (err == ADS_OK
            && pair->head.shared.rows == pair->more.tokens.n_terms) {
            pair->more.shared = (const void *)pair->head.shared.bytes;
        }
    }
    return err;
}


/* ---- sets of ids --------------------------------------------------------- */

static int
by_id(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ads_uuid));
}


void
snap_ids_add(struct snap_ids *ids, const struct ads_uuid *id)
{
    if (ids->n == ids->room) {
        ids->room = 2 * ids->room + FIRST_ROOM;
        ids->ids = xrealloc(ids->ids, ids->room * sizeof(*ids->ids));
    }
    ids->ids[ids->n++] = *id;
}


void
snap_ids_sort(struct snap_ids *ids)
{
    if (ids->n > 0) {
        qsort(ids->ids, ids->n, sizeof(*ids->ids), by_id);
    }
}


bool
snap_ids_has(const struct snap_ids *ids, const struct ads_uuid *id)
{
    return ids->n > 0
           && bsearch(id, ids->ids, ids->n, sizeof(*ids->ids), by_id) != NULL;
}


/* ---- rows ---------------------------------------------------------------- */

void
snap_carry_free(struct snap_carry *carry)
{
    free(carry->ads);
    free(carry->retired);
    *carry = (struct snap_carry){0};
}


struct snap_base_rows
snap_carry_rows(const struct snap_carry *carry)
{
    return (struct snap_base_rows){.ads = carry->ads,
                                   .n_ads = carry->n_ads,
                                   .retired = carry->retired,
                                   .n_retired = carry->n_retired,
                                   .sources = carry->sources,
                                   .n_sources = 2};
}


static void
ad_put(struct snap_carry *carry, const struct snap_ad_row *row)
{
    if (carry->n_ads == carry->ads_room) {
        carry->ads_room = 2 * carry->ads_room + FIRST_ROOM;
        carry->ads =
            xrealloc(carry->ads, carry->ads_room * sizeof(*carry->ads));
    }
    carry->ads[carry->n_ads++] = *row;
}


static void
retired_put(struct snap_carry *carry, const struct ads_uuid *id,
            const struct ads_uuid *campaign, struct ads_str url)
{
    if (carry->n_retired == carry->retired_room) {
        carry->retired_room = 2 * carry->retired_room + FIRST_ROOM;
        carry->retired = xrealloc(
            carry->retired, carry->retired_room * sizeof(*carry->retired));
    }
    carry->retired[carry->n_retired++] =
        (struct snap_retired_row){.id = *id, .campaign = *campaign, .url = url};
}


/* The id with that number of base and head. */
static const struct ads_uuid *
id_of(const struct ads_snap_section *base, const struct ads_snap_section *more,
      uint32_t number)
{
    const struct ads_uuid *ids = (const void *)base->bytes;

    if (number >= base->rows) {
        number -= base->rows;
        ids = number < more->rows ? (const void *)more->bytes : NULL;
    }
    return ids == NULL ? NULL : &ids[number];
}


/* An ad of the pair goes on, or is retired with its campaign. */
static void
ad_carry(struct snap_carry *carry, const struct snap_pair *pair, bool more,
         uint32_t doc, bool check)
{
    const struct ads_base *base = &pair->base->base;
    const struct ads_base *from = more ? &pair->head.more : base;
    const struct ads_snap_ad *ad = ads_base_ad(from, doc);
    const struct ads_uuid *campaign =
        id_of(&base->campaigns, &pair->head.more.campaigns, ad->campaign);
    const struct ads_uuid *product =
        id_of(&base->products, &pair->head.more.products, ad->product);
    struct snap_ad_row row = {.id = ad->id, .source = more ? 2 : 1, .doc = doc};

    if (campaign == NULL || product == NULL) {
        return; /* damaged: less ads, nothing worse */
    }
    if (check && ads_head_campaign_of(&pair->head, ad->campaign) == NULL) {
        retired_put(carry, &ad->id, campaign, ads_base_url(from, ad));
        return;
    }

    row.campaign = *campaign;
    row.product = *product;
    row.url = ads_base_url(from, ad);
    row.categories = ads_base_categories(from, ad);
    memcpy(row.currency, ad->currency, sizeof(row.currency));
    memcpy(row.language, ad->language, sizeof(row.language));
    ad_put(carry, &row);
}


static const struct ads_snap_retired *
retired_at(const struct ads_base *base, uint32_t i)
{
    return (const struct ads_snap_retired *)(const void *)base->retired.bytes
           + i;
}


static void
retired_carry(struct snap_carry *carry, const struct ads_base *from, uint32_t i)
{
    const struct ads_snap_retired *retired = retired_at(from, i);

    retired_put(carry, &retired->id, &retired->campaign,
                ads_base_retired_url(from, retired));
}


static void
sources_set(struct snap_carry *carry, const struct snap_pair *pair)
{
    carry->sources[0] = *pair->base;
    carry->sources[1] = pair->more;
}


static bool
is_dead(const struct ads_head *head, uint32_t doc)
{
    return doc / 8 < head->dead.len
           && (head->dead.bytes[doc / 8] >> doc % 8 & 1) != 0;
}


void
snap_carry_all(struct snap_carry *carry, const struct snap_pair *pair)
{
    const struct ads_base *base = &pair->base->base;
    const struct ads_base *more = &pair->head.more;

    sources_set(carry, pair);
    for (uint32_t i = 0; i < base->ads.rows; i++) {
        if (!is_dead(&pair->head, i)) {
            ad_carry(carry, pair, false, i, true);
        }
    }
    for (uint32_t i = 0; i < more->ads.rows; i++) {
        ad_carry(carry, pair, true, i, true);
    }
    for (uint32_t i = 0; i < base->retired.rows; i++) {
        const struct ads_uuid *id = &retired_at(base, i)->id;

        if (ads_base_find(more, id, NULL) == NULL
            && ads_base_find_retired(more, id) == NULL)
        {
            retired_carry(carry, base, i);
        }
    }
    for (uint32_t i = 0; i < more->retired.rows; i++) {
        retired_carry(carry, more, i);
    }
}


void
snap_carry_head(struct snap_carry *carry, const struct snap_pair *pair,
                const struct snap_ids *ids, bool wanted)
{
    const struct ads_base *more = &pair->head.more;

    sources_set(carry, pair);
    for (uint32_t i = 0; i < more->ads.rows; i++) {
        if (snap_ids_has(ids, &ads_base_ad(more, i)->id) == wanted) {
            ad_carry(carry, pair, true, i, false);
        }
    }
    for (uint32_t i = 0; i < more->retired.rows; i++) {
        if (snap_ids_has(ids, &retired_at(more, i)->id) == wanted) {
            retired_carry(carry, more, i);
        }
    }
}


void
snap_carry_add(struct snap_carry *carry, const struct snap_base_rows *rows)
{
    for (uint32_t i = 0; i < rows->n_ads; i++) {
        ad_put(carry, &rows->ads[i]);
    }
    for (uint32_t i = 0; i < rows->n_retired; i++) {
        const struct snap_retired_row *row = &rows->retired[i];

        retired_put(carry, &row->id, &row->campaign, row->url);
    }
}


/* ---- campaigns ----------------------------------------------------------- */

/* A campaign of a head as the row it was made of. */
static bool
campaign_carry(struct snap_campaign_row *row, const struct ads_head *head,
               const struct ads_snap_campaign *campaign)
{
    const struct ads_snap_account *account =
        ads_head_account(head, campaign->account);
    const struct ads_snap_target *target = ads_head_target(head, campaign);
    const uint32_t not_places = campaign->places + campaign->n_places;

    if (account == NULL || (target == NULL && campaign->target != 0)
        || !snap_has_rows(&head->places, campaign->places, campaign->n_places)
        || !snap_has_rows(&head->places, not_places, campaign->n_not_places)
        || !snap_has_rows(&head->placements, campaign->placements,
                          campaign->n_placements))
    {
        return false;
    }
    *row = (struct snap_campaign_row){
        .id = campaign->id,
        .account = account->id,
        .bid_micros = campaign->bid_micros,
        .start_ms = campaign->start_ms,
        .end_ms = campaign->end_ms,
        .version = campaign->version,
        .active = ads_snap_is_active(campaign),
        .cpm = campaign->cpm != 0,
        .slot = campaign->slot,
        .tag = campaign->tag,
        .places = snap_rows_from(&head->places, campaign->places,
                                 sizeof(*row->places)),
        .n_places = campaign->n_places,
        .not_places =
            snap_rows_from(&head->places, not_places, sizeof(*row->not_places)),
        .n_not_places = campaign->n_not_places,
        .placements = snap_rows_from(&head->placements, campaign->placements,
                                     sizeof(*row->placements)),
        .n_placements = campaign->n_placements,
        .carried = true,
    };
    return target == NULL || snap_target_carry(&row->target, head, target);
}


uint32_t
snap_carry_campaigns(struct snap_campaign_row *rows,
                     const struct ads_head *head, const struct snap_ids *ids,
                     const struct snap_campaign_row *changed,
                     uint32_t n_changed)
{
    const struct ads_snap_campaign *campaign;
    uint32_t n = 0, next = 0;

    for (uint32_t i = 0; i < head->campaigns.rows; i++) {
        campaign = ads_head_campaign(head, i);
        if (snap_ids_has(ids, &campaign->id)) {
            continue;
        }
        while (next < n_changed && by_id(&changed[next].id, &campaign->id) < 0)
        {
            rows[n++] = changed[next++];
        }
        if (!campaign_carry(&rows[n++], head, campaign)) {
            return ADS_SNAP_NONE;
        }
    }
    while (next < n_changed) {
        rows[n++] = changed[next++];
    }
    return n;
}
