/*
 * Clicks that were set aside, since somebody held their advertiser's balance.
 *
 * ads.ingest() puts them into ads.clicks_held in the transaction that moves the
 * cursor, so they are out of the journal's hands and durable.  Here they are
 * tried again, the holder is named in the log, and it is ended when it is a
 * session of our own login that holds on for lock_holder_max_s.
 */
#ifndef ADSD_INGEST_HELD_H
#define ADSD_INGEST_HELD_H

#include "daemon/adsd.h"
#include "journal/ingest_commit.h"

struct ingest_held;

/* Of that configuration and log; ingest_held_free() frees. */
struct ingest_held *
ingest_held_new(const struct adsd *adsd);
void
ingest_held_free(struct ingest_held *held);

/*
 * Bills what is free again, as much as one transaction takes, and looks after
 * those who hold the rest.  It comes to that twice a second, and at each call
 * while something is set aside.  Errors as ingest_commit_batch().
 */
ADS_MUST enum ads_err
ingest_held_tick(struct ingest_held *held, struct ingest_sink *sink);

/* Of how many advertisers something is set aside, on all nodes, and the time of
 * the oldest such click (realtime us; 0: none). */
uint64_t
ingest_held_accounts(const struct ingest_held *held);
uint64_t
ingest_held_oldest_us(const struct ingest_held *held);

#endif
