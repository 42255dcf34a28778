/*
 * Feeds that came over HTTP, one after the other: a thread that takes up what
 * waits in ads.imports, by whichever node was asked.  One import at a time on
 * a node bounds what imports cost the rest; what died halfway is taken up
 * again by the next who looks (sql/code/76_imports.sql).
 */
#ifndef ADSD_IMPORT_WORK_H
#define ADSD_IMPORT_WORK_H

#include "daemon/adsd.h"

/* The thread's whole life; returns once adsd stops. */
void
import_work_run(struct adsd *adsd);

#endif
