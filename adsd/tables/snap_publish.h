/*
 * Publisher of the ad tables: one thread that polls the number of the last
 * management change, compiles what changed, writes it next to what is there,
 * and only then stores the new generation in `live`.
 */
#ifndef ADSD_SNAP_PUBLISH_H
#define ADSD_SNAP_PUBLISH_H

#include "daemon/adsd.h"

/* The thread's whole life; returns once adsd stops. */
void
snap_publish_run(struct adsd *adsd);

#endif
