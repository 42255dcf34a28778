/*
 * Sections of ads while they are compiled: those of a base, or those of a head
 * (the delta to its base).  Included by snap_*.c alone.
 */
#ifndef ADSD_SNAP_ADS_H
#define ADSD_SNAP_ADS_H

#include "tables/index_build.h"
#include "tables/snap_build.h"
#include "tables/snap_text.h"

#define SNAP_ADS_PARTS 10

struct snap_ads {
    const struct snap_base_rows *rows;
    const struct snap_source *beside; /* the base that these supplement, or
                                         NULL: they are one's own */
    uint32_t *kept; /* rows whose URL is good, in order of campaign and id */
    uint32_t n;
    uint32_t n_refused;
    struct ads_uuid *campaigns; /* sorted, each once; without those beside */
    uint32_t n_campaigns;
    struct ads_uuid *products; /* likewise */
    uint32_t n_products;
    uint32_t *product; /* of each of `kept`: its number beside, when there */
    struct index_image index;
    struct ads_snap_offer *offers; /* of each of `kept`; then of `ads` */
    uint16_t *classes;             /* a count, then of each of `ads` */
    struct snap_text kinds;        /* what the index has them as */
    struct ads_snap_ad *ads;
    struct ads_snap_retired *retired;
    uint32_t n_retired;
    uint32_t *lookup;
    uint32_t n_lookup;
    struct snap_text text;
};

/* Compiles the rows; snap_ads_free() in any case. */
void
snap_ads_build(struct snap_ads *ads, const struct snap_base_rows *rows,
               const struct snap_source *beside);
void
snap_ads_free(struct snap_ads *ads);

/* The sections, borrowed. */
void
snap_ads_parts(const struct snap_ads *ads,
               struct ads_snap_part parts[SNAP_ADS_PARTS]);

#endif
