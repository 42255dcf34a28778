/*
 * Raw journal files for adsctl: opened beside a running adsd, changing
 * nothing.
 */
#ifndef ADSD_CTL_JOURNAL_H
#define ADSD_CTL_JOURNAL_H

#include "ctl.h"
#include "segment_dir.h"

struct ctl_files {
    struct ads_ring ring;
    uint64_t node;
    struct segment_dir dir;
    uint8_t *buffer; /* for a segment_reader */
};

/* Reads ring, node id and the list of segments; mistakes are logged.
 * ctl_files_close() in any case. */
ADS_MUST enum ads_err
ctl_files_open(struct ctl_files *files, struct ctl *ctl);

/* Asks the database how far each segment is committed. */
ADS_MUST enum ads_err
ctl_files_cursors(struct ctl_files *files, struct ctl *ctl);

void
ctl_files_close(struct ctl_files *files);

#endif
