/*
 * The shared file <run>/live, adsd's side: making it, adopting an existing one,
 * letting it grow, replacing one that cannot.
 *
 * An existing file of our node is adopted, so that a restart of adsd forgets
 * neither spent nor slots.  When its slots are given out, it grows at its end
 * (ads_live.h): nothing moves, and workers go on meanwhile.  Where the disk has
 * no room for that, campaigns go without a slot, are not sold, and are counted;
 * everything else works.
 *
 * A new file is made for a missing, damaged or foreign one, for a full one of a
 * layout that cannot grow, and to be rid of slots that no campaign needs any
 * more.  It is made under another name, fully allocated and formatted, then
 * renamed; the one before stays linked as <run>/live.old until no worker holds
 * a lock on it, and as long as one does nothing may be sold through the new
 * file: a worker still on the old one sells within its old allowances.
 *
 * Safe from any thread.
 */
#ifndef ADSD_LIVE_FILE_H
#define ADSD_LIVE_FILE_H

#include "ads_live.h"
#include "base/log.h"

#define LIVE_FILE_SLOTS 4096 /* of a new file, at least; 128 bytes each */
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
 * The slot of the campaign in the current file and the tag that goes with it.
 * When it has none: ADS_ABSENT, and ADS_LIVE_SLOT_NONE as the slot.
 */
ADS_MUST enum ads_err
live_file_find(struct live_file *file, const struct ads_uuid *campaign,
               uint32_t *slot, uint64_t *tag);

/*
 * The same; a campaign that has no slot gets one, for which the file grows if
 * it must.  ADS_FULL, as ADS_ABSENT above: it cannot grow now.
 */
ADS_MUST enum ads_err
live_file_claim(struct live_file *file, const struct ads_uuid *campaign,
                uint32_t *slot, uint64_t *tag);

/* How many slots are given out: [0, n) may be walked. */
uint32_t
live_file_used(struct live_file *file);

/* Would a new file do for so many campaigns what this one cannot, or with a
 * fraction of its slots? */
bool
live_file_is_worn(struct live_file *file, uint32_t n_campaigns);

/*
 * Replaces the current file by one with no slot given out and room for so many
 * campaigns, with the same words, counters, filter and caps.  Slot numbers that
 * were written elsewhere have to be written again.  ADS_BUSY: workers still use
 * the file before this one; ADS_IO, logged.  Then all is as it was.
 */
ADS_MUST enum ads_err
live_file_renew(struct live_file *file, uint32_t n_campaigns);

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
