/*
 * A restored database and what this node's journal holds for it.
 */
#ifndef ADSD_CTL_REPLAY_H
#define ADSD_CTL_REPLAY_H

#include "ctl/journal.h"
#include "journal/watermark.h"

/* How the database stands to what is noted beside this node's journal, and how
 * many seconds it is behind.  Without a note yet it is level. */
ADS_MUST enum ads_err
ctl_watermark(struct ctl *ctl, uint64_t node, enum watermark_state *state,
              int64_t *behind_s);

#endif
