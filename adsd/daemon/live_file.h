/*
 * The shared file <run>/live, adsd's side: making it, adopting an existing one,
 * replacing a full one.
 *
 * An existing file of our layout and node is adopted, so that a restart of
 * adsd forgets neither spent nor slots.  A new one is made under another name,
 * fully allocated and formatted, then renamed; the one before stays linked as
 * <run>/live.old until no worker holds a lock on it, and as long as one does
 * nothing may be sold through the new file: a worker still on the old one sells
 * within its old allowances.
 *
 * Safe from any thread.
 */
#ifndef ADSD_LIVE_FILE_H
#define ADSD_LIVE_FILE_H

#include "ads_live.h"
#include "base/log.h"

#define LIVE_FILE_SLOTS 65536
#define LIVE_FILE_FILTER (1 << 18)

struct live_file;

/* Adopts or makes <run_path>/live.  ADS_IO, logged, when it cannot. */
ADS_MUST enum ads_err
live_file_open(struct live_file **file, const char *run_path, uint64_t node,
               struct log *log);

/* Unmaps; the file stays for the workers and the next adsd. */
void
live_file_close(struct live_file *file);

/*
 * The file in use now, borrowed until live_file_close(): also one that was
 * replaced since stays mapped.  Read its `id` to notice that.
 */
const struct ads_live *
live_file_current(struct live_file *file);

/*
 * The slot of the campaign in the current file, claimed when it has none, and
 * the tag that goes with it.  ADS_FULL: call live_file_renew() and claim all
 * slots again.
 */
ADS_MUST enum ads_err
live_file_claim(struct live_file *file, const struct ads_uuid *campaign,
                uint32_t *slot, uint64_t *tag);

/* How many slots are claimed: [0, n) may be walked. */
uint32_t
live_file_used(struct live_file *file);

/*
 * Replaces the current file by an empty one with the same words. Slot numbers
 * that were written elsewhere have to be written again.
 */
ADS_MUST enum ads_err
live_file_renew(struct live_file *file);

/* May anything be sold through the current file?  Not while a worker still
 * uses the one before. */
bool
live_file_may_sell(struct live_file *file);

/* A word of adsd in the current file. */
void
live_file_set(struct live_file *file, enum ads_live_word word, uint64_t value);
void
live_file_add(struct live_file *file, enum ads_live_word word, uint64_t n);
uint64_t
live_file_get(struct live_file *file, enum ads_live_word word);

#endif
