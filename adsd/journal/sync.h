/*
 * Group sync of the journal: workers only write, this thread makes it durable.
 *
 * Every journal_sync_ms: fdatasync of each segment that grew, and, once for
 * each new file, fsync of the folder, so that its name survives a power cut
 * too.  A failed sync is alarmed and never tried again on that segment: the
 * kernel has dropped those pages, a second call would only lie.  A word in
 * `live` then asks the workers to go on to new segments, and until they have
 * ADS_LIVE_SYNCED_US stands still.  Segments that say so are left alone
 * (`ads_journal_sync off`); those of `always` are synced by their writers too.
 */
#ifndef ADSD_JOURNAL_SYNC_H
#define ADSD_JOURNAL_SYNC_H

#include "daemon/adsd.h"

/*
 * The thread's whole life.  It also gives the heartbeat in `live`, since it
 * waits for no database; with journal_sync_ms 0 nothing but that.
 */
void
journal_sync_run(struct adsd *adsd);

#endif
