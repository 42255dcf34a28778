/*
 * Ingest: from the journal into PostgreSQL, exactly once, and back: allowances.
 *
 * One thread reads every segment of this node through segment.h and commits
 * batches: one transaction advances the (node, segment) cursor from its old
 * offset and books everything before the new one.  The cursor in PostgreSQL is
 * the only truth; after a lost connection, a kill or a failover the thread
 * reads it again and goes on from there.
 */
#ifndef ADSD_INGEST_H
#define ADSD_INGEST_H

#include "daemon/adsd.h"

/* The thread's whole life; returns, after the batch at hand, once adsd stops,
 * or asks adsd to stop when another reader has taken over this node. */
void
ingest_run(struct adsd *adsd);

#endif
