/*
 * Rows carried over from a base and its head to the next base or head, and
 * campaigns from head to head: nothing is read from PostgreSQL, no word is
 * stemmed again.
 */
#ifndef ADSD_SNAP_CARRY_H
#define ADSD_SNAP_CARRY_H

#include "tables/snap_build.h"

/* A head and its base, opened to carry over from; both are borrowed. */
struct snap_pair {
    const struct snap_source *base;
    struct ads_head head;
    struct snap_source more; /* of the head's ads, when it has any */
    bool has_more;
};

/* ADS_CONFLICT when the head is of another base. */
ADS_MUST enum ads_err
snap_pair_open(struct snap_pair *pair, const struct snap_source *base,
               const void *head, uint64_t len);

/* Ids of ads, a set once they are sorted. */
struct snap_ids {
    struct ads_uuid *ids; /* free() */
    uint32_t n;
    uint32_t room;
};

void
snap_ids_add(struct snap_ids *ids, const struct ads_uuid *id);
void
snap_ids_sort(struct snap_ids *ids);
bool
snap_ids_has(const struct snap_ids *ids, const struct ads_uuid *id);

/* Rows that grow; zeroed is empty.  They borrow from what they were carried
 * over from. */
struct snap_carry {
    struct snap_source sources[2]; /* of a pair: base, more */
    struct snap_ad_row *ads;
    uint32_t n_ads;
    uint32_t ads_room;
    struct snap_retired_row *retired;
    uint32_t n_retired;
    uint32_t retired_room;
};

void
snap_carry_free(struct snap_carry *carry);

/* The rows so far; borrowed. */
struct snap_base_rows
snap_carry_rows(const struct snap_carry *carry);

/* Everything that base and head hold together, for the base that takes their
 * place.  Ads of campaigns that the head no longer has are retired. */
void
snap_carry_all(struct snap_carry *carry, const struct snap_pair *pair);

/* What is in the head: those ads whose id is among `ids` (wanted), or is
 * not. */
void
snap_carry_head(struct snap_carry *carry, const struct snap_pair *pair,
                const struct snap_ids *ids, bool wanted);

/*
 * The campaigns of a head as rows for the next one, but those among `ids`, in
 * whose place come those of `changed` that are left of them.  Rows, borrowed
 * from the head, are in order of their ids as `changed` is; `rows` has room
 * for both.  Returns how many; ADS_SNAP_NONE when the head leads outside.
 */
uint32_t
snap_carry_campaigns(struct snap_campaign_row *rows,
                     const struct ads_head *head, const struct snap_ids *ids,
                     const struct snap_campaign_row *changed,
                     uint32_t n_changed);

/* Further rows, of texts. */
void
snap_carry_add(struct snap_carry *carry, const struct snap_base_rows *rows);

#endif
