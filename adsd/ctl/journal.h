/*
 * Raw journal files for adsctl: opened beside a running adsd, changing
 * nothing.
 */
#ifndef ADSD_CTL_JOURNAL_H
#define ADSD_CTL_JOURNAL_H

#include "ctl/ctl.h"
#include "journal/segment_dir.h"

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

/* Asks the database how far each segment is committed, then how long those are
 * that are still written to. */
ADS_MUST enum ads_err
ctl_files_cursors(struct ctl_files *files, struct ctl *ctl);

/*
 * The same, and again for up to two seconds while a segment that `awaits` names
 * is not all committed: adsd may only need a moment for it.  *n_left: how many
 * such are left.
 */
ADS_MUST enum ads_err
ctl_files_wait(struct ctl_files *files, struct ctl *ctl,
               bool (*awaits)(const struct segment *segment, const void *arg),
               const void *arg, uint32_t *n_left);

void
ctl_files_close(struct ctl_files *files);

/* "status" and "dump" of the verb. */
int
ctl_files_journal(struct ctl *ctl, int argc, char **argv);

#endif
