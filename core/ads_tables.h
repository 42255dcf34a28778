/*
 * A generation of the ad tables, opened: a base, a head, and their ads as one
 * set.  Ads that changed since the base was made are in the head; callers need
 * not know which is where.
 */
#ifndef ADS_TABLES_H
#define ADS_TABLES_H

#include "ads_goods.h"
#include "ads_guard.h"
#include "ads_index.h"
#include "ads_intent.h"
#include "ads_snap.h"

/* One generation, opened: what a request keeps from begin to end.  It points
 * into itself: never copy one. */
struct ads_tables {
    struct ads_base base;
    struct ads_head head;
    struct ads_index index; /* of the base, with `more` attached */
    struct ads_index more;  /* of the ads in the head */
    struct ads_guard guard;
    struct ads_intent intent;
    struct ads_goods goods; /* without kinds where the base has no ontology */
};

/*
 * Opens a mapped base (8-byte aligned, borrowed) with a head that was opened,
 * and so checked, before; what that points to is borrowed, too.  ADS_DAMAGED,
 * ADS_UNSUPPORTED, or ADS_CONFLICT when the head was made for another base.
 */
ADS_MUST enum ads_err
ads_tables_open(struct ads_tables *tables, const void *base, uint64_t base_len,
                const struct ads_head *head);

/* The ad with that number of the match, of base or head; NULL: none.  *from is
 * who has its texts. */
const struct ads_snap_ad *
ads_tables_ad(const struct ads_tables *tables, uint32_t doc,
              const struct ads_base **from);

/* The class of the ad with that number, below ads_tables_n_classes(); 0: it is
 * of none.  What holds for one ad of a class holds for all, but for price. */
uint32_t
ads_tables_class(const struct ads_tables *tables, uint32_t doc);
uint32_t
ads_tables_n_classes(const struct ads_tables *tables);

/* What the ad with that number offers; NULL: nothing is known of it. */
const struct ads_snap_offer *
ads_tables_offer(const struct ads_tables *tables, uint32_t doc);

/* The ad of that id as it is now, or was last. */
const struct ads_snap_ad *
ads_tables_find(const struct ads_tables *tables, const struct ads_uuid *id,
                const struct ads_base **from);

/* The ad of that id, when ads_tables_find() knows none: it is retired. */
const struct ads_snap_retired *
ads_tables_find_retired(const struct ads_tables *tables,
                        const struct ads_uuid *id,
                        const struct ads_base **from);

/* The campaign that the ad names; NULL when that leads outside. */
const struct ads_uuid *
ads_tables_campaign_id(const struct ads_tables *tables,
                       const struct ads_snap_ad *ad);

/* Ads that are served. */
uint32_t
ads_tables_n_ads(const struct ads_tables *tables);

#endif
