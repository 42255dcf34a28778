/*
 * Delta of a head to its base: its ads, which ads of the base they replace, and
 * which terms the two have in common.  Included by snap_*.c alone.
 */
#ifndef ADSD_SNAP_DELTA_H
#define ADSD_SNAP_DELTA_H

#include "tables/snap_ads.h"

#define SNAP_BESIDE_PARTS (SNAP_ADS_PARTS + 3)

struct snap_delta {
    bool any; /* else nothing changed, and all is empty */
    struct snap_ads ads;
    uint8_t *dead; /* a bit per ad of the base */
    size_t dead_len;
    uint32_t *shared;
    uint32_t n_terms;
    struct ads_index_link *links;
    uint32_t n_links;
};

/* snap_delta_free() in any case. */
void
snap_delta_build(struct snap_delta *beside, const struct snap_base_rows *rows,
                 const struct snap_source *base);
void
snap_delta_free(struct snap_delta *beside);

/* The sections, borrowed. */
void
snap_delta_parts(const struct snap_delta *beside,
                 struct ads_snap_part parts[SNAP_BESIDE_PARTS]);

/* The same of a head that is there, which is borrowed. */
void
snap_delta_again(const struct ads_head *head,
                 struct ads_snap_part parts[SNAP_BESIDE_PARTS]);

#endif
