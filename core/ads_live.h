/*
 * The shared file `live`: the one small file that flows back from adsd to the
 * workers. adsd says here how much each campaign may still sell on this node
 * and which generation to serve; workers say what they have spent, and count.
 *
 * On tmpfs, fully allocated, mapped shared.  Only 64-bit atomics, one writer
 * class for each word, no lock: a process that dies leaves nothing held.
 * The slots stand last, so that a file grows at its end while it is in use:
 * adsd allocates the bytes, then says how many slots there are, then gives
 * them out; who has mapped less maps it again.  A file never gets shorter and
 * is never reused for another layout; for that adsd makes a new one (new name,
 * then rename).
 *
 * Fixed part, 4,096 bytes:
 *
 *        0  4  "ADSL"
 *        4  4  layout: 3; readers also take 2, in which the slots stand before
 *              the filter and never grow, and 1, which has no caps either
 *        8  4  byte order mark 0x01020304
 *       12  4  CRC-32C of bytes 0 to 127 with this field 0
 *       16  8  length of the file when it was made
 *       24  8  node id
 *       32  8  id of this file, random
 *       40  8  made at, realtime us
 *       48  8  offset of the campaign slots
 *       56  8  number of slots when it was made (now: ADS_LIVE_SLOTS)
 *       64  8  offset of the replay filter
 *       72  8  number of its words, a power of two
 *       80  8  offset of the session caps
 *       88  8  number of their words, as many as the filter has
 *       96 32  zero
 *      512     words of adsd (enum ads_live_word)
 *     2048     counters of the workers (enum ads_live_counter)
 *
 * A slot, 128 bytes, two cache lines, the first adsd's, the second the
 * workers':
 *
 *        0  8  tag of the campaign (0: free); written once, never changed
 *        8  8  allowance, micros: serve while it holds spent, promised and
 *                the price of one more
 *       16  8  throttle, 0 to 65,536: serve when hash16(request) < throttle
 *       24  8  rate, 0 to 65,536: of so many links one is followed
 *       32 32  zero
 *       64  8  spent, micros: provisional price of clicks journalled here
 *       72  8  clicks
 *       80  8  served, micros: price of the links served here
 *       88  8  promised, micros: what they cost, each at its rate
 *       96 32  zero
 *
 * The replay filter is an array of 64-bit keyed fingerprints of click ids, two
 * neighbouring places each, the older overwritten: it keeps one link from
 * eating an allowance; PostgreSQL is what dedupes.
 *
 * The session caps are an array of 64-bit words, two neighbouring places for
 * each (session, campaign): 28 bits of its hash, 12 bits how often it was
 * shown, 24 bits the second when that began.  The longer ago of the two is
 * overwritten: a cap may be forgotten, and is kept for each node by itself.
 */
#ifndef ADS_LIVE_H
#define ADS_LIVE_H

#include "ads_err.h"
#include "ads_id.h"

#define ADS_LIVE_LAYOUT 3
#define ADS_LIVE_LAYOUT_GROWS 3 /* the first whose files may */
#define ADS_LIVE_SLOT_NONE UINT32_MAX
#define ADS_LIVE_FIXED_LEN 4096
#define ADS_LIVE_SLOT_LEN 128
#define ADS_LIVE_THROTTLE_OPEN 65536
#define ADS_LIVE_DELAYS_MAX 32

/* Words of adsd. */
enum ads_live_word {
    ADS_LIVE_GENERATION, /* serve this head */
    ADS_LIVE_HEARTBEAT,  /* realtime us of adsd's last cycle */
    ADS_LIVE_LISTENING,  /* 1: adsd reads datagrams */
    ADS_LIVE_COMMITTED,  /* journal bytes committed to PostgreSQL */
    ADS_LIVE_PENDING,    /* journal bytes not committed yet */
    ADS_LIVE_PRESSURE,   /* 0; 1: shed telemetry; 2: sell nothing; 3: journal
                            nothing */
    ADS_LIVE_DATABASE,   /* 1: adsd reaches PostgreSQL */
    ADS_LIVE_SYNCED_US,  /* realtime us up to which all journal bytes are on
                            disk */
    ADS_LIVE_CORRUPT,    /* journal records found corrupt */
    ADS_LIVE_REJECTED,   /* journal records PostgreSQL refused */
    ADS_LIVE_REFUSED,    /* syncs that the journal's disk refused: at each one
                            more every worker goes on to a new segment */
    ADS_LIVE_CLOCK_MS,   /* between this clock and the database's */
    ADS_LIVE_CLAMPED,    /* journal records with a time that is to come there */
    ADS_LIVE_SLOTS,      /* campaign slots that the file has */
    ADS_LIVE_SLOTS_USED, /* of them given out */
    ADS_LIVE_SLOTLESS,   /* campaigns that cannot be sold for want of one */
    ADS_LIVE_QUOTA_USE,  /* + enum ads_quota: percent, of the account that used
                           most of it */
    ADS_LIVE_QUOTA_REFUSED = ADS_LIVE_QUOTA_USE + 32, /* + enum ads_quota:
                                                         refusals by it */
    ADS_LIVE_BLOCKED = ADS_LIVE_QUOTA_REFUSED + 32,   /* advertisers that have
                                                       clicks set aside */
    ADS_LIVE_BLOCKED_US, /* realtime us of the oldest such click; 0: none */
    ADS_LIVE_SEEN,       /* journal bytes that workers had counted when adsd
                            last said how many are not committed */
    ADS_LIVE_QUOTA,      /* journal bytes that may wait; 0: not known */
    ADS_LIVE_OLDEST_US,  /* realtime us of the oldest record that was not
                            committed then; 0: none */
    ADS_LIVE_DELAY_MS,   /* from a click to the ledger, the longest of the last
                            10 to 20 seconds */
    ADS_LIVE_DELAYS,     /* + 2 x class: how late people click, thousandths of
                            struct ads_delays: adsd's own, kept here */
    ADS_LIVE_BEHIND_S = ADS_LIVE_DELAYS + 2 * ADS_LIVE_DELAYS_MAX, /* that the
                            database is older than the journal while ingest
                            waits for the operator; 0: it does not */
    ADS_LIVE_WORDS
};

/* Counters of the workers; each is one Prometheus series. */
enum ads_live_counter {
    ADS_COUNT_RECOMMEND,      /* recommend requests answered 200 */
    ADS_COUNT_SHOW,           /* of them SHOW */
    ADS_COUNT_ADS,            /* ads in them */
    ADS_COUNT_REFUSED,        /* recommend and event requests answered 4xx */
    ADS_COUNT_CLICK,          /* clicks answered 302 */
    ADS_COUNT_CLICK_UNBILLED, /* of them not provisionally valid */
    ADS_COUNT_CLICK_FORGED,   /* tokens that did not open */
    ADS_COUNT_CLICK_GONE,     /* 410 */
    ADS_COUNT_CLICK_UNKNOWN,  /* ad not known here: handed to adsd */
    ADS_COUNT_PREFETCH,       /* prefetches answered 503 */
    ADS_COUNT_EVENT,          /* events answered 202 */
    ADS_COUNT_APPENDED,       /* journal records written */
    ADS_COUNT_APPENDED_BYTES, /* journal bytes written */
    ADS_COUNT_FIRST_US,       /* no count: realtime us of the first record
                                 since all was committed */
    ADS_COUNT_WRITE_SLOW,     /* write() calls over 1 ms */
    ADS_COUNT_WRITE,          /* write() calls */
    ADS_COUNT_DATAGRAM,       /* datagrams handed to adsd */
    ADS_COUNT_DATAGRAM_LOST,  /* datagrams the socket did not take */
    ADS_COUNT_SWAP,           /* generations adopted */
    ADS_COUNT_SWAP_REFUSED,   /* ad tables refused */
    ADS_COUNT_NO_AD,          /* + enum ads_reason: NO_AD by reason */
    ADS_COUNT_SYNC = ADS_COUNT_NO_AD + 32, /* syncs that answers waited for */
    ADS_COUNT_SYNC_REFUSED,   /* of them refused by the disk, or too slow */
    ADS_COUNT_UNSYNCED,       /* answers given although theirs was */
    ADS_COUNT_AUCTION_UNTOLD, /* campaigns of a request beyond those counted */
    ADS_COUNT_UNJOURNALED_CLICK, /* clicks that could not be written */
    ADS_COUNT_UNJOURNALED_IMPRESSION,
    ADS_COUNT_UNJOURNALED_DECISION,
    ADS_COUNT_UNJOURNALED_COUNTS, /* records of counts, shed or not written */
    ADS_COUNT_END
};

struct ads_live_slot;

struct ads_live {
    uint8_t *bytes;
    uint64_t len; /* as mapped */
    uint32_t layout;
    uint64_t node;
    uint64_t id;
    uint64_t slots_off;
    uint64_t n_slots; /* as mapped */
    uint64_t filter_off;
    uint64_t n_filter;
    uint64_t caps_off;
    uint64_t n_caps; /* 0: layout 1 has none, no cap holds */
};

/* How long a file with that many slots and filter words is; it has as many
 * words of session caps. */
uint64_t
ads_live_measure(uint64_t n_slots, uint64_t n_filter);

/* Writes the fixed part of a new file into zeroed bytes of that length. */
void
ads_live_write(uint8_t *bytes, uint64_t n_slots, uint64_t n_filter,
               uint64_t node, uint64_t id, uint64_t now_us);

/* Checks and borrows a mapped file, of which it takes as many slots as it says
 * it has by now, and as are mapped.  Every place is bounded by it at each use,
 * so a damaged one can mislead but never lead outside. */
ADS_MUST enum ads_err
ads_live_open(struct ads_live *live, void *bytes, uint64_t len);

uint64_t
ads_live_get(const struct ads_live *live, enum ads_live_word word);
void
ads_live_set(struct ads_live *live, enum ads_live_word word,
             uint64_t value); /* adsd only */

uint64_t
ads_live_counter(const struct ads_live *live, uint32_t counter);
void
ads_live_count(struct ads_live *live, uint32_t counter,
               uint64_t n); /* workers only */

/*
 * The journal as it is now, whatever became of adsd: what adsd last measured,
 * and what workers have written since.
 */

/* Worker: records of so many bytes were written to the journal. */
void
ads_live_append(struct ads_live *live, uint64_t n, uint64_t bytes,
                uint64_t now_us);

/* Bytes that are not committed.  What is written at this moment may be counted
 * twice until adsd looks again. */
uint64_t
ads_live_pending(const struct ads_live *live);

/* Realtime us of the oldest record among them; 0 when there is none. */
uint64_t
ads_live_oldest_us(const struct ads_live *live);

/* The pressure of so many bytes that wait, of a quota: 0 to 3, at 80, 95 and
 * 100 % of it. */
uint64_t
ads_live_quota_pressure(uint64_t pending, uint64_t quota);

/* The pressure: what adsd said last, or that of the quota when it is higher. */
uint64_t
ads_live_pressure(const struct ads_live *live);

/* The tag of a campaign's slot: never 0. */
uint64_t
ads_live_tag(const struct ads_uuid *campaign);

/* The slot, borrowed; NULL when it is outside or carries another tag. */
struct ads_live_slot *
ads_live_slot(const struct ads_live *live, uint32_t slot, uint64_t tag);

/* The slot of that number and its tag; NULL when it is outside or free. */
struct ads_live_slot *
ads_live_slot_at(const struct ads_live *live, uint32_t slot, uint64_t *tag);

/* Has the file got more slots than are mapped here? */
bool
ads_live_has_grown(const struct ads_live *live);

/* adsd: gives out the next slot, *used, and adds 1 to that; the caller knows
 * that none in [0, *used) has this tag.  ADS_FULL: there is no more. */
ADS_MUST enum ads_err
ads_live_claim(struct ads_live *live, uint64_t tag, uint32_t *used,
               uint32_t *slot);

/* adsd: the number of slots in use, for taking over an existing file. */
uint32_t
ads_live_used(const struct ads_live *live);

int64_t
ads_live_spent(const struct ads_live_slot *slot);
int64_t
ads_live_allowance(const struct ads_live_slot *slot);
uint64_t
ads_live_throttle(const struct ads_live_slot *slot);
void
ads_live_allow(struct ads_live_slot *slot, int64_t allowance_micros,
               uint64_t throttle); /* adsd only */

/* Worker: a click at that price was journalled. */
void
ads_live_spend(struct ads_live_slot *slot, int64_t price_micros);

/* What the links that are served cost by and by: adsd forecasts it. */
int64_t
ads_live_served(const struct ads_live_slot *slot);
int64_t
ads_live_promised(const struct ads_live_slot *slot);
void
ads_live_expect(struct ads_live_slot *slot, uint64_t rate); /* adsd only */

/* Worker: a link of that price was served. */
void
ads_live_serve(struct ads_live_slot *slot, int64_t price_micros);

/* Does the allowance that is left pay this price? */
bool
ads_live_pays(const struct ads_live_slot *slot, int64_t price_micros);

/* May the campaign of this slot be shown to a request with that hash? */
bool
ads_live_open_for(const struct ads_live_slot *slot, uint64_t hash);

/* Replay filter; `fingerprint` is a keyed hash of the click id.  Its place is
 * nowhere near the last one's: prefetching it avoids a wait. */
void
ads_live_fetch(const struct ads_live *live, uint64_t fingerprint);
bool
ads_live_seen(const struct ads_live *live, uint64_t fingerprint);
void
ads_live_remember(struct ads_live *live, uint64_t fingerprint);

/* How often a session was shown a campaign within the last `window_s` seconds,
 * as far as is known; `key` is a hash of both. */
uint32_t
ads_live_shown(const struct ads_live *live, uint64_t key, uint64_t now_s,
               uint32_t window_s);

/* Worker: it was shown once more. */
void
ads_live_show(struct ads_live *live, uint64_t key, uint64_t now_s,
              uint32_t window_s);

#endif
