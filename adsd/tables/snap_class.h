/*
 * Classes of ads that are alike in everything that eligibility checks but their
 * price, numbered, so that a worker finds out once for each class
 * whether it may be shown (core/ads_snap.h has the section).
 */
#ifndef ADSD_SNAP_CLASS_H
#define ADSD_SNAP_CLASS_H

#include "ads_snap.h"
#include "tables/snap_text.h"

/*
 * The rows of ADS_SNAP_BASE_CLASSES for n ads whose texts are in `text`: n + 1
 * of them, free().  Classes of a single ad, and those past the last number, get
 * none.
 */
uint16_t *
snap_classes_make(const struct ads_snap_ad *ads, uint32_t n,
                  const struct snap_text *text);

#endif
