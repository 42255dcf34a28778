/*
 * Compiles a head: campaigns, accounts, publishers, keys and the ads that
 * changed since the base, small enough to be written again at every change.
 */
#include "tables/snap_ads.h"

#include <stdlib.h>

#include "tables/snap_delta.h"

#define OWN_PARTS 10
#define HEAD_PARTS (OWN_PARTS + SNAP_TARGET_PARTS)

struct head {
    const struct snap_head_rows *rows;
    struct ads_snap_campaign *campaigns; /* by id */
    struct ads_snap_account *accounts;   /* by id */
    uint32_t n_accounts;
    struct ads_snap_publisher *publishers; /* by id */
    uint32_t n_publishers;
    struct ads_snap_key *keys; /* by hash */
    uint32_t n_keys;
    struct ads_snap_key *bound_keys; /* by hash */
    uint32_t n_bound_keys;
    struct ads_ip_range *ranges;
    uint32_t n_ranges;
    uint32_t *map;
    uint32_t n_map;
    struct ads_snap_place *places;
    uint32_t n_places;
    struct ads_placement *placements;
    uint32_t n_placements;
    struct snap_targets targets;
    struct snap_text text;
    struct snap_delta beside;      /* the ads that changed */
    const struct ads_head *before; /* or NULL: who has them already */
};


static int
by_id(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ads_uuid));
}


static int
by_hash(const void *a, const void *b)
{
    return memcmp(a, b, ADS_KEY_HASH_LEN);
}


/* The number of the row with that id, or ADS_SNAP_NONE. */
static uint32_t
row_find(const struct ads_uuid *id, const void *rows, uint32_t n, size_t len)
{
    const uint8_t *found = bsearch(id, rows, n, len, by_id);

    return found == NULL
               ? ADS_SNAP_NONE
               : (uint32_t)((size_t)(found - (const uint8_t *)rows) / len);
}


static void
accounts_write(struct head *head)
{
    const struct snap_head_rows *rows = head->rows;

    head->accounts = xcalloc(rows->n_accounts, sizeof(*head->accounts));
    head->publishers = xcalloc(rows->n_accounts, sizeof(*head->publishers));

    for (uint32_t i = 0; i < rows->n_accounts; i++) {
        const struct snap_account_row *row = &rows->accounts[i];

        if (row->publisher) {
            struct ads_snap_publisher *publisher =
                &head->publishers[head->n_publishers++];

            publisher->id = row->id;
            publisher->active = row->active;
            publisher->floor_micros = row->floor_micros;
            publisher->blocks = snap_target_blocks_put(
                &head->targets, &head->text, row->blocked, row->n_blocked,
                row->blocked_categories);

        } else {
            struct ads_snap_account *account =
                &head->accounts[head->n_accounts++];

            account->id = row->id;
            account->active = row->active;
            account->name_off = (uint32_t)head->text.len;
            snap_text_put_escaped(&head->text, row->name);
            account->name_len = (uint16_t)(head->text.len - account->name_off);
        }
    }

    qsort(head->accounts, head->n_accounts, sizeof(*head->accounts), by_id);
    qsort(head->publishers, head->n_publishers, sizeof(*head->publishers),
          by_id);
}


static void
keys_make_room(struct head *head)
{
    const struct snap_head_rows *rows = head->rows;
    size_t n_ranges = 0;

    for (uint32_t i = 0; i < rows->n_keys; i++) {
        n_ranges += rows->keys[i].n_ranges;
    }
    head->keys = xcalloc(rows->n_keys, sizeof(*head->keys));
    head->bound_keys = xcalloc(rows->n_keys, sizeof(*head->bound_keys));
    head->ranges = xcalloc(n_ranges, sizeof(*head->ranges));
}


static uint32_t
owner_find(const struct head *head, const struct snap_key_row *row)
{
    return row->type == ADS_KEY_PUBLISHER
               ? row_find(&row->account, head->publishers, head->n_publishers,
                          sizeof(*head->publishers))
               : row_find(&row->account, head->accounts, head->n_accounts,
                          sizeof(*head->accounts));
}


/* A key whose owner is not there, or of the wrong kind, is left out. */
static void
keys_write(struct head *head)
{
    keys_make_room(head);
    for (uint32_t i = 0; i < head->rows->n_keys; i++) {
        const struct snap_key_row *row = &head->rows->keys[i];
        uint32_t owner = owner_find(head, row);
        struct ads_snap_key *key;

        if (owner == ADS_SNAP_NONE) {
            continue;
        }

        key = row->n_ranges == 0 ? &head->keys[head->n_keys++]
                                 : &head->bound_keys[head->n_bound_keys++];
        memcpy(key->hash, row->hash, sizeof(key->hash));
        key->expires_ms = row->expires_ms;
        key->owner = owner;
        key->type = row->type;
        key->test = row->test;
        key->explain = row->explain;
        key->n_ranges = row->n_ranges;
        key->ranges = head->n_ranges;
        for (uint32_t k = 0; k < row->n_ranges; k++) {
            head->ranges[head->n_ranges++] = row->ranges[k];
        }
    }
    qsort(head->keys, head->n_keys, sizeof(*head->keys), by_hash);
    qsort(head->bound_keys, head->n_bound_keys, sizeof(*head->bound_keys),
          by_hash);
}


static void
targeting_make_room(struct head *head)
{
    const struct snap_head_rows *rows = head->rows;
    size_t n_places = 0, n_placements = 0;

    for (uint32_t i = 0; i < rows->n_campaigns; i++) {
        const struct snap_campaign_row *row = &rows->campaigns[i];

        n_places += (size_t)row->n_places + row->n_not_places;
        n_placements += row->n_placements;
        snap_targets_count(&head->targets, &row->target);
    }
    for (uint32_t i = 0; i < rows->n_accounts; i++) {
        snap_targets_count_blocks(&head->targets, rows->accounts[i].n_blocked,
                                  rows->accounts[i].blocked_categories);
    }
    snap_targets_make_room(&head->targets);
    head->places = xcalloc(n_places, sizeof(*head->places));
    head->placements = xcalloc(n_placements, sizeof(*head->placements));
}


static void
places_put(struct head *head, const struct ads_snap_place *places, uint32_t n)
{
    if (n > 0) {
        memcpy(head->places + head->n_places, places, n * sizeof(*places));
    }
    head->n_places += n;
}


static void
campaigns_write(struct head *head)
{
    const struct snap_head_rows *rows = head->rows;

    head->campaigns = xcalloc(rows->n_campaigns, sizeof(*head->campaigns));
    for (uint32_t i = 0; i < rows->n_campaigns; i++) {
        const struct snap_campaign_row *row = &rows->campaigns[i];
        struct ads_snap_campaign *campaign = &head->campaigns[i];

        campaign->id = row->id;
        campaign->tag = row->tag;
        campaign->bid_micros = row->bid_micros;
        campaign->start_ms = row->start_ms;
        campaign->end_ms = row->end_ms;
        campaign->slot = row->slot;
        campaign->account = row_find(&row->account, head->accounts,
                                     head->n_accounts, sizeof(*head->accounts));
        campaign->version = row->version;
        campaign->status = row->active ? ADS_SNAP_ACTIVE : ADS_SNAP_PAUSED;
        campaign->cpm = row->cpm;

        campaign->places = head->n_places;
        campaign->n_places = row->n_places;
        campaign->n_not_places = row->n_not_places;
        places_put(head, row->places, row->n_places);
        places_put(head, row->not_places, row->n_not_places);

        campaign->placements = head->n_placements;
        campaign->n_placements = row->n_placements;
        for (uint32_t k = 0; k < row->n_placements; k++) {
            head->placements[head->n_placements++] = row->placements[k];
        }

        campaign->target = snap_target_put(&head->targets, &head->text,
                                           &row->target, row->carried);
        if (campaign->target != 0 && row->active) {
            campaign->status = ADS_SNAP_AIMED;
        }
    }
    qsort(head->campaigns, rows->n_campaigns, sizeof(*head->campaigns), by_id);
}


/* Which of today's campaigns is each one that ads name? */
static void
map_write(struct head *head, const struct ads_base *base)
{
    const struct ads_uuid *ids = (const struct ads_uuid *)base->campaigns.bytes;
    const struct ads_uuid *more = head->beside.ads.campaigns;
    uint32_t n = base->campaigns.rows;

    head->n_map = n + head->beside.ads.n_campaigns;
    if (head->before != NULL) {
        more = (const void *)head->before->more.campaigns.bytes;
        head->n_map = n + head->before->more.campaigns.rows;
    }
    head->map = xcalloc(head->n_map, sizeof(*head->map));
    for (uint32_t i = 0; i < head->n_map; i++) {
        head->map[i] =
            row_find(i < n ? &ids[i] : &more[i - n], head->campaigns,
                     head->rows->n_campaigns, sizeof(*head->campaigns));
    }
}


static void
file_write(struct snap_image *image, const struct head *head,
           const struct ads_base *base, const struct snap_stamp *stamp)
{
    const uint32_t n_campaigns = head->rows->n_campaigns;
    const struct ads_snap_part own[] = {
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_CAMPAIGNS, head->campaigns, n_campaigns),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_MAP, head->map, head->n_map),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_ACCOUNTS, head->accounts, head->n_accounts),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_PUBLISHERS, head->publishers,
                      head->n_publishers),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_KEYS, head->keys, head->n_keys),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_PLACES, head->places, head->n_places),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_PLACEMENTS, head->placements,
                      head->n_placements),
        {ADS_SNAP_HEAD_TEXT, head->text.bytes, head->text.len, 0, 0},
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_BOUND_KEYS, head->bound_keys,
                      head->n_bound_keys),
        ADS_SNAP_ROWS(ADS_SNAP_HEAD_RANGES, head->ranges, head->n_ranges),
    };
    struct ads_snap_part parts[HEAD_PARTS + SNAP_BESIDE_PARTS];
    const struct ads_snap_file file = {
        .head = true,
        .id = stamp->id,
        .made_us = stamp->made_us,
        .change = stamp->change,
        .base_id = base->id,
        .base_checksum = base->checksum,
        .node = stamp->node,
        .floor = stamp->floor,
        .n_parts =
            HEAD_PARTS + (head->beside.any ? (uint32_t)SNAP_BESIDE_PARTS : 0),
        .parts = parts,
    };

    _Static_assert(sizeof(own) / sizeof(own[0]) == OWN_PARTS, "all of them");
    memcpy(parts, own, sizeof(own));
    snap_targets_parts(&head->targets, parts + OWN_PARTS);
    if (head->before == NULL) {
        snap_delta_parts(&head->beside, parts + HEAD_PARTS);
    } else {
        snap_delta_again(head->before, parts + HEAD_PARTS);
    }
    image->len = ads_snap_measure(&file);
    image->bytes = xmalloc(image->len);
    ads_snap_write(image->bytes, &file);
}


void
snap_head_build(struct snap_image *image, const struct snap_head_rows *rows,
                const struct snap_source *base, const struct snap_stamp *stamp)
{
    struct head head = {.rows = rows, .before = rows->before};

    if (head.before == NULL) {
        snap_delta_build(&head.beside, &rows->changed, base);
    } else {
        head.beside.any = head.before->more.index.len > 0;
    }
    targeting_make_room(&head);
    accounts_write(&head);
    keys_write(&head);
    campaigns_write(&head);
    map_write(&head, &base->base);
    file_write(image, &head, &base->base, stamp);

    free(head.campaigns);
    free(head.accounts);
    free(head.publishers);
    free(head.keys);
    free(head.bound_keys);
    free(head.ranges);
    free(head.map);
    free(head.places);
    free(head.placements);
    snap_targets_free(&head.targets);
    free(head.text.bytes);
    snap_delta_free(&head.beside);
}
